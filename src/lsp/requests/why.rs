//! `tandem.why`: recent request outcomes, for people and for plugins.

use serde_json::{Value, json};

use crate::document::DocumentId;
use crate::lsp::clock;
use crate::lsp::protocol::AboutDocument;
use crate::lsp::session_lock::SessionLock;

/// The newest request outcomes of one document or of all.
pub(in crate::lsp) fn why(session: &SessionLock, about: &AboutDocument) -> Value {
    let id = about.text_document.as_ref().map(|it| DocumentId::new(&it.uri));
    let records = session.lock().request_log(id.as_ref());
    let now = clock::now();
    let mut text = String::new();
    let listed: Vec<Value> = records
        .into_iter()
        .map(|(id, it)| {
            let trigger = if it.invoked { "invoked" } else { "automatic" };
            let outcome = if it.nothing.is_none() { "shown" } else { "nothing" };
            let seconds = now.saturating_sub(it.at) / 1_000;
            let name = id.as_str().rsplit('/').next().unwrap_or_default();
            let (line, job, ms) = (u64::from(it.line) + 1, it.job.name(), it.milliseconds);
            let source = match (&it.gear, &it.model) {
                (Some(gear), Some(model)) => format!(", {gear}: {model}"),
                (Some(gear), None) => format!(", {gear}"),
                _ => String::new(),
            };
            let why = it.why();
            text += &format!(
                "{seconds} s ago, {name}:{line}, {job}, {trigger}: {outcome}, {why} ({ms} ms{source})\n"
            );
            json!({
                "at": it.at, "uri": id.as_str(), "line": it.line, "job": job, "trigger": trigger,
                "outcome": outcome, "code": it.code(), "why": why, "gear": it.gear, "model": it.model,
                "milliseconds": ms,
            })
        })
        .collect();
    if text.is_empty() {
        text.push_str("nothing was decided yet\n");
    }
    json!({ "text": text, "decisions": listed })
}
