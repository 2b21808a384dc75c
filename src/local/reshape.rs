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
use super::repeat::role::{Role, Roles};
use super::repeat::{EditStep, sound};
use super::syntax::node_at;
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

/// What is affected in the file of the definition. `is_touched` tells whether a span was edited since.
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
    let (mut found, mut edits) = (Affected::default(), Vec::new());
    let Some(root) = document.syntax().map(Tree::root_node) else { return found };
    for at in places {
        let name = at..at + reshape.name.len();
        let node = root.named_descendant_for_byte_range(name.start, name.end);
        let Some(Site { list, is_path }) = node.and_then(|it| site(it, reshape.change.form)) else {
            continue;
        };
        if list.has_error() || is_own && reshape.listed.contains(&list.start_byte()) {
            continue;
        }
        match adapt::adapted(&reshape.change, list, is_path, text) {
            // A call with its arguments moved looks like one whose arguments are to be moved.
            Adapted::Edit(edit) if !reshape.change.is_move() || !is_touched(&edit.span) => {
                edits.push((name, edit))
            }
            Adapted::Unknown => found.unknown.push(name),
            Adapted::Edit(_) | Adapted::Fits => {}
        }
    }
    edits.sort_by_key(|(_, edit)| edit.span.start);
    // A call among the arguments of another one follows later.
    edits.dedup_by(|(_, next), (_, edit)| next.span.start < edit.span.end);
    if edits.len() > REFERENCE_EDITS {
        return found;
    }
    found.edits = sound(document, edits.iter().map(|(_, edit)| edit.clone()).collect());
    let kept = edits.into_iter().filter(|(_, edit)| found.edits.contains(edit));
    found.names = kept.map(|(name, _)| name).collect();
    found
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
                if owner_at().as_deref() == Some(owner) {
                    return None;
                }
                false
            }
            (Role::Plain, None) => true,
            (Role::Plain, Some(owner)) => facts.implicit_receiver && owner_at().as_deref() == Some(owner),
            (Role::Member { of_self: true }, Some(owner)) => owner_at().as_deref() == Some(owner),
            (Role::Member { of_self: false }, Some(owner)) => {
                let receiver = text[..at].trim_end().trim_end_matches(['.', '?', '-', '>', '!']);
                is_only || references::is_of_type(text, ident::last_partial(receiver), owner)
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
