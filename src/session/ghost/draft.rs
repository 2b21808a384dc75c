//! One suggestion: asked for at a place, growing while the model writes, offered piece by piece.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::anchor::{Anchor, Move};
use super::fit::{self, Fit};
use super::offer::{Glimpse, Maker, Offer, Part, Spot};
use crate::document::{Document, Splice};
use crate::job::Reason;

/// What may be written in the place of a suggestion beyond its own length (bytes) before it is forgotten.
const ASTRAY: usize = 1024;
/// A call that nobody waits for, and of which nothing was shown, goes on for so long: the next key's request may want
/// what it writes. Neovim asks 200 ms after a key.
const ALONE: Duration = Duration::from_millis(300);

/// How far the making of a suggestion is.
#[derive(Debug)]
pub(super) enum State {
    /// The model is writing. `waiting` requests wait for it; since `alone` none does.
    Growing { call: AbortHandle, waiting: usize, alone: Option<Instant> },
    /// All of it is there.
    Whole,
    /// There is nothing to suggest in this place.
    Nothing(Reason),
    /// It could not be made; another time it may.
    Failed(Reason),
}

/// One suggestion.
#[derive(Debug)]
pub(super) struct Draft {
    /// The number of the call that makes it.
    pub(super) call: u64,
    /// The parts of it that were offered, the latest last.
    parts: Vec<Part>,
    /// Whether something speaks against it: others are shown before it.
    pub(super) is_doubtful: bool,
    /// Whether it was asked for by hand.
    pub(super) by_hand: bool,
    pub(super) state: State,
    pub(super) maker: Arc<Maker>,
    anchor: Anchor,
    /// What the menu's entry puts in front of what the model writes.
    lead: String,
    text: String,
    /// Up to here it can be shown: the end of the last whole unit.
    ready: usize,
    /// Up to here it is shown first, once it is whole.
    first: usize,
    /// Up to here it was offered. Not more is offered before that is typed, so that nothing flickers.
    offered: usize,
    /// Up to here it was accepted. Undone, it is not offered again.
    taken: usize,
    /// What follows it is, or was, asked for before it is accepted.
    follow: Follow,
}

/// The making of what follows a suggestion.
#[derive(Debug, Default)]
enum Follow {
    #[default]
    Unasked,
    Growing(AbortHandle),
    Over,
}

impl Draft {
    /// A suggestion that is about to be made.
    pub(super) fn new(call: u64, document: &Document, spot: &Spot, handle: AbortHandle) -> Self {
        let at = spot.start();
        let lead = spot.selected.as_ref().map_or(String::new(), |(_, text)| text.clone());
        Self {
            call,
            parts: Vec::new(),
            is_doubtful: false,
            by_hand: false,
            state: State::Growing { call: handle, waiting: 0, alone: None },
            maker: Arc::default(),
            anchor: Anchor::new(at, spot.cursor, document.line_start(at)),
            text: lead.clone(),
            lead,
            ready: 0,
            first: 0,
            offered: 0,
            taken: 0,
            follow: Follow::default(),
        }
    }

    /// Carries the suggestion over a change; false if it is lost to it.
    ///
    /// It stays while the change is made in its own place (that may be undone), or in lines above. Any other change
    /// may have changed what it was made for.
    pub(super) fn advance(&mut self, splice: &Splice) -> bool {
        match (self.anchor.advance(splice), &self.state) {
            (Move::Inside, _) => self.anchor.end - self.anchor.at <= self.text.len() + ASTRAY,
            // That there is nothing to say may be over with any change.
            (Move::Above, State::Nothing(_)) => false,
            (Move::Above, _) => true,
            (Move::Beside | Move::Through, _) => false,
        }
    }

    /// Whether something else was written in its place than it says.
    pub(super) fn is_off(&self, document: &Document) -> bool {
        // A menu's entry takes the place of what was typed, whatever that was.
        if !self.lead.is_empty() && self.offered == 0 {
            return false;
        }
        let written = document.slice(self.anchor.at..self.anchor.end);
        let is_closer = |it: char| it.is_whitespace() || ")]}>\"'`".contains(it);
        // Closers at the end may be the editor's.
        [written.as_str(), written.trim_end_matches(is_closer)]
            .into_iter()
            .all(|typed| fit::fit(typed, &self.text) == Fit::Differs)
    }

    /// Stops its making where it stands. False if nothing of it can be shown.
    pub(super) fn stop(&mut self) -> bool {
        if matches!(self.state, State::Growing { .. }) {
            self.settle(State::Whole);
            self.text.truncate(self.ready);
        }
        if let Follow::Growing(call) = std::mem::replace(&mut self.follow, Follow::Over) {
            call.abort();
        }
        self.ready > 0
    }

    /// Ends its making.
    fn settle(&mut self, state: State) {
        if let State::Growing { call, .. } = std::mem::replace(&mut self.state, state) {
            call.abort();
        }
    }

