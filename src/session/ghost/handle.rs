//! The suggestions of one file, seen from a point in its current version.

use std::ops::{ControlFlow, Deref, DerefMut, Range};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;

use super::ghost_text::{CompletionPoint, GhostText, Preview, Source};
use super::suggestion::Suggestion;
use super::suggestions::{Call, Suggestions};
use super::takeover::takes_over;
use super::waiter_count::WaiterCount;
use crate::document::Document;
use crate::job::{Reason, SuppressionReason};

/// How many predictions are kept: the newest and the previous one.
///
/// The acceptance of the previous one may still be reported.
const MAX_PREDICTIONS: usize = 2;

/// The ghost text of one file: its suggestions, matched against its current version.
#[derive(Debug)]
pub struct Ghost<'a> {
    document: &'a Arc<Document>,
    suggestions: &'a mut Suggestions,
}

impl Deref for Ghost<'_> {
    type Target = Suggestions;

    fn deref(&self) -> &Suggestions {
        self.suggestions
    }
}

impl DerefMut for Ghost<'_> {
    fn deref_mut(&mut self) -> &mut Suggestions {
        self.suggestions
    }
}

impl<'a> Ghost<'a> {
    pub(in crate::session) fn new(document: &'a Arc<Document>, suggestions: &'a mut Suggestions) -> Self {
        Self { document, suggestions }
    }

