//! Places old text that is a string, as in formats without lines.
//!
//! It may be part of a line, or span several.

use std::ops::Range;

use memchr::memmem;

use super::{FileText, Number, Placed};
use crate::edit::parse::block::{Block, Role};
use crate::edit::{Edit, Refusal, line};

/// Places a text that may be part of a line.
///
/// Returns `None` if the block is to be searched by lines.
pub(super) fn place(
    target: &FileText<'_>,
    block: &Block,
    old: &str,
    new: &str,
) -> Option<Result<Placed, Refusal>> {
    // A byte-order mark belongs to the file, not to its text.
    let (old, new) = (old.trim_start_matches('\u{feff}'), new.trim_start_matches('\u{feff}'));
    // Lines that are only kept are searched as lines.
    if old.is_empty() || old == new {
        return None;
    }
    let (old, mut new) = (target.with_own_ends(old), target.with_own_ends(new));
    // A final line ending that only the old text has was lost: text that joins two lines includes both.
    if !new.is_empty() && old.ends_with(['\n', '\r']) && !new.ends_with(['\n', '\r']) {
        new.push_str(line::ending(line::last(&old, 1).last().copied().unwrap_or_default()));
    }
    if old == new {
        return None;
    }
    // Only the lines that differ are written.
    let (head, tail) = alike(&old, &new);
    let edit = |at: usize| {
        let at = at + head;
        let text = &new[head..new.len() - tail];
        Edit::new(at..at + old.len() - head - tail, target.with_ends_at(text, at))
    };
    let mut found = target.find_text(&old);
    if found.is_empty() {
        return None;
    }
    match block.is_for_all(found.len()) {
        Ok(false) => {}
        Ok(true) => {
            return Some(Ok(Placed { edits: found.into_iter().map(edit).collect(), ..Placed::default() }));
        }
        Err(refusal) => return Some(Err(refusal)),
    }
    if let [at] = found.as_slice() {
        found.extend(overlapping(target, &old, *at));
    }
    // A match that cuts a word at either end is a different word.
    found.retain(|at| !cuts(target.text, *at) && !cuts(target.text, *at + old.len()));
    let at = match found.as_slice() {
        [] => return None,
        [at] => *at,
        several => match settle(target, block, &old, several) {
            Ok(at) => at,
            Err(refusal) => return Some(Err(refusal)),
        },
    };
    if is_already_applied(target, at, &old, &new) {
        return Some(Ok(Placed::default()));
    }
    // A deleted line needs its ending deleted. Whole lines are written as they came only if both halves begin in the
    // same column, and no line is added below one that was written without its indentation: the search by lines maps
    // the others to the columns of the file.
    let (whole, blanks) = fills_lines(target, at..at + old.len());
    let has_several = |text: &str| text.trim_end_matches(['\n', '\r']).contains(['\n', '\r']);
    let shifts = !new.is_empty() && line::indent(&old) != line::indent(&new);
    let grows = !blanks.is_empty() && !has_several(&old) && has_several(&new);
    if whole && (new.is_empty() && blanks.is_empty() || grows || shifts) {
        return None;
    }
    let lines = target.line_at(at)..target.line_at(at + old.len() - 1) + 1;
    let lines = (whole || old.contains('\n')).then_some(lines);
    let number = Number::of(block, target.line_at(at), found.len());
    Some(Ok(Placed { edits: vec![edit(at)], lines, number, ..Placed::default() }))
}

