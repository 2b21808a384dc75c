//! Detects whether a position is in a comment or in a string.

use crate::config::CommentOrString;
use crate::document::Document;

/// Whether the byte `cursor` is in a comment or in a string.
///
/// Uses the current tree, which may be a few keystrokes old. Without a tree, right after a file was opened,
/// only the line shows whether it is a comment.
pub fn at(document: &Document, cursor: usize) -> Option<CommentOrString> {
    let Some(tree) = document.tree() else { return in_line(document, cursor) };
    // A comment that ends with its line ends at the cursor, too.
    let before = cursor.checked_sub(1)?;
    // The ancestors of that byte, from the root: asking a node for its parent searches from the root again.
    let mut walk = tree.walk();
    let mut around = vec![walk.node()];
    while walk.goto_first_child_for_byte(before).is_some() && walk.node().start_byte() <= before {
        around.push(walk.node());
    }
    for node in around.into_iter().rev() {
        let kind = node.kind();
        if kind.contains("interpolation") || kind.contains("substitution") {
            return None;
        }
        if kind.contains("comment") {
            let ends_before = cursor >= node.end_byte() && kind.contains("block");
            return (!ends_before).then_some(CommentOrString::Comment);
        }
        if (kind.contains("string") || kind == "char_literal") && cursor < node.end_byte() {
            return Some(CommentOrString::String);
        }
    }
    None
}

/// Whether the cursor's line begins like a comment.
fn in_line(document: &Document, cursor: usize) -> Option<CommentOrString> {
    let line = document.slice(document.line_start(cursor)..cursor);
    let starts = &document.grammar()?.comments().line;
    starts
        .iter()
        .any(|start| line.trim_start().starts_with(start.as_str()))
        .then_some(CommentOrString::Comment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[track_caller]
    fn check(language: &str, marked: &str, expected: Option<CommentOrString>) {
        let cursor = marked.find('ˇ').expect("a cursor");
        let document = Document::new(DocumentId::new("untitled:a"), language, 0, &marked.replace('ˇ', ""));
        document.syntax();
        assert_eq!(at(&document, cursor), expected, "{marked}");
    }

    #[test]
    fn a_line_by_itself() {
        let check = |language, text: &str, expected| {
            let document = Document::new(DocumentId::new("untitled:a"), language, 0, text);
            assert_eq!(at(&document, text.len()), expected, "{text}");
        };
        check("rust", "f();\n    // one", Some(CommentOrString::Comment));
        check("rust", "// one\nf(", None);
        check("python", "  # one", Some(CommentOrString::Comment));
        check("no language", "# one", None);
    }

    #[test]
    fn parts() {
        check("rust", "fn f() { ˇ }", None);
        check("rust", "// oneˇ\nfn f() {}", Some(CommentOrString::Comment));
        check("rust", "/* one */ˇ\nfn f() {}", None);
        check("rust", "/* oˇne */", Some(CommentOrString::Comment));
        check("rust", "fn f() { g(\"aˇ\") }", Some(CommentOrString::String));
        check("rust", "fn f() { g(\"a\"ˇ) }", None);
        check("rust", "fn f() { g(ˇ\"a\") }", None);
        check("python", "x = 'aˇ'", Some(CommentOrString::String));
        check("python", "x = f'a{bˇ}'", None);
        check("python", "# aˇ", Some(CommentOrString::Comment));
        check("javascript", "let x = `a${bˇ}`;", None);
        check("javascript", "let x = `aˇ${b}`;", Some(CommentOrString::String));
        check("no language", "\"aˇ\"", None);
    }
}
