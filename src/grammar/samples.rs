//! The samples in `grammars/`: code with marks that show what the queries match.
//!
//! A line whose first character is `^` is a mark. It belongs to the nearest unmarked line above: its carets lie
//! under the captured range, and its label names the capture. A range of several lines has its carets under the
//! first line, and the label gives the number of lines. Marks are removed before parsing, so they work the same
//! in every language, and a sample without its marks is an ordinary file.
//!
//! ```text
//! fn area(&self) -> f64 {
//! ^^^^^^^^^^^^^^^^^^^^^^^ definition.function, scope (3 lines)
//!    ^^^^ definition.function name
//!                       ^ definition.function body, scope (3 lines)
//!     self.width * self.height
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use expect_test::expect_file;
use tree_sitter::{Node, Query, QueryCursor, StreamingIterator, Tree};

use super::builtin::BUILTIN;
use super::{Grammar, Match, QueryKind, all};

/// The marks of every sample equal the query matches.
#[test]
fn samples_are_marked_with_what_the_queries_find() {
    for grammar in all() {
        let path = sample_path(grammar);
        let text = std::fs::read_to_string(&path).unwrap();
        expect_file![path].assert_eq(&marked(grammar, &unmarked(&text)));
    }
}

/// A pattern that matches nothing in its own sample is untested.
#[test]
fn samples_have_a_case_for_every_pattern() {
    let mut without = String::new();
    for grammar in all() {
        let (text, tree) = parsed_sample(grammar);
        for kind in QueryKind::ALL {
            let Some(query) = grammar.query(kind) else { continue };
            let source = grammar.query_source(kind).unwrap();
            // Inherited patterns are covered by the ancestor's sample.
            let builtin = BUILTIN.iter().find(|builtin| builtin.id == grammar.id()).unwrap();
            let own = source.len() - builtin.source(kind).map_or(0, str::len);
            let found = matching_patterns(query, &tree, &text);
            for pattern in (0..query.pattern_count()).filter(|pattern| !found.contains(pattern)) {
                let bytes = query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
                if bytes.start >= own {
                    without += &format!("; {} of {}\n{}", kind.name(), grammar.id(), &source[bytes]);
                }
            }
        }
    }
    assert!(without.is_empty(), "{without}");
}

#[test]
fn samples_parse_without_errors() {
    for grammar in all() {
        let (text, tree) = parsed_sample(grammar);
        assert!(!tree.root_node().has_error(), "{}:\n{text}\n{}", grammar.id(), tree.root_node());
    }
}

/// Checking single nodes and querying the whole tree give the same scopes.
#[test]
fn is_scope_agrees_with_the_query() {
    for grammar in all() {
        let (text, tree) = parsed_sample(grammar);
        let found = grammar.matches(QueryKind::Scopes, tree.root_node(), 0..text.len(), text.as_bytes());
        let mut scopes: Vec<usize> = found.iter().map(|scope| scope.node.id()).collect();
        let mut asked = Vec::new();
        visit(tree.root_node(), &mut |node| {
            if grammar.is_scope(node) {
                asked.push(node.id());
            }
        });
        scopes.sort_unstable();
        asked.sort_unstable();
        assert_eq!(asked, scopes, "{}", grammar.id());
        assert!(!scopes.is_empty(), "{} has no scope in its sample", grammar.id());
    }
}

fn visit<'tree>(node: Node<'tree>, then: &mut impl FnMut(Node<'tree>)) {
    then(node);
    for child in node.children(&mut node.walk()) {
        visit(child, then);
    }
}

fn matching_patterns(query: &Query, tree: &Tree, text: &str) -> BTreeSet<usize> {
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut found = BTreeSet::new();
    while let Some(hit) = matches.next() {
        found.insert(hit.pattern_index);
    }
    found
}

fn sample_path(grammar: &Grammar) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("grammars").join(grammar.id());
    folder.join(format!("sample.{}", grammar.facts().extensions[0]))
}

fn parsed_sample(grammar: &Grammar) -> (String, Tree) {
    let text = unmarked(&std::fs::read_to_string(sample_path(grammar)).unwrap());
    let tree = grammar.parse_str(&text).unwrap();
    (text, tree)
}

fn unmarked(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with('^')).collect()
}

/// Adds marks under each line of `text` for the matches that start on it.
fn marked(grammar: &'static Grammar, text: &str) -> String {
    let tree = grammar.parse_str(text).unwrap();
    let mut labels: BTreeMap<Span, Vec<String>> = BTreeMap::new();
    for kind in QueryKind::ALL {
        for found in grammar.matches(kind, tree.root_node(), 0..text.len(), text.as_bytes()) {
            for (range, label) in labelled(kind, &found) {
                let known = labels.entry(Span::of(text, range)).or_default();
                if !known.contains(&label) {
                    known.push(label);
                }
            }
        }
    }
    let mut marked = String::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        marked.push_str(line);
        for (span, labels) in labels.iter().filter(|(span, _)| span.line == number) {
            marked.push_str(&span.mark(line, labels));
        }
    }
    marked
}

/// The captured ranges of a match and their labels.
fn labelled(kind: QueryKind, found: &Match<'_>) -> Vec<(Range<usize>, String)> {
    let whole = match kind {
        QueryKind::Definitions => format!("definition.{}", found.kind),
        QueryKind::References => format!("reference.{}", found.kind),
        QueryKind::Scopes | QueryKind::Imports => found.kind.to_owned(),
    };
    let part =
        |name: &str, node: Option<Node<'_>>| node.map(|node| (node.byte_range(), format!("{whole} {name}")));
    let parts = [("name", found.name), ("body", found.body), ("doc", found.doc), ("path", found.path)];
    let mut labelled: Vec<_> = parts.into_iter().filter_map(|(name, node)| part(name, node)).collect();
    // Where the name spans the whole node, one label covers both.
    if found.name.is_none_or(|name| name.byte_range() != found.node.byte_range()) {
        labelled.push((found.node.byte_range(), whole));
    }
    labelled
}

/// A text range by line and column; ordered by start, then longest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Span {
    line: usize,
    /// Bytes from the start of the line.
    start: usize,
    further_lines: std::cmp::Reverse<usize>,
    /// Bytes from the start of the first line, capped at its end.
    end: std::cmp::Reverse<usize>,
}

impl Span {
    fn of(text: &str, range: Range<usize>) -> Span {
        // A node that ends with a line break does not reach the next line.
        let range = range.start..range.start + text[range].trim_end().len();
        let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
        Span {
            line: text[..range.start].matches('\n').count(),
            start: range.start - line_start,
            further_lines: std::cmp::Reverse(text[range.clone()].matches('\n').count()),
            end: std::cmp::Reverse(range.end.min(line_end) - line_start),
        }
    }

    fn mark(&self, line: &str, labels: &[String]) -> String {
        let indent: String = line[..self.start].chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let carets = "^".repeat(line[self.start..self.end.0].chars().count().max(1));
        let lines = match self.further_lines.0 {
            0 => String::new(),
            further => format!(" ({} lines)", further + 1),
        };
        format!("{indent}{carets} {}{lines}\n", labels.join(", "))
    }
}
