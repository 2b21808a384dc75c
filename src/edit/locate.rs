//! Finds the one location in a file that a block of a reply refers to.
//!
//! The search goes from strict to tolerant and stops at the first level with a match: exact; without trailing
//! whitespace; with look-alike characters folded; with one consistent indentation mapping. Letters and digits
//! of a deleted line must always match. Several matches are a tie, which is broken only by an exact line
//! number, a named definition around one match, an end-of-file mark, or the requested range.

mod align;
mod column;
mod confusables;
mod file_text;
mod indent;
mod inline;
mod level;
mod placed;
mod respell;
mod split_hunks;
mod style;
mod unescape;
mod word_index;

use std::borrow::Cow;
use std::collections::HashSet;

pub(super) use file_text::{FileText, key};
pub use level::Level;
use placed::write;
pub(super) use placed::{Number, Placed};
pub(super) use unescape::{entities, numbered};

use crate::edit::parse::block::{Block, Line, Role, Times, lines_of_halves};
use crate::edit::parse::is_divider;
use crate::edit::{Edit, Refusal, line};

/// Finds a block's location and returns its edits there.
///
/// It is an error if no location or several match, or when the search takes too much work.
pub(super) fn place(target: &FileText<'_>, block: &Block) -> Result<Placed, Refusal> {
    let placed = target.budget.run(|| search(target, block)).unwrap_or(Err(Refusal::TooMuchWork));
    // If the named definition begins only behind the lines, similar lines inside it were meant, which have
    // changed.
    if let Ok(Placed { lines: Some(lines), .. }) = &placed
        && let Some(definition) = target.defined_behind(&block.anchors, lines.end)
    {
        return Err(Refusal::malformed(format!(
            "the lines of block {} come before `{definition}`, which it names as their definition",
            block.number
        )));
    }
    let mut placed = placed?;
    // Lines of another definition are not those of one that the file does not have.
    if !placed.edits.is_empty()
        && let Some(definition) = target.undefined(block)
    {
        return Err(Refusal::malformed(format!(
            "the file has no `{definition}`, which block {} names as its definition",
            block.number
        )));
    }
    if placed.edits.iter().any(|edit| adds_numbers(target, edit)) {
        return Err(Refusal::malformed(format!(
            "the new lines of block {} carry the numbers of lines",
            block.number
        )));
    }
    placed.edits = style::of_file(target, block.number, placed.edits)?;
    Ok(placed)
}

