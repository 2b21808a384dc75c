//! Keeps a suggestion from breaking the code around it.
//!
//! Shows as much of it as possible without a new syntax error.
//!
//! Unlike the filters of the chain, this step uses a parser. It therefore checks only the finished
//! suggestion, outside of the serving thread.

use super::{CursorContext, View};
use crate::edit::lexer::Token;
use crate::edit::{Refusal, line};
use crate::grammar::Grammar;

/// Maximum number of shorter prefixes to try.
const MOST_TRIES: usize = 12;

/// The syntax errors of a file with a text at the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errors {
    /// All of them.
    pub all: usize,
    /// Those that begin inside of the text.
    pub inside: usize,
}

/// Returns as much of a suggestion as fits at `context` without a new syntax error.
///
/// This is all of it, all of it with its open brackets closed, or as many whole lines as fit.
///
/// `errors` counts the syntax errors of the file with the given text at the cursor. The caller provides it
/// because it has a tree at hand. It is called for the whole suggestion first, and usually for nothing else.
///
/// # Errors
///
/// [`Refusal::Syntax`] if not even the first line fits.
pub fn sound(
    context: CursorContext<'_>,
    text: String,
    errors: &mut dyn FnMut(&str) -> Option<Errors>,
) -> Result<String, Refusal> {
    let view = View::new(context);
    // Most suggestions leave no error at all, whatever errors the file had before.
    let found = match ends_in_string(&view, &text) {
        true => None,
        false => match errors(&text) {
            None | Some(Errors { all: 0, .. }) => return Ok(text),
            found => found,
        },
    };
    let Some(Errors { all: known, .. }) = errors("") else { return Ok(text) };
    let found = found.map_or(known + 1, |found| found.all);
    // A parser takes the opening quote of the next string, however far below, as the end of this one, and
    // reports no error between the two.
    let mut errors = |text: &str| match ends_in_string(&view, text) {
        true => None,
        false => errors(text),
    };
    // Code after the cursor keeps its own line.
    let line_end = view.line_end(&text);
    let body = &text[..text.len() - line_end.len()];
    // In code that is already broken, closing the open brackets is worthwhile only if it removes an error, and an
    // error of the suggestion may take the place of another.
    if let Some(closed) = closed(&view, body).map(|closed| closed + line_end)
        && errors(&closed)
            .is_some_and(|errors| errors.all <= known && errors.all < found && errors.inside == 0)
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
        if errors(&shorter).is_some_and(|errors| errors.all <= known && errors.inside == 0) {
            return Ok(shorter);
        }
    }
    Err(Refusal::Syntax { before: known, after: found })
}

/// Whether a suggestion opens a string that is still open at the end of the cursor's line.
fn ends_in_string(view: &View<'_>, text: &str) -> bool {
    let mut scanner = view.scanner();
    // Quotes have no meaning in prose.
    if scanner.in_string() || view.context.grammar.is_some_and(Grammar::is_prose) {
        return false;
    }
    scanner.scan(text, |_, _| true);
    scanner.scan(view.rest, |_, _| true);
    // A single quote may be an apostrophe in a comment or the start of a lifetime.
    scanner.quote().is_some_and(|quote| !quote.starts_with('\''))
}

/// Closes the brackets that the suggestion left open, unless it ends right after an opening brace.
///
/// A block cut at the line cap thus gets its closer, with which the next suggestion would have begun.
fn closed(view: &View<'_>, text: &str) -> Option<String> {
    let mut scanner = view.scanner();
    let mut open: Vec<(char, usize)> = Vec::new();
    scanner.scan(text, |at, token| {
        match token {
            Token::Open(closer) => open.push((closer, at)),
            Token::Close(_) => _ = open.pop(),
            Token::Quote(_) | Token::Line => {}
        }
        true
    });
    if open.is_empty() || scanner.in_string() {
        return None;
    }
    let mut result = text.to_owned();
    // The line that the result ends in. Brackets opened on the same line are closed on the same line.
    let mut line = line_start(text, text.len());
    for (closer, at) in open.into_iter().rev() {
        let start = line_start(text, at);
        if start != line {
            let head = if start == 0 { view.prefix } else { &text[start..] };
            result.push_str(line::usual_ending(view.context.before));
            result.push_str(line::indent(head));
            line = start;
        } else if closer == '}' && at == text.len() - 1 {
            // The block is still empty, so a closer would suggest code that was never written.
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
    use super::super::CursorFacts;
    use super::*;
    use crate::document::{Document, DocumentId};
    use crate::grammar;

    /// Checks what `sound` leaves of `text` at `ˇ`.
    #[track_caller]
    fn check(language: &str, marked: &str, text: &str, expected: &str) {
        let grammar = grammar::by_language_id(language).unwrap();
        let (before, after) = marked.split_once('ˇ').unwrap();
        let context = CursorContext {
            before,
            after,
            grammar: Some(grammar),
            max_lines: 8,
            facts: &CursorFacts::default(),
        };
        let base = Document::new(DocumentId::new(""), language, 0, &[before, after].concat());
        let at = before.len();
        let mut errors = |text: &str| {
            let (all, inside) = base.with(at..at, text).syntax_errors_in(&(at..at + text.len()), true)?;
            Some(Errors { all, inside })
        };
        let outcome = sound(context, text.to_owned(), &mut errors)
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
        // Nor does an error of the suggestion stand in for one of them.
        check("python", "def f(x):\n    a = (ˇ\n", "x)\n    b = = 2\n    c = = 3", "x)");
    }
}
