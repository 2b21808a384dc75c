//! Repeats in the rest of a file what the user did in one or two places.
//!
//! This is the next edit without a model.
//!
//! * [`rename`]: a name's definition was renamed, or two uses of it were: the uses that are left.
//! * [`argument`]: two calls of a function got the same new argument: the calls that are left.
//! * [`likewise`]: the same words were put in the place of the same others twice, or at the same end of two lines of
//!   one shape: the places that are left.
//!
//! Every offer is tried out with the parser. What is not certain is not offered.

mod argument;
mod likewise;
pub(super) mod rename;
#[cfg(test)]
mod tests;

use std::ops::Range;

use tree_sitter::Node;

use super::words::{Token, is_word, tokens};
use crate::document::Document;
use crate::edit::guard;
use crate::edit::{Edit, diff};

/// The most places that are offered.
const MOST: usize = 64;
/// Larger files (bytes) are left alone: trying an offer out means to parse it.
const LARGEST: usize = 1024 * 1024;

/// A step of the user's, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub struct Done<'a> {
    /// The lines before.
    pub old: &'a str,
    /// The lines after.
    pub new: &'a str,
    /// The byte of the document at which `new` stands now.
    ///
    /// `None` if it is in another file, or gone.
    pub at: Option<usize>,
}

/// One thing that changed within a step: whole words and signs on one line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    /// The line up to the change …
    before: &'a str,
    /// … and from its end on; the same before and after the change.
    after: &'a str,
    /// Where `new` stands in the document now.
    pub(super) at: Option<usize>,
}

/// What the steps did, done in other places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeats {
    /// The edits: the one after the cursor first, and the ones above it last.
    pub edits: Vec<Edit>,
    /// Whether these are the edits that follow, and all of them.
    ///
    /// That is known of a name whose declaration was renamed. Other repeats are likely, and more may follow.
    pub is_certain: bool,
}

/// The edits that do in other places what the steps did, oldest step first. Waits for the parse.
///
/// What they lead to has nothing left to repeat.
pub fn repeat(document: &Document, steps: &[Done<'_>], cursor: usize) -> Repeats {
    let Some(last) = steps.last() else { return Repeats::default() };
    if document.text().len_bytes() > LARGEST || document.syntax().is_none() {
        return Repeats::default();
    }
    let text = document.text().to_string();
    let latest = changes(last);
    // A step that did many things at once has no one next step.
    let Some(newest) = latest.last() else { return Repeats::default() };
    let mut all: Vec<Change<'_>> = steps[..steps.len() - 1].iter().flat_map(changes).collect();
    all.extend(&latest);
    let likely = |edits| Repeats { edits, is_certain: false };
    let found = rename::find(document, &text, newest, &all)
        .or_else(|| argument::find(document, &text, newest, &all).map(likely))
        .or_else(|| likewise::find(document, &text, newest, &all).map(likely));
    let Repeats { edits, is_certain } = found.unwrap_or_default();
    let mut edits = sound(document, edits);
    edits.sort_by_key(|edit| (edit.span.start < cursor, edit.span.start));
    edits.truncate(MOST);
    Repeats { edits, is_certain }
}

/// What a step changed, line by line.
///
/// Nothing if lines came or went, or if it changed more than a few things.
pub(super) fn changes<'a>(step: &Done<'a>) -> Vec<Change<'a>> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (step.old.lines().collect(), step.new.lines().collect());
    if old_lines.len() != new_lines.len() {
        return Vec::new();
    }
    let mut changes = Vec::new();
    for (old, new) in old_lines.iter().zip(&new_lines).filter(|(old, new)| old != new) {
        let offset = new.as_ptr() as usize - step.new.as_ptr() as usize;
        let mut shift = 0_isize;
        for edit in diff::minimal(old, new) {
            let start = edit.span.start.saturating_add_signed(shift);
            shift += edit.text.len() as isize - edit.span.len() as isize;
            let (was, is) = whole_words(old, edit.span.clone(), new, start..start + edit.text.len());
            let (was, is) = without_shared(old, was, new, is);
            changes.push(Change {
                old: &old[was],
                new: &new[is.clone()],
                before: &new[..is.start],
                after: &new[is.end..],
                at: step.at.map(|at| at + offset + is.start),
            });
        }
    }
    // A word changed in two of its parts is one change.
    changes.dedup_by(|next, kept| {
        next.before.len() == kept.before.len() && std::ptr::eq(next.before, kept.before)
    });
    changes
}

