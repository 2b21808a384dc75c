//! Splits a file into self-contained runs of lines.
//!
//! Indentation shows which lines belong together in any language: a line, the lines indented below it, and its
//! closing line. In a formatted file, brackets are thus balanced within a run.

use std::ops::Range;

/// Minimum number of code lines before a run may end at a blank line.
const FEWEST_LINES: usize = 6;
/// Maximum number of code lines in a run.
const MOST_LINES: usize = 20;
/// Runs with fewer code lines carry too little information.
const LEAST_CODE: usize = 2;
/// Lines longer than this (bytes) are usually data.
const MOST_LINE_BYTES: usize = 240;
/// Code nested deeper is not split.
const MOST_DEPTH: usize = 32;

/// A run of lines of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// The lines, from 0.
    pub(super) lines: Range<usize>,
    /// The byte range in the file.
    pub(super) bytes: Range<usize>,
    /// The code, without the indentation that all of its lines share.
    pub(super) text: String,
}

/// Splits a text into runs, in text order.
///
/// Comments and docstrings are left out of the code unless `with_comments` is set.
pub(super) fn of(text: &str, with_comments: bool) -> Vec<Chunk> {
    let (mut start, mut quote) = (0, None);
    let lines = text.split_inclusive('\n').map(|text| {
        let mut line = CodeLine { start, text: text.trim_end(), is_code: false };
        start += text.len();
        let is_comment = is_docstring(line.text, &mut quote) || line.is_comment();
        line.is_code = !line.text.is_empty() && (with_comments || !is_comment);
        line
    });
    let lines: Vec<CodeLine<'_>> = lines.collect();
    let mut ranges = Vec::new();
    split(&lines, 0..lines.len(), 0, &mut ranges);
    ranges.into_iter().filter_map(|range| chunk(&lines, range)).collect()
}

#[derive(Clone, Copy)]
struct CodeLine<'a> {
    start: usize,
    text: &'a str,
    is_code: bool,
}

impl CodeLine<'_> {
    fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// Whether the line continues a construct begun by a line of the same indentation.
    fn continues(&self) -> bool {
        let text = self.text.trim_start();
        let word = text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
        text.starts_with(['}', ')', ']', '{'])
            || ["else", "elif", "elsif", "except", "catch", "finally", "rescue", "end", "where"]
                .contains(&word)
    }

    fn is_comment(&self) -> bool {
        let text = self.text.trim_start();
        let is_starred = text == "*" || text.starts_with("* ") || text.starts_with("*/");
        // Not `#include` and `#[attribute]`.
        let is_code = |letter: char| letter == '[' || letter == '!' || letter.is_alphabetic();
        let is_hashed = text.strip_prefix('#').is_some_and(|rest| !rest.starts_with(is_code));
        is_starred || is_hashed || ["//", "/*", "--", ";;"].iter().any(|mark| text.starts_with(mark))
    }
}

