//! Error answers to explicit requests.

use serde_json::json;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::edit::Refusal;
use crate::job::{Job, Reason};
use crate::route::Gear;

/// LSP 3.18, `LSPErrorCodes.RequestFailed`.
const REQUEST_FAILED: i64 = -32803;

pub(super) fn gear(name: Option<&str>) -> Result<Option<Gear>> {
    let gear = name.map(str::parse::<Gear>).transpose();
    gear.map_err(|error| Error::invalid_params(error.to_string()))
}

/// The error answer to a command that cannot be done now, with the reason as a sentence.
pub(super) fn refusal(why: &str) -> Error {
    let message = format!("Tandem: {why}").into();
    Error { code: ErrorCode::ServerError(REQUEST_FAILED), message, data: None }
}

/// The error answer to an explicit request without a result.
///
/// Its message is one actionable sentence.
pub(super) fn failure(job: Job, reason: &Reason) -> Error {
    tracing::debug!(job = job.name(), code = reason.code(), %reason, "nothing");
    let code = match reason {
        Reason::Stale | Reason::Refused(Refusal::Stale(_)) => ErrorCode::ContentModified,
        Reason::Internal => ErrorCode::InternalError,
        Reason::Cancelled => ErrorCode::RequestCancelled,
        _ => ErrorCode::ServerError(REQUEST_FAILED),
    };
    Error {
        code,
        message: format!("Tandem: {reason}").into(),
        data: Some(json!({ "reason": reason.code() })),
    }
}
