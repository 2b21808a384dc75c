//! The suggestions of one file: on screen, kept for a backspace, growing, and rejected.

use std::collections::VecDeque;
use std::ops::{ControlFlow, Deref, DerefMut, Range};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::anchor::{Anchor, Move};
use super::ghost_text::{CompletionPoint, GhostText, Preview, Source};
use super::interest::Interest;
use super::interpolate::{self, Match};
use super::suggestion::{Stage, Suggestion};
use super::takeover::takes_over;
use crate::document::{Document, Splice};
use crate::job::{Quiet, Reason};

/// How many suggestions are kept.
const MAX_KEPT: usize = 8;
/// How many rejected ones are remembered.
const MAX_REJECTED: usize = 20;
/// Predictions among them: the newest, and the one before, whose acceptance may still be reported.
const MAX_PREDICTIONS: usize = 2;
/// Automatic calls that run at the same time: the one that may still fit, and the newest.
const MAX_CALLS: usize = 2;

/// The suggestions of one file, the newest first.
#[derive(Debug, Default)]
pub struct Suggestions {
    list: VecDeque<Suggestion>,
    rejected: VecDeque<RejectedSuggestion>,
    /// The call whose suggestion was shown last: while it fits, nothing replaces it.
    on_screen: Option<u64>,
    /// The calls that are waited for behind the prediction on screen.
    followed: Vec<u64>,
    /// Whether a suggestion was hidden by `indicator_only` since the last change.
    has_hidden: bool,
}

/// A suggestion that the user rejected.
#[derive(Debug)]
struct RejectedSuggestion {
    anchor: Anchor,
    text: String,
}

/// A call to a model for ghost text.
#[derive(Debug)]
pub struct Call {
    /// A number that no other call has.
    pub number: u64,
    /// Stops it.
    pub handle: AbortHandle,
    /// Whether the user requested it explicitly.
    pub is_explicit: bool,
    /// How long it goes on, unseen, that no request waits for: [`GRACE`](super::GRACE), or more for a slow model.
    pub grace: Duration,
    /// Whether it holds up others that run, and so stops them: a slow model does one thing at a time.
    pub is_alone: bool,
}

/// The state of a call, for the requests that wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStatus {
    /// The model is writing.
    Growing,
    /// It came to nothing.
    Nothing(Reason),
    /// It is complete, or was dropped.
    Over,
}

impl Suggestions {
    /// Carries everything over the changes that made `document`.
    pub(in crate::session) fn advance(&mut self, splices: &[Splice], document: &Document) {
        self.has_hidden = false;
        self.followed.clear();
        self.list.retain_mut(|suggestion| splices.iter().all(|splice| suggestion.advance(splice)));
        self.list.retain_mut(|suggestion| !suggestion.differs(document) || suggestion.stop());
        self.rejected
            .retain_mut(|it| splices.iter().all(|splice| it.anchor.advance(splice) != Move::Through));
    }

    /// The first line of shown ghost text by itself, if it has several.
    ///
    /// It is for editors that accept whole items only.
    pub fn first_line(&mut self, shown: &GhostText, mut number: impl FnMut() -> u64) -> Option<GhostText> {
        self.list.iter_mut().find(|it| it.has(shown.id))?.first_line(shown, &mut number)
    }

    /// A call has ended.
    ///
    /// `made` is its whole text and how many bytes of it to show first, or why there is none.
    pub fn finish(&mut self, call: u64, made: Result<(&str, usize), Reason>) {
        let Some(suggestion) = self.by_call(call).filter(|it| it.is_written()) else { return };
        match made {
            Ok((text, first)) => suggestion.finish(text, first),
            Err(reason) if is_lasting(&reason) => suggestion.fail(Stage::Nothing(reason)),
            Err(reason) => suggestion.fail(Stage::Failed(reason)),
        }
    }

    /// Stops what is being written. What is there of it can be shown still.
    pub fn stop_calls(&mut self) {
        self.list.retain_mut(|it| !it.is_growing() || it.stop());
    }

