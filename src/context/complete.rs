//! The window around a cursor, for ghost text.

use std::ops::Range;

use super::NearbySecrets;
use super::cut::{cut, cut_around, cut_at_lines};
use crate::document::Document;

/// Maximum number of bytes before the cursor: about 2,000 tokens.
pub const BEFORE_BYTES: usize = 6 * 1024;
/// Maximum number of bytes after the cursor: about 700 tokens.
pub const AFTER_BYTES: usize = 2 * 1024;

/// The size of a window. A slow model is shown less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowSize {
    /// Maximum number of bytes before the cursor.
    before: usize,
    /// Maximum number of bytes after the cursor.
    after: usize,
}

impl WindowSize {
    /// The full size.
    pub const FULL: Self = Self { before: BEFORE_BYTES, after: AFTER_BYTES };
    /// The sizes for slow models, largest first. The smallest holds about ten lines.
    pub const SMALLER: [Self; 5] = [
        Self { before: 3_072, after: 768 },
        Self { before: 1_536, after: 384 },
        Self { before: 1_152, after: 320 },
        Self { before: 768, after: 256 },
        Self { before: 512, after: 128 },
    ];
}

/// The part of a file around a cursor that is shown to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The displayed path, `/`-separated and relative to its workspace folder if it has one.
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
    /// Takes microseconds whatever the file's size: it reads only the text around the cursor, and uses the tree at
    /// hand.
    pub fn around(document: &Document, cursor: usize, path: String, outline: &str) -> Self {
        Self::with_secrets(document, cursor, path, outline, &Self::secrets(document, cursor))
    }

    /// Like [`Self::around`], with the [secrets near the cursor](Self::secrets) at hand.
    pub fn with_secrets(
        document: &Document,
        cursor: usize,
        path: String,
        outline: &str,
        secrets: &NearbySecrets,
    ) -> Self {
        let WindowSize { before, after } = WindowSize::FULL;
        let span = cut_around(document, cursor..cursor, (before, after), secrets);
        Self::showing(document, span, cursor, path, outline)
    }

    /// The secrets in the text that a window around the byte `cursor` may show.
    pub fn secrets(document: &Document, cursor: usize) -> NearbySecrets {
        NearbySecrets::around(document, &(cursor..cursor), (BEFORE_BYTES, AFTER_BYTES))
    }

    /// A smaller window of the same file, without an outline.
    ///
    /// Its start moves only in steps of a third of its length, so that prompts of successive keystrokes share a
    /// prefix that the model has already processed.
    pub fn smaller(&self, document: &Document, cursor: usize, size: WindowSize) -> Self {
        let step = size.before / 3;
        let start = (cursor / step).saturating_sub(2) * step;
        let mut span = cut(document, cursor..cursor, cursor - start, size.after);
        if span.start > start + step {
            // Too little would remain without the part of a long member above.
            span.start = cut_at_lines(document, cursor..cursor, cursor - start, size.after).start;
        }
        Self::showing(document, span, cursor, self.path.clone(), "")
    }

    /// The window of the bytes `span`, which contains `cursor`.
    pub fn showing(
        document: &Document,
        span: Range<usize>,
        cursor: usize,
        path: String,
        outline: &str,
    ) -> Self {
        let whole_file = span.start == 0 && span.end == document.text().len_bytes();
        Self {
            path,
            language: document.language_name().to_owned(),
            outline: if whole_file { String::new() } else { outline.to_owned() },
            before: document.slice(span.start..cursor),
            after: document.slice(cursor..span.end),
        }
    }

    /// The bytes that it shows.
    pub fn span(&self, cursor: usize) -> Range<usize> {
        cursor - self.before.len()..cursor + self.after.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::position::{Encoding, position_at};
    use crate::document::{Change, DocumentId};

    /// Checks the limits of the window at `ˇ`: in a parsed text, and right after a formatter has replaced the
    /// whole text, so that the tree has members in odd positions.
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
            // The start moves at most once.
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
