//! What a reply leaves out of the text that it retypes, or changes beside what was asked for.
//!
//! A model that is asked for a whole text may reply with only what it changed, or lose a line while it writes the
//! others once more. Taken as the whole, such a reply would delete the rest.

mod additive;
mod comments;
mod comparison;
mod definitions;
mod file_ends;
mod guards;
mod heads;
mod instruction;
mod lost_definitions;
mod mentions;
mod method_left_type;
mod misspelt;
mod named_calls;
mod parts;
mod range_ends;
mod renamed;
mod retold;
mod slips;
mod unexplained_removals;
mod unrelated;
mod used;

use std::collections::HashSet;
use std::ops::Range;

use super::syntax::MOST_PARSED;
use crate::document::Document;
use crate::edit::{Edit, Refusal, apply};
use comparison::Comparison;
#[cfg(test)]
use comparison::{compared, compared_between};
pub(in crate::edit) use definitions::{Definition, definitions};
pub(in crate::edit) use instruction::asks_for_less;
pub(in crate::edit) use mentions::{Asked, Form};

/// A check for one kind of what goes: the names or the lines that go though nothing gives a reason.
type Check = fn(&Comparison<'_>) -> Vec<String>;

/// What is checked if nothing asks for a removal.
const CHECKS: [Check; 12] = [
    parts::lost,
    named_calls::lost,
    range_ends::lost,
    guards::lost,
    heads::lost,
    used::lost,
    used::lost_fields,
    file_ends::lost,
    unexplained_removals::lost,
    lost_definitions::lost,
    additive::lost,
    comments::lost,
];

/// What is checked if the instruction asks for a removal: even then, what is still used may not go.
const REMOVAL_CHECKS: [Check; 4] =
    [named_calls::lost_beside, heads::lost_but_used, used::lost, lost_definitions::lost_beside];

/// What is checked in edits by old and new lines, which show what goes, if nothing asks for a removal.
const HUNK_CHECKS: [Check; 3] = [range_ends::lost, guards::lost, additive::lost];

/// Refuses edits that take code of a range away, or change [other](unrelated) code, if nothing gives a reason for it.
///
/// The error is [`Refusal::LeftOut`] with what goes; [`Refusal::Unrelated`] with an old line;
/// [`Refusal::Misspelt`] with a name; [`Refusal::Repetition`] and [`Refusal::Doubled`];
/// [`Refusal::Malformed`] with old code in a comment, or a [method](method_left_type) outside of its type.
pub(in crate::edit) fn left_out(
    document: &Document,
    edits: &[Edit],
    range: &Range<usize>,
    asked: Asked<'_>,
    form: Form,
) -> Result<(), Refusal> {
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    if edits.is_empty() || document.text().len_bytes() + added > MOST_PARSED {
        return Ok(());
    }
    let before = document.text().to_string();
    let after = apply(&before, edits);
    let compared = Comparison::new(document, edits, range, [&before, &after], (asked, form));
    let is_removal = compared.asks_removal();
    let checks = match (form, is_removal) {
        (Form::Hunks, true) => &[],
        (Form::Hunks, false) => &HUNK_CHECKS[..],
        (_, true) => &REMOVAL_CHECKS[..],
        (_, false) => &CHECKS[..],
    };
    if let Some(mut names) = checks.iter().map(|check| check(&compared)).find(|names| !names.is_empty()) {
        let mut listed = HashSet::new();
        names.retain(|name| listed.insert(name.clone()));
        return Err(Refusal::LeftOut { names });
    }
    if let Some(line) = renamed::line(&compared) {
        return Err(Refusal::Unrelated { line });
    }
    if let Some(slip) = misspelt::slip(&compared) {
        return Err(Refusal::Misspelt { name: slip.name, meant: slip.meant });
    }
    if form == Form::Hunks { Ok(()) } else { retyped(&compared, is_removal) }
}

/// Refuses what goes wrong only where a model writes a text once more.
fn retyped(compared: &Comparison<'_>, is_removal: bool) -> Result<(), Refusal> {
    if retold::is_twice(compared) {
        return Err(Refusal::Repetition);
    }
    if let Some(line) = retold::old_line_beside_new(compared) {
        return Err(Refusal::Doubled { line });
    }
    let kept = retold::old_code_as_comment(compared);
    let slid = if is_removal { None } else { method_left_type::method(compared) };
    let detail = kept.map(|line| format!("`{line}` keeps old code as a comment")).or_else(|| {
        slid.map(|head| format!("`{head}` would no longer be in the type that it is a method of"))
    });
    if let Some(detail) = detail {
        return Err(Refusal::malformed(detail));
    }
    let stray = || if is_removal { None } else { slips::line(compared) };
    match unrelated::line(compared).filter(|_| compared.form == Form::Retyped).or_else(stray) {
        Some(line) => Err(Refusal::Unrelated { line }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
