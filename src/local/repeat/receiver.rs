//! The type of the object that a member belongs to, as far as its file shows it.
//!
//! A name counts by the declaration that it refers to at its place: other functions may have a name like it, of
//! another type.

use std::cell::Cell;
use std::rc::Rc;

use tree_sitter::Node;

use super::place::definitions;
use super::role::{Role, Roles};
use super::scope::Scope;
use crate::document::Document;
use crate::grammar::{Grammar, Modules};
use crate::local::limits::TYPED_RECEIVERS;
use crate::local::syntax::{is_function, nodes_at};
use crate::local::walk::Walk;
use crate::text::ident::{is_name, is_part, last_partial, occurrences};

/// Values that are followed from name to name.
const STEPS: usize = 3;
/// Nodes between a name and the one with its type.
const LEVELS: usize = 4;

/// What the code shows of an object's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::local) enum ShownType<'t> {
    /// The name of its type, without path and arguments.
    Type(&'t str),
    /// Its type is not just a name, or there are several.
    Other,
    Nothing,
}

/// Finds the types that a file shows.
pub(in crate::local) struct Types<'d, 't> {
    document: &'d Document,
    text: &'t str,
    steps: usize,
    /// The number of names that may still be looked at: each is searched for in the whole file.
    left: Rc<Cell<usize>>,
}

impl<'d, 't> Types<'d, 't> {
    pub(in crate::local) fn new(document: &'d Document, text: &'t str) -> Self {
        Self { document, text, steps: STEPS, left: Rc::new(Cell::new(TYPED_RECEIVERS)) }
    }

