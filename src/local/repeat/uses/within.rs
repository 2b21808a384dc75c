//! Renames what a range of lines declares, for an instruction to do so.

use std::ops::Range;

use super::{RenameUses, Unsure};
use crate::document::Document;
use crate::edit::Edit;
use crate::local::repeat::definition::{Definition, name_of};
use crate::local::repeat::instance_variable;
use crate::local::repeat::place::is_bound_by_import;
use crate::local::repeat::role::{Role, Roles};
use crate::local::repeat::scope::type_around;
use crate::local::syntax::{is_prose, nodes_at};
use crate::local::words::is_free_in;
use crate::text::ident::{is_part_or_dollar, last_partial, occurrences};

/// Words for values, which are names or nodes in the grammars of some languages.
const VALUES: [&str; 11] =
    ["Self", "super", "this", "true", "false", "True", "False", "null", "nil", "None", "undefined"];

/// Why a name is not changed in some lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unrenamed {
    /// The lines do not have the name.
    #[error("`{0}` does not occur in these lines")]
    Absent(String),
    /// The new name is the old one.
    #[error("`{0}` has this name already")]
    Same(String),
    /// The new name is none in the language.
    #[error("`{0}` cannot be a name here; choose another one")]
    NoName(String),
    /// The name is declared elsewhere, or only stands in text.
    #[error(
        "`{0}` is not declared in these lines; choose the lines that declare it, or rename it with your language server"
    )]
    Undeclared(String),
    /// Another file gives the name.
    #[error("`{0}` is imported, and another file gives it its name; rename it there")]
    Imported(String),
    /// The lines declare several things of the name.
    #[error("these lines declare several things called `{0}`; choose the lines of one of them")]
    Several(String),
    /// Lines outside would no longer find the declaration.
    #[error("line {line}, outside of these lines, uses `{name}` too; choose lines that hold all of its uses")]
    Beyond {
        /// The old name.
        name: String,
        /// The line of the use, from 1.
        line: usize,
    },
    /// The uses are not certain, or the new name is taken.
    #[error(transparent)]
    Unsure(#[from] Unsure),
}

/// The edits in a range that rename what it declares.
///
/// They are those that would follow if the user had renamed the declaration. Uses of a function or a type may be
/// outside of the range and stay as they are, since others look for them; those of a local name or a member may not.
pub(in crate::local) fn within(
    document: &Document,
    range: &Range<usize>,
    [old, new]: [&str; 2],
) -> Result<Vec<Edit>, Unrenamed> {
    let text = document.text().to_string();
    let places: Vec<usize> = occurrences(&text, old).filter(|at| range.contains(at)).collect();
    let is_name = !new.starts_with(char::is_numeric) && new.chars().all(is_part_or_dollar) && new != "_";
    if places.is_empty() {
        return Err(Unrenamed::Absent(old.to_owned()));
    }
    if !is_name || !is_free_in(document, new) || VALUES.contains(&new) {
        return Err(Unrenamed::NoName(new.to_owned()));
    }
    if places.iter().any(|at| is_bound_by_import(document, &(*at..at + old.len())).is_some()) {
        return Err(Unrenamed::Imported(old.to_owned()));
    }
    let mut roles = Roles::new(document, &text, old);
    let found: Vec<(usize, Role)> = places.iter().filter_map(|at| Some((*at, roles.at(*at)?))).collect();
    let declared = || found.iter().filter(|(_, role)| *role == Role::Declared).map(|(at, _)| *at);
    let assigned =
        || places.iter().copied().find(|at| instance_variable::assigned(document, &text, *at).is_some());
    let at = declared().next().or_else(assigned).ok_or_else(|| Unrenamed::Undeclared(old.to_owned()))?;
    let place = at..at + old.len();
    let renamed = document.with(place.clone(), new);
    let OtherUses { edits, is_local, is_member } = uses(&renamed, at, [old, new])?;
    let rest = match edits {
        // Other uses are left as they are anyway.
        Err(reason)
            if is_local || is_member || found.len() > 1 || matches!(reason, Unsure::IsTaken { .. }) =>
        {
            return Err(reason.into());
        }
        rest => rest.unwrap_or_default(),
    };
    let back = |byte: usize| if byte > at { byte + old.len() - new.len() } else { byte };
    let shifted = rest.into_iter().map(|it| Edit::new(back(it.span.start)..back(it.span.end), it.text));
    let edits = std::iter::once(Edit::new(place, new)).chain(shifted);
    let is_inside = |edit: &Edit| range.start <= edit.span.start && edit.span.end <= range.end;
    let (mut inside, outside): (Vec<Edit>, Vec<Edit>) = edits.partition(is_inside);
    // Documentation outside of the range does not break.
    if let Some(edit) =
        outside.iter().find(|it| (is_local || is_member) && !is_prose(document, it.span.start))
    {
        let line = document.text().byte_to_line(edit.span.start) + 1;
        return Err(Unrenamed::Beyond { name: old.to_owned(), line });
    }
    if declared().any(|at| inside.iter().all(|it| !it.span.contains(&at))) {
        return Err(Unrenamed::Several(old.to_owned()));
    }
    // A member of an object whose type is not known may be this one.
    let is_left = |(at, role): &(usize, Role)| {
        matches!(role, Role::Member { .. } | Role::Short) && inside.iter().all(|it| !it.span.contains(at))
    };
    if is_member && found.iter().any(is_left) {
        return Err(Unsure::Uses(old.to_owned()).into());
    }
    inside.sort_by_key(|edit| edit.span.start);
    Ok(inside)
}

