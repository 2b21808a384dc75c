//! The uses of a declaration whose name was changed.
//!
//! A place is a use if the name there can only mean this declaration: for a variable, a function or a type by the
//! scopes of all declarations of the name; for a member by its receiver, the type of its literal, or the type
//! around it. Where another declaration, or something that the tree does not show, leaves a doubt about one of
//! the places, nothing is a use. Documentation uses a parameter where its form says so, never in a sentence.

mod documented;
mod member;
mod within;

use std::collections::HashMap;

use tree_sitter::Node;

use super::definition::Definition;
use super::place::{definitions, is_bound_by_import, is_import};
use super::role::{Role, Roles, Space};
use super::scope::{Scope, type_around};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::{Facts, Grammar, Modules};
use crate::local::syntax::nodes_at;
use crate::local::walk::Walk;
use crate::text::ident::{has_word, occurrences};

pub use within::Unrenamed;
pub(in crate::local) use within::within;

/// Why the other uses of a renamed declaration are not offered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsure {
    /// Something else has the same name.
    #[error("`{name}` is also the name of a {kind} here: rename it with your language server")]
    AlsoNames {
        /// The old name.
        name: String,
        /// What the other thing is.
        kind: &'static str,
    },
    /// The new name already means something where the old one is used.
    #[error(
        "`{name}` already has a meaning here: rename `{old}` with your language server, or choose another name"
    )]
    IsTaken {
        /// The old name.
        old: String,
        /// The new name.
        name: String,
    },
    /// Whether the remaining places mean the declaration depends on types, or on what a program does.
    #[error("it is not certain which other uses of `{0}` mean this one: rename it with your language server")]
    Uses(String),
}

/// A declaration whose name was changed, in its file.
pub(super) struct RenameUses<'d, 't> {
    document: &'d Document,
    facts: &'d Facts,
    text: &'t str,
    at: usize,
    old: &'t str,
    new: &'t str,
    roles: Roles<'d, 't>,
    definition: Definition<'d>,
    is_marked: bool,
}

