//! The names through which the user's recent edits affect other code.
//!
//! An edit far from the cursor is shown if it contains one of them. The same names select the distant parts of a
//! file that a model is shown, so edits can be accepted wherever the model was asked about.

use std::collections::HashSet;

use tree_sitter::Node;

use super::params::NextEditParams;
use crate::document::Document;
use crate::edit::names::declares;
use crate::grammar::Grammar;
use crate::snapshot::RecentEdit;
use crate::text::ident;

/// Words that precede a bracket but are not names.
const CONTROL: [&str; 14] = [
    "if", "for", "while", "switch", "match", "return", "catch", "elif", "and", "or", "not", "in", "await",
    "with",
];
/// Number of steps that are inspected.
const STEPS: usize = 3;

/// The names that the last steps affect, those of the newest step first.
pub(super) fn names(params: &NextEditParams) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for step in params.recent_edits.iter().rev().filter(|step| !step.is_merged).take(STEPS) {
        for name in of_step(params, step) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The names that a step affects, the likeliest first.
///
/// Removed names come first, then names called or declared on its lines, then added names.
fn of_step(params: &NextEditParams, step: &RecentEdit) -> Vec<String> {
    let (old, new) = (&step.merged.0, &step.merged.1);
    let files = std::iter::once(&params.snapshot).chain(&params.other_files);
    let document = files.map(|it| &*it.document).find(|it| *it.id() == step.document);
    let grammar = document.and_then(Document::grammar);
    let (was, is): (HashSet<&str>, HashSet<&str>) =
        (ident::names(old).collect(), ident::names(new).collect());
    let is_name = |word: &&str| !grammar.is_some_and(|grammar| grammar.is_keyword(word));
    let gone = ident::names(old).filter(|word| !is.contains(word)).filter(is_name);
    let came = ident::names(new).filter(|word| !was.contains(word)).filter(is_name);
    let declared = match (document, &step.at) {
        (Some(document), Some(at)) => declared(document, at.start.saturating_sub(step.offset), old, new),
        _ => grammar.map(|grammar| declared_alone(grammar, old, new)).unwrap_or_default(),
    };
    let own = gone.chain(called(new)).map(str::to_owned);
    own.chain(declared).chain(came.map(str::to_owned)).collect()
}

/// The names before an opening bracket, such as that of a function whose signature changed.
fn called(text: &str) -> impl Iterator<Item = &str> {
    let before = |at: usize| ident::names(&text[..at]).next_back().filter(|word| text[..at].ends_with(word));
    text.match_indices('(').filter_map(move |(at, _)| before(at)).filter(|word| !CONTROL.contains(word))
}

/// The names that the changed lines declare in the current file.
///
/// An example is a field or a variable whose type changed.
fn declared(document: &Document, start: usize, old: &str, new: &str) -> Vec<String> {
    let Some(tree) = document.syntax() else { return Vec::new() };
    let mut names = Vec::new();
    let mut at = start;
    for line in new.split_inclusive('\n') {
        let (start, body) = (at, line.trim_end());
        at += line.len();
        // The lines may have moved since.
        let is_line = start < document.text().len_bytes() && document.line_start(start) == start;
        let stands = is_line && document.slice(start..document.next_line_start(start)).trim_end() == body;
        if stands && !old.lines().any(|it| it.trim_end() == body) {
            let text = |node: Node<'_>| document.slice(node.byte_range());
            names.extend(names_in(tree.root_node(), start..start + body.len(), &text));
        }
    }
    names
}

/// Like [`declared`], for lines without a known position, as far as they parse on their own.
fn declared_alone(grammar: &Grammar, old: &str, new: &str) -> Vec<String> {
    let lines: String = new.split_inclusive('\n').filter(|line| !old.contains(line)).collect();
    let Some(tree) = grammar.parse_str(&lines) else { return Vec::new() };
    names_in(tree.root_node(), 0..lines.len(), &|node| lines[node.byte_range()].to_owned())
}

fn names_in(root: Node<'_>, span: std::ops::Range<usize>, text: &dyn Fn(Node<'_>) -> String) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.end_byte() <= span.start || node.start_byte() >= span.end {
            continue;
        }
        if node.child_count() == 0 && node.kind().contains("identifier") && declares(node) {
            names.push(text(node));
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
    }
    names
}
