//! A rule for rewriting lines: the pattern to match, and its replacement.

use std::ops::Range;

use super::code::Code;
use super::example::Example;
use crate::edit::Edit;
use crate::local::limits::{
    HOLE_TOKENS, MATCH_STEPS, NEIGHBOR_TOKENS_ALIKE, OTHER_FILE_TOKENS, PIN_BYTES, STEPS_PER_TOKEN,
};
use crate::local::repeat::place::onward;
use crate::local::words::is_telling;

/// A part of the pattern.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    /// An exact token.
    Token(&'a str),
    /// Any tokens with balanced brackets, which may span lines or not.
    Hole { has_lines: bool },
}

/// A rule generalized from two or more places.
#[derive(Debug)]
pub(super) struct Rule<'a> {
    parts: Vec<Part<'a>>,
    /// The range of each change in the parts.
    changes: Vec<Range<usize>>,
    /// One of the places.
    example: &'a Example,
    /// Their current positions, where known.
    places: Vec<usize>,
    /// The length in bytes of the shortest broken line, if the changes broke lines.
    ///
    /// Formatters break lines that are too long; shorter ones stay whole.
    broken: Option<usize>,
}

impl<'a> Rule<'a> {
    /// Generalizes places with the same changes, `example` among them.
    ///
    /// `None` if they have too little in common to identify others.
    pub(super) fn of(same: &[&'a Example], example: &'a Example, is_other: bool) -> Option<Self> {
        let (ours, all) = (example.gaps(), same.iter().map(|it| it.gaps()).collect::<Vec<_>>());
        let mut parts = Vec::new();
        let mut changes = Vec::new();
        for (index, gap) in ours.iter().enumerate() {
            let theirs: Vec<&Vec<&str>> = all.iter().filter_map(|gaps| gaps.get(index)).collect();
            let (head, tail) = shared(gap, &theirs);
            if index == 0 {
                let mut near = nearest(gap[gap.len() - tail..].iter().rev());
                // A path or a name of several parts is one unit.
                while near < tail
                    && example.old.end(gap.len() - near - 1) == example.old.start(gap.len() - near)
                {
                    near += 1;
                }
                parts.extend(gap[gap.len() - near..].iter().map(|it| Part::Token(it)));
            } else if index + 1 == ours.len() {
                parts.extend(gap[..nearest(gap[..head].iter())].iter().map(|it| Part::Token(it)));
            } else if theirs.iter().all(|it| *it == gap) {
                parts.extend(gap.iter().map(|it| Part::Token(it)));
            } else {
                let shortest = theirs.iter().map(|it| it.len()).min().unwrap_or(0);
                let tail = tail.min(shortest - head);
                if head + tail == shortest {
                    return None;
                }
                let has_lines = theirs.iter().any(|it| it[head..it.len() - tail].contains(&"\n"));
                parts.extend(gap[..head].iter().map(|it| Part::Token(it)));
                parts.push(Part::Hole { has_lines });
                parts.extend(gap[gap.len() - tail..].iter().map(|it| Part::Token(it)));
            }
            if let Some((was, _)) = example.changes.get(index) {
                let start = parts.len();
                parts.extend(example.old.words(was.clone()).into_iter().map(Part::Token));
                changes.push(start..parts.len());
            }
        }
        let places = same.iter().filter_map(|it| it.at).collect();
        let broken = same.iter().filter_map(|it| it.broken_line()).min();
        let rule = Self { parts, changes, example, places, broken };
        rule.is_specific(is_other).then_some(rule)
    }

    /// A rule that replaces a pin everywhere: the hash of a version, which has only one meaning.
    ///
    /// `None` if no pin changed.
    pub(super) fn of_pin(example: &'a Example) -> Option<Self> {
        let is_hash = |word: &&str| {
            word.len() >= PIN_BYTES
                && word.bytes().all(|it| it.is_ascii_hexdigit())
                && word.contains(|it: char| it.is_ascii_digit())
                && word.contains(|it: char| it.is_ascii_alphabetic())
        };
        let (first, last) = (example.changes.first()?, example.changes.last()?);
        let has_hash = |code: &Code, tokens: Range<usize>| code.words(tokens).iter().any(is_hash);
        if !has_hash(&example.old, first.0.clone()) || !has_hash(&example.new, first.1.clone()) {
            return None;
        }
        let start = first.0.start;
        let parts = example.old.words(start..last.0.end).into_iter().map(Part::Token).collect();
        let changes = example.changes.iter().map(|(was, _)| was.start - start..was.end - start).collect();
        Some(Self { parts, changes, example, places: Vec::new(), broken: None })
    }

    /// Whether it is too specific to match by accident, and does not match its own output.
    fn is_specific(&self, is_other: bool) -> bool {
        let tokens = || {
            self.parts.iter().filter_map(|part| match part {
                Part::Token(token) if *token != "\n" => Some(*token),
                Part::Token(_) | Part::Hole { .. } => None,
            })
        };
        // An insertion must have a token beside it.
        let is_placed = self.changes.iter().all(|change| {
            let beside = |at: Option<usize>| {
                at.and_then(|at| self.parts.get(at)).is_some_and(|it| matches!(it, Part::Token(_)))
            };
            !change.is_empty() || beside(change.start.checked_sub(1)) || beside(Some(change.end))
        });
        let begins = matches!(self.parts.first(), Some(Part::Token(_)));
        // A single change of words is left to other modules, which consider the surrounding syntax.
        let is_insertion = matches!(self.changes[..], [Range { start, end }] if start == end);
        let is_several = self.changes.len() > 1 || self.example.old.text.trim().contains('\n');
        let is_whole = is_several || is_other && !is_insertion;
        begins
            && is_placed
            && is_whole
            && tokens().count() >= if is_other { OTHER_FILE_TOKENS } else { 3 }
            && tokens().any(is_telling)
            && self.matches(&self.example.new).is_empty()
    }

    /// Whether a text has all of its tokens.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Token(token) => text.contains(token),
            Part::Hole { .. } => true,
        })
    }

    /// The edits that rewrite the remaining places.
    pub(super) fn edits(&self, page: &Code, bytes: usize) -> Vec<Edit> {
        // The line end added before the text of the page; another may be added after it.
        let (lead, end) = (1, 1 + bytes);
        let places = self.matches(page);
        let is_long = |place: &&Vec<usize>| {
            let first = self.changes.first().and_then(|change| place.get(change.start)).copied();
            self.broken.is_none_or(|bytes| first.is_some_and(|token| page.line_bytes(token) >= bytes))
        };
        let edits = places.iter().filter(is_long).filter_map(|place| self.edit(page, place));
        let edits = edits.filter(|edit| edit.span.start >= lead && edit.span.end <= end);
        let edits = edits.map(|edit| Edit::new(edit.span.start - lead..edit.span.end - lead, edit.text));
        onward(edits.collect(), &self.places).unwrap_or_default()
    }

    /// For each match, the start of each part and the end of the last one.
    ///
    /// Empty if the search takes too long: several holes can match a table of numbers in very many ways.
    fn matches(&self, code: &Code) -> Vec<Vec<usize>> {
        let mut places = Vec::new();
        let mut steps = MATCH_STEPS.max(code.tokens.len() * STEPS_PER_TOKEN);
        let mut at = 0;
        while at < code.tokens.len() {
            let mut starts = Vec::new();
            match self.meets(code, at, 0, &mut starts, &mut steps) {
                true => {
                    let end = starts.last().copied().unwrap_or(at);
                    // Two places may share a line end.
                    at = if end > at + 1 && code.token(end - 1) == Some("\n") {
                        end - 1
                    } else {
                        end.max(at + 1)
                    };
                    places.push(starts);
                }
                false => at += 1,
            }
        }
        if steps > 0 { places } else { Vec::new() }
    }

    fn meets(&self, code: &Code, at: usize, part: usize, starts: &mut Vec<usize>, steps: &mut usize) -> bool {
        *steps = steps.saturating_sub(1);
        if *steps == 0 {
            return false;
        }
        starts.push(at);
        let is_met = match self.parts.get(part) {
            None => return true,
            Some(Part::Token(token)) => {
                code.token(at) == Some(*token) && self.meets(code, at + 1, part + 1, starts, steps)
            }
            Some(Part::Hole { has_lines }) => {
                let mut depth = 0_i32;
                let mut is_met = false;
                for end in at..(at + HOLE_TOKENS).min(code.tokens.len()) {
                    match code.token(end) {
                        Some("(" | "[" | "{") => depth += 1,
                        Some(")" | "]" | "}") => depth -= 1,
                        Some("\n") if !has_lines => break,
                        _ => {}
                    }
                    if depth < 0 {
                        break;
                    }
                    if depth == 0 && self.meets(code, end + 1, part + 1, starts, steps) {
                        is_met = true;
                        break;
                    }
                }
                is_met
            }
        };
        if !is_met {
            starts.pop();
        }
        is_met
    }

    /// The changes at one place, merged into one edit.
    fn edit(&self, page: &Code, place: &[usize]) -> Option<Edit> {
        let mut whole: Option<Edit> = None;
        for (part, (was, is)) in self.changes.iter().zip(&self.example.changes) {
            let here = *place.get(part.start)?..*place.get(part.end)?;
            let piece = self.piece(page, here, was, is)?;
            whole = Some(match whole {
                Some(mut edit) => {
                    edit.text.push_str(page.text.get(edit.span.end..piece.span.start)?);
                    edit.text.push_str(&piece.text);
                    Edit::new(edit.span.start..piece.span.end, edit.text)
                }
                None => piece,
            });
        }
        whole
    }

    /// One change: the tokens `here` of the page, like `was` of the example's old text, become `is` of its new text.
    fn piece(&self, page: &Code, here: Range<usize>, was: &Range<usize>, is: &Range<usize>) -> Option<Edit> {
        let Example { old, new, .. } = self.example;
        let before = here.start.checked_sub(1)?;
        let (old_before, new_before) = (was.start.checked_sub(1)?, is.start.checked_sub(1)?);
        let is_lines = |code: &Code, tokens: &Range<usize>, before: usize| {
            code.token(before) == Some("\n")
                && tokens.end > tokens.start
                && code.token(tokens.end - 1) == Some("\n")
        };
        let (span, text) = match (here.start == here.end, is.start == is.end) {
            (true, _) if is_lines(new, is, new_before) => {
                (page.end(before)..page.end(before), new.end(new_before)..new.end(is.end - 1))
            }
            (_, true) if is_lines(page, &here, before) => (page.end(before)..page.end(here.end - 1), 0..0),
            (true, _) | (_, true) => {
                (page.end(before)..page.start(here.end), new.end(new_before)..new.start(is.end))
            }
            (false, false) => {
                // White space beside the words changes where it changed in the example.
                let blanks = |code: &'_ Code, one: usize, next: usize| {
                    code.text.get(code.end(one)..code.start(next)).map(str::to_owned)
                };
                let (mut span, mut text) = (
                    page.start(here.start)..page.end(here.end - 1),
                    new.start(is.start)..new.end(is.end - 1),
                );
                if blanks(old, old_before, was.start) != blanks(new, new_before, is.start)
                    && page.token(before) != Some("\n")
                {
                    (span.start, text.start) = (page.end(before), new.end(new_before));
                }
                if blanks(old, was.end - 1, was.end) != blanks(new, is.end - 1, is.end) {
                    (span.end, text.end) = (page.start(here.end), new.start(is.end));
                }
                (span, text)
            }
        };
        let line_end = if page.text.contains("\r\n") { "\r\n" } else { "\n" };
        let (there, place) = (new.indentation(1), page.indentation(span.start));
        let text = new.text.get(text)?.replace(&["\n", there].concat(), &[line_end, place].concat());
        Some(Edit::new(span, text))
    }
}

/// The number of tokens that a gap shares with all others at its start and at its end.
fn shared(gap: &[&str], others: &[&Vec<&str>]) -> (usize, usize) {
    let head = |other: &&Vec<&str>| gap.iter().zip(other.iter()).take_while(|(a, b)| a == b).count();
    let tail =
        |other: &&Vec<&str>| gap.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    (others.iter().map(head).min().unwrap_or(0), others.iter().map(tail).min().unwrap_or(0))
}

/// The number of tokens, nearest first, that form the context of a change.
fn nearest<'a>(tokens: impl Iterator<Item = &'a &'a str>) -> usize {
    let mut words = 0;
    let near = tokens.take_while(|token| {
        let is_near = words < NEIGHBOR_TOKENS_ALIKE;
        words += if **token == "\n" { NEIGHBOR_TOKENS_ALIKE } else { 1 };
        is_near
    });
    near.count()
}
