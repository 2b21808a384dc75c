//! Signs that an answer is not the requested code, which a parser need not detect.

use std::collections::HashSet;

use super::frame::{has_frame, is_decorated, non_blank_lines, shows_both};
use crate::edit::Refusal;
use crate::edit::normalize::line_numbers;

/// Refuses code that cannot be the new text of `range`.
///
/// It states that there is none, or carries artifacts of its format. An artifact that the old text has itself
/// does not count.
///
/// The error is [`Refusal::Empty`] or [`Refusal::Malformed`].
pub(in crate::edit) fn reject_non_code(code: &str, range: &str) -> Result<(), Refusal> {
    if states_no_change(code, range) {
        return Err(Refusal::Empty);
    }
    let detail = if has_diff_marks(code, range) {
        "its lines begin with diff markers, but it is not marked as a diff"
    } else if has_written_ends(code, range) {
        "it is one line, with its line ends written out"
    } else if names_speaker(code, range) {
        "it begins with the name of who speaks"
    } else if has_frame(code, range) {
        "it begins or ends in a line that is no code, as if to frame it"
    } else if shows_both(code, range) {
        "it has both the old and the new code"
    } else if is_decorated(code, range) {
        "its line is written as a quotation, a bullet, or a change from the old line"
    } else if line_numbers::removed(code).is_some() && !line_numbers::has_any(range) {
        "its lines are numbered, and none of them is known without its number"
    } else {
        return Ok(());
    };
    Err(Refusal::malformed(detail))
}

/// Answers that models give instead of code when they have none.
const NOTHING: [&str; 16] = [
    "Done",
    "Done.",
    "None",
    "none",
    "null",
    "nil",
    "undefined",
    "[]",
    "{}",
    "()",
    "\"\"",
    "''",
    "...",
    "…",
    "N/A",
    "n/a",
];

/// The maximum number of lines of a stub: a decorator, a head, and a word that does nothing.
const STUB_LINES: usize = 3;

/// Comments that state that there is nothing to do.
const UNCHANGED: [&str; 18] = [
    "no change",
    "no change needed",
    "no change required",
    "no change necessary",
    "no change is needed",
    "no changes",
    "no changes needed",
    "no changes required",
    "no changes necessary",
    "no changes made",
    "no changes are needed",
    "no edit",
    "no edits",
    "no edits needed",
    "nothing to change",
    "nothing to do",
    "unchanged",
    "already correct",
];

/// Whether the code is a single line stating that there is nothing.
///
/// If the old text has such a line, or is a stub, it may be the new text.
fn states_no_change(code: &str, range: &str) -> bool {
    let mut lines = non_blank_lines(code).map(str::trim);
    let (Some(only), None) = (lines.next(), lines.next()) else { return false };
    let is_word = |line: &str| NOTHING.contains(&line);
    let has = |is_own: &dyn Fn(&str) -> bool| non_blank_lines(range).map(str::trim).any(is_own);
    let words = only.trim_start_matches(['/', '#', '-', ';', '%', '*', '<', '!', '(']);
    let words = words.trim_end_matches(['*', '/', '-', '>', '.', '!', ')']).trim();
    // Written as a name, such as `<no_change/>`.
    let words = words.replace(['_', '-'], " ").to_lowercase();
    let is_comment = only.starts_with(['/', '#', '-', ';', '%', '<', '(']) && UNCHANGED.contains(&&*words);
    let is_stub =
        non_blank_lines(range).count() <= STUB_LINES && has(&|line| is_word(line) || line == "pass");
    let is_statement = is_comment || is_word(only) && !is_stub;
    is_statement && !has(&|line| line == only)
}

/// Whether the first line is the speaker's name that a chat template puts before an answer, and more follows.
///
/// A list of names may begin with it.
fn names_speaker(code: &str, range: &str) -> bool {
    const NAMES: [&str; 4] = ["assistant", "assistant:", "Assistant:", "ASSISTANT:"];
    let is_word = |line: &str| line.trim().chars().all(|sign| sign.is_alphanumeric() || "_-:".contains(sign));
    let mut lines = non_blank_lines(code);
    lines.next().is_some_and(|first| NAMES.contains(&first.trim_end()))
        && lines.next().is_some()
        && !non_blank_lines(range).any(|line| NAMES.contains(&line.trim()))
        && !non_blank_lines(range).all(is_word)
}

