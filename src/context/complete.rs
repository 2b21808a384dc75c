//! The window around a cursor, for ghost text.

use std::ops::Range;

use super::cut::{cut, cut_at_lines};
use crate::document::Document;

/// Bytes shown before the cursor at most: about 2,000 tokens.
pub const BEFORE_BYTES: usize = 6 * 1024;
/// Bytes shown after the cursor at most: about 700 tokens.
pub const AFTER_BYTES: usize = 2 * 1024;

/// How much of a file a window shows. A slow model is shown less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Bytes before the cursor at most.
    before: usize,
    /// Bytes after the cursor at most.
    after: usize,
}

impl WindowSize {
    /// All that is ever shown.
    pub const FULL: Self = Self { before: BEFORE_BYTES, after: AFTER_BYTES };
    /// What is shown to slow models, the largest first. The smallest has about ten lines.
    pub const SMALLER: [Self; 5] = [
        Self { before: 3_072, after: 768 },
        Self { before: 1_536, after: 384 },
        Self { before: 1_152, after: 320 },
        Self { before: 768, after: 256 },
        Self { before: 512, after: 128 },
    ];
}

/// What a model is shown of a file around a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The path as shown, `/`-separated and relative to its workspace folder where there is one.
    pub path: String,
    /// The grammar's id, or the empty string.
    pub language: String,
    /// Imports and signatures of the rest of the file; empty if the window shows the whole file.
    pub outline: String,
    /// The text before the cursor.
    pub before: String,
    /// The text after the cursor.
    pub after: String,
}

impl Window {
    /// Cuts the window around the byte `cursor`.
    ///
    /// Costs microseconds whatever the file's size: it reads only the text it keeps, and uses the tree that
    /// is there.
    pub fn around(document: &Document, cursor: usize, path: String, outline: &str) -> Self {
        let WindowSize { before, after } = WindowSize::FULL;
        Self::of(document, cut(document, cursor..cursor, before, after), cursor, path, outline)
    }

    /// A smaller window of the same file, without an outline.
    ///
    /// It begins at the same place for a third of its length: so what a model reads at the next key begins as
    /// what it has read at the last one.
    pub fn smaller(&self, document: &Document, cursor: usize, size: WindowSize) -> Self {
        let step = size.before / 3;
        let start = (cursor / step).saturating_sub(2) * step;
        let mut span = cut(document, cursor..cursor, cursor - start, size.after);
        if span.start > start + step {
            // Little would be left without the part of a long member above.
            span.start = cut_at_lines(document, cursor..cursor, cursor - start, size.after).start;
        }
        Self::of(document, span, cursor, self.path.clone(), "")
    }

    fn of(document: &Document, span: Range<usize>, cursor: usize, path: String, outline: &str) -> Self {
        let whole_file = span.start == 0 && span.end == document.text().len_bytes();
        Self {
            path,
            language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
            outline: if whole_file { String::new() } else { outline.to_owned() },
            before: document.slice(span.start..cursor),
            after: document.slice(cursor..span.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, DocumentId};

    /// The window at `ˇ` stays within its limits: in a parsed text, and in one that a formatter
    /// has just replaced as a whole, whose tree has its members in odd places.
    fn check(language: &str, marked: &str) {
        let cursor = marked.find('ˇ').expect("a cursor");
        let text = marked.replace('ˇ', "");
        let id = || DocumentId::new("untitled:a");
        let parsed = Document::new(id(), language, 0, &text);
        parsed.syntax();
        let loose = Document::new(id(), language, 0, &format!("\n\n{text}"));
        loose.syntax();
        let ends = [0, loose.text().len_bytes()].map(|byte| position_at(loose.text(), byte, Encoding::Utf8));
        let replaced = Change { range: Some(ends[0]..ends[1]), text };
        let (formatted, _) = loose.edited(&[replaced], Encoding::Utf8, 1).expect("the change fits the text");
        for document in [parsed, formatted] {
            let window = Window::around(&document, cursor, "a".to_owned(), "");
            assert!(window.before.len() <= BEFORE_BYTES, "{} bytes before", window.before.len());
            assert!(window.after.len() <= AFTER_BYTES, "{} bytes after", window.after.len());
        }
    }

    #[test]
    fn smaller_window_begins_alike_while_the_user_types() {
        let lines = "    let width = height + depth;\n".repeat(400);
        let starts = |size: WindowSize, typed: &str| {
            let text = format!("{lines}{typed}\n{lines}");
            let document = Document::new(DocumentId::new("untitled:a"), "rust", 0, &text);
            let cursor = lines.len() + typed.len();
            let full = Window::around(&document, cursor, "a".to_owned(), "use a;");
            let window = full.smaller(&document, cursor, size);
            assert!(full.before.ends_with(&window.before) && full.after.starts_with(&window.after));
            assert!(window.before.len() <= size.before && window.before.len() > size.before / 2);
            assert_eq!(window.outline, "");
            cursor - window.before.len()
        };
        for size in WindowSize::SMALLER {
            let same = (0..40).filter(|keys| starts(size, &"x".repeat(*keys)) == starts(size, "")).count();
            // It moves once at most.
            assert!(
                same == 40 || starts(size, &"x".repeat(39)) == starts(size, &"x".repeat(same)),
                "{size:?}"
            );
        }
    }

    #[test]
    fn smaller_window_shows_lines_above_behind_a_long_member() {
        let long = format!("fn long() {{\n{}}}\n\n", "    work();\n".repeat(200));
        let document =
            Document::new(DocumentId::new("untitled:a"), "rust", 0, &format!("{long}fn short() {{\n}}\n"));
        document.syntax();
        let cursor = long.len() + "fn short() {".len();
        let full = Window::around(&document, cursor, "a".to_owned(), "");
        for size in WindowSize::SMALLER {
            let lines = full.smaller(&document, cursor, size).before.lines().count();
            assert!(lines > 10, "{size:?}: {lines}");
        }
    }

    #[test]
    fn stays_within_its_limits() {
        let functions = "fn f() {\n    let x = 1;\n}\n\n".repeat(1_000);
        check("rust", &format!("fn ˇg() {{}}\n\n{functions}"));
        check("rust", &format!("{functions}fn gˇ() {{}}\n{functions}"));
        check("rust", &format!("{functions}\"ˇ{functions}"));
        check("python", &format!("x = [ˇ\n{}", "def f(a):\n    return a\n\n".repeat(1_000)));
    }
}
