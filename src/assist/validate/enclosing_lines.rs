//! The lines near a position, and those that open and close the blocks around it.
//!
//! They suffice to check the syntax of code at the position. Parsing a whole file takes time that grows with the
//! file, and more so while the user types: an unfinished statement changes how the parser reads everything
//! below it. Parsing these lines takes time that grows only with the nesting depth. They are found by
//! indentation, which needs no tree, and cut where a line of the same block begins.

use std::ops::Range;

use crate::context::syntax_context;
use crate::document::Document;
use crate::text::bracket::CLOSERS;
use crate::text::{ident, line};

/// Bytes on each side that are kept unchanged, extended to a line of the same block, where a clean parse is proof.
pub(super) const NEAR_BYTES: usize = 2048;
/// The same where two numbers of errors are compared: the time to parse broken lines grows with what follows.
pub(super) const COMPARED_BYTES: usize = 1024;
/// Bytes on each side that are searched for enclosing blocks.
const FAR_BYTES: usize = 64 * 1024;

/// First words of a line that continues an earlier line at the same indentation.
const CONTINUATIONS: [&str; 16] = [
    "else",
    "elif",
    "elsif",
    "elseif",
    "except",
    "finally",
    "catch",
    "rescue",
    "ensure",
    "where",
    "case",
    "default",
    "when",
    "public",
    "private",
    "protected",
];

/// The text before and after the byte `cursor` that suffices for a check; `near` bytes of each are unchanged.
pub(super) fn around(document: &Document, cursor: usize, near: usize) -> (String, String) {
    let text = document.text();
    let is_code = |at: usize| syntax_context::at(document, at + 1).is_none();
    // The outermost block is usually near. A line cut in two is not a boundary, unless it is very long: then more
    // of it would add no information, and take milliseconds to parse.
    let is_long = |cut: Option<usize>| cut.is_none_or(|bytes| bytes > 2 * near);
    let look_above = |bytes: usize| {
        let start = document.floor_boundary(cursor.saturating_sub(bytes));
        let text = document.slice(start..cursor);
        let (kept, used) = above(&text, near, &|at| is_code(start + at));
        (kept, start == 0 || used < text.len() || is_long(text.find('\n')))
    };
    let look_below = |bytes: usize| {
        let end = document.floor_boundary(cursor + bytes);
        let below_cursor = document.slice(cursor..end);
        let (kept, used) = below(&below_cursor, near, &|at| is_code(cursor + at));
        let cut = below_cursor.rfind('\n').map(|at| below_cursor.len() - at);
        (kept, end == text.len_bytes() || used < below_cursor.len() || is_long(cut))
    };
    (within_reach(near, look_above), within_reach(near, look_below))
}

/// Searches as few bytes as needed; `look` returns the text found, and whether its bytes sufficed.
fn within_reach(near: usize, look: impl Fn(usize) -> (String, bool)) -> String {
    match look(4 * near) {
        (kept, true) => kept,
        (_, false) => look(FAR_BYTES).0,
    }
}

/// The text to keep before the position, and the number of bytes inspected.
fn above(text: &str, near: usize, is_code: &dyn Fn(usize) -> bool) -> (String, usize) {
    let mut kept: Vec<&str> = Vec::new();
    // The indentation of the outermost block so far.
    let mut outermost = usize::MAX;
    let mut is_near = true;
    // The indentation of a line that opens a block, until the lines above that belong to it are found.
    let mut opening = None;
    let mut used = 0;
    for (span, line) in backwards(text) {
        used = text.len() - span.start;
        let near_enough = is_near && text.len() - span.end < near;
        let Some(indent) = indent(line) else {
            if is_near || opening.is_some() {
                kept.push(line);
            }
            continue;
        };
        if is_near {
            kept.push(line);
            outermost = outermost.min(indent);
            is_near = near_enough || indent > outermost || !begins(line) || !is_code(span.start);
        } else if let Some(opened) = opening {
            kept.push(line);
            if indent <= opened && begins(line) {
                outermost = indent;
                opening = None;
            }
        } else if indent < outermost && is_code(span.start) {
            kept.push(line);
            outermost = indent;
            opening = (!begins(line)).then_some(indent);
        }
        if !is_near && outermost == 0 && opening.is_none() {
            break;
        }
    }
    kept.reverse();
    (kept.concat(), used)
}

