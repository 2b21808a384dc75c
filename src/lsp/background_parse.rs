//! Parses in the background, so that the next request finds a tree of the current text.
//!
//! An optimisation that nothing depends on: every job makes do with the edited tree of an earlier version. To
//! save time it is done when a model is called, whose answer takes longer, or else once the typing has
//! paused; and after a parse of a large file not before a multiple of its duration. Other files learn of a
//! file's names in a pause only, as that reads the whole tree.

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

/// Parses and takes in files, on the background thread: memory holds one growing tree.
#[derive(Clone)]
pub(super) struct BackgroundParser {
    session: SessionLock,
    related: RelatedFiles,
    background: Background,
    /// Wakes the tasks that wait for the typing to stop.
    hurry: Arc<Notify>,
}

impl BackgroundParser {
    pub(super) fn new(session: SessionLock, related: RelatedFiles, background: Background) -> Self {
        Self { session, related, background, hurry: Arc::default() }
    }

    /// Has the file parsed once it was not changed for [`PARSE_PAUSE`].
    ///
    /// A key only moves the time.
    pub(super) fn schedule(&self, id: &DocumentId) {
        let pause = (Instant::now() + PARSE_PAUSE).into_std();
        self.begin(id, |tracked| tracked.begin_parse_at_pause(pause));
    }

    /// Has the file's current version parsed now, as its tree is about to be looked at.
    pub(super) fn hurry(&self, id: &DocumentId) {
        self.begin(id, |tracked| tracked.begin_parse(Instant::now().into_std()));
        self.hurry.notify_waiters();
    }

    /// Has a file parsed that was opened, or takes in what can be known of it without a tree.
    pub(super) fn open(&self, id: &DocumentId) {
        if !self.begin(id, |tracked| tracked.begin_parse(Instant::now().into_std())) {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.take_in(&id).await });
        }
    }

    /// There is one task for each file. Returns whether this has begun it.
    fn begin(&self, id: &DocumentId, set_due: impl FnOnce(&mut Tracked) -> bool) -> bool {
        let is_new = self.session.lock().tracked_mut(id).is_ok_and(set_due);
        if is_new {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.serve(&id).await });
        }
        is_new
    }

    /// Takes in what a file has for other files, and what others have for it.
    async fn take_in(&self, id: &DocumentId) {
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
    /// Takes it in once the typing has paused.
    async fn serve(&self, id: &DocumentId) {
        let mut parsed = None;
        while let Some(work) = self.next_work(id, parsed).await {
            let document = match work {
                ParseTask::TakeIn(revision) => {
                    self.take_in(id).await;
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
            // Changes made in this time wait for the next round.
            tokio::time::sleep(took * PARSE_REST_FACTOR).await;
        }
        if let Ok(tracked) = self.session.lock().tracked_mut(id) {
            tracked.end_parse();
        }
    }

    /// Parses a version of a file; returns how long that took, or `None` if it failed.
    async fn parse(&self, id: &DocumentId, document: Arc<Document>) -> Option<Duration> {
        // The session alone decides how long the tree is kept, so no copy of the document outlives this.
        let has_outline = self.session.lock().tracked(id).is_ok_and(|tracked| tracked.has_outline());
        let parsed = Arc::clone(&document);
        // Without the wait for other work.
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

    /// What is to be done next for a file, at its time; `None` if it is no longer tracked.
    async fn next_work(&self, id: &DocumentId, parsed: Option<u64>) -> Option<ParseTask> {
        loop {
            // Registered before the time is read, so that no change of it is missed.
            let mut hurried = std::pin::pin!(self.hurry.notified());
            hurried.as_mut().enable();
            let due = {
                let session = self.session.lock();
                let tracked = session.tracked(id).ok()?;
                let is_parsed = tracked.is_parsed_since(parsed);
                let due = if is_parsed { tracked.pause() } else { tracked.parse_due() };
                match due.map(Instant::from_std).filter(|due| *due > Instant::now()) {
                    None if is_parsed => return Some(ParseTask::TakeIn(tracked.document().revision())),
                    None => return Some(ParseTask::Parse(Arc::clone(tracked.document()))),
                    Some(due) => due,
                }
            };
            _ = tokio::time::timeout_at(due, hurried).await;
        }
    }
}

/// What a file needs.
enum ParseTask {
    /// The parse of its current version.
    Parse(Arc<Document>),
    /// Its current version, whose revision this is, has a tree: other files learn of it.
    TakeIn(u64),
}

/// Parses a document; returns its outline if it needs a new one.
fn parse(document: &Document, has_outline: bool) -> Option<String> {
    // Compiled here, so that no keystroke waits for it: it takes up to 30 ms, once.
    document.grammar().and_then(|grammar| grammar.query(QueryKind::Scopes));
    document.syntax();
    // A file that fits into its window needs no outline.
    let is_long = document.text().len_bytes() > complete::BEFORE_BYTES + complete::AFTER_BYTES;
    // A cell's outline is for the other cells.
    (document.is_cell() || is_long && !has_outline).then(|| outline::of(document))
}
