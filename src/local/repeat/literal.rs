//! Repeats the replacement of a string for the same string here and in other files.
//!
//! A sentence or a long path has one meaning, such as a message and the test that expects it. In the histories
//! of twelve projects the next place with the same string was changed in the same way in 105 of 110 cases.

use super::change::EditStep;
use super::place::{narrowed, onward};
use crate::edit::Edit;
use crate::local::limits::{LONG_STRING_BYTES, SENTENCE_BYTES};
use crate::text::ident;

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The edits that replace the same strings in a text as the last step did.
///
/// `is_other`: the step was in another file.
pub(super) fn find(text: &str, steps: &[EditStep<'_>], is_other: bool) -> Vec<Edit> {
    let Some(last) = steps.last() else { return Vec::new() };
    if last.old.lines().count() != last.new.lines().count() {
        return Vec::new();
    }
    let changed = last.old.lines().zip(last.new.lines()).filter(|(old, new)| old != new);
    let mut edits = Vec::new();
    for (old, new) in changed {
        let (were, are) = (strings(old), strings(new));
        if were.len() != are.len() {
            continue;
        }
        let replaced = were.into_iter().zip(are);
        let replaced = replaced.filter(|(was, is)| {
            was != is && is_specific(was) && shares_a_word(was, is) && inserts_the_same(was, is)
        });
        for (was, is) in replaced {
            edits.extend(places(text, was, is).map(|at| {
                let (span, new) = narrowed(was, is);
                Edit::new(at + span.start..at + span.end, new)
            }));
        }
    }
    edits.sort_by_key(|edit| edit.span.start);
    edits.dedup_by(|next, kept| next.span.start < kept.span.end || next.span == kept.span);
    let own = last.at.filter(|_| !is_other);
    onward(edits, own.as_slice()).unwrap_or_default()
}

/// The positions of a string between quotes that the new string does not contain.
fn places<'a>(text: &'a str, was: &'a str, is: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(was).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[*at + was.len()..].chars().next();
        let quote = before.filter(|it| QUOTES.contains(it) && before == after);
        quote.is_some_and(|quote| !is.contains(quote))
    })
}

fn strings(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open: Option<(usize, char)> = None;
    let mut is_escaped = false;
    for (at, letter) in line.char_indices() {
        match open {
            Some((start, quote)) if letter == quote && !is_escaped => {
                found.extend(line.get(start..at));
                open = None;
            }
            None if QUOTES.contains(&letter) => open = Some((at + letter.len_utf8(), letter)),
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    found
}

/// Whether a string became a variant of itself: without a common word, the exchange is meant for one place only.
fn shares_a_word(was: &str, is: &str) -> bool {
    ident::words(was).any(|word| ident::occurrences(is, word).next().is_some())
}

/// Whether two strings insert the same values: a variable of one place is not one of another, which may also insert
/// none, as `"{host}"` does in Python without an `f`.
fn inserts_the_same(was: &str, is: &str) -> bool {
    fn inserted(string: &str) -> impl Iterator<Item = &str> {
        string.split('{').skip(1).filter_map(|it| it.split_once('}')).map(|(value, _)| value)
    }
    inserted(was).eq(inserted(is))
}

/// Whether a string is a sentence, or too long to have several meanings.
fn is_specific(string: &str) -> bool {
    let words = string.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    (words >= 2 && string.len() >= SENTENCE_BYTES) || (words >= 1 && string.len() >= LONG_STRING_BYTES)
}
