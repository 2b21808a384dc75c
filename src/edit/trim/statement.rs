//! Finds the part of a suggestion that is worth showing before the reply is complete.
//!
//! This part consists of whole statements.

use super::View;
use crate::edit::lexer::Token;
use crate::edit::line;
use crate::text::{bracket, ident};

/// Signs at the start of a line that continues the statement of the line before.
const SIGNS: [&str; 12] = [".", "?", "&&", "||", "|", "+", "-", "*", "/", "=", ":", ","];
/// Words at the start of such a line, besides those that close a block.
const WORDS: [&str; 3] = ["and", "or", "then"];

/// Whether a line continues the statement of the line before.
fn goes_on(line: &str) -> bool {
    let line = line.trim_start();
    let word = ident::first_partial(line);
    SIGNS.iter().any(|sign| line.starts_with(sign)) || WORDS.contains(&word) || goes_on_with_block(line)
}

/// Whether a line goes on with the block above it, or closes it.
pub(super) fn goes_on_with_block(line: &str) -> bool {
    const WORDS: [&str; 9] =
        ["catch", "elif", "else", "elseif", "elsif", "ensure", "except", "finally", "rescue"];
    WORDS.contains(&ident::first_partial(line.trim_start())) || closes_block(line)
}

/// Whether a line closes the block above it.
pub(super) fn closes_block(line: &str) -> bool {
    bracket::closes_block(line) || line.trim_start().starts_with("</")
}

/// Returns the end offsets of the first and of the last statement in the whole lines `text`.
///
/// `None` if no end can be determined. `ahead` is the partial line received after `text`.
pub(super) fn ends(view: &View<'_>, text: &str, ahead: &str) -> Option<(usize, usize)> {
    let mut scanner = view.scanner();
    let mut depth = 0_usize;
    let mut reference = (!line::is_blank(view.prefix)).then(|| line::width(view.prefix));
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
        let reference = *reference.get_or_insert_with(|| line::width(view.prefix).max(line::width(body)));
        if depth > 0 || scanner.in_own_string() || body.trim_end().ends_with(':') {
            continue;
        }
        let below = line::split_iter(&text[at..]).chain([ahead]).find(|line| !line::is_blank(line));
        let is_over = match below {
            Some(below) => line::width(below) <= reference && !goes_on(below),
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
    use super::super::{CursorContext, CursorFacts, Ghost, Reach};
    use std::ops::ControlFlow;

    /// Checks the text that can be shown at `ˇ` after each chunk, written as `first / all`.
    #[track_caller]
    fn check(marked: &str, pieces: &[&str], expected: &[&str]) {
        let (before, after) = marked.split_once('ˇ').unwrap();
        let facts = CursorFacts::default();
        let mut ghost =
            Ghost::new(CursorContext { before, after, grammar: None, max_lines: 8, facts: &facts });
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
        check("ˇ\n", &["<p>\n", "  a\n", "</p>\n", "<p>"], &["", "", "", "<p>\n  a\n</p>"]);
        check("ˇ\n", &["if a\n", "  b\n", "end\n", "endless"], &["", "", "", "if a\n  b\nend"]);
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
