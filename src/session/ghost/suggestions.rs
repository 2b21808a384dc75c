//! The suggestions of one file: on screen, kept for a backspace, growing, and rejected.
//!
//! Queries that need the file's text are methods of [`Ghost`](super::Ghost).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::AbortHandle;

use super::anchor::{Anchor, Move};
use super::ghost_text::{CompletionPoint, GhostText, Preview, Source};
use super::interpolate::{self, Match};
use super::items::AcceptedItem;
use super::suggestion::{MAX_TYPED_PAST, Stage, Suggestion};
use super::waiter_count::WaiterCount;
use crate::document::{Document, Splice};
use crate::job::Reason;

/// How many suggestions are kept.
const MAX_KEPT: usize = 8;
/// How many rejected suggestions are remembered.
const MAX_REJECTED: usize = 20;
/// How many automatic calls run at the same time: the one that may still fit, and the newest.
const MAX_CALLS: usize = 2;

/// The suggestions of one file, newest first.
#[derive(Debug, Default)]
pub struct Suggestions {
    pub(super) list: VecDeque<Suggestion>,
    pub(super) rejected: VecDeque<RejectedSuggestion>,
    /// The call whose suggestion was shown last: while it fits, it is not replaced.
    pub(super) on_screen: Option<u64>,
    /// The calls that are awaited behind the prediction on screen.
    pub(super) followed: Vec<u64>,
    /// Whether a suggestion was hidden by `indicator_only` since the last change.
    pub(in crate::session) has_hidden: bool,
}

/// A suggestion that the user rejected, with the text left of it in its line.
///
/// What the user deletes and types again in that line does not bring it back.
#[derive(Debug)]
pub(super) struct RejectedSuggestion {
    anchor: Anchor,
    line: String,
}

/// A call to a model for ghost text.
#[derive(Debug)]
pub struct Call {
    /// The unique number of the call.
    pub number: u64,
    /// Aborts the call.
    pub handle: AbortHandle,
    /// Whether the user requested it explicitly.
    pub is_explicit: bool,
    /// How long the call continues, unseen and without a waiting request.
    ///
    /// It is [`GRACE`](super::GRACE), or more for a slow model.
    pub grace: Duration,
    /// Whether the call stops all other running calls.
    ///
    /// For a slow model, which handles one call at a time.
    pub is_alone: bool,
}

/// The state of a call, for the requests that wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStatus {
    /// The model is writing.
    Growing,
    /// The call produced nothing.
    Nothing(Reason),
    /// The call is complete, or was dropped.
    Over,
}

impl Suggestions {
    /// Carries everything over the changes that led to `document`.
    pub(in crate::session) fn advance(&mut self, splices: &[Splice], document: &Document) {
        self.has_hidden = false;
        self.followed.clear();
        self.list.retain_mut(|suggestion| splices.iter().all(|splice| suggestion.advance(splice)));
        self.list.retain_mut(|suggestion| !suggestion.differs(document) || suggestion.stop());
        for rejected in &mut self.rejected {
            splices.iter().for_each(|splice| rejected.advance(splice));
        }
    }

    /// The first line of shown ghost text as a separate item, if the text has several lines.
    ///
    /// For editors that accept only whole items.
    pub fn first_line(&mut self, shown: &GhostText, mut number: impl FnMut() -> u64) -> Option<GhostText> {
        self.list.iter_mut().find(|it| it.parts.has(shown.id))?.first_line(shown, &mut number)
    }

    /// Records that a call has ended.
    ///
    /// `made` is its whole text and how many bytes of it to show first, or the reason why there is none.
    pub fn finish(&mut self, call: u64, made: Result<(&str, usize), Reason>) {
        let Some(suggestion) = self.by_call(call).filter(|it| it.is_written()) else { return };
        match made {
            Ok((text, first)) => suggestion.finish(text, first),
            Err(reason) if reason.is_lasting() => suggestion.fail(Stage::Nothing(reason)),
            Err(reason) => suggestion.fail(Stage::Failed(reason)),
        }
    }

    /// Stops everything being written. The text so far can still be shown.
    pub fn stop_calls(&mut self) {
        self.list.retain_mut(|it| !it.is_growing() || it.stop());
    }

    /// Appends the continuation of a call's suggestion; an empty text if there is none. `item` is the number of the
    /// language server's item that it is made of, if it is.
    pub fn finish_continuation(&mut self, call: u64, more: &str, item: Option<u64>) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.finish_continuation(more, item);
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

    /// The requests that wait for a running call.
    pub fn interest(&self, call: u64) -> Option<Arc<WaiterCount>> {
        match &self.list.iter().find(|it| it.call == call)?.stage {
            Stage::Growing { interest, .. } => Some(Arc::clone(interest)),
            Stage::Complete | Stage::Nothing(_) | Stage::Failed(_) => None,
        }
    }

