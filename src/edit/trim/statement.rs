//! Finds the part of a suggestion that is worth showing before the reply is complete.
//!
//! This part consists of whole statements.

use super::View;
use super::measure::width;
use crate::edit::lexer::{Scanner, Token};
use crate::edit::line;

/// Line starts that continue the statement of the line before.
const GOES_ON: [&str; 24] = [
    ".", "?", "&&", "||", "|", "+", "-", "*", "/", "=", ":", ",", ")", "]", "}", "else", "elif", "catch",
    "except", "finally", "rescue", "and ", "or ", "then",
];

/// Returns the end offsets of the first and of the last statement in the whole lines `text`.
///
/// `None` if no end can be determined. `ahead` is the partial line received after `text`.
pub(super) fn ends(view: &View<'_>, text: &str, ahead: &str) -> Option<(usize, usize)> {
    let mut scanner = Scanner::new(&view.syntax);
    scanner.scan(view.prefix, |_, _| true);
    let mut depth = 0_usize;
    let mut reference = (!line::is_blank(view.prefix)).then(|| width(view.prefix));
    let mut ends = None;
    let mut at = 0;
    for whole in line::split_iter(text) {
        at += whole.len();
        scanner.scan(whole, |_, token| {
            match token {
                Token::Open(_) => depth += 1,
                Token::Close(_) => depth = depth.saturating_sub(1),
                Token::Quote(_) | Token::Line => {}
            }
            true
        });
        let body = line::body(whole);
        if line::is_blank(body) {
            continue;
        }
        let reference = *reference.get_or_insert_with(|| width(view.prefix).max(width(body)));
        if depth > 0 || scanner.in_string() || body.trim_end().ends_with(':') {
            continue;
        }
        let below = line::split_iter(&text[at..]).chain([ahead]).find(|line| !line::is_blank(line));
        let is_over = match below {
            Some(below) => {
                let start = below.trim_start();
                width(below) <= reference && !GOES_ON.iter().any(|it| start.starts_with(it))
            }
            None => body.trim_end().ends_with([';', '}', ',']),
        };
        if is_over {
            let end = at - line::ending(whole).len();
            ends = Some((ends.map_or(end, |(first, _)| first), end));
        }
    }
    ends
}

/// Whether a block begins at the cursor.
///
/// If so, a suggestion should have more than one statement.
pub(super) fn opens_block(view: &View<'_>) -> bool {
    let line = if line::is_blank(view.prefix) { view.above.unwrap_or_default() } else { view.prefix };
    let line = line.trim_end();
    line.ends_with(['{', ':']) || ["=>", "->", " do", " then", " begin"].iter().any(|end| line.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::{CursorContext, Ghost, Reach};
    use std::ops::ControlFlow;

    /// Checks the text that can be shown at `ˇ` after each chunk, written as `first / all`.
    #[track_caller]
    fn check(marked: &str, pieces: &[&str], expected: &[&str]) {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let mut ghost = Ghost::new(CursorContext { before, after, grammar: None, max_lines: 8 });
        let shown: Vec<String> = pieces
            .iter()
            .map(|piece| {
                let (ControlFlow::Continue(()) | ControlFlow::Break(())) = ghost.push(piece);
                let [first, all] = [Reach::Statement, Reach::Whole]
                    .map(|it| ghost.complete_statements(it).unwrap_or_default());
                if first == all { first } else { format!("{first} / {all}") }
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_statement_that_ends_by_its_sign_needs_no_look_ahead() {
        check(
            "fn f() {\n    ˇ\n}\n",
            &["let a = 1", ";", "\n", "    g(a)", ";\n"],
            &["", "", "let a = 1;", "let a = 1;", "let a = 1; / let a = 1;\n    g(a);"],
        );
    }

    #[test]
    fn others_are_over_when_the_next_line_begins_anew() {
        check("def f():\n    ˇ\n", &["a = 1\n", "    b", " = 2\n"], &["", "a = 1", "a = 1"]);
        check("x = ˇ\n", &["list\n", "    .map(f)\n", "y"], &["", "", "list\n    .map(f)"]);
        check("def f():\n    ˇ\n", &["if a:\n", "        b()\n", "    c"], &["", "", "if a:\n        b()"]);
    }

    #[test]
    fn brackets_hold_it_together() {
        check("ˇ", &["f({\n", "  a: 1,\n", "});\n"], &["", "", "f({\n  a: 1,\n});"]);
        check(
            "ˇ",
            &["if (a) {\n", "  b();\n}", " else {\n  c();\n}\n"],
            &["", "", "if (a) {\n  b();\n} else {\n  c();\n}"],
        );
    }
}
