//! `mypy --output json`, one object a line.

use serde_json::Value;

use super::value::{number, ordinal, text};
use crate::tool_output::diagnostic::{Diagnostic, Place, Report, Severity, Unit};

/// Reads one diagnostic.
pub(super) fn read(value: &Value, report: &mut Report) {
    let (Some(path), Some(line)) = (text(value, "file"), ordinal(value, "line")) else { return };
    // JSON columns count from 0, unlike those in mypy's text output.
    let end = ordinal(value, "end_line").map(|line| Place::Line(line, number(value, "end_column")));
    report.push(Diagnostic {
        end,
        severity: match text(value, "severity") {
            Some("note") => Severity::Information,
            Some("warning") => Severity::Warning,
            _ => Severity::Error,
        },
        source: Some("mypy".to_owned()),
        code: text(value, "code").map(str::to_owned),
        message: text(value, "message").unwrap_or_default().to_owned(),
        notes: text(value, "hint").map(str::to_owned).into_iter().collect(),
        ..Diagnostic::at(path, Place::Line(line, number(value, "column")), Unit::Bytes)
    });
}
