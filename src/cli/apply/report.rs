//! Reports results.

use serde_json::json;

use crate::cli::terminal;
use crate::edit::{Accepted, Flag};
use crate::text::words::counted;

/// The message if standard output cannot be written.
pub(in crate::cli) const UNPRINTED: &str = "cannot print the result";

/// Reports how many files were written.
pub(in crate::cli) fn say_written(files: usize) {
    terminal::say(format_args!("{} written", counted(files, "file")));
}

pub(in crate::cli) fn flags_report(flags: &[Flag]) -> Vec<serde_json::Value> {
    flags.iter().map(|flag| json!({ "code": flag.code(), "message": flag.to_string() })).collect()
}

/// Accepted edits as JSON. Positions are byte offsets in the old text.
pub(super) fn accepted_report(accepted: &Accepted) -> serde_json::Value {
    let edits: Vec<_> = accepted
        .edits
        .iter()
        .map(|edit| json!({ "start": edit.span.start, "end": edit.span.end, "text": edit.text }))
        .collect();
    json!({
        "status": if accepted.edits.is_empty() { "unchanged" } else { "applied" },
        "format": accepted.format.code(),
        "level": accepted.level.code(),
        "flags": flags_report(&accepted.flags),
        "edits": edits,
    })
}
