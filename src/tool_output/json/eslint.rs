//! `eslint --format json`.

use serde_json::Value;

use super::value::{list, number, ordinal, text};
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Severity, Unit};

/// Reads the messages about one file.
pub(super) fn read(value: &Value, report: &mut Report) {
    let Some(path) = text(value, "filePath") else { return };
    let lines: Vec<&str> = text(value, "source").map(|source| source.lines().collect()).unwrap_or_default();
    for message in list(value, "messages") {
        let line = ordinal(message, "line").unwrap_or(0);
        let end = ordinal(message, "endLine").map(|line| Place::Line(line, ordinal(message, "endColumn")));
        let suggested = list(message, "suggestions")
            .iter()
            .filter_map(|it| fix(it.get("fix")?, text(it, "desc").unwrap_or_default(), Safety::Unsafe));
        let own = message.get("fix").and_then(|it| fix(it, "", Safety::Safe));
        report.push(Diagnostic {
            end,
            severity: match number(message, "severity") {
                Some(1) => Severity::Warning,
                _ => Severity::Error,
            },
            source: Some("eslint".to_owned()),
            code: text(message, "ruleId").map(str::to_owned),
            message: text(message, "message").unwrap_or_default().to_owned(),
            line: lines.get(line).map(|line| (*line).to_owned()),
            fixes: own.into_iter().chain(suggested).collect(),
            ..Diagnostic::at(path, Place::Line(line, ordinal(message, "column")), Unit::Utf16)
        });
    }
}

fn fix(value: &Value, title: &str, safety: Safety) -> Option<Fix> {
    let [start, end] = list(value, "range") else { return None };
    let offset = |it: &Value| Some(Place::Offset(usize::try_from(it.as_u64()?).ok()?));
    let text = text(value, "text")?.to_owned();
    let edit = FixEdit { path: None, start: offset(start)?, end: offset(end)?, text, lines: None };
    Some(Fix { title: title.to_owned(), safety, edits: vec![edit] })
}
