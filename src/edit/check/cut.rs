//! Detects answers that were cut off.
//!
//! No fence and no mark closes them.
//!
//! An answer that was cut off is the beginning of one, so whatever shows that more was to come counts: the text
//! itself, the beginning of an old line instead of the whole, and old lines at the end without a replacement.
//! An answer that looks complete may still be cut off between two lines, and is flagged for that
//! ([`super::Flag::MayBeCut`]).

use similar::DiffTag;

use crate::edit::runs::visible;
use crate::edit::{diff, line};
use crate::grammar::Grammar;
use crate::text::ident;

/// Characters at the end of a text that show that more follows.
const JOINERS: [char; 14] = ['(', '[', '{', ',', '=', '+', '&', '|', '<', '\\', '$', ':', '@', '%'];

/// Whether an answer for some lines seems to be cut off.
///
/// The answer has no end mark.
pub(in crate::edit) fn is_cut(answer: &str, range: &str, grammar: Option<&Grammar>) -> bool {
    let text = answer.trim_start_matches(['\n', '\r']);
    let ended = text.ends_with(['\n', '\r']);
    let (old, new) = (visible(range), visible(text));
    let (Some(own), Some(last)) = (old.last(), new.last()) else { return false };
    if !ended
        && (ends_amid_line(text, range)
            || (last.ends_with(JOINERS) && last.chars().last() != own.chars().last()))
    {
        return true;
    }
    // A parser is more precise than counting brackets, except for macros.
    let is_parsed = grammar.is_some_and(Grammar::errors_are_reliable);
    if !is_parsed && depth(text) > depth(range).max(0) {
        return true;
    }
    let lines =
        |text| line::split_iter(text).filter(|line| !line::is_blank(line)).map(str::trim_end).collect();
    falls_short(&old, &new, ended, lines(range))
}

/// Whether the last line ends in whitespace, unlike the old one.
fn ends_amid_line(text: &str, range: &str) -> bool {
    let blank_end = |text: &str| text.ends_with([' ', '\t']);
    blank_end(text) && !line::split_iter(range).last().is_some_and(|line| blank_end(line::body(line)))
}

/// How many more brackets a text opens than it closes, ignoring strings that end on their line.
fn depth(text: &str) -> isize {
    let mut depth = 0;
    for line in line::split_iter(text) {
        let mut rest = line;
        while let Some(at) = rest.find(['(', '[', '{', ')', ']', '}', '"', '\'', '`']) {
            let (sign, behind) = (&rest[at..=at], &rest[at + 1..]);
            rest = behind;
            match sign {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                quote => rest = behind.split_once(quote).map_or(behind, |(_, behind)| behind),
            }
        }
    }
    depth
}

/// Whether the answer begins as the old lines do and falls short at its end.
///
/// Its last line may also be the beginning of an old one. `own` holds the old lines with their indentation.
fn falls_short(old: &[&str], new: &[&str], ended: bool, own: Vec<&str>) -> bool {
    let ops = diff::ops(old, new);
    let Some(end) = ops.last() else { return false };
    if end.tag() == DiffTag::Equal {
        // The last lines occur twice: the answer may end with the first of them.
        let Some(gone) = ops.len().checked_sub(2).map(|at| &ops[at]).filter(|_| ops.len() > 2) else {
            return false;
        };
        let (lines, last) = (gone.old_range(), &own[end.old_range()]);
        return lines.len() > gone.new_range().len()
            && lines.into_iter().any(|at| own[at..].starts_with(last));
    }
    let (gone, come) = (&old[end.old_range()], &new[end.new_range()]);
    let Some(last) = come.last() else { return true };
    let begins = |line: &&str| line.len() > last.len() && line.starts_with(last);
    let in_word = |line: &&str| {
        begins(line) && last.ends_with(ident::is_part) && line[last.len()..].starts_with(ident::is_part)
    };
    match gone.len() > come.len() {
        true => ops.len() > 1 || gone.iter().any(begins),
        false if ended => gone.iter().any(in_word),
        false => gone.iter().any(begins),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(range: &str, answer: &str, expected: bool) {
        assert_eq!(is_cut(answer, range, None), expected, "{answer:?}");
    }

    #[test]
    fn answers_that_stop_short() {
        check("A: 1\nMODE: x\n", "A: 2\nMODE: ", true);
        check("all: a\n\techo $(B)\n", "all: a\n\techo $(", true);
        check("all: a\n\techo $(B)\n", "all: b\n\techo $(B", true);
        check("total + 1\n", "total", true);
        check("a();\nb(x, y);\n", "c();\nb(x", true);
        check("a\nb\nc\nd\n", "x\nb\n", true);
        // The last line occurs twice, and the lines in between are missing.
        check("f {\na\n}\ng {\nb\n}\n", "f {\nx\n}\n", true);
    }

    #[test]
    fn answers_that_end() {
        check("A: 1\nMODE: x\n", "A: 2\nMODE: y", false);
        check("total + 1\n", "total\n", false);
        check("a(\n", "b(", false);
        check("a\nb\nc\nd\n", "x\nd", false);
        check("f {\na\n}\n", "f {\nx(\"(\")\n}", false);
        check("a\nb\n", "x", false);
        check("", "x", false);
    }
}
