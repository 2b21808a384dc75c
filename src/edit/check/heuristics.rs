//! Signs of harmful edits that a parser does not detect.

use std::cell::LazyCell;
use std::collections::HashSet;

use similar::DiffTag;

use crate::edit::{Edit, Flag, Refusal, diff, line};

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

/// Refuses a result in which new lines begin or end with an existing line.
///
/// The last of them repeats the line below, or the first the line above.
///
/// One of 1,778 human edits does so; replies whose context was treated as new text usually do.
///
/// # Errors
///
/// [`Refusal::Doubled`] with the line.
pub(super) fn doubled_line(before: &str, after: &str) -> Result<(), Refusal> {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        line::split_iter(before).map(line::body).collect(),
        line::split_iter(after).map(line::body).collect(),
    );
    // Lines that occur twice in a row, as in tables.
    let stood_twice = LazyCell::new(|| -> HashSet<&str> {
        old.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
    });
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
        if let Some(line) = found.filter(|line| !stood_twice.contains(line)) {
            return Err(Refusal::Doubled { line: line.trim().to_owned() });
        }
    }
    Ok(())
}

/// Refuses a result that differs in whitespace alone.
///
/// 2.4 % of human edits do, and hardly any that was requested in words.
///
/// # Errors
///
/// [`Refusal::BlanksOnly`].
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
        let code = |before, after| doubled_line(before, after).map_err(|refusal| refusal.code());
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
