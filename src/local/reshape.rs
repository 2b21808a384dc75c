//! Carries a change of a definition's parameters or fields to its calls and literals.
//!
//! A parameter that is removed, moved or renamed leads to the same in the calls; a field, in the literals of its
//! type. Added ones lead to no edit, since their value is unknown, but their calls and literals are found.
//!
//! A call or a literal counts where it is certain to mean the definition, as in [`references`](super::references).

mod adapt;
mod sites;
mod slots;

use std::ops::Range;
use std::time::Duration;

use tree_sitter::{Node, Tree};

use super::limits::{REFERENCE_EDITS, REFERENCING_FILE_BYTES};
use super::references::{self, Use};
use super::repeat::object::extends;
use super::repeat::receiver::{ShownType, Types};
use super::repeat::role::{Role, Roles};
use super::repeat::scope::type_around;
use super::repeat::{EditStep, sound};
use super::syntax::{node_at, nodes_at};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::QueryKind;
use crate::text::ident::{self, occurrences};
use adapt::Adapted;
use sites::{Site, site};
use slots::{Form, List, SlotChange, list};

/// Time limit for the parse of the text before the change.
const PARSE_TIME: Duration = Duration::from_millis(100);

/// A definition whose parameters or fields a step changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reshape {
    /// The name by which it is called or built.
    name: String,
    /// The type that it belongs to, if it is called through one.
    owner: Option<String>,
    /// The span of its name, and that of its list of parameters or fields.
    declared: Range<usize>,
    listed: Range<usize>,
    change: SlotChange,
}

impl Reshape {
    /// The name by which the definition is called or built.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type that the definition belongs to, if it is called through one.
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }
}

/// The calls and literals of one file that a change affects.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    /// The edits that certainly follow.
    pub edits: Vec<Edit>,
    /// The names of the calls and literals that these change.
    pub names: Vec<Range<usize>>,
    /// The names of those that do not fit, and whose edit is unknown.
    pub unknown: Vec<Range<usize>>,
}

/// The definition whose parameters or fields a step changed. Blocks on the parse.
pub fn reshaped(document: &Document, step: &EditStep<'_>) -> Option<Reshape> {
    let at = step.at?;
    let text = document.text().to_string();
    if text.len() > REFERENCING_FILE_BYTES || text.get(at..at + step.new.len()) != Some(step.new) {
        return None;
    }
    let (head, tail) = unchanged(step.old, step.new);
    // A list without brackets ends with its last line, before the break.
    let inner = &step.new[head..step.new.len() - tail];
    let start = at + head + inner.len() - inner.trim_start().len();
    let changed = start..start + inner.trim().len();
    let definitions =
        document.matches(QueryKind::Definitions, changed.start..changed.end.max(changed.start + 1));
    let lists = definitions.iter().filter_map(|it| Some((it.name?, list(it.name?, &text)?)));
    let touched = lists.filter(|(name, it)| {
        let listed = it.node.byte_range();
        listed.start <= changed.start && changed.end <= listed.end && name.end_byte() <= changed.start
    });
    let (name, now) = touched.min_by_key(|(_, it)| it.node.byte_range().len())?;
    // Few edits reach this parse.
    let before = [&text[..at], step.old, &text[at + step.new.len()..]].concat();
    let old_tree = document.grammar()?.parse_within(&before, PARSE_TIME)?;
    let was = list_before(&old_tree, name.byte_range(), &before, &text)?;
    if was.form != now.form || now.node.has_error() || was.node.has_error() {
        return None;
    }
    let change = SlotChange::between((&was, &before), (&now, &text))?;
    let owner = if now.is_member { references::owner(document, now.definition) } else { None };
    if now.is_member && owner.is_none() {
        return None;
    }
    let own = text[name.byte_range()].to_owned();
    let (called, owner) = match (now.form, owner) {
        (Form::New, Some(owner)) => (owner, None),
        (_, owner) => (own, owner),
    };
    Some(Reshape { name: called, owner, declared: name.byte_range(), listed: now.node.byte_range(), change })
}

fn list_before<'t>(tree: &'t Tree, name: Range<usize>, before: &str, text: &str) -> Option<List<'t>> {
    let is_same = before.get(name.clone()) == text.get(name.clone());
    let node = tree.root_node().named_descendant_for_byte_range(name.start, name.end)?;
    if is_same { list(node, before) } else { None }
}

/// The number of equal bytes at the beginning and at the end, on character boundaries.
fn unchanged(old: &str, new: &str) -> (usize, usize) {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = old.chars().zip(new.chars()).take_while(same).map(|(it, _)| it.len_utf8()).sum();
    let rest = old[head..].chars().rev().zip(new[head..].chars().rev());
    let tail = rest.take_while(same).map(|(it, _)| it.len_utf8()).sum();
    (head, tail)
}

