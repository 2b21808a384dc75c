//! Negotiates the revision of the protocol.
//!
//! Up to 2025-11-25 a handshake determines the revision of a connection. Since then each request states its revision,
//! each result has a `resultType`, and each list has a time for which it may be cached.

use serde_json::{Value, json};

use crate::cli::jsonrpc::{Fault, INVALID_PARAMS};

/// Revisions without a handshake, newest first.
pub(super) const STATELESS: [&str; 1] = ["2026-07-28"];
/// Revisions with a handshake, newest first.
const NEGOTIATED: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
const UNSUPPORTED_VERSION: i64 = -32022;
/// How long clients may cache lists, in milliseconds. Lists do not change while the server runs.
const KEPT_MS: u64 = 3_600_000;

/// The revision that a handshake selects: the client's if it is supported, else the newest.
pub(super) fn negotiated(params: &Value) -> &'static str {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    NEGOTIATED.into_iter().find(|version| *version == asked).unwrap_or(NEGOTIATED[0])
}

/// Whether a request states its revision, or tries to.
pub(super) fn is_stated(params: &Value) -> bool {
    [VERSION, CAPABILITIES].iter().any(|key| !params["_meta"][*key].is_null())
}

/// Validates the revision and capabilities that a request states.
pub(super) fn check(params: &Value) -> Result<(), Fault> {
    let wrong = |key, what| {
        let why = format!("`_meta` needs `{key}`, {what}; or begin with `initialize`");
        Fault::from((INVALID_PARAMS, why))
    };
    let meta = &params["_meta"];
    let version = meta[VERSION].as_str().ok_or_else(|| wrong(VERSION, "the protocol's version"))?;
    if !meta[CAPABILITIES].is_object() {
        return Err(wrong(CAPABILITIES, "an object"));
    }
    if STATELESS.contains(&version) {
        return Ok(());
    }
    let message = format!("the version `{version}` is not supported");
    let data = json!({ "supported": STATELESS, "requested": version });
    Err(Fault { code: UNSUPPORTED_VERSION, message, data })
}

/// Adds the fields that a result needs if its request stated a revision.
pub(super) fn complete(mut result: Value, is_listing: bool) -> Value {
    result["resultType"] = "complete".into();
    result["_meta"] = json!({ SERVER: server_info() });
    if is_listing {
        result["ttlMs"] = KEPT_MS.into();
        // The tools depend on the options that the user started the server with.
        result["cacheScope"] = "private".into();
    }
    result
}

pub(super) fn server_info() -> Value {
    json!({ "name": "tandem", "title": "Tandem", "version": env!("CARGO_PKG_VERSION") })
}
