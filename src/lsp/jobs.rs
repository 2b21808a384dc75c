//! From a request to its answer: snapshot, work in a task, and what the session and the editor hear of it.
//!
//! One file per job; here is what they share.

mod complete;
mod fix;
mod next_edit;
mod offer;
mod rewrite;

use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use super::backend::Shared;
use super::{status, task};
use crate::assist::Origin;
use crate::document::Document;
use crate::job::{Job, Reason};
use crate::session::Decision;

pub(super) use complete::{complete, learn};
pub(super) use fix::fix_command;
pub(super) use next_edit::{Reach, next_edit};
pub(super) use offer::{offer, resolve};
pub(super) use rewrite::rewrite_command;

/// The first words of every action's title.
const TITLE: &str = "Tandem: ";
/// The cause under which a model's failures are shown, once until it answers again.
const MODEL_CAUSE: &str = "model";

/// Runs work that parses a document, on the pool for such work. The tree stays with the document, so the session is
/// told to count it.
async fn parsing<T: Send + 'static>(
    shared: &Arc<Shared>,
    document: Arc<Document>,
    work: impl FnOnce(&Document) -> T + Send + 'static,
) -> Result<T> {
    let shared = Arc::clone(shared);
    task::run_blocking(move || {
        let done = work(&document);
        shared.session().note_parsed(document.id());
        done
    })
    .await
}

/// A request that the user made and that came to nothing: an error with one sentence to act on.
fn failure(job: Job, reason: &Reason) -> Error {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    let code = match reason {
        // LSP 3.18: `ContentModified`, `RequestFailed`.
        Reason::Stale | Reason::Refused { code: "rebase-overlap" | "rebase-touch", .. } => -32801,
        Reason::Internal => -32603,
        // LSP 3.18: `RequestCancelled`.
        Reason::Cancelled => -32800,
        _ => -32803,
    };
    Error {
        code: ErrorCode::ServerError(code),
        message: format!("Tandem: {reason}").into(),
        data: Some(json!({ "reason": reason.code() })),
    }
}

/// Keeps what came of a request by hand about a byte of a document, for a user who wonders.
fn remember(
    shared: &Shared,
    job: Job,
    document: &Document,
    at: usize,
    started: Instant,
    made: std::result::Result<&Origin, &Reason>,
) {
    let decision = Decision {
        at: status::now(),
        line: u32::try_from(document.text().byte_to_line(at)).unwrap_or(u32::MAX),
        job,
        invoked: true,
        nothing: made.err().cloned(),
        route: made.ok().map(|origin| origin.reason.to_string()),
        gear: made.ok().map(|origin| origin.gear.to_string()),
        model: made.ok().and_then(|origin| origin.model.clone()),
        milliseconds: status::milliseconds(started.elapsed()),
    };
    shared.session().decide(document.id(), decision);
}

fn log_origin(job: Job, origin: &Origin) {
    tracing::debug!(
        job = job.name(),
        gear = %origin.gear,
        model = origin.model.as_deref().unwrap_or("none"),
        input_tokens = origin.usage.input_tokens,
        cached_tokens = origin.usage.cached_tokens,
        output_tokens = origin.usage.output_tokens,
        "answered"
    );
}
