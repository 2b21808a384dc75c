//! Repeats in the rest of a file what the user did in one or two places.
//!
//! This is the next edit without a model.
//!
//! * [`rename`]: a name's definition was renamed, or two uses of it were: the uses that are left.
//! * [`argument`]: several calls of a function got the same new argument: the calls that are left.
//! * [`repeated_replace`]: the same words were put in the place of the same others twice: the places that are left.
//! * [`same_lines`]: a line was replaced, whose words say all of it: the same lines here and in other files.
//! * [`whole_lines`]: lines were removed, or added between lines of one kind, three times: the places that are left.
//! * [`literal`]: a sentence in quotes was replaced: the same one here and in other files.
//! * [`pattern`]: lines were rewritten twice in several places each, around what may differ: the lines that are left.
//!
//! Every offer is tried out with the parser. What is not certain is not offered.

mod argument;
pub(super) mod change;
mod literal;
mod page;
mod pattern;
mod place;
pub(super) mod rename;
mod repeated_replace;
pub(super) mod role;
mod same_lines;
#[cfg(test)]
mod tests;
mod whole_lines;

use super::limits::{
    REFERENCE_EDITS, REFERENCING_FILE_BYTES, REPEATED_EDITS, REPEATING_FILE_BYTES, UNSOUND_FILES,
};
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::check;
use change::{Change, changes};
use pattern::Patterns;

pub use change::{Done, Renamed};

/// What the steps did, done in other places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The edits: the one after the cursor first, and the ones above it last.
    pub edits: Vec<Edit>,
    /// The renamed declaration that they follow from.
    ///
    /// With one, these are the edits that follow, and all of them. Other repeats are likely, and more may follow.
    pub renamed: Option<Renamed>,
    /// What they follow from, for the user.
    pub why: &'static str,
}

const ARGUMENT_ADDED: &str = "other calls got the same argument";
const WORDS_REPLACED: &str = "the same words were replaced in other places";
const LINES_REPLACED: &str = "the same lines were replaced elsewhere";
const STRING_REPLACED: &str = "the same string was replaced elsewhere";
const LINES_ADDED: &str = "the same lines were added in other places";
const LINES_REMOVED: &str = "the same lines were removed in other places";
const LINES_REWRITTEN: &str = "other lines were rewritten in the same way";

/// The edits that do in other places what the steps did, oldest step first. Waits for the parse.
///
/// What they lead to has nothing left to repeat.
pub fn repeat(document: &Document, steps: &[Done<'_>], cursor: usize) -> Repeats {
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
    let likely = |edits: Vec<Edit>, why| (!edits.is_empty()).then_some(Repeats { edits, renamed: None, why });
    let by_words = |newest: &Change<'_>| {
        let renamed = rename::find(document, &text, newest, &all);
        renamed
            .map(|(edits, renamed, why)| Repeats { edits, renamed, why })
            .or_else(|| likely(argument::find(document, &text, newest, &all)?, ARGUMENT_ADDED))
            .or_else(|| likely(repeated_replace::find(document, &text, newest, &all)?, WORDS_REPLACED))
    };
    // Lines as a whole come first: a word by itself would be the half of what is to be done.
    let found = likely(same_lines::find(document, &text, steps, false), LINES_REPLACED)
        .or_else(|| likely(Patterns::of(steps).find(&text, false), LINES_REWRITTEN))
        .or_else(|| likely(whole_lines::find(&text, steps, false), moved(last)))
        .or_else(|| latest.iter().rev().find_map(by_words))
        .or_else(|| likely(literal::find(&text, steps, false), STRING_REPLACED));
    let Repeats { edits, renamed, why } = found.unwrap_or_default();
    let mut edits = sound(document, edits);
    edits.sort_by_key(|edit| (edit.span.start < cursor, edit.span.start));
    edits.truncate(REPEATED_EDITS);
    Repeats { edits, renamed, why }
}

/// The edits that replace lines in another file as the steps did in theirs: those of the first file that has any,
/// and its number. Waits for the parse.
pub fn repeat_elsewhere<'d>(
    others: impl Iterator<Item = &'d Document>,
    steps: &[Done<'_>],
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
            return Some((number, Repeats { edits, renamed: None, why }));
        }
        // In the middle of a word what is written fits nowhere, and each file costs some parses to see it.
        tried += 1;
        if tried == UNSOUND_FILES {
            break;
        }
    }
    None
}

/// Whether a package manager writes a file: each package in it has dependencies of its own versions.
fn is_locked(document: &Document) -> bool {
    const ENDS: [&str; 4] = [".lock", "-lock.json", "-lock.yaml", "go.sum"];
    ENDS.iter().any(|end| document.id().as_str().ends_with(end))
}

/// What it is called that a step did with whole lines.
fn moved(step: &Done<'_>) -> &'static str {
    if step.old.len() < step.new.len() { LINES_ADDED } else { LINES_REMOVED }
}

/// The edits that add no syntax error: all together if possible, else each on its own.
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
