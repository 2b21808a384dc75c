//! The editor's positions, changes and paths to and from ours.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tower_lsp::gen_lsp_types::Uri;

use super::capabilities::Client;
use super::wire;
use crate::document::position::{Encoding, Position, clamped_byte_at, position_at};
use crate::document::{Change, Document, Splice};
use crate::edit::Edit;
use crate::session::Tracked;
use crate::snapshot::{Problem, Severity};

/// Characters of a diagnostic's message that are read.
const MESSAGE_LENGTH: usize = 2_000;
/// Bytes of a line that are looked at on each side of the cursor.
const NEAR: usize = 4 * 1024;
/// Places related to a diagnostic that are read.
const RELATED: usize = 5;

pub(super) fn position(from: wire::Position) -> Position {
    Position::new(from.line, from.character)
}

/// The byte at a position in a request: past the end means the end.
pub(super) fn byte(document: &Document, at: wire::Position, encoding: Encoding) -> usize {
    clamped_byte_at(document.text(), position(at), encoding)
}

/// The bytes of a range in a request; a reversed one is turned around.
pub(super) fn span(document: &Document, range: wire::Range, encoding: Encoding) -> std::ops::Range<usize> {
    let (start, end) = (byte(document, range.start, encoding), byte(document, range.end, encoding));
    start.min(end)..start.max(end)
}

/// The text of a byte's line on both sides of it, without the line's end; of a line without end what is near.
pub(super) fn line_around(document: &Document, byte: usize) -> (String, String) {
    let text = document.text();
    let whole = |byte: usize| text.char_to_byte(text.byte_to_char(byte));
    let start = document.line_start(byte).max(whole(byte.saturating_sub(NEAR)));
    let end = document.next_line_start(byte).min(whole((byte + NEAR).min(text.len_bytes())));
    let before = document.slice(start..byte);
    let mut after = document.slice(byte..end);
    after.truncate(after.trim_end_matches(['\n', '\r']).len());
    (before, after)
}

/// A byte's position, as the editor names it.
pub(super) fn to_position(document: &Document, byte: usize, encoding: Encoding) -> wire::Position {
    let at = position_at(document.text(), byte, encoding);
    wire::Position { line: at.line, character: at.column }
}

/// A span's range, as the editor names it.
pub(super) fn to_range(
    document: &Document,
    span: &std::ops::Range<usize>,
    encoding: Encoding,
) -> wire::Range {
    wire::Range {
        start: to_position(document, span.start, encoding),
        end: to_position(document, span.end, encoding),
    }
}

pub(super) fn changes(from: Vec<wire::ContentChange>) -> Vec<Change> {
    from.into_iter()
        .map(|change| Change {
            range: change.range.map(|range| position(range.start)..position(range.end)),
            text: change.text,
        })
        .collect()
}

/// What was typed, as an edit of the text before it.
pub(super) fn to_edit(splice: Splice) -> Edit {
    Edit { span: splice.span, text: splice.text }
}

/// Where a range of the version `version` is in a file's current one, if its text is still the same.
pub(super) fn range_now(file: &Tracked, version: Option<i32>, range: wire::Range) -> Option<wire::Range> {
    let Some(version) = version.filter(|version| *version != file.document().version()) else {
        return Some(range);
    };
    let now = file.place_now(version, position(range.start)..position(range.end))?;
    let back = |at: Position| wire::Position { line: at.line, character: at.column };
    Some(wire::Range { start: back(now.start), end: back(now.end) })
}

/// A diagnostic of another server's, in bytes of this text. `shown` is how a file is shown.
pub(super) fn problem(
    document: &Document,
    from: &wire::Diagnostic,
    encoding: Encoding,
    shown: impl Fn(&str) -> String,
) -> Problem {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        // LSP 3.18 `MarkupContent`.
        Value::Object(markup) => markup.get("value").and_then(Value::as_str).unwrap_or_default().to_owned(),
        other => other.to_string(),
    };
    let related = from.related_information.iter().flatten().take(RELATED).map(|related| {
        let place =
            format!("{}:{}", shown(&related.location.uri), u64::from(related.location.range.start.line) + 1);
        (place, capped(related.message.clone()))
    });
    Problem {
        span: span(document, from.range, encoding),
        severity: match from.severity {
            Some(2) => Severity::Warning,
            Some(3) => Severity::Information,
            Some(4) => Severity::Hint,
            // LSP leaves it to the client what one without severity is; most say an error.
            _ => Severity::Error,
        },
        message: capped(text(&from.message)),
        code: from.code.as_ref().filter(|code| !code.is_null()).map(|code| capped(text(code))),
        source: from.source.clone(),
        related: related.collect(),
    }
}

fn capped(mut words: String) -> String {
    if let Some((end, _)) = words.char_indices().nth(MESSAGE_LENGTH) {
        words.truncate(end);
    }
    words
}

/// Edits of one document, as the editor takes them: with the version if it checks that.
pub(super) fn workspace_edit(document: &Document, edits: &[Edit], client: &Client) -> wire::WorkspaceEdit {
    let edits = edits
        .iter()
        .map(|edit| wire::TextEdit {
            range: to_range(document, &edit.span, client.encoding),
            new_text: edit.text.clone(),
        })
        .collect();
    let uri = document.id().as_str().to_owned();
    if client.versioned_edits {
        let text_document = wire::DocumentRef { uri, version: Some(document.version()) };
        let change = wire::DocumentEdit { text_document, edits };
        return wire::WorkspaceEdit { document_changes: Some(vec![change]), changes: None };
    }
    wire::WorkspaceEdit { document_changes: None, changes: Some([(uri, edits)].into()) }
}

/// How a file is shown to the user and to a model: its path below its workspace folder, with `/`; outside of them its
/// name alone, since the path above it is nobody's business.
pub(super) fn shown_path(uri: &str, folders: &[PathBuf]) -> String {
    let Some(path) = file_path(uri) else {
        // An unsaved buffer, a notebook's cell, a file of another machine: its name alone, for the same reason.
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let name = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path);
        return name.split_once(':').map_or(name, |(_, name)| name).to_owned();
    };
    let below = folders.iter().filter_map(|folder| path.strip_prefix(folder).ok());
    let shown = below.min_by_key(|below| below.components().count());
    let shown = shown.unwrap_or_else(|| path.file_name().map_or(path.as_path(), Path::new));
    shown.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// The path of a `file:` URI.
pub(super) fn file_path(uri: &str) -> Option<PathBuf> {
    Uri::parse(uri).ok()?.to_file_path().ok()
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
        check(&format!("{long}x{long}"), 20_000, &long[..NEAR], &format!("x{}", &long[..NEAR - 2]));
    }

    #[test]
    fn shows_paths_below_their_nearest_folder() {
        let folders = [PathBuf::from("/home/me/work"), PathBuf::from("/home/me/work/lib")];
        let check = |uri, expected| assert_eq!(shown_path(uri, &folders), expected);
        check("file:///home/me/work/src/a%20b.rs", "src/a b.rs");
        check("file:///home/me/work/lib/猫.rs", "猫.rs");
        check("file:///home/me/notes/secret/plan.md", "plan.md");
        check("untitled:Untitled-1", "Untitled-1");
        check("vscode-notebook-cell:/home/me/clients/acme/n.ipynb#W0", "n.ipynb");
        check("ssh://host/home/me/a.rs", "a.rs");
        check("no uri", "no uri");
    }
}
