//! Repeats a rename of a definition, or of two uses, in the remaining uses.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use super::change::{Change, Renamed};
use super::place::{
    function, is_bound_by_import, is_import, is_type, is_within_definition, line_has, neighbors, onward,
};
use super::role::{Role, Roles};
use crate::document::Document;
use crate::edit::Edit;
use crate::grammar::{Match, QueryKind};
use crate::local::limits::{TYPE_PLACES, UNIQUE_NAME_BYTES};
use crate::local::syntax::{is_function, node_at, nodes_at};
use crate::local::walk::Walk;
use crate::local::words::{is_free, is_telling};
use crate::text::ident::{is_name, is_part, occurrences, parts};

const DECLARATION_RENAMED: &str = "its declaration was renamed";
const IMPORT_RENAMED: &str = "its import was renamed";
const USES_RENAMED: &str = "it was renamed in two places";

/// A name has several meanings where it is to be renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name means several things in these lines, such as a parameter and a field, or goes on beyond them; rename it \
     with the language server, or set up a model with `tandem setup`"
)]
pub struct Ambiguous;

/// A definition that was renamed.
struct Definition<'t> {
    /// The scope in which the name refers to it.
    scope: Range<usize>,
    /// Whether it is a member of an object.
    is_member: bool,
    is_method: bool,
    /// Whether it is a method that other methods of its object may call by its name alone.
    is_callable_alone: bool,
    /// The type that it belongs to.
    owner: Option<&'t str>,
}

