//! One suggestion: requested at a point, growing while the model writes, and shown part by part.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;

use super::anchor::{Anchor, Move};
use super::ghost_text::{CompletionPoint, GhostText, Preview, Source};
use super::interpolate::{self, Match};
use super::items::{AcceptedItem, Items};
use super::shown_ranges::ShownRanges;
use super::waiter_count::{GRACE, WaiterCount};
use crate::document::{Document, Splice};
use crate::job::Reason;
use crate::session::running::RunningWork;

/// How many bytes may be typed past the suggestion before it is dropped.
pub(super) const MAX_TYPED_PAST: usize = 1024;

/// The progress of a suggestion.
#[derive(Debug)]
pub(super) enum Stage {
    /// The model is writing.
    Growing {
        _call: RunningWork,
        interest: Arc<WaiterCount>,
    },
    Complete,
    /// There is nothing to suggest at this point.
    Nothing(Reason),
    /// The call failed; another one may succeed.
    Failed(Reason),
}

#[derive(Debug)]
pub(super) struct Suggestion {
    /// The number of the call that produces it.
    pub(super) call: u64,
    /// The parts that were shown and accepted.
    pub(super) parts: ShownRanges,
    /// Whether a check failed on it, so that others are shown first.
    pub(super) is_doubtful: bool,
    /// Whether the user requested it explicitly.
    pub(super) is_explicit: bool,
    /// Whether the local engine made it, to be shown while a model is called.
    pub(super) is_prediction: bool,
    /// Whether a key was typed into it.
    is_typed_into: bool,
    pub(super) stage: Stage,
    pub(super) source: Arc<Source>,
    items: Items,
    /// Its position, which is kept with a rejection.
    pub(super) anchor: Anchor,
    /// The selected menu entry, which precedes the model's text.
    prefix: String,
    pub(super) text: String,
    /// The end of the text that can be shown: the end of the last complete unit.
    ready: usize,
    /// The end of the part that is shown first, once the suggestion is complete.
    first: usize,
    continuation: Continuation,
}

/// The continuation of a suggestion, requested before the suggestion is accepted.
#[derive(Debug, Default)]
enum Continuation {
    #[default]
    NotRequested,
    Growing {
        _call: RunningWork,
    },
    Over,
}

impl Suggestion {
    /// A suggestion whose call is about to begin.
    pub(super) fn new(
        call: u64,
        document: &Document,
        point: &CompletionPoint,
        handle: AbortHandle,
        interest: Arc<WaiterCount>,
    ) -> Self {
        let at = point.start();
        let prefix = point.selected.as_ref().map_or(String::new(), |(_, text)| text.clone());
        Self {
            call,
            parts: ShownRanges::default(),
            is_doubtful: false,
            is_explicit: false,
            is_prediction: false,
            is_typed_into: false,
            stage: Stage::Growing { _call: handle.into(), interest },
            source: Arc::default(),
            items: Items::default(),
            anchor: Anchor::new(at, point.cursor, document.line_start(at)),
            text: prefix.clone(),
            prefix,
            ready: 0,
            first: 0,
            continuation: Continuation::default(),
        }
    }

    /// A complete prediction at a cursor. `number` takes the place of a call number.
    pub(super) fn predicted(
        number: u64,
        document: &Document,
        cursor: usize,
        text: &str,
        now: Instant,
    ) -> Self {
        let (handle, _) = AbortHandle::new_pair();
        let interest = Arc::new(WaiterCount::new(now, GRACE));
        let mut prediction = Self::new(number, document, &CompletionPoint::at(cursor), handle, interest);
        prediction.is_prediction = true;
        prediction.finish(text, text.len());
        prediction
    }

    /// Carries the suggestion over a change. Returns false if the change invalidates it.
    ///
    /// It survives changes at its own position, which may be undone, and changes in lines above. Any other
    /// change may invalidate it.
    pub(super) fn advance(&mut self, splice: &Splice) -> bool {
        let moved = self.anchor.advance(splice);
        self.is_typed_into |= matches!(moved, Move::Inside) && splice.text.chars().count() == 1;
        match (moved, &self.stage) {
            (Move::Inside, _) => self.anchor.end - self.anchor.at <= self.text.len() + MAX_TYPED_PAST,
            // After a change there may be something to suggest.
            (Move::Above, Stage::Nothing(_)) => false,
            (Move::Above, _) => true,
            (Move::Beside | Move::Through, _) => false,
        }
    }

    /// Whether the text at its position differs from it.
    pub(super) fn differs(&self, document: &Document) -> bool {
        // A menu entry replaces the typed text, whatever that is.
        if !self.prefix.is_empty() && !self.parts.is_shown() {
            return false;
        }
        let written = document.slice(self.anchor.at..self.anchor.end);
        let left = self.left(document);
        let is_closer = |it: char| it.is_whitespace() || ")]}>\"'`".contains(it);
        // Closers at the end may be inserted by the editor.
        [written.as_str(), written.trim_end_matches(is_closer)]
            .into_iter()
            .all(|typed| interpolate::match_prefix(&left, typed, &self.text) == Match::Differs)
    }

