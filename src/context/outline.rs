//! The rest of a file in short: its imports, then the signatures of its definitions.

use tree_sitter::{Node, QueryCursor, StreamingIterator as _};

use crate::document::Document;
use crate::grammar::QueryKind;

/// Bytes of outline at most: about 700 tokens, sent with every request for a file that is larger than its window.
const LIMIT: usize = 2 * 1024;
/// Bytes of one signature at most.
const SIGNATURE_LIMIT: usize = 160;

/// Outlines a document; empty without a grammar or its queries. Waits for the parse.
pub fn of(document: &Document) -> String {
    let mut outline = String::new();
    collect(document, QueryKind::Imports, &mut outline);
    collect(document, QueryKind::Definitions, &mut outline);
    outline
}

/// Appends the first line of everything that a query finds, in the order of the file, while there is room.
fn collect(document: &Document, kind: QueryKind, outline: &mut String) {
    let Some((tree, query)) =
        document.syntax().zip(document.grammar().and_then(|grammar| grammar.query(kind)))
    else {
        return;
    };
    let names = query.capture_names();
    let mut cursor = QueryCursor::new();
    let text = document.text();
    let chunks = |node: Node<'_>| text.byte_slice(node.byte_range()).chunks().map(str::as_bytes);
    let mut matches = cursor.matches(query, tree.root_node(), chunks);
    let mut last_start = None;
    while let Some(found) = matches.next() {
        let capture = |wanted: fn(&str) -> bool| {
            found.captures.iter().find(|capture| wanted(names[capture.index as usize])).map(|it| it.node)
        };
        let whole = capture(|name| name == "import" || name.starts_with("definition."));
        let Some(node) = whole else { continue };
        // One definition may match several patterns, one import may name several things.
        if last_start == Some(node.start_byte()) {
            continue;
        }
        last_start = Some(node.start_byte());
        let line = signature(document, node, capture(|name| name == "body"));
        if outline.len() + line.len() + 1 > LIMIT {
            return;
        }
        outline.push_str(&line);
        outline.push('\n');
    }
}

/// The text of a definition up to its body, on one line, behind the indentation it has in the file.
fn signature(document: &Document, node: Node<'_>, body: Option<Node<'_>>) -> String {
    let start = document.line_start(node.start_byte());
    let end = body.map_or(node.end_byte(), |body| body.start_byte());
    let text = document.slice(start..end);
    let head = match body {
        Some(_) => text.trim_end(),
        None => text.lines().next().unwrap_or_default().trim_end(),
    };
    let indent = head.len() - head.trim_start().len();
    let mut line = head[..indent].to_owned();
    for (at, word) in head.split_whitespace().enumerate() {
        if line.len() + word.len() > SIGNATURE_LIMIT {
            break;
        }
        if at > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
