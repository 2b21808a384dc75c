//! Messages below the name of their file, as eslint prints them.

use super::lines::{Block, Lines};
use crate::tool_output::diagnostic::{Diagnostic, Place, Severity, Unit};
use crate::tool_output::limits::DIAGNOSTICS;

/// Reads all messages of one file.
pub(super) fn read(lines: Lines<'_>) -> Block<'_> {
    let path = lines.line;
    if path.starts_with([' ', '\t']) || message(path, lines.following().line).is_none() {
        return None;
    }
    let mut diagnostics = Vec::new();
    let mut rest = lines.following();
    while let Some(diagnostic) = message(path, rest.line) {
        if diagnostics.len() < DIAGNOSTICS {
            diagnostics.push(diagnostic);
        }
        rest = rest.following();
    }
    Some((diagnostics, rest.from))
}

/// Parses `  3:7  error  'a' is never reassigned  prefer-const`.
fn message(path: &str, line: &str) -> Option<Diagnostic> {
    let body = line.strip_prefix("  ")?.trim();
    let mut columns = body.split("  ").map(str::trim).filter(|it| !it.is_empty());
    let (row, column) = columns.next()?.split_once(':')?;
    let (row, column): (usize, usize) = (row.parse().ok()?, column.parse().ok()?);
    let severity = match columns.next()? {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let mut words: Vec<&str> = columns.collect();
    let is_rule = |it: &&str| {
        !it.contains(' ') && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-/@_".contains(&it))
    };
    let code = if words.len() > 1 && words.last().is_some_and(is_rule) { words.pop() } else { None };
    let start = Place::Line(row.saturating_sub(1), Some(column.saturating_sub(1)));
    Some(Diagnostic {
        severity,
        source: Some("eslint".to_owned()),
        code: code.map(str::to_owned),
        message: words.join("  "),
        ..Diagnostic::at(path.trim_end(), start, Unit::Utf16)
    })
}
