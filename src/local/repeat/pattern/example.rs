//! Extracts examples of rewritten lines from steps.

use std::ops::Range;

use similar::DiffTag;

use super::code::Code;
use crate::edit::diff;
use crate::local::limits::{PATTERN_TOKENS, SAME_LINES};
use crate::local::repeat::change::{EditStep, unchanged};

/// Lines before and after a step, and their differences.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) old: Code,
    pub(super) new: Code,
    /// The token ranges of both that replace each other.
    pub(super) changes: Vec<(Range<usize>, Range<usize>)>,
    /// The current position of the lines, if known.
    pub(super) at: Option<usize>,
    /// The index of its step.
    pub(super) step: usize,
}

/// The examples in a step: the whole step, and each of its lines if their number is unchanged.
pub(super) fn examples((number, step): (usize, &EditStep<'_>)) -> Vec<Example> {
    let (old, new): (Vec<&str>, Vec<&str>) = (step.old.lines().collect(), step.new.lines().collect());
    let (head, tail) = unchanged(&old, &new);
    let (old, new) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    if old.is_empty() || old.len().max(new.len()) > SAME_LINES {
        return Vec::new();
    }
    let place = |line: &str| step.at.map(|at| at + (line.as_ptr() as usize - step.new.as_ptr() as usize));
    let mut examples: Vec<Example> =
        Example::of(&old.join("\n"), &new.join("\n"), new.first().and_then(|it| place(it)))
            .into_iter()
            .collect();
    if old.len() == new.len() && old.len() > 1 {
        let lines = old.iter().zip(new).filter(|(old, new)| old != new);
        examples.extend(lines.filter_map(|(old, new)| Example::of(old, new, place(new))));
    }
    examples.iter_mut().for_each(|example| example.step = number);
    examples
}

impl Example {
    fn of(old: &str, new: &str, at: Option<usize>) -> Option<Self> {
        let (old, new) = (Code::new(old), Code::new(new));
        if old.tokens.len().max(new.tokens.len()) > PATTERN_TOKENS {
            return None;
        }
        let (left, right) = (old.words(0..old.tokens.len()), new.words(0..new.tokens.len()));
        let ops = diff::ops(&left, &right);
        let mut changes: Vec<(Range<usize>, Range<usize>)> = Vec::new();
        for op in ops.iter().filter(|op| op.tag() != DiffTag::Equal) {
            let (was, is) = (op.old_range(), op.new_range());
            match changes.last_mut().filter(|last| last.0.end == was.start && last.1.end == is.start) {
                Some(last) => (last.0.end, last.1.end) = (was.end, is.end),
                None => changes.push((was, is)),
            }
        }
        // A change that adds or removes lines includes the line end after them, not the one before.
        for (was, is) in &mut changes {
            let (side, code) = if Range::is_empty(was) { (&*is, &new) } else { (&*was, &old) };
            let begins = code.token(side.start) == Some("\n");
            if (Range::is_empty(was) || Range::is_empty(is)) && begins && code.token(side.end) == Some("\n") {
                *was = was.start + 1..was.end + 1;
                *is = is.start + 1..is.end + 1;
            }
        }
        (!changes.is_empty()).then_some(Self { old, new, changes, at, step: 0 })
    }

    /// The tokens of the old text before, between and after the changes.
    pub(super) fn gaps(&self) -> Vec<Vec<&str>> {
        let starts = std::iter::once(0).chain(self.changes.iter().map(|(was, _)| was.end));
        let ends = self.changes.iter().map(|(was, _)| was.start).chain([self.old.tokens.len()]);
        starts.zip(ends).map(|(start, end)| self.old.words(start..end)).collect()
    }

    /// The length in bytes of the first line that the changes broke after a bracket, as formatters do.
    pub(super) fn broken_line(&self) -> Option<usize> {
        let breaks = |(was, is): &&(Range<usize>, Range<usize>)| {
            let mut ends = is.clone().filter(|token| self.new.token(*token) == Some("\n"));
            let before = ends.next().and_then(|end| self.new.token(end.checked_sub(1)?));
            matches!(before, Some("(" | "[")) && !self.old.words(was.clone()).contains(&"\n")
        };
        self.changes.iter().find(breaks).map(|(was, _)| self.old.line_bytes(was.start))
    }

    pub(super) fn has_changes_of(&self, other: &Self) -> bool {
        let words = |it: &'_ Self| -> Vec<(Vec<String>, Vec<String>)> {
            let owned = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
            let both = |(was, is): &(Range<usize>, Range<usize>)| {
                (owned(it.old.words(was.clone())), owned(it.new.words(is.clone())))
            };
            it.changes.iter().map(both).collect()
        };
        self.changes.len() == other.changes.len() && words(self) == words(other)
    }
}
