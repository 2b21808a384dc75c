//! Moves an answer to the indentation of its range: models tend to start in column zero.

use std::collections::{HashMap, HashSet};

use crate::budget;
use crate::edit::line;
use crate::text::bracket::closes_block;
use crate::text::counts;

/// Maximum number of column pairs of one shared line that are tried as the shift.
const MOST_COLUMNS: usize = 400;

/// Returns the answer moved to the indentation of the range.
///
/// Every shared line then has the indentation that it has in the range.
///
/// Nothing moves if that is so already, or if the answer begins in the same column as the range: then it was
/// written in the file's columns, even if later lines are less indented. Without a shared line, only an
/// answer that starts in column zero moves. If no single shift fits all shared lines, the answer stays
/// unchanged.
pub(super) fn reindent_to(answer: &str, range: &str) -> String {
    match shift(answer, range) {
        Shift::None => answer.to_owned(),
        Shift::Right(blanks) => line::split_iter(answer)
            .map(|line| if line::is_blank(line) { line.to_owned() } else { format!("{blanks}{line}") })
            .collect(),
        Shift::Left(blanks) => {
            line::split_iter(answer).map(|line| line.strip_prefix(blanks.as_str()).unwrap_or(line)).collect()
        }
        Shift::FirstLine(blanks) => {
            let start = answer.len() - answer.trim_start_matches(['\n', '\r']).len();
            format!("{}{blanks}{}", &answer[..start], &answer[start..])
        }
    }
}

/// Returns the answer moved to the range's indentation, if all of it was written without.
///
/// Shared lines do not show that where the answer wraps them in a block. `around` is the text near the range: an answer
/// that repeats one of its less indented lines, or another version of it, is in the file's columns.
pub(super) fn without_flush(answer: &str, range: &str, around: [&str; 2]) -> Option<String> {
    let (lines, own) = (split_indents(answer), split_indents(range));
    let ((first, rest), own_first) = (lines.split_first()?, own.first()?);
    let base = own_first.0;
    if base.is_empty() || !first.0.is_empty() || own.iter().any(|(blanks, _)| !blanks.starts_with(base)) {
        return None;
    }
    let head = |text: &str| text.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>();
    let outer: HashSet<Vec<String>> = around
        .iter()
        .flat_map(|text| split_indents(text))
        .filter(|(blanks, text)| blanks.len() < base.len() && text.contains(char::is_alphanumeric))
        .map(|(_, text)| head(text))
        .collect();
    let repeats = |(blanks, text): &IndentedLine<'_>| {
        blanks.is_empty() && !closes_block(text) && outer.contains(&head(text))
    };
    if !rest.is_empty() && are_in_column(rest, first, base) || lines.iter().any(repeats) {
        return None;
    }
    let moved = line::split_iter(answer)
        .map(|line| if line::is_blank(line) { line.to_owned() } else { format!("{base}{line}") });
    Some(moved.collect())
}

enum Shift {
    None,
    Right(String),
    Left(String),
    FirstLine(String),
}

/// A line's leading whitespace and the text after it.
pub(super) type IndentedLine<'a> = (&'a str, &'a str);

fn shift(answer: &str, range: &str) -> Shift {
    let (answer, range) = (split_indents(answer), split_indents(range));
    let (Some((first, rest)), Some(own)) = (answer.split_first(), range.first()) else {
        return Shift::None;
    };
    let least = |lines: &[IndentedLine<'_>]| lines.iter().map(|(blanks, _)| blanks.len()).min().unwrap_or(0);
    let (least_answer, least_range) = (least(&answer), least(&range));
    let shared = Shared::of(&answer, &range);
    if first.0 == own.0 {
        return Shift::None;
    }
    if first.0.is_empty()
        && !rest.is_empty()
        && !range.contains(first)
        && lost_first_line(first, rest, &range, &shared.pairs())
    {
        return Shift::FirstLine(own.0.to_owned());
    }
    if least_answer == least_range || (!shared.is_empty() && shared.fits(|blanks| Some(blanks.to_owned()))) {
        return Shift::None;
    }
    if least_answer < least_range {
        let right = |blanks: &String| {
            blanks.len() <= least_range && shared.fits(|answer| Some(format!("{blanks}{answer}")))
        };
        let shifts = shared.differences(|answer, own| own.strip_suffix(answer));
        if let Some(blanks) = shifts.into_iter().find(right) {
            return Shift::Right(blanks);
        }
        if shared.is_empty() && least_answer == 0 {
            let blanks = range.iter().map(|(blanks, _)| *blanks).min_by_key(|blanks| blanks.len());
            return Shift::Right(blanks.unwrap_or_default().to_owned());
        }
    } else {
        let left = |blanks: &String| {
            answer.iter().all(|(own, _)| own.starts_with(blanks.as_str()))
                && shared.fits(|answer| answer.strip_prefix(blanks.as_str()).map(str::to_owned))
        };
        let shifts = shared.differences(|answer, own| answer.strip_suffix(own));
        if let Some(blanks) = shifts.into_iter().find(left) {
            return Shift::Left(blanks);
        }
    }
    Shift::None
}

pub(super) fn split_indents(text: &str) -> Vec<IndentedLine<'_>> {
    let lines = line::split_iter(text).filter(|line| !line::is_blank(line));
    lines.map(|line| (line::indent(line), line.trim())).collect()
}