/// The text to keep after the position, and the number of bytes inspected.
fn below(text: &str, near: usize, is_code: &dyn Fn(usize) -> bool) -> (String, usize) {
    let mut kept = String::new();
    let mut outermost = usize::MAX;
    let mut is_near = true;
    let mut at = 0;
    for (number, line) in line::split_iter(text).enumerate() {
        let start = at;
        at += line.len();
        // The rest of the cursor's line.
        if number == 0 {
            kept.push_str(line);
            continue;
        }
        let Some(indent) = indent(line) else {
            if is_near {
                kept.push_str(line);
            }
            continue;
        };
        if is_near && start >= near && indent <= outermost && begins(line) && is_code(start) {
            is_near = false;
        }
        if is_near {
            kept.push_str(line);
            outermost = outermost.min(indent);
        } else if indent < outermost && closes(line) && is_code(start) {
            kept.push_str(line);
            // A closing line that opens another block is followed by the end of that block.
            let opens = line.trim_end().ends_with(['{', '(', '[']);
            outermost = if opens { indent + 1 } else { indent };
        }
        if !is_near && outermost == 0 {
            break;
        }
    }
    (kept, at)
}

/// The lines of a text and their byte ranges, last line first.
fn backwards(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut end = text.len();
    std::iter::from_fn(move || {
        if end == 0 {
            return None;
        }
        let start = line::body(&text[..end]).rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let span = start..end;
        end = start;
        Some((span.clone(), &text[span]))
    })
}

/// The indentation of a line in bytes; `None` if it shows nothing about the enclosing blocks.
///
/// Such are blank lines, and preprocessor lines, which are never indented. Comments and attributes that begin
/// with the same character can be skipped as well.
fn indent(line: &str) -> Option<usize> {
    let rest = line.trim_start();
    (!rest.is_empty() && !rest.starts_with('#')).then(|| line.len() - rest.len())
}

/// Whether a line begins a statement, rather than continuing or closing one above it.
fn begins(line: &str) -> bool {
    let line = line.trim_start();
    let word = ident::first_partial(line);
    let first = line.chars().next().unwrap_or('}');
    let is_sign = "{}[]().,;:&|+?=%^>".contains(first);
    !is_sign && !closes(line) && !CONTINUATIONS.contains(&word)
}

