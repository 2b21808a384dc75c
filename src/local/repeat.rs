//! Repeats a change that the user made in one or two places, in the rest of the file.
//!
//! This is the next edit without a model.
//!
//! * [`rename`]: a name's definition, or two uses of it, were renamed: the remaining uses. What was typed elsewhere
//!   since does not end the rename of a definition.
//! * [`argument`]: several calls of a function got the same new argument: the remaining calls.
//! * [`repeated_replace`]: the same words were replaced by the same others twice: the remaining places.
//! * [`same_lines`]: a line was replaced that is unambiguous on its own: the same lines here and in other files.
//! * [`whole_lines`]: lines were removed, or added between similar lines, three times: the remaining places.
//! * [`literal`]: a sentence in quotes was replaced: the same sentence here and in other files.
//! * [`pattern`]: lines were rewritten alike twice, around parts that may differ: the remaining lines.
//!
//! Every edit is checked with the parser. Uncertain edits are not offered.

mod argument;
mod bindings;
pub(super) mod change;
mod definition;
mod instance_variable;
mod literal;
pub(super) mod object;
mod page;
mod pattern;
mod place;
pub(super) mod receiver;
pub(super) mod rename;
mod repeated_replace;
pub(super) mod role;
mod same_lines;
pub(super) mod scope;
#[cfg(test)]
mod tests;
mod uses;
mod whole_lines;

use super::limits::{
    OPEN_RENAMES, REFERENCE_EDITS, REFERENCING_FILE_BYTES, REPEATED_EDITS, REPEATING_FILE_BYTES,
    UNSOUND_FILES,
};
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::check;
use change::{Change, changes};
use pattern::Patterns;

pub use change::{EditStep, Renamed};
pub(super) use uses::within;
pub use uses::{Unrenamed, Unsure};

/// Edits that repeat the user's steps in other places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The edits: the next one after the cursor first, those above it last.
    pub edits: Vec<Edit>,
    /// The renamed declaration that causes them.
    ///
    /// If set, the edits are certain and complete. Otherwise they are likely, and more may follow.
    pub renamed: Option<Renamed>,
    /// The reason, for display.
    pub why: &'static str,
    /// Why a renamed declaration leads to no edits.
    pub unsure: Option<Unsure>,
}

const ARGUMENT_ADDED: &str = "other calls got the same argument";
const WORDS_REPLACED: &str = "the same words were replaced in other places";
const LINES_REPLACED: &str = "the same lines were replaced elsewhere";
const STRING_REPLACED: &str = "the same string was replaced elsewhere";
const LINES_ADDED: &str = "the same lines were added in other places";
const LINES_REMOVED: &str = "the same lines were removed in other places";
const LINES_REWRITTEN: &str = "other lines were rewritten in the same way";

