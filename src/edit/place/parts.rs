//! Blocks whose lines do not stand in one piece in the file: with a line for left-out code in them, or two hunks without
//! the header between them.

use super::{Level, Placed, Target, write};
use crate::edit::guard::is_elision;
use crate::edit::reply::block::{Block, Line, Role};
use crate::edit::{Refusal, line};

/// Places a block in parts. `None` if it has none.
pub(super) fn place(target: &Target<'_>, block: &Block, lines: &[Line]) -> Option<Result<Placed, Refusal>> {
    match split_at_gaps(target, lines) {
        Some(parts) => Some(place_parts(target, block, &parts)),
        None => place_halves(target, block, lines).map(Ok),
    }
}

/// Places a hunk whose changes lie apart in the file: two hunks without the header between them.
///
/// Wherever the lines between two changes are parted, the changes must come out the same. Lines close together are no
/// such case: there somebody changed the place meanwhile.
fn place_halves(target: &Target<'_>, block: &Block, lines: &[Line]) -> Option<Placed> {
    const MOST_LINES: usize = 200;
    const LEAST_APART: usize = 4;
    if !block.is_hunk || lines.len() > MOST_LINES {
        return None;
    }
    let changes = |lines: &[Line]| lines.iter().any(|line| line.role != Role::Keep);
    let start = |lines: &[Line]| target.find(Level::TrailingBlanks, lines).first().copied();
    let mut found: Option<Placed> = None;
    for at in 1..lines.len() {
        let (head, tail) = lines.split_at(at);
        if !changes(head) || !changes(tail) {
            continue;
        }
        let (head, tail) = (without_blank_ends(head), without_blank_ends(tail));
        let Ok(placed) = place_parts(target, block, &[head.to_vec(), tail.to_vec()]) else { continue };
        let old = head.iter().filter(|line| line.is_old()).count();
        let apart = start(tail)?.checked_sub(start(head)? + old)?;
        if apart < LEAST_APART || found.as_ref().is_some_and(|found| *found != placed) {
            return None;
        }
        found = Some(placed);
    }
    found
}

/// Parts of a block between lines that stand for left-out code, where there are such lines.
///
/// Only lines that are kept can stand for code that stays. A file that has the line itself is no such case.
fn split_at_gaps(target: &Target<'_>, lines: &[Line]) -> Option<Vec<Vec<Line>>> {
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
    // A part that only adds has no place of its own.
    (!parts.is_empty() && parts.iter().all(|part| part.iter().any(Line::is_old))).then_some(parts)
}

/// Lines without the blank ones at their ends that only are to stay: beside a gap these belong to the reply.
fn without_blank_ends(lines: &[Line]) -> &[Line] {
    let says = |line: &Line| line.role != Role::Keep || !line::is_blank(&line.text);
    match (lines.iter().position(says), lines.iter().rposition(says)) {
        (Some(first), Some(last)) => &lines[first..=last],
        _ => &[],
    }
}

/// Places parts of a block one by one: each must be unique, and they must follow each other.
fn place_parts(target: &Target<'_>, block: &Block, parts: &[Vec<Line>]) -> Result<Placed, Refusal> {
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
                return Err(Refusal::Malformed {
                    detail: format!("the parts of block {} stand in another order in the file", block.number),
                });
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