    /// The type of what is before the member at a byte: `receiver.name`.
    pub(in crate::local) fn of_receiver(&self, at: usize) -> ShownType<'t> {
        let before = self.text[..at].trim_end().trim_end_matches(['.', '?', '-', '>', '!', ':']).trim_end();
        let name = last_partial(before);
        if let Some(start) = before.len().checked_sub(name.len()).filter(|_| is_name(name)) {
            return self.of_name(start, name);
        }
        let nodes = nodes_at(self.document, at);
        let receiver = nodes.get(1).and_then(|it| it.named_child(0)).filter(|it| it.end_byte() <= at);
        receiver.map_or(ShownType::Nothing, |it| self.of_value(it))
    }

    /// The type of the object that a pattern around the place of a walk takes apart: `const { name } = object`.
    pub(super) fn of_pattern(&self, walk: &Walk<'_>) -> ShownType<'t> {
        let mut around = walk.around().skip_while(|it| it.kind() != "object_pattern").skip(1);
        let declarator = around.next().filter(|it| it.kind() == "variable_declarator");
        let value = declarator.filter(|it| it.child_by_field_name("type").is_none());
        let value = value.and_then(|it| it.child_by_field_name("value")).map(|it| it.byte_range());
        let node = value
            .and_then(|it| self.document.syntax()?.root_node().descendant_for_byte_range(it.start, it.end));
        node.map_or(ShownType::Nothing, |it| self.of_value(it))
    }

    /// The type of the variable or member that a name at a byte refers to.
    pub(super) fn of_name(&self, at: usize, name: &str) -> ShownType<'t> {
        let Some(left) = self.left.get().checked_sub(1) else { return ShownType::Nothing };
        self.left.set(left);
        let owner = self.text[..at].trim_end();
        match owner.ends_with(['.', '@']) || owner.ends_with("->") {
            true => self.of_field(name),
            false => self.of_variable(at, name),
        }
    }

    fn of_variable(&self, at: usize, name: &str) -> ShownType<'t> {
        let mut roles = Roles::new(self.document, self.text, name);
        let mut places = Vec::new();
        for place in occurrences(self.text, name) {
            if roles.at(place) == Some(Role::Declared) || roles.is_assigned(place) {
                places.push((place, Scope::of_name(self.document, self.text, place)));
            }
        }
        let Some(walk) = roles.walk_to(at) else { return ShownType::Nothing };
        places.retain(|(place, scope)| *place != at && scope.holds(self.document, walk, at, name));
        // Of declarations in one block, the last one above counts.
        let innermost = places.iter().map(|(place, scope)| (scope.range.len(), *place)).min();
        let Some((length, first)) = innermost else { return ShownType::Nothing };
        if let Some(kind) = self.annotation(first) {
            return self.of_type(kind);
        }
        let around = places.iter().find(|(place, _)| *place == first).map(|(_, scope)| scope.around.clone());
        let same = places.iter().filter(|(_, scope)| Some(&scope.around) == around.as_ref());
        let is_one = same.clone().all(|(_, scope)| scope.range.len() == length);
        match is_one {
            true => self.agreed(same.map(|(place, _)| *place)),
            false => self.of_assigned(first),
        }
    }

    /// The type of a member: that of all members of this name that the file declares or assigns to.
    fn of_field(&self, name: &str) -> ShownType<'t> {
        let mut roles = Roles::new(self.document, self.text, name);
        let is_declared = |at: usize| {
            let found = definitions(self.document, self.text, at..at + 1).remove(&at);
            found.is_some_and(|it| it.kind == "field")
        };
        let places: Vec<usize> = occurrences(self.text, name)
            .filter(|at| match roles.at(*at) {
                Some(Role::Declared) => is_declared(*at),
                Some(Role::Member { .. } | Role::Marked) => {
                    self.annotation(*at).is_some() || self.value(*at).is_some()
                }
                _ => false,
            })
            .collect();
        self.agreed(places.into_iter())
    }

    /// The type that a name has by all of these declarations and assignments.
    fn agreed(&self, places: impl Iterator<Item = usize>) -> ShownType<'t> {
        let is_empty =
            |at: &usize| self.value(*at).is_some_and(|it| ["none", "null", "nil"].contains(&it.kind()));
        let mut shown = places
            .filter(|at| self.annotation(*at).is_some() || !is_empty(at))
            .map(|at| self.annotation(at).map_or_else(|| self.of_assigned(at), |kind| self.of_type(kind)));
        let first = shown.next().unwrap_or(ShownType::Nothing);
        if shown.all(|it| it == first) { first } else { ShownType::Other }
    }

    fn of_assigned(&self, at: usize) -> ShownType<'t> {
        self.value(at).map_or(ShownType::Nothing, |it| self.of_value(it))
    }

    /// The type that is written for what is declared at a byte.
    fn annotation(&self, at: usize) -> Option<Node<'d>> {
        self.beside(at, &["type"])
    }

    /// The value that the name at a byte gets.
    fn value(&self, at: usize) -> Option<Node<'d>> {
        self.beside(at, &["value", "right"])
    }

    /// The part of the declaration or assignment around a byte that is in one of these fields.
    fn beside(&self, at: usize, fields: &[&str]) -> Option<Node<'d>> {
        const DECLARING: [&str; 10] = [
            "_item",
            "_spec",
            "assign",
            "declaration",
            "declarator",
            "definition",
            "let",
            "named_expression",
            "parameter",
            "signature",
        ];
        for node in nodes_at(self.document, at).into_iter().skip(1).take(LEVELS) {
            let kind = node.kind();
            // A part of a value, or one of several, is of another type.
            let is_part = ["block", "body", "for_", "pattern", "range"].iter().any(|it| kind.contains(it))
                || kind == "expression_list" && node.named_child_count() > 1;
            if is_function(node) || is_part {
                return None;
            }
            let part = fields.iter().find_map(|field| node.child_by_field_name(field));
            if let Some(part) = part.filter(|_| DECLARING.iter().any(|it| kind.contains(it))) {
                return (!part.byte_range().contains(&at)).then_some(part);
            }
        }
        None
    }

    /// The type that a node names.
    fn of_type(&self, kind: Node<'d>) -> ShownType<'t> {
        let whole = self.text[kind.byte_range()].trim_start_matches(':').trim();
        let is_none = |it: &&str| !["None", "null", "undefined"].contains(it);
        let mut parts = whole.split('|').map(str::trim).filter(is_none);
        let (Some(only), None) = (parts.next(), parts.next()) else { return ShownType::Other };
        let only = unmarked(only.trim_matches(['"', '\'', '?']));
        let path = only.split(['<', '[']).next().unwrap_or_default().trim();
        let is_list = only[path.len()..].trim_start().starts_with("[]");
        let is_path = path.chars().all(|it| is_part(it) || it == '.' || it == ':');
        match last_partial(path) {
            name if is_name(name) && is_path && !is_list => ShownType::Type(name),
            _ => ShownType::Other,
        }
    }

    /// The type of an object that an expression makes or names.
    fn of_value(&self, value: Node<'d>) -> ShownType<'t> {
        let Some(steps) = self.steps.checked_sub(1) else { return ShownType::Nothing };
        let inner = Self { steps, left: Rc::clone(&self.left), ..*self };
        let field = |name: &str| value.child_by_field_name(name);
        let first = || value.named_child(0);
        let kind = value.kind();
        match kind {
            "identifier" => inner.of_name(value.start_byte(), &self.text[value.byte_range()]),
            "struct_expression" => field("name").map_or(ShownType::Nothing, |it| self.of_type(it)),
            "new_expression" => field("constructor").map_or(ShownType::Nothing, |it| self.of_type(it)),
            "composite_literal" => field("type").map_or(ShownType::Nothing, |it| self.of_type(it)),
            "object_creation_expression" => {
                field("type").or_else(first).map_or(ShownType::Nothing, |it| self.of_type(it))
            }
            "call" | "call_expression" => {
                let Some(called) = field("function") else {
                    // Ruby's `Type.new`.
                    let is_new = field("method").is_some_and(|it| &self.text[it.byte_range()] == "new");
                    let kind = field("receiver").filter(|it| is_new && it.kind() == "constant");
                    return kind.map_or(ShownType::Nothing, |it| self.of_type(it));
                };
                let unwraps = called
                    .child_by_field_name("field")
                    .is_some_and(|it| ["unwrap", "expect", "clone"].contains(&&self.text[it.byte_range()]));
                match called.child_by_field_name("value").filter(|_| unwraps) {
                    Some(inside) => inner.of_value(inside),
                    None => self.of_constructor(called),
                }
            }
            _ if [
                "await",
                "try_expression",
                "parenthesized",
                "reference",
                "unary",
                "pointer",
                "non_null",
            ]
            .iter()
            .any(|it| kind.starts_with(it))
                || kind == "expression_list" && value.named_child_count() == 1 =>
            {
                let last =
                    value.named_child_count().checked_sub(1).and_then(|it| value.named_child(it as u32));
                last.map_or(ShownType::Nothing, |it| inner.of_value(it))
            }
            _ => ShownType::Nothing,
        }
    }

    /// The type by whose name a function is called: `Type(…)`, `Type::from(…)`.
    fn of_constructor(&self, called: Node<'d>) -> ShownType<'t> {
        let path = &self.text[called.byte_range()];
        // These call no types, and functions may have names like them.
        let facts = self.document.grammar().map(Grammar::facts);
        if facts.is_none_or(|it| it.implicit_receiver || it.modules == Some(Modules::Go)) {
            return ShownType::Nothing;
        }
        if !path.chars().all(|it| is_part(it) || it == '.' || it == ':') {
            return ShownType::Nothing;
        }
        let mut parts = path.split(['.', ':']).filter(|it| it.starts_with(char::is_uppercase));
        parts.next_back().map_or(ShownType::Nothing, ShownType::Type)
    }
}

/// A type without the words and marks that leave its members as they are.
fn unmarked(kind: &str) -> &str {
    const WORDS: [&str; 7] = ["mut ", "const ", "dyn ", "impl ", "struct ", "static ", "readonly "];
    let mut rest = kind.trim_start_matches(['&', '*', ' ']);
    while let Some(next) = WORDS
        .iter()
        .find_map(|word| rest.strip_prefix(word))
        .or_else(|| rest.strip_prefix('\'').and_then(|it| it.split_once(' ')).map(|(_, behind)| behind))
    {
        rest = next.trim_start_matches(['&', '*', ' ']);
    }
    rest.trim_end_matches(['&', '*', ' '])
}
