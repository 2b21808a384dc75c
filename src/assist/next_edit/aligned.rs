//! Aligns edits for display: added or removed lines are drawn as whole lines, and words as whole words.
//!
//! A character diff may begin such an edit inside a word or an indentation that both sides share. It applies
//! correctly but is unreadable when drawn.

use crate::document::Document;
use crate::edit::Edit;
use crate::text::ident::is_part;

/// Moves an edit to where a reader expects it to begin.
///
/// An edit that only adds or only removes whole lines is moved to begin and end at line starts. Such an edit
/// within a line is moved to begin with a word.
///
/// The resulting text is the same. Any other edit is returned unchanged.
pub(super) fn aligned(document: &Document, edit: Edit) -> Edit {
    let old = document.slice(edit.span.clone());
    let moving = match (old.is_empty(), edit.text.is_empty()) {
        (true, false) => edit.text.as_str(),
        (false, true) => old.as_str(),
        _ => return edit,
    };
    if !moving.contains('\n') {
        return on_words(document, &edit, moving).unwrap_or(edit);
    }
    if moving.ends_with('\n') && starts_line(document, edit.span.start) {
        return edit;
    }
    // When moved n bytes to the left, the edit's text gains the n bytes before it at its start, and loses its
    // last n.
    let start = document.line_start(edit.span.start);
    let back = document.slice(start..edit.span.start);
    if let Some(rest) = moving.strip_suffix(back.as_str()).filter(|rest| rest.ends_with('\n')) {
        return placed(&edit, start, [back.as_str(), rest].concat(), back.len());
    }
    // To move right, the edit's text must begin with the rest of the line after it.
    let end = document.next_line_start(edit.span.end);
    let ahead = document.slice(edit.span.end..end);
    if let Some(rest) = moving.strip_prefix(ahead.as_str())
        && ahead.ends_with('\n')
    {
        let start = edit.span.start + ahead.len();
        let removed = edit.span.len();
        let text = if edit.text.is_empty() { String::new() } else { [rest, ahead.as_str()].concat() };
        return Edit::new(start..start + removed, text);
    }
    edit
}

/// Moves an edit that begins inside a word to the start of the word: `c«|tx, c»` becomes `«|ctx, »c`.
fn on_words(document: &Document, edit: &Edit, moving: &str) -> Option<Edit> {
    let before = document.slice(document.line_start(edit.span.start)..edit.span.start);
    let head = before.trim_end_matches(is_part).len();
    let word = &before[head..];
    let rest = moving.strip_suffix(word)?;
    let begins_inside = moving.starts_with(is_part) && !word.is_empty() && !rest.ends_with(is_part);
    begins_inside.then(|| placed(edit, edit.span.start - word.len(), [word, rest].concat(), word.len()))
}

/// The edit moved to `start`, with its text if it adds any.
fn placed(edit: &Edit, start: usize, text: String, moved: usize) -> Edit {
    let text = if edit.text.is_empty() { String::new() } else { text };
    Edit::new(start..edit.span.end - moved, text)
}

fn starts_line(document: &Document, byte: usize) -> bool {
    document.line_start(byte) == byte
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// Checks where an edit is drawn.
    ///
    /// `marked` contains the edit as `«old|new»`; `expected` is the same text with the edit aligned.
    #[track_caller]
    fn check(marked: &str, expected: &str) {
        let read = |marked: &str| {
            let (before, rest) = marked.split_once('«').expect("an edit");
            let (inside, after) = rest.split_once('»').expect("it ends");
            let (old, new) = inside.split_once('|').expect("two sides");
            let span = before.len()..before.len() + old.len();
            ([before, old, after].concat(), Edit::new(span, new))
        };
        let (text, edit) = read(marked);
        let document = Document::new(DocumentId::new("a"), "plaintext", 0, &text);
        let aligned = aligned(&document, edit.clone());
        let (same, expected) = read(expected);
        assert_eq!(same, text);
        assert_eq!(aligned, expected);
        let apply = |edit: Edit| crate::edit::apply(&text, &[edit]);
        assert_eq!(apply(aligned), apply(edit));
    }

    #[test]
    fn added_lines_begin_and_end_at_a_line_start() {
        check(
            "class A:\n    def s«|peak(self):\n        pass\n    def s»it(self):\n",
            "class A:\n«|    def speak(self):\n        pass\n»    def sit(self):\n",
        );
        check("a\n    «|b\n    »c\n", "a\n«|    b\n»    c\n");
        check("a«|\nb»\nc\n", "a\n«|b\n»c\n");
        check("a\n«|b\n»c\n", "a\n«|b\n»c\n");
    }

    #[test]
    fn removed_lines_begin_and_end_at_a_line_start() {
        check("f:\n    d«1\n    d|»2\n", "f:\n«    d1\n|»    d2\n");
        check("a«\nb|»\nc\n", "a\n«b\n|»c\n");
    }

    #[test]
    fn parts_of_lines_stay() {
        check("f(a«|, b»)\n", "f(a«|, b»)\n");
        check("f(«|\n  a,\n»)\n", "f(«|\n  a,\n»)\n");
        check("a«|\nb»", "a«|\nb»");
        check("x = «1|2»\n", "x = «1|2»\n");
    }

    #[test]
    fn words_that_come_or_go_stay_whole() {
        check("draw(c«|tx, c»)\n", "draw(«|ctx, »c)\n");
        check("draw(c«tx, c|»)\n", "draw(«ctx, |»c)\n");
        check("load«|_all»(c)\n", "load«|_all»(c)\n");
        check("f(a, a«|, a»)\n", "f(a, a«|, a»)\n");
    }
}
