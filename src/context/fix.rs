//! The parts of a file that a fix may change: the definition around a diagnostic, and the imports.

use std::ops::Range;

use tree_sitter::Node;

use super::cut::{cut, join};
use crate::document::Document;
use crate::grammar::QueryKind;

/// Maximum size in bytes of a definition that is shown whole.
const DEFINITION_BYTES: usize = 8 * 1024;
/// Bytes shown before and after the diagnostic in a larger definition.
const AROUND_BYTES: usize = 3 * 1024;
/// Maximum size in bytes of imports that are shown whole.
const IMPORTS_BYTES: usize = 4 * 1024;
/// Bytes of the file that are searched for imports.
const SEARCHED_BYTES: usize = 64 * 1024;

/// The parts of the file to show: whole lines, sorted and disjoint. Blocks on the parse.
pub fn parts(document: &Document, span: Range<usize>) -> Vec<Range<usize>> {
    let end = document.text().len_bytes();
    let span = span.start.min(end)..span.end.min(end);
    let definition = definition(document, &span).filter(|lines| lines.len() <= DEFINITION_BYTES);
    let near = definition.unwrap_or_else(|| {
        let around = document.whole_lines(cut(document, span.clone(), AROUND_BYTES, AROUND_BYTES));
        // A line is shown as a whole.
        around.start.min(document.line_start(span.start))..around.end
    });
    join(imports(document).into_iter().chain([near]).collect())
}

/// The lines of the smallest definition around a diagnostic, preferably with a body.
fn definition(document: &Document, span: &Range<usize>) -> Option<Range<usize>> {
    let (tree, grammar) = document.syntax().zip(document.grammar())?;
    let text = |node: Node<'_>| document.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    let at = span.start..span.end.max(span.start + 1);
    let found = grammar.matches(QueryKind::Definitions, tree.root_node(), at, text);
    let around = |node: &Node<'_>| node.start_byte() <= span.start && span.end <= node.end_byte();
    let mut around: Vec<_> = found.into_iter().filter(|it| around(&it.node)).collect();
    around.sort_by_key(|it| (it.body.is_none(), it.node.byte_range().len()));
    around.first().map(|it| document.whole_lines(it.node.byte_range()))
}

/// The lines from the first import to the last one near it.
fn imports(document: &Document) -> Option<Range<usize>> {
    let (tree, grammar) = document.syntax().zip(document.grammar())?;
    let text = |node: Node<'_>| document.text().byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    let found = grammar.matches(QueryKind::Imports, tree.root_node(), 0..SEARCHED_BYTES, text);
    let top = found.iter().filter(|it| it.node.parent().is_none_or(|parent| parent.parent().is_none()));
    let mut ranges = top.map(|it| document.whole_lines(it.node.byte_range()));
    let mut block = ranges.next()?;
    for range in ranges {
        if range.start > block.end + AROUND_BYTES {
            break;
        }
        block.end = block.end.max(range.end);
    }
    (block.len() <= IMPORTS_BYTES).then_some(block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[track_caller]
    fn check(language: &str, marked: &str, expected: &[&str]) {
        let at = marked.find('ˇ').expect("a diagnostic");
        let document = Document::new(DocumentId::new("a"), language, 0, &marked.replace('ˇ', ""));
        let shown: Vec<String> =
            parts(&document, at..at + 1).into_iter().map(|part| document.slice(part)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn shows_the_definition_and_the_imports() {
        check(
            "rust",
            "//! Words.\nuse a::b;\nuse c;\n\nfn f() {}\n\nimpl A {\n    fn g() {\n        ˇx\n    }\n\n    fn h() {}\n}\n",
            &["use a::b;\nuse c;\n", "    fn g() {\n        x\n    }\n"],
        );
        check("python", "import a\n\nx = ˇy\n\ndef f():\n    pass\n", &["import a\n", "x = y\n"]);
        check("rust", "struct A {\n    b: ˇB,\n}\n\nfn f() {}\n", &["struct A {\n    b: B,\n}\n"]);
    }
}