    /// Appends what follows a call's suggestion; an empty text if nothing does.
    pub fn finish_continuation(&mut self, call: u64, more: &str) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.finish_continuation(more);
        }
    }

    /// The state of a call.
    pub fn status(&self, call: u64) -> CallStatus {
        let Some(suggestion) = self.list.iter().find(|it| it.call == call) else { return CallStatus::Over };
        match &suggestion.stage {
            _ if suggestion.is_growing() => CallStatus::Growing,
            Stage::Nothing(reason) | Stage::Failed(reason) => CallStatus::Nothing(reason.clone()),
            Stage::Growing { .. } | Stage::Complete => CallStatus::Over,
        }
    }

    /// The requests that wait for a call, while it runs.
    pub fn interest(&self, call: u64) -> Option<Arc<Interest>> {
        match &self.list.iter().find(|it| it.call == call)?.stage {
            Stage::Growing { interest, .. } => Some(Arc::clone(interest)),
            Stage::Complete | Stage::Nothing(_) | Stage::Failed(_) => None,
        }
    }

    /// Sets which model answers a call.
    pub fn set_source(&mut self, call: u64, source: Source) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.source = source.into();
        }
    }

    /// Marks a call's suggestion as one on which a check failed: others are shown before it.
    pub fn mark_doubtful(&mut self, call: u64) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.is_doubtful = true;
        }
    }

    /// Sets the calls that are waited for behind the prediction on screen, until the next change.
    ///
    /// A call for the menu over it stops none of them.
    pub fn follow(&mut self, calls: Vec<u64>) {
        self.followed = calls;
    }

    /// Notes that a suggestion was hidden by `indicator_only`.
    pub fn mark_hidden(&mut self) {
        self.has_hidden = true;
    }

    /// Whether a suggestion was hidden by `indicator_only` since the last change.
    pub(in crate::session) fn has_hidden(&self) -> bool {
        self.has_hidden
    }

    /// Which model or engine made the suggestion shown under a number.
    pub(in crate::session) fn source(&self, id: u64) -> Option<&Source> {
        self.list.iter().find(|it| it.has(id)).map(|it| &*it.source)
    }

    /// The first `units` UTF-16 units of the suggestion shown under a number were accepted.
    pub(in crate::session) fn accept_part(&mut self, id: u64, units: usize) {
        if let Some(suggestion) = self.list.iter_mut().find(|it| it.has(id)) {
            suggestion.accept_part(id, units);
        }
    }

    /// The suggestion shown under a number was accepted as a whole. False if it is unknown.
    pub(in crate::session) fn accept(&mut self, id: u64) -> bool {
        let suggestion = self.list.iter_mut().find(|it| it.has(id));
        suggestion.map(|it| it.accept(id)).is_some()
    }

    /// The suggestion shown under a number was rejected. False if it is unknown.
    pub(in crate::session) fn reject(&mut self, id: u64) -> bool {
        let at = self.list.iter().position(|it| it.has(id));
        let Some(suggestion) = at.and_then(|at| self.list.remove(at)) else { return false };
        let (anchor, text) = (suggestion.anchor(), suggestion.text().to_owned());
        self.rejected.push_front(RejectedSuggestion { anchor, text });
        self.rejected.truncate(MAX_REJECTED);
        true
    }

    /// Adds a suggestion whose call is about to begin.
    ///
    /// If too many calls run, the newest stops: the oldest may still fit, and the new one is what is wanted. One that
    /// is followed stops last.
    fn add(&mut self, suggestion: Suggestion) {
        self.list.retain(|it| !matches!(it.stage, Stage::Failed(_)));
        let is_automatic_call = |it: &Suggestion| it.is_written() && !it.is_explicit;
        let is_stopped_first = |it: &Suggestion| is_automatic_call(it) && !self.followed.contains(&it.call);
        let newest = || {
            let unfollowed = self.list.iter().position(is_stopped_first);
            unfollowed.or_else(|| self.list.iter().position(is_automatic_call))
        };
        if suggestion.is_written()
            && !suggestion.is_explicit
            && self.list.iter().filter(|it| is_automatic_call(it)).count() >= MAX_CALLS
            && let Some(newest) = newest()
            && !self.list[newest].stop()
        {
            self.list.remove(newest);
        }
        self.list.push_front(suggestion);
        self.list.truncate(MAX_KEPT);
    }

    /// Whether the suggestion shown under a number is a prediction.
    pub fn is_prediction(&self, id: u64) -> bool {
        self.list.iter().any(|it| it.is_prediction && it.has(id))
    }

    /// What a suggestion has to show at a point, unless that was rejected.
    fn preview(
        &self,
        suggestion: &Suggestion,
        document: &Document,
        point: &CompletionPoint,
    ) -> Option<Preview> {
        let preview = suggestion.preview(document, point)?;
        (!self.is_rejected(document, point, &preview)).then_some(preview)
    }

    fn is_rejected(&self, document: &Document, point: &CompletionPoint, preview: &Preview) -> bool {
        self.rejected.iter().any(|it| it.covers(document, point, preview))
    }

    fn by_call(&mut self, call: u64) -> Option<&mut Suggestion> {
        self.list.iter_mut().find(|it| it.call == call)
    }
}

