//! One tracked file: its current version, its history, and the suggestions in it.

mod file_info;
mod fixes;
mod tree;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;
use ropey::Rope;

use super::change_log::ChangeLog;
use super::diagnostics::{FileDiagnostics, moved};
use super::ghost::{Ghost, LastEdit, Source, Suggestions};
use super::hints::{Hints, ReviewHint};
use super::model_fixes::ModelFixes;
use super::next_edit::{NextEdit, NextEditQueue, NextEdits, Unopened, UnopenedEdits};
use super::prepared_fixes::{AppliedReplacements, PreparedFixes};
use super::regression::{self, Accepted};
use super::running::RunningWork;
use super::version_map::VersionMap;
use crate::document::position::{Encoding, Position};
use crate::document::{Change, Document, DocumentId, OutOfSync, Splice};
use crate::job::Job;
use crate::privacy::ModelAccess;
use crate::snapshot::{Diagnostic, Related, Rename};
pub use file_info::FileInfo;
pub(super) use file_info::Identity;

/// One tracked file.
#[derive(Debug)]
pub struct Tracked {
    document: Arc<Document>,
    /// The text as it was opened. It shares all but what was changed since.
    opened: Rope,
    pub(super) info: FileInfo,
    pub(super) language_id: Arc<str>,
    outline: Option<Arc<str>>,
    outline_is_stale: bool,
    changes: ChangeLog,
    versions: VersionMap,
    next_edits: NextEditQueue,
    pub(super) unopened: Unopened,
    diagnostics: FileDiagnostics,
    hints: Hints,
    prepared: Arc<PreparedFixes>,
    is_preparing: bool,
    applied_replacements: Arc<AppliedReplacements>,
    model_fixes: ModelFixes,
    /// The number of errors in the last report.
    errors: usize,
    pub(super) accepted: Option<Accepted>,
    suggestions: Suggestions,
    pub(super) last_edit: LastEdit,
    /// The running request for ghost text.
    running: Option<RunningWork>,
    /// A request that was answered with a prediction and continues until the model answers …
    following: Option<RunningWork>,
    /// … and a request for a menu entry over that prediction, which does the same.
    following_under_menu: Option<RunningWork>,
    is_parsing: bool,
    /// When the pending background parse begins.
    parse_due: Option<Instant>,
    /// When typing counts as paused.
    pause: Option<Instant>,
    /// The context gathered from other files.
    related: Arc<Related>,
    related_is_dropped: bool,
    gathering: Gathering,
    /// The position where the user works: the last edit or the last request for ghost text (bytes).
    focus: usize,
}

/// The state of gathering context from other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gathering {
    Idle,
    Running,
    /// Something has changed since gathering began.
    Outdated,
}

impl Tracked {
    pub(super) fn new(document: Document, language_id: &str, info: FileInfo) -> Self {
        Self {
            versions: VersionMap::new(document.version()),
            opened: document.text().clone(),
            document: Arc::new(document),
            info,
            language_id: language_id.into(),
            outline: None,
            outline_is_stale: false,
            changes: ChangeLog::default(),
            next_edits: NextEditQueue::default(),
            unopened: Unopened::default(),
            diagnostics: FileDiagnostics::default(),
            hints: Hints::default(),
            prepared: Arc::default(),
            is_preparing: false,
            applied_replacements: Arc::default(),
            model_fixes: ModelFixes::default(),
            errors: 0,
            accepted: None,
            suggestions: Suggestions::default(),
            last_edit: LastEdit::default(),
            running: None,
            following: None,
            following_under_menu: None,
            is_parsing: false,
            parse_due: None,
            pause: None,
            related: Arc::default(),
            related_is_dropped: false,
            gathering: Gathering::Idle,
            focus: 0,
        }
    }

    /// The context gathered from other files.
    pub fn related(&self) -> &Arc<Related> {
        &self.related
    }

    /// Whether context should be gathered from other files now.
    ///
    /// If gathering is under way, it is repeated afterwards.
    pub fn begin_gathering(&mut self) -> bool {
        let is_idle = self.gathering == Gathering::Idle;
        self.gathering = if is_idle { Gathering::Running } else { Gathering::Outdated };
        is_idle
    }

