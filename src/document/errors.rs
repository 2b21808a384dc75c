//! The syntax errors of a document.

use tree_sitter::{Node, Tree};

use super::Document;
use crate::budget;

impl Document {
    /// How many errors and missing tokens the text has; `None` if it cannot be parsed.
    ///
    /// Waits for the parse.
    ///
    /// Closing words that close nothing count too, in the languages whose parser takes such a word for a
    /// name.
    pub fn syntax_errors(&self) -> Option<usize> {
        self.syntax().map(|tree| self.errors_in(tree))
    }

    /// The same where the tree of the text is at hand.
    pub(crate) fn errors_in(&self, tree: &Tree) -> usize {
        let mut count = 0;
        each_error(self, tree, |_| count += 1);
        count
    }

    /// The line, from 0, that is the likeliest to be wrong in a text with syntax errors.
    ///
    /// Waits for the parse.
    ///
    /// Of an error the parser marks all that it could make nothing of, so the one of the fewest lines says
    /// most.
    pub fn likeliest_error_line(&self) -> Option<usize> {
        let mut narrowest = None;
        each_error(self, self.syntax()?, |node| {
            let (first, last) = (node.start_position().row, node.end_position().row);
            narrowest = narrowest.into_iter().chain([(last - first, first)]).min();
        });
        narrowest.map(|(_, line)| line)
    }
}

/// Visits the errors and missing tokens.
#[inline]
fn each_error(document: &Document, tree: &Tree, mut visit: impl FnMut(Node<'_>)) {
    let words = document.grammar().map_or(&[][..], |grammar| &grammar.facts().stray_closers);
    let mut cursor = tree.walk();
    // Whether each node around is a call: a node finds its parent only by a search from the root.
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
        // Where no word is looked for, the parts without an error need no visit.
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

/// Whether a node is a statement of one word, and short enough to be a closing one.
fn is_bare_word(node: Node<'_>, is_in_call: bool) -> bool {
    const LONGEST: usize = 4;
    if node.end_byte() - node.start_byte() > LONGEST {
        return false;
    }
    match node.kind() {
        // Behind a dot it is the name of a method.
        "identifier" => !is_in_call,
        "command" => node.named_child_count() == 1,
        _ => false,
    }
}
