//! `pyright --outputjson`.

use serde_json::Value;

use super::value::{list, number, severity, text};
use crate::tool_output::diagnostic::{Diagnostic, Place, Report, Unit};

/// Reads the document, which contains all diagnostics.
pub(super) fn read(value: &Value, report: &mut Report) {
    let place =
        |value: Option<&Value>| Some(Place::Line(number(value?, "line")?, number(value?, "character")));
    for it in list(value, "generalDiagnostics") {
        let range = it.get("range");
        let (Some(path), Some(start)) = (text(it, "file"), place(range.and_then(|range| range.get("start"))))
        else {
            continue;
        };
        report.push(Diagnostic {
            end: place(range.and_then(|range| range.get("end"))),
            severity: severity(it, "severity"),
            source: Some("pyright".to_owned()),
            code: text(it, "rule").map(str::to_owned),
            message: text(it, "message").unwrap_or_default().to_owned(),
            ..Diagnostic::at(path, start, Unit::Utf16)
        });
    }
}
