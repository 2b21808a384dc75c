//! Signs that an answer is not the code that was asked for, which no parser has to see.

use std::collections::HashSet;

use crate::edit::locate::numbered;
use crate::edit::{Refusal, line};

/// Refuses code that cannot be the new text of `range`: it says that there is none, or it carries signs of
/// the way that it was written down. What the old text has itself is no such sign.
///
/// # Errors
///
/// [`Refusal::Empty`] and [`Refusal::Malformed`].
pub(super) fn check(code: &str, range: &str) -> Result<(), Refusal> {
    if says_nothing(code, range) {
        return Err(Refusal::Empty);
    }
    let detail = if has_diff_marks(code, range) {
        "its lines have the marks of a diff, but nothing says that it is one"
    } else if has_written_ends(code, range) {
        "it is one line, with its line ends written out"
    } else if numbered_lines(code).is_some() && !line::split_iter(range).any(|line| number(line).is_some()) {
        "its lines are numbered, and none of them is known without its number"
    } else {
        return Ok(());
    };
    Err(Refusal::Malformed { detail: detail.to_owned() })
}

fn visible(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r']).filter(|line| !line.trim().is_empty())
}

/// What models answer instead of code when they have none.
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

/// Comments that say that there is nothing to do.
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

/// Whether one line that says that there is nothing is all there is. Where the old text is such a line, or a
/// stub, it may be the new one.
fn says_nothing(code: &str, range: &str) -> bool {
    let mut lines = visible(code).map(str::trim);
    let (Some(only), None) = (lines.next(), lines.next()) else { return false };
    let is_word = |line: &str| NOTHING.contains(&line);
    let has = |is_own: &dyn Fn(&str) -> bool| visible(range).map(str::trim).any(is_own);
    let words = only.trim_start_matches(['/', '#', '-', ';', '%', '*', '<', '!', '(']);
    let words = words.trim_end_matches(['*', '/', '-', '>', '.', '!', ')']).trim();
    // As a name, such as `<no_change/>`.
    let words = words.replace(['_', '-'], " ").to_lowercase();
    let is_comment = only.starts_with(['/', '#', '-', ';', '%', '<', '(']) && UNCHANGED.contains(&&*words);
    let says = is_comment || is_word(only) && !has(&|line| is_word(line) || line == "pass");
    says && !has(&|line| line == only)
}

/// Whether all lines have the mark of a diff in their first column, and not by chance: without it one is an
/// old line, or both marks are there, or the mark is not that of a list's point.
fn has_diff_marks(code: &str, range: &str) -> bool {
    let lines: Vec<&str> = visible(code).map(str::trim_end).collect();
    let of = |mark: char| lines.iter().filter(move |line| line.starts_with(mark));
    if of('+').count() + of('-').count() == 0 || !lines.iter().all(|line| line.starts_with(['+', '-', ' '])) {
        return false;
    }
    let known: HashSet<&str> = visible(range).map(str::trim_end).collect();
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

/// Whether the code is one line in which the ends of others are written out, outside of strings.
fn has_written_ends(code: &str, range: &str) -> bool {
    const END: &str = "\\n";
    let mut lines = visible(code).map(str::trim);
    let (Some(only), None) = (lines.next(), lines.next()) else { return false };
    if !only.contains(END) || visible(range).any(|line| line.trim() == only) {
        return false;
    }
    let known: HashSet<&str> = visible(range).map(str::trim).collect();
    let mut parts = only.split(END).map(str::trim).filter(|part| !part.is_empty());
    if parts.any(|part| known.contains(part)) {
        return true;
    }
    let outside: Vec<usize> =
        only.match_indices(END).map(|(at, _)| at).filter(|at| !is_quoted(&only[..*at])).collect();
    let ends = |at: &usize| {
        let after = &only[at + END.len()..];
        after.is_empty() || after.starts_with([' ', '\t', '}', '\\'])
    };
    !range.contains(END) && (outside.len() > 1 || outside.iter().any(ends))
}

/// Whether a string is open at the end of a text.
fn is_quoted(text: &str) -> bool {
    let mut open = None;
    let mut last = ' ';
    for sign in text.chars() {
        match open {
            None if matches!(sign, '"' | '\'' | '`' | '/') => open = Some(sign),
            Some(it) if it == sign && last != '\\' => open = None,
            _ => {}
        }
        last = sign;
    }
    open.is_some()
}

/// The lines without their numbers, where all but blank ones have one, in one way, and these count up.
pub(super) fn numbered_lines(code: &str) -> Option<Vec<&str>> {
    let marked =
        |line| marked_number(line).or_else(|| plain_number(line).filter(|(_, text)| line::is_blank(text)));
    // With nothing but a blank behind them they could be data, unless they are as the lines are.
    let counts_up = |one: (usize, usize), next: (usize, usize)| one.0 < next.0;
    let in_step =
        |one: (usize, usize), next: (usize, usize)| next.0.checked_sub(one.0) == Some(next.1 - one.1);
    numbered_so(code, &marked, &counts_up).or_else(|| numbered_so(code, &plain_number, &in_step))
}

/// The lines without the numbers that `read` finds, where all but blank ones have one, and each follows from
/// the one before: number and line.
fn numbered_so<'c>(
    code: &'c str,
    read: &dyn Fn(&'c str) -> Option<(usize, &'c str)>,
    follows: &dyn Fn((usize, usize), (usize, usize)) -> bool,
) -> Option<Vec<&'c str>> {
    let mut counts = Vec::new();
    let mut lines = Vec::new();
    for (at, line) in line::split_iter(code).enumerate() {
        match read(line) {
            Some((count, text)) => {
                counts.push((count, at));
                lines.push(text);
            }
            None if line::is_blank(line) => lines.push(line),
            None => return None,
        }
    }
    (counts.len() > 1 && counts.windows(2).all(|pair| follows(pair[0], pair[1]))).then_some(lines)
}