/// The edits that rename the remaining uses, the renamed declaration, without which they are not certain, and
/// their reason for display.
///
/// `None` if nothing was renamed, or the meaning of the name is not certain.
pub(super) fn find(
    document: &Document,
    text: &str,
    newest: &Change<'_>,
    all: &[Change<'_>],
) -> Option<(Vec<Edit>, Option<Renamed>, &'static str)> {
    let newest = if is_renaming(newest) { newest } else { behind_shorthand(newest, all)? };
    let (old, new) = (newest.old, newest.new);
    let same: Vec<&Change<'_>> = all.iter().filter(|change| change.old == old && change.new == new).collect();
    let places: Vec<usize> = same.iter().filter_map(|change| change.at).collect();
    let mut roles = Roles::new(document, text, new);
    let roles: Vec<Role> = places.iter().filter_map(|at| roles.at(*at)).collect();
    let import = |at: usize| is_bound_by_import(document, &(at..at + new.len()));
    let declared = places.iter().zip(&roles).find_map(|(at, role)| match import(*at) {
        None => (*role == Role::Declared).then_some((*at, false)),
        Some(is_bound) => is_bound.then_some((*at, true)),
    });
    match declared {
        Some((at, is_imported)) => {
            // An import from another module brings in other things.
            let takes_others = newest.is_one_of_several(all) && is_import(document, at, at + new.len());
            if newest.comes_again(all) || takes_others {
                return None;
            }
            let short = all.iter().filter(|it| is_expansion(it, newest)).count();
            let edits = of_definition(document, text, at, old, new, &places, short)?;
            if is_imported {
                // Where the new name is already used, the import is of another thing with other uses.
                let mut others = occurrences(text, new).filter(|at| !places.contains(at));
                let is_new = !others.any(|at| Roles::new(document, text, new).at(at).is_some());
                // The definition in the other file keeps its name.
                return (is_new && !edits.is_empty()).then_some((edits, None, IMPORT_RENAMED));
            }
            let renamed = Renamed { from: old.to_owned(), to: new.to_owned(), at };
            Some((edits, Some(renamed), DECLARATION_RENAMED))
        }
        None if places.len() >= 2
            && is_telling(old)
            && Change::is_habit(&same)
            && !Change::is_part_of_others(&same, all) =>
        {
            let beside: Vec<_> = same.iter().map(|change| change.neighbors()).collect();
            let edits = of_uses(document, text, &places, &roles, old, new)?;
            let is_alike =
                |edit: &Edit| beside.contains(&neighbors(&text[..edit.span.start], &text[edit.span.end..]));
            let edits: Vec<Edit> = edits.into_iter().filter(is_alike).collect();
            if edits.is_empty() {
                return None;
            }
            Some((edits, None, USES_RENAMED))
        }
        None => None,
    }
}

fn is_renaming(change: &Change<'_>) -> bool {
    [change.old, change.new].into_iter().all(|name| is_name(name) && is_free(name))
}

/// The rename that a changed shorthand follows from: the remaining shorthands continue it.
fn behind_shorthand<'c, 'a>(change: &Change<'a>, all: &'c [Change<'a>]) -> Option<&'c Change<'a>> {
    all.iter().rev().find(|rename| is_renaming(rename) && is_expansion(change, rename))
}

/// Whether a change made `{ old }` to `{ new: old }` or `{ old: new }`, as the rename of a field or a variable does.
fn is_expansion(change: &Change<'_>, rename: &Change<'_>) -> bool {
    let added = change.new.trim();
    change.old.is_empty()
        && (added.strip_suffix(':') == Some(rename.new) && change.after.starts_with(rename.old)
            || added.strip_prefix(':').map(str::trim_start) == Some(rename.new)
                && change.before.ends_with(rename.old))
}

fn of_definition(
    document: &Document,
    text: &str,
    at: usize,
    old: &str,
    new: &str,
    renamed: &[usize],
    short: usize,
) -> Option<Vec<Edit>> {
    let definition = definition_at(document, text, at)?;
    let within = |at: &usize| definition.scope.contains(at);
    let roles_of = |name: &'_ str| -> Vec<(usize, Role)> {
        let mut roles = Roles::new(document, text, name);
        occurrences(text, name).filter(within).filter_map(|at| Some((at, roles.at(at)?))).collect()
    };
    // An earlier occurrence of the new name may have another meaning.
    let alike = |role: &Role| match role {
        Role::Member { .. } | Role::Key | Role::InPath => definition.is_member,
        Role::Plain | Role::Short | Role::Shown | Role::Declared => !definition.is_member,
    };
    let is_other = |at: &usize| !renamed.contains(at);
    let taken = roles_of(new).iter().filter(|(at, role)| alike(role) && is_other(at)).count();
    if taken > short {
        return None;
    }
    let is_uncommon = old.len() >= UNIQUE_NAME_BYTES || parts(old).len() > 1;
    // Another type has a field or method of this name: only a type checker can distinguish their uses.
    let old_roles = roles_of(old);
    let others = kinds(document, text, &old_roles);
    let is_alike = |at: usize| {
        let other = others.get(&at).map_or("local", |it| it.kind);
        matches!(other, "field" | "method") && (other == "method") == definition.is_method
    };
    let mut walk = Walk::new(document)?;
    let mut edits = Vec::new();
    for (at, role) in old_roles {
        let text = match (role, definition.is_member) {
            // Another declaration has the same name.
            (Role::Declared, false) => return None,
            (Role::Declared, true) if is_alike(at) => return None,
            (Role::Plain | Role::Shown, false) => new.to_owned(),
            // A method called without a receiver, in languages where that is implicit.
            (Role::Plain, true) if definition.is_callable_alone && is_call(&mut walk, at) => new.to_owned(),
            (Role::Short, false) => format!("{old}: {new}"),
            (Role::Short, true) => format!("{new}: {old}"),
            (Role::Member { of_self: true }, true) => new.to_owned(),
            (Role::Member { .. } | Role::Key, true) if is_uncommon => new.to_owned(),
            (Role::InPath, _) if is_of(text, at, definition.owner) => new.to_owned(),
            _ => continue,
        };
        edits.push(Edit::new(at..at + old.len(), text));
    }
    Some(edits)
}

/// The edits that rename a declaration in a range whose name has other meanings there, such as a field beside a
/// parameter. `Ok(None)` if all occurrences are of one kind.
///
/// # Errors
///
/// [`Ambiguous`] if it is not certain which occurrences are meant, or one of them is outside of the range.
pub(in crate::local) fn within(
    document: &Document,
    range: &Range<usize>,
    old: &str,
    new: &str,
) -> Result<Option<Vec<Edit>>, Ambiguous> {
    let text = document.text().to_string();
    let places = occurrences(&text, old).filter(|at| range.contains(at));
    let mut found = Roles::new(document, &text, old);
    let roles: Vec<(usize, Role)> = places.filter_map(|at| Some((at, found.at(at)?))).collect();
    let declared = kinds(document, &text, &roles);
    let is_member = |at: usize, role: Role| match role {
        Role::Member { .. } | Role::Key | Role::InPath => true,
        Role::Declared => declared.get(&at).is_some_and(|it| matches!(it.kind, "field" | "method")),
        Role::Short | Role::Shown | Role::Plain => false,
    };
    let members = roles.iter().filter(|(at, role)| is_member(*at, *role)).count();
    if !roles.iter().any(|(_, role)| *role == Role::Short) && (members == 0 || members == roles.len()) {
        return Ok(None);
    }
    let mut declared = roles.iter().filter(|(_, role)| *role == Role::Declared);
    let (Some((at, role)), None) = (declared.next(), declared.next()) else { return Err(Ambiguous) };
    if is_member(*at, *role) {
        return Err(Ambiguous);
    }
    // The other edits follow as if the user had renamed the declaration.
    let place = *at..at + old.len();
    let renamed = document.with(place.clone(), new);
    let rest =
        of_definition(&renamed, &renamed.text().to_string(), *at, old, new, &[*at], 0).ok_or(Ambiguous)?;
    let shifted = rest.into_iter().map(|edit| {
        let back = |byte: usize| if byte > *at { byte + old.len() - new.len() } else { byte };
        Edit::new(back(edit.span.start)..back(edit.span.end), edit.text)
    });
    let edits: Vec<Edit> = std::iter::once(Edit::new(place, new)).chain(shifted).collect();
    let is_inside = |edit: &Edit| range.start <= edit.span.start && edit.span.end <= range.end;
    if edits.iter().all(is_inside) { Ok(Some(edits)) } else { Err(Ambiguous) }
}

/// The definitions at the positions where a name is declared, in one search for all.
fn kinds<'d>(document: &'d Document, text: &str, roles: &[(usize, Role)]) -> HashMap<usize, Match<'d>> {
    let mut declared = roles.iter().filter(|(_, role)| *role == Role::Declared).map(|(at, _)| *at);
    let Some(first) = declared.next() else { return HashMap::new() };
    definitions(document, text, first..declared.next_back().unwrap_or(first) + 1)
}

