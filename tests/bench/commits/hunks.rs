//! The difference between two texts: hunks of lines, and the changed tokens within them.

use std::ops::Range;

use similar::{Algorithm, ChangeTag, DiffTag};

/// Adjacent lines that differ, as byte ranges of both texts.
#[derive(Debug, Clone)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// A run of replaced words, and the words that replace them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    pub(crate) old: String,
    pub(crate) new: String,
}

/// The hunks between two texts, from top to bottom.
pub(crate) fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let ends = |lines: &[String]| -> Vec<usize> {
        let lengths = lines.iter().scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        std::iter::once(0).chain(lengths).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let (old_ends, new_ends) = (ends(&old), ends(&new));
    let ops = similar::capture_diff_slices(Algorithm::Myers, &old, &new);
    let changed = ops.into_iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .map(|op| Hunk {
            old: old_ends[op.old_range().start]..old_ends[op.old_range().end],
            new: new_ends[op.new_range().start]..new_ends[op.new_range().end],
        })
        .collect()
}

/// The tokens of a text, without whitespace and line ends.
pub(crate) fn tokens(text: &str) -> Vec<&str> {
    let is_word = |letter: char| letter == '_' || letter.is_alphanumeric();
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

/// The least number of tokens that are deleted or inserted between two texts.
pub(crate) fn distance(old: &str, new: &str) -> usize {
    let (old, new) = (tokens(old), tokens(new));
    let ops = similar::capture_diff_slices(Algorithm::Myers, &old, &new);
    let changed = ops.iter().filter(|op| op.tag() != DiffTag::Equal);
    changed.map(|op| op.old_range().len() + op.new_range().len()).sum()
}

/// The changed runs of tokens between two texts.
pub(crate) fn changes(old: &str, new: &str) -> Vec<Change> {
    let (old, new) = (tokens(old), tokens(new));
    let mut changes: Vec<Change> = Vec::new();
    let mut goes_on = false;
    let ops = similar::capture_diff_slices(Algorithm::Myers, &old, &new);
    for change in ops.iter().flat_map(|op| op.iter_changes(&old, &new)) {
        if change.tag() == ChangeTag::Equal {
            goes_on = false;
            continue;
        }
        if !goes_on {
            changes.push(Change { old: String::new(), new: String::new() });
            goes_on = true;
        }
        let last = changes.last_mut().unwrap();
        let side = if change.tag() == ChangeTag::Delete { &mut last.old } else { &mut last.new };
        side.push_str(change.value());
        side.push(' ');
    }
    changes
}
