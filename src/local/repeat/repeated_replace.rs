//! Repeats a replacement of words that was made twice, in the remaining places.

use super::bindings::Bindings;
use super::change::Change;
use super::place::{anchor, is_done, is_type, is_within_definition, line_has, neighbors, onward};
use crate::document::Document;
use crate::edit::Edit;
use crate::edit::names::declares;
use crate::local::limits::{LONG_WORDS_BYTES, NEIGHBOR_TOKENS_ALIKE, TYPE_PLACES, UNSURE_PLACES};
use crate::local::syntax::{is_prose, node_at};
use crate::local::words::{LinePiece, PieceKind, is_telling, tokens};
use crate::text::ident::{first_partial, is_name, is_part, last_partial, occurrences};

/// The edits that repeat the newest change in other places.
pub(super) fn find(
    document: &Document,
    text: &str,
    newest: &Change<'_>,
    all: &[Change<'_>],
) -> Option<Vec<Edit>> {
    let same = same(newest, all)?;
    let places: Vec<usize> = same.iter().filter_map(|change| change.at).collect();
    if !is_specific(newest, &same) {
        return None;
    }
    let (before, after) = common(&same);
    let pattern = [before, newest.old, after].concat();
    let in_prose = |at: usize| is_prose(document, at);
    let prose = places.iter().all(|at| in_prose(*at));
    let is_certain = newest.new.is_empty() || newest.old.len() >= LONG_WORDS_BYTES;
    let is_unsure = places.len() < same.len() || !is_certain;
    if is_unsure && same.len() < UNSURE_PLACES || Change::is_part_of_others(&same, all) {
        return None;
    }
    let whole = if newest.old.is_empty() { &*pattern } else { newest.old };
    let lead = if newest.old.is_empty() { before.len() } else { 0 };
    let declares = |at: usize| is_name(whole) && node_at(document, at).is_some_and(declares);
    let left = occurrences(text, whole).filter(|at| in_prose(*at) == prose && !declares(*at));
    let left = left.map(|at| at + lead).filter(|at| !is_done(text, *at, newest.old, newest.new, &places));
    let left = left.filter(|at| !is_within_definition(document, *at, newest.new));
    // An insertion before a word may be right after a space and wrong after a bracket.
    let leads: Vec<Option<char>> = same.iter().map(|change| lead_sign(change.before)).collect();
    let tails: Vec<Option<char>> = same.iter().map(|change| tail_sign(change.after)).collect();
    let (near_before, near_after) = (last_tokens(before), first_tokens(after));
    let beside: Vec<_> = same.iter().map(|change| change.neighbors()).collect();
    // Fields that change type have different names, so another neighboring name does not matter.
    let any_before = differ(beside.iter().map(|it| it.0));
    let any_behind = differ(beside.iter().map(|it| it.1));
    let left = left.filter(|at| {
        let (ahead, behind) = (&text[..*at], &text[at + newest.old.len()..]);
        let near = neighbors(ahead, behind);
        let is_like = |it: &(Option<&str>, Option<&str>)| {
            (any_before || it.0 == near.0) && (any_behind || it.1 == near.1)
        };
        (newest.new.is_empty() || beside.iter().any(is_like))
            && leads.contains(&lead_sign(ahead))
            && tails.contains(&tail_sign(behind))
            && (newest.old.is_empty() || ahead.ends_with(near_before) && behind.starts_with(near_after))
    });
    let bindings = Bindings::new(document, text, [newest.old, newest.new], &places);
    let left = left.filter(|at| bindings.allow(*at));
    // The position must be in the same kind of code: not once in an expression and once among parameters.
    let anchors: Vec<_> = places.iter().map(|at| anchor(document, text, *at)).collect();
    let left = left.filter(|at| anchors.contains(&anchor(document, text, *at)));
    // Which functions get a new parameter is unknown, and a line that makes the new thing needs the old one.
    let is_insertion = newest.old.is_empty();
    let left = left.filter(|at| {
        let is_parameter =
            || anchor(document, text, *at).is_some_and(|(_, around)| around.contains("parameter"));
        let is_new_parameter = is_insertion && is_parameter();
        !is_new_parameter && !line_has(text, *at, newest.new)
    });
    let edits = left.map(|at| Edit::new(at..at + newest.old.len(), newest.new)).collect();
    let is_type = anchors.iter().flatten().any(|(kind, around)| is_type(kind, around));
    if is_type && places.len() < TYPE_PLACES { None } else { onward(edits, &places) }
}

/// The changes equal to the newest one, if they are a habit and at least one of them is in the current file.
fn same<'c, 'a>(newest: &Change<'a>, all: &'c [Change<'a>]) -> Option<Vec<&'c Change<'a>>> {
    let same: Vec<&Change<'_>> =
        all.iter().filter(|change| change.old == newest.old && change.new == newest.new).collect();
    (Change::is_habit(&same) && same.iter().any(|change| change.at.is_some())).then_some(same)
}

/// Whether the token on one side of the changes differed each time, as the names of fields do.
fn differ<'a>(beside: impl Iterator<Item = Option<&'a str>>) -> bool {
    let mut all: Vec<_> = beside.collect();
    let places = all.len();
    all.sort_unstable();
    all.dedup();
    places >= UNSURE_PLACES && all.len() == places
}

/// Whether the replaced words, or those beside an insertion, are specific enough to identify a place.
///
/// A punctuation character, a number or a value such as `true` alone may occur anywhere.
fn is_specific(newest: &Change<'_>, same: &[&Change<'_>]) -> bool {
    let (before, after) = common(same);
    let text = if newest.old.is_empty() { [before, after].concat() } else { newest.old.to_owned() };
    tokens(&text).iter().any(|it| it.kind == PieceKind::Word && is_telling(it.text))
}

