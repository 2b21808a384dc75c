//! One tracked file: its current version, how it came about, and what is suggested in it.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;

use super::change_log::ChangeLog;
use super::diagnostics::{FileDiagnostics, moved};
use super::ghost::{Ghost, LastEdit, Source, Suggestions};
use super::hints::{Hints, ReviewHint};
use super::model_fixes::{FixScope, ModelFix, ModelFixes, NextFix, Place};
use super::next_edit::{NextEdit, NextEditQueue, NextEdits, Unopened, UnopenedEdits};
use super::prepared_fixes::{Exchanged, PreparedFix, PreparedFixes};
use super::setback::{self, Accepted};
use super::version_map::VersionMap;
use crate::document::position::{Encoding, Position};
use crate::document::{Change, Document, DocumentId, OutOfSync, Splice};
use crate::privacy::ModelAccess;
use crate::session::limits::{CHANGED_LINES_BYTES, EXCHANGED_TEXTS};
use crate::snapshot::{Diagnostic, Related, Rename};

/// What outlives the loss of a file's text.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) info: FileInfo,
    pub(super) language_id: Box<str>,
}

/// Where a file is and who may see it.
#[derive(Debug, Clone)]
pub struct FileInfo {
    /// The path shown to the user and to a model.
    pub shown: Arc<str>,
    /// The path whose rules and settings hold for it, if there is one: its own, or that of the notebook it is a cell of.
    pub path: Option<PathBuf>,
    /// Whether a model may be shown it.
    pub access: ModelAccess,
}

impl From<&str> for FileInfo {
    fn from(shown: &str) -> Self {
        Self { shown: shown.into(), path: None, access: ModelAccess::default() }
    }
}

/// One tracked file.
#[derive(Debug)]
pub struct Tracked {
    document: Arc<Document>,
    info: FileInfo,
    language_id: Box<str>,
    outline: Option<Arc<str>>,
    outline_is_stale: bool,
    changes: ChangeLog,
    versions: VersionMap,
    next_edits: NextEditQueue,
    unopened: Unopened,
    diagnostics: FileDiagnostics,
    hints: Hints,
    prepared: Arc<PreparedFixes>,
    is_preparing: bool,
    exchanged: Arc<Exchanged>,
    model_fixes: ModelFixes,
    /// How many errors were reported last.
    errors: usize,
    accepted: Option<Accepted>,
    suggestions: Suggestions,
    last_edit: LastEdit,
    /// The request for ghost text that runs.
    running: Option<AbortHandle>,
    /// The request that was answered with a prediction, and goes on for what the model has to say.
    following: Option<AbortHandle>,
    is_parsing: bool,
    /// When the background parse begins that is to come.
    parse_due: Option<Instant>,
    /// What was gathered of other files.
    related: Arc<Related>,
    gathering: Gathering,
    /// Where the user works: the last edit or the last request for ghost text (bytes).
    focus: usize,
}

/// Whether other files are being gathered from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gathering {
    Idle,
    Running,
    /// Something has changed since it began.
    Outdated,
}

impl Tracked {
    pub(super) fn new(document: Document, language_id: &str, info: FileInfo) -> Self {
        Self {
            versions: VersionMap::new(document.version()),
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
            exchanged: Arc::default(),
            model_fixes: ModelFixes::default(),
            errors: 0,
            accepted: None,
            suggestions: Suggestions::default(),
            last_edit: LastEdit::default(),
            running: None,
            following: None,
            is_parsing: false,
            parse_due: None,
            related: Arc::default(),
            gathering: Gathering::Idle,
            focus: 0,
        }
    }

    /// What was gathered of other files.
    pub fn related(&self) -> &Arc<Related> {
        &self.related
    }

    /// Whether other files should be gathered from now; if that is under way, it is done once more afterwards.
    pub fn begin_gathering(&mut self) -> bool {
        let is_idle = self.gathering == Gathering::Idle;
        self.gathering = if is_idle { Gathering::Running } else { Gathering::Outdated };
        is_idle
    }

    /// The gathering is over. Whether it is to be done once more.
    pub fn end_gathering(&mut self) -> bool {
        std::mem::replace(&mut self.gathering, Gathering::Idle) == Gathering::Outdated
    }

    pub(super) fn set_related(&mut self, related: Arc<Related>) {
        self.related = related;
    }