fn search(target: &FileText<'_>, block: &Block) -> Result<Placed, Refusal> {
    if let Some((old, new)) = &block.inline
        && let Some(outcome) = inline::place(target, block, old, new)
    {
        return outcome;
    }
    let mut placed: Vec<Placed> = Vec::new();
    let mut refused = None;
    for reading in &block.readings {
        let outcome = match block.second_divider && has_divider_added(target, reading) {
            true => Err(Refusal::malformed(format!("block {} has more than one divider", block.number))),
            false => place_reading(target, block, reading),
        };
        match outcome {
            Ok(one) if placed.contains(&one) => {}
            Ok(one) => placed.push(one),
            // Fewer lines match more often: ambiguity does not count if another reading is unique.
            Err(refusal @ Refusal::Ambiguous { .. }) => refused = Some(refusal),
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    if placed.is_empty()
        && let Some(Refusal::NotFound { .. }) = refused
    {
        if let Some(lines) = &block.shorter {
            return place_reading(target, block, lines);
        }
        if let Some(placed) = inline::place_amid_line(target, block) {
            return Ok(placed);
        }
    }
    if placed.len() > 1 {
        // A reading whose change is there already does not count if another one has a change to make.
        placed.retain(|one| !one.edits.is_empty());
        // A divider treated as text would appear twice in the result.
        placed.retain(|one| one.edits.iter().all(|run| target.doubled_line(run).is_none()));
        // A divider that is in the file, together with the lines behind it, is text.
        let lines = |one: &Placed| one.lines.clone().unwrap_or_default();
        let longest = placed.iter().map(lines).max_by_key(ExactSizeIterator::len).unwrap_or_default();
        if placed.iter().all(|one| !lines(one).is_empty() && lines(one).start == longest.start) {
            placed.retain(|one| lines(one) == longest);
        }
    }
    match (placed.pop(), placed.is_empty()) {
        (Some(one), true) => Ok(one),
        (Some(_), false) => Err(Refusal::malformed(format!(
            "the divider of block {} could be one of several lines",
            block.number
        ))),
        (None, _) => Err(refused.unwrap_or(Refusal::NoOldText { block: block.number })),
    }
}

fn place_reading(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Result<Placed, Refusal> {
    if lines.is_empty() {
        return Ok(Placed::default());
    }
    if !lines.iter().any(Line::is_old) {
        return append(target, block, lines);
    }
    let lines = &*with_certain_marks(lines);
    let whole = place_whole(target, block, lines);
    if !matches!(whole, Err(Refusal::NotFound { .. })) {
        return whole;
    }
    split_hunks::place(target, block, lines).unwrap_or(whole)
}

/// Returns a hunk's lines without the unmarked reading, in which their first column is not a mark.
///
/// The reading is dropped if the new lines prove that the lines have marks.
///
/// A kept line begins with a blank either way, so an outdented hunk may match the file as it is, without marks.
/// The marks are certain if every new line is as deep as some kept line with its mark, and not every one is as
/// deep as some kept line without (the class `odd: diff outdented by one`).
fn with_certain_marks(lines: &[Line]) -> Cow<'_, [Line]> {
    let visible =
        |role: Role| lines.iter().filter(move |line| line.role == role && !line::is_blank(&line.text));
    let depth = |line: &Line| line::indent(&line.text).len();
    let marked: Vec<usize> = visible(Role::Keep).map(depth).collect();
    let new: Vec<usize> = visible(Role::Add).map(depth).collect();
    let all_marked = visible(Role::Keep).all(|line| line.raw.is_some());
    let is_certain = all_marked
        && !new.is_empty()
        && new.iter().all(|depth| marked.contains(depth))
        && !new.iter().all(|depth| marked.iter().any(|marked| marked + 1 == *depth));
    match is_certain {
        true => lines.iter().map(|line| Line { raw: None, ..line.clone() }).collect(),
        false => Cow::Borrowed(lines),
    }
}

/// Whether the block adds lines that may be a divider to a file without such a line.
fn has_divider_added(target: &FileText<'_>, lines: &[Line]) -> bool {
    let added = lines.iter().any(|line| line.role == Role::Add && is_divider(&line.text));
    added && !target.lines.iter().any(|line| is_divider(line))
}

/// Whether all new lines begin with the prompt's line numbers, treated as text.
///
/// The numbers match the location, or a deleted line equals a new one without its number (the class `guard:
/// numbers of places`). If the lines around have such numbers too, they belong to the file.
fn adds_numbers(target: &FileText<'_>, edit: &Edit) -> bool {
    let visible = |text| line::split_iter(text).filter(|line| !line::is_blank(line));
    let Some(new) = visible(&edit.text).map(numbered).collect::<Option<Vec<_>>>() else { return false };
    let Some((first, _)) = new.first() else { return false };
    let (start, gone) = (edit.span.start, &target.text[edit.span.clone()]);
    let above = line::last(&target.text[..start], 1);
    let below = line::split_iter(&target.text[edit.span.end..]).take(1);
    let mut around = visible(gone).chain(above).chain(below);
    let is_number_of_place = *first == target.line_at(start) + 1;
    let repeats = || {
        let new: HashSet<&str> = new.iter().map(|(_, text)| text.trim()).collect();
        visible(gone).any(|old| new.contains(old.trim()))
    };
    (is_number_of_place || repeats()) && !around.any(|line| numbered(line).is_some())
}

/// Places lines without any old text where the reply explicitly states.
///
/// That is at the end of the file, before a line, or in the body of the named definition. Otherwise they are
/// only accepted in an empty file.
fn append(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Result<Placed, Refusal> {
    let end = target.lines.len();
    let added: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let at = match block.before {
        _ if block.at_end || target.only_blank_from(0) => Some(end),
        Some(number) => number.checked_sub(1).filter(|at| *at <= end),
        None if block.hint.is_none() => target.body_of(&block.anchors, &added),
        None => None,
    };
    let at = at.ok_or(Refusal::NoOldText { block: block.number })?;
    let new = as_old(lines);
    let telling = new.iter().any(|line| !line::is_blank(&line.text));
    if at < end && telling && target.matches(Level::Exact, &new, at) {
        return Ok(Placed::default());
    }
    Ok(Placed {
        edits: target.replace_lines(at..at, added, block.final_newline).into_iter().collect(),
        ..Placed::default()
    })
}

fn place_whole(target: &FileText<'_>, block: &Block, lines: &[Line]) -> Result<Placed, Refusal> {
    let found = target.find(Level::Exact, lines);
    if let Some((lines, start)) = at_end_without_blanks(target, lines, found.is_empty())
        && block.times == Times::Once
        && settle(target, block, &lines, [&*found, &[start]].concat())? == start
    {
        let placed = at_one_of(target, block, &lines, Level::Exact, vec![start])?;
        return Ok(Placed { level: Level::Aligned, ..placed });
    }
    if !found.is_empty() {
        return at_one_of(target, block, lines, Level::Exact, found);
    }
    if is_there_already(target, lines) {
        // Deleted lines may have been here, or in a copy that has changed since.
        let takes = lines.iter().any(|line| line.role == Role::Delete);
        return if takes { Err(target.not_found(block, lines)) } else { Ok(Placed::default()) };
    }
    for level in [Level::TrailingBlanks, Level::Folded, Level::Indentation] {
        let mut found = target.find(level, lines);
        let mut lines = Cow::Borrowed(lines);
        if let (Level::Indentation, Some(first)) = (level, found.first()) {
            let marked = indent::with_fixed_strings(target, &lines, *first);
            found.retain(|start| indent::mapping(target, &marked, *start).is_some());
            lines = Cow::Owned(marked);
        }
        if !found.is_empty() {
            return at_one_of(target, block, &lines, level, found);
        }
    }
    for plain in unescape::readings(lines) {
        let found = target.find(Level::Exact, &plain);
        if !found.is_empty() {
            return at_one_of(target, block, &plain, Level::Exact, found)
                .map(|placed| Placed { level: Level::Unescaped, ..placed });
        }
    }
    if lines.iter().all(|line| line.role == Role::Keep) {
        return Err(target.not_found(block, lines));
    }
    align::place(target, block, lines)
}

/// A block without the blank lines at the end of both its halves, and its location if it is then the file's end.
///
/// A reply may end both halves at the file's end in a blank line that the file does not have. So the same lines
/// elsewhere, which a blank line follows, may not be meant. If they are not elsewhere (`is_alone`), the new lines need
/// no blank line at their end.
fn at_end_without_blanks(
    target: &FileText<'_>,
    lines: &[Line],
    is_alone: bool,
) -> Option<(Vec<Line>, usize)> {
    const MOST: usize = 3;
    // Nearly always so, and then nothing has to be copied.
    if !lines.iter().rfind(|line| line.is_old()).is_some_and(|line| line::is_blank(&line.text)) {
        return None;
    }
    let half = |gone: Role| -> Vec<&str> {
        lines.iter().filter(|line| line.role != gone).map(|line| line.text.as_str()).collect()
    };
    let (mut old, mut new) = (half(Role::Add), half(Role::Delete));
    for _ in 0..MOST {
        old.pop_if(|line| line::is_blank(line))?;
        if new.pop_if(|line| line::is_blank(line)).is_none() && !is_alone {
            return None;
        }
        let start = target.lines.len().checked_sub(old.len())?;
        let wanted: Vec<Line> = old.iter().map(|text| Line::new(Role::Keep, *text)).collect();
        if !old.is_empty() && target.matches(Level::Exact, &wanted, start) {
            return Some((lines_of_halves(&old, &new), start));
        }
    }
    None
}

/// Picks one of several matches by the block's other information.
///
/// Returns the block's edits there.
fn at_one_of(
    target: &FileText<'_>,
    block: &Block,
    lines: &[Line],
    level: Level,
    found: Vec<usize>,
) -> Result<Placed, Refusal> {
    let count = lines.iter().filter(|line| line.is_old()).count();
    // If every line is kept, it does not matter which match was meant.
    if lines.iter().all(|line| line.role == Role::Keep) {
        return Ok(Placed { level, ..Placed::default() });
    }
    if block.is_for_all(found.len())? {
        let mut placed = Placed { level, ..Placed::default() };
        for start in found {
            let at: Vec<usize> = (start..start + count).collect();
            placed.edits.extend(write(target, block, lines, level, &at)?);
        }
        return Ok(placed);
    }
    let places = found.len();
    let start = settle(target, block, lines, found)?;
    if doubles(target, lines, level, start) {
        return Ok(Placed::default());
    }
    let at: Vec<usize> = (start..start + count).collect();
    Ok(Placed {
        edits: write(target, block, lines, level, &at)?,
        level,
        lines: Some(start..start + count),
        number: Number::of(block, start, places),
    })
}

/// Breaks a tie between matches.
fn settle(
    target: &FileText<'_>,
    block: &Block,
    lines: &[Line],
    mut found: Vec<usize>,
) -> Result<usize, Refusal> {
    let count = lines.iter().filter(|line| line.is_old()).count();
    if block.at_end {
        found.retain(|start| target.only_blank_from(start + count));
        return match found.as_slice() {
            [start] => Ok(*start),
            _ => Err(target.not_found(block, lines)),
        };
    }
    if let [start] = found.as_slice() {
        return Ok(*start);
    }
    if let Some(start) = found.iter().find(|start| block.hint == Some(**start + 1)) {
        return Ok(*start);
    }
    if !block.anchors.is_empty()
        && let Some(start) = target.only_inside(&block.anchors, &found)
    {
        return Ok(start);
    }
    let mut inside = found.iter().filter(|start| target.in_range(**start, **start + count));
    if let (Some(start), None) = (inside.next(), inside.next()) {
        return Ok(*start);
    }
    Err(Refusal::Ambiguous { block: block.number, lines: found.iter().map(|start| start + 1).collect() })
}

/// Whether the block's resulting lines are in the file already.
///
/// One of them must have at least three letters or digits.
fn is_there_already(target: &FileText<'_>, lines: &[Line]) -> bool {
    let new = as_old(lines);
    let telling =
        new.iter().filter(|line| line.text.chars().filter(|c| c.is_alphanumeric()).count() >= 3).count();
    telling > 0 && !target.find(Level::Exact, &new).is_empty()
}

/// The block's resulting lines, as lines to search for.
fn as_old(lines: &[Line]) -> Vec<Line> {
    let keep = |line: &Line| Line { role: Role::Keep, ..line.clone() };
    lines.iter().filter(|line| line.role != Role::Delete).map(keep).collect()
}

/// Whether a block that only adds lines finds them around its location already.
fn doubles(target: &FileText<'_>, lines: &[Line], level: Level, start: usize) -> bool {
    if lines.iter().any(|line| line.role == Role::Delete) {
        return false;
    }
    let added_before = lines.iter().take_while(|line| line.role == Role::Add).count();
    let new = as_old(lines);
    let telling = lines.iter().any(|line| line.role == Role::Add && !line::is_blank(&line.text));
    telling && start.checked_sub(added_before).is_some_and(|start| target.matches(level, &new, start))
}

#[cfg(test)]
mod tests;
