//! SARIF 2.1.0, the output format of many analysers.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::value::{list, number, ordinal, text};
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Severity, Unit};

/// Reads a log and its runs.
pub(super) fn read(value: &Value, report: &mut Report) {
    for run in list(value, "runs") {
        let tool = run.get("tool").and_then(|tool| text(tool.get("driver")?, "name"));
        let unit = match text(run, "columnKind") {
            Some("unicodeCodePoints") => Unit::Characters,
            _ => Unit::Utf16,
        };
        for result in list(run, "results") {
            report_result(result, tool, unit, report);
        }
    }
}

fn report_result(result: &Value, tool: Option<&str>, unit: Unit, report: &mut Report) {
    let Some(at) = list(result, "locations").first().and_then(|it| it.get("physicalLocation")) else {
        return;
    };
    let Some(path) = at.get("artifactLocation").and_then(|it| text(it, "uri")).map(path_of) else { return };
    let Some((start, end)) = at.get("region").and_then(region) else { return };
    let rule = text(result, "ruleId").or_else(|| text(result.get("rule")?, "id"));
    let fixes = list(result, "fixes").iter().filter_map(|it| fix(it, &path)).collect();
    report.push(Diagnostic {
        end,
        severity: match text(result, "level") {
            Some("error") => Severity::Error,
            Some("note" | "none") => Severity::Information,
            // The default level of the format.
            _ => Severity::Warning,
        },
        source: tool.map(str::to_owned),
        code: rule.map(str::to_owned),
        message: result.get("message").and_then(|it| text(it, "text")).unwrap_or_default().to_owned(),
        line: at
            .get("region")
            .and_then(|it| text(it.get("snippet")?, "text"))
            .filter(|it| !it.contains('\n'))
            .filter(|_| at.get("region").is_some_and(|it| it.get("startColumn").is_none()))
            .map(str::to_owned),
        fixes,
        ..Diagnostic::at(&path, start, unit)
    });
}

/// Reads a fix. The format does not state how sure a fix is.
fn fix(value: &Value, path: &str) -> Option<Fix> {
    let mut edits = Vec::new();
    for change in list(value, "artifactChanges") {
        let file = path_of(change.get("artifactLocation").and_then(|it| text(it, "uri"))?);
        for replacement in list(change, "replacements") {
            let (start, end) = region(replacement.get("deletedRegion")?)?;
            let inserted = replacement.get("insertedContent").and_then(|it| text(it, "text"));
            edits.push(FixEdit {
                path: (file != path).then(|| file.clone().into_owned()),
                start,
                end: end?,
                text: inserted.unwrap_or_default().to_owned(),
                lines: None,
            });
        }
    }
    let title = value.get("description").and_then(|it| text(it, "text")).unwrap_or_default();
    (!edits.is_empty()).then(|| Fix { title: title.to_owned(), safety: Safety::Unknown, edits })
}

/// Reads a region. Lines count from 1; without columns, a region consists of whole lines.
fn region(value: &Value) -> Option<(Place, Option<Place>)> {
    if let Some(line) = ordinal(value, "startLine") {
        let start = Place::Line(line, ordinal(value, "startColumn"));
        let last = ordinal(value, "endLine").unwrap_or(line);
        let end = ordinal(value, "endColumn").map(|column| Place::Line(last, Some(column)));
        return Some((start, end));
    }
    let start = number(value, "charOffset")?;
    let length = number(value, "charLength").unwrap_or(0);
    Some((Place::Offset(start), Some(Place::Offset(start + length))))
}

/// The path of a URI, which may be relative.
fn path_of(uri: &str) -> Cow<'_, str> {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    percent_decode_str(path).decode_utf8().unwrap_or(Cow::Borrowed(path))
}
