//! Text that a reply has twice: all of the new lines, or an old line beside its new version.

use std::collections::HashSet;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::runs::has_word_chars;
use crate::text::ident;

/// Whether the new lines of the range are those of an answer and, behind them, of another version of it.
pub(super) fn is_twice(compared: &Comparison<'_>) -> bool {
    const LEAST_LINES: usize = 2;
    let [old, new] = [&compared.before, &compared.after].map(|it| telling_lines(it.lines()));
    let Some(first) = new.first() else { return false };
    let count = |lines: &[&str]| lines.iter().filter(|line| *line == first).count();
    let Some(at) = new.iter().skip(1).rposition(|line| line == first).map(|at| at + 1) else { return false };
    if count(&new) <= count(&old) {
        return false;
    }
    let (answer, other) = new.split_at(at);
    let same = answer.iter().zip(other).filter(|(answer, other)| answer == other).count();
    let shorter = answer.len().min(other.len());
    shorter >= LEAST_LINES && same * 3 >= shorter * 2 && other.len() * 3 >= answer.len() * 2
}

/// The lines of a text with more than signs, and no comments, unless there are no others.
fn telling_lines<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let (comments, code): (Vec<&str>, Vec<&str>) = lines
        .iter()
        .copied()
        .filter(|line| has_word_chars(line))
        .partition(|line| line.starts_with(['*', '/']));
    if code.is_empty() { comments } else { code }
}

/// The first new line that sets what the line above or below it sets, too, where the other one is an old line.
///
/// A line that uses what it sets goes on from the other one, and the entries of a list have the same keys. Without an
/// instruction, both may be meant.
pub(super) fn old_line_beside_new(compared: &Comparison<'_>) -> Option<String> {
    if compared.asked.instruction.is_empty() {
        return None;
    }
    let known: HashSet<[&str; 2]> = pairs(compared.before.lines()).collect();
    let old: HashSet<&str> = compared.before.lines().iter().copied().collect();
    let found = pairs(compared.after.lines()).filter(|pair| !known.contains(pair)).find(|[first, second]| {
        let is_one_new = old.contains(first) != old.contains(second);
        let keys = [first, second].map(|line| key(line));
        is_one_new && keys[0].is_some() && keys[0] == keys[1]
    });
    found.map(|[first, second]| if old.contains(first) { second.to_owned() } else { first.to_owned() })
}

/// Each two lines that follow each other.
fn pairs<'t>(lines: &'t [&'t str]) -> impl Iterator<Item = [&'t str; 2]> {
    lines.windows(2).map(|pair| [pair[0], pair[1]])
}

/// What a whole line sets to a value: `--gap` of `--gap: 1px;`.
fn key(line: &str) -> Option<&str> {
    let (key, value) = line.split_once([':', '='])?;
    let name = key.split_whitespace().last()?;
    let is_key = |word: &str| word.chars().all(|sign| sign.is_alphanumeric() || "_-.\"'@$".contains(sign));
    let is_plain = key.split_whitespace().all(is_key) && !key.starts_with(['-', '"', '\'', '*', '/', '#'])
        || key.starts_with("--");
    let has_value =
        !value.trim().is_empty() && !value.starts_with([':', '=']) && !value.ends_with(['{', '(', '[']);
    let is_used = ident::words(value).any(|word| word == name);
    (is_plain && has_value && !is_used).then_some(key)
}

/// The first new comment that is an old line of code of the same place.
///
/// It may be what the instruction asks for, if that has such a word.
pub(super) fn old_code_as_comment(compared: &Comparison<'_>) -> Option<String> {
    const ASKING: [&str; 4] = ["comment", "deactivat", "disable", "old"];
    let said = compared.asked.instruction.to_lowercase();
    if !compared.is_code || ASKING.iter().any(|it| said.contains(it)) {
        return None;
    }
    let found = compared.runs().iter().find_map(|run| {
        let old: HashSet<&str> = run.old.iter().copied().filter(|line| is_telling(line)).collect();
        run.new
            .iter()
            .find(|line| is_comment(line) && !old.contains(**line) && old.contains(uncommented(line)))
    });
    found.map(|line| (*line).to_owned())
}

/// Whether a line says more than one that may be a comment by chance.
fn is_telling(line: &str) -> bool {
    const LEAST_WORDS: usize = 2;
    !is_comment(line) && ident::words(line).count() >= LEAST_WORDS && line.contains(['(', '=', '{', ';', '.'])
}

fn uncommented(line: &str) -> &str {
    let inner = line.trim_start_matches("<!--").trim_end_matches("-->");
    inner.trim_start_matches(['/', '#', '-', ';', '*', '%']).trim_end_matches("*/").trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const OLD: &str = "fn a() {\n    b(1);\n    c(2);\n}\n";

    #[test]
    fn answer_behind_an_answer() {
        let check = |old: &str, new: &str, expected: bool| {
            let found = compared("rust", [old, new], Asked { instruction: "", reply: new }, is_twice);
            assert_eq!(found, expected, "{new}");
        };
        let new = OLD.replace('1', "3");
        check(OLD, &[&*new, &new].concat(), true);
        check(OLD, &[&*new, OLD].concat(), true);
        check(OLD, &new, false);
        check(OLD, &(new.clone() + "fn d() {\n    e(1);\n}\n"), false);
        check("a\nb\na\nb\n", "a\nb\na\nb\n", false);
        check("a;\n", "a;\na;\n", false);
        let comments = "// a b\n// c d\n";
        check(comments, &comments.repeat(2), true);
    }

    #[test]
    fn old_line_and_its_new_version() {
        let check = |old: &str, new: &str, expected: Option<&str>| {
            let asked = Asked { instruction: "Set it", reply: new };
            assert_eq!(compared("", [old, new], asked, old_line_beside_new).as_deref(), expected, "{new}");
        };
        let css = "a {\n  --gap: 1px;\n  color: red;\n}\n";
        check(css, "a {\n  --gap: 1px;\n  --gap: 2px;\n  color: red;\n}\n", Some("--gap: 2px;"));
        check(css, "a {\n  --gap: 2px;\n  --gap: 1px;\n  color: red;\n}\n", Some("--gap: 2px;"));
        check(css, "a {\n  --gap: 1px;\n  --big: 2px;\n  color: red;\n}\n", None);
        check("DAYS=14\n", "DAYS=14\nDAYS=30\n", Some("DAYS=30"));
        check("a = 1\n", "a = 1\na = a + b\n", None);
        check("- id: 1\n", "- id: 1\n- id: 2\n", None);
    }

    #[test]
    fn old_code_beside_new_code() {
        let check = |new: &str, instruction: &str, expected: Option<&str>| {
            let asked = Asked { instruction, reply: new };
            let found = compared("rust", [OLD, new], asked, old_code_as_comment);
            assert_eq!(found.as_deref(), expected, "{new}");
        };
        let new = OLD.replace("b(1);", "// b(1);\n    b(3);");
        check(&new, "Pass 3", Some("// b(1);"));
        check(&new, "Pass 3, comment the old call out", None);
        check(&OLD.replace("b(1);", "// 3 is better\n    b(3);"), "Pass 3", None);
    }
}