/// Whether all lines have a diff marker in their first column, and not by chance.
///
/// Without its marker one of them is an old line, or both markers occur, or the marker is not a list bullet.
fn has_diff_marks(code: &str, range: &str) -> bool {
    let lines: Vec<&str> = non_blank_lines(code).map(str::trim_end).collect();
    let of = |mark: char| lines.iter().filter(move |line| line.starts_with(mark));
    if of('+').count() + of('-').count() == 0 || !lines.iter().all(|line| line.starts_with(['+', '-', ' '])) {
        return false;
    }
    let known: HashSet<&str> = non_blank_lines(range).map(str::trim_end).collect();
    if of('+').chain(of('-')).any(|line| known.contains(line)) {
        return false;
    }
    let trimmed: HashSet<&str> = known.iter().map(|line| line.trim()).collect();
    let shows_old = |line: &&&str| known.contains(&line[1..]) && !known.contains(**line);
    let is_point = |line: &&str| line[1..].starts_with(' ') && !line[1..].starts_with("  ");
    let old = || of('-').chain(of(' '));
    let both = of('+').next().is_some() && of('-').next().is_some();
    let only_adds = old().next().is_none();
    lines.iter().any(|line| shows_old(&line))
        || both && (old().any(|line| trimmed.contains(line[1..].trim())) || !lines.iter().all(is_point))
        || only_adds && !lines.iter().all(is_point)
}

/// Whether the code is a single line with escaped line ends.
///
/// Those in strings do not count.
fn has_written_ends(code: &str, range: &str) -> bool {
    const END: &str = "\\n";
    let mut lines = non_blank_lines(code).map(str::trim);
    let (Some(only), None) = (lines.next(), lines.next()) else { return false };
    if !only.contains(END) || non_blank_lines(range).any(|line| line.trim() == only) {
        return false;
    }
    let known: HashSet<&str> = non_blank_lines(range).map(str::trim).collect();
    let mut parts = only.split(END).map(str::trim).filter(|part| !part.is_empty());
    if parts.any(|part| known.contains(part)) {
        return true;
    }
    let outside = unquoted(only, END);
    let ends = |at: &usize| {
        let after = &only[at + END.len()..];
        after.is_empty() || after.starts_with([' ', '\t', '}', '\\'])
    };
    !range.contains(END) && (outside.len() > 1 || outside.iter().any(ends))
}

