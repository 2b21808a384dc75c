//! Ghost text: the suggestions of each file, and what the user did with them.
//!
//! A suggestion is made once and then served for as long as what is typed agrees with it. Nothing is stored of how it
//! looks on screen: what is left of it is read off the text each time ([`fit`]), so that it does not matter who wrote
//! the part that stands already: keys, an accepted word, an editor that pairs brackets and indents.

mod anchor;
mod draft;
mod fit;
mod mood;
mod offer;
pub mod policy;
mod shelf;
#[cfg(test)]
mod tests;
mod typist;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::{File, Session, Tracked};
use crate::document::{Document, DocumentId};
use crate::job::Reason;
use crate::snapshot::Snapshot;
use draft::Draft;
pub use mood::Counts;
pub(super) use mood::Mood;
pub use offer::{Maker, Offer, Spot};
use policy::Habits;
pub use shelf::Progress;
pub(super) use shelf::Shelf;
pub use typist::{LastChange, Rhythm};
pub(super) use typist::{Pace, Trail};

/// How much of the last figure goes into a gear's latency.
const SHARE: f64 = 0.3;

/// What is known of the user, over all files.
#[derive(Debug, Default)]
pub(super) struct User {
    pub(super) pace: Pace,
    pub(super) mood: Mood,
    /// No suggestion until then.
    snoozed: Option<Instant>,
    /// How long the gear takes to something worth showing.
    latency: Option<Duration>,
}

impl Session {
    /// What there is to show in a file at a place without asking anybody: at most so many, the one on screen first.
    /// `number` gives a number to a part that was not shown before.
    pub fn offers(
        &mut self,
        id: &DocumentId,
        spot: &Spot,
        most: usize,
        mut number: impl FnMut() -> u64,
    ) -> Vec<Offer> {
        let Some(tracked) = self.tracked_mut(id) else { return Vec::new() };
        let (document, shelf) = tracked.ghosts();
        shelf.offers(&document, spot, most, &mut number)
    }

    /// Whether there is something to show in a file at a place without asking anybody.
    pub fn has_offer(&mut self, id: &DocumentId, spot: &Spot) -> bool {
        self.tracked_mut(id).is_some_and(|tracked| {
            let (document, shelf) = tracked.ghosts();
            shelf.has_offer(&document, spot)
        })
    }

    /// The first line of an offer as one of its own, if it has several lines: for editors that take all or nothing.
    pub fn first_line(
        &mut self,
        id: &DocumentId,
        offer: &Offer,
        mut number: impl FnMut() -> u64,
    ) -> Option<Offer> {
        self.tracked_mut(id)?.ghosts().1.first_line(offer, &mut number)
    }

