//! The suggestions for one file: on screen, kept for a backspace, being made, and never to be shown again.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Instant;

use futures_util::future::AbortHandle;

use super::anchor::{Anchor, Move};
use super::draft::{Draft, State};
use super::fit::{self, Fit};
use super::offer::{Glimpse, Maker, Offer, Spot};
use crate::document::{Document, Splice};
use crate::job::Reason;

/// How many suggestions are kept.
const KEPT: usize = 8;
/// How many rejected ones are remembered.
const REJECTED: usize = 20;
/// Automatic calls that may be made at the same time: the one that may still fit, and the newest.
const CALLS: usize = 2;

/// The suggestions for one file, the newest first.
#[derive(Debug, Default)]
pub(in crate::session) struct Shelf {
    drafts: VecDeque<Draft>,
    rejected: VecDeque<Rejected>,
    /// The call whose suggestion was offered last: as long as it fits, nothing takes its place.
    on_screen: Option<u64>,
    /// Whether there is a suggestion that only a sign is shown of.
    pub(in crate::session) indicates: bool,
}

/// A suggestion that the user did not want.
#[derive(Debug)]
struct Rejected {
    anchor: Anchor,
    text: String,
}

/// How the making of a suggestion stands, for those who wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The model is writing.
    Growing,
    /// It came to nothing.
    Nothing(Reason),
    /// It is there, or is no longer wanted.
    Over,
}

impl Shelf {
    /// Carries everything over the changes that made `document`.
    pub(in crate::session) fn advance(&mut self, splices: &[Splice], document: &Document) {
        self.indicates = false;
        self.drafts.retain_mut(|draft| splices.iter().all(|splice| draft.advance(splice)));
        self.drafts.retain_mut(|draft| !draft.is_off(document) || draft.stop());
        self.rejected
            .retain_mut(|it| splices.iter().all(|splice| it.anchor.advance(splice) != Move::Through));
    }

    /// What there is to show at a place, at most so many, the one on screen first.
    pub(in crate::session) fn offers(
        &mut self,
        document: &Document,
        spot: &Spot,
        most: usize,
        number: &mut dyn FnMut() -> u64,
    ) -> Vec<Offer> {
        let mut found: Vec<Found> = Vec::new();
        for (at, draft) in self.drafts.iter().enumerate() {
            let Some(glimpse) = self.glimpse(draft, document, spot) else { continue };
            let same = |other: &&mut Found| other.glimpse.text.trim_end() == glimpse.text.trim_end();
            match found.iter_mut().find(same) {
                Some(other) => other.times += 1,
                None => found.push(Found { at, glimpse, times: 1 }),
            }
        }
        // What is on screen stays there. Of the others that comes first which several calls came to, and last what
        // something speaks against; else the newest, which is the most likely one.
        found.sort_by_key(|it| {
            let draft = &self.drafts[it.at];
            let is_shown = Some(draft.call) == self.on_screen && draft.was_offered();
            (!is_shown, draft.is_doubtful, std::cmp::Reverse(it.times))
        });
        found.truncate(most);
        if let Some(first) = found.first() {
            self.on_screen = Some(self.drafts[first.at].call);
        }
        found.into_iter().map(|it| self.drafts[it.at].offer(it.glimpse, number)).collect()
    }

    /// Whether there is something to show at a place.
    pub(in crate::session) fn has_offer(&self, document: &Document, spot: &Spot) -> bool {
        self.drafts.iter().any(|draft| self.glimpse(draft, document, spot).is_some())
    }

    /// What a draft has to show at a place, unless it was rejected.
    fn glimpse(&self, draft: &Draft, document: &Document, spot: &Spot) -> Option<Glimpse> {
        let glimpse = draft.glimpse(document, spot)?;
        (!self.rejected.iter().any(|it| it.covers(document, spot, &glimpse))).then_some(glimpse)
    }

    /// The first line of an offer by itself, if it has several.
    pub(in crate::session) fn first_line(
        &mut self,
        offer: &Offer,
        number: &mut dyn FnMut() -> u64,
    ) -> Option<Offer> {
        let draft = self.drafts.iter_mut().find(|draft| draft.has(offer.id))?;
        draft.first_line(offer, number)
    }

