//! Text that a reply has twice: all of the new lines, or an old line as a comment beside its new version.

use std::collections::HashSet;

use super::comparison::Comparison;
use crate::edit::check::is_comment;
use crate::edit::diff::has_word_chars;
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

/// The lines of a text with more than signs, and no comments.
fn telling_lines<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    lines.iter().copied().filter(|line| has_word_chars(line) && !line.starts_with(['*', '/'])).collect()
}

/// The first new comment that is an old line of code of the same place.
///
/// It may be what the instruction asks for, if that has such a word.
pub(super) fn old_code_as_comment(compared: &Comparison<'_>) -> Option<String> {
    const ASKING: [&str; 4] = ["comment", "deactivat", "disabl", "old"];
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