    /// Notes that something speaks against what a call came to.
    pub fn doubt(&mut self, id: &DocumentId, call: u64) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.doubt(call);
        }
    }

    /// Counts what was sent to the editor as shown, unless the editor says itself what it draws.
    pub fn sent(&mut self, offers: &[Offer]) {
        for offer in offers {
            if let Some(maker) = self.maker(offer.id) {
                self.user.mood.sent(offer.id, &maker);
            }
        }
    }

    /// Notes that there is a suggestion in a file that only a sign is to be shown of (`indicator_only`).
    pub fn indicate(&mut self, id: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.indicates = true;
        }
    }

    /// Whether there is a suggestion in some file that can be had by hand, since that file's last change.
    pub fn indicates(&self) -> bool {
        self.files.values().any(|file| matches!(file, File::Tracked(tracked) if tracked.indicates()))
    }

    /// Why it is known that there is nothing to show in a file at the cursor, if it is: nothing has changed since
    /// somebody was asked, or it was rejected.
    pub fn known_nothing(&mut self, id: &DocumentId, spot: &Spot) -> Option<Reason> {
        let (document, shelf) = self.tracked_mut(id)?.ghosts();
        if shelf.is_rejected(&document, spot) {
            return Some(Reason::Quiet(crate::job::Quiet::Rejected));
        }
        shelf.nothing(spot.cursor).cloned()
    }

    /// The call that is writing what the cursor waits for, as far as can be told.
    pub fn promising(&mut self, id: &DocumentId, spot: &Spot) -> Option<u64> {
        let (document, shelf) = self.tracked_mut(id)?.ghosts();
        shelf.promising(&document, spot)
    }

    /// How many suggestions that were asked for by hand there are for a place, made or in the making.
    pub fn asked_by_hand(&mut self, id: &DocumentId, spot: &Spot) -> usize {
        self.tracked_mut(id).map_or(0, |tracked| {
            let (document, shelf) = tracked.ghosts();
            shelf.by_hand(&document, spot)
        })
    }

    /// Registers a call that is about to be made for `document` at a place, with the handle that ends it. False, and
    /// nothing is registered, if the file has moved on.
    pub fn begin_call(&mut self, document: &Document, spot: &Spot, call: Call) -> bool {
        let Some(tracked) = self.tracked_mut(document.id()) else { return false };
        if tracked.document().revision() != document.revision() {
            return false;
        }
        let mut draft = Draft::new(call.number, document, spot, call.handle);
        draft.by_hand = call.by_hand;
        tracked.ghosts().1.begin(draft);
        true
    }

    /// The model has written on: `text` so far, of which `ready` can be shown. `Break`: nobody wants more of it.
    pub fn grow(
        &mut self,
        id: &DocumentId,
        call: u64,
        text: &str,
        ready: &str,
        now: Instant,
    ) -> ControlFlow<()> {
        let Some(tracked) = self.tracked_mut(id) else { return ControlFlow::Break(()) };
        let (document, shelf) = tracked.ghosts();
        shelf.grow(&document, call, text, ready, now)
    }

    /// A call is over: the whole text and how many bytes of it to show first, or why there is none.
    pub fn end_call(&mut self, id: &DocumentId, call: u64, made: Result<(&str, usize), Reason>) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.finish(call, made);
        }
    }

    /// Says who answers a call.
    pub fn made_by(&mut self, id: &DocumentId, call: u64, maker: Maker) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.set_maker(call, maker);
        }
    }

    /// How a call stands.
    pub fn progress(&mut self, id: &DocumentId, call: u64) -> Progress {
        self.tracked_mut(id).map_or(Progress::Over, |tracked| tracked.ghosts().1.progress(call))
    }

    /// One more request waits for a call.
    pub fn join(&mut self, id: &DocumentId, call: u64) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.join(call);
        }
    }

    /// One request less waits for a call.
    pub fn leave(&mut self, id: &DocumentId, call: u64, now: Instant) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.leave(call, now);
        }
    }

    /// Begins the making of what follows the suggestion that is on screen in a file, with the handle that ends it: the
    /// suggestion's call, and the file and the cursor as they will be once all of it is accepted. `None` if it is not
    /// whole yet, or was asked about before.
    pub fn follow(&mut self, id: &DocumentId, handle: AbortHandle) -> Option<(u64, Snapshot, usize)> {
        let snapshot = self.snapshot(id).ok()?;
        let (document, shelf) = self.tracked_mut(id)?.ghosts();
        let call = shelf.on_screen()?;
        let (span, text) = shelf.follow(call, handle)?;
        let cursor = span.start + text.len();
        let document = Arc::new(document.with(span, text));
        Some((call, Snapshot { document, ..snapshot }, cursor))
    }

    /// Puts `more` behind a call's suggestion: what follows once it is accepted; nothing, if there is nothing.
    pub fn extend(&mut self, id: &DocumentId, call: u64, more: &str) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.ghosts().1.extend(call, more);
        }
    }

    /// The suggestion `id`, ghost text or a next edit, was accepted as a whole. True if it is known.
    pub fn accept(&mut self, id: u64, now: Instant) -> bool {
        let maker = self.maker(id);
        let owner = self.followed().find_map(|(document, tracked)| {
            let known = tracked.ghosts().1.accept(id) || tracked.next_edits.accept(id);
            known.then(|| document.clone())
        });
        if let Some(document) = &owner {
            if let Some(maker) = &maker {
                self.user.mood.accepted(id, maker, now);
            }
            self.history.accepted(document);
        }
        owner.is_some()
    }

    /// A part of the suggestion `id` was accepted, so many UTF-16 units of it; the rest stays. Taken back, that part is not
    /// offered again. True if it is known.
    pub fn accept_part(&mut self, id: u64, units: usize, now: Instant) -> bool {
        let maker = self.maker(id);
        if let Some(maker) = &maker {
            self.user.mood.accepted(id, maker, now);
        }
        for (_, tracked) in self.followed() {
            tracked.ghosts().1.accept_some(id, units);
        }
        maker.is_some()
    }

    /// The suggestion `id`, ghost text or a next edit, was dismissed: it is not shown again in its place. True if it is
    /// known.
    pub fn reject(&mut self, id: u64, now: Instant) -> bool {
        if let Some(maker) = self.maker(id) {
            self.user.mood.rejected(&maker, now);
        }
        self.followed().any(|(_, tracked)| tracked.ghosts().1.reject(id) || tracked.next_edits.reject(id))
    }

    /// The suggestion `id` was drawn. True if it is known.
    pub fn drawn(&mut self, id: u64) -> bool {
        let Some(maker) = self.maker(id) else { return false };
        self.user.mood.drawn(id, &maker);
        true
    }

    /// What became of suggestions in this session, by who made them.
    pub fn counts(&self) -> &BTreeMap<Maker, Counts> {
        self.user.mood.counts()
    }

    /// Suggests nothing unasked until then; `None` ends that.
    pub fn snooze(&mut self, until: Option<Instant>) {
        self.user.snoozed = until;
    }

    /// Until when nothing is suggested unasked, if that is still to come.
    pub fn snoozed(&self, now: Instant) -> Option<Instant> {
        self.user.snoozed.filter(|until| *until > now)
    }

    /// Takes in how long something worth showing took.
    pub fn took(&mut self, latency: Duration) {
        self.user.latency = Some(match self.user.latency {
            Some(mean) => mean.mul_f64(1.0 - SHARE) + latency.mul_f64(SHARE),
            None => latency,
        });
    }

    /// What bears on whether to ask for a file.
    pub fn habits(&self, id: &DocumentId, now: Instant) -> Habits {
        let (last, at) = self.tracked(id).map_or_else(|_| Default::default(), Tracked::last_change);
        let (pace, mood) = (&self.user.pace, &self.user.mood);
        Habits {
            last,
            undone: self.ends_in_undo(id),
            since_change: at.map(|at| now.saturating_duration_since(at)),
            rhythm: pace.rhythm(),
            latency: self.user.latency,
            patience: mood.patience(now),
            since_rejection: mood.since_rejection(now),
            snoozed: self.snoozed(now).is_some(),
        }
    }

    /// Who made the suggestion `id`, as long as it is known.
    pub fn maker(&mut self, id: u64) -> Option<Maker> {
        self.followed().find_map(|(_, tracked)| {
            let ghost = tracked.ghosts().1.maker(id).cloned();
            ghost.or_else(|| tracked.next_edits.maker(id).cloned())
        })
    }

    fn followed(&mut self) -> impl Iterator<Item = (&DocumentId, &mut Tracked)> {
        self.files.iter_mut().filter_map(|(id, file)| match file {
            File::Tracked(tracked) => Some((id, &mut **tracked)),
            File::Lost(_) | File::Declined(_) => None,
        })
    }
}

/// A call to a model for ghost text.
#[derive(Debug)]
pub struct Call {
    /// A number that no other call has.
    pub number: u64,
    /// Ends it.
    pub handle: AbortHandle,
    /// Whether the user asked by hand.
    pub by_hand: bool,
}
