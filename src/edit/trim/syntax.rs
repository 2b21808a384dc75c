//! Keeps a suggestion from breaking the code around it.
//!
//! It shows the most of it that leaves no new syntax error.
//!
//! Unlike the filters of the chain this one asks a parser, so it judges the finished suggestion only, off the
//! thread that serves.

use super::lexer::{Scanner, Sign};
use super::{Place, View};
use crate::edit::{Refusal, line};
use crate::grammar::Grammar;

/// The most shorter beginnings that are tried.
const MOST_TRIES: usize = 12;

/// Returns the most of a suggestion that can stand at its place without a new syntax error.
///
/// It is all of it; all of it with the brackets closed that it left open; or as many whole lines as can.
///
/// `errors` counts the syntax errors of the file with a text at the cursor. It is the caller's, which has a
/// tree at hand. It is asked about the whole suggestion first, and as a rule about nothing else.
///
/// # Errors
///
/// [`Refusal::Syntax`] when not even the first line can stand there.
pub fn sound(
    place: Place<'_>,
    text: String,
    errors: &mut dyn FnMut(&str) -> Option<usize>,
) -> Result<String, Refusal> {
    let view = View::new(place);
    // Most suggestions leave no error at all, whatever there was before.
    let found = match ends_in_string(&view, &text) {
        true => None,
        false => match errors(&text) {
            None | Some(0) => return Ok(text),
            found => found,
        },
    };
    let Some(known) = errors("") else { return Ok(text) };
    let found = found.unwrap_or(known + 1);
    // A parser finds the end of a string in the next one, however far below, and sees nothing wrong between
    // the two.
    let mut errors = |text: &str| match ends_in_string(&view, text) {
        true => Some(known + 1),
        false => errors(text),
    };
    // Code that follows stays on a line of its own.
    let line_end = view.line_end(&text);
    let body = &text[..text.len() - line_end.len()];
    // In a place that is broken already, closing what was opened is worth it only where it heals something.
    if let Some(closed) = closed(&view, body).map(|closed| closed + line_end)
        && errors(&closed).is_some_and(|errors| errors <= known && errors < found)
    {
        return Ok(closed);
    }
    if found <= known {
        return Ok(text);
    }
    let mut end = body.len();
    for _ in 0..MOST_TRIES {
        let Some(cut) = body[..end].rfind(['\n', '\r']) else { break };
        end = body[..cut].trim_end().len();
        if line::is_blank(&body[..end]) {
            break;
        }
        let shorter = [&body[..end], line_end].concat();
        if errors(&shorter).is_some_and(|errors| errors <= known) {
            return Ok(shorter);
        }
    }
    Err(Refusal::Syntax { before: known, after: found })
}

/// Whether a suggestion opens a string that ends neither in it nor on the line behind it.
fn ends_in_string(view: &View<'_>, text: &str) -> bool {
    let mut scanner = Scanner::new(&view.lexis);
    scanner.scan(view.prefix, |_, _| true);
    // In prose quotes mean nothing.
    if scanner.in_string() || view.place.grammar.is_some_and(Grammar::is_prose) {
        return false;
    }
    scanner.scan(text, |_, _| true);
    scanner.scan(view.rest, |_, _| true);
    // The other quote is an apostrophe in comments, and what opens a lifetime.
    scanner.quote().is_some_and(|quote| !quote.starts_with('\''))
}