/// Reads a numbered line in either way.
fn number(line: &str) -> Option<(usize, &str)> {
    marked_number(line).or_else(|| plain_number(line))
}

/// Reads a line with a mark behind its number, as [`numbered`] does; an `L` may stand before it.
fn marked_number(line: &str) -> Option<(usize, &str)> {
    numbered(line.trim_start_matches(' ').strip_prefix('L').unwrap_or(line))
}

/// Reads a line with nothing but a blank between its number and its text.
fn plain_number(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let after = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let count = rest[..rest.len() - after.len()].parse().ok()?;
    let text = if line::is_blank(after) { Some(after) } else { after.strip_prefix(' ') };
    text.map(|text| (count, text))
}

/// Whether a model fell into a loop: a run of equal lines, a long text of few different lines, or a tail in
/// which a few lines come over and over, the last of them perhaps cut.
pub(super) fn loops(text: &str) -> bool {
    const RUN: usize = 12;
    const LONG: usize = 60;
    let lines: Vec<&str> = visible(text).map(str::trim).collect();
    let run = lines.chunk_by(|a, b| a == b).any(|run| run.len() >= RUN);
    let distinct = || lines.iter().collect::<HashSet<_>>().len();
    run || (lines.len() > LONG && distinct() * 4 < lines.len()) || ends_in_loop(&lines, LOOP_LINES)
}

/// Whether a reply that is still being written is stuck.
///
/// Its end repeats itself for so long that nothing else is to come. `old` is the code that it is to replace, which may
/// be such a table itself.
pub fn is_stuck(reply: &str, old: &str) -> bool {
    const TAIL_LINES: usize = 2 * LOOP_LINES;
    const TAIL_BYTES: usize = 600;
    const LONGEST_PATTERN: usize = 80;
    let mut lines = reply.rsplit(['\n', '\r']).map(str::trim);
    // The last line may be half of one.
    let last = lines.next().unwrap_or_default();
    let mut tail: Vec<&str> = lines.filter(|line| !line.is_empty()).take(TAIL_LINES).collect();
    tail.reverse();
    let by_lines = tail.len() == TAIL_LINES && ends_in_loop(&tail, TAIL_LINES);
    let by_letters = || {
        let start = last.len().checked_sub(TAIL_BYTES)?;
        let end = &last.as_bytes()[start..];
        Some((1..=LONGEST_PATTERN).any(|size| end.iter().zip(&end[size..]).all(|(one, next)| one == next)))
    };
    (by_lines || by_letters() == Some(true)) && !loops(old)
}

/// The fewest lines at an end that are a loop.
const LOOP_LINES: usize = 12;

/// Whether at least so many lines at the end are few lines over and over.
///
/// The last of them may be cut.
fn ends_in_loop(lines: &[&str], least: usize) -> bool {
    const LONGEST: usize = 6;
    // Few lines recur in sound code too.
    const SHORT: usize = 4;
    let last = lines.len().saturating_sub(1);
    (1..=LONGEST).any(|period| {
        let again = |at: &usize| {
            let earlier = lines[at - period];
            earlier == lines[*at] || (*at == last && earlier.starts_with(lines[*at]))
        };
        let repeated = (period..lines.len()).rev().take_while(again).count();
        let times = if period > SHORT { 3 } else { 4 };
        repeated + period >= least.max(period * times)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with some code for a range; nothing if it may be right.
    #[track_caller]
    fn check_code(range: &str, code: &str, expected: &str) {
        let outcome = check(code, range).map_or_else(|refusal| refusal.to_string(), |()| String::new());
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
        check_code("    pass\n", "<no_change/>", "empty");
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

    #[test]
    fn tails_that_come_over_and_over() {
        let text: String = (0..200).map(|number| format!("line {number}\n")).collect();
        for period in 1..=6 {
            let part: String = (0..period).map(|number| format!("    again({number});\n")).collect();
            for (times, expected) in [(2, false), (12, true)] {
                let whole = text.clone() + &part.repeat(times);
                assert_eq!(loops(&whole), expected, "{period} lines, {times} times");
                assert_eq!(loops(&whole[..whole.len() - 3]), expected, "{period} lines, {times} times, cut");
            }
        }
        let six: String = (0..6).map(|number| format!("again({number})\n")).collect();
        assert!(loops(&(text.clone() + &six.repeat(3))));
        assert!(!loops(&(text.clone() + &six[..4 * 9].repeat(3))));
        assert!(!loops(&(text.clone() + &"a\n".repeat(11))));
        assert!(!loops(&("a\nb\n".repeat(5) + &text)));
        assert!(!loops(&(text + &"}\n".repeat(8))));
    }

    #[test]
    fn reply_that_only_repeats_itself_is_stuck() {
        let check =
            |reply: &str, old: &str, expected: bool| assert_eq!(is_stuck(reply, old), expected, "{reply}");
        let line = "    total += 1;\n";
        check(&format!("fn f() {{\n{}", line.repeat(40)), "", true);
        check(&format!("fn f() {{\n{}    tot", line.repeat(40)), "", true);
        check(&format!("fn f() {{\n{}", line.repeat(12)), "", false);
        check(&format!("{}}}\n", line.repeat(40)), "", false);
        check(&line.repeat(40), &line.repeat(40), false);
        check(&"fn a() {\n    b();\n}\n\n".repeat(20), "", true);
        check(&format!("[{}", "0x1f, ".repeat(200)), "", true);
        check(&format!("[{}", "0x1f, ".repeat(20)), "", false);
        let table: String = (0..400).map(|at| format!("    {at},\n")).collect();
        check(&table, "", false);
        check("", "", false);
    }
}
