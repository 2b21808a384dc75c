//! Items of a server, as texts to insert at the cursor.

use serde_json::{Value, json};

use crate::model::limits::ITEM_BYTES;

/// An item as text at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AtCursor {
    /// The text to insert.
    pub(super) text: String,
    /// The UTF-16 units of the item's text that repeat what is before the cursor.
    pub(super) skipped: usize,
}

/// The text that an item of `textDocument/inlineCompletion` inserts at the cursor between `before` and `after`. The
/// error is a clause to follow "its suggestion".
pub(super) fn at_cursor(item: &Value, before: &str, after: &str) -> Result<AtCursor, &'static str> {
    let insert = &item["insertText"];
    if item["insertTextFormat"] == 2 || insert["kind"] == "snippet" {
        return Err("is a snippet");
    }
    let text = insert.as_str().ok_or("has no text")?;
    if text.len() > ITEM_BYTES {
        return Err("is too long");
    }
    let (replaced_before, replaced_after) = match &item["range"] {
        Value::Null => ("", ""),
        range => (
            &before[offset(before, "", &range["start"]).ok_or("does not begin before the cursor")?..],
            &after[..offset(before, after, &range["end"])
                .and_then(|end| end.checked_sub(before.len()))
                .ok_or("does not end behind the cursor, or outside the file")?],
        ),
    };
    let rest = text.strip_prefix(replaced_before).ok_or("changes what is before the cursor")?;
    let kept = replaced_after.trim_end();
    let rest = match rest.strip_suffix(replaced_after).or_else(|| rest.strip_suffix(kept)) {
        Some(rest) => rest,
        // Closing brackets are sorted out when the suggestion is trimmed.
        None if !kept.contains(char::is_alphanumeric) => rest,
        None => return Err("changes what is behind the cursor"),
    };
    Ok(AtCursor { text: rest.replace("\r\n", "\n"), skipped: units(replaced_before) })
}

/// The byte offset in `before` and `after` together; `None` if the position is outside, or within a character.
fn offset(before: &str, after: &str, position: &Value) -> Option<usize> {
    let number = |name: &str| usize::try_from(position[name].as_u64()?).ok();
    let (line, character) = (number("line")?, number("character")?);
    let lines = newlines(before);
    // The line of the cursor is in both, and items begin there.
    let start = match line {
        line if line == lines => last_line_start(before),
        line if line < lines => line_start(before, line),
        line if line <= lines + newlines(after) => before.len() + line_start(after, line - lines),
        _ => return None,
    };
    let mut left = character;
    let mut at = start;
    let rest = before
        .get(start..)
        .unwrap_or_default()
        .chars()
        .chain(after.get(start.saturating_sub(before.len())..).unwrap_or_default().chars());
    for letter in rest {
        if left == 0 || letter == '\n' || letter == '\r' {
            break;
        }
        left = left.checked_sub(letter.len_utf16())?;
        at += letter.len_utf8();
    }
    (left == 0).then_some(at)
}

/// Counts line ends: `\n`, `\r\n` and a lone `\r` (LSP 3.18, "Text Documents").
fn newlines(text: &str) -> usize {
    let bytes = text.as_bytes();
    let lone = memchr::memchr_iter(b'\r', bytes).filter(|at| bytes.get(at + 1) != Some(&b'\n'));
    // Counting one byte is many times as fast as visiting each.
    memchr::memchr_iter(b'\n', bytes).count() + lone.count()
}

fn line_start(text: &str, line: usize) -> usize {
    let bytes = text.as_bytes();
    // The offsets behind line ends.
    let mut ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
        .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
        .map(|at| at + 1);
    line.checked_sub(1).and_then(|line| ends.nth(line)).unwrap_or(0)
}

fn last_line_start(text: &str) -> usize {
    memchr::memrchr2(b'\n', b'\r', text.as_bytes()).map_or(0, |at| at + 1)
}

