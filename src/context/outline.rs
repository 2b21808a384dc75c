//! A file's outline: its imports, then the signatures of its definitions.

use tree_sitter::Node;

use crate::document::Document;
use crate::grammar::{Match, QueryKind};

/// Maximum size of the outline in bytes: about 700 tokens.
///
/// It is sent with every request for a file that is larger than its window.
const MAX_BYTES: usize = 2 * 1024;
/// Maximum size of one signature in bytes.
const MAX_SIGNATURE_BYTES: usize = 160;
/// Bytes of the file that are searched for definitions and imports.
///
/// Enough to fill the outline, and searched in milliseconds for a file of any size.
const SEARCHED_BYTES: usize = 64 * 1024;

/// Outlines a document; empty without a grammar or its queries. Blocks on the parse.
pub fn of(document: &Document) -> String {
    let mut outline = String::new();
    collect(document, QueryKind::Imports, &mut outline);
    collect(document, QueryKind::Definitions, &mut outline);
    outline
}

/// Appends a line for each match of a query, in file order, while there is room.
fn collect(document: &Document, kind: QueryKind, outline: &mut String) {
    let Some((tree, grammar)) = document.syntax().zip(document.grammar()) else { return };
    let text = |node: Node<'_>| document.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    let mut last_start = None;
    for found in grammar.matches(kind, tree.root_node(), 0..SEARCHED_BYTES, text) {
        // One import may bring in several names.
        if last_start.replace(found.node.start_byte()) == Some(found.node.start_byte()) {
            continue;
        }
        let line = signature(document, &found);
        if outline.len() + line.len() + 1 > MAX_BYTES {
            return;
        }
        outline.push_str(&line);
        outline.push('\n');
    }
}

/// The signature of a definition on one line, with its indentation.
///
/// It ends before the body, or without a body at the end of the first line.
fn signature(document: &Document, found: &Match<'_>) -> String {
    let start = document.line_start(found.node.start_byte());
    let end = found.body.map_or(found.node.end_byte(), |body| body.start_byte());
    // A literal may be long, and the limit may fall inside a character.
    let end = document.text().byte_to_char(end.min(start + 4 * MAX_SIGNATURE_BYTES));
    let text = document.slice(start..document.text().char_to_byte(end));
    let head = if found.body.is_some() { &*text } else { text.lines().next().unwrap_or_default() };
    let mut line = head[..head.len() - head.trim_start().len()].to_owned();
    for (at, word) in head.split_whitespace().enumerate() {
        if line.len() + word.len() > MAX_SIGNATURE_BYTES {
            break;
        }
        if at > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use expect_test::{Expect, expect};

    fn check(language: &str, text: &str, expect: Expect) {
        expect.assert_eq(&of(&Document::new(DocumentId::new("untitled:a"), language, 0, text)));
    }

    #[test]
    fn lists_imports_and_signatures() {
        check(
            "rust",
            "use std::{fmt,\n    io};\n\n/// A 猫.\npub struct Cat {\n    name: String,\n}\n\nimpl Cat {\n    fn meow<T>(\n        &self,\n        times: T,\n    ) -> String {\n        todo()\n    }\n}\n",
            expect![[r#"
                use std::{fmt,
                pub struct Cat
                    name: String
                impl Cat
                    fn meow<T>( &self, times: T, ) -> String
            "#]],
        );
        check(
            "python",
            "import os\nfrom a import b, c\n\nclass A(B):\n    def f(self, x=1):\n        return x\n",
            expect![[r#"
                import os
                from a import b, c
                class A(B):
                    def f(self, x=1):
            "#]],
        );
    }

    #[test]
    fn cuts_long_literals_between_characters() {
        let text = format!("const A: &str = \"a{}\";\nfn f() {{}}\n", "猫".repeat(400));
        let document = Document::new(DocumentId::new("untitled:a"), "rust", 0, &text);
        assert!(of(&document).ends_with("\nfn f()\n"));
    }

    #[test]
    fn is_empty_for_a_language_that_is_not_linked() {
        check("klingon", "use std::fmt;\n", expect![""]);
    }
}
