//! The four kinds of queries on a syntax tree, and their matches.

use tree_sitter::Node;

use crate::text::named;

named! {
    /// The kinds of queries; each has its own file in a language's folder.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum QueryKind {
        /// `definitions.scm`: `@definition.<kind>` with `@name` and optionally `@body` and `@doc`. The kinds
        /// are `class`, `constant`, `enum`, `field`, `function`, `implementation`, `interface`, `macro`,
        /// `method`, `module`, `struct`, `type`, `variable`, and for markup and data `element`, `heading`,
        /// `key`, `rule`, `table`.
        Definitions = "definitions",
        /// `references.scm`: `@reference.call` or `@reference.type` with `@name`.
        References = "references",
        /// `scopes.scm`: `@scope`.
        Scopes = "scopes",
        /// `imports.scm`: `@import` with `@import.path`, `@import.name` or both.
        ///
        /// `@import.original` is the name that an import renames, and `@import.exported` a name that is only
        /// re-exported. A nested import captures a part of its path at each level. Names of a list that
        /// precedes its path are captured with `@import.list`, and another match captures that list with
        /// `@import.from`: a pattern with a step after a list takes time cubic in the list's length.
        Imports = "imports",
    }
}

impl QueryKind {
    pub(super) const COUNT: usize = Self::ALL.len();
}

/// One match of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'tree> {
    /// The kind, from the capture's name after its dot: `function`, `class`, `call`.
    ///
    /// `scope` and `import` have no dot.
    pub kind: &'static str,
    /// The whole node.
    pub node: Node<'tree>,
    /// The name that it defines, refers to or imports.
    pub name: Option<Node<'tree>>,
    /// The body of a definition; the text before it is the signature.
    pub body: Option<Node<'tree>>,
    /// A definition's documentation where it lies inside, such as a docstring.
    ///
    /// Comments are not captured.
    pub doc: Option<Node<'tree>>,
    /// The module path of an import.
    pub path: Option<Node<'tree>>,
    /// The original name of an import or a re-export, if given apart from `name`.
    pub original: Option<Node<'tree>>,
}

impl<'tree> Match<'tree> {
    /// The node that identifies it within its statement: its name, or else the path of an import.
    pub fn identifying_node(&self) -> Node<'tree> {
        self.name.or(self.path).unwrap_or(self.node)
    }

    /// Builds a match from its captures; `None` if none of them states the kind.
    pub(super) fn from_captures(captures: impl Iterator<Item = (&'static str, Node<'tree>)>) -> Option<Self> {
        let (mut whole, mut name, mut body, mut doc) = (None, None, None, None);
        let (mut path, mut original, mut exported) = (None, None, None);
        for (capture, node) in captures {
            match capture {
                "name" | "import.name" => name = Some(node),
                "body" => body = Some(node),
                "doc" => doc = Some(node),
                "import.path" => path = Some(node),
                "import.original" => original = Some(node),
                "import.exported" => exported = Some(node),
                "import.list" | "import.from" => {}
                // Captured for a predicate.
                _ if capture.starts_with('_') => {}
                _ => whole = Some((capture.rsplit('.').next().unwrap_or(capture), node)),
            }
        }
        let (kind, node) = whole?;
        Some(Match { kind, node, name, body, doc, path, original: original.or(exported) })
    }
}
