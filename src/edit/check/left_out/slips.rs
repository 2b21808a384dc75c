//! Numbers, texts and operators that change in a line that is otherwise copied.
//!
//! `len(args) > n` becomes `len(args) >= n` while a model writes a function once more to add a comment.

use std::collections::HashSet;

use super::comparison::Comparison;
use super::unrelated::{instruction_stems, stems};
use crate::edit::check::is_comment;
use crate::edit::runs::{Run, has_word_chars};
use crate::text::ident;

/// Stems of words in an instruction that may be about any value.
const ABOUT_VALUES: [&str; 43] = [
    "adjust",
    "allow",
    "bug",
    "bound",
    "bump",
    "chang",
    "correct",
    "decrease",
    "default",
    "disable",
    "enabl",
    "equal",
    "error",
    "exclusive",
    "fewer",
    "fix",
    "format",
    "greater",
    "handl",
    "improv",
    "inclusive",
    "increase",
    "invert",
    "less",
    "limit",
    "more",
    "negat",
    "off",
    "optimi",
    "quot",
    "reduc",
    "review",
    "revers",
    "set",
    "should",
    "support",
    "toggl",
    "tweak",
    "update",
    "upgrad",
    "use",
    "version",
    "wrong",
];

/// A shorter stem is a whole word.
const LEAST_STEM: usize = 4;

/// So many changes of this kind are made by a rule.
const SEVERAL: usize = 3;

/// How many lines of a run are compared with each new one.
const MOST_COMPARED: usize = 60;

/// The first old line that differs from a new one in one number, text, operator or truth value alone, although neither
/// the instruction nor the prose is about it.
///
/// If the instruction is about comments, any word counts. A number that counts things may change with them, and changes
/// of this kind alone are what was asked for.
pub(super) fn line(compared: &Comparison<'_>) -> Option<String> {
    let said = compared.asked.instruction.to_lowercase();
    // "Log the user" is not about a use.
    let has = |word: &str, stem: &str| word == stem || stem.len() >= LEAST_STEM && word.starts_with(stem);
    let is_about = ident::words(&said).any(|word| ABOUT_VALUES.iter().any(|stem| has(word, stem)));
    if said.is_empty() || is_about || compared.intent.replaces {
        return None;
    }
    let is_documenting =
        ident::words(&said).take(2).any(|it| it.starts_with("doc") || it.starts_with("comment"));
    let asked = instruction_stems(compared.asked.instruction);
    let is_asked = |line: &str| ident::words(line).flat_map(stems).any(|stem| asked.contains(&stem));
    let is_named = |token: &str| {
        let bare = token.trim_matches(|sign: char| !ident::is_part(sign));
        said.contains(&if bare.is_empty() { token } else { bare }.to_lowercase())
    };
    let adds_asked = |[old, new]: [&str; 2]| {
        let known: HashSet<&str> = ident::words(old).collect();
        ident::words(new)
            .filter(|word| !known.contains(word))
            .flat_map(stems)
            .any(|stem| asked.contains(&stem))
    };
    let (mut others, mut count, mut slip) = (0, 0, None);
    for run in compared.runs() {
        let known: HashSet<&str> = run.old.iter().copied().collect();
        let new: Vec<&str> =
            run.new.iter().copied().filter(|line| has_word_chars(line) && !known.contains(line)).collect();
        let swapped = swapped(run, &new, is_documenting);
        let unasked = swapped.iter().filter(|(line, [old, new])| {
            !is_asked(line)
                && !is_named(old)
                && !is_named(new)
                && !adds_asked([old, new])
                && !compared.mentions().prose_has(new)
        });
        let unasked: Vec<&str> = unasked.map(|(line, _)| *line).collect();
        // A comment beside it is about it.
        let remarks = new.iter().filter(|line| !unasked.is_empty() && is_comment(line)).count();
        others += new.len().saturating_sub(unasked.len() + remarks);
        count += unasked.len();
        slip = slip.or(unasked.first().copied());
    }
    slip.filter(|_| others > 0 && count < SEVERAL).map(str::to_owned)
}

/// The old lines of a run of which one token changes in one of its new lines, with the old and the new token.
fn swapped<'t>(run: &Run<'t>, new: &[&'t str], any: bool) -> Vec<(&'t str, [&'t str; 2])> {
    let shown: HashSet<&str> = run.new.iter().copied().collect();
    let gone = run.old.iter().copied().filter(|line| is_code(line) && !shown.contains(line));
    let new = new.iter().filter(|line| is_code(line)).take(MOST_COMPARED);
    let new: Vec<Vec<&str>> = new.map(|line| tokens(line).collect()).collect();
    let found = gone.take(MOST_COMPARED).filter_map(|line| {
        let old: Vec<&str> = tokens(line).collect();
        let swap = new.iter().find_map(|new| swap(&old, new))?;
        (is_accidental_swap(swap, line) || any && !is_sign(swap[0])).then_some((line, swap))
    });
    found.collect()
}

fn is_code(line: &str) -> bool {
    has_word_chars(line) && !is_comment(line)
}

/// The only token in which two lines differ.
fn swap<'t>(old: &[&'t str], new: &[&'t str]) -> Option<[&'t str; 2]> {
    let mut differing = old.iter().zip(new).filter(|(old, new)| old != new);
    let (was, is) = differing.next()?;
    (old.len() == new.len() && old.len() > 2 && differing.next().is_none()).then_some([*was, *is])
}