    /// Records that the suggestion shown under a number was rejected. Returns false if it is unknown.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        self.suggestions.reject(id, self.document)
    }

    /// Returns the suggestions that fit at a point, at most `limit` items.
    ///
    /// The item on screen comes first, unless it is a prediction and a model's suggestion [takes
    /// over](takes_over). `number` numbers an item that was not shown before.
    pub fn show(
        &mut self,
        point: &CompletionPoint,
        limit: usize,
        now: Instant,
        mut number: impl FnMut() -> u64,
    ) -> Vec<GhostText> {
        let mut found = self.found(point, now);
        found.truncate(limit);
        if let Some(first) = found.first() {
            self.on_screen = Some(self.list[first.at].call);
        }
        found.into_iter().map(|it| self.list[it.at].show(it.preview, now, &mut number)).collect()
    }

    /// The suggestions that fit at a point, in display order.
    fn found(&self, point: &CompletionPoint, now: Instant) -> Vec<Found> {
        let is_on_screen = |at: usize| Some(self.list[at].call) == self.on_screen;
        let mut found: Vec<Found> = Vec::new();
        for (at, suggestion) in self.list.iter().enumerate() {
            let Some(preview) = self.preview(suggestion, self.document, point) else { continue };
            let is_same = |other: &&mut Found| other.preview.text.trim_end() == preview.text.trim_end();
            match found.iter_mut().find(is_same) {
                Some(other) if is_on_screen(at) => *other = Found { at, preview, times: other.times + 1 },
                Some(other) => other.times += 1,
                None => found.push(Found { at, preview, times: 1 }),
            }
        }
        // The suggestion on screen stays first. Then come suggestions that several calls agree on, then the newest,
        // which is the most likely. Predictions come after a model's suggestions, and doubtful ones last.
        found.sort_by_key(|it| {
            let Suggestion { is_doubtful, is_prediction, .. } = self.list[it.at];
            (!is_on_screen(it.at), is_doubtful, is_prediction, std::cmp::Reverse(it.times))
        });
        if let Some(next) = self.successor(&found, now) {
            found[..=next].rotate_right(1);
        }
        found
    }

    /// The index of the first suggestion that takes over from the prediction on screen.
    ///
    /// Returns `None` if no prediction is on screen.
    fn successor(&self, found: &[Found], now: Instant) -> Option<usize> {
        let (shown, others) = found.split_first()?;
        let prediction = &self.list[shown.at];
        if !prediction.is_prediction || Some(prediction.call) != self.on_screen {
            return None;
        }
        let shown_for = prediction.parts.shown_for(now)?;
        let takes_over = |other: &Found| {
            let Suggestion { is_doubtful, is_prediction, .. } = self.list[other.at];
            !is_doubtful && !is_prediction && takes_over(&shown.preview.text, shown_for, &other.preview.text)
        };
        others.iter().position(takes_over).map(|at| at + 1)
    }

    /// Whether a model's suggestion takes over from the prediction on screen.
    ///
    /// If so, it counts as on screen from now on, so that a later request finds it.
    pub fn take_over(&mut self, point: &CompletionPoint, now: Instant) -> bool {
        let found = self.found(point, now);
        let on_screen = self.on_screen;
        let has_prediction = found.iter().any(|it| {
            let suggestion = &self.list[it.at];
            suggestion.is_prediction && Some(suggestion.call) == on_screen
        });
        let first = found.first().map(|it| self.list[it.at].call);
        let is_taken = has_prediction && first != on_screen;
        if is_taken {
            self.on_screen = first;
        }
        is_taken
    }

    /// Adds a prediction at a cursor, made by `source`. Returns false if `document` is outdated.
    pub fn predict(
        &mut self,
        document: &Document,
        cursor: usize,
        (number, text): (u64, &str),
        source: Source,
        now: Instant,
    ) -> bool {
        if self.document.revision() != document.revision() {
            return false;
        }
        let mut older = 1;
        self.list.retain(|it| {
            older += usize::from(it.is_prediction);
            !it.is_prediction || older <= MAX_PREDICTIONS
        });
        let mut prediction = Suggestion::predicted(number, document, cursor, text, now);
        prediction.source = source.into();
        self.add(prediction);
        true
    }

    /// Drops the suggestions over which the user typed on, where a new one costs nothing.
    ///
    /// Whoever types on has seen the suggestion and does not want it, or the typed text tells more than was known.
    pub fn drop_passed_over(&mut self) {
        let document = self.document;
        self.list.retain(|it| !it.is_passed_over(document));
    }

    /// Whether there is something to show at a point.
    pub fn has_any(&self, point: &CompletionPoint) -> bool {
        self.list.iter().any(|it| self.preview(it, self.document, point).is_some())
    }

    /// Whether there is a model's suggestion to show at a point.
    pub fn has_answer(&self, point: &CompletionPoint) -> bool {
        let mut answers = self.list.iter().filter(|it| !it.is_prediction);
        answers.any(|it| self.preview(it, self.document, point).is_some())
    }

    /// Whether a call has a suggestion to show at a point.
    ///
    /// A suggestion that a check marked as doubtful does not count.
    pub fn is_ready(&self, call: u64, point: &CompletionPoint) -> bool {
        let mut sure = self.list.iter().filter(|it| it.call == call && !it.is_doubtful);
        sure.any(|it| self.preview(it, self.document, point).is_some())
    }

    /// The reason why there is nothing to show at a point, if it is known.
    ///
    /// Either nothing has changed since the last call produced nothing, or the available suggestion was rejected.
    pub fn known_nothing(&self, point: &CompletionPoint) -> Option<Reason> {
        let mut previews = self.list.iter().filter_map(|it| it.preview(self.document, point));
        if !self.rejected.is_empty() && previews.any(|it| self.is_rejected(self.document, &it)) {
            return Some(Reason::Quiet(SuppressionReason::Rejected));
        }
        self.list.iter().find_map(|it| it.nothing(point.cursor)).cloned()
    }

    /// The running call whose text so far fits at a point.
    ///
    /// A call for the same kind of point is preferred: the suggestion for a menu entry may fit where the entry
    /// is no longer selected.
    pub fn fitting_call(&self, point: &CompletionPoint) -> Option<u64> {
        let fitting = self.list.iter().filter(|it| it.may_become(self.document, point) == Some(true));
        fitting.min_by_key(|it| it.is_of_menu() != point.selected.is_some()).map(|it| it.call)
    }

    /// The running calls that have written too little to decide whether they fit at a point.
    pub fn undecided_calls(&self, point: &CompletionPoint) -> Vec<u64> {
        let undecided = self.list.iter().filter(|it| it.may_become(self.document, point).is_none());
        undecided.map(|it| it.call).collect()
    }

    /// The running calls that a slow model finishes before it is asked for a point.
    ///
    /// Either they may fit, or a menu entry covers the prediction behind which they are awaited.
    pub fn calls_ahead(&self, point: &CompletionPoint) -> Vec<u64> {
        let is_under_menu = point.selected.is_some();
        let is_followed = |it: &Suggestion| it.is_written() && self.followed.contains(&it.call);
        let ahead = self
            .list
            .iter()
            .filter(|it| it.may_become(self.document, point).is_none() || is_under_menu && is_followed(it));
        ahead.map(|it| it.call).collect()
    }

    /// How many explicitly requested suggestions fit at a point, complete or growing.
    pub fn explicit_count(&self, point: &CompletionPoint) -> usize {
        let fits = |it: &Suggestion| {
            it.may_become(self.document, point) == Some(true) || it.fits(self.document, point)
        };
        self.list.iter().filter(|it| it.is_explicit && fits(it)).count()
    }

    /// Registers a call that is about to begin for `document` at a point.
    ///
    /// Returns `None` and registers nothing if `document` is outdated.
    pub fn begin(
        &mut self,
        document: &Document,
        point: &CompletionPoint,
        call: Call,
        now: Instant,
    ) -> Option<Arc<WaiterCount>> {
        if self.document.revision() != document.revision() {
            return None;
        }
        if call.is_alone {
            self.stop_calls();
        }
        let interest = Arc::new(WaiterCount::new(now, call.grace));
        let mut suggestion =
            Suggestion::new(call.number, document, point, call.handle, Arc::clone(&interest));
        suggestion.is_explicit = call.is_explicit;
        self.add(suggestion);
        Some(interest)
    }

    /// Records that the model has written `text` so far, of which `ready` can be shown.
    ///
    /// Returns `Break` if the call need not continue.
    pub fn grow(&mut self, call: u64, text: &str, ready: &str, now: Instant) -> ControlFlow<()> {
        let Some(at) = self.list.iter().position(|it| it.call == call) else { return ControlFlow::Break(()) };
        let document = self.document;
        if self.list[at].grow(document, text, ready, now) {
            return ControlFlow::Continue(());
        }
        if !self.list[at].stop() {
            self.list.remove(at);
        }
        ControlFlow::Break(())
    }

    /// Registers the call for the continuation of the suggestion on screen.
    ///
    /// Returns the suggestion's call, and the document and the cursor as they will be after accepting it.
    /// Returns `None` if the suggestion is incomplete or already has a continuation.
    pub fn begin_continuation(&mut self, handle: AbortHandle) -> Option<(u64, Arc<Document>, usize)> {
        let document = self.document;
        let call = self.on_screen?;
        let (span, text): (Range<usize>, _) = self.by_call(call)?.begin_continuation(handle)?;
        let cursor = span.start + text.len();
        Some((call, Arc::new(document.with(span, text)), cursor))
    }
}

/// A suggestion to show, and how many calls agree on it.
struct Found {
    /// The index of the suggestion.
    at: usize,
    preview: Preview,
    times: usize,
}