    /// Ends gathering. Returns true if it is to be repeated.
    pub fn end_gathering(&mut self) -> bool {
        std::mem::replace(&mut self.gathering, Gathering::Idle) == Gathering::Outdated
    }

    pub(super) fn set_related(&mut self, related: Arc<Related>) {
        self.related = related;
        self.related_is_dropped = false;
    }

    /// Drops the context gathered from other files; it is gathered again when the file is next used.
    pub(super) fn drop_related(&mut self) {
        self.related = Arc::default();
        self.related_is_dropped = true;
    }

    /// Whether context from other files was dropped since the last call.
    pub fn take_dropped_related(&mut self) -> bool {
        std::mem::take(&mut self.related_is_dropped)
    }

    /// The position where the user works (bytes).
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// Sets the position where the user works (bytes).
    pub fn set_focus(&mut self, byte: usize) {
        self.focus = byte;
    }

    /// The current version.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// The path displayed to the user and to a model.
    pub fn path(&self) -> &Arc<str> {
        &self.info.shown
    }

    /// The path on this machine, if the document is a file.
    pub fn path_on_disk(&self) -> Option<&Path> {
        self.place().filter(|_| self.document.id().is_file())
    }

    /// The path that selects the file's rules and settings, if any.
    pub fn place(&self) -> Option<&Path> {
        self.info.path.as_deref()
    }

    /// The editor's identifier of the file's language.
    pub fn language_id(&self) -> &str {
        &self.language_id
    }

    /// Whether a model may be shown the file.
    pub fn access(&self) -> &ModelAccess {
        &self.info.access
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { info: self.info.clone(), language_id: self.language_id.clone() }
    }

    /// Applies changes. Returns the version before them, and whether they were a single key press.
    pub(super) fn change(
        &mut self,
        changes: &[Change],
        encoding: Encoding,
        version: Option<i32>,
        now: Instant,
    ) -> Result<(Arc<Document>, bool), OutOfSync> {
        let version = version.unwrap_or_else(|| self.document.version().saturating_add(1));
        let (document, splices) = self.document.edited(changes, encoding, version)?;
        if !self.prepared.all().is_empty() {
            let prepared = Arc::make_mut(&mut self.prepared);
            splices.iter().for_each(|splice| prepared.advance(splice));
        }
        for splice in &splices {
            self.next_edits.advance(splice);
            self.diagnostics.advance(splice);
            self.model_fixes.advance(splice);
            self.hints.advance(splice);
            self.focus = splice.span.start + splice.text.len();
        }
        self.unopened.offered = None;
        self.suggestions.advance(&splices, &document);
        let is_key = self.last_edit.record(&self.document, &document, &splices, now);
        // A fix may also be a single character.
        let is_of_fix =
            |it: &Splice| self.applied_replacements.contains(&(String::new(), it.text.trim().to_owned()));
        if is_key && !splices.iter().all(is_of_fix) {
            self.applied_replacements = Arc::default();
        }
        self.changes.push(self.document.revision(), splices);
        self.versions.push(version, changes, encoding);
        Ok((std::mem::replace(&mut self.document, Arc::new(document)), is_key))
    }

    /// The changes made since an earlier version of this file.
    ///
    /// Returns `None` if some of them have been dropped.
    pub fn changes_since(&self, earlier: &Document) -> Option<Vec<Splice>> {
        let changes = self.changes.since(earlier.revision(), self.document.revision())?;
        Some(changes.cloned().collect())
    }

    /// The span where a renamed name is declared in this file.
    ///
    /// Returns `None` once the text there has changed.
    pub fn declaration_now(&self, rename: &Rename) -> Option<Range<usize>> {
        let mut changes = self.changes.since(rename.revision, self.document.revision())?;
        changes.try_fold(rename.at.clone(), |at, splice| moved(&at, splice))
    }

    /// Maps a range of the version `version` to the current one, if its text is unchanged.
    pub fn range_now(&self, version: i32, range: Range<Position>) -> Option<Range<Position>> {
        self.versions.now(version, self.document.version(), range)
    }