/// Whether one token is exchanged for another of its kind by mistake.
fn is_accidental_swap([old, new]: [&str; 2], line: &str) -> bool {
    const TRUTH: [&str; 8] = ["False", "True", "false", "no", "off", "on", "true", "yes"];
    const COUNTING: [&str; 7] = ["assert", "count", "expect", "len", "num", "size", "total"];
    const MOST_ADDED: u64 = 9;
    let [number, new_number] = [old, new].map(|it| it.parse::<u64>().ok());
    if let (Some(old), Some(new)) = (number, new_number) {
        let said = line.to_lowercase();
        let counts = COUNTING.iter().any(|word| said.contains(word)) || said.contains("; ");
        return !(counts && new > old && new - old <= MOST_ADDED);
    }
    let is_text = |token: &str| token.starts_with(['"', '\'', '`']) && token.len() > 2;
    let is_digest =
        |token: &str| token.len() > 6 && token.chars().all(|it| it.is_ascii_hexdigit()) && has_digit(token);
    let are = |is: &dyn Fn(&str) -> bool| is(old) && is(new);
    are(&is_text) || are(&is_digest) || are(&|it| TRUTH.contains(&it)) || are(&is_sign)
}

fn has_digit(token: &str) -> bool {
    token.contains(|it: char| it.is_ascii_digit())
}

fn is_sign(token: &str) -> bool {
    token.starts_with(OPERATORS)
}

const OPERATORS: [char; 9] = ['!', '%', '&', '*', '+', '<', '=', '>', '|'];

/// The words, quoted texts, operators and single other signs of a line.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end_of = |is: &dyn Fn(char) -> bool| rest.find(|it| !is(it)).unwrap_or(rest.len());
        let end = match first {
            '"' | '\'' | '`' => rest[1..].find(first).map_or(1, |at| at + 2),
            _ if ident::is_part(first) => end_of(&ident::is_part),
            _ if OPERATORS.contains(&first) => end_of(&|it| OPERATORS.contains(&it)),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::check::left_out::{Asked, compared};

    const FILE: &str = "func exact(n int) error {\n\tif len(args) > n {\n\t\treturn fail(\"at most\", 20)\n\t}\n\tuses := \"a@11bd719\"\n\tready := true\n\tnext.prev = prev\n\treturn nil\n}\n";

    /// Checks the line with a slip in a text with one more statement.
    #[track_caller]
    fn check([old, new]: [&str; 2], instruction: &str, talk: &str, expected: Option<&str>) {
        assert!(FILE.contains(old), "{old}");
        let after = FILE.replacen(old, new, 1).replacen("\treturn nil", "\tlog(1)\n\treturn nil", 1);
        let reply = format!("{talk}\n```go\n{after}```\n");
        let asked = Asked { instruction, reply: &reply };
        assert_eq!(compared("go", [FILE, &after], asked, line).as_deref(), expected, "{after}");
    }

    #[test]
    fn copied_lines_keep_their_values() {
        check(["> n", ">= n"], "log 1", "", Some("if len(args) > n {"));
        check(["> n", ">= n"], "log 1 user", "", Some("if len(args) > n {"));
        check(["20", "21"], "log 1", "", Some("return fail(\"at most\", 20)"));
        check(["\"at most\"", "\"up to\""], "log 1", "", Some("return fail(\"at most\", 20)"));
        check(["true", "false"], "log 1", "", Some("ready := true"));
        check(["= prev", "= next"], "log 1", "", None);
        check(["= prev", "= next"], "document it", "", Some("next.prev = prev"));
    }

    #[test]
    fn values_change_for_a_reason() {
        check(["> n", ">= n"], "fix the bound", "", None);
        check(["> n", ">= n"], "log args", "", None);
        check(["20", "21"], "log 1, fail with 21", "", None);
        check(["true", "false"], "log 1", "It begins as `false`.", None);
        check(["true", "isReady()"], "log 1", "", None);
        let asked = Asked { instruction: "exclude 0", reply: "" };
        assert_eq!(compared("python", ["if a(b) < 0:\n", "if a(b) <= 0:\n"], asked, line), None);
        let counted = "let all: [u8; 3] = [1, 2, 3];\nf();\n";
        let after = counted.replace("; 3] = [1", "; 4] = [1").replace("f()", "f(1)");
        let asked = Asked { instruction: "pass 1", reply: &after };
        assert_eq!(compared("rust", [counted, &after], asked, line), None);
    }
}