    /// Where the user works (bytes).
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// The user works here now (bytes).
    pub fn set_focus(&mut self, byte: usize) {
        self.focus = byte;
    }

    /// The current version.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// The path shown to the user and to a model.
    pub fn path(&self) -> &Arc<str> {
        &self.info.shown
    }

    /// Its path on this machine, if it is a file.
    pub fn path_on_disk(&self) -> Option<&Path> {
        self.place().filter(|_| self.document.id().is_file())
    }

    /// The path whose rules and settings hold for it, if there is one.
    pub fn place(&self) -> Option<&Path> {
        self.info.path.as_deref()
    }

    /// The editor's word for the file's language.
    pub fn language_id(&self) -> &str {
        &self.language_id
    }

    /// Whether a model may be shown it.
    pub fn access(&self) -> &ModelAccess {
        &self.info.access
    }

    pub(super) fn info(&self) -> &FileInfo {
        &self.info
    }

    pub(super) fn info_mut(&mut self) -> &mut FileInfo {
        &mut self.info
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { info: self.info.clone(), language_id: self.language_id.clone() }
    }

    /// Applies changes. Returns the version before them, and whether they were a single key.
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
        self.unopened.take();
        self.suggestions.advance(&splices, &document);
        let is_key = self.last_edit.record(&self.document, &document, &splices, now);
        // A fix may be a single sign, too.
        let is_of_fix = |it: &Splice| self.exchanged.contains(&(String::new(), it.text.trim().to_owned()));
        if is_key && !splices.iter().all(is_of_fix) {
            self.exchanged = Arc::default();
        }
        self.changes.push(self.document.revision(), splices);
        self.versions.push(version, changes, encoding);
        Ok((std::mem::replace(&mut self.document, Arc::new(document)), is_key))
    }

    /// The changes made since an earlier version of this file.
    ///
    /// `None` if some of them are no longer kept.
    pub fn changes_since(&self, earlier: &Document) -> Option<Vec<Splice>> {
        let changes = self.changes.since(earlier.revision(), self.document.revision())?;
        Some(changes.cloned().collect())
    }

    /// Where a name is declared that was renamed in this file; `None` once the text there has changed.
    pub fn declaration_now(&self, rename: &Rename) -> Option<Range<usize>> {
        let mut changes = self.changes.since(rename.revision, self.document.revision())?;
        changes.try_fold(rename.at.clone(), |at, splice| moved(&at, splice))
    }

    /// Where a range of the version `version` is now, if its text is unchanged.
    pub fn range_now(&self, version: i32, range: Range<Position>) -> Option<Range<Position>> {
        self.versions.now(version, self.document.version(), range)
    }

    /// Its ghost text.
    pub fn ghost(&mut self) -> Ghost<'_> {
        Ghost::new(&self.document, &mut self.suggestions)
    }

    /// Its next edits.
    pub fn next_edits(&mut self) -> NextEdits<'_> {
        NextEdits::new(&self.document, &self.changes, &mut self.next_edits)
    }

    /// The queued next edits, the one to be shown now first.
    pub fn queued_edits(&self) -> impl Iterator<Item = &NextEdit> {
        self.next_edits.queued()
    }

    /// What the last change leads to in a file that is not open.
    pub fn unopened_edits(&self) -> Option<&UnopenedEdits> {
        self.unopened.offered()
    }

    /// Offers edits that a search in `searched` found in a file that is not open. False if this file has moved on, or the
    /// user has rejected them.
    pub fn offer_unopened(&mut self, searched: &Document, edits: UnopenedEdits) -> bool {
        self.document.revision() == searched.revision() && self.unopened.offer(edits)
    }

    pub(super) fn unopened(&mut self) -> &mut Unopened {
        &mut self.unopened
    }

    /// The other file that edits in this one lead to.
    pub fn leads_to(&self) -> Option<&DocumentId> {
        self.next_edits.other_file()
    }

    /// Which model or engine made the suggestion `id`, while that is known.
    pub(super) fn source(&self, id: u64) -> Option<&Source> {
        let queued = || self.next_edits.source(id).or_else(|| self.unopened.source(id));
        self.suggestions.source(id).or_else(queued)
    }

    /// Registers the running request for ghost text, and stops the one before it.
    pub fn replace_running(&mut self, request: AbortHandle) {
        if let Some(older) = self.running.replace(request) {
            older.abort();
        }
    }

    /// The running request was answered with a prediction, and goes on in the background.
    ///
    /// It does so until another one does: a request that comes between them, such as for an entry of the menu over the
    /// prediction, shows nothing that takes its place.
    pub fn follow_running(&mut self) {
        if let Some(older) = std::mem::replace(&mut self.following, self.running.take()) {
            older.abort();
        }
    }

    /// Stops the request that goes on in the background.
    pub fn stop_following(&mut self) {
        if let Some(request) = self.following.take() {
            request.abort();
        }
    }

    /// Counts the file as just typed in, after a change of its whole text.
    pub(super) fn mark_typed(&mut self, now: Instant) {
        self.last_edit = LastEdit::typed(now);
    }

    pub(super) fn has_hidden_suggestion(&self) -> bool {
        self.suggestions.has_hidden()
    }

    pub(super) fn last_edit(&self) -> LastEdit {
        self.last_edit
    }

    /// Replaces the diagnostics that other servers reported.
    pub fn set_diagnostics(&mut self, diagnostics: Vec<Diagnostic>) {
        self.errors = setback::errors(&diagnostics);
        self.diagnostics.replace(diagnostics);
        if !self.prepared.all().is_empty() {
            Arc::make_mut(&mut self.prepared).keep_reported(self.diagnostics.all());
        }
    }

    /// All diagnostics that other servers reported, in the order of their spans.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.all()
    }

    /// Replaces what a review found, which was made for a version; false if too much has changed since.
    pub fn set_hints(&mut self, of: &Document, hints: Vec<ReviewHint>) -> bool {
        let Some(changes) = self.changes_since(of) else { return false };
        self.hints.replace(hints);
        changes.iter().for_each(|splice| self.hints.advance(splice));
        true
    }

    /// What a review found, as far as the lines are unchanged.
    pub fn hints(&self) -> &[ReviewHint] {
        self.hints.all()
    }

    /// Whether fixes should be prepared now; if that is under way, it goes on until none is missing.
    pub fn begin_preparing(&mut self) -> bool {
        !std::mem::replace(&mut self.is_preparing, true)
    }

    /// The fixes are prepared as far as can be done now.
    pub fn end_preparing(&mut self) {
        self.is_preparing = false;
    }

    /// Keeps fixes that were made for a version, as far as what they rely on has not changed since.
    pub fn keep_prepared_fixes(&mut self, of: &Document, made: Vec<PreparedFix>) {
        if let Some(changes) = self.changes_since(of) {
            Arc::make_mut(&mut self.prepared).put_since(made, &changes);
        }
    }

    /// What fixes of saves have exchanged since the user last typed.
    pub fn exchanged(&self) -> &Arc<Exchanged> {
        &self.exchanged
    }

    /// The fixes of a save exchange these texts.
    pub fn note_exchanged(&mut self, texts: Exchanged) {
        if self.exchanged.len() <= EXCHANGED_TEXTS && !texts.is_subset(&self.exchanged) {
            Arc::make_mut(&mut self.exchanged).extend(texts);
        }
    }

    /// The fixes that are ready for the current text.
    pub fn prepared_fixes(&self) -> &Arc<PreparedFixes> {
        &self.prepared
    }

    /// Diagnostics were reported, for which a model may make fixes. True if a task has to be started for that.
    pub fn begin_model_fixes(&mut self, now: Instant) -> bool {
        self.model_fixes.begin(now)
    }

    /// No fixes are made until something is reported again.
    pub fn end_model_fixes(&mut self) {
        self.model_fixes.end();
    }

    /// Which fix a model is to make next.
    pub fn next_model_fix(&mut self, scope: FixScope, now: Instant) -> NextFix {
        let document = &self.document;
        let place = Place {
            line: line_of(document, self.focus).0,
            edited: self.last_edit.at,
            line_of: &|byte| line_of(document, byte),
        };
        self.model_fixes.next(self.diagnostics.all(), &place, scope, now)
    }

    /// A diagnostic has a certain fix, so that no model is asked for one.
    pub fn note_certain_fix(&mut self, diagnostic: &Diagnostic) {
        let (_, line) = line_of(&self.document, diagnostic.span.start);
        self.model_fixes.note_certain(diagnostic, line);
    }

    /// A model is asked for a fix of a version; `call` is aborted when the diagnostic's text changes.
    ///
    /// False, and nothing is to be asked, if that is not the current version.
    pub fn begin_model_fix(&mut self, of: &Document, diagnostic: &Diagnostic, call: AbortHandle) -> bool {
        let is_current = of.revision() == self.document.revision();
        if is_current {
            let (_, line) = line_of(&self.document, diagnostic.span.start);
            self.model_fixes.begin_call(diagnostic, line, call);
        }
        is_current
    }

    /// The call for a fix of a version has ended. True if the fix fits the current text, and is kept.
    pub fn end_model_fix(&mut self, of: &Document, fix: Option<ModelFix>) -> bool {
        self.model_fixes.end_call();
        let (Some(fix), Some(changes)) = (fix, self.changes_since(of)) else { return false };
        self.model_fixes.keep(fix, &changes)
    }

    /// A suggestion was accepted, which led to the current text.
    pub(super) fn mark_accepted(&mut self) {
        self.accepted = Some(Accepted { revision: self.document.revision(), errors: self.errors });
    }

    pub(super) fn accepted(&self) -> Option<Accepted> {
        self.accepted
    }

    /// The fixes that a model has made for diagnostics of the current text.
    pub fn model_fixes(&self) -> &[ModelFix] {
        self.model_fixes.ready()
    }

    /// The diagnostics around a byte: the worst first, then the nearest.
    pub fn diagnostics_near(&self, byte: usize) -> Vec<Diagnostic> {
        let text = self.document.text();
        self.diagnostics.near(byte, |byte| text.byte_to_line(byte.min(text.len_bytes())))
    }

    /// Has the current version parsed in the background at `due`, whatever was said before.
    ///
    /// True if that needs a new task: the version has no tree, and none waits for the time to make one.
    pub fn begin_parse(&mut self, due: Instant) -> bool {
        self.parse_due = Some(due);
        let is_new = !self.is_parsing && !self.document.is_parsed() && self.document.keeps_tree();
        self.is_parsing |= is_new;
        is_new
    }

    /// When to begin the background parse. A file without any tree is not waited for.
    pub fn parse_due(&self) -> Option<Instant> {
        self.parse_due.filter(|_| self.document.tree().is_some())
    }

    /// Ends the background parse if the file is still at the parsed revision.
    ///
    /// Returns whether it has ended. A tree that was dropped since is made again only after the next change
    /// or focus.
    pub fn end_parse_if_current(&mut self, parsed: u64) -> bool {
        let is_current = self.document.revision() == parsed || self.document.is_parsed();
        self.is_parsing &= !is_current;
        is_current
    }

    /// Ends the background parse, whatever it left.
    pub fn end_parse(&mut self) {
        self.is_parsing = false;
    }

    /// The outline of this or an earlier version, once there was a parse.
    pub fn outline(&self) -> Option<&Arc<str>> {
        self.outline.as_ref()
    }

    /// Whether there is an outline that need not be made again.
    pub fn has_outline(&self) -> bool {
        self.outline.is_some() && !self.outline_is_stale
    }

    /// Has the next parse make a new outline; the old one serves until then.
    pub fn mark_outline_stale(&mut self) {
        self.outline_is_stale = true;
    }

    /// Bytes of text that a tree is kept of.
    pub(super) fn bytes_with_tree(&self) -> usize {
        self.document.tree().map_or(0, |_| self.document.text().len_bytes())
    }

    pub(super) fn drop_tree(&mut self) {
        self.document = Arc::new(self.document.without_tree());
    }

    pub(super) fn adopt_tree(&mut self, parsed: &Document, outline: Option<String>) {
        if let Some(outline) = outline {
            self.outline = Some(outline.into());
            self.outline_is_stale = false;
        }
        if !self.document.is_parsed()
            && let Some(tree) = parsed.tree()
            && let Some(since) = self.changes.since(parsed.revision(), self.document.revision())
        {
            self.document = Arc::new(self.document.with_tree(tree, since));
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        for request in [self.running.take(), self.following.take()].into_iter().flatten() {
            request.abort();
        }
        self.model_fixes.cancel();
    }
}

/// The line of a byte, and its text without blanks around it; that of a long line is left out.
fn line_of(document: &Document, byte: usize) -> (usize, String) {
    let byte = byte.min(document.text().len_bytes());
    let span = document.line_start(byte)..document.next_line_start(byte);
    let text = if span.len() > CHANGED_LINES_BYTES { String::new() } else { document.slice(span) };
    (document.text().byte_to_line(byte), text.trim().to_owned())
}