    /// Whether a suggestion that was rejected is all that there is for a place.
    pub(in crate::session) fn is_rejected(&self, document: &Document, spot: &Spot) -> bool {
        let covers = |glimpse: &Glimpse| self.rejected.iter().any(|it| it.covers(document, spot, glimpse));
        !self.rejected.is_empty()
            && self.drafts.iter().filter_map(|draft| draft.glimpse(document, spot)).any(|it| covers(&it))
    }

    /// Why it is known that there is nothing at the cursor, if it is.
    pub(in crate::session) fn nothing(&self, cursor: usize) -> Option<&Reason> {
        self.drafts.iter().find_map(|draft| draft.nothing(cursor))
    }

    /// The call that is writing what the cursor waits for, as far as can be told.
    pub(in crate::session) fn promising(&self, document: &Document, spot: &Spot) -> Option<u64> {
        self.drafts.iter().find(|draft| draft.promises(document, spot) == Some(true)).map(|draft| draft.call)
    }

    /// How many suggestions were asked for by hand at a place, made or in the making.
    pub(in crate::session) fn by_hand(&mut self, document: &Document, spot: &Spot) -> usize {
        let fits =
            |draft: &Draft| draft.promises(document, spot) == Some(true) || draft.is_for(document, spot);
        self.drafts.iter().filter(|draft| draft.by_hand && fits(draft)).count()
    }

    /// Takes in a suggestion that is about to be made. With too many in the making the middle ones stop: the first may
    /// still fit, and the last is what is wanted.
    pub(super) fn begin(&mut self, draft: Draft) {
        self.drafts.retain(|it| !matches!(it.state, State::Failed(_)));
        let growing = |it: &Draft| matches!(it.state, State::Growing { .. }) && !it.by_hand;
        if !draft.by_hand
            && self.drafts.iter().filter(|it| growing(it)).count() >= CALLS
            && let Some(newest) = self.drafts.iter().position(growing)
            && !self.drafts[newest].stop()
        {
            self.drafts.remove(newest);
        }
        self.drafts.push_front(draft);
        self.drafts.truncate(KEPT);
    }

    /// The model has written on: `text` so far, of which `ready` can be shown.
    pub(in crate::session) fn grow(
        &mut self,
        document: &Document,
        call: u64,
        text: &str,
        ready: &str,
        now: Instant,
    ) -> ControlFlow<()> {
        let Some(at) = self.position(call) else { return ControlFlow::Break(()) };
        if self.drafts[at].grow(document, text, ready, now) {
            return ControlFlow::Continue(());
        }
        if !self.drafts[at].stop() {
            self.drafts.remove(at);
        }
        ControlFlow::Break(())
    }

    /// The making is over: the whole text and how much of it to show first, or why
    /// there is none.
    pub(in crate::session) fn finish(&mut self, call: u64, made: Result<(&str, usize), Reason>) {
        let Some(at) = self.position(call) else { return };
        let draft = &mut self.drafts[at];
        if !matches!(draft.state, State::Growing { .. }) {
            return;
        }
        match made {
            Ok((text, first)) => draft.finish(text, first),
            Err(reason) if is_lasting(&reason) => draft.fail(State::Nothing(reason)),
            Err(reason) => draft.fail(State::Failed(reason)),
        }
    }

    /// The call whose suggestion is on screen.
    pub(in crate::session) fn on_screen(&self) -> Option<u64> {
        self.on_screen
    }

    /// Takes in that what follows a call's suggestion is about to be asked for: the bytes whose place the suggestion
    /// takes, and all of it. `None` if it is not whole, or was asked about before.
    pub(in crate::session) fn follow(
        &mut self,
        call: u64,
        handle: AbortHandle,
    ) -> Option<(std::ops::Range<usize>, &str)> {
        let at = self.position(call)?;
        self.drafts[at].follow(handle)
    }