    /// The file's ghost text.
    pub fn ghost(&mut self) -> Ghost<'_> {
        Ghost::new(&self.document, &mut self.suggestions)
    }

    /// The file's next edits.
    pub fn next_edits(&mut self) -> NextEdits<'_> {
        NextEdits::new(&self.document, &self.changes, &mut self.next_edits)
    }

    /// The queued next edits, in display order.
    pub fn queued_edits(&self) -> impl Iterator<Item = &NextEdit> {
        self.next_edits.queued.iter()
    }

    /// The edits in an unopened file that the last change leads to.
    pub fn unopened_edits(&self) -> Option<&UnopenedEdits> {
        self.unopened.offered.as_ref()
    }

    /// Offers edits that a search in `searched` found in an unopened file.
    ///
    /// Returns false if `searched` is outdated, or if the user has rejected the edits.
    pub fn offer_unopened(&mut self, searched: &Document, edits: UnopenedEdits) -> bool {
        self.document.revision() == searched.revision() && self.unopened.offer(edits)
    }

    /// The file that edits in this one lead to.
    pub fn leads_to(&self) -> Option<&DocumentId> {
        self.next_edits.other_file.as_ref()
    }

    /// The job, the gear and the model behind the suggestion `id`, while it is known.
    pub(super) fn source(&self, id: u64) -> Option<(Job, &Source)> {
        let next_edit = || self.next_edits.source(id).or_else(|| self.unopened.source(id));
        let ghost_text = self.suggestions.source(id).map(|it| (Job::Complete, it));
        ghost_text.or_else(|| Some((Job::NextEdit, next_edit()?)))
    }

    /// Registers the running request for ghost text, and stops the previous one.
    pub fn replace_running(&mut self, request: AbortHandle) {
        self.running = Some(request.into());
    }

    /// Moves the running request, which was answered with a prediction, to the background.
    ///
    /// It continues until another request is moved there: requests in between show nothing that replaces it. A
    /// request for a menu entry continues beside it: once the menu is closed, the prediction is on screen as
    /// before, perhaps without another request.
    pub fn follow_running(&mut self, is_under_menu: bool) {
        self.following_under_menu = None;
        let place = if is_under_menu { &mut self.following_under_menu } else { &mut self.following };
        *place = self.running.take();
    }

    /// Stops the requests that continue in the background.
    pub fn stop_following(&mut self) {
        (self.following, self.following_under_menu) = (None, None);
    }

    /// Marks the file as just typed in, after a change of its whole text.
    pub(super) fn mark_typed(&mut self, now: Instant) {
        self.last_edit = LastEdit::typed(now);
    }

    /// Whether the file has a suggestion hidden by `indicator_only`.
    pub fn has_hidden_suggestion(&self) -> bool {
        self.suggestions.has_hidden
    }

    /// Replaces the diagnostics that other servers reported.
    pub fn set_diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        self.errors = regression::errors(&diagnostics);
        self.diagnostics.replace(diagnostics);
        if !self.prepared.all().is_empty() {
            Arc::make_mut(&mut self.prepared).keep_reported(&self.diagnostics.0);
        }
    }

    /// All diagnostics that other servers reported, sorted by span, without duplicates.
    pub fn diagnostics(&self) -> &Arc<Vec<Diagnostic>> {
        &self.diagnostics.0
    }

    /// Replaces the review findings, which were made for the version `of`.
    ///
    /// Returns false if too much has changed since.
    pub fn set_hints(&mut self, of: &Document, hints: Vec<ReviewHint>) -> bool {
        let Some(changes) = self.changes_since(of) else { return false };
        self.hints.0 = hints;
        changes.iter().for_each(|splice| self.hints.advance(splice));
        true
    }

    /// The review findings on lines that are unchanged since.
    pub fn hints(&self) -> &[ReviewHint] {
        &self.hints.0
    }

    /// Records that accepting a suggestion led to the current text.
    pub(super) fn mark_accepted(&mut self) {
        self.accepted = Some(Accepted { revision: self.document.revision(), errors: self.errors });
    }

    /// The diagnostics around a byte, most severe first, then nearest.
    pub fn diagnostics_near(&self, byte: usize) -> Vec<Diagnostic> {
        let text = self.document.text();
        self.diagnostics.near(byte, |byte| text.byte_to_line(byte.min(text.len_bytes())))
    }
}
