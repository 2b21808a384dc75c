//! What a reply leaves out of the text that it retypes.
//!
//! A model that is asked for a whole text may reply with only what it changed, or lose a line while it writes the
//! others once more. Taken as the whole, such a reply would delete the rest.

mod additive;
mod aside;
mod comparison;
mod definitions;
mod edges;
mod ends;
mod heads;
mod instruction;
mod lost_definitions;
mod mentions;
mod named_calls;
mod parts;
mod slid;
mod used;

use std::ops::Range;

use super::syntax::MOST_PARSED;
use crate::document::Document;
use crate::edit::{Edit, Refusal, apply};
use comparison::Comparison;
#[cfg(test)]
use comparison::{compared, compared_between};
pub(in crate::edit) use definitions::{Definition, definitions};
pub(in crate::edit) use mentions::Asked;

/// A check for one kind of what goes: the names or the lines that go though nothing gives a reason.
type Check = fn(&Comparison<'_>) -> Vec<String>;

/// What is checked if nothing asks for a removal.
const CHECKS: [Check; 10] = [
    parts::lost,
    named_calls::lost,
    edges::lost,
    heads::lost,
    used::lost,
    used::lost_fields,
    ends::lost,
    aside::lost,
    lost_definitions::lost,
    additive::lost,
];

/// What is checked if the instruction asks for a removal: even then, what is still used may not go.
const REMOVAL_CHECKS: [Check; 4] =
    [named_calls::lost_beside, heads::lost_but_used, used::lost, lost_definitions::lost_beside];

/// Refuses edits that give a range a new text which lacks code of the old one.
///
/// # Errors
///
/// [`Refusal::LeftOut`] with what goes; [`Refusal::Malformed`] with a [method](slid) that is none any more.
pub(in crate::edit) fn left_out(
    document: &Document,
    edits: &[Edit],
    range: &Range<usize>,
    asked: Asked<'_>,
) -> Result<(), Refusal> {
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    if edits.is_empty() || document.text().len_bytes() + added > MOST_PARSED {
        return Ok(());
    }
    let before = document.text().to_string();
    let after = apply(&before, edits);
    let compared = Comparison::new(document, edits, range, [&before, &after], asked);
    let is_removal = compared.asks_removal();
    let checks = if is_removal { &REMOVAL_CHECKS[..] } else { &CHECKS[..] };
    if let Some(names) = checks.iter().map(|check| check(&compared)).find(|names| !names.is_empty()) {
        return Err(Refusal::LeftOut { names });
    }
    match slid::method(&compared).filter(|_| !is_removal) {
        Some(head) => {
            let detail = format!("`{head}` would no longer be in the type that it is a method of");
            Err(Refusal::Malformed { detail })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