/// The suggestion with its own open brackets closed, if a line of it stands inside them.
///
/// A block that was cut at the line cap ends with its closer, as the next suggestion would have begun.
fn closed(view: &View<'_>, text: &str) -> Option<String> {
    let mut scanner = Scanner::new(&view.lexis);
    scanner.scan(view.prefix, |_, _| true);
    let mut open: Vec<(char, usize)> = Vec::new();
    scanner.scan(text, |at, sign| {
        match sign {
            Sign::Open(closer) => open.push((closer, at)),
            Sign::Close(_) => _ = open.pop(),
            Sign::Quote(_) | Sign::Line => {}
        }
        true
    });
    if open.is_empty() || scanner.in_string() {
        return None;
    }
    let mut result = text.to_owned();
    // The line that the result ends in; brackets that were opened on one line are closed on one.
    let mut line = line_start(text, text.len());
    for (closer, at) in open.into_iter().rev() {
        let start = line_start(text, at);
        if start != line {
            let head = if start == 0 { view.prefix } else { &text[start..] };
            result.push_str(line::usual_ending(view.place.before));
            result.push_str(line::indent(head));
            line = start;
        } else if closer == '}' && at == text.len() - 1 {
            // Nothing of the block was written yet: a closer would only pretend that something was.
            return None;
        }
        result.push(closer);
    }
    Some(result)
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, DocumentId};
    use crate::grammar;

    /// The suggestion that is left of `text` at `ˇ`.
    #[track_caller]
    fn check(language: &str, marked: &str, text: &str, expected: &str) {
        let grammar = grammar::by_language_id(language).unwrap();
        let (before, after) = marked.split_once('ˇ').unwrap();
        let place = Place { before, after, grammar: Some(grammar), max_lines: 8 };
        let base = Document::new(DocumentId::new(""), language, 0, &[before, after].concat());
        let mut errors = |text: &str| base.with(before.len()..before.len(), text).syntax_errors();
        let outcome = sound(place, text.to_owned(), &mut errors)
            .unwrap_or_else(|refusal| format!("refused: {}", refusal.code()));
        assert_eq!(outcome, expected);
    }

    #[test]
    fn what_is_sound_stays() {
        check("rust", "fn f() {\n    ˇ\n}\n", "let é = 1;\n    g(é);", "let é = 1;\n    g(é);");
        check("rust", "fn f() {\n    g(ˇ\n}\n", "1, 2", "1, 2");
        check("python", "def f():\n    ˇ\n", "return [\n        1,\n    ]", "return [\n        1,\n    ]");
    }

    #[test]
    fn a_block_that_was_cut_is_closed() {
        check("rust", "fn f() {\n    ˇ\n}\n", "if a {\n        b();", "if a {\n        b();\n    }");
        check(
            "typescript",
            "ˇ\n",
            "each(items, (item) => {\n  work(item);",
            "each(items, (item) => {\n  work(item);\n})",
        );
        check("go", "package a\n\nvar x = ˇ\n", "f(g(1, 2", "f(g(1, 2))");
    }

    #[test]
    fn lines_that_break_the_code_go() {
        check("rust", "fn f() {\n    ˇ\n}\n", "a();\n    b(;\n    c();", "a();");
        check("rust", "fn f() {\n    ˇ\n}\n", "a();\n    if b {", "a();");
        check("python", "def f():\n    ˇ\n", "a = 1\n    b = = 2", "a = 1");
        check("ruby", "def f\n  ˇ\nend\n", "work\n  if a", "work");
    }

    #[test]
    fn code_that_follows_keeps_its_line() {
        check("typescript", "ˇexport class T {}\n", "@a\n", "@a\n");
        check("rust", "fn f() {\n    ˇc();\n}\n", "a();\n    b(;\n    ", "a();\n    ");
        check(
            "rust",
            "fn f() {\n    ˇc();\n}\n",
            "if a {\n        b();\n    ",
            "if a {\n        b();\n    }\n    ",
        );
        check("rust", "fn f() {\n    ˇc();\n}\n", "if a {\n    ", "refused: syntax");
    }

    #[test]
    fn nothing_is_left_of_a_line_that_breaks_the_code() {
        check("rust", "fn f() {\n    ˇ\n}\n", "let = = 3;", "refused: syntax");
        check("rust", "fn f() {\n    ˇ\n}\n", "if a {", "refused: syntax");
    }

    #[test]
    fn a_string_that_has_no_end_goes() {
        let after = "\n    g(\"\");\n    h(\"\");\n}\n";
        let rust = format!("fn f() {{\n    ˇ{after}");
        check("rust", &rust, "a();\n    let name = \"unfin", "a();");
        check("rust", &rust, "let name = \"unfin", "refused: syntax");
        check("rust", &format!("fn f() {{\n    let name = \"ˇ{after}"), "unfin", "unfin");
        check("rust", "fn f() {\n    g(\"ˇ\");\n}\n", "a", "a");
        check("rust", &rust, "let a: &'a str = \"é\"; // don't", "let a: &'a str = \"é\"; // don't");
        check("markdown", "# A\n\nˇ\n", "he said \"it", "he said \"it");
    }

    #[test]
    fn errors_that_were_there_do_not_count() {
        check("rust", "fn g( {}\nfn f() {\n    ˇ\n}\n", "a();", "a();");
    }
}
