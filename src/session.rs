//! The files, ghost text and next edits that are open in the editor.
//!
//! A plain value behind one lock. Its methods take microseconds: no parsing, no prompts, no I/O. Longer work
//! takes a [`Snapshot`] and releases the lock.
//!
//! The state of one file is reached through a handle: [`Session::tracked`] for the file itself,
//! [`Session::ghost`] for its ghost text, [`Session::next_edits`] for its next edits. The editor's reports on a
//! suggestion name no file and go to [`Session::feedback`].

mod access;
mod cells;
mod change_log;
mod closed_files;
mod diagnostics;
mod feedback;
mod files;
pub mod ghost;
mod hints;
mod limits;
mod model_fixes;
pub mod next_edit;
mod notebooks;
mod prepared_fixes;
mod recent_edits;
mod regression;
mod related_cache;
mod request_log;
mod running;
mod sync;
mod tracked;
mod tree_cache;
mod user;
mod version_map;

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::config::{Scoped, Settings};
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::Reason;
use crate::privacy::Verdict;
use crate::snapshot::{Related, Snapshot};
use crate::workspace::Workspace;
use closed_files::ClosedFiles;
pub use feedback::{Feedback, Reaction};
use files::Files;
use ghost::Ghost;
use ghost::trigger::UserActivity;
pub use hints::ReviewHint;
pub use model_fixes::{FixScope, ModelFix, NextFix};
use next_edit::{NextEdit, NextEdits};
pub use notebooks::NotebookCell;
use notebooks::Notebooks;
pub use prepared_fixes::{AppliedReplacements, PreparedFix, PreparedFixes, ReadyFix};
use recent_edits::RecentEdits;
pub use regression::Regression;
use related_cache::RelatedCache;
use request_log::RequestLog;
pub use request_log::RequestRecord;
pub use sync::SyncOutcome;
pub use tracked::{FileInfo, Tracked};
use tree_cache::TreeCache;
pub use user::User;

/// Everything open in one editor.
#[derive(Debug)]
pub struct Session {
    files: Files,
    notebooks: Notebooks,
    trees: TreeCache,
    related: RelatedCache,
    workspace: Arc<Workspace>,
    folders: Vec<PathBuf>,
    encoding: Encoding,
    settings: Scoped,
    recent_edits: RecentEdits,
    /// Recent outcomes, shown by `tandem.why`.
    requests: RequestLog,
    user: User,
    closed: ClosedFiles,
}

impl Session {
    /// An empty session.
    pub fn new(encoding: Encoding, folders: Vec<PathBuf>, settings: impl Into<Scoped>) -> Self {
        Self {
            files: Files::default(),
            notebooks: Notebooks::default(),
            trees: TreeCache::default(),
            related: RelatedCache::default(),
            workspace: Arc::default(),
            folders,
            encoding,
            settings: settings.into(),
            recent_edits: RecentEdits::default(),
            requests: RequestLog::default(),
            user: User::default(),
            closed: ClosedFiles::default(),
        }
    }

    /// The same session with the index of an editor's folders.
    pub fn with_workspace(self, workspace: Workspace) -> Self {
        Self { workspace: Arc::new(workspace), ..self }
    }