    /// Whether the user typed on instead of accepting it, or a part of it.
    pub(super) fn is_passed_over(&self, document: &Document) -> bool {
        let written = document.slice(self.anchor.at..self.anchor.end);
        self.is_typed_into
            && !self.is_explicit
            && !self.is_written()
            && self.parts.accepted == 0
            && written.len() < self.text.len()
    }

    /// Stops its calls and keeps the text so far. Returns false if nothing of it can be shown.
    pub(super) fn stop(&mut self) -> bool {
        if self.is_written() {
            self.stage = Stage::Complete;
            self.text.truncate(self.ready);
        }
        self.continuation = Continuation::Over;
        self.ready > 0
    }

    /// Whether the text being written may become the ghost text at a point.
    ///
    /// Returns `None` if too little is written to decide.
    pub(super) fn may_become(&self, document: &Document, point: &CompletionPoint) -> Option<bool> {
        let continues = matches!(self.continuation, Continuation::Growing { .. }) && point.selected.is_none();
        if !(self.is_written() || continues) || !self.holds(point.cursor) {
            return Some(false);
        }
        if let Some((start, selected)) = &point.selected {
            return Some(
                self.text_from(document, *start).is_some_and(|it| it.starts_with(selected.as_str())),
            );
        }
        let typed = document.slice(self.anchor.at..point.cursor);
        match interpolate::match_prefix(&self.left(document), &typed, &self.text) {
            Match::Differs => Some(false),
            Match::Exhausted if typed.is_empty() || continues && typed == self.text => Some(true),
            Match::Exhausted | Match::Misplaced => None,
            Match::Remainder(_) => Some(true),
        }
    }

    /// The text left of it in its line.
    pub(super) fn left(&self, document: &Document) -> String {
        document.slice(self.anchor.line..self.anchor.at)
    }

    fn holds(&self, cursor: usize) -> bool {
        self.anchor.at <= cursor && cursor <= self.anchor.end
    }

    /// The reason why there is nothing to suggest at exactly this cursor, if it is known.
    pub(super) fn nothing(&self, cursor: usize) -> Option<&Reason> {
        match &self.stage {
            Stage::Nothing(reason) if self.anchor.at == cursor && self.anchor.end == cursor => Some(reason),
            _ => None,
        }
    }

    /// The part of it that can be shown at a point.
    pub(super) fn preview(&self, document: &Document, point: &CompletionPoint) -> Option<Preview> {
        if !self.holds(point.cursor) || matches!(self.stage, Stage::Nothing(_) | Stage::Failed(_)) {
            return None;
        }
        let extra = document.slice(point.cursor..self.anchor.end);
        let preview = match &point.selected {
            Some((start, selected)) => {
                let text = self.text_from(document, *start)?;
                let used = (self.text.len() + selected.len()).saturating_sub(text.len());
                if !text.starts_with(selected.as_str()) || !extra.is_empty() {
                    return None;
                }
                let end = self.shown_end(used)?;
                let text = text[..text.len() - (self.text.len() - end)].to_owned();
                Preview { used, end, span: *start..point.cursor, text }
            }
            None => {
                let typed = document.slice(self.anchor.at..point.cursor);
                let left = self.left(document);
                let Match::Remainder(rest) = interpolate::match_prefix(&left, &typed, &self.text) else {
                    return None;
                };
                if rest.used < self.parts.accepted {
                    return None;
                }
                let end = self.shown_end(rest.used)?;
                let remainder = rest.style.apply(&self.text[rest.used..end]);
                let insertion = interpolate::before_closers(&typed, remainder, &extra)?;
                let span = point.cursor..point.cursor + insertion.replace;
                Preview { used: rest.used, end, span, text: insertion.text }
            }
        };
        (!preview.text.trim().is_empty()).then_some(preview)
    }

    /// The end of the shown part if `used` bytes of the suggestion are typed.
    ///
    /// The next part begins once the previous one is typed.
    fn shown_end(&self, used: usize) -> Option<usize> {
        match () {
            () if used < self.parts.end => Some(self.parts.end),
            () if used >= self.ready => None,
            () if used < self.first => Some(self.first.min(self.ready)),
            () => Some(self.ready),
        }
    }

    /// Records that a preview is shown. `number` numbers a part that was not shown before.
    pub(super) fn show(
        &mut self,
        preview: Preview,
        now: Instant,
        number: &mut dyn FnMut() -> u64,
    ) -> GhostText {
        let Preview { used, end, span, text } = preview;
        GhostText { id: self.parts.show(used..end, now, number), span, text }
    }

    /// The first line of the text that was just shown, as a separate item.
    ///
    /// For editors that accept only whole items. Returns `None` if there is only one line, or if the first line
    /// has no words.
    pub(super) fn first_line(
        &mut self,
        shown: &GhostText,
        number: &mut dyn FnMut() -> u64,
    ) -> Option<GhostText> {
        let whole = self.parts.range(shown.id)?;
        let line = shown.text.split_inclusive('\n').next()?.trim_end();
        let is_its_own =
            self.text[whole.clone()].starts_with(line) && line.len() < shown.text.trim_end().len();
        if !is_its_own || !shown.span.is_empty() || !line.contains(char::is_alphanumeric) {
            return None;
        }
        let id = self.parts.number(whole.start..whole.start + line.len(), number);
        Some(GhostText { id, span: shown.span.clone(), text: line.to_owned() })
    }