/// The edits that repeat the steps, given oldest first, in other places. Blocks on the parse.
///
/// Their result leaves nothing to repeat.
pub fn repeat(document: &Document, steps: &[EditStep<'_>], cursor: usize) -> Repeats {
    let Some((last, earlier)) = steps.split_last() else { return Repeats::default() };
    if document.text().len_bytes() > REPEATING_FILE_BYTES
        || is_locked(document)
        || document.syntax().is_none()
    {
        return Repeats::default();
    }
    let text = document.text().to_string();
    let latest = changes(last);
    let mut all: Vec<Change<'_>> = earlier.iter().flat_map(changes).collect();
    all.extend(&latest);
    // An accepted use of a renamed name is no sign that the name is to change elsewhere, too.
    let own: Vec<EditStep<'_>> = steps.iter().filter(|step| !step.is_of_definition).copied().collect();
    let steps = own.as_slice();
    let of_own: Vec<Change<'_>> = steps.iter().flat_map(changes).collect();
    let is_own = !last.is_of_definition;
    let likely =
        |edits: Vec<Edit>, why| (!edits.is_empty()).then_some(Repeats { edits, why, ..Repeats::default() });
    let mut unsure = None;
    let by_words = |newest: &Change<'_>| {
        let renamed = rename::find(document, &text, newest, &all, &of_own, &mut unsure);
        renamed
            .map(|(edits, renamed, why)| Repeats { edits, renamed, why, unsure: None })
            .or_else(|| {
                likely(argument::find(document, &text, newest, &of_own).filter(|_| is_own)?, ARGUMENT_ADDED)
            })
            .or_else(|| {
                let found = repeated_replace::find(document, &text, newest, &of_own).filter(|_| is_own)?;
                likely(found, WORDS_REPLACED)
            })
    };
    // Whole lines come first: a word on its own would be half of the change.
    let found = likely(same_lines::find(document, &text, steps, false), LINES_REPLACED)
        .or_else(|| likely(Patterns::of(steps).find(&text, false), LINES_REWRITTEN))
        .or_else(|| likely(whole_lines::find(&text, steps, false), moved(last)))
        .or_else(|| latest.iter().rev().find_map(by_words))
        .or_else(|| likely(literal::find(&text, steps, false), STRING_REPLACED))
        .or_else(|| {
            let mut before = own.iter().rev().filter(|step| !std::ptr::eq(step.new, last.new));
            before.by_ref().take(OPEN_RENAMES).flat_map(changes).find_map(|change| {
                let found = rename::find(document, &text, &change, &all, &of_own, &mut None);
                let (edits, renamed, why) = found.filter(|it| it.1.is_some() && !it.0.is_empty())?;
                Some(Repeats { edits, renamed, why, unsure: None })
            })
        });
    let Repeats { edits, renamed, why, .. } = found.unwrap_or_default();
    let mut edits = sound(document, edits);
    edits.sort_by_key(|edit| (edit.span.start < cursor, edit.span.start));
    edits.truncate(REPEATED_EDITS);
    let unsure = unsure.filter(|_| edits.is_empty());
    Repeats { edits, renamed, why, unsure }
}

/// The edits that repeat the steps in another file: the edits of the first file that has any, and its index.
/// Blocks on the parse.
pub fn repeat_elsewhere<'d>(
    others: impl Iterator<Item = &'d Document>,
    steps: &[EditStep<'_>],
) -> Option<(usize, Repeats)> {
    let patterns = Patterns::of(steps);
    let mut tried = 0;
    for (number, other) in others.enumerate() {
        if other.text().len_bytes() > REFERENCING_FILE_BYTES || is_locked(other) {
            continue;
        }
        let text = other.text().to_string();
        let likely = |edits: Vec<Edit>, why| (!edits.is_empty()).then_some((edits, why));
        let found = likely(same_lines::find(other, &text, steps, true), LINES_REPLACED)
            .or_else(|| likely(patterns.find(&text, true), LINES_REWRITTEN))
            .or_else(|| likely(whole_lines::find(&text, steps, true), LINES_REMOVED))
            .or_else(|| likely(literal::find(&text, steps, true), STRING_REPLACED))
            .or_else(|| likely(same_lines::between_alike(other, &text, steps), LINES_REPLACED));
        let Some((mut edits, why)) = found else { continue };
        edits.truncate(REFERENCE_EDITS);
        let edits = sound(other, edits);
        if !edits.is_empty() {
            return Some((number, Repeats { edits, why, ..Repeats::default() }));
        }
        // In the middle of typing a word, the edits fit nowhere, and each file costs some parses.
        tried += 1;
        if tried == UNSOUND_FILES {
            break;
        }
    }
    None
}

/// Whether a file is written by a package manager: each package in it has dependencies of its own versions.
fn is_locked(document: &Document) -> bool {
    const ENDS: [&str; 4] = [".lock", "-lock.json", "-lock.yaml", "go.sum"];
    ENDS.iter().any(|end| document.id().as_str().ends_with(end))
}

/// The reason for repeating a step on whole lines.
fn moved(step: &EditStep<'_>) -> &'static str {
    if step.old.len() < step.new.len() { LINES_ADDED } else { LINES_REMOVED }
}

/// The edits that add no syntax error: all together if possible, else each separately.
pub(super) fn sound(document: &Document, mut edits: Vec<Edit>) -> Vec<Edit> {
    if edits.is_empty() || document.syntax().is_none() {
        return Vec::new();
    }
    edits.sort_by_key(|edit| edit.span.start);
    let is_sound = |edits: &[Edit]| check::syntax(document, edits) == Ok(None);
    if is_sound(&edits) {
        return edits;
    }
    if edits.len() == 1 || edits.len() > REPEATED_EDITS {
        return Vec::new();
    }
    edits.into_iter().filter(|edit| is_sound(std::slice::from_ref(edit))).collect()
}