fn is_call(walk: &mut Walk<'_>, at: usize) -> bool {
    walk.go_to(at);
    walk.parent().is_some_and(|it| it.kind().contains("call") || it.kind().contains("invocation"))
}

/// Handles two uses renamed without a definition: in one function, or of a member anywhere.
fn of_uses(
    document: &Document,
    text: &str,
    places: &[usize],
    roles: &[Role],
    old: &str,
    new: &str,
) -> Option<Vec<Edit>> {
    let last = *roles.last()?;
    let kind = |at: usize| {
        let node = node_at(document, at)?;
        Some((node.kind(), node.parent()?.kind()))
    };
    let kinds: Vec<_> = places.iter().filter_map(|at| kind(*at)).collect();
    let functions: Vec<_> = places.iter().filter_map(|at| function_around(document, *at)).collect();
    let is_local = last == Role::Plain
        && kinds.iter().all(|(node, parent)| *node == "identifier" && !parent.contains("call"));
    let in_scope = |at: usize| !is_local || functions.iter().any(|scope| scope.contains(&at));
    let is_same = |place: Role| std::mem::discriminant(&place) == std::mem::discriminant(&last);
    let mut roles = Roles::new(document, text, old);
    let left = occurrences(text, old).filter(|at| {
        in_scope(*at)
            && !is_within_definition(document, *at, new)
            && !line_has(text, *at, new)
            && roles.at(*at).is_some_and(is_same)
            && kind(*at).is_some_and(|kind| kinds.contains(&kind))
    });
    let edits = left.map(|at| Edit::new(at..at + old.len(), new)).collect();
    let edits = onward(edits, places)?;
    let is_type = kinds.iter().any(|(kind, around)| is_type(kind, around));
    (!edits.is_empty() && (!is_type || places.len() >= TYPE_PLACES)).then_some(edits)
}

/// The definition whose name is at a position.
fn definition_at<'t>(document: &Document, text: &'t str, at: usize) -> Option<Definition<'t>> {
    let grammar = document.grammar()?;
    let found = definitions(document, text, at..at + 1).remove(&at);
    let kind = found.map_or("local", |it| it.kind);
    let is_member = matches!(kind, "field" | "method");
    let mut inside = nodes_at(document, at);
    if let Some(found) = found {
        let around = inside.iter().position(|it| *it == found.node).map_or(inside.len(), |own| own + 1);
        inside.drain(..around);
    }
    let function = inside.iter().find(|it| is_function(**it));
    let scope = if is_member { None } else { function.map(|it| it.byte_range()) };
    Some(Definition {
        scope: scope.unwrap_or(0..text.len()),
        is_member,
        is_method: kind == "method",
        is_callable_alone: kind == "method" && grammar.facts().implicit_receiver,
        owner: inside.into_iter().find_map(type_name).and_then(|name| text.get(name.byte_range())),
    })
}

/// The definitions in a byte range, keyed by the start of their names.
fn definitions<'d>(document: &'d Document, text: &str, bytes: Range<usize>) -> HashMap<usize, Match<'d>> {
    let Some((tree, grammar)) = document.syntax().zip(document.grammar()) else { return HashMap::new() };
    let read = |node: Node<'_>| std::iter::once(text.get(node.byte_range()).unwrap_or_default());
    let found = grammar.matches(QueryKind::Definitions, tree.root_node(), bytes, read);
    // Of several definitions with one name, the outermost, which comes first.
    found.into_iter().rev().filter_map(|it| Some((it.name?.start_byte(), it))).collect()
}

/// The name of a type, if a node is a type with members.
fn type_name(node: Node<'_>) -> Option<Node<'_>> {
    node.child_by_field_name("type").or_else(|| node.child_by_field_name("name"))
}

/// Whether the path before a byte ends in this type, `Self`, `self`, `crate` or `super`.
fn is_of(text: &str, at: usize, owner: Option<&str>) -> bool {
    let path = text[..at].trim_end().trim_end_matches(':');
    ["Self", "self", "crate", "super"]
        .iter()
        .copied()
        .chain(owner)
        .any(|end| path.strip_suffix(end).is_some_and(|rest| !rest.ends_with(is_part)))
}

fn function_around(document: &Document, at: usize) -> Option<Range<usize>> {
    function(node_at(document, at)?).map(|it| it.byte_range())
}