/// What is affected in the file of the definition. `is_touched` returns whether a span was edited since.
pub fn within(
    document: &Document,
    reshape: &Reshape,
    is_only: bool,
    is_touched: &dyn Fn(&Range<usize>) -> bool,
) -> Affected {
    let text = document.text().to_string();
    let places = own_places(document, &text, reshape, is_only).unwrap_or_default();
    affected(document, &text, reshape, (places, true), is_touched)
}

/// What is affected in another file.
pub fn elsewhere(
    document: &Document,
    other: &Document,
    reshape: &Reshape,
    is_only: bool,
    is_touched: &dyn Fn(&Range<usize>) -> bool,
) -> Affected {
    let uses: Vec<Use> = match &reshape.owner {
        None => references::uses(document, other, &reshape.name),
        Some(owner) => references::calls(document, other, owner, &reshape.name, is_only),
    };
    if uses.is_empty() {
        return Affected::default();
    }
    let places = uses.into_iter().filter(|it| !it.is_import).map(|it| it.at).collect();
    affected(other, &other.text().to_string(), reshape, (places, false), is_touched)
}

/// What a change affects at these places. `is_own`: they are in the file of the definition.
fn affected(
    document: &Document,
    text: &str,
    reshape: &Reshape,
    (places, is_own): (Vec<usize>, bool),
    is_touched: &dyn Fn(&Range<usize>) -> bool,
) -> Affected {
    let (mut found, mut edits) = (Affected::default(), Vec::<(Vec<Range<usize>>, Edit)>::new());
    let Some(root) = document.syntax().map(Tree::root_node) else { return found };
    let form = reshape.change.form;
    // Calls among the arguments of another one come first, and become a part of its edit.
    for at in places.into_iter().rev() {
        let name = at..at + reshape.name.len();
        let Some(node) = root.named_descendant_for_byte_range(name.start, name.end) else { continue };
        let inner: Vec<Edit> = edits.iter().map(|(_, edit)| edit.clone()).collect();
        let adapted = match site(node, form) {
            Some(Site { list, .. })
                if list.has_error() || is_own && reshape.listed.contains(&list.start_byte()) =>
            {
                continue;
            }
            Some(Site { list, is_path }) => adapt::adapted(&reshape.change, list, is_path, text, &inner),
            None => match in_macro(document, node, text, reshape, inner) {
                Some(adapted) => adapted,
                None => continue,
            },
        };
        match adapted {
            // A call with its arguments moved looks like one whose arguments are to be moved.
            Adapted::Edit(edit) if !reshape.change.is_move() || !is_touched(&edit.span) => {
                let mut names = vec![name];
                edits.retain(|(inner, it)| {
                    let is_inside = edit.span.start <= it.span.start && it.span.end <= edit.span.end;
                    names.extend(inner.iter().filter(|_| is_inside).cloned());
                    !is_inside
                });
                edits.push((names, edit));
            }
            Adapted::Unknown => found.unknown.push(name),
            Adapted::Edit(_) | Adapted::Fits => {}
        }
    }
    if edits.len() > REFERENCE_EDITS {
        return found;
    }
    found.edits = sound(document, edits.iter().map(|(_, edit)| edit.clone()).collect());
    let kept = edits.into_iter().filter(|(_, edit)| found.edits.contains(edit));
    found.names = kept.flat_map(|(names, _)| names).collect();
    found.unknown.reverse();
    found
}

/// Fits a call among the tokens of a macro, which have no structure: it is parsed on its own.
fn in_macro(
    document: &Document,
    name: Node<'_>,
    text: &str,
    reshape: &Reshape,
    inner: Vec<Edit>,
) -> Option<Adapted> {
    const HEAD: &str = "fn f() { ";
    let tokens =
        name.next_sibling().filter(|it| it.kind() == "token_tree" && it.start_byte() == name.end_byte())?;
    let (start, is_path) = (name.start_byte(), text[..name.start_byte()].ends_with("::"));
    let alone = [HEAD, &text[start..tokens.end_byte()], " }"].concat();
    let tree = document.grammar()?.parse_within(&alone, PARSE_TIME)?;
    let name =
        tree.root_node().named_descendant_for_byte_range(HEAD.len(), HEAD.len() + reshape.name.len())?;
    let Site { list, .. } = site(name, reshape.change.form).filter(|it| !it.list.has_error())?;
    let shifted = |it: &Edit, from: usize, to: usize| {
        Edit::new(it.span.start - from + to..it.span.end - from + to, it.text.as_str())
    };
    let inside = inner.iter().filter(|it| start <= it.span.start && it.span.end <= tokens.end_byte());
    let inside: Vec<Edit> = inside.map(|it| shifted(it, start, HEAD.len())).collect();
    Some(match adapt::adapted(&reshape.change, list, is_path, &alone, &inside) {
        Adapted::Edit(edit) => Adapted::Edit(shifted(&edit, HEAD.len(), start)),
        other => other,
    })
}

