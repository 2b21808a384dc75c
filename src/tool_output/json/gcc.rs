//! `gcc -fdiagnostics-format=json`.

use serde_json::Value;

use super::value::{list, ordinal, severity, text};
use crate::tool_output::diagnostic::{Diagnostic, Fix, FixEdit, Place, Report, Safety, Unit};
use crate::tool_output::limits::NOTES;

/// Reads one diagnostic. Uses byte columns, so that the width of a tab does not matter.
pub(super) fn read(value: &Value, report: &mut Report) {
    let Some(caret) = list(value, "locations").first().and_then(|it| it.get("caret")) else { return };
    let (Some(path), Some(start)) = (text(caret, "file"), place(caret)) else { return };
    let finish = list(value, "locations").first().and_then(|it| it.get("finish")).and_then(place);
    let end = finish.map(|it| match it {
        Place::Line(line, column) => Place::Line(line, column.map(|it| it + 1)),
        other => other,
    });
    let children = list(value, "children");
    let own = std::iter::once(value).chain(children).filter_map(|it| fix(it, path));
    report.push(Diagnostic {
        end,
        severity: severity(value, "kind"),
        source: Some("gcc".to_owned()),
        code: text(value, "option").map(str::to_owned),
        message: text(value, "message").unwrap_or_default().to_owned(),
        notes: children.iter().filter_map(|it| text(it, "message")).take(NOTES).map(str::to_owned).collect(),
        fixes: own.collect(),
        ..Diagnostic::at(path, start, Unit::Bytes)
    });
}

fn fix(value: &Value, path: &str) -> Option<Fix> {
    let edits = list(value, "fixits").iter().map(|it| {
        let (start, next) = (it.get("start")?, it.get("next")?);
        let file = text(start, "file")?;
        Some(FixEdit {
            path: (file != path).then(|| file.to_owned()),
            start: place(start)?,
            end: place(next)?,
            text: text(it, "string")?.to_owned(),
            lines: None,
        })
    });
    let edits: Vec<FixEdit> = edits.collect::<Option<_>>()?;
    let title = text(value, "message").unwrap_or_default().to_owned();
    (!edits.is_empty()).then_some(Fix { title, safety: Safety::Unknown, edits })
}

fn place(value: &Value) -> Option<Place> {
    Some(Place::Line(ordinal(value, "line")?, ordinal(value, "byte-column").or(ordinal(value, "column"))))
}