/// The ghost text of one file: its suggestions, laid against its current version.
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

    /// Shows what fits at a point, at most `limit` items, the one on screen first, unless that is a prediction
    /// and a model's suggestion [takes over](takes_over).
    ///
    /// `number` numbers an item that was not shown before.
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

    /// What fits at a point, in the order in which it is shown.
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
        // What is on screen stays there. Then come those that several calls agree on, then the newest, which
        // is the most likely one. Predictions come after what a model made, and doubtful ones last.
        found.sort_by_key(|it| {
            let Suggestion { is_doubtful, is_prediction, .. } = self.list[it.at];
            (!is_on_screen(it.at), is_doubtful, is_prediction, std::cmp::Reverse(it.times))
        });
        if let Some(next) = self.successor(&found, now) {
            found[..=next].rotate_right(1);
        }
        found
    }

    /// The first of what was found that takes the place of the prediction on screen, if that is there.
    fn successor(&self, found: &[Found], now: Instant) -> Option<usize> {
        let (shown, others) = found.split_first()?;
        let prediction = &self.list[shown.at];
        if !prediction.is_prediction || Some(prediction.call) != self.on_screen {
            return None;
        }
        let shown_for = prediction.shown_for(now)?;
        let takes_over = |other: &Found| {
            let Suggestion { is_doubtful, is_prediction, .. } = self.list[other.at];
            !is_doubtful && !is_prediction && takes_over(&shown.preview.text, shown_for, &other.preview.text)
        };
        others.iter().position(takes_over).map(|at| at + 1)
    }

    /// Whether a model's suggestion takes the place of the prediction on screen.
    ///
    /// If so, it counts as on screen from now on, so that a request that comes later finds it.
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

    /// Adds a prediction at a cursor, made by `source`. False if the file has moved on.
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

    /// Whether there is something to show at a point.
    pub fn has_any(&self, point: &CompletionPoint) -> bool {
        self.list.iter().any(|it| self.preview(it, self.document, point).is_some())
    }

    /// Whether there is something to show at a point that a model was asked for.
    pub fn has_answer(&self, point: &CompletionPoint) -> bool {
        let mut answers = self.list.iter().filter(|it| !it.is_prediction);
        answers.any(|it| self.preview(it, self.document, point).is_some())
    }

    /// Whether a call has a suggestion to show at a point that no check has called doubtful so far.
    pub fn is_ready(&self, call: u64, point: &CompletionPoint) -> bool {
        let mut sure = self.list.iter().filter(|it| it.call == call && !it.is_doubtful);
        sure.any(|it| self.preview(it, self.document, point).is_some())
    }

    /// Why there is nothing to show at a point, if that is known.
    ///
    /// Either nothing has changed since the last call came to nothing, or what there is was rejected.
    pub fn known_nothing(&self, point: &CompletionPoint) -> Option<Reason> {
        let mut previews = self.list.iter().filter_map(|it| it.preview(self.document, point));
        if !self.rejected.is_empty() && previews.any(|it| self.is_rejected(self.document, point, &it)) {
            return Some(Reason::Quiet(Quiet::Rejected));
        }
        self.list.iter().find_map(|it| it.nothing(point.cursor)).cloned()
    }

    /// The running call whose text so far fits at a point.
    ///
    /// One that was made for the like comes first: an entry of the menu may fit where it is no longer selected.
    pub fn fitting_call(&self, point: &CompletionPoint) -> Option<u64> {
        let fitting = self.list.iter().filter(|it| it.may_become(self.document, point) == Some(true));
        fitting.min_by_key(|it| it.is_of_menu() != point.selected.is_some()).map(|it| it.call)
    }

    /// The running calls that have written too little to say whether they fit at a point.
    pub fn undecided_calls(&self, point: &CompletionPoint) -> Vec<u64> {
        let undecided = self.list.iter().filter(|it| it.may_become(self.document, point).is_none());
        undecided.map(|it| it.call).collect()
    }

    /// The running calls that a slow model finishes before it is asked for a point.
    ///
    /// They may fit, or an entry of the menu covers the prediction that they are followed for.
    pub fn calls_ahead(&self, point: &CompletionPoint) -> Vec<u64> {
        let is_under_menu = point.selected.is_some();
        let is_followed = |it: &Suggestion| it.is_written() && self.followed.contains(&it.call);
        let ahead = self
            .list
            .iter()
            .filter(|it| it.may_become(self.document, point).is_none() || is_under_menu && is_followed(it));
        ahead.map(|it| it.call).collect()
    }

    /// How many explicitly requested suggestions there are for a point, complete or growing.
    pub fn explicit_count(&self, point: &CompletionPoint) -> usize {
        let fits = |it: &Suggestion| {
            it.may_become(self.document, point) == Some(true) || it.fits(self.document, point)
        };
        self.list.iter().filter(|it| it.is_explicit && fits(it)).count()
    }

    /// Registers a call that is about to begin for `document` at a point.
    ///
    /// `None` if the file has moved on; then nothing is registered.
    pub fn begin(
        &mut self,
        document: &Document,
        point: &CompletionPoint,
        call: Call,
        now: Instant,
    ) -> Option<Arc<Interest>> {
        if self.document.revision() != document.revision() {
            return None;
        }
        if call.is_alone {
            self.stop_calls();
        }
        let interest = Arc::new(Interest::new(now, call.grace));
        let mut suggestion =
            Suggestion::new(call.number, document, point, call.handle, Arc::clone(&interest));
        suggestion.is_explicit = call.is_explicit;
        self.add(suggestion);
        Some(interest)
    }

    /// The model has written `text` so far, of which `ready` can be shown.
    ///
    /// `Break`: the call need not go on.
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

    /// Registers the call for what follows the suggestion on screen.
    ///
    /// Returns that suggestion's call, and the document and the cursor as they will be once it is accepted.
    /// `None` if it is not complete, or has a continuation already.
    pub fn begin_continuation(&mut self, handle: AbortHandle) -> Option<(u64, Arc<Document>, usize)> {
        let document = self.document;
        let call = self.on_screen?;
        let (span, text): (Range<usize>, _) = self.by_call(call)?.begin_continuation(handle)?;
        let cursor = span.start + text.len();
        Some((call, Arc::new(document.with(span, text)), cursor))
    }
}

/// Something to show, and how many calls agree on it.
struct Found {
    /// The index of the first suggestion that has it.
    at: usize,
    preview: Preview,
    times: usize,
}

impl RejectedSuggestion {
    /// Whether a preview shows this one again, or the rest of it.
    fn covers(&self, document: &Document, point: &CompletionPoint, preview: &Preview) -> bool {
        let Anchor { at, end, .. } = self.anchor;
        if point.start() < at || point.cursor > end {
            return false;
        }
        let typed = document.slice(at..preview.span.start);
        let Match::Remainder(rest) = interpolate::lay(&typed, &self.text) else { return false };
        let (left, shown) = (self.text[rest.used..].trim_end(), preview.text.trim_end());
        left.starts_with(shown) || shown.starts_with(left)
    }
}

/// Whether the same question would get the same answer.
fn is_lasting(reason: &Reason) -> bool {
    matches!(reason, Reason::NothingToAdd | Reason::Unchanged | Reason::Refused { .. })
}
