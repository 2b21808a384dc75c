//! The uses of a field or a method: by its receiver, the type of its literal, or the type around it.

use tree_sitter::Node;

use super::{RenameUses, Unsure};
use crate::edit::Edit;
use crate::grammar::Modules;
use crate::local::limits::UNIQUE_NAME_BYTES;
use crate::local::repeat::definition::{Definition, name_of};
use crate::local::repeat::object::{extends, heritage, type_of_object};
use crate::local::repeat::place::named;
use crate::local::repeat::receiver::{ShownType, Types};
use crate::local::repeat::role::Role;
use crate::local::repeat::scope::{Scope, type_around};
use crate::local::syntax::nodes_at;
use crate::local::walk::Walk;
use crate::text::ident::{is_part, last_partial, parts};

/// What a bare name means in a language in which members need no receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bare {
    Member,
    Other,
    Unsure,
}

impl<'d> RenameUses<'d, '_> {
    /// The uses of a field or a method.
    pub(super) fn of_member(
        mut self,
        found: &[(usize, Role)],
        kind: &dyn Fn(usize) -> &'d str,
        locals_of_new: &[Scope],
    ) -> Result<Vec<Edit>, Unsure> {
        let (document, text, old, new) = (self.document, self.text, self.old, self.new);
        let own_kind = self.definition.kind;
        let is_uncommon = old.len() >= UNIQUE_NAME_BYTES || parts(old).len() > 1;
        let mut locals = Vec::new();
        // Another type has a field or method of this name: uses count by the type that their object shows.
        let mut has_rivals = false;
        for (at, _) in found.iter().filter(|(_, role)| *role == Role::Declared) {
            match kind(*at) {
                other @ ("field" | "method") if other == own_kind && !self.is_marked => {
                    if !self.is_apart(*at) {
                        return Err(self.also(other));
                    }
                    has_rivals = true;
                }
                "field" | "method" => {}
                _ => locals.push(Scope::of_name(document, text, *at)),
            }
        }
        let is_script = self.facts.modules == Some(Modules::Javascript);
        let types = Types::new(document, text);
        let mut edits = Vec::new();
        let mut is_doubtful = false;
        for (at, role) in found {
            let is_same_space = self.roles.space(*at).may_be(self.definition.space);
            let bare =
                if matches!(role, Role::Plain | Role::Short) { self.bare(*at, &locals) } else { Bare::Other };
            let is_typed = self.is_in_object_of_owner(*at);
            let is_static = self.is_of_owner(*at);
            let Some(walk) = self.roles.walk_to(*at) else { continue };
            let is_own = is_of_own_type(walk, text, &self.definition, is_script);
            let around = type_around(walk.around()).map(|it| it.byte_range());
            let is_designator = walk.parent().is_some_and(|it| it.kind() == "field_designator");
            let parameter = self.definition.parameter.as_ref();
            let is_parameter = parameter.is_some_and(|it| it.holds(document, walk, *at, old));
            let is_captured = locals_of_new.iter().any(|it| it.holds(document, walk, *at, new));
            let is_shorthand = named(walk).kind().starts_with("shorthand");
            let is_in_object = type_of_object(walk, text).is_some_and(|it| it != "Self");
            let shown = match role {
                Role::Member { of_self: false } => types.of_receiver(*at),
                Role::Declared | Role::Key => types.of_pattern(walk),
                _ => ShownType::Nothing,
            };
            let is_typed = is_typed || self.is_owner(shown);
            let is_of_other = is_in_object && !is_typed;
            let text = match role {
                Role::Marked if self.is_marked && around == self.definition.around => new.to_owned(),
                _ if self.is_marked => continue,
                Role::Declared if is_shorthand && is_typed => format!("{new}: {old}"),
                Role::Plain if is_parameter => new.to_owned(),
                Role::Short if is_parameter => format!("{old}: {new}"),
                Role::Plain if self.facts.implicit_receiver && is_same_space => match bare {
                    Bare::Member if is_captured => return Err(self.taken()),
                    Bare::Member => new.to_owned(),
                    Bare::Other => continue,
                    Bare::Unsure => return Err(self.unsure()),
                },
                Role::Short if self.facts.implicit_receiver && bare != Bare::Other => {
                    return Err(self.unsure());
                }
                Role::Short if is_typed => format!("{new}: {old}"),
                Role::Member { of_self: true } if is_own => new.to_owned(),
                Role::Member { of_self: false } if is_designator => match is_typed {
                    true => new.to_owned(),
                    false => continue,
                },
                Role::Member { of_self: true } if has_rivals => continue,
                Role::Member { .. } if is_static => new.to_owned(),
                Role::Member { of_self: false } if is_typed => new.to_owned(),
                // The object is of another type.
                Role::Member { of_self: false } if matches!(shown, ShownType::Type(_)) => continue,
                Role::Key if is_typed => new.to_owned(),
                Role::Key | Role::Short if is_of_other => continue,
                Role::InPath if is_static => new.to_owned(),
                Role::Member { .. } | Role::Key | Role::Short if has_rivals => {
                    return Err(self.also(own_kind));
                }
                Role::Member { of_self: false } if is_uncommon => new.to_owned(),
                Role::Member { .. } | Role::Key | Role::Short => {
                    is_doubtful = true;
                    continue;
                }
                _ => continue,
            };
            edits.push(Edit::new(*at..at + old.len(), text));
        }
        if edits.is_empty() && is_doubtful { Err(self.unsure()) } else { Ok(edits) }
    }

    /// What a bare name means, given the scopes of local names like it.
    fn bare(&mut self, at: usize, locals: &[Scope]) -> Bare {
        let (document, text, old) = (self.document, self.text, self.old);
        let Some(walk) = self.roles.walk_to(at) else { return Bare::Unsure };
        if locals.iter().any(|it| it.holds(document, walk, at, old)) {
            return Bare::Other;
        }
        if walk.parent().is_some_and(|it| it.kind() == "switch_label") {
            return Bare::Unsure;
        }
        let Some(own) = self.definition.around.clone() else { return Bare::Unsure };
        if qualifier(walk, text).is_some_and(|it| Some(it) == self.definition.owner.as_deref()) {
            return Bare::Member;
        }
        let Some(around) = type_around(walk.around()) else { return Bare::Other };
        let place = around.byte_range();
        if place == own {
            return Bare::Member;
        }
        if own.contains(&place.start) {
            // Something inherited hides it.
            let is_alone = around.kind() != "object_creation_expression"
                && heritage(around, text).is_some_and(|it| it.trim().is_empty());
            return if is_alone { Bare::Member } else { Bare::Unsure };
        }
        let is_heir = self.definition.owner.as_deref().is_some_and(|owner| extends(around, text, owner));
        let is_part =
            self.definition.owner.as_deref().is_some_and(|owner| Some(owner) == name_of(around, text));
        if is_heir || is_part { Bare::Member } else { Bare::Other }
    }

    /// Whether the member that is declared at a byte belongs to a type that has nothing to do with the own one.
    fn is_apart(&self, at: usize) -> bool {
        let text = self.text;
        let own = self.definition.around.clone().zip(self.definition.owner.as_deref());
        let Some((own, owner)) = own.filter(|_| !self.facts.implicit_receiver) else { return false };
        let around = |at: usize| {
            let nodes = nodes_at(self.document, at);
            // Go has no body around the members of a structure.
            let structure = nodes.iter().copied().find(|it| it.kind() == "type_spec");
            type_around(nodes.into_iter()).or(structure)
        };
        let (Some(other), Some(this)) = (around(at), around(self.at)) else { return false };
        let place = other.byte_range();
        let is_nested = own.contains(&place.start) || place.contains(&own.start);
        // A base, an interface or a trait may require the member of both.
        let is_alone = |node: Node<'_>| {
            node.child_by_field_name("trait").is_none()
                && ["class", "impl", "struct", "type_spec"].iter().any(|kind| node.kind().contains(kind))
                && heritage(node, text).map_or(node.kind() == "type_spec", |it| {
                    it.trim_matches([' ', '\n', ':', '(', ')']).is_empty()
                })
        };
        name_of(other, text) != Some(owner) && !is_nested && is_alone(this) && is_alone(other)
    }

    /// Whether what is shown of an object's type says that it has the member.
    fn is_owner(&self, shown: ShownType<'_>) -> bool {
        let ShownType::Type(name) = shown else { return false };
        self.definition.owner.as_deref() == Some(name)
    }

    fn is_in_object_of_owner(&mut self, at: usize) -> bool {
        let (text, owner) = (self.text, self.definition.owner.clone());
        let Some(owner) = owner else { return false };
        let Some(walk) = self.roles.walk_to(at) else { return false };
        let is_own = type_around(walk.around()).is_some_and(|it| name_of(it, text) == Some(&owner));
        let is_built = || match self.definition.around.clone().and_then(|it| text.get(it)) {
            // A constructor of its own has parameters of its own.
            Some(code) => !code.contains("__init__"),
            None => true,
        };
        type_of_object(walk, text).is_some_and(|it| it == owner || it == "Self" && is_own) && is_built()
    }

    /// Whether the path or receiver before a byte ends in the type, `Self`, `self`, `crate` or `super`.
    pub(super) fn is_of_owner(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end();
        let owner = self.definition.owner.as_deref();
        if let Some(receiver) = before.strip_suffix('.') {
            let is_whole = !receiver.trim_end_matches(is_part).ends_with(['.', ':', '>']);
            return is_whole && owner.is_some_and(|owner| last_partial(receiver) == owner);
        }
        let path = before.trim_end_matches('$').trim_end_matches(':');
        ["Self", "self", "static", "this", "crate", "super"]
            .iter()
            .copied()
            .chain(owner)
            .any(|end| last_partial(path) == end)
    }
}

