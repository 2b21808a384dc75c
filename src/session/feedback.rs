//! The user's reactions to suggestions: ghost text and next edits.
//!
//! A suggestion is found by its number, in any file.

use std::time::Instant;

use super::files::Files;
use super::ghost::{AcceptedItem, GhostText, Source};
use super::recent_edits::RecentEdits;
use super::tracked::Tracked;
use super::user::User;
use crate::job::Job;

/// Records reports on suggestions. Unknown numbers are ignored.
#[derive(Debug)]
pub struct Feedback<'a> {
    files: &'a mut Files,
    user: &'a mut User,
    recent_edits: &'a mut RecentEdits,
    reactions: Vec<Reaction>,
}

/// A suggestion of a model that is shown or accepted for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The job that the suggestion is the result of.
    pub job: Job,
    /// The model's name.
    pub model: String,
    /// Whether it is accepted, as a whole or in part; else it is shown.
    pub is_accepted: bool,
}

impl<'a> Feedback<'a> {
    pub(super) fn new(files: &'a mut Files, user: &'a mut User, recent_edits: &'a mut RecentEdits) -> Self {
        Self { files, user, recent_edits, reactions: Vec::new() }
    }

    /// The gear and model behind the suggestion `id`, while it is known.
    pub fn source(&self, id: u64) -> Option<Source> {
        self.known(id).map(|(_, source)| source)
    }

    fn known(&self, id: u64) -> Option<(Job, Source)> {
        let known = self.files.iter_tracked().find_map(|(_, tracked)| tracked.source(id));
        known.map(|(job, source)| (job, source.clone()))
    }

    /// The reactions to suggestions of models that were recorded here.
    pub fn take_reactions(&mut self) -> Vec<Reaction> {
        std::mem::take(&mut self.reactions)
    }

    fn note(&mut self, job: Job, source: &Source, is_accepted: bool) {
        self.reactions.extend(source.model.clone().map(|model| Reaction { job, model, is_accepted }));
    }

    fn note_accepted(&mut self, id: u64, known: &Option<(Job, Source)>, now: Instant) {
        if let Some((job, source)) = known
            && self.user.acceptance.accept(id, source, now)
        {
            self.note(*job, source, true);
        }
    }

    /// The items of language servers that the suggestion `id` is made of.
    pub fn shown_items(&mut self, id: u64) -> Vec<u64> {
        let files = self.files.iter_tracked_mut();
        let shown = |(_, tracked): (&_, &mut Tracked)| tracked.ghost().shown_items(id);
        files.map(shown).find(|items| !items.is_empty()).unwrap_or_default()
    }

    /// The items of language servers of which more was accepted since the last call, in the suggestion `id`.
    pub fn accepted_items(&mut self, id: u64) -> Vec<AcceptedItem> {
        let mut files = self.files.iter_tracked_mut();
        files.find_map(|(_, tracked)| tracked.ghost().accepted_items(id)).unwrap_or_default()
    }

    /// Whether the editor reports what it draws.
    pub fn reports_drawn(&self) -> bool {
        self.user.acceptance.reports_drawn
    }

    /// Counts ghost text sent to the editor as shown, unless the editor reports what it draws.
    pub fn mark_sent(&mut self, sent: &[GhostText]) {
        for item in sent {
            if let Some(source) = self.source(item.id)
                && self.user.acceptance.mark_sent(item.id, &source)
            {
                self.note(Job::Complete, &source, false);
            }
        }
    }

    /// Records that the suggestion `id` was drawn. Returns true if it is known.
    pub fn mark_drawn(&mut self, id: u64) -> bool {
        let known = self.known(id);
        if let Some((job, source)) = &known
            && self.user.acceptance.mark_drawn(id, source)
        {
            self.note(*job, source, false);
        }
        known.is_some()
    }

    /// Records that all of the suggestion `id` was accepted. Returns true if it is known.
    pub fn accept(&mut self, id: u64, now: Instant) -> bool {
        let known = self.known(id);
        let accepted = |(document, tracked): (&_, &mut Tracked)| {
            let is_its = tracked.ghost().accept(id) || tracked.next_edits().accept(id);
            is_its.then(|| {
                tracked.mark_accepted();
                Clone::clone(document)
            })
        };
        let document = self.files.iter_tracked_mut().find_map(accepted);
        if let Some(document) = &document {
            self.note_accepted(id, &known, now);
            self.recent_edits.mark_accepted(document);
        }
        document.is_some()
    }

    /// Records that the first `units` UTF-16 units of the suggestion `id` were accepted; the rest stays.
    ///
    /// If the user undoes them, they are not offered again. Returns true if the suggestion is known.
    pub fn accept_part(&mut self, id: u64, units: usize, now: Instant) -> bool {
        let known = self.known(id);
        self.note_accepted(id, &known, now);
        for (_, tracked) in self.files.iter_tracked_mut() {
            tracked.ghost().accept_part(id, units);
        }
        known.is_some()
    }

    /// Records that the suggestion `id` was rejected: it is not shown again at its position.
    ///
    /// Returns true if it is known.
    pub fn reject(&mut self, id: u64, now: Instant) -> bool {
        if let Some(source) = self.source(id) {
            self.user.acceptance.reject(&source, now);
        }
        let mut files = self.files.iter_tracked_mut();
        files.any(|(_, tracked)| {
            tracked.ghost().reject(id) || tracked.next_edits().reject(id) || tracked.unopened.reject(id)
        })
    }
}
