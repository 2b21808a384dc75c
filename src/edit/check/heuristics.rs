//! Signs of harmful edits that a parser does not detect.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::ops::Range;

use similar::DiffTag;

use super::unreachable;
use crate::edit::diff;
use crate::edit::runs::has_word_chars;
use crate::edit::{Edit, Flag, Refusal, line};
use crate::grammar::Grammar;

/// Removing more than this share of the text (percent) and this many bytes is flagged.
const REMOVED_PERCENT: usize = 30;
const REMOVED_BYTES: usize = 300;

/// Flags an edit that removes a large part of the text.
///
/// It fires on 2.8 % of human edits, so it is not a reason to refuse.
pub(super) fn large_removal(before: &str, edits: &[Edit]) -> Option<Flag> {
    let gone: usize = edits.iter().map(|edit| edit.span.len().saturating_sub(edit.text.len())).sum();
    (gone > REMOVED_BYTES && gone * 100 > before.len() * REMOVED_PERCENT).then_some(Flag::LargeRemoval)
}

/// Refuses a result in which new lines begin or end with existing lines, or leave code that is never run.
///
/// The last of them repeat the lines below, or the first the lines above. One of 1,778 human edits does so; replies
/// whose context was treated as new text usually do.
///
/// The error is [`Refusal::Doubled`] or [`Refusal::Unreachable`] with the line.
pub(super) fn misplaced_lines(grammar: Option<&Grammar>, before: &str, after: &str) -> Result<(), Refusal> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        line::split_iter(before).map(line::body).collect(),
        line::split_iter(after).map(line::body).collect(),
    );
    // Lines that occur twice in a row, as in tables.
    let stood_twice = LazyCell::new(|| -> HashSet<&str> {
        old.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
    });
    let has_jumps = grammar.is_some_and(|it| !it.is_prose());
    for op in diff::line_ops(&old, &new) {
        let range = op.new_range();
        if op.tag() == DiffTag::Equal || range.is_empty() {
            continue;
        }
        let twice = |line: usize, other: Option<usize>| {
            let line = new.get(line)?;
            (!line.trim().is_empty() && Some(line) == new.get(other?)).then_some(*line)
        };
        let above = range.start.checked_sub(1);
        let found = twice(range.end - 1, Some(range.end)).or_else(|| twice(range.start, above));
        let found = found.filter(|line| !stood_twice.contains(line)).or_else(|| doubled_block(&new, &range));
        if let Some(line) = found {
            return Err(Refusal::Doubled { line: line.trim().to_owned() });
        }
        if has_jumps && let Some(line) = unreachable::beside(&old[op.old_range()], &new, &range) {
            return Err(Refusal::Unreachable { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

/// The first of several new lines that the lines below, or above, are once more.
fn doubled_block<'t>(new: &[&'t str], range: &Range<usize>) -> Option<&'t str> {
    const MOST: usize = 30;
    const LEAST: usize = 2;
    (LEAST..=range.len().min(MOST)).find_map(|count| {
        let part = |start: Option<usize>| start.and_then(|start| new.get(start..start + count));
        let has_words = |lines: &[&str]| lines.iter().filter(|line| has_word_chars(line)).count() >= LEAST;
        let is_doubled = |own: usize, others: [Option<usize>; 2]| {
            let own = &new[own..own + count];
            // Where there are three, there were two.
            has_words(own) && part(others[0]) == Some(own) && part(others[1]) != Some(own)
        };
        let (first, last) = (range.start, range.end - count);
        let is_below = is_doubled(last, [Some(range.end), Some(range.end + count)]);
        let is_above = is_doubled(first, [first.checked_sub(count), first.checked_sub(2 * count)]);
        is_below.then_some(last).or(is_above.then_some(first)).map(|at| new[at])
    })
}

/// Refuses a result that differs in whitespace alone.
///
/// 2.4 % of human edits do, and hardly any that was requested in words.
///
/// The error is [`Refusal::BlanksOnly`].
pub(super) fn blanks_only(before: &str, after: &str) -> Result<(), Refusal> {
    fn visible(text: &str) -> impl Iterator<Item = char> {
        text.chars().filter(|letter| !letter.is_whitespace())
    }
    if before.len() != after.len() && before.len().abs_diff(after.len()) > 4096 {
        return Ok(());
    }
    if before != after && visible(before).eq(visible(after)) { Err(Refusal::BlanksOnly) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubled_lines() {
        let code = |before, after| misplaced_lines(None, before, after).map_err(|refusal| refusal.code());
        assert_eq!(code("a\nb\nc\nd\n", "a\nx\nb\nc\nb\nc\nd\n"), Err("doubled-line"));
        assert_eq!(code("a\nb\nc\nd\n", "a\nb\nc\nb\nc\nx\nd\n"), Err("doubled-line"));
        assert_eq!(code("0\n1\n0\n1\n", "0\n1\n0\n1\n0\n1\n"), Ok(()));
        assert_eq!(code("a\nb\nc\n", "a\nx\nb\nb\nc\n"), Err("doubled-line"));
        assert_eq!(code("a\n}\n", "a\nx\n}\n}\n"), Err("doubled-line"));
        assert_eq!(code("fn a() {\n}\n", "fn a() {\n}\n\nfn b() {\n}\n"), Ok(()));
        assert_eq!(code("a\n\nb\n", "a\n\nc\n\nb\n"), Ok(()));
        assert_eq!(code("0,\n0,\n1,\n", "0,\n0,\n0,\n1,\n"), Ok(()));
    }

    #[test]
    fn blanks() {
        assert!(blanks_only("a b", "a  b").is_err());
        assert!(blanks_only("a b", "a b").is_ok());
        assert!(blanks_only("a b", "a c").is_ok());
    }

    #[test]
    fn large_removals_are_told() {
        let text = "x".repeat(1000);
        assert_eq!(large_removal(&text, &[Edit::new(0..400, "")]), Some(Flag::LargeRemoval));
        assert_eq!(large_removal(&text, &[Edit::new(0..400, "y".repeat(390))]), None);
        assert_eq!(large_removal("short", &[Edit::new(0..5, "")]), None);
    }
}
