//! The four questions asked of a syntax tree, and their answers by the field's names.

use tree_sitter::Node;

use crate::text::named;

named! {
    /// What a query looks for; each has its own file in a language's folder.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum QueryKind {
        /// `definitions.scm`: `@definition.<kind>` with `@name` and, where there are, `@body` and
        /// `@doc`. The kinds are `class`, `constant`, `enum`, `field`, `function`, `implementation`,
        /// `interface`, `macro`, `method`, `module`, `struct`, `type`, `variable`, and for markup and data
        /// `element`, `heading`, `key`, `rule`, `table`.
        Definitions = "definitions",
        /// `references.scm`: `@reference.call` or `@reference.type` with `@name`.
        References = "references",
        /// `scopes.scm`: `@scope`.
        Scopes = "scopes",
        /// `imports.scm`: `@import` with `@import.path`, `@import.name` or both.
        ///
        /// `@import.original` is the name that an import renames, and `@import.exported` a name that is only
        /// passed on. A nested import captures a part of its path at each level. Names of a list whose path comes
        /// behind it are captured with `@import.list`, which another match captures with `@import.from`: a
        /// pattern with a step behind a list takes time with the third power of the list's length.
        Imports = "imports",
    }
}

impl QueryKind {
    pub(super) const COUNT: usize = Self::ALL.len();
}

/// One thing that a query found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'tree> {
    /// What it is, as the capture says after its dot: `function`, `class`, `call`.
    ///
    /// `scope` and `import` say no more.
    pub kind: &'static str,
    /// The whole of it.
    pub node: Node<'tree>,
    /// The name that it defines, refers to or brings into the file.
    pub name: Option<Node<'tree>>,
    /// What a definition holds; the text before it is the signature.
    pub body: Option<Node<'tree>>,
    /// A definition's documentation where the grammar has it inside, such as a docstring.
    ///
    /// Comments are not captured.
    pub doc: Option<Node<'tree>>,
    /// Where an import comes from.
    pub path: Option<Node<'tree>>,
    /// What an import or a re-export is called where it comes from, if that says so apart from `name`.
    pub original: Option<Node<'tree>>,
}

impl<'tree> Match<'tree> {
    /// The node that tells it from the others of its statement: its name, or else the path of an import.
    pub fn told_by(&self) -> Node<'tree> {
        self.name.or(self.path).unwrap_or(self.node)
    }

    /// Sorts the captures of one match into their places; `None` if nothing says what was found.
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
