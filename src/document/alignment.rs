//! Statements in the wrong column or block, in languages whose blocks are formed by indentation.
//!
//! Their parser accepts an unexpected indentation, which the language itself refuses ("unexpected indent" and
//! "unindent does not match" in the reference of Python, section 2.1.8). It also accepts a statement that slid out of
//! the only block it may be in (sections 7.6, 7.9 and 7.10).

use tree_sitter::{Node, Tree, TreeCursor};

use crate::budget;
use crate::grammar::Facts;

/// Visits the statements that are first on their line but not in the column of their block, or not in a block of the
/// kind that they need.
///
/// An excerpt that begins deeper than column zero lacks the blocks around it. Below a syntax error nothing is visited,
/// since the blocks there are a guess.
pub(super) fn each_misaligned(facts: &Facts, tree: &Tree, mut visit: impl FnMut(Node<'_>)) {
    if !facts.aligned_blocks.is_empty() {
        let is_excerpt = tree.root_node().child(0).is_some_and(|first| first.start_position().column > 0);
        let mut around = (!is_excerpt).then(Vec::new);
        walk(facts, &mut tree.walk(), &mut around, &mut visit);
    }
}

/// Whether a statement is in none of the blocks of which it needs one.
fn is_misplaced(facts: &Facts, node: Node<'_>, around: &[&str]) -> bool {
    let needed = facts.placed_statements.get(node.kind());
    needed.is_some_and(|kinds| !kinds.iter().any(|kind| around.contains(&kind.as_str())))
}

/// Visits the children of the cursor's node, which spans several lines.
///
/// `around` has the kinds of the nodes around them, if these are known.
fn walk<'t>(
    facts: &Facts,
    cursor: &mut TreeCursor<'t>,
    around: &mut Option<Vec<&'t str>>,
    visit: &mut dyn FnMut(Node<'_>),
) {
    let parent = cursor.node();
    budget::charge(parent.child_count() as usize);
    let is_among = |kinds: &[String], node: Node<'_>| kinds.iter().any(|kind| kind == node.kind());
    let is_block = is_among(&facts.aligned_blocks, parent);
    // The column of the first statement, and the row where the last one ends. An excerpt may begin deeper than it
    // goes on, so its least column counts.
    let is_outermost = cursor.depth() == 0;
    let mut column = None;
    let mut last_row = parent.start_position().row;
    if !cursor.goto_first_child() {
        return;
    }
    loop {
        let node = cursor.node();
        let (start, end) = (node.start_position(), node.end_position());
        if !node.is_extra() && !node.is_error() {
            if is_block {
                let own = *column.get_or_insert(start.column);
                if is_outermost && start.column < own {
                    column = Some(start.column);
                } else if start.column != own && start.row > last_row {
                    visit(node);
                }
            } else if start.row > last_row
                && start.column != parent.start_position().column
                && is_among(&facts.aligned_parts, node)
            {
                visit(node);
            }
            if around.as_ref().is_some_and(|around| is_misplaced(facts, node, around)) {
                visit(node);
            }
            last_row = end.row;
        }
        // Nested expressions are not entered, so the recursion is as deep as the indentation.
        let is_entered = || is_among(&facts.aligned_blocks, node) || holds_statements(node);
        if end.row > start.row && !node.has_error() && is_entered() {
            around.iter_mut().for_each(|around| around.push(node.kind()));
            walk(facts, cursor, around, visit);
            around.iter_mut().for_each(|around| _ = around.pop());
        }
        if !cursor.goto_next_sibling() {
            break;
        }
    }
    cursor.goto_parent();
}

/// Whether a statement may contain others.
fn holds_statements(node: Node<'_>) -> bool {
    let kind = node.kind();
    kind != "expression_statement"
        && (kind.ends_with("_statement") || kind.ends_with("_definition") || kind.ends_with("_clause"))
}