/// Places a line that a block replaces where it occurs within a line of the file.
///
/// A block of lines means whole lines: if its line is the beginning or the end of a line of the file, that line
/// may have grown since. In the middle of a line, unique in the file, and not a whole statement, it is a part.
pub(super) fn place_amid_line(target: &FileText<'_>, block: &Block) -> Option<Placed> {
    let [lines] = block.readings.as_slice() else { return None };
    let of = |role: Role| lines.iter().filter(move |line| line.role == role).map(|line| line.text.trim());
    let (old, new) = (of(Role::Delete).next()?, of(Role::Add).next()?);
    let is_part =
        !old.ends_with([';', '{', '}', ':']) && old.chars().filter(|it| it.is_alphanumeric()).count() >= 3;
    if lines.len() != 2 || block.is_hunk || block.inline.is_some() || !is_part {
        return None;
    }
    let [at] = target.find_text(old)[..] else { return None };
    let (before, behind) = (&target.text[..at], &target.text[at + old.len()..]);
    let is_amid = !line::is_blank(line::last_partial(before)) && !line::is_blank(line::first_partial(behind));
    is_amid.then(|| place(target, block, old, new)?.ok())?
}

/// Breaks a tie between matches.
///
/// It is decided by the stated line number, else by the requested range, else by a preference for whole lines.
fn settle(target: &FileText<'_>, block: &Block, old: &str, places: &[usize]) -> Result<usize, Refusal> {
    let line = |at| target.line_at(at);
    let only = |is_meant: &dyn Fn(usize) -> bool| {
        let mut meant = places.iter().copied().filter(|&at| is_meant(at));
        meant.next().filter(|_| meant.next().is_none())
    };
    // Text of several lines rather means whole lines than parts.
    let fills = |at: usize| old.contains('\n') && fills_lines(target, at..at + old.len()) == (true, "");
    only(&|at| block.hint == Some(line(at) + 1))
        .or_else(|| only(&|at| target.in_range(line(at), line(at) + 1)))
        .or_else(|| only(&fills))
        .ok_or_else(|| Refusal::Ambiguous {
            block: block.number,
            lines: places.iter().map(|at| line(*at) + 1).collect(),
        })
}

/// The numbers of bytes, in whole lines, that two texts share at the beginning and at the end.
fn alike(old: &str, new: &str) -> (usize, usize) {
    let (old, new) = (line::split(old), line::split(new));
    let same = |(old, new): &(&&str, &&str)| old == new;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum();
    (length(&old[..head]), length(&old[old.len() - tail..]))
}

/// Whether the new text, which contains the old one, is already around a match.
///
/// Applying it again would double it.
fn is_already_applied(target: &FileText<'_>, at: usize, old: &str, new: &str) -> bool {
    let is_substantial = old.contains('\n') || !line::is_blank(&new.replacen(old, "", 1));
    is_substantial
        && new.match_indices(old).any(|(inner, _)| {
            let around = at.checked_sub(inner).and_then(|start| target.text.get(start..));
            around.is_some_and(|text| text.starts_with(new))
        })
}

/// Another match of a text, which begins within the one at `at`.
///
/// A search for non-overlapping matches skips it.
fn overlapping(target: &FileText<'_>, wanted: &str, at: usize) -> Option<usize> {
    let bytes = target.text.as_bytes();
    let end = bytes.len().min(at + 2 * wanted.len() - 1);
    memmem::find(&bytes[at + 1..end], wanted.as_bytes()).map(|next| at + 1 + next)
}

/// Whether a position lies within a word or a line ending.
///
/// Letters without case do not form words.
fn cuts(text: &str, at: usize) -> bool {
    let in_word =
        |letter: char| letter == '_' || letter.is_numeric() || letter.is_lowercase() || letter.is_uppercase();
    let (before, after) = text.split_at(at);
    let word = before.chars().next_back().is_some_and(in_word) && after.chars().next().is_some_and(in_word);
    word || (before.ends_with('\r') && after.starts_with('\n'))
}

/// Whether a span fills its lines, except for whitespace at both ends.
///
/// Also returns the whitespace before it in its first line.
fn fills_lines<'a>(target: &FileText<'a>, span: Range<usize>) -> (bool, &'a str) {
    let (blanks, _) = target.line_around(span.start);
    let inside = &target.text[span.clone()];
    let rest = if inside.ends_with(['\n', '\r']) { "" } else { target.line_around(span.end).1 };
    (line::is_blank(blanks) && line::is_blank(rest), blanks)
}
