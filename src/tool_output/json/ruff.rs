//! `ruff check --output-format json` or `json-lines`.

use serde_json::Value;

use super::value::{list, ordinal, text};
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Unit};

/// Reads one diagnostic.
pub(super) fn read(value: &Value, report: &mut Report) {
    // Positions in a notebook are relative to a cell.
    if value.get("cell").is_some_and(|cell| !cell.is_null()) {
        return;
    }
    let (Some(path), Some(start)) = (text(value, "filename"), place(value.get("location"))) else { return };
    let code = text(value, "code").or(text(value, "name"));
    let fix = value.get("fix").and_then(fix);
    report.push(Diagnostic {
        end: place(value.get("end_location")),
        source: Some("ruff".to_owned()),
        code: code.map(str::to_owned),
        message: text(value, "message").unwrap_or_default().to_owned(),
        notes: fix.iter().map(|fix| fix.title.clone()).collect(),
        fixes: fix.into_iter().collect(),
        // Ruff's findings make its run fail, so they are errors.
        ..Diagnostic::at(path, start, Unit::Characters)
    });
}

fn fix(value: &Value) -> Option<Fix> {
    let safety = match text(value, "applicability") {
        Some("safe" | "automatic" | "Automatic") => Safety::Safe,
        Some("unsafe" | "display" | "suggested" | "manual") => Safety::Unsafe,
        _ => Safety::Unknown,
    };
    let edits = list(value, "edits").iter().map(|edit| {
        Some(FixEdit {
            path: None,
            start: place(edit.get("location"))?,
            end: place(edit.get("end_location"))?,
            text: text(edit, "content")?.to_owned(),
            lines: None,
        })
    });
    let title = text(value, "message").unwrap_or_default().to_owned();
    Some(Fix { title, safety, edits: edits.collect::<Option<_>>()? })
}

fn place(value: Option<&Value>) -> Option<Place> {
    let value = value?;
    Some(Place::Line(ordinal(value, "row")?, ordinal(value, "column")))
}