/// The lines that an answer and a range share.
///
/// Each entry holds the indentations of one text in the answer and in the range.
///
/// Bracket-only lines count only if they occur once on either side, because they recur in all columns.
pub(super) struct Shared<'t>(Vec<(Vec<&'t str>, Vec<&'t str>)>);

impl<'t> Shared<'t> {
    pub(super) fn of(answer: &[IndentedLine<'t>], range: &[IndentedLine<'t>]) -> Self {
        let mut texts: HashMap<&str, usize> = HashMap::new();
        let mut all: Vec<(Vec<&'t str>, Vec<&'t str>)> = Vec::new();
        let mut have_words: Vec<bool> = Vec::new();
        for (blanks, text) in answer {
            let at = *texts.entry(text).or_insert(all.len());
            if at == all.len() {
                all.push(Default::default());
                have_words.push(text.contains(char::is_alphanumeric));
            }
            all[at].0.push(blanks);
        }
        for (blanks, text) in range {
            if let Some(at) = texts.get(text) {
                all[*at].1.push(blanks);
            }
        }
        let once = |(answer, own): &(Vec<&str>, Vec<&str>)| answer.len() == 1 && own.len() == 1;
        let mut have_words = have_words.into_iter();
        all.retain(|both| have_words.next().unwrap_or_default() && !both.1.is_empty() || once(both));
        Self(all)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the indentations (answer, range) of each line that occurs once on either side.
    pub(super) fn pairs(&self) -> Vec<(&'t str, &'t str)> {
        let once = self.0.iter().filter_map(|both| match (both.0.as_slice(), both.1.as_slice()) {
            ([answer], [own]) => Some((*answer, *own)),
            _ => None,
        });
        once.collect()
    }

    /// Whether a change of indentation gives all shared lines the indentation that they have in the range.
    ///
    /// If one side has a line more often, only as many occurrences as on the other side must match.
    pub(super) fn fits(&self, change: impl Fn(&str) -> Option<String>) -> bool {
        self.0.iter().all(|(answer, own)| {
            budget::charge(answer.len() + own.len());
            let mut left = counts(own.iter().map(|own| &**own));
            let found = answer.iter().filter(|blanks| {
                let changed = change(blanks);
                let left =
                    changed.and_then(|changed| left.get_mut(changed.as_str())).filter(|left| **left > 0);
                left.map(|left| *left -= 1).is_some()
            });
            found.count() == answer.len().min(own.len())
        })
    }

    /// Returns the possible indentation differences of the shared line with the fewest occurrences.
    fn differences(&self, of: impl Fn(&'t str, &'t str) -> Option<&'t str>) -> Vec<String> {
        let Some((answer, own)) = self.0.iter().min_by_key(|(answer, own)| answer.len() * own.len()) else {
            return Vec::new();
        };
        let both = answer.iter().flat_map(|answer| own.iter().map(move |own| (*answer, *own)));
        // Each difference is tried on all lines, and a line that recurs often hardly shows its position.
        let mut seen = HashSet::new();
        let differences = both.take(MOST_COLUMNS).filter_map(|(answer, own)| of(answer, own));
        differences.filter(|it| seen.insert(*it)).map(str::to_owned).collect()
    }
}

/// Whether only the first line lost its indentation and the other lines are correct.
fn lost_first_line(
    first: &IndentedLine<'_>,
    rest: &[IndentedLine<'_>],
    range: &[IndentedLine<'_>],
    pairs: &[(&str, &str)],
) -> bool {
    let Some(own) = range.first() else { return false };
    // The range's own first line, above shared lines that are correct.
    let moved = pairs.iter().filter(|(answer, own)| answer != own).count();
    if first.1 == own.1 && moved <= 1 && moved < pairs.len() {
        return true;
    }
    if rest.iter().any(|(blanks, _)| blanks.is_empty()) {
        return false;
    }
    // Lines that an answer wraps are deeper than in the range; then the second line shows the depth of the first one.
    let mut others = pairs.iter().filter(|(answer, _)| !answer.is_empty()).peekable();
    if others.peek().is_some() && others.all(|(answer, own)| answer == own) {
        return true;
    }
    // Lines that are nested as in the range lost as much as the first one.
    let depth = |lines: &[IndentedLine<'_>], base: usize| {
        lines.first().map(|line| line.0.len() as isize - base as isize)
    };
    let (nested, own_nested) = (depth(rest, 0), depth(&range[1..], own.0.len()));
    let is_nested_alike = own_nested.is_some_and(|depth| depth > 0) && nested == own_nested;
    !is_nested_alike && are_in_column(rest, first, own.0)
}

/// Whether the lines below the first one are those of a column that it lost.
///
/// Below a line that opens a block, lines in that very column are nested in it.
fn are_in_column(rest: &[IndentedLine<'_>], first: &IndentedLine<'_>, column: &str) -> bool {
    let second = rest.first().map_or(0, |(blanks, _)| blanks.len());
    rest.iter().all(|(blanks, _)| blanks.starts_with(column))
        && match first.1.ends_with(['{', '(', '[', ':']) {
            true => second > column.len(),
            false => second >= column.len(),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_move_to_the_ranges_column() {
        assert_eq!(
            reindent_to("if a {\n    c();\n}\n", "    if a {\n        b();\n    }\n"),
            "    if a {\n        c();\n    }\n"
        );
        assert_eq!(reindent_to("x = 1\n", "    y = 2\n"), "    x = 1\n");
        assert_eq!(reindent_to("        a\n        b\n", "    a\n    c\n"), "    a\n    b\n");
        assert_eq!(reindent_to("a\n    b\n    d\n", "    a\n    b\n    c\n"), "    a\n    b\n    d\n");
    }

    #[test]
    fn the_first_line_alone_may_have_lost_its_blanks() {
        assert_eq!(
            reindent_to("if a {\n        b();\n    }\n", "    c();\n"),
            "    if a {\n        b();\n    }\n"
        );
        assert_eq!(reindent_to("x = 1\n    y = 2\n", "    z = 3\n"), "    x = 1\n    y = 2\n");
        assert_eq!(
            reindent_to("a()\n\nb:\n    d()\n", "    a()\n\nb:\n    c()\n"),
            "    a()\n\nb:\n    d()\n"
        );
    }

    #[test]
    fn answers_without_the_ranges_indentation() {
        let check = |range: &str, answer: &str, expected: &str| {
            let around = ["fn f(a: A) {\n    g();\n", "    h();\n}\n"];
            assert_eq!(without_flush(answer, range, around).unwrap_or_default(), expected, "{answer}");
        };
        check("    a();\n", "if b {\n    a();\n}\n", "    if b {\n        a();\n    }\n");
        check("    if b {\n        a();\n    }\n", "a();\n", "    a();\n");
        check("    a();\n", "if b {\n        a();\n    }\n", "");
        check("    a();\n", "c();\n    a();\n", "");
        check("  a\n", "if b; then\n  c\nfi\n", "  if b; then\n    c\n  fi\n");
        check("    a();\n", "fn f(a: A, b: B) {\n    g();\n    a();\n", "");
        check("    a();\n}\n", "b();\n}\n", "");
    }

    #[test]
    fn answers_that_are_right_stay() {
        for answer in
            ["    a\n    d\n", "    if x:\n        a\n", "    z\n\n", "    z\n}\n\nfn w() {\n    y\n}\n"]
        {
            assert_eq!(reindent_to(answer, "    a\n    b\n"), answer);
        }
        assert_eq!(reindent_to("b\n  a\n", "a\nc\n"), "b\n  a\n");
    }

    #[test]
    fn all_shared_lines_decide() {
        let below = "    return result\n\n\ndef added():\n    return result\n";
        assert_eq!(reindent_to(below, "    return result\n"), below);
        let above = "def added():\n    return result\n\n\ndef old():\n    return result\n";
        assert_eq!(reindent_to(above, "    x = 1\n    return result\n"), above);
        let moved = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        let outdented = "if a:\n    return 1\nif b:\n    return 1\nreturn 2\n";
        let range = "    if a:\n        return 1\n    if c:\n        return 1\n    return 2\n";
        assert_eq!(reindent_to(outdented, range), moved(outdented));
        // Brackets recur in all columns.
        let outdented = "if c {\n    d();\n    if e {\n        f();\n    }\n}\n";
        assert_eq!(reindent_to(outdented, "    if a {\n        b();\n    }\n"), moved(outdented));
    }
}