    /// Puts what follows a call's suggestion behind it; nothing, if there is nothing.
    pub(in crate::session) fn extend(&mut self, call: u64, more: &str) {
        if let Some(at) = self.position(call) {
            self.drafts[at].extend(more);
        }
    }

    /// How a call's suggestion stands.
    pub(in crate::session) fn progress(&self, call: u64) -> Progress {
        let Some(at) = self.position(call) else { return Progress::Over };
        match &self.drafts[at].state {
            _ if self.drafts[at].is_growing() => Progress::Growing,
            State::Nothing(reason) | State::Failed(reason) => Progress::Nothing(reason.clone()),
            State::Growing { .. } | State::Whole => Progress::Over,
        }
    }

    /// One more request waits for a call.
    pub(in crate::session) fn join(&mut self, call: u64) {
        if let Some(at) = self.position(call)
            && let State::Growing { waiting, alone, .. } = &mut self.drafts[at].state
        {
            *waiting += 1;
            *alone = None;
        }
    }

    /// One request less waits for a call.
    pub(in crate::session) fn leave(&mut self, call: u64, now: Instant) {
        if let Some(at) = self.position(call)
            && let State::Growing { waiting, alone, .. } = &mut self.drafts[at].state
        {
            *waiting = waiting.saturating_sub(1);
            *alone = (*waiting == 0).then_some(now);
        }
    }

    /// Who made the suggestion that was offered under a number.
    pub(in crate::session) fn maker(&self, id: u64) -> Option<&Maker> {
        self.drafts.iter().find(|draft| draft.has(id)).map(|draft| &*draft.maker)
    }

    pub(in crate::session) fn set_maker(&mut self, call: u64, maker: Maker) {
        if let Some(at) = self.position(call) {
            self.drafts[at].maker = maker.into();
        }
    }

    /// Notes that something speaks against what a call came to.
    pub(in crate::session) fn doubt(&mut self, call: u64) {
        if let Some(at) = self.position(call) {
            self.drafts[at].is_doubtful = true;
        }
    }

    /// So many UTF-16 units of the suggestion that was offered under a number were accepted.
    pub(in crate::session) fn accept_some(&mut self, id: u64, units: usize) {
        if let Some(draft) = self.drafts.iter_mut().find(|draft| draft.has(id)) {
            draft.take_some(id, units);
        }
    }

    /// The suggestion that was offered under a number was accepted as a whole. False if it is not known.
    pub(in crate::session) fn accept(&mut self, id: u64) -> bool {
        let draft = self.drafts.iter_mut().find(|draft| draft.has(id));
        draft.map(|draft| draft.take(id)).is_some()
    }

    /// The suggestion that was offered under a number is not wanted. False if it is not known.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        let Some(at) = self.drafts.iter().position(|draft| draft.has(id)) else { return false };
        let Some(draft) = self.drafts.remove(at) else { return false };
        self.rejected.push_front(Rejected { anchor: draft.anchor(), text: draft.text().to_owned() });
        self.rejected.truncate(REJECTED);
        true
    }

    fn position(&self, call: u64) -> Option<usize> {
        self.drafts.iter().position(|draft| draft.call == call)
    }
}

/// Something to show, and how many calls came to it.
struct Found {
    /// The first draft that has it.
    at: usize,
    glimpse: Glimpse,
    times: usize,
}

impl Rejected {
    /// Whether something to show is this one again, or what is left of it.
    fn covers(&self, document: &Document, spot: &Spot, glimpse: &Glimpse) -> bool {
        let Anchor { at, end, .. } = self.anchor;
        if spot.start() < at || spot.cursor > end {
            return false;
        }
        let typed = document.slice(at..glimpse.start());
        let Fit::Rest(rest) = fit::fit(&typed, &self.text) else { return false };
        let (left, offered) = (self.text[rest.used..].trim_end(), glimpse.text.trim_end());
        left.starts_with(offered) || offered.starts_with(left)
    }
}

/// Whether the same question would get the same answer.
fn is_lasting(reason: &Reason) -> bool {
    matches!(reason, Reason::NothingToAdd | Reason::Unchanged | Reason::Refused { .. })
}
