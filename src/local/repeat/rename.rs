//! Repeats a rename of a definition, or of two uses, in the remaining uses.

use std::ops::Range;

use super::bindings::Bindings;
use super::change::{Change, Renamed};
use super::instance_variable;
use super::place::{
    function, is_bound_by_import, is_import, is_type, is_within_definition, line_has, neighbors, onward,
};
use super::role::{Role, Roles};
use super::uses::{RenameUses, Unsure};
use crate::document::Document;
use crate::edit::Edit;
use crate::local::limits::TYPE_PLACES;
use crate::local::syntax::node_at;
use crate::local::words::{is_free_in, is_telling};
use crate::text::ident::{is_name, occurrences};

const DECLARATION_RENAMED: &str = "its declaration was renamed";
const ASSIGNMENT_RENAMED: &str = "its assignment was renamed";
const IMPORT_RENAMED: &str = "its import was renamed";
const USES_RENAMED: &str = "it was renamed in two places";

/// The edits that rename the remaining uses, the renamed declaration, without which they are not certain, and
/// their reason for display. `own` are the changes that were not offered as uses of a renamed name.
///
/// `None` if nothing was renamed, or the meaning of the name is not certain, of which `unsure` is told.
pub(super) fn find(
    document: &Document,
    text: &str,
    newest: &Change<'_>,
    all: &[Change<'_>],
    own: &[Change<'_>],
    unsure: &mut Option<Unsure>,
) -> Option<(Vec<Edit>, Option<Renamed>, &'static str)> {
    let newest =
        if is_renaming(document, newest) { newest } else { behind_shorthand(document, newest, all)? };
    let (old, new) = (newest.old, newest.new);
    let earlier = earlier_names(document, newest, all, own);
    let is_same =
        |change: &&Change<'_>| change.new == new && (change.old == old || earlier.contains(&change.old));
    let same: Vec<&Change<'_>> = all.iter().filter(is_same).collect();
    let places: Vec<usize> = same.iter().filter_map(|change| change.at).collect();
    let mut marked = places.iter().filter(|at| text[..**at].ends_with(['@', '.']));
    let assigned = marked.find_map(|at| Some((*at, instance_variable::assigned(document, text, *at)?)));
    if let Some((at, owner)) = assigned.filter(|_| !newest.comes_again(all)) {
        let uses = instance_variable::uses(document, text, &owner, [old, new], &places);
        let edits = uses.map_err(|reason| *unsure = Some(reason)).ok()?;
        let renamed = Renamed { from: old.to_owned(), to: new.to_owned(), at };
        return Some((edits, Some(renamed), ASSIGNMENT_RENAMED));
    }
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
            let uses = |name| of_definition(document, text, at, [name, new], &places, short);
            let all: Result<Vec<Vec<Edit>>, Unsure> =
                std::iter::once(old).chain(earlier.iter().copied()).map(uses).collect();
            let edits = match all {
                Ok(edits) => edits.concat(),
                Err(reason) => {
                    *unsure = Some(reason);
                    return None;
                }
            };
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
        None => {
            let same: Vec<&Change<'_>> =
                same.into_iter().filter(|it| own.iter().any(|own| own.is(it))).collect();
            let is_meant = same.iter().filter(|it| it.at.is_some()).count() >= 2
                && is_telling(old)
                && Change::is_habit(&same)
                && !Change::is_part_of_others(&same, all);
            if !is_meant {
                return None;
            }
            let beside: Vec<_> = same.iter().map(|change| change.neighbors()).collect();
            let edits = of_uses(document, text, &places, &roles, [old, new])?;
            let is_alike =
                |edit: &Edit| beside.contains(&neighbors(&text[..edit.span.start], &text[edit.span.end..]));
            let edits: Vec<Edit> = edits.into_iter().filter(is_alike).collect();
            if edits.is_empty() {
                return None;
            }
            Some((edits, None, USES_RENAMED))
        }
    }
}

/// The names that accepted uses have in place of the old one: the declaration was renamed once more since.
fn earlier_names<'a>(
    document: &Document,
    newest: &Change<'a>,
    all: &[Change<'a>],
    own: &[Change<'a>],
) -> Vec<&'a str> {
    let is_accepted = |it: &Change<'_>| own.iter().all(|own| !own.is(it));
    let name = |it: &Change<'a>| match is_renaming(document, it) {
        true => (it.old == newest.old && is_accepted(it)).then_some(it.new),
        false => expanded(it, newest.old),
    };
    let mut names: Vec<&str> = all.iter().filter_map(name).filter(|it| *it != newest.new).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a change gives a name in place of another one. What becomes `_` has no uses any more.
fn is_renaming(document: &Document, change: &Change<'_>) -> bool {
    let is_name = |name| name != "_" && is_name(name) && is_free_in(document, name);
    [change.old, change.new].into_iter().all(is_name)
}

/// The rename that a changed shorthand follows from: the remaining shorthands continue it.
fn behind_shorthand<'c, 'a>(
    document: &Document,
    change: &Change<'a>,
    all: &'c [Change<'a>],
) -> Option<&'c Change<'a>> {
    all.iter().rev().find(|rename| is_renaming(document, rename) && is_expansion(change, rename))
}

/// Whether a change made `{ old }` to `{ new: old }` or `{ old: new }`, as the rename of a field or a variable does.
fn is_expansion(change: &Change<'_>, rename: &Change<'_>) -> bool {
    expanded(change, rename.old) == Some(rename.new)
}

/// The name that a change added to the shorthand of another one.
fn expanded<'a>(change: &Change<'a>, short: &str) -> Option<&'a str> {
    let added = change.new.trim();
    let key = added.strip_suffix(':').filter(|_| change.after.starts_with(short));
    let value = added.strip_prefix(':').map(str::trim_start).filter(|_| change.before.ends_with(short));
    key.or(value).filter(|name| change.old.is_empty() && is_name(name))
}

fn of_definition(
    document: &Document,
    text: &str,
    at: usize,
    [old, new]: [&str; 2],
    renamed: &[usize],
    short: usize,
) -> Result<Vec<Edit>, Unsure> {
    RenameUses::new(document, text, at, [old, new])
        .ok_or_else(|| Unsure::Uses(old.to_owned()))?
        .edits(renamed, short)
}

/// Handles two uses renamed without a definition: in one function, or of a member anywhere.
fn of_uses(
    document: &Document,
    text: &str,
    places: &[usize],
    roles: &[Role],
    [old, new]: [&str; 2],
) -> Option<Vec<Edit>> {
    let bindings = Bindings::new(document, text, [old, new], places);
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
            && bindings.allow(*at)
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

fn function_around(document: &Document, at: usize) -> Option<Range<usize>> {
    function(node_at(document, at)?).map(|it| it.byte_range())
}
