//! Parsing in the background, so that the next question finds a tree of the current text.
//!
//! An optimisation that nothing depends on: every job makes do with the edited tree of an earlier version. It costs
//! time, so it waits for a pause in the typing, and after a parse of a large file for a multiple of what that took.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::backend::Shared;
use crate::context::{outline, window};
use crate::document::{Document, DocumentId};
use crate::grammar::QueryKind;

/// No key for this long is a pause.
const PAUSE: Duration = Duration::from_millis(150);
/// Parsing may take one part in this many of the time.
const SHARE: u32 = 100;

/// Sees to it that the file's current version gets a tree before long, by one task a file.
pub(super) fn schedule(shared: &Arc<Shared>, id: &DocumentId) {
    let wanted = shared.session().begin_parse(id);
    if wanted {
        let (shared, id) = (Arc::clone(shared), id.clone());
        tokio::spawn(async move { until_parsed(&shared, &id).await });
    }
}

async fn until_parsed(shared: &Arc<Shared>, id: &DocumentId) {
    while let Some(document) = at_a_pause(shared, id).await {
        // One at a time: they are in nobody's way, and memory holds one tree in the making.
        let Ok(turn) = shared.parsing.acquire().await else { break };
        let outlined = shared.session().is_outlined(id);
        let started = Instant::now();
        let work = {
            let document = Arc::clone(&document);
            move || {
                // Compiled here, so that no keystroke waits for it: it takes up to 30 ms, once.
                document.grammar().and_then(|grammar| grammar.query(QueryKind::Scopes));
                document.syntax();
                // A file that its window shows as a whole needs no outline.
                let long = document.text().len_bytes() > window::BEFORE + window::AFTER;
                (long && !outlined).then(|| outline::of(&document))
            }
        };
        let done = tokio::task::spawn_blocking(work).await;
        drop(turn);
        match done {
            Ok(outline) => shared.session().adopt(&document, outline),
            Err(error) => {
                tracing::error!(%error, "a parse failed");
                break;
            }
        }
        // The session keeps the tree for as long as it thinks fit; nothing here does.
        let parsed = document.revision();
        drop(document);
        // Changes that come in this time wait for the next round.
        tokio::time::sleep(started.elapsed() * SHARE).await;
        if shared.session().end_parse_if_current(id, parsed) {
            return;
        }
    }
    shared.session().end_parse(id);
}

/// The version that is current once no change has come for a while; `None` if the file is no longer followed.
async fn at_a_pause(shared: &Arc<Shared>, id: &DocumentId) -> Option<Arc<Document>> {
    let current = || Some(Arc::clone(shared.session().tracked(id).ok()?.document()));
    let mut seen = current()?;
    // The first parse of a file is not put off: without it there is no tree at all.
    if seen.tree().is_none() {
        return Some(seen);
    }
    loop {
        tokio::time::sleep(PAUSE).await;
        let now = current()?;
        if now.revision() == seen.revision() {
            return Some(now);
        }
        seen = now;
    }
}