/// The position of a byte offset, in UTF-16 units.
pub(super) fn position(text: &str, at: usize) -> Value {
    let before = &text[..at];
    json!({ "line": newlines(before), "character": units(&before[last_line_start(before)..]) })
}

/// The length of a text in UTF-16 units.
pub(super) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `marked` has the cursor `ˇ` in it.
    fn check(marked: &str, item: Value, expected: Result<&str, &str>) {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let made = at_cursor(&item, before, after);
        assert_eq!(
            made.as_ref().map(|it| it.text.as_str()).map_err(|why| *why),
            expected,
            "{marked:?} {item}"
        );
    }

    fn item(text: &str, [line, start, end_line, end]: [u32; 4]) -> Value {
        json!({
            "insertText": text,
            "range": {
                "start": { "line": line, "character": start },
                "end": { "line": end_line, "character": end },
            },
        })
    }

    #[test]
    fn item_becomes_text_at_the_cursor() {
        let check = |marked, text, range, expected| check(marked, item(text, range), Ok(expected));
        check("a = ˇ\n", "b;", [0, 4, 0, 4], "b;");
        check("a = ˇ\n", "a = b;", [0, 0, 0, 4], "b;");
        check("x\n😀 = ˇ;\n", "😀 = b;", [1, 0, 1, 6], "b");
        check("f(ˇ)\n", "f(a, b)", [0, 0, 0, 3], "a, b");
        check("f(ˇ)\n", "f(a, b);", [0, 0, 0, 3], "a, b);");
        check("aˇ  \n", "a = 1", [0, 0, 0, 3], " = 1");
        check("aˇ\r\nb", "a\r\nc", [0, 0, 0, 1], "\nc");
        check("a\rˇb", "1b", [1, 0, 1, 1], "1");
        check("aˇ\nb\n", "a\n1\nb", [0, 0, 1, 1], "\n1");
        assert_eq!(
            at_cursor(&item("😀 = b;", [0, 0, 0, 5]), "😀 = ", "").unwrap(),
            AtCursor { text: "b;".to_owned(), skipped: 5 }
        );
    }

    #[test]
    fn item_without_a_range_is_inserted() {
        check("aˇb", json!({ "insertText": "1" }), Ok("1"));
    }

    #[test]
    fn item_that_does_not_fit_is_refused() {
        let outside = "does not end behind the cursor, or outside the file";
        let before = "does not begin before the cursor";
        check("a = ˇ\n", item("c = b", [0, 0, 0, 4]), Err("changes what is before the cursor"));
        check("a = ˇc\n", item("a = b", [0, 0, 0, 5]), Err("changes what is behind the cursor"));
        check("ab\ncˇ\n", item("x", [0, 0, 0, 1]), Err(outside));
        check("aˇ\nb\n", item("x", [1, 0, 1, 1]), Err(before));
        check("aˇ\n", item("x", [0, 1, 7, 0]), Err(outside));
        check("aˇ\n", item("x", [0, 1, 0, 99]), Err(outside));
        check("aˇ\n", item("x", [0, 2, 0, 2]), Err(before));
        check("😀ˇ", item("x", [0, 1, 0, 2]), Err(before));
        check("aˇ", json!({ "insertText": "x", "range": { "start": 1 } }), Err(before));
        check("aˇ", json!({ "insertText": "x", "range": "none" }), Err(before));
        check("aˇ", json!({ "insertText": 1 }), Err("has no text"));
        check("aˇ", json!(7), Err("has no text"));
        check("aˇ", json!({ "insertText": "${1:x}", "insertTextFormat": 2 }), Err("is a snippet"));
        check("aˇ", json!({ "insertText": { "kind": "snippet", "value": "$1" } }), Err("is a snippet"));
        check("aˇ", json!({ "insertText": "x".repeat(ITEM_BYTES + 1) }), Err("is too long"));
    }
}