    /// The suggestion as seen from `start`.
    ///
    /// It is prefixed with the text before its position, or stripped of its text before `start`.
    fn text_from(&self, document: &Document, start: usize) -> Option<String> {
        if start > self.anchor.at {
            let before = document.slice(self.anchor.at..start.min(self.anchor.end));
            return self.text.strip_prefix(before.as_str()).map(str::to_owned);
        }
        Some(document.slice(start..self.anchor.at) + &self.text)
    }

    /// Records that the model has written `text` so far, of which `ready` can be shown.
    ///
    /// Returns false if the call need not continue.
    pub(super) fn grow(&mut self, document: &Document, text: &str, ready: &str, now: Instant) -> bool {
        self.replace(text, ready);
        let Stage::Growing { interest, .. } = &self.stage else { return false };
        if !self.parts.is_shown() && interest.is_lost(now) {
            return false;
        }
        // Only now may there be enough text to differ from the text typed since.
        !self.differs(document)
    }

    /// Records that the call is over; the first `first` bytes of the text are shown first.
    pub(super) fn finish(&mut self, text: &str, first: usize) {
        self.replace(text, text);
        self.first = self.prefix.len() + first;
        self.stage = Stage::Complete;
    }

    /// Records that the call produced nothing or failed.
    pub(super) fn fail(&mut self, stage: Stage) {
        // The text on screen stays there.
        self.stage = if self.parts.is_shown() { Stage::Complete } else { stage };
        self.text.truncate(self.ready.max(self.parts.end));
    }

    /// Registers the call for its continuation. Returns the span that it replaces, and its whole text.
    ///
    /// Returns `None` if it is not complete and shown to its end, or already has a continuation.
    pub(super) fn begin_continuation(&mut self, handle: AbortHandle) -> Option<(Range<usize>, &str)> {
        let is_last_part = self.parts.end == self.text.len();
        if !is_last_part
            || self.is_prediction
            || !matches!((&self.stage, &self.continuation), (Stage::Complete, Continuation::NotRequested))
        {
            return None;
        }
        self.continuation = Continuation::Growing { _call: handle.into() };
        Some((self.anchor.at..self.anchor.end, &self.text))
    }

    /// Appends the continuation, if it is not empty.
    pub(super) fn finish_continuation(&mut self, more: &str, item: Option<u64>) {
        self.continuation = if more.is_empty() { Continuation::Over } else { Continuation::NotRequested };
        if self.ready == self.text.len() {
            if let Some(item) = item {
                self.items.add(self.text.len(), item);
            }
            self.text.push_str(more);
            self.ready = self.text.len();
        }
    }

    /// Whether it was requested for a selected menu entry.
    pub(super) fn is_of_menu(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// Whether the model is writing the suggestion itself.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.stage, Stage::Growing { .. })
    }

    /// Whether the model is writing the suggestion or its continuation.
    pub(super) fn is_growing(&self) -> bool {
        self.is_written() || matches!(self.continuation, Continuation::Growing { .. })
    }

    fn replace(&mut self, text: &str, ready: &str) {
        let (text, ready) = ([&self.prefix, text].concat(), [&self.prefix, ready].concat());
        // The text on screen stays unchanged.
        if !ready.starts_with(&self.text[..self.parts.end]) && self.parts.is_shown() {
            self.text.truncate(self.parts.end);
            self.ready = self.parts.end;
            return;
        }
        self.ready = if ready.len() > self.prefix.len() { ready.len() } else { self.ready };
        self.text = if text.starts_with(&ready) { text } else { ready };
    }

    /// Records that the first `units` UTF-16 units of the text shown under a number were accepted.
    pub(super) fn accept_part(&mut self, id: u64, units: usize) {
        self.parts.accept_part(id, units, &self.text);
    }

    /// Records that its text is that of a language server's item. Returns true if a part of it is already shown.
    pub(super) fn set_item(&mut self, item: u64) -> bool {
        self.items = Items::default();
        self.items.add(self.prefix.len(), item);
        self.parts.is_shown()
    }

    /// The items in the part shown under a number.
    pub(super) fn shown_items(&self, id: u64) -> Vec<u64> {
        self.parts.range(id).map_or(Vec::new(), |range| self.items.shown(&self.text, range))
    }

    /// The items of which more was accepted since the last call.
    pub(super) fn accepted_items(&mut self) -> Vec<AcceptedItem> {
        self.items.accepted(&self.text, self.parts.accepted)
    }

    /// Whether a part of it can be shown at a point.
    pub(super) fn fits(&self, document: &Document, point: &CompletionPoint) -> bool {
        let left = self.left(document);
        let rest = |typed: &str| interpolate::match_prefix(&left, typed, &self.text[..self.ready]);
        self.ready > 0
            && self.holds(point.cursor)
            && matches!(rest(&document.slice(self.anchor.at..point.cursor)), Match::Remainder(_))
    }
}
