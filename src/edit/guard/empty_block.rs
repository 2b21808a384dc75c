//! Blocks with nothing in them, in languages where that is an error which the parser lets pass.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::grammar::Grammar;

/// How many blocks that must hold something are empty, within some spans and right beside them.
///
/// The rest of the tree is not looked at: no edit empties a block that it does not touch.
pub(super) fn near(grammar: &Grammar, tree: &Tree, spans: impl Iterator<Item = Range<usize>>) -> usize {
    let kinds = &grammar.facts().filled_blocks;
    let mut empty = HashSet::new();
    if kinds.is_empty() {
        return 0;
    }
    for span in spans {
        let mut open = vec![tree.root_node()];
        while let Some(node) = open.pop() {
            if kinds.iter().any(|it| it == node.kind()) && is_empty(node) {
                empty.insert(node.id());
                continue;
            }
            // What lost its end lies before the place of the edit, blank lines and comments aside.
            let mut before = None;
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                if child.end_byte() < span.start {
                    before = Some(child).filter(|it| !it.is_extra()).or(before);
                } else {
                    open.push(child);
                    if child.start_byte() > span.end && !child.is_extra() {
                        break;
                    }
                }
            }
            open.extend(before);
        }
    }
    empty.len()
}

fn is_empty(block: Node<'_>) -> bool {
    let mut cursor = block.walk();
    block.named_children(&mut cursor).all(|it| it.is_extra())
}
