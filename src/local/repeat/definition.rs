//! The definition whose name was changed.

use std::ops::Range;

use tree_sitter::Node;

use super::place::{definitions, is_bound_by_import};
use super::role::{Roles, Space};
use super::scope::{Scope, type_around};
use crate::document::Document;
use crate::local::syntax::nodes_at;
use crate::text::ident::{is_part, last_partial};

/// A definition that was renamed.
pub(super) struct Definition<'d> {
    /// Where the name refers to it.
    pub(super) scope: Scope,
    /// `local` if it is none of the kinds of the queries.
    pub(super) kind: &'d str,
    pub(super) space: Space,
    /// Whether it is a member of an object.
    pub(super) is_member: bool,
    /// The scope of a parameter that is a field as well.
    pub(super) parameter: Option<Scope>,
    /// The type that it belongs to.
    pub(super) owner: Option<String>,
    /// The definition of that type.
    pub(super) around: Option<Range<usize>>,
}

impl<'d> Definition<'d> {
    /// The definition whose name is at a position.
    pub(super) fn at(document: &'d Document, text: &str, at: usize, name: &str) -> Option<Self> {
        let facts = document.grammar()?.facts();
        let found = definitions(document, text, at..at + 1).remove(&at);
        let nodes = nodes_at(document, at);
        let is_scoped = || nodes.iter().any(|it| text[it.byte_range()].starts_with("enum class"));
        let kind = match &found {
            // Those of C are visible around the enumeration.
            Some(it) if it.node.kind() == "enumerator" && !is_scoped() => "constant",
            Some(it) => it.kind,
            None => "local",
        };
        let is_member = matches!(kind, "field" | "method");
        let is_parameter = found.as_ref().is_some_and(|it| it.node.kind().contains("parameter"));
        let (owner, around) = match &found {
            Some(it) => owner_of(&nodes, it.node, text),
            None => (None, None),
        };
        let own = found.map(|it| it.node);
        let is_type = ["class", "enum", "interface", "module", "struct", "type"].contains(&kind);
        let is_imported = || is_bound_by_import(document, &(at..at + name.len())) == Some(true);
        let space = match kind {
            _ if is_type => Space::Type,
            "local" if is_imported() => Space::Any,
            _ => Roles::new(document, text, name).space(at),
        };
        Some(Self {
            scope: if is_member { Scope::everywhere(document) } else { Scope::of(document, at, own) },
            kind,
            space,
            is_member,
            parameter: (is_member && is_parameter && !facts.implicit_receiver)
                .then(|| Scope::of(document, at, None)),
            owner,
            around,
        })
    }
}

/// The name of a type, or of that which an `impl` is of, without arguments.
pub(super) fn name_of<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let name = match node.kind() {
        "impl_item" => node.child_by_field_name("type"),
        "type_definition" => node.child_by_field_name("declarator"),
        _ => node.child_by_field_name("name"),
    }?;
    let name = text.get(name.byte_range())?.split(['<', '[']).next()?.trim();
    Some(last_partial(name)).filter(|it| !it.is_empty())
}

/// The name of the type around the definition of a member, and the range of its definition.
fn owner_of(nodes: &[Node<'_>], member: Node<'_>, text: &str) -> (Option<String>, Option<Range<usize>>) {
    const KINDS: [&str; 5] = ["type_", "struct", "class", "interface", "record"];
    if let Some(receiver) = member.child_by_field_name("receiver") {
        let bare = text[receiver.byte_range()].split('[').next().unwrap_or_default();
        let name = last_partial(bare.trim_end_matches(|it| !is_part(it)));
        return (Some(name.to_owned()).filter(|it| !it.is_empty()), None);
    }
    let around = type_around(nodes.iter().copied());
    let mut named = nodes.iter().copied().filter(|it| {
        let is_type = KINDS.iter().any(|kind| it.kind().contains(kind)) && !it.kind().contains("structor");
        is_type && *it != member && name_of(*it, text).is_some()
    });
    let own = around.filter(|it| name_of(*it, text).is_some()).or_else(|| named.next());
    let name = own.and_then(|it| name_of(it, text)).map(str::to_owned);
    (name, around.or(own).map(|it| it.byte_range()))
}
