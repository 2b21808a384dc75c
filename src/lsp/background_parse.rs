//! Parses in the background, so that the next request finds a tree of the current text.
//!
//! An optimisation that nothing depends on: every job makes do with the edited tree of an earlier version. To
//! save time it is done when a model is called, whose answer takes longer, or else once the typing has
//! stopped; and after a parse of a large file not before a multiple of its duration.

use std::sync::Arc;

use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

use super::related::RelatedFiles;
use super::session_lock::SessionLock;
use super::{indexing, prepared_fixes};
use crate::context::{complete, outline};
use crate::document::{Document, DocumentId};
use crate::grammar::QueryKind;
use crate::lsp::limits::{PARSE_PAUSE, PARSE_REST_FACTOR};

/// Parses files one at a time, so that memory holds one growing tree.
#[derive(Clone)]
pub(super) struct BackgroundParser {
    session: SessionLock,
    related: RelatedFiles,
    turn: Arc<Semaphore>,
    /// Wakes the tasks that wait for the typing to stop.
    hurry: Arc<Notify>,
}

impl BackgroundParser {
    pub(super) fn new(session: SessionLock, related: RelatedFiles) -> Self {
        Self { session, related, turn: Arc::new(Semaphore::new(1)), hurry: Arc::default() }
    }

    /// Has the file parsed once it was not changed for [`PARSE_PAUSE`]. A key only moves the time.
    pub(super) fn schedule(&self, id: &DocumentId) {
        self.begin(id, Instant::now() + PARSE_PAUSE);
    }

    /// Has the file's current version parsed now, as its tree is about to be looked at.
    pub(super) fn hurry(&self, id: &DocumentId) {
        self.begin(id, Instant::now());
        self.hurry.notify_waiters();
    }

    /// Has a file parsed that was opened, or takes in what can be known of it without a tree.
    pub(super) fn open(&self, id: &DocumentId) {
        if !self.begin(id, Instant::now()) {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.take_in(&id).await });
        }
    }

    /// There is one task for each file. Returns whether this has begun it.
    fn begin(&self, id: &DocumentId, due: Instant) -> bool {
        let is_new = self.session.lock().tracked_mut(id).is_ok_and(|it| it.begin_parse(due.into_std()));
        if is_new {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.parse_until_current(&id).await });
        }
        is_new
    }

    /// Takes in what a file has for other files, and what others have for it.
    async fn take_in(&self, id: &DocumentId) {
        indexing::index_file(&self.session, id).await;
        self.related.renew(id);
    }

    async fn parse_until_current(&self, id: &DocumentId) {
        while let Some(document) = self.when_due(id).await {
            let Ok(turn) = self.turn.acquire().await else { break };
            let has_outline = self.session.lock().tracked(id).is_ok_and(|tracked| tracked.has_outline());
            let started = Instant::now();
            let parsed = Arc::clone(&document);
            let done = tokio::task::spawn_blocking(move || parse(&parsed, has_outline)).await;
            match done {
                Ok(outline) => {
                    self.session.lock().adopt_tree(&document, outline);
                    prepared_fixes::prepare(&self.session, id);
                    self.take_in(id).await;
                }
                Err(error) => {
                    tracing::error!(%error, "a parse failed");
                    break;
                }
            }
            let took = started.elapsed();
            drop(turn);
            // The session alone decides how long the tree is kept.
            let revision = document.revision();
            drop(document);
            // Changes made in this time wait for the next round.
            tokio::time::sleep(took * PARSE_REST_FACTOR).await;
            let mut session = self.session.lock();
            if session.tracked_mut(id).map_or(true, |tracked| tracked.end_parse_if_current(revision)) {
                return;
            }
        }
        if let Ok(tracked) = self.session.lock().tracked_mut(id) {
            tracked.end_parse();
        }
    }

    /// The version that is current when the parse is due; `None` if the file is no longer tracked.
    async fn when_due(&self, id: &DocumentId) -> Option<Arc<Document>> {
        loop {
            // Registered before the time is read, so that no change of it is missed.
            let mut hurried = std::pin::pin!(self.hurry.notified());
            hurried.as_mut().enable();
            let (document, due) = {
                let session = self.session.lock();
                let tracked = session.tracked(id).ok()?;
                (Arc::clone(tracked.document()), tracked.parse_due())
            };
            match due.map(Instant::from_std).filter(|due| *due > Instant::now()) {
                None => return Some(document),
                Some(due) => _ = tokio::time::timeout_at(due, hurried).await,
            }
        }
    }
}

/// Parses a document; returns its outline if it needs a new one.
fn parse(document: &Document, has_outline: bool) -> Option<String> {
    // Compiled here, so that no keystroke waits for it: it takes up to 30 ms, once.
    document.grammar().and_then(|grammar| grammar.query(QueryKind::Scopes));
    document.syntax();
    // A file that fits into its window needs no outline.
    let is_long = document.text().len_bytes() > complete::BEFORE_BYTES + complete::AFTER_BYTES;
    (is_long && !has_outline).then(|| outline::of(document))
}