/// The places in the definition's file that certainly mean it; `None` if another thing there has its name.
fn own_places(document: &Document, text: &str, reshape: &Reshape, is_only: bool) -> Option<Vec<usize>> {
    let name = reshape.name.as_str();
    let facts = document.grammar()?.facts();
    let mut roles = Roles::new(document, text, name);
    let mut places = Vec::new();
    for at in occurrences(text, name) {
        let is_declared_here = reshape.declared.contains(&at);
        let Some(role) = roles.at(at).filter(|_| !is_declared_here) else { continue };
        let owner_at = || type_at(document, text, at);
        let is_use = || reshape.change.form == Form::Literal && is_bare_struct(document, at);
        let is_ours = match (role, &reshape.owner) {
            (Role::Declared, None) if is_use() => true,
            (Role::Declared, None) if reshape.change.form == Form::Call => return None,
            // The class of a constructor; or another method of the name.
            (Role::Declared, None) => {
                if !is_type_name(document, at) {
                    return None;
                }
                false
            }
            (Role::Declared, Some(owner)) => {
                // An overload, or an override, which would have to change as well.
                if owner_at().as_deref() == Some(owner) || are_related(document, text, reshape, at) {
                    return None;
                }
                false
            }
            (Role::Plain, None) => true,
            (Role::Plain, Some(owner)) => facts.implicit_receiver && owner_at().as_deref() == Some(owner),
            (Role::Member { of_self: true }, Some(owner)) => owner_at().as_deref() == Some(owner),
            (Role::Member { of_self: false }, Some(owner)) => {
                is_only || Types::new(document, text).of_receiver(at) == ShownType::Type(owner)
            }
            (Role::InPath, Some(owner)) => {
                let path = ident::last_partial(text[..at].trim_end_matches(':'));
                path == owner || path == "Self" && owner_at().as_deref() == Some(owner)
            }
            _ => false,
        };
        if is_ours {
            places.push(at);
        }
    }
    Some(places)
}

/// Whether the type around a byte and that of the definition extend or implement each other.
fn are_related(document: &Document, text: &str, reshape: &Reshape, at: usize) -> bool {
    let around = |at: usize| type_around(nodes_at(document, at).into_iter());
    let name = |node: Node<'_>| type_at(document, text, node.end_byte().saturating_sub(1));
    match (around(reshape.declared.start), around(at)) {
        (Some(own), Some(other)) => {
            let extends =
                |one: Node<'_>, base: Node<'_>| name(base).is_some_and(|it| extends(one, text, &it));
            extends(own, other) || extends(other, own)
        }
        _ => false,
    }
}

/// Whether a byte is in the name of a C struct that is used, as in `struct point a`.
fn is_bare_struct(document: &Document, at: usize) -> bool {
    let around = node_at(document, at).and_then(|it| it.parent());
    around.is_some_and(|it| it.kind() == "struct_specifier" && it.child_by_field_name("body").is_none())
}

/// The type whose body is around a byte.
fn type_at(document: &Document, text: &str, at: usize) -> Option<String> {
    const KINDS: [&str; 6] = ["class", "impl_item", "trait_item", "interface", "record", "enum_declaration"];
    let is_type = |node: &Node<'_>| {
        KINDS.iter().any(|kind| node.kind().contains(kind)) && node.child_by_field_name("body").is_some()
    };
    let around = std::iter::successors(node_at(document, at), Node::parent).find(is_type)?;
    let name = around.child_by_field_name("type").or_else(|| around.child_by_field_name("name"))?;
    let bare = text[name.byte_range()].split('<').next().unwrap_or_default();
    Some(ident::last_partial(bare).to_owned())
}

/// Whether the declaration at a byte is that of a type.
fn is_type_name(document: &Document, at: usize) -> bool {
    let is_type = |kind: &str| matches!(kind, "class" | "struct" | "interface" | "type" | "enum");
    let definitions = document.matches(QueryKind::Definitions, at..at + 1);
    definitions
        .iter()
        .any(|it| is_type(it.kind) && it.name.is_some_and(|name: Node<'_>| name.byte_range().contains(&at)))
}

#[cfg(test)]
mod tests;