/// Whether `self` is of the type of the member, or of one that extends it.
fn is_of_own_type(walk: &Walk<'_>, text: &str, definition: &Definition<'_>, is_script: bool) -> bool {
    let Some(owner) = definition.owner.as_deref() else { return false };
    if qualifier(walk, text) == Some(owner) {
        return true;
    }
    // In a function of its own, JavaScript's `this` is another object.
    let is_function =
        |node: &Node<'_>| node.kind() == "method_definition" || node.kind().starts_with("function_");
    if is_script && walk.around().find(is_function).is_some_and(|it| it.kind() != "method_definition") {
        return false;
    }
    let Some(around) = type_around(walk.around()) else { return false };
    Some(around.byte_range()) == definition.around
        || name_of(around, text) == Some(owner)
        || extends(around, text, owner)
}

/// The type of a method that is defined outside of it: `int A::f()`.
fn qualifier<'t>(walk: &Walk<'_>, text: &'t str) -> Option<&'t str> {
    let function = walk.around().find(|it| it.kind() == "function_definition")?;
    let declarator = function.child_by_field_name("declarator")?;
    let mut open = Some(declarator);
    while let Some(node) = open {
        if node.kind() == "qualified_identifier" {
            return node.child_by_field_name("scope").map(|it| last_partial(&text[it.byte_range()]));
        }
        open = node.child_by_field_name("declarator");
    }
    None
}