    /// Whether what is still being written may be what the cursor waits for. `None`: too little is there to say so.
    pub(super) fn promises(&self, document: &Document, spot: &Spot) -> Option<bool> {
        let follows = matches!(self.follow, Follow::Growing(_)) && spot.selected.is_none();
        if !(matches!(self.state, State::Growing { .. }) || follows) || !self.holds(spot.cursor) {
            return Some(false);
        }
        if let Some((start, selected)) = &spot.selected {
            return Some(self.from(document, *start).is_some_and(|text| text.starts_with(selected.as_str())));
        }
        let typed = document.slice(self.anchor.at..spot.cursor);
        match fit::fit(&typed, &self.text) {
            Fit::Differs => Some(false),
            Fit::Exhausted if typed.is_empty() || follows && typed == self.text => Some(true),
            Fit::Exhausted => None,
            Fit::Rest(_) => Some(true),
        }
    }

    fn holds(&self, cursor: usize) -> bool {
        self.anchor.at <= cursor && cursor <= self.anchor.end
    }

    /// Whether it was said of exactly this place that there is nothing.
    pub(super) fn nothing(&self, cursor: usize) -> Option<&Reason> {
        match &self.state {
            State::Nothing(reason) if self.anchor.at == cursor && self.anchor.end == cursor => Some(reason),
            _ => None,
        }
    }

    /// What there is to show of it at a place.
    pub(super) fn glimpse(&self, document: &Document, spot: &Spot) -> Option<Glimpse> {
        if !self.holds(spot.cursor) || matches!(self.state, State::Nothing(_) | State::Failed(_)) {
            return None;
        }
        let extra = document.slice(spot.cursor..self.anchor.end);
        let glimpse = if let Some((start, selected)) = &spot.selected {
            let text = self.from(document, *start)?;
            let used = (self.text.len() + selected.len()).saturating_sub(text.len());
            if !text.starts_with(selected.as_str()) || !extra.is_empty() {
                return None;
            }
            let end = self.reach(used)?;
            let text = text[..text.len() - (self.text.len() - end)].to_owned();
            Glimpse { used, end, span: *start..spot.cursor, text }
        } else {
            let typed = document.slice(self.anchor.at..spot.cursor);
            let Fit::Rest(rest) = fit::fit(&typed, &self.text) else { return None };
            if rest.used < self.taken {
                return None;
            }
            let end = self.reach(rest.used)?;
            let left = fit::reindent(&self.text[rest.used..end], rest.indent.as_ref());
            let insertion = fit::before_closers(&typed, left, &extra)?;
            let span = spot.cursor..spot.cursor + insertion.replace;
            Glimpse { used: rest.used, end, span, text: insertion.text }
        };
        (!glimpse.text.trim().is_empty()).then_some(glimpse)
    }

    /// How far it is to be shown where `used` bytes of it stand. The next part begins where the last was typed.
    fn reach(&self, used: usize) -> Option<usize> {
        match () {
            () if used < self.offered => Some(self.offered),
            () if used >= self.ready => None,
            () if used < self.first => Some(self.first.min(self.ready)),
            () => Some(self.ready),
        }
    }

    /// Shows it. `number` gives the number of a part that was not offered before.
    pub(super) fn offer(&mut self, glimpse: Glimpse, number: &mut dyn FnMut() -> u64) -> Offer {
        let Glimpse { used, end, span, text } = glimpse;
        let id = match self.parts.iter_mut().rev().find(|part| part.end == end) {
            Some(part) => {
                part.start = used;
                part.id
            }
            None => self.begin_part(used, end, number),
        };
        self.offered = self.offered.max(end);
        Offer { id, span, text }
    }

    /// The first line of what was just offered, as an item of its own, for editors that can only take items as a whole.
    /// `None` if there is only one line, or nothing is said on the first.
    pub(super) fn first_line(&mut self, offer: &Offer, number: &mut dyn FnMut() -> u64) -> Option<Offer> {
        let whole = self.parts.iter().find(|part| part.id == offer.id).copied()?;
        let line = offer.text.split_inclusive('\n').next()?.trim_end();
        let is_its_own =
            self.text[whole.start..whole.end].starts_with(line) && line.len() < offer.text.trim_end().len();
        if !is_its_own || !offer.span.is_empty() || !line.contains(char::is_alphanumeric) {
            return None;
        }
        let end = whole.start + line.len();
        let id = match self.parts.iter().find(|part| part.start == whole.start && part.end == end) {
            Some(part) => part.id,
            None => self.begin_part(whole.start, end, number),
        };
        Some(Offer { id, span: offer.span.clone(), text: line.to_owned() })
    }

    fn begin_part(&mut self, start: usize, end: usize, number: &mut dyn FnMut() -> u64) -> u64 {
        let id = number();
        self.parts.push(Part { id, start, end });
        id
    }

