//! Parses in the background, so that the next request finds a tree of the current text.
//!
//! An optimization that nothing depends on: every job can use the edited tree of an earlier version. To save
//! time, parsing happens when a model is called, whose answer takes longer, or once typing has paused; after
//! parsing a large file, not again before a multiple of the parse duration. A file's names are published to
//! other files only in a pause, since that reads the whole tree.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use super::related::RelatedFiles;
use super::session_lock::SessionLock;
use super::{indexing, prepared_fixes};
use crate::background::Background;
use crate::context::{complete, outline};
use crate::document::{Document, DocumentId};
use crate::grammar::QueryKind;
use crate::lsp::limits::{PARSE_PAUSE, PARSE_REST_FACTOR};
use crate::session::Tracked;

/// Parses and indexes files on the background thread, so that memory holds one growing tree.
#[derive(Clone)]
pub(super) struct BackgroundParser {
    session: SessionLock,
    related: RelatedFiles,
    background: Background,
    /// Wakes the tasks that wait for typing to stop.
    hurry: Arc<Notify>,
}

impl BackgroundParser {
    pub(super) fn new(session: SessionLock, related: RelatedFiles, background: Background) -> Self {
        Self { session, related, background, hurry: Arc::default() }
    }

    /// Schedules a parse of the file for when it has been unchanged for [`PARSE_PAUSE`].
    ///
    /// A key press only postpones it.
    pub(super) fn schedule(&self, id: &DocumentId) {
        let pause = (Instant::now() + PARSE_PAUSE).into_std();
        self.begin(id, |tracked| tracked.begin_parse_at_pause(pause));
    }

    /// Schedules a parse of the file's current version now, because its tree is about to be used.
    pub(super) fn hurry(&self, id: &DocumentId) {
        self.begin(id, |tracked| tracked.begin_parse(Instant::now().into_std()));
        self.hurry.notify_waiters();
    }

    /// Schedules a parse of an opened file, or indexes the file without a tree.
    pub(super) fn open(&self, id: &DocumentId) {
        if !self.begin(id, |tracked| tracked.begin_parse(Instant::now().into_std())) {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.publish_file(&id).await });
        }
    }

    /// Starts the task of a file, unless it is running. There is one task per file. Returns true if it was started.
    fn begin(&self, id: &DocumentId, set_due: impl FnOnce(&mut Tracked) -> bool) -> bool {
        let is_new = self.session.lock().tracked_mut(id).is_ok_and(set_due);
        if is_new {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.serve(&id).await });
        }
        is_new
    }

    /// Publishes a file's words and names to other files, and gathers context from other files.
    async fn publish_file(&self, id: &DocumentId) {
        let document = self.session.lock().tracked(id).ok().map(|tracked| Arc::clone(tracked.document()));
        if let Some(document) = document
            && let Err(error) = self.background.run(move || document.gather_words()).await
        {
            tracing::error!(%error, "words could not be gathered");
        }
        indexing::index_file(&self.session, &self.background, id).await;
        self.related.refresh(id);
    }

    /// Parses a file until its current version is parsed.
    ///
    /// Publishes its words and names once typing has paused.
    async fn serve(&self, id: &DocumentId) {
        let mut parsed = None;
        while let Some(work) = self.next_work(id, parsed).await {
            let document = match work {
                ParseTask::Publish(revision) => {
                    self.publish_file(id).await;
                    let mut session = self.session.lock();
                    if session.tracked_mut(id).map_or(true, |it| it.end_parse_if_current(revision)) {
                        return;
                    }
                    continue;
                }
                ParseTask::Parse(document) => document,
            };
            parsed = Some(document.revision());
            let Some(took) = self.parse(id, document).await else { break };
            // Changes made in the meantime wait for the next round.
            tokio::time::sleep(took * PARSE_REST_FACTOR).await;
        }
        if let Ok(tracked) = self.session.lock().tracked_mut(id) {
            tracked.end_parse();
        }
    }

    /// Parses a version of a file. Returns the duration, or `None` if parsing failed.
    async fn parse(&self, id: &DocumentId, document: Arc<Document>) -> Option<Duration> {
        // Only the session decides how long the tree is kept, so no copy of the document outlives this call.
        let has_outline = self.session.lock().tracked(id).is_ok_and(|tracked| tracked.has_outline());
        let parsed = Arc::clone(&document);
        // The measured time excludes waiting for other work.
        let work = move || {
            let started = std::time::Instant::now();
            (parse(&parsed, has_outline), started.elapsed())
        };
        match self.background.run(work).await {
            Ok((outline, took)) => {
                self.session.lock().adopt_tree(&document, outline, Instant::now().into_std());
                prepared_fixes::prepare(&self.session, id);
                Some(took)
            }
            Err(error) => {
                tracing::error!(%error, "a parse failed");
                None
            }
        }
    }

    /// Waits for the next work on a file; `None` if the file is no longer tracked.
    async fn next_work(&self, id: &DocumentId, parsed: Option<u64>) -> Option<ParseTask> {
        loop {
            // Registered before the due time is read, so that no change of it is missed.
            let mut hurried = std::pin::pin!(self.hurry.notified());
            hurried.as_mut().enable();
            let due = {
                let session = self.session.lock();
                let tracked = session.tracked(id).ok()?;
                let is_parsed = tracked.is_parsed_since(parsed);
                let due = if is_parsed { tracked.pause() } else { tracked.parse_due() };
                match due.map(Instant::from_std).filter(|due| *due > Instant::now()) {
                    None if is_parsed => return Some(ParseTask::Publish(tracked.document().revision())),
                    None => return Some(ParseTask::Parse(Arc::clone(tracked.document()))),
                    Some(due) => due,
                }
            };
            _ = tokio::time::timeout_at(due, hurried).await;
        }
    }
}

/// The next work on a file.
enum ParseTask {
    /// Parse the current version.
    Parse(Arc<Document>),
    /// Publish the names of the current version, which has a tree and this revision.
    Publish(u64),
}

/// Parses a document. Returns its outline if it needs a new one.
fn parse(document: &Document, has_outline: bool) -> Option<String> {
    // Compiled here, so that no key press waits for it: it takes up to 30 ms, once.
    document.grammar().and_then(|grammar| grammar.query(QueryKind::Scopes));
    document.syntax();
    // A file that fits into its context window needs no outline.
    let is_long = document.text().len_bytes() > complete::BEFORE_BYTES + complete::AFTER_BYTES;
    // A cell's outline is for the other cells.
    (document.is_cell() || is_long && !has_outline).then(|| outline::of(document))
}