    /// Sets the gear and model that answer a call.
    pub fn set_source(&mut self, call: u64, source: Source) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.source = source.into();
        }
    }

    /// Sets the language server's item that a call's text is made of. Returns true if a part of it is already shown.
    pub fn set_item(&mut self, call: u64, item: u64) -> bool {
        self.by_call(call).is_some_and(|suggestion| suggestion.set_item(item))
    }

    /// The items in the part shown under a number.
    pub fn shown_items(&self, id: u64) -> Vec<u64> {
        self.list.iter().find(|it| it.parts.has(id)).map_or(Vec::new(), |it| it.shown_items(id))
    }

    /// The items in the suggestion shown under a number of which more was accepted since the last call.
    pub(in crate::session) fn accepted_items(&mut self, id: u64) -> Option<Vec<AcceptedItem>> {
        self.list.iter_mut().find(|it| it.parts.has(id)).map(Suggestion::accepted_items)
    }

    /// Marks a call's suggestion as doubtful after a failed check: others are shown first.
    pub fn mark_doubtful(&mut self, call: u64) {
        if let Some(suggestion) = self.by_call(call) {
            suggestion.is_doubtful = true;
        }
    }

    /// Sets the calls that are awaited behind the prediction on screen, until the next change.
    ///
    /// A call for a menu entry over the prediction does not stop them.
    pub fn follow(&mut self, calls: Vec<u64>) {
        self.followed = calls;
    }

    /// Records that a suggestion was hidden by `indicator_only`.
    pub fn mark_hidden(&mut self) {
        self.has_hidden = true;
    }

    /// The gear and model behind the suggestion shown under a number.
    pub(in crate::session) fn source(&self, id: u64) -> Option<&Source> {
        self.list.iter().find(|it| it.parts.has(id)).map(|it| &*it.source)
    }

    /// Records that the first `units` UTF-16 units of the suggestion shown under a number were accepted.
    pub(in crate::session) fn accept_part(&mut self, id: u64, units: usize) {
        if let Some(suggestion) = self.list.iter_mut().find(|it| it.parts.has(id)) {
            suggestion.accept_part(id, units);
        }
    }

    /// Records that all of the suggestion shown under a number was accepted. Returns false if it is unknown.
    pub(in crate::session) fn accept(&mut self, id: u64) -> bool {
        let suggestion = self.list.iter_mut().find(|it| it.parts.has(id));
        suggestion.map(|it| it.parts.accept(id)).is_some()
    }

    /// Records that the suggestion shown under a number was rejected. Returns false if it is unknown.
    pub(super) fn reject(&mut self, id: u64, document: &Document) -> bool {
        let at = self.list.iter().position(|it| it.parts.has(id));
        let Some(suggestion) = at.and_then(|at| self.list.remove(at)) else { return false };
        let line = suggestion.left(document) + &suggestion.text;
        self.rejected.push_front(RejectedSuggestion { anchor: suggestion.anchor, line });
        self.rejected.truncate(MAX_REJECTED);
        true
    }

    /// Adds a suggestion whose call is about to begin.
    ///
    /// If too many calls run, the newest one stops: the oldest may still fit, and the added call supersedes the
    /// newest. A followed call stops last.
    pub(super) fn add(&mut self, suggestion: Suggestion) {
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
        self.list.iter().any(|it| it.is_prediction && it.parts.has(id))
    }

    /// The part of a suggestion that can be shown at a point, unless it was rejected.
    pub(super) fn preview(
        &self,
        suggestion: &Suggestion,
        document: &Document,
        point: &CompletionPoint,
    ) -> Option<Preview> {
        let preview = suggestion.preview(document, point)?;
        (!self.is_rejected(document, &preview)).then_some(preview)
    }

    /// Whether the user rejected a preview.
    pub(super) fn is_rejected(&self, document: &Document, preview: &Preview) -> bool {
        self.rejected.iter().any(|it| it.covers(document, preview))
    }

    pub(super) fn by_call(&mut self, call: u64) -> Option<&mut Suggestion> {
        self.list.iter_mut().find(|it| it.call == call)
    }
}

impl RejectedSuggestion {
    /// Carries its position over a change.
    fn advance(&mut self, splice: &Splice) {
        if self.anchor.advance(splice) == Move::Through {
            let at = splice.span.start;
            self.anchor = Anchor::new(at, at + splice.text.len(), at);
        }
    }

    /// Whether a preview shows this suggestion again, or its remainder.
    fn covers(&self, document: &Document, preview: &Preview) -> bool {
        let (start, end) = (document.line_start(self.anchor.at), preview.span.start);
        if end < start || end - start > self.line.len() + MAX_TYPED_PAST {
            return false;
        }
        let typed = document.slice(start..end);
        let Match::Remainder(rest) = interpolate::match_prefix("", &typed, &self.line) else { return false };
        let (left, shown) = (self.line[rest.used..].trim_end(), preview.text.trim_end());
        left.starts_with(shown) || shown.starts_with(left)
    }
}
