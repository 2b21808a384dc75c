//! A name that was renamed where it is defined, or in two places where it is used.

use std::ops::Range;

use tree_sitter::Node;

use super::change::{Change, Renamed};
use super::place::{function, is_import, is_type, is_within_definition, line_has, neighbors, onward};
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::guard::declares;
use crate::grammar::{Grammar, QueryKind};
use crate::local::limits::{TYPE_PLACES, UNIQUE_NAME_BYTES};
use crate::local::syntax::{is_prose, node_at};
use crate::local::words::{is_free, is_telling};
use crate::text::ident::{is_name, is_part, occurrences, parts};

/// What a name is, where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Where it is declared.
    Declared,
    /// `receiver.name`; whether that is the object itself.
    Member { of_self: bool },
    /// `path::name`.
    InPath,
    /// The key of a literal, or an argument's name.
    Key,
    /// Both a field's name and the variable whose value it gets.
    Short,
    /// In a string, for its value: `"{name}"`.
    Shown,
    /// By itself.
    Plain,
}

/// A name means several things where it is to be renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the name means several things in these lines, such as a parameter and a field, or goes on beyond them; rename it \
     with the language server, or set up a model with `tandem setup`"
)]
pub struct Ambiguous;

/// A definition that was renamed.
struct Definition<'t> {
    /// Where its name means it.
    scope: Range<usize>,
    /// Whether it belongs to an object.
    is_member: bool,
    is_method: bool,
    /// Whether it is a method that others of its object call by its name alone.
    is_callable_alone: bool,
    /// The type that it belongs to.
    owner: Option<&'t str>,
}

