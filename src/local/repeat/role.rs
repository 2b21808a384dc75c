//! Determines the role of a name at a position: declared, a member, a key, or plain.

use std::ops::Range;

use crate::document::Document;
use crate::edit::names::declares_within;
use crate::grammar::Grammar;
use crate::local::walk::Walk;
use crate::text::ident::occurrences;

/// The role of a name at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum Role {
    /// A declaration.
    Declared,
    /// `receiver.name`; `of_self` if the receiver is the object itself.
    Member { of_self: bool },
    /// `path::name`.
    InPath,
    /// The key of a literal, or the name of an argument.
    Key,
    /// Shorthand: both a field's name and the variable with its value.
    Short,
    /// Interpolated in a string: `"{name}"`.
    Shown,
    /// A plain name.
    Plain,
}

/// Determines the role of a name at successive positions; fastest in ascending order.
pub(in crate::local) struct Roles<'d, 't> {
    document: &'d Document,
    text: &'t str,
    name: &'t str,
    walk: Option<Walk<'d>>,
    /// The declarations of the name in the searched part.
    declared: Vec<usize>,
    /// The number of bytes searched for declarations.
    searched: usize,
}

impl<'d, 't> Roles<'d, 't> {
    /// Blocks on the parse.
    pub(in crate::local) fn new(document: &'d Document, text: &'t str, name: &'t str) -> Self {
        let walk = Walk::new(document);
        Self { document, text, name, walk, declared: Vec::new(), searched: 0 }
    }

    /// Whether the name is declared at a byte.
    pub(in crate::local) fn is_declared(&mut self, at: usize) -> bool {
        self.at(at) == Some(Role::Declared)
    }

    /// The role of the name at a byte; `None` in prose.
    pub(in crate::local) fn at(&mut self, at: usize) -> Option<Role> {
        let (before, after) = (&self.text[..at], &self.text[at + self.name.len()..]);
        let facts = self.document.grammar().map(Grammar::facts);
        let walk = self.walk.as_mut()?;
        walk.go_to(at);
        if walk.is_prose() {
            let shown = facts.is_some_and(|facts| facts.brace_placeholders)
                && before.ends_with('{')
                && !before.ends_with("{{")
                && after.starts_with(['}', ':']);
            return shown.then_some(Role::Shown);
        }
        let (node, parent) = (walk.node(), walk.parent());
        if node.kind().contains("shorthand") || parent.is_some_and(|it| it.kind().starts_with("shorthand")) {
            let pattern =
                node.kind().contains("pattern") || parent.is_some_and(|it| it.kind().contains("pattern"));
            return Some(if pattern { Role::Declared } else { Role::Short });
        }
        let lead = before.trim_end();
        let arrow = facts.is_some_and(|facts| facts.arrow_members);
        if lead.ends_with("::") {
            return Some(Role::InPath);
        }
        if let Some(receiver) = lead
            .strip_suffix("?.")
            .or_else(|| lead.strip_suffix('.'))
            .or_else(|| arrow.then(|| lead.strip_suffix("->"))?)
            && !receiver.ends_with('.')
        {
            let of_self = ["self", "this", "$this", "cls"].iter().any(|own| receiver.ends_with(own));
            return Some(Role::Member { of_self });
        }
        if is_key(walk) {
            return Some(Role::Key);
        }
        let parent = parent?;
        // A type's name beside a parameter is not a new name.
        let is_type = node.kind() == "type_identifier" && parent.child_by_field_name("name") != Some(node);
        // These only look like declarations: the name already exists.
        let again = is_type
            || parent.kind().contains("assignment_expression")
            || parent.kind().contains("augmented")
            || (parent.kind().ends_with("_expression") && !parent.kind().contains("function"))
            || parent.kind().contains("invocation");
        if again || !is_declaration(walk) {
            return Some(Role::Plain);
        }
        let function = walk.function().map(|it| it.byte_range()).filter(|_| parent.kind() == "assignment");
        let is_again = function.is_some_and(|scope| self.is_declared_before(at, &scope));
        Some(if is_again { Role::Plain } else { Role::Declared })
    }

    /// Whether a function assigns to the name earlier (for languages without declarations).
    fn is_declared_before(&mut self, at: usize, function: &Range<usize>) -> bool {
        let Some(walk) = self.walk.as_mut().filter(|_| self.searched < at) else {
            return self.has_declared(at, function);
        };
        for place in occurrences(&self.text[self.searched..at], self.name) {
            walk.go_to(self.searched + place);
            if is_declaration(walk) {
                self.declared.push(self.searched + place);
            }
        }
        self.searched = at;
        self.has_declared(at, function)
    }

    fn has_declared(&self, at: usize, function: &Range<usize>) -> bool {
        let before = self.declared.partition_point(|it| *it < at);
        before.checked_sub(1).is_some_and(|last| self.declared[last] >= function.start)
    }
}

/// Whether a name is in a declaring position of its language.
fn is_declaration(walk: &Walk<'_>) -> bool {
    declares_within(walk.node(), walk.around().skip(1))
}

fn is_key(walk: &Walk<'_>) -> bool {
    const KINDS: [&str; 6] =
        ["pair", "keyword_argument", "field_initializer", "keyed_element", "field_pattern", "named_argument"];
    let mut around = walk.around();
    let Some(mut key) = around.next() else { return false };
    for parent in around.take(2) {
        if KINDS.contains(&parent.kind()) {
            return parent.named_child_count() > 1 && parent.named_child(0) == Some(key);
        }
        key = parent;
    }
    false
}