/// The last character of a line, with one letter for all words: `None` at its start.
fn lead_sign(text: &str) -> Option<char> {
    let line = text.rsplit('\n').next()?.trim_end();
    line.chars().next_back().map(|sign| if is_part(sign) { 'a' } else { sign })
}

/// The first character of the rest of a line, like [`lead_sign`].
fn tail_sign(text: &str) -> Option<char> {
    let line = text.split('\n').next()?.trim_start();
    line.chars().next().map(|sign| if is_part(sign) { 'a' } else { sign })
}

/// The nearest tokens before a change, from the text before all of the changes.
fn last_tokens(before: &str) -> &str {
    let mut left = NEIGHBOR_TOKENS_ALIKE;
    let near = tokens(before)
        .iter()
        .rev()
        .take_while(|token| is_near(token, &mut left))
        .map(|it| it.text.len())
        .sum::<usize>();
    before[before.len() - near..].trim_start()
}

/// The nearest tokens after a change.
fn first_tokens(after: &str) -> &str {
    let mut left = NEIGHBOR_TOKENS_ALIKE;
    let near = tokens(after)
        .iter()
        .take_while(|token| is_near(token, &mut left))
        .map(|it| it.text.len())
        .sum::<usize>();
    after[..near].trim_end()
}

fn is_near(token: &LinePiece<'_>, left: &mut usize) -> bool {
    if token.kind == PieceKind::Space {
        return true;
    }
    let is_near = *left > 0;
    *left = left.saturating_sub(1);
    is_near
}

/// The common text before and after all of the changes, in whole words.
fn common<'a>(changes: &[&Change<'a>]) -> (&'a str, &'a str) {
    let Some(first) = changes.first() else { return ("", "") };
    let (mut before, mut after) = (first.before.trim_start(), first.after);
    for change in &changes[1..] {
        let same = before.chars().rev().zip(change.before.chars().rev()).take_while(|(a, b)| a == b);
        let bytes: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
        before = &before[before.len() - bytes..];
        if change.before.len() > bytes && change.before[..change.before.len() - bytes].ends_with(is_part) {
            before = &before[first_partial(before).len()..];
        }
        let same = after.chars().zip(change.after.chars()).take_while(|(a, b)| a == b);
        let bytes: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
        let cut = change.after[bytes..].starts_with(is_part) || first.after[bytes..].starts_with(is_part);
        after = &after[..bytes];
        if cut {
            after = &after[..after.len() - last_partial(after).len()];
        }
    }
    (before, after)
}
