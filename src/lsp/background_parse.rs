//! Parses in the background, so that the next request finds a tree of the current text.
//!
//! An optimisation that nothing depends on: every job makes do with the edited tree of an earlier version. To
//! save time it waits for a pause in the typing, and after a parse of a large file for a multiple of its
//! duration.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Semaphore;

use super::indexing;
use super::session_lock::SessionLock;
use crate::context::{complete, outline};
use crate::document::{Document, DocumentId};
use crate::grammar::QueryKind;
use crate::lsp::limits::{PARSE_PAUSE, PARSE_REST_FACTOR};

/// Parses files one at a time, so that memory holds one growing tree.
#[derive(Debug, Clone)]
pub(super) struct BackgroundParser {
    session: SessionLock,
    turn: Arc<Semaphore>,
}

impl BackgroundParser {
    pub(super) fn new(session: SessionLock) -> Self {
        Self { session, turn: Arc::new(Semaphore::new(1)) }
    }

    /// Has the file's current version parsed before long, in one task for each file.
    pub(super) fn schedule(&self, id: &DocumentId) {
        let is_due = self.session.lock().tracked_mut(id).is_ok_and(|tracked| tracked.begin_parse());
        if is_due {
            let (parser, id) = (self.clone(), id.clone());
            tokio::spawn(async move { parser.parse_until_current(&id).await });
        }
    }

    async fn parse_until_current(&self, id: &DocumentId) {
        while let Some(document) = self.at_a_pause(id).await {
            let Ok(turn) = self.turn.acquire().await else { break };
            let has_outline = self.session.lock().tracked(id).is_ok_and(|tracked| tracked.has_outline());
            let started = Instant::now();
            let parsed = Arc::clone(&document);
            let done = tokio::task::spawn_blocking(move || parse(&parsed, has_outline)).await;
            let took = started.elapsed();
            drop(turn);
            match done {
                Ok(outline) => {
                    self.session.lock().adopt_tree(&document, outline);
                    indexing::index_file(&self.session, id);
                }
                Err(error) => {
                    tracing::error!(%error, "a parse failed");
                    break;
                }
            }
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

    /// The current version after a pause in the typing; `None` if the file is no longer tracked.
    async fn at_a_pause(&self, id: &DocumentId) -> Option<Arc<Document>> {
        let current = || Some(Arc::clone(self.session.lock().tracked(id).ok()?.document()));
        let mut seen = current()?;
        // The first parse of a file begins at once: without it there is no tree at all.
        if seen.tree().is_none() {
            return Some(seen);
        }
        loop {
            tokio::time::sleep(PARSE_PAUSE).await;
            let now = current()?;
            if now.revision() == seen.revision() {
                return Some(now);
            }
            seen = now;
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
