//! `rustc --error-format=json`, and `cargo … --message-format=json` around it.

use serde_json::Value;

use super::value::{list, ordinal, severity, text};
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Unit};
use crate::tool_output::limits::NOTES;

/// Reads one diagnostic of the compiler.
pub(super) fn read(value: &Value, report: &mut Report) {
    let spans = list(value, "spans");
    let primary = spans.iter().find(|span| span.get("is_primary").and_then(Value::as_bool) == Some(true));
    // Summaries such as `aborting due to 2 previous errors` have no span.
    let Some(span) = primary.or(spans.first()) else { return };
    let (Some(path), Some(start), Some(end)) =
        (text(span, "file_name"), place(span, "start"), place(span, "end"))
    else {
        return;
    };
    let children = list(value, "children");
    let fixes = children.iter().filter_map(|child| fix(child, path)).collect();
    let labels = spans.iter().filter_map(|span| text(span, "label"));
    let notes = children.iter().filter_map(|child| text(child, "message")).chain(labels);
    let code = value.get("code").and_then(|code| text(code, "code"));
    let is_clippy = code.is_some_and(|code| code.starts_with("clippy::"));
    report.push(Diagnostic {
        end: Some(end),
        severity: severity(value, "level"),
        source: Some(if is_clippy { "clippy" } else { "rustc" }.to_owned()),
        code: code.map(str::to_owned),
        message: text(value, "message").unwrap_or_default().to_owned(),
        notes: notes.filter(|it| !it.is_empty()).take(NOTES).map(str::to_owned).collect(),
        line: list(span, "text").first().and_then(|line| text(line, "text")).map(str::to_owned),
        fixes,
        ..Diagnostic::at(path, start, Unit::Characters)
    });
}

/// The suggestion of a help message.
///
/// Its spans are parts of one fix, or alternatives for the same range.
fn fix(child: &Value, path: &str) -> Option<Fix> {
    let replaced: Vec<&Value> =
        list(child, "spans").iter().filter(|span| text(span, "suggested_replacement").is_some()).collect();
    let safety = replaced.iter().map(|span| match text(span, "suggestion_applicability") {
        Some("MachineApplicable") => Safety::Safe,
        Some("HasPlaceholders") => Safety::Unsafe,
        _ => Safety::Unknown,
    });
    let safety = safety.max()?;
    let mut edits: Vec<FixEdit> = Vec::with_capacity(replaced.len());
    for span in replaced {
        let file = text(span, "file_name")?;
        let lines: Vec<&str> = list(span, "text").iter().filter_map(|line| text(line, "text")).collect();
        let edit = FixEdit {
            path: (file != path).then(|| file.to_owned()),
            start: place(span, "start")?,
            end: place(span, "end")?,
            text: text(span, "suggested_replacement")?.to_owned(),
            lines: (!lines.is_empty()).then(|| lines.join("\n")),
        };
        // A repeated range means alternatives, and the intended one is not known.
        if edits.iter().any(|other| (other.start, other.end) == (edit.start, edit.end)) {
            return None;
        }
        edits.push(edit);
    }
    // The span of expanded macros is not where its text is.
    let is_expanded = |span: &Value| span.get("expansion").is_some_and(|it| !it.is_null());
    if list(child, "spans").iter().any(is_expanded) {
        return None;
    }
    let title = text(child, "message").unwrap_or_default();
    Some(Fix { title: title.to_owned(), safety, edits })
}

/// One end of a span. Lines can be compared with the text shown, unlike byte offsets.
fn place(span: &Value, end: &str) -> Option<Place> {
    let line = ordinal(span, &format!("line_{end}"))?;
    Some(Place::Line(line, Some(ordinal(span, &format!("column_{end}"))?)))
}