/// Splits lines into runs. Constructs that are too long are split inside.
fn split(lines: &[CodeLine<'_>], within: Range<usize>, depth: usize, runs: &mut Vec<Range<usize>>) {
    let code = |run: &Range<usize>| lines[run.clone()].iter().filter(|line| line.is_code).count();
    let mut run = within.start..within.start;
    let mut at = within.start;
    while at < within.end {
        if lines[at].text.is_empty() {
            if code(&run) >= FEWEST_LINES {
                runs.push(std::mem::replace(&mut run, at..at));
            }
            at += 1;
            continue;
        }
        if lines[at].continues() {
            // The continued construct lies outside.
            runs.push(std::mem::replace(&mut run, at + 1..at + 1));
            at += 1;
            continue;
        }
        let end = end_of(lines, at, within.end);
        if code(&(at..end)) > MOST_LINES {
            runs.push(std::mem::replace(&mut run, end..end));
            if depth < MOST_DEPTH {
                split(lines, body(lines, at, end)..end, depth + 1, runs);
            }
        } else if run.is_empty() {
            run = at..end;
        } else if code(&(run.start..end)) > MOST_LINES {
            runs.push(std::mem::replace(&mut run, at..end));
        } else {
            run.end = end;
        }
        at = end;
    }
    runs.push(run);
}

/// The line after the construct that starts at `first`.
fn end_of(lines: &[CodeLine<'_>], first: usize, end: usize) -> usize {
    let indent = lines[first].indent();
    let mut last = first;
    for (at, line) in lines.iter().enumerate().take(end).skip(first + 1) {
        if line.text.is_empty() {
            continue;
        }
        if line.indent() < indent || line.indent() == indent && !line.continues() {
            break;
        }
        last = at;
    }
    last + 1
}

/// The line after the head of a definition, which may have a list over several lines.
fn body(lines: &[CodeLine<'_>], first: usize, end: usize) -> usize {
    let indent = lines[first].indent();
    match lines[first].text.ends_with(['(', '[', '<']) {
        true => (first + 1..end).find(|at| lines[*at].indent() == indent).map_or(end, |at| at + 1),
        false => first + 1,
    }
}

/// The chunk for a range of lines; `None` if it has too little code.
fn chunk(lines: &[CodeLine<'_>], range: Range<usize>) -> Option<Chunk> {
    let (first, last) = (lines.get(range.start)?, lines.get(range.end.checked_sub(1)?)?);
    let code: Vec<&str> = lines[range.clone()].iter().filter(|it| it.is_code).map(|it| it.text).collect();
    if code.len() < LEAST_CODE || code.iter().any(|text| text.len() > MOST_LINE_BYTES) {
        return None;
    }
    let indents = code.iter().map(|text| text.len() - text.trim_start().len());
    // Lines may mix indentation by tabs and by spaces.
    let shared = indents.min().filter(|indent| code.iter().all(|text| text.is_char_boundary(*indent)));
    let mut text = String::new();
    for line in code {
        text.push_str(&line[shared.unwrap_or(0)..]);
        text.push('\n');
    }
    Some(Chunk { lines: range, bytes: first.start..last.start + last.text.len(), text })
}

/// Whether a line belongs to a triple-quoted string that spans lines or is a statement by itself.
///
/// `quote` is the open delimiter.
fn is_docstring(line: &str, quote: &mut Option<&'static str>) -> bool {
    let was_open = quote.is_some();
    let mark = quote.or_else(|| ["\"\"\"", "'''"].into_iter().find(|mark| line.contains(mark)));
    let Some(mark) = mark else { return false };
    let is_odd = line.matches(mark).count() % 2 == 1;
    *quote = (was_open != is_odd).then_some(mark);
    was_open || is_odd || line.trim_start().trim_start_matches(['r', 'R']).starts_with(mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    /// Checks the runs of a text, each below its line numbers from 1.
    fn check(text: &str, expect: Expect) {
        let listed = of(text, false).into_iter().map(|it| {
            assert_eq!(text[..it.bytes.start].matches('\n').count(), it.lines.start);
            format!("{}-{}\n{}", it.lines.start + 1, it.lines.end, it.text)
        });
        expect.assert_eq(&listed.collect::<String>());
    }

    #[test]
    fn short_definitions_stay_together_and_comments_are_left_out() {
        check(
            "use a::b;\n\n/// Adds.\nfn add(\n    a: u32,\n) -> u32 {\n    // One more.\n    a + 1\n}\n\nfn sub() {\n    one();\n}\n",
            expect![[r#"
                1-9
                use a::b;
                fn add(
                    a: u32,
                ) -> u32 {
                    a + 1
                }
                11-13
                fn sub() {
                    one();
                }
            "#]],
        );
    }

    #[test]
    fn inside_of_a_long_definition_is_cut_between_statements() {
        let block = |name: &str| {
            format!(
                "    if {name} {{\n{}    }} else {{\n        no();\n    }}\n\n",
                "        yes();\n".repeat(9)
            )
        };
        check(
            &format!("fn long() {{\n{}{}}}\n", block("first"), block("second")),
            expect![[r#"
                2-14
                if first {
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                } else {
                    no();
                }
                16-28
                if second {
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                    yes();
                } else {
                    no();
                }
            "#]],
        );
    }

    /// Formatted code: statements, lists over several lines, and blocks within blocks.
    fn code() -> impl Strategy<Value = String> {
        let statement = prop_oneof![
            4 => Just("one(a);\n".to_owned()),
            1 => Just("two(\n    a,\n    b,\n);\n".to_owned()),
            1 => Just("// Why (\n".to_owned()),
            1 => Just("\n".to_owned()),
        ];
        let indented = |text: &str| {
            let line = |line: &str| if line == "\n" { line.to_owned() } else { format!("    {line}") };
            text.split_inclusive('\n').map(line).collect::<String>()
        };
        statement.prop_recursive(4, 200, 12, move |inner| {
            let body = prop::collection::vec(inner, 1..12).prop_map(move |parts| indented(&parts.concat()));
            (0..3_usize, body.clone(), body).prop_map(|(kind, body, other)| match kind {
                0 => format!("fn f(a: u32) {{\n{body}}}\n"),
                1 => format!("if a {{\n{body}}} else {{\n{other}}}\n"),
                _ => format!("fn f(\n    a: u32,\n) {{\n{body}}}\n"),
            })
        })
    }

    proptest! {
        #![proptest_config(crate::properties::config())]
        #[test]
        fn brackets_of_formatted_code_are_closed_in_their_run(parts in prop::collection::vec(code(), 1..8)) {
            for run in of(&parts.concat(), false) {
                let mut open = 0_i32;
                for sign in run.text.chars() {
                    open += i32::from("([{".contains(sign)) - i32::from(")]}".contains(sign));
                    prop_assert!(open >= 0, "{}", run.text);
                }
                prop_assert_eq!(open, 0, "{}", run.text);
            }
        }
    }

    #[test]
    fn parameters_of_a_long_definition_are_left_out() {
        let text = format!(
            "fn long(\n    a: u32,\n    b: u32,\n) {{\n    one();\n    two();\n\n{}}}\n",
            "    if a {\n    }\n".repeat(10)
        );
        let runs = of(&text, false);
        assert_eq!(runs[0].text.lines().next(), Some("one();"), "{runs:?}");
    }

    #[test]
    fn docstrings_and_lines_by_themselves_are_left_out() {
        check(
            "def f(a):\n    \"\"\"Says\n\n    much.\n    \"\"\"\n    b = a\n    return b\n",
            expect![[r#"
                1-7
                def f(a):
                    b = a
                    return b
            "#]],
        );
        check(
            "a = 1\nb = \"\"\"\\\nprose\n\"\"\"\n#: Says much.\nc = 2\n",
            expect![[r#"
            1-6
            a = 1
            c = 2
        "#]],
        );
        check("x = 1\n", expect![""]);
        check(&format!("x = 1\ny = 2\nz = \"{}\"\n", "0".repeat(MOST_LINE_BYTES)), expect![""]);
    }
}