/// The other uses of a renamed declaration.
struct OtherUses {
    edits: Result<Vec<Edit>, Unsure>,
    /// Whether it is a local name.
    is_local: bool,
    /// Whether it is a member of an object.
    is_member: bool,
}

fn uses(renamed: &Document, at: usize, names: [&str; 2]) -> Result<OtherUses, Unsure> {
    let text = renamed.text().to_string();
    if let Some(owner) = instance_variable::assigned(renamed, &text, at) {
        let edits = instance_variable::uses(renamed, &text, &owner, names, &[at]);
        return Ok(OtherUses { edits, is_local: false, is_member: true });
    }
    let mut uses =
        RenameUses::new(renamed, &text, at, names).ok_or_else(|| Unsure::Uses(names[0].to_owned()))?;
    if uses.meets_new() {
        return Err(uses.taken());
    }
    if uses.is_named_in_calls() {
        return Err(uses.unsure());
    }
    let scope = &uses.definition.scope;
    let is_local = uses.definition.kind == "local" || scope.around.len() < text.len();
    let is_member = uses.definition.is_member;
    Ok(OtherUses { edits: uses.edits(&[at], 0), is_local, is_member })
}

impl RenameUses<'_, '_> {
    /// Whether the new name stands for something else, used or not, in the block or type of the declaration.
    fn meets_new(&self) -> bool {
        let (document, text, new, own) = (self.document, self.text, self.new, &self.definition);
        let mut roles = Roles::new(document, text, new);
        occurrences(text, new).filter(|at| *at != self.at).any(|at| match roles.at(at) {
            Some(Role::Declared) => Definition::at(document, text, at, new).is_none_or(|it| {
                let is_seen = !it.is_member && own.scope.around.contains(&at);
                if own.is_member { it.is_member && it.owner == own.owner } else { is_seen }
            }),
            role => {
                let is_used = matches!(role, Some(Role::Plain | Role::Short | Role::Shown))
                    || is_bound_by_import(document, &(at..at + new.len())) == Some(true);
                !own.is_member && is_used && own.scope.around.contains(&at)
            }
        })
    }

    /// Whether a call of the function whose parameter this is gives an argument by the old name.
    fn is_named_in_calls(&mut self) -> bool {
        let (document, text, old) = (self.document, self.text, self.old);
        let nodes = nodes_at(document, self.at);
        let function = nodes.iter().find(|it| it.byte_range() == self.definition.scope.around);
        let name = function.and_then(|it| it.child_by_field_name("name")).map(|it| &text[it.byte_range()]);
        let class = || type_around(nodes.iter().copied()).and_then(|it| name_of(it, text));
        let callees = [name, class()];
        occurrences(text, old).any(|at| {
            self.roles.at(at) == Some(Role::Key)
                && nodes_at(document, at).iter().any(|it| {
                    let arguments = it.child_by_field_name("arguments");
                    let callee = arguments.map(|it| last_partial(text[..it.start_byte()].trim_end()));
                    callee.is_some() && callees.contains(&callee)
                })
        })
    }
}
