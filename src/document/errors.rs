//! The syntax errors of a document.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::{Document, alignment};
use crate::budget;

impl Document {
    /// The number of errors and missing tokens; `None` if the text cannot be parsed.
    ///
    /// Blocks on the parse.
    ///
    /// Unmatched closing keywords and statements in the wrong column count too, in languages whose parser accepts them.
    pub fn syntax_errors(&self) -> Option<usize> {
        self.syntax().map(|tree| self.errors_in(tree))
    }

    /// Like [`Self::syntax_errors`], without the columns of statements, which a change within a line does not affect.
    ///
    /// Counting those visits every statement.
    pub fn syntax_errors_within_lines(&self) -> Option<usize> {
        let tree = self.syntax()?;
        let mut count = 0;
        each_parse_error(self, tree, |_| count += 1);
        Some(count)
    }

    /// The number of syntax errors, and of those that begin in `span`; the columns of statements count if `has_lines`.
    pub fn syntax_errors_in(&self, span: &Range<usize>, has_lines: bool) -> Option<(usize, usize)> {
        let tree = self.syntax()?;
        let (mut all, mut inside) = (0, 0);
        let count = |node: Node<'_>| {
            all += 1;
            inside += usize::from(span.contains(&node.start_byte()));
        };
        match has_lines {
            true => each_error(self, tree, count),
            false => each_parse_error(self, tree, count),
        }
        Some((all, inside))
    }

    /// Like [`Self::syntax_errors`], for an existing tree of the text.
    pub(crate) fn errors_in(&self, tree: &Tree) -> usize {
        let mut count = 0;
        each_error(self, tree, |_| count += 1);
        count
    }

    /// The most likely line (0-based) of the mistake in a text with syntax errors.
    ///
    /// Blocks on the parse.
    ///
    /// An error node spans everything that the parser could not use, so the error of the fewest lines is the
    /// most precise.
    pub fn likeliest_error_line(&self) -> Option<usize> {
        let mut narrowest = None;
        each_error(self, self.syntax()?, |node| {
            let (first, last) = (node.start_position().row, node.end_position().row);
            narrowest = narrowest.into_iter().chain([(last - first, first)]).min();
        });
        narrowest.map(|(_, line)| line)
    }
}

/// Visits the errors, missing tokens and misaligned statements.
#[inline]
fn each_error(document: &Document, tree: &Tree, mut visit: impl FnMut(Node<'_>)) {
    if let Some(grammar) = document.grammar() {
        alignment::each_misaligned(grammar.facts(), tree, &mut visit);
    }
    each_parse_error(document, tree, visit);
}

/// Visits the errors and missing tokens that the tree shows.
#[inline]
fn each_parse_error(document: &Document, tree: &Tree, mut visit: impl FnMut(Node<'_>)) {
    let words = document.grammar().map_or(&[][..], |grammar| &grammar.facts().stray_closers);
    let mut cursor = tree.walk();
    // Whether each ancestor is a call: a node finds its parent only by a search from the root.
    let mut calls = Vec::new();
    loop {
        let node = cursor.node();
        budget::charge(1);
        if node.is_error() || node.is_missing() {
            visit(node);
        }
        if !words.is_empty()
            && is_bare_word(node, calls.last() == Some(&true))
            && words.iter().any(|word| document.text().byte_slice(node.byte_range()) == word.as_str())
        {
            visit(node);
        }
        // Without closing keywords to find, subtrees without an error need no visit.
        if (!words.is_empty() || node.has_error()) && cursor.goto_first_child() {
            calls.push(node.kind() == "call");
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            calls.pop();
        }
    }
}

/// Whether a node is a one-word statement that is short enough for a closing keyword.
fn is_bare_word(node: Node<'_>, is_in_call: bool) -> bool {
    const LONGEST: usize = 4;
    if node.end_byte() - node.start_byte() > LONGEST {
        return false;
    }
    match node.kind() {
        // After a dot it is a method's name.
        "identifier" => !is_in_call,
        "command" => node.named_child_count() == 1,
        _ => false,
    }
}