/// The edits that rename what is left, and the declaration that was renamed; without that they are not certain.
///
/// `None` if nothing was renamed, or it is not certain what is meant.
pub(super) fn find(
    document: &Document,
    text: &str,
    newest: &Change<'_>,
    all: &[Change<'_>],
) -> Option<(Vec<Edit>, Option<Renamed>)> {
    let newest = if is_renaming(newest) { newest } else { behind_shorthand(newest, all)? };
    let (old, new) = (newest.old, newest.new);
    let same: Vec<&Change<'_>> = all.iter().filter(|change| change.old == old && change.new == new).collect();
    let places: Vec<usize> = same.iter().filter_map(|change| change.at).collect();
    let roles: Vec<Role> = places.iter().filter_map(|at| role(document, text, *at, new)).collect();
    let declared = places.iter().zip(&roles).find(|(_, role)| **role == Role::Declared);
    match declared {
        Some((at, _)) => {
            // An import that takes its names from elsewhere brings in other things.
            let takes_others = newest.is_one_of_several(all) && is_import(document, *at, at + new.len());
            if newest.comes_again(all) || takes_others {
                return None;
            }
            let short = all.iter().filter(|it| is_expansion(it, newest)).count();
            let edits = of_definition(document, text, *at, old, new, places.len() + short)?;
            let renamed = Renamed { from: old.to_owned(), to: new.to_owned(), at: *at };
            Some((edits, Some(renamed)))
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
            Some((edits, None))
        }
        None => None,
    }
}

fn is_renaming(change: &Change<'_>) -> bool {
    [change.old, change.new].into_iter().all(|name| is_name(name) && is_free(name))
}

/// The rename that a changed shorthand follows from: one key after the other goes on with it.
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
    changed: usize,
) -> Option<Vec<Edit>> {
    let definition = definition_at(document, text, at)?;
    let within = |at: &usize| definition.scope.contains(at);
    let roles_of = |name: &'_ str| -> Vec<(usize, Role)> {
        let places = occurrences(text, name).filter(within);
        places.filter_map(|at| Some((at, role(document, text, at, name)?))).collect()
    };
    // A name that was there before may mean something else.
    let alike = |role: &Role| match role {
        Role::Member { .. } | Role::Key | Role::InPath => definition.is_member,
        Role::Plain | Role::Short | Role::Shown | Role::Declared => !definition.is_member,
    };
    let taken = roles_of(new).iter().filter(|(_, role)| alike(role)).count();
    if taken > changed {
        return None;
    }
    let is_uncommon = old.len() >= UNIQUE_NAME_BYTES || parts(old).len() > 1;
    // Another type has a field, or a method, of this name: only a type checker knows whose is used where.
    let is_alike = |at: usize| {
        let other = definition_at(document, text, at);
        other.is_some_and(|it| it.is_member && it.is_method == definition.is_method)
    };
    let mut edits = Vec::new();
    for (at, role) in roles_of(old) {
        let text = match (role, definition.is_member) {
            // Something else has the same name.
            (Role::Declared, false) => return None,
            (Role::Declared, true) if is_alike(at) => return None,
            (Role::Plain | Role::Shown, false) => new.to_owned(),
            // A method that is called without its object, in languages that take that for the one at hand.
            (Role::Plain, true) if definition.is_callable_alone && is_call(document, at) => new.to_owned(),
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

/// The edits that rename what is declared once in a range, if the name means something else there, too, such as a field
/// beside a parameter. `Ok(None)` if all its places are of one kind.
///
/// # Errors
///
/// [`Ambiguous`] if it is not certain which places are meant, or one of them is outside of the range.
pub(in crate::local) fn within(
    document: &Document,
    range: &Range<usize>,
    old: &str,
    new: &str,
) -> Result<Option<Vec<Edit>>, Ambiguous> {
    let text = document.text().to_string();
    let places = occurrences(&text, old).filter(|at| range.contains(at));
    let roles: Vec<(usize, Role)> =
        places.filter_map(|at| Some((at, role(document, &text, at, old)?))).collect();
    let is_member = |at: usize, role: Role| match role {
        Role::Member { .. } | Role::Key | Role::InPath => true,
        Role::Declared => definition_at(document, &text, at).is_some_and(|it| it.is_member),
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
    // The rest follows from the declaration as if the user had renamed that.
    let place = *at..at + old.len();
    let renamed = document.with(place.clone(), new);
    let rest = of_definition(&renamed, &renamed.text().to_string(), *at, old, new, 1).ok_or(Ambiguous)?;
    let shifted = rest.into_iter().map(|edit| {
        let back = |byte: usize| if byte > *at { byte + old.len() - new.len() } else { byte };
        Edit::new(back(edit.span.start)..back(edit.span.end), edit.text)
    });
    let edits: Vec<Edit> = std::iter::once(Edit::new(place, new)).chain(shifted).collect();
    let is_inside = |edit: &Edit| range.start <= edit.span.start && edit.span.end <= range.end;
    if edits.iter().all(is_inside) { Ok(Some(edits)) } else { Err(Ambiguous) }
}

/// Two uses were renamed without a definition: in one function, or of a member anywhere.
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
    let left = occurrences(text, old).filter(|at| {
        in_scope(*at)
            && !is_within_definition(document, *at, new)
            && !line_has(text, *at, new)
            && role(document, text, *at, old).is_some_and(is_same)
            && kind(*at).is_some_and(|kind| kinds.contains(&kind))
    });
    let edits = left.map(|at| Edit::new(at..at + old.len(), new)).collect();
    let edits = onward(edits, places)?;
    let is_type = kinds.iter().any(|(kind, around)| is_type(kind, around));
    (!edits.is_empty() && (!is_type || places.len() >= TYPE_PLACES)).then_some(edits)
}

/// Whether the name at a byte is declared there.
pub(in crate::local) fn is_declared(document: &Document, text: &str, at: usize, name: &str) -> bool {
    role(document, text, at, name) == Some(Role::Declared)
}

/// What the name at a byte is there; nothing if it is prose.
fn role(document: &Document, text: &str, at: usize, name: &str) -> Option<Role> {
    let (before, after) = (&text[..at], &text[at + name.len()..]);
    let facts = document.grammar().map(Grammar::facts);
    if is_prose(document, at) {
        let shown = facts.is_some_and(|facts| facts.brace_placeholders)
            && before.ends_with('{')
            && !before.ends_with("{{")
            && after.starts_with(['}', ':']);
        return shown.then_some(Role::Shown);
    }
    let node = node_at(document, at)?;
    if node.kind().contains("shorthand") || node.parent().is_some_and(|it| it.kind().starts_with("shorthand"))
    {
        let pattern =
            node.kind().contains("pattern") || node.parent().is_some_and(|it| it.kind().contains("pattern"));
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
    if is_key(node) {
        return Some(Role::Key);
    }
    let parent = node.parent()?;
    // A type's name beside a parameter is no new name.
    let is_type = node.kind() == "type_identifier" && parent.child_by_field_name("name") != Some(node);
    // These only look like declarations: the thing is there already.
    let again = is_type
        || parent.kind().contains("assignment_expression")
        || parent.kind().contains("augmented")
        || (parent.kind().ends_with("_expression") && !parent.kind().contains("function"))
        || parent.kind().contains("invocation")
        || (parent.kind() == "assignment"
            && function_around(document, at).is_some()
            && is_declared_above(document, text, at, name));
    Some(if !again && declares(node) { Role::Declared } else { Role::Plain })
}

/// Whether the function assigns to a name further up (languages without declarations).
fn is_declared_above(document: &Document, text: &str, at: usize, name: &str) -> bool {
    let Some(scope) = function_around(document, at) else { return false };
    occurrences(&text[..at], name)
        .any(|earlier| scope.contains(&earlier) && node_at(document, earlier).is_some_and(declares))
}

fn is_key(node: Node<'_>) -> bool {
    const KINDS: [&str; 6] =
        ["pair", "keyword_argument", "field_initializer", "keyed_element", "field_pattern", "named_argument"];
    let mut key = node;
    for _ in 0..2 {
        let Some(parent) = key.parent() else { return false };
        if KINDS.contains(&parent.kind()) {
            return parent.named_child_count() > 1 && parent.named_child(0) == Some(key);
        }
        key = parent;
    }
    false
}

/// What is defined where a name stands.
fn definition_at<'t>(document: &Document, text: &'t str, at: usize) -> Option<Definition<'t>> {
    let (tree, grammar) = document.syntax().zip(document.grammar())?;
    let read = |node: Node<'_>| std::iter::once(text.get(node.byte_range()).unwrap_or_default());
    let found = grammar.matches(QueryKind::Definitions, tree.root_node(), at..at + 1, read);
    let found = found.into_iter().find(|it| it.name.is_some_and(|name| name.start_byte() == at));
    let kind = found.map_or("local", |it| it.kind);
    let is_member = matches!(kind, "field" | "method");
    let inside = found.map_or_else(|| node_at(document, at), |it| it.node.parent());
    let function = inside.and_then(function);
    let scope = if is_member { None } else { function.map(|it| it.byte_range()) };
    let owner = inside.and_then(|node| owner(node, text));
    Some(Definition {
        scope: scope.unwrap_or(0..text.len()),
        is_member,
        is_method: kind == "method",
        is_callable_alone: kind == "method" && grammar.facts().implicit_receiver,
        owner,
    })
}

fn is_call(document: &Document, at: usize) -> bool {
    let parent = node_at(document, at).and_then(|node| node.parent());
    parent.is_some_and(|it| it.kind().contains("call") || it.kind().contains("invocation"))
}

/// The name of the type around a member.
fn owner<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut node = Some(node);
    while let Some(it) = node {
        if let Some(name) = it.child_by_field_name("type").or_else(|| it.child_by_field_name("name")) {
            return text.get(name.byte_range());
        }
        node = it.parent();
    }
    None
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