impl<'d, 't> RenameUses<'d, 't> {
    pub(super) fn new(
        document: &'d Document,
        text: &'t str,
        at: usize,
        [old, new]: [&'t str; 2],
    ) -> Option<Self> {
        let facts = document.grammar().map(Grammar::facts)?;
        let definition = Definition::at(document, text, at, new)?;
        let roles = Roles::new(document, text, old);
        let is_marked = definition.is_member && text[..at].ends_with('#');
        Some(Self { document, facts, text, at, old, new, roles, definition, is_marked })
    }

    fn unsure(&self) -> Unsure {
        Unsure::Uses(self.old.to_owned())
    }

    fn also(&self, kind: &str) -> Unsure {
        let kind = match kind {
            "field" => "field",
            "method" => "method",
            "function" => "function",
            "constant" => "constant",
            "class" | "struct" | "enum" | "interface" | "type" => "type",
            _ => "variable",
        };
        Unsure::AlsoNames { name: self.old.to_owned(), kind }
    }

    fn taken(&self) -> Unsure {
        Unsure::IsTaken { old: self.old.to_owned(), name: self.new.to_owned() }
    }

    /// The edits that rename the uses. `renamed` are the places that have the new name already, and `short` is
    /// the number of shorthands among them.
    pub(super) fn edits(mut self, renamed: &[usize], short: usize) -> Result<Vec<Edit>, Unsure> {
        self.check_text()?;
        let locals = self.check_new(renamed, short)?;
        let found: Vec<(usize, Role)> =
            occurrences(self.text, self.old).filter_map(|at| Some((at, self.roles.at(at)?))).collect();
        let mut declared = found.iter().filter(|(_, role)| *role == Role::Declared).map(|(at, _)| *at);
        let kinds: HashMap<usize, &str> = match declared.next() {
            Some(first) => {
                definitions(self.document, self.text, first..declared.next_back().unwrap_or(first) + 1)
                    .into_iter()
                    .map(|(at, it)| (at, it.kind))
                    .collect()
            }
            None => HashMap::new(),
        };
        let kind = |at: usize| kinds.get(&at).copied().unwrap_or("local");
        if self.definition.is_member {
            self.of_member(&found, &kind, &locals)
        } else {
            self.of_value(&found, &kind)
        }
    }

    /// Fails where code names variables in ways that no tree shows.
    fn check_text(&mut self) -> Result<(), Unsure> {
        let (text, old) = (self.text, self.old);
        if self.facts.isolated_functions && self.definition.space == Space::Variable {
            let scope = &text[self.definition.scope.range.clone()];
            if has_word(scope, "compact") || has_word(scope, "extract") {
                return Err(self.unsure());
            }
        }
        if !self.facts.shell || self.definition.space != Space::Variable {
            return Ok(());
        }
        const ASSIGNING: [&str; 9] =
            ["declare", "eval", "export", "getopts", "let", "local", "mapfile", "read", "readarray"];
        for at in occurrences(text, old).filter(|at| self.definition.scope.range.contains(at)) {
            if self.roles.at(at).is_some() {
                continue;
            }
            let Some(walk) = self.roles.walk_to(at) else { continue };
            if walk.around().any(|it| it.kind().contains("comment")) {
                continue;
            }
            // In a string or a document that a command may evaluate.
            let is_expanded = text[..at].ends_with(['$', '{']);
            let command = walk.around().find(|it| it.kind() == "command");
            let name = command.and_then(|it| it.child_by_field_name("name")).map(|it| &text[it.byte_range()]);
            let is_word = walk.node().byte_range() == (at..at + old.len());
            let is_format = name == Some("printf") && text[..at].trim_end().ends_with("-v");
            if is_expanded || is_word && (name.is_some_and(|it| ASSIGNING.contains(&it)) || is_format) {
                return Err(self.unsure());
            }
        }
        Ok(())
    }

    /// Fails where the new name already means something; returns the scopes in which it is a local name.
    fn check_new(&mut self, renamed: &[usize], short: usize) -> Result<Vec<Scope>, Unsure> {
        let (document, text, new) = (self.document, self.text, self.new);
        let mut roles = Roles::new(document, text, new);
        let found: Vec<(usize, Role)> = occurrences(text, new)
            .filter(|at| !renamed.contains(at))
            .filter_map(|at| Some((at, roles.at(at)?)))
            .collect();
        let kinds = match (found.first(), found.last()) {
            (Some((first, _)), Some((last, _))) => definitions(document, text, *first..last + 1),
            _ => HashMap::new(),
        };
        let is_member = |at: usize| kinds.get(&at).is_some_and(|it| matches!(it.kind, "field" | "method"));
        let mut taken = 0;
        let mut locals = Vec::new();
        for (at, role) in found {
            let definition = &self.definition;
            match role {
                Role::Declared if is_member(at) => {
                    let around = type_around(nodes_at(document, at).into_iter()).map(|it| it.byte_range());
                    taken +=
                        usize::from(definition.is_member && around.is_some() && around == definition.around);
                }
                Role::Declared if definition.is_member => locals.push(Scope::of_name(document, text, at)),
                Role::Member { .. } | Role::Key | Role::InPath => taken += usize::from(definition.is_member),
                Role::Marked => taken += usize::from(self.is_marked),
                Role::Plain | Role::Short | Role::Shown | Role::Declared if !definition.is_member => {
                    let space = roles.space(at);
                    let Some(walk) = roles.walk_to(at) else { continue };
                    let is_seen = definition.scope.holds(document, walk, at, new);
                    taken += usize::from(
                        is_seen && (space.may_be(definition.space) || definition.space.may_be(space)),
                    );
                }
                _ => {}
            }
        }
        if taken > short { Err(self.taken()) } else { Ok(locals) }
    }

    /// The uses of a variable, a function or a type.
    fn of_value(
        mut self,
        found: &[(usize, Role)],
        kind: &dyn Fn(usize) -> &'d str,
    ) -> Result<Vec<Edit>, Unsure> {
        let (document, text, old, new) = (self.document, self.text, self.old, self.new);
        let scope = self.definition.scope.clone();
        let is_type = self.definition.space == Space::Type;
        // The declarations that hide this one in a part of its scope, and assignments to this one.
        let (mut hiding, mut assigned) = (Vec::new(), Vec::new());
        for (at, _) in found.iter().filter(|(_, role)| *role == Role::Declared) {
            let is_same_space = self.roles.space(*at).may_be(self.definition.space);
            if matches!(kind(*at), "field" | "method") {
                let may_be_bare = self.facts.implicit_receiver && self.definition.kind != "local";
                if may_be_bare && is_same_space {
                    return Err(self.also(kind(*at)));
                }
                continue;
            }
            if !scope.around.contains(at) && !self.facts.shell {
                continue;
            }
            let own = Scope::of_name(document, text, *at);
            let is_assigned = self.roles.is_assigned(*at);
            let Some(walk) = self.roles.walk_to(*at) else { continue };
            let is_inside = scope.holds(document, walk, *at, old);
            let is_in_pattern = walk.around().skip(1).take(3).any(|it| it.kind().contains("match_pattern"));
            if !is_same_space || !is_inside && own.range.end <= scope.range.start {
                continue;
            }
            // A shell's function assigns to the variable of its caller unless it declares its own.
            let is_wider = self.facts.shell && own.around.len() >= scope.around.len();
            let is_same = is_assigned && (is_wider || own.is_beside(&scope));
            let function = &text[own.around.clone()];
            if is_assigned && !is_same && (has_word(function, "global") || has_word(function, "nonlocal")) {
                return Err(self.unsure());
            }
            match (is_same, is_inside) {
                // The name is not declared here, but assigned to once more.
                (true, _) if *at < self.at => return Err(self.unsure()),
                (true, _) => assigned.push(*at),
                (false, true) if is_type || own.range == scope.range => return Err(self.also(kind(*at))),
                (false, true) if self.definition.kind == "constant" && is_in_pattern => {
                    return Err(self.also("variable"));
                }
                (false, true) => hiding.push(own),
                (false, false) => {}
            }
        }
        let mut edits = Vec::new();
        for (at, role) in found {
            let is_same_space = self.roles.space(*at).may_be(self.definition.space);
            let is_argument = self.roles.space(*at) == Space::Type && self.definition.space == Space::Value;
            let Some(walk) = self.roles.walk_to(*at) else { continue };
            if !scope.holds(document, walk, *at, old) {
                continue;
            }
            let hides =
                |it: &Scope| it.range.len() <= scope.range.len() && it.holds(document, walk, *at, old);
            if hiding.iter().any(hides) {
                continue;
            }
            // A value may be the argument of a type.
            let in_arguments = || walk.around().skip(1).take(2).any(|it| it.kind().contains("argument"));
            if is_argument && walk.node().kind() == "type_identifier" && in_arguments() {
                return Err(self.unsure());
            }
            let is_short_by_equals =
                walk.parent().is_some_and(|it| it.kind() == "anonymous_object_creation_expression");
            let is_imported = self.definition.space == Space::Any;
            let may_be_import =
                matches!(role, Role::Plain | Role::Declared) || is_imported && matches!(role, Role::InPath);
            if walk.function().is_none() && may_be_import {
                let place = *at..at + old.len();
                match is_bound_by_import(document, &place) {
                    Some(true) => return Err(self.also("local")),
                    Some(false) => continue,
                    // Modules have names of their own.
                    None if !is_type && is_import(document, place.start, place.end) => continue,
                    None => {}
                }
            }
            let is_exported = is_exported(walk, text, [old, new]);
            let text = match role {
                Role::Short | Role::Key | Role::Member { .. } if is_exported => new.to_owned(),
                Role::Plain | Role::Shown if is_same_space => new.to_owned(),
                Role::Declared if assigned.contains(at) => new.to_owned(),
                Role::Short if is_short_by_equals => format!("{old} = {new}"),
                // Ruby's key has its colon already.
                Role::Short if self.text[*at + old.len()..].starts_with(':') => {
                    edits.push(Edit::new(*at..at + old.len() + 1, format!("{old}: {new}")));
                    continue;
                }
                Role::Short => format!("{old}: {new}"),
                Role::InPath if self.definition.kind != "local" && self.is_of_owner(*at) => new.to_owned(),
                _ => continue,
            };
            edits.push(Edit::new(*at..at + old.len(), text));
        }
        if scope.range.len() == self.text.len() {
            edits.extend(self.listed());
        } else {
            edits.extend(self.documented());
        }
        Ok(edits)
    }

    /// The places in Python's list of what a module exports, whose names are strings.
    fn listed(&mut self) -> Vec<Edit> {
        const LIST: &str = "__all__";
        let (text, old, new) = (self.text, self.old, self.new);
        if self.facts.modules != Some(Modules::Python) || !has_word(text, LIST) {
            return Vec::new();
        }
        let is_listed = |walk: &Walk<'_>| {
            let list = walk.around().find(|it| it.kind().ends_with("assignment"));
            let left = list.and_then(|it| it.child_by_field_name("left"));
            walk.is_prose() && left.is_some_and(|it| &text[it.byte_range()] == LIST)
        };
        let is_quoted =
            |at: usize| text[..at].ends_with(['"', '\'']) && text[at + old.len()..].starts_with(['"', '\'']);
        occurrences(text, old)
            .filter(|at| is_quoted(*at) && self.roles.walk_to(*at).is_some_and(is_listed))
            .map(|at| Edit::new(at..at + old.len(), new))
            .collect()
    }
}

/// Whether a place is the name by which a script exports what it calls alike: `exports.name = name`, or a key of
/// `module.exports`.
fn is_exported(walk: &Walk<'_>, text: &str, names: [&str; 2]) -> bool {
    const EXPORTS: [&str; 2] = ["exports", "module.exports"];
    let is =
        |node: Option<Node<'_>>, all: &[&str]| node.is_some_and(|it| all.contains(&&text[it.byte_range()]));
    let mut around = walk.around().skip(1);
    let Some(parent) = around.next() else { return false };
    let outer = if parent.kind() == "pair" { around.next() } else { Some(parent) };
    let is_left = |node: Node<'_>| node.child_by_field_name("left") == Some(parent);
    let field = |node: Node<'_>, name: &str| is(node.child_by_field_name(name), &EXPORTS);
    let assignment = around.next().filter(|it| it.kind() == "assignment_expression");
    match (assignment, outer.map(|it| it.kind())) {
        (Some(it), Some("member_expression")) => {
            is_left(it) && field(parent, "object") && is(it.child_by_field_name("right"), &names)
        }
        (Some(it), Some("object")) => {
            let value = parent.child_by_field_name("value");
            field(it, "left") && (value.is_none() || is(value, &names))
        }
        _ => false,
    }
}