/// The positions of a word in a text outside of strings.
fn unquoted(text: &str, word: &str) -> Vec<usize> {
    let mut places = text.match_indices(word).map(|(at, _)| at).peekable();
    let mut outside = Vec::new();
    let mut open = None;
    let mut last = ' ';
    for (at, sign) in text.char_indices() {
        if places.next_if_eq(&at).is_some() && open.is_none() {
            outside.push(at);
        }
        match open {
            None if matches!(sign, '"' | '\'' | '`' | '/') => open = Some(sign),
            Some(it) if it == sign && last != '\\' => open = None,
            _ => {}
        }
        last = sign;
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the refusal of some code for a range; `expected` is empty if the code may be right.
    #[track_caller]
    fn check_code(range: &str, code: &str, expected: &str) {
        let outcome =
            reject_non_code(code, range).map_or_else(|refusal| refusal.to_string(), |()| String::new());
        assert!(outcome.contains(expected) && outcome.is_empty() == expected.is_empty(), "{code}: {outcome}");
    }

    #[test]
    fn answers_that_say_nothing() {
        for answer in NOTHING {
            check_code("a = 1\nb = 2\n", &format!("    {answer}\n"), "empty");
            check_code("a = 1\nb = 2\n", &format!("c({answer})\n"), "");
            check_code(&format!("x = [\n    {answer}\n]\n"), answer, "");
        }
        for words in UNCHANGED {
            for comment in [
                format!("# {words}."),
                format!("// {words}"),
                format!("/* {words} */"),
                format!("-- {words}!"),
                format!("<{}/>", words.replace(' ', "_")),
            ] {
                check_code("a = 1\n", &comment, "empty");
                check_code(&format!("{comment}\nb\n"), &comment, "");
            }
        }
        for code in
            ["# no change in the sign", "return None", "pass", "x = []", "no changes", "[1]", "# None"]
        {
            check_code("a = 1\n", code, "");
        }
        check_code("    pass\n", "    ...\n", "");
        check_code("def f():\n    pass\n", "None\n", "");
        check_code("try:\n    a()\nexcept B:\n    pass\n", "None\n", "empty");
        check_code("    pass\n", "<no_change/>", "empty");
    }

    #[test]
    fn names_of_speakers() {
        for name in ["assistant", "assistant:", "Assistant:"] {
            check_code("a = 1\nb = 2\n", &format!("{name}\na = 2\nb = 2\n"), "who speaks");
            check_code(&format!("{name}\na = 1\n"), &format!("{name}\na = 2\n"), "");
            check_code("user\nsystem\n", &format!("{name}\nuser\n"), "");
        }
        check_code("a = 1\n", "assistant = 2\n", "");
    }

    #[test]
    fn marks_of_a_diff() {
        for (range, code) in [
            ("a: 1\nb: 2\n", " a: 1\n-b: 2\n+b: 3\n"),
            ("a: 1\nb: 2\n", "-b: 2\n+b: 3\n"),
            ("  a\n  b\n", "-  a\n+  c\n   b\n"),
            ("a\nb\n", "+a\n+c\n"),
            ("a\nb\n", "+    x\n+    y\n"),
            ("- a\n- b\n", " - a\n-- b\n+- c\n"),
            ("\ta\n\tb\n", " \ta\n+\tc\n"),
            ("a = 1\n", "- a = 1\n+ a = 2\n"),
        ] {
            check_code(range, code, "diff");
        }
        for (range, code) in [
            ("a\nb\n", "- a\n- b\n"),
            ("- a\n- b\n", "- c\n- d\n"),
            ("- a\n- b\n", "- a\n  c: d\n"),
            ("a\n", "+ a\n+ b\n"),
            ("+a\n-b\n", "+a\n-c\n"),
            ("x = 1\n    + 2\n", "x = 1\n    - 2\n"),
            ("    + a\n    + b\n", "    + a\n    - c\n"),
            ("a\nb\n", " a\n c\n"),
        ] {
            check_code(range, code, "");
        }
    }

    #[test]
    fn ends_of_lines_written_out() {
        for (range, code) in [
            ("a();\nb();\n", r"a();\nc();"),
            ("x = 1\n", r"y = 1\nz = 2\n"),
            ("x = 1\n", r#"x = "a"\ny = "b"\n"#),
            ("fn f() {\n}\n", r"fn g() {\n    h();\n}"),
        ] {
            check_code(range, code, "written out");
        }
        for (range, code) in [
            ("a();\nb();\n", r#"print("a\nb\n")"#),
            ("x = y\n", r"x = y.split(/\n/)"),
            ("x = y\n", r"x = '\n'"),
            ("a\n", r"\newcommand{\a}{b}"),
            ("echo a\\nb\n", r"echo c\nd\n"),
        ] {
            check_code(range, code, "");
        }
    }

    #[test]
    fn numbers_before_lines() {
        check_code("a\nb\n", "7 c\n8 d\n", "numbered");
        check_code("a\nb\n", "7: c\n8: d\n", "numbered");
        check_code("a\nb\n", "L7: c\nL8: d\n", "numbered");
        check_code("a\nb\n", "7 c\n\n9 d\n", "numbered");
        check_code("a\nb\n", "7  | c |\n8  d\n", "numbered");
        for (range, code) in [
            ("1 a\n2 b\n", "1 c\n2 d\n"),
            ("a\nb\n", "7 c\n9 d\n"),
            ("a\nb\n", "7 c\n"),
            ("a\nb\n", "7c\n8d\n"),
            ("a\nb\n", "7. c\n8. d\n"),
        ] {
            check_code(range, code, "");
        }
    }
}