    /// The index of the files below the workspace folders; it has its own lock.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// The workspace folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Adds and removes workspace folders. Open files keep their displayed paths.
    pub fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let gone: HashSet<&PathBuf> = removed.iter().chain(&added).collect();
        self.folders.retain(|folder| !gone.contains(folder));
        self.folders.extend(added);
        self.forget_related();
    }

    /// The unit of the editor's columns.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The current settings, without the overrides of projects.
    pub fn settings(&self) -> &Arc<Settings> {
        self.settings.everywhere()
    }

    /// The current settings, with the overrides of every project.
    pub fn scoped(&self) -> &Scoped {
        &self.settings
    }

    /// The current settings of a tracked file, with the overrides of its project.
    pub fn settings_of(&self, tracked: &Tracked) -> &Arc<Settings> {
        self.settings.of(tracked.place())
    }

    /// Replaces the settings; work that is running keeps the old ones.
    pub fn set_settings(&mut self, settings: Scoped) {
        self.settings = settings;
        self.forget_related();
    }

    /// Drops the context gathered from other files: the rules that allowed it may have changed.
    pub fn forget_related(&mut self) {
        self.related.forget(&mut self.files);
    }

    /// How often the context gathered from other files has been dropped.
    pub fn related_generation(&self) -> u64 {
        self.related.generation
    }

    /// Stores the context gathered from other files for `id`, unless all of it was dropped since `generation`.
    pub fn keep_related(&mut self, id: &DocumentId, generation: u64, related: Arc<Related>) {
        self.related.keep(&mut self.files, id, generation, related);
    }

    /// The open files to gather context for after all of it was dropped.
    pub fn files_with_related(&self) -> Vec<DocumentId> {
        RelatedCache::files(&self.files)
    }

    /// The paths of the open files, most recently edited first.
    pub fn paths_by_use(&self) -> Vec<PathBuf> {
        let mut files: Vec<&Tracked> = self.files.iter_tracked().map(|(_, tracked)| tracked).collect();
        files.sort_by_key(|tracked| std::cmp::Reverse(tracked.last_edit.at));
        files.iter().filter_map(|tracked| Some(tracked.path_on_disk()?.to_owned())).collect()
    }

    /// The open files, each with its path on this machine, if any.
    pub fn paths(&self) -> Vec<(DocumentId, Option<PathBuf>)> {
        let places = self.places().into_iter();
        places.map(|(id, path)| (id.clone(), path.filter(|_| id.is_file()))).collect()
    }

    /// The open files, each with the path that selects its rules and settings, if any.
    pub fn places(&self) -> Vec<(DocumentId, Option<PathBuf>)> {
        let files = self.files.by_id.iter();
        files.map(|(id, file)| (id.clone(), file.info().path.as_deref().map(Path::to_owned))).collect()
    }

    /// A snapshot of one file.
    ///
    /// A document that is too large to keep a tree is copied without one, so that parsing the copy leaves no
    /// tree in the session.
    ///
    /// # Errors
    ///
    /// As [`Session::tracked`], or [`Reason::Withheld`] for a file with secrets.
    pub fn snapshot(&self, id: &DocumentId) -> Result<Snapshot, Reason> {
        let tracked = self.tracked(id)?;
        if let Some(verdict @ Verdict::Secret(_)) = tracked.access().known() {
            return Err(Reason::Withheld { code: verdict.code(), why: verdict.to_string() });
        }
        let document = tracked.document();
        Ok(Snapshot {
            access: tracked.access().clone(),
            document: if document.keeps_tree() {
                Arc::clone(document)
            } else {
                Arc::new(document.without_tree())
            },
            path: tracked.path().clone(),
            language_id: tracked.language_id.clone(),
            outline: tracked.outline().cloned().unwrap_or_else(|| "".into()),
            settings: Arc::clone(self.settings_of(tracked)),
            workspace: Arc::clone(&self.workspace),
            related: Arc::clone(tracked.related()),
            cells: self.cells_around(document),
        })
    }

    /// A tracked file.
    ///
    /// # Errors
    ///
    /// [`Reason::NotOpen`], [`Reason::OutOfSync`], [`Reason::TooLarge`] or [`Reason::NotebookFile`].
    pub fn tracked(&self, id: &DocumentId) -> Result<&Tracked, Reason> {
        self.files.tracked(id)
    }

    /// Mutable access to a tracked file.
    ///
    /// # Errors
    ///
    /// As [`Session::tracked`].
    pub fn tracked_mut(&mut self, id: &DocumentId) -> Result<&mut Tracked, Reason> {
        self.files.tracked_mut(id)
    }

    /// A file's ghost text.
    pub fn ghost(&mut self, id: &DocumentId) -> Option<Ghost<'_>> {
        self.files.tracked_mut(id).ok().map(Tracked::ghost)
    }

    /// A file's next edits.
    pub fn next_edits(&mut self, id: &DocumentId) -> Option<NextEdits<'_>> {
        self.files.tracked_mut(id).ok().map(Tracked::next_edits)
    }

    /// The next edit queued in a file.
    pub fn next_edit(&self, id: &DocumentId) -> Option<&NextEdit> {
        self.files.tracked(id).ok()?.queued_edits().next()
    }

    /// The file that edits in `id` lead to, if an edit is queued there.
    pub fn next_edit_in_other_file(&self, id: &DocumentId) -> Option<&DocumentId> {
        let other = self.files.tracked(id).ok()?.leads_to()?;
        self.next_edit(other).map(|_| other)
    }

    /// Records the user's reactions to suggestions, in any file.
    pub fn feedback(&mut self) -> Feedback<'_> {
        Feedback::new(&mut self.files, &mut self.user, &mut self.recent_edits)
    }

    /// The last accepted suggestion in a file, if other servers report more errors since.
    pub fn regression(&self, id: &DocumentId) -> Option<Regression> {
        let tracked = self.tracked(id).ok()?;
        let all = self.recent_edits.all();
        let last = all.iter().rfind(|edit| edit.document == *id)?;
        regression::of(tracked.accepted?, tracked.document().revision(), last, tracked.diagnostics())
    }

    /// The user's typing rate, reactions and snoozing, over all files.
    pub fn user(&self) -> &User {
        &self.user
    }

    /// Mutable access to the same state.
    pub fn user_mut(&mut self) -> &mut User {
        &mut self.user
    }

    /// The user's activity, an input to the decision whether to trigger ghost text in a file.
    pub fn activity(&self, id: &DocumentId, now: Instant) -> UserActivity {
        let last_edit = self.tracked(id).map(|it| it.last_edit).unwrap_or_default();
        self.user.activity(last_edit, self.ends_in_undo(id), now)
    }

    /// Whether any file has a suggestion hidden by `indicator_only`.
    pub fn has_hidden_suggestion(&self) -> bool {
        self.files.iter_tracked().any(|(_, tracked)| tracked.has_hidden_suggestion())
    }

    /// Whether the last change in any file was an undo or a redo, made in `id`.
    pub fn ends_in_undo(&self, id: &DocumentId) -> bool {
        self.recent_edits.ends_in_undo(id)
    }

    /// Whether the last change in any file was a redo, made in `id`.
    pub fn ends_in_redo(&self, id: &DocumentId) -> bool {
        self.recent_edits.ends_in_redo(id)
    }

    /// Registers a requested edit that the editor is about to apply.
    ///
    /// The changes are sorted, disjoint spans of the text, each with its replacement.
    pub fn expect_edit<'c>(
        &mut self,
        document: &Document,
        changes: impl DoubleEndedIterator<Item = (Range<usize>, &'c str)>,
    ) {
        self.recent_edits.expect(document, changes);
    }

    /// The current versions of the other tracked files.
    pub fn other_documents(&self, id: &DocumentId) -> Vec<Arc<Document>> {
        let others = self.files.iter_tracked().filter(|(other, _)| *other != id);
        others.map(|(_, tracked)| Arc::clone(tracked.document())).collect()
    }

    /// Snapshots of up to `limit` other tracked files, most recently changed first.
    ///
    /// Files that are known to be withheld from models are skipped.
    pub fn other_snapshots(&self, id: &DocumentId, limit: usize) -> Vec<Snapshot> {
        let others = self.files.iter_tracked().filter(|(other, _)| *other != id);
        let mut others: Vec<(&DocumentId, &Tracked)> = others.collect();
        others.sort_by_key(|(id, tracked)| (std::cmp::Reverse(tracked.last_edit.at), id.as_str()));
        let shown = others
            .into_iter()
            .filter(|(_, tracked)| tracked.access().known().is_none_or(|it| *it == Verdict::Open));
        let snapshots = shown.filter_map(|(id, _)| self.snapshot(id).ok()).map(|snapshot| {
            // A tree parsed only for this search is not kept.
            Snapshot { document: Arc::new(snapshot.document.detached()), ..snapshot }
        });
        snapshots.take(limit).collect()
    }

    /// Gives a file the tree of this or an earlier version, and a new outline, if any.
    pub fn adopt_tree(&mut self, parsed: &Document, outline: Option<String>, now: Instant) {
        if let Ok(tracked) = self.files.tracked_mut(parsed.id()) {
            tracked.adopt_tree(parsed, outline);
            self.trees.keep(&mut self.files, parsed.id(), now);
        }
    }

    /// Counts the tree that a job left in a file's current version towards the tree cache's budget.
    pub fn keep_tree(&mut self, id: &DocumentId, now: Instant) {
        self.trees.keep(&mut self.files, id, now);
    }

    /// Logs the outcome of a request for a file, open or not.
    pub fn log_request(&mut self, id: &DocumentId, record: RequestRecord) {
        self.requests.push(id, record);
    }

    /// The newest request outcomes of one file or of all files, newest first, at most ten.
    pub fn request_log(&self, id: Option<&DocumentId>) -> Vec<(DocumentId, RequestRecord)> {
        self.requests.newest(id)
    }
}

#[cfg(test)]
mod changes;
#[cfg(test)]
mod tests;