    /// The suggestion with the text between `start` and its place in front, or without what it has before `start`.
    fn from(&self, document: &Document, start: usize) -> Option<String> {
        if start > self.anchor.at {
            let before = document.slice(self.anchor.at..start.min(self.anchor.end));
            return self.text.strip_prefix(before.as_str()).map(str::to_owned);
        }
        Some(document.slice(start..self.anchor.at) + &self.text)
    }

    /// The model has written on: `text` so far, of which `ready` can be shown. False if it need not go on.
    pub(super) fn grow(&mut self, document: &Document, text: &str, ready: &str, now: Instant) -> bool {
        self.replace(text, ready);
        let State::Growing { waiting, alone, .. } = &self.state else { return false };
        if *waiting == 0 && self.offered == 0 && alone.is_some_and(|since| now - since > ALONE) {
            return false;
        }
        // What was typed since may be seen not to agree only now.
        !self.is_off(document)
    }

    /// It is all there; `first` bytes of it are to be shown first.
    pub(super) fn finish(&mut self, text: &str, first: usize) {
        self.replace(text, text);
        self.first = self.lead.len() + first;
        self.settle(State::Whole);
    }

    /// It will not be there.
    pub(super) fn fail(&mut self, state: State) {
        // What is on screen stays there.
        self.settle(if self.offered > 0 { State::Whole } else { state });
        self.text.truncate(self.ready.max(self.offered));
    }

    /// Takes in that what follows it is about to be asked for, unless it was: the bytes whose place it takes, and all of
    /// it.
    pub(super) fn follow(&mut self, handle: AbortHandle) -> Option<(std::ops::Range<usize>, &str)> {
        // One step ahead: not before its last part is on screen.
        let is_last = self.offered == self.text.len();
        if !is_last || !matches!((&self.state, &self.follow), (State::Whole, Follow::Unasked)) {
            return None;
        }
        self.follow = Follow::Growing(handle);
        Some((self.anchor.at..self.anchor.end, &self.text))
    }

    /// Puts what follows it behind it, if there is anything.
    pub(super) fn extend(&mut self, more: &str) {
        self.follow = if more.is_empty() { Follow::Over } else { Follow::Unasked };
        if self.ready == self.text.len() {
            self.text.push_str(more);
            self.ready = self.text.len();
        }
    }

    /// Whether the model is writing it, or what follows it.
    pub(super) fn is_growing(&self) -> bool {
        matches!(self.state, State::Growing { .. }) || matches!(self.follow, Follow::Growing(_))
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    fn replace(&mut self, text: &str, ready: &str) {
        let (text, ready) = ([&self.lead, text].concat(), [&self.lead, ready].concat());
        // What is on screen stays as it is.
        if !ready.starts_with(&self.text[..self.offered]) && self.offered > 0 {
            self.text.truncate(self.offered);
            self.ready = self.offered;
            return;
        }
        self.ready = if ready.len() > self.lead.len() { ready.len() } else { self.ready };
        self.text = if text.starts_with(&ready) { text } else { ready };
    }

    /// Whether a part of it was offered under a number.
    pub(super) fn has(&self, id: u64) -> bool {
        self.parts.iter().any(|part| part.id == id)
    }

    /// Whether any part of it was offered.
    pub(super) fn was_offered(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The part that was offered under a number was accepted as a whole.
    pub(super) fn take(&mut self, id: u64) {
        if let Some(part) = self.parts.iter().find(|part| part.id == id) {
            self.taken = self.taken.max(part.end);
        }
    }

    /// The beginning of the part that was offered under a number was accepted: so many UTF-16 units of the text that the
    /// editor was given.
    pub(super) fn take_some(&mut self, id: u64, units: usize) {
        let Some(part) = self.parts.iter().find(|part| part.id == id) else { return };
        let given = &self.text[part.start..part.end];
        let mut left = units;
        // Never half a character, and never more than there was.
        let whole = given.chars().take_while(|letter| {
            let fits = letter.len_utf16() <= left;
            left = left.saturating_sub(letter.len_utf16());
            fits
        });
        let bytes: usize = whole.map(char::len_utf8).sum();
        self.taken = self.taken.max(part.start + bytes);
    }

    /// Whether there is something of it to show at a place.
    pub(super) fn is_for(&self, document: &Document, spot: &Spot) -> bool {
        self.ready > 0
            && self.holds(spot.cursor)
            && matches!(
                fit::fit(&document.slice(self.anchor.at..spot.cursor), &self.text[..self.ready]),
                Fit::Rest(_)
            )
    }

    /// The place, for what has to be remembered of it after it is gone.
    pub(super) fn anchor(&self) -> Anchor {
        self.anchor
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let State::Growing { call, .. } = &self.state {
            call.abort();
        }
        if let Follow::Growing(call) = &self.follow {
            call.abort();
        }
    }
}
