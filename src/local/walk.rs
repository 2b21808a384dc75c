//! Walks through a syntax tree from position to position.
//!
//! Finding a node's parent takes a search from the tree's root, so asking for it at each of many positions
//! takes quadratic time. A walk keeps the ancestors from the previous position.

use tree_sitter::{Node, TreeCursor};

use super::syntax::{is_function, prose};
use crate::document::Document;

/// Tracks the nodes around a byte while moving from one byte to another.
pub(super) struct Walk<'d> {
    cursor: TreeCursor<'d>,
    /// From the root to the smallest node around the byte.
    levels: Vec<OpenNode<'d>>,
}

#[derive(Clone, Copy)]
struct OpenNode<'d> {
    node: Node<'d>,
    /// Whether it is in a comment or a string.
    is_prose: bool,
    /// The smallest function around it.
    function: Option<Node<'d>>,
}

impl<'d> OpenNode<'d> {
    fn new(node: Node<'d>, around: Option<&Self>) -> Self {
        Self {
            node,
            is_prose: prose(node).unwrap_or(around.is_some_and(|it| it.is_prose)),
            function: is_function(node).then_some(node).or(around.and_then(|it| it.function)),
        }
    }
}

impl<'d> Walk<'d> {
    /// A walk that begins at the root; `None` without a tree. Blocks on the parse.
    pub(super) fn new(document: &'d Document) -> Option<Self> {
        let cursor = document.syntax()?.walk();
        let levels = vec![OpenNode::new(cursor.node(), None)];
        Some(Self { cursor, levels })
    }

    /// Moves to the smallest node around a byte; returns the number of nodes left or entered, as many as lie
    /// between the two positions.
    pub(super) fn go_to(&mut self, byte: usize) -> usize {
        let mut steps = 0;
        while self.levels.len() > 1 && !self.node().byte_range().contains(&byte) {
            self.cursor.goto_parent();
            self.levels.pop();
            steps += 1;
        }
        while self.cursor.goto_first_child_for_byte(byte).is_some() {
            while self.cursor.node().end_byte() <= byte && self.cursor.goto_next_sibling() {}
            let node = self.cursor.node();
            if !node.byte_range().contains(&byte) {
                self.cursor.goto_parent();
                break;
            }
            self.levels.push(OpenNode::new(node, self.levels.last()));
            steps += 1;
        }
        steps
    }

    /// The smallest node around the byte.
    pub(super) fn node(&self) -> Node<'d> {
        self.levels.last().map_or_else(|| self.cursor.node(), |it| it.node)
    }

    pub(super) fn parent(&self) -> Option<Node<'d>> {
        self.around().nth(1)
    }

    /// The nodes around the byte, smallest first.
    pub(super) fn around(&self) -> impl Iterator<Item = Node<'d>> {
        self.levels.iter().rev().map(|it| it.node)
    }

    /// Whether the byte is in prose: a comment or a string.
    pub(super) fn is_prose(&self) -> bool {
        self.levels.last().is_some_and(|it| it.is_prose)
    }

    /// The smallest function around the byte.
    pub(super) fn function(&self) -> Option<Node<'d>> {
        self.levels.last().and_then(|it| it.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;
    use crate::grammar;
    use crate::local::syntax::{is_prose, node_at, nodes_at};

    /// The steps to all occurrences of a name in `depth` nested blocks.
    fn steps(depth: usize) -> usize {
        let text = format!("fn f() {{{}{}}}", "if x {".repeat(depth), "}".repeat(depth));
        let document = Document::new(DocumentId::new("a"), "rust", 0, &text);
        let mut walk = Walk::new(&document).unwrap();
        text.match_indices('x').map(|(at, _)| walk.go_to(at)).sum()
    }

    #[test]
    fn steps_grow_with_the_depth_and_not_with_its_square() {
        let (once, twice) = (steps(200) - steps(100), steps(400) - steps(200));
        assert!(once > 0);
        assert_eq!(twice, 2 * once);
    }

    #[test]
    fn what_is_around_a_place_is_the_same_on_every_way() {
        for grammar in grammar::all() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars").join(grammar.id());
            let text =
                std::fs::read_to_string(folder.join(format!("sample.{}", grammar.facts().extensions[0])));
            let text = text.unwrap();
            let document = Document::new(DocumentId::new("a"), grammar.id(), 0, &text);
            let mut walk = Walk::new(&document).unwrap();
            // Forward, and backward in leaps.
            let forth = (0..text.len()).step_by(3);
            let leaps = (0..text.len()).step_by(101).rev().flat_map(|at| [at, text.len() - 1 - at]);
            for at in forth.chain(leaps).filter(|at| text.is_char_boundary(*at)) {
                walk.go_to(at);
                let node = node_at(&document, at).unwrap();
                assert_eq!(walk.node().byte_range(), node.byte_range(), "{} at {at}", grammar.id());
                assert_eq!(walk.around().collect::<Vec<_>>(), nodes_at(&document, at));
                assert_eq!(walk.is_prose(), is_prose(&document, at));
                let function = std::iter::successors(Some(node), Node::parent).find(|it| is_function(*it));
                assert_eq!(walk.function(), function);
            }
        }
    }
}
