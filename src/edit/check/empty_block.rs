//! Empty blocks, in languages where they are an error that the parser does not report.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::budget;
use crate::grammar::Grammar;

/// Counts the blocks that must not be empty but are, within some spans and right beside them.
///
/// The spans are sorted. The rest of the tree is not inspected: no edit empties a block that it does not touch.
/// The tree is descended once for all spans.
pub(super) fn near(grammar: &Grammar, tree: &Tree, spans: impl Iterator<Item = Range<usize>>) -> usize {
    let kinds = &grammar.facts().filled_blocks;
    let spans: Vec<Range<usize>> = spans.collect();
    if kinds.is_empty() || spans.is_empty() {
        return 0;
    }
    let mut empty = 0;
    // Nodes to visit, each with the index range of the spans that it is searched for.
    let mut open = vec![(tree.root_node(), 0..spans.len())];
    while let Some((node, near)) = open.pop() {
        if kinds.iter().any(|it| it == node.kind()) && is_empty(node) {
            empty += 1;
            continue;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'_>> = node.children(&mut cursor).collect();
        budget::charge(children.len());
        // Beside a span, the nearest children count that are neither blank lines nor comments.
        let mut above = None;
        let mut below = children.iter().filter(|it| !it.is_extra()).peekable();
        for child in &children {
            let end = if child.is_extra() {
                Some(child.end_byte())
            } else {
                below.next();
                below.peek().map(|it| it.end_byte())
            };
            let all = &spans[near.clone()];
            let first = all.partition_point(|span| above.is_some_and(|above| span.end < above));
            let last = all.partition_point(|span| end.is_none_or(|end| span.start <= end));
            if first < last {
                open.push((*child, near.start + first..near.start + last));
            }
            if !child.is_extra() {
                above = Some(child.start_byte());
            }
        }
    }
    empty
}

fn is_empty(block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    block.named_children(&mut cursor).all(|it| it.is_extra())
}
