//! Converts positions, changes and diagnostics between the editor's representation and the server's.

mod file_changes;
mod uri;
mod workspace_edit;

use serde_json::Value;

use super::protocol;
use crate::document::position::{Encoding, Position, clamped_byte_at, position_at};
use crate::document::{Change, Document};
use crate::lsp::limits::{DIAGNOSTIC_CHARS, LINE_SIDE_BYTES, RELATED_PLACES};
use crate::session::Tracked;
use crate::snapshot::{Diagnostic, Severity};

pub(super) use file_changes::file_changes;
pub(crate) use uri::{file_path, file_uri, shown_file};
pub(super) use uri::{path_in, shown_path};
pub(super) use workspace_edit::{document_edits, text_edits, workspace_edit};

pub(super) fn position(from: protocol::Position) -> Position {
    Position::new(from.line, from.character)
}

/// The byte of a position in a request; a position past the end is clamped.
pub(super) fn byte(document: &Document, at: protocol::Position, encoding: Encoding) -> usize {
    clamped_byte_at(document.text(), position(at), encoding)
}

/// The span of a range in a request, in bytes; a reversed range is swapped.
pub(super) fn span(
    document: &Document,
    range: protocol::Range,
    encoding: Encoding,
) -> std::ops::Range<usize> {
    let (start, end) = (byte(document, range.start, encoding), byte(document, range.end, encoding));
    start.min(end)..start.max(end)
}

/// The line of a byte, from 0.
pub(super) fn line_of(document: &Document, byte: usize) -> u32 {
    u32::try_from(document.text().byte_to_line(byte)).unwrap_or(u32::MAX)
}

/// The text on both sides of a byte in its line, without the line ending.
///
/// At most [`LINE_SIDE_BYTES`] bytes per side.
pub(super) fn line_around(document: &Document, byte: usize) -> (String, String) {
    let start = document.line_start(byte).max(document.floor_boundary(byte.saturating_sub(LINE_SIDE_BYTES)));
    let end = document.next_line_start(byte).min(document.floor_boundary(byte + LINE_SIDE_BYTES));
    let before = document.slice(start..byte);
    let mut after = document.slice(byte..end);
    after.truncate(after.trim_end_matches(['\n', '\r']).len());
    (before, after)
}

/// The position of a byte in the editor's units.
pub(super) fn to_position(document: &Document, byte: usize, encoding: Encoding) -> protocol::Position {
    let at = position_at(document.text(), byte, encoding);
    protocol::Position { line: at.line, character: at.column }
}

/// The range of a span in the editor's units.
pub(super) fn to_range(
    document: &Document,
    span: &std::ops::Range<usize>,
    encoding: Encoding,
) -> protocol::Range {
    protocol::Range {
        start: to_position(document, span.start, encoding),
        end: to_position(document, span.end, encoding),
    }
}

pub(super) fn changes(from: Vec<protocol::ContentChange>) -> Vec<Change> {
    from.into_iter()
        .map(|change| Change {
            range: change.range.map(|range| position(range.start)..position(range.end)),
            text: change.text,
        })
        .collect()
}

/// Maps a range of an earlier version to the current one.
///
/// Returns `None` if its text changed.
pub(super) fn range_now(
    file: &Tracked,
    version: Option<i32>,
    range: protocol::Range,
) -> Option<protocol::Range> {
    let Some(version) = version.filter(|version| *version != file.document().version()) else {
        return Some(range);
    };
    let now = file.range_now(version, position(range.start)..position(range.end))?;
    let back = |at: Position| protocol::Position { line: at.line, character: at.column };
    Some(protocol::Range { start: back(now.start), end: back(now.end) })
}

/// Converts a diagnostic of another server to byte offsets in this text.
///
/// `shown` returns the displayed path of a URI.
pub(super) fn diagnostic(
    document: &Document,
    from: &protocol::Diagnostic,
    encoding: Encoding,
    shown: impl Fn(&str) -> String,
) -> Diagnostic {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        // LSP 3.18 `MarkupContent`.
        Value::Object(markup) => markup.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    let related = from.related_information.iter().flatten().take(RELATED_PLACES).map(|related| {
        let place =
            format!("{}:{}", shown(&related.location.uri), u64::from(related.location.range.start.line) + 1);
        (place, capped(related.message.clone()))
    });
    Diagnostic {
        span: span(document, from.range, encoding),
        severity: match from.severity {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            // LSP leaves the default severity to the client; most assume an error.
            _ => Severity::Error,
        },
        message: capped(text(&from.message)),
        code: from.code.as_ref().filter(|code| !code.is_null()).map(|code| capped(text(code))),
        source: from.source.clone(),
        related: related.collect(),
    }
}

fn capped(mut words: String) -> String {
    if let Some((end, _)) = words.char_indices().nth(DIAGNOSTIC_CHARS) {
        words.truncate(end);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_looked_at_near_the_cursor() {
        let check = |text: &str, byte, before: &str, after: &str| {
            let document = Document::new(crate::document::DocumentId::new("a"), "", 0, text);
            assert_eq!(line_around(&document, byte), (before.to_owned(), after.to_owned()));
        };
        check("a\nbé c\r\nd", 5, "bé", " c");
        check("a", 1, "a", "");
        let long = "é".repeat(10_000);
        check(
            &format!("{long}x{long}"),
            20_000,
            &long[..LINE_SIDE_BYTES],
            &format!("x{}", &long[..LINE_SIDE_BYTES - 2]),
        );
    }
}
