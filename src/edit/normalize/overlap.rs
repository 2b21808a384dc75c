//! Drops lines around a range that an answer repeats.

use std::hash::Hash;

use similar::DiffTag;

use super::surroundings::Surroundings;
use crate::edit::{diff, line};
use crate::text::bracket::closes_block;

/// Maximum number of lines compared on either side.
const MOST_LINES: usize = 40;

/// Returns the answer without the lines that it repeats from before and after the range.
///
/// Chooses the cut that changes the range least but still changes it, and also returns the number of changed
/// lines. `None` if the answer repeats no such line. A cut keeps both ends of each block of the answer's own.
pub(super) fn drop(answer: &str, place: Surroundings<'_>) -> Option<(String, usize)> {
    let lines: Vec<&str> = line::split_iter(answer).collect();
    let before: Vec<&str> = line::last(place.before, MOST_LINES).into_iter().map(str::trim_end).collect();
    let after: Vec<&str> = line::split_iter(place.after).take(MOST_LINES).map(str::trim_end).collect();
    let bodies: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let most = bodies.len().min(MOST_LINES);
    let heads =
        (1..=most.min(before.len())).filter(|&n| telling(&bodies[..n]) && before.ends_with(&bodies[..n]));
    let tails = (1..=most.min(after.len()))
        .filter(|&n| telling(&bodies[bodies.len() - n..]) && after.starts_with(&bodies[bodies.len() - n..]));
    let heads: Vec<usize> = std::iter::once(0).chain(heads).collect();
    let tails: Vec<usize> = std::iter::once(0).chain(tails).collect();
    if heads.len() == 1 && tails.len() == 1 {
        return None;
    }
    let range: Vec<&str> = line::split_iter(place.range).map(str::trim_end).collect();
    // The range may have one end of a block, too.
    let splits = |head: usize, tail: usize| {
        let kept = &bodies[head..bodies.len() - tail];
        let (head, tail) = (&bodies[..head], &bodies[bodies.len() - tail..]);
        opens_for(head, kept) && !opens_for(head, &range)
            || closes_for(kept, tail) && !closes_for(&range, tail)
    };
    let mut best: Option<(usize, usize, usize)> = None;
    for &head in &heads {
        for &tail in tails.iter().filter(|tail| head + **tail < bodies.len()) {
            let size = changed(&range, &bodies[head..bodies.len() - tail]);
            if size > 0 && !splits(head, tail) && best.is_none_or(|(least, ..)| size < least) {
                best = Some((size, head, tail));
            }
        }
    }
    best.filter(|(_, head, tail)| head + tail > 0)
        .map(|(size, head, tail)| (lines[head..lines.len() - tail].concat(), size))
}

/// Whether the last of the lines above opens a block that is closed among the kept ones.
fn opens_for(above: &[&str], kept: &[&str]) -> bool {
    let opener = above.iter().rev().find(|line| !line.is_empty());
    opener.and_then(|opener| other_end(opener, kept.iter())).is_some_and(closes_block)
}

/// Whether the first of the lines below closes a block that is opened among the kept ones.
fn closes_for(kept: &[&str], below: &[&str]) -> bool {
    let closer = below.iter().find(|line| !line.is_empty()).filter(|line| closes_block(line));
    closer.is_some_and(|closer| other_end(closer, kept.iter().rev()).is_some())
}

/// The line in the column of one end of a block, behind deeper ones. `lines` lead away from that end.
fn other_end<'t>(end: &str, lines: impl Iterator<Item = &'t &'t str>) -> Option<&'t str> {
    let column = line::indent(end).len();
    let mut lines = lines.filter(|line| !line.is_empty()).peekable();
    lines.next_if(|line| line::indent(line).len() > column)?;
    lines
        .find(|line| line::indent(line).len() <= column)
        .copied()
        .filter(|it| line::indent(it).len() == column)
}

/// Returns the number of lines that an answer changes in a range.
pub(super) fn size(answer: &str, range: &str) -> usize {
    let bodies = |text| line::split_iter(text).map(str::trim_end).collect::<Vec<_>>();
    changed(&bodies(range), &bodies(answer))
}

/// Whether there is a line that is not blank. Blank lines alone are not a repetition.
fn telling(lines: &[&str]) -> bool {
    lines.iter().any(|line| !line.is_empty())
}

/// Counts the lines removed and added between two texts.
pub(super) fn changed<T: Eq + Hash + Ord>(old: &[T], new: &[T]) -> usize {
    diff::ops(old, new)
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal)
        .map(|op| op.old_range().len() + op.new_range().len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(marked: &str, answer: &str, expected: &str) {
        let (before, rest) = marked.split_once('«').unwrap();
        let (range, after) = rest.split_once('»').unwrap();
        let dropped = drop(answer, Surroundings { before, range, after });
        assert_eq!(dropped.map_or_else(|| answer.to_owned(), |(text, _)| text), expected);
    }

    #[test]
    fn repeated_lines_go() {
        check("fn f() {\n«    a();\n»}\n", "fn f() {\n    b();\n}\n", "    b();\n");
        check("fn f() {\n«    a();\n»}\n", "    b();\n}\n", "    b();\n");
        check("x\ny\n«a\n»z\n", "x\ny\nb\n", "b\n");
        check(
            "fn f() {\n«    a();\n»}\n",
            "    if b {\n        a();\n    }\n}\n",
            "    if b {\n        a();\n    }\n",
        );
    }

    #[test]
    fn a_block_keeps_both_ends() {
        let wrapped = "    if b {\n        a();\n    }\n";
        check("if c {\n«        a();\n»    }\n", wrapped, wrapped);
        check("    if b {\n«    x();\n»    }\n", wrapped, "        a();\n");
        check("    if b {\n«    x();\n»    c();\n", wrapped, wrapped);
        check("«f {\n    a();\n»}\n\nh {\n", "f {\n    b();\n}\n\nh {\n", "f {\n    b();\n");
        check("f {\n«    a();\n}\n»", "f {\n    b();\n}\n", "    b();\n}\n");
    }

    #[test]
    fn lines_of_the_answer_stay() {
        check("x\n«a\n»z\n", "b\nc\n", "b\nc\n");
        check("}\n«a\n}\n»}\n", "b\n}\n", "b\n}\n");
    }
}