/// Whether a line closes a block.
fn closes(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(CLOSERS) || line.split(|it: char| !it.is_alphanumeric()).next() == Some("end")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// Checks the text kept around `ˇ`, with a line of dots for omitted text.
    fn check(language: &str, marked: &str, expected: &str) {
        // Enough lines between the blocks to keep them apart.
        let long = |indent: &str| format!("{indent}one();\n").repeat(NEAR_BYTES / 8);
        let marked =
            marked
                .split_inclusive('\n')
                .map(|line| {
                    if line.trim() == "…" {
                        long(line.split('…').next().unwrap())
                    } else {
                        line.to_owned()
                    }
                })
                .collect::<String>();
        let cursor = marked.find('ˇ').unwrap();
        let document = Document::new(DocumentId::new("file:///a"), language, 0, &marked.replace('ˇ', ""));
        document.syntax();
        let (before, after) = around(&document, cursor, NEAR_BYTES);
        let kept = format!("{before}ˇ{after}");
        let mut shown: Vec<&str> = Vec::new();
        for line in kept.lines() {
            let line = if line.trim() == "one();" { "…" } else { line };
            if line != "…" || shown.last() != Some(&"…") {
                shown.push(line);
            }
        }
        assert_eq!(shown.join("\n") + "\n", expected);
        assert!(kept.len() < 4 * NEAR_BYTES + 500, "{}", kept.len());
    }

    #[test]
    fn lines_may_begin_with_any_character() {
        let line = "격리된 글\n";
        let text = line.repeat(NEAR_BYTES);
        // Without a tree, the line itself shows whether it is a comment.
        let document = Document::new(DocumentId::new("file:///a"), "markdown", 0, &text);
        let (before, after) = around(&document, line.len() * NEAR_BYTES / 2, NEAR_BYTES);
        assert!(before.ends_with(line) && after.starts_with(line));
    }

    #[test]
    fn small_files_are_kept() {
        let text = "use a;\n\nfn f() {\n    let x = ˇ\n}\n\nfn g() {}\n";
        check("rust", text, text);
    }

    #[test]
    fn far_lines_are_those_that_open_and_close() {
        check(
            "rust",
            "fn a() {\n    …\n}\n\n#[cfg(test)]\nmod tests {\n    use a;\n    …\n    impl<T> A<T>\n    where\n        T: B,\n    {\n        …\n        fn f(\n            a: u32,\n        ) {\n            …\n            let x = ˇ\n            …\n        }\n\n        fn g() {\n            …\n        }\n    }\n    …\n}\n\nfn b() {\n    …\n}\n",
            "mod tests {\n    impl<T> A<T>\n    where\n        T: B,\n    {\n        fn f(\n            a: u32,\n        ) {\n…\n            let x = ˇ\n…\n        }\n    }\n}\n",
        );
    }

    #[test]
    fn blocks_without_closers() {
        check(
            "python",
            "import a\n\nclass A:\n    x = 1\n    …\n    def f(self):\n        …\n        if a:\n            …\n            b = ˇ\n            …\n        else:\n            …\n    …\n\ndef g():\n    …\n",
            "class A:\n    def f(self):\n        if a:\n…\n            b = ˇ\n…\n",
        );
    }

    #[test]
    fn labels_and_lines_of_a_preprocessor() {
        check(
            "c",
            "#include <a.h>\n\nint f(void)\n{\n    …\n    switch (x) {\n    case 1:\n        …\n#ifdef A\n        y = ˇ\n#endif\n        …\n    }\n}\n",
            "int f(void)\n{\n    switch (x) {\n    case 1:\n…\n#ifdef A\n        y = ˇ\n#endif\n…\n    }\n}\n",
        );
    }

    #[test]
    fn a_block_that_goes_on_in_another() {
        check(
            "javascript",
            "function f() {\n    …\n    if (a) {\n        …\n        ˇ\n        …\n    } else {\n        …\n    }\n    …\n}\n",
            "function f() {\n    if (a) {\n…\n        ˇ\n…\n    } else {\n    }\n}\n",
        );
    }

    #[test]
    fn long_line_is_cut() {
        let text = "x = [1, 2, 3];".repeat(10_000);
        let document = Document::new(DocumentId::new("file:///a"), "javascript", 0, &text);
        let (before, after) = around(&document, text.len() / 2, NEAR_BYTES);
        assert_eq!((before.len(), after.len()), (4 * NEAR_BYTES, 4 * NEAR_BYTES));
        // The same holds for lines next to the position.
        let (line, beside) = ("let b = c.", format!("{text}\nlet b = c.\n{text}"));
        let document = Document::new(DocumentId::new("file:///a"), "javascript", 0, &beside);
        let (before, after) = around(&document, text.len() + "\n".len() + line.len(), NEAR_BYTES);
        assert_eq!((before.len(), after.len()), (4 * NEAR_BYTES, 4 * NEAR_BYTES));
    }

    #[test]
    fn text_in_strings_is_no_code() {
        let text = "x = 1\n\ndef f():\n    s = \"\"\"\nclass A:\n    …\n\"\"\"\n    …\n    y = ˇ\n";
        check("python", text, "def f():\n…\n    y = ˇ\n");
    }
}
