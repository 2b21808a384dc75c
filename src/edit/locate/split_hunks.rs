//! Places blocks whose lines are not contiguous in the file.
//!
//! They contain a placeholder for left-out code, or are two hunks without the header between them.

use std::collections::HashSet;
use std::ops::Range;

use super::{FileText, Level, Placed, write};
use crate::edit::check::is_elision;
use crate::edit::parse::block::{Block, Line, Role};
use crate::edit::{Refusal, line};

/// Places a block in parts. `None` if it cannot be split.
pub(super) fn place(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Option<Result<Placed, Refusal>> {
    match split_at_gaps(target, lines) {
        Some(parts) => Some(place_parts(target, block, &parts)),
        None => place_halves(target, block, lines).map(Ok),
    }
}

/// Places a hunk whose changes are apart in the file.
///
/// It is two hunks without the header between them.
///
/// Adjacent deleted and added lines are one change, written at one location: a hunk is split only between two
/// kept lines. Each half must prove its location by a deleted line that occurs once in the file, and all ways
/// to split the hunk must give the same result. If the lines of one half are next to the other half's location,
/// the file has changed there, and the found location is only similar.
fn place_halves(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Option<Placed> {
    const MOST_LINES: usize = 200;
    const LEAST_APART: usize = 4;
    if !block.is_hunk || lines.len() > MOST_LINES {
        return None;
    }
    let stays = |line: &Line| line.role == Role::Keep;
    let mut found: Option<Placed> = None;
    for at in (1..lines.len()).filter(|&at| stays(&lines[at - 1]) && stays(&lines[at])) {
        let (head, tail) = lines.split_at(at);
        if head.iter().all(stays) || tail.iter().all(stays) {
            continue;
        }
        let (head, tail) = (without_blank_ends(head), without_blank_ends(tail));
        let (Some(first), Some(second)) = (proven_place(target, head), proven_place(target, tail)) else {
            continue;
        };
        let apart = second.start.checked_sub(first.end)?;
        let (behind, before) = (tail.len().min(apart), head.len().min(apart));
        let like = resembles(target, first.end..first.end + behind, tail)
            || resembles(target, second.start - before..second.start, head);
        let placed = place_parts(target, block, &[head.to_vec(), tail.to_vec()]).ok()?;
        if apart < LEAST_APART || like || found.as_ref().is_some_and(|found| *found != placed) {
            return None;
        }
        found = Some(placed);
    }
    found
}

/// The only exact match of lines, if a deleted one of them occurs nowhere else.
fn proven_place(target: &FileText<'_>, lines: &[Line]) -> Option<Range<usize>> {
    let once = |lines: &[Line]| match target.find(Level::Exact, lines).as_slice() {
        [start] => Some(*start),
        _ => None,
    };
    let goes = |line: &&Line| line.role == Role::Delete && has_words(line);
    let start = once(lines)?;
    lines.iter().filter(goes).any(|line| once(std::slice::from_ref(line)).is_some()).then_some(())?;
    Some(start..start + lines.iter().filter(|line| line.is_old()).count())
}

/// Whether half of the old lines with words are among some lines of the file.
fn resembles(target: &FileText<'_>, place: Range<usize>, lines: &[Line]) -> bool {
    let there: HashSet<&str> = target.lines[place].iter().map(|line| line.trim()).collect();
    let telling = || lines.iter().filter(|line| line.is_old() && has_words(line));
    let known = telling().filter(|line| there.contains(line.text.trim())).count();
    known > 0 && known * 2 >= telling().count()
}

/// Whether a line has words, not only brackets.
fn has_words(line: &Line) -> bool {
    line.text.chars().filter(|letter| letter.is_alphanumeric()).count() >= 3
}

/// Splits a block at placeholders for left-out code, if there are any.
///
/// Only kept lines can be placeholders for code that stays. One that the file also has is not a placeholder.
fn split_at_gaps(target: &FileText<'_>, lines: &[Line]) -> Option<Vec<Vec<Line>>> {
    let gap = |line: &Line| {
        line.role == Role::Keep
            && (is_elision(&line.text) || line.text.trim() == "...")
            && !target.has_line(&line.text)
    };
    if !lines.iter().any(gap) {
        return None;
    }
    let parts: Vec<Vec<Line>> =
        lines.split(gap).map(<[Line]>::to_vec).filter(|part| !part.is_empty()).collect();
    // A part that only adds lines cannot be located.
    (!parts.is_empty() && parts.iter().all(|part| part.iter().any(Line::is_old))).then_some(parts)
}

/// Strips the kept blank lines at both ends.
///
/// Beside a gap these belong to the reply.
fn without_blank_ends(lines: &[Line]) -> &[Line] {
    let is_significant = |line: &Line| line.role != Role::Keep || !line::is_blank(&line.text);
    match (lines.iter().position(is_significant), lines.iter().rposition(is_significant)) {
        (Some(first), Some(last)) => &lines[first..=last],
        _ => &[],
    }
}

/// Places the parts of a block one by one: each must be unique, and they must be in order.
fn place_parts(target: &FileText<'_>, block: &Block, parts: &[Vec<Line>]) -> Result<Placed, Refusal> {
    let mut whole = Placed::default();
    let mut end = 0;
    for part in parts {
        let lines = without_blank_ends(part);
        let found = [Level::Exact, Level::TrailingBlanks]
            .into_iter()
            .map(|level| target.find(level, lines))
            .find(|found| !found.is_empty());
        let count = lines.iter().filter(|line| line.is_old()).count();
        match found.as_deref() {
            Some([start]) if *start >= end => {
                let at: Vec<usize> = (*start..start + count).collect();
                whole.edits.extend(write(target, block, lines, Level::Exact, &at)?);
                end = start + count;
            }
            Some([_]) => {
                return Err(Refusal::malformed(format!(
                    "the parts of block {} are in a different order in the file",
                    block.number
                )));
            }
            Some(places) => {
                let lines = places.iter().map(|start| start + 1).collect();
                return Err(Refusal::Ambiguous { block: block.number, lines });
            }
            None => return Err(target.not_found(block, lines)),
        }
    }
    Ok(whole)
}