/// Widens a change to whole words on both sides, alike in both texts.
fn whole_words(old: &str, was: Range<usize>, new: &str, is: Range<usize>) -> (Range<usize>, Range<usize>) {
    let ends_in_word = |text: &str| text.chars().next_back().is_some_and(is_word);
    let starts_in_word = |text: &str| text.chars().next().is_some_and(is_word);
    let touches = starts_in_word(&old[was.clone()]) || starts_in_word(&new[is.clone()]);
    let joins =
        was.is_empty() && starts_in_word(&old[was.end..]) || is.is_empty() && starts_in_word(&new[is.end..]);
    let lead = if touches || joins { word_before(&new[..is.start]) } else { 0 };
    let touches =
        ends_in_word(&old[..was.end]) && !was.is_empty() || ends_in_word(&new[..is.end]) && !is.is_empty();
    let joins = (was.is_empty() || is.is_empty()) && lead > 0;
    let tail = if touches || joins { word_after(&new[is.end..]) } else { 0 };
    (was.start - lead..was.end + tail, is.start - lead..is.end + tail)
}

/// Trims words common to both sides from a change: `c` to `a, c` adds `a, `.
fn without_shared(old: &str, was: Range<usize>, new: &str, is: Range<usize>) -> (Range<usize>, Range<usize>) {
    let (left, right) = (tokens(&old[was.clone()]), tokens(&new[is.clone()]));
    let same = |pair: &(&Token<'_>, &Token<'_>)| pair.0 == pair.1;
    let bytes = |pair: (&Token<'_>, &Token<'_>)| pair.0.text.len();
    let tail: usize = left.iter().rev().zip(right.iter().rev()).take_while(same).map(bytes).sum();
    let room = was.len().min(is.len()) - tail;
    let head: usize = left.iter().zip(&right).take_while(same).map(bytes).sum();
    // A run of one thing may be counted from both ends.
    let head = if head <= room { head } else { 0 };
    (was.start + head..was.end - tail, is.start + head..is.end - tail)
}

/// Bytes of the word that a text ends in.
fn word_before(text: &str) -> usize {
    text.chars().rev().take_while(|letter| is_word(*letter)).map(char::len_utf8).sum()
}

/// Bytes of the word that a text begins with.
fn word_after(text: &str) -> usize {
    text.chars().take_while(|letter| is_word(*letter)).map(char::len_utf8).sum()
}

/// Where a text stands in another as whole words.
pub(super) fn occurrences<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(words).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&text[..*at], &text[at + words.len()..]);
        let open = words.starts_with(is_word) && before.ends_with(is_word);
        let close = words.ends_with(is_word) && after.starts_with(is_word);
        !open && !close
    })
}

/// Whether a text is one word, and can be a name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word) && !text.starts_with(|letter: char| letter.is_numeric())
}

/// The smallest node around a byte.
pub(super) fn node_at(document: &Document, byte: usize) -> Option<Node<'_>> {
    document.syntax()?.root_node().descendant_for_byte_range(byte, byte + 1)
}

/// Whether a byte stands in prose: a comment or a string.
pub(super) fn is_prose(document: &Document, byte: usize) -> bool {
    let mut node = node_at(document, byte);
    while let Some(it) = node {
        let kind = it.kind();
        if kind.contains("interpolation") || kind.contains("substitution") {
            return false;
        }
        if kind.contains("comment") || kind.contains("string") || kind.contains("char_literal") {
            return true;
        }
        node = it.parent();
    }
    false
}

/// The edits that add no syntax error: all together if possible, else each on its own.
pub(super) fn sound(document: &Document, mut edits: Vec<Edit>) -> Vec<Edit> {
    if document.syntax().is_none() {
        return Vec::new();
    }
    edits.sort_by_key(|edit| edit.span.start);
    let is_sound = |edits: &[Edit]| guard::syntax(document, edits) == Ok(None);
    if is_sound(&edits) {
        return edits;
    }
    if edits.len() > MOST {
        return Vec::new();
    }
    edits.into_iter().filter(|edit| is_sound(std::slice::from_ref(edit))).collect()
}
