//! Reports results.

use serde_json::json;

use crate::cli::terminal;
use crate::edit::{Accepted, Edit, Flag};
use crate::text::words::counted;

/// Reports how many files were written.
pub(in crate::cli) fn say_written(files: usize) {
    terminal::say(format_args!("{} written", counted(files, "file")));
}

pub(in crate::cli) fn flags_report(flags: &[Flag]) -> Vec<serde_json::Value> {
    flags.iter().map(|flag| json!({ "code": flag.code(), "message": flag.to_string() })).collect()
}

/// Edits as JSON. Positions are byte offsets in the old text.
pub(in crate::cli) fn edits_report(edits: &[Edit]) -> Vec<serde_json::Value> {
    let edit = |it: &Edit| json!({ "start": it.span.start, "end": it.span.end, "text": it.text });
    edits.iter().map(edit).collect()
}

pub(super) fn accepted_report(accepted: &Accepted) -> serde_json::Value {
    json!({
        "status": if accepted.edits.is_empty() { "unchanged" } else { "applied" },
        "format": accepted.format.code(),
        "level": accepted.level.code(),
        "flags": flags_report(&accepted.flags),
        "edits": edits_report(&accepted.edits),
    })
}
