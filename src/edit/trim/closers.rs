//! Ends a suggestion at a bracket that is already closed.
//!
//! Editors that pair brackets insert the closer before the model writes it; others do not. So the brackets
//! open at the cursor are matched against the code below it, and the suggestion may close only those that are
//! not closed there.

use super::View;
use crate::edit::lexer::{Scanner, Token};
use crate::edit::line;

/// Where a suggestion closes a bracket or string that the file closes already.
pub(super) struct ClosesAgain {
    pub(super) at: usize,
    /// Whether the sign may be no bracket of the code: it is neither directly right of the cursor nor at the start of
    /// a line. It may be part of a regular expression, or of another token that only the parser knows.
    pub(super) is_doubtful: bool,
}

/// Returns where the suggestion first closes a bracket or string that the file closes already.
///
/// Closers that may be no brackets count only if `all`.
pub(super) fn first(view: &View<'_>, text: &str, all: bool) -> Option<ClosesAgain> {
    let next = closes_next(view, text).unwrap_or(text.len());
    let mut open = view.open().to_vec();
    let mut strings = 0;
    let mut found = None;
    let mut scanner = view.scanner();
    let inside = scanner.quote();
    scanner.scan(&text[..next], |at, token| {
        match token {
            Token::Open(closer) => open.push(closer),
            Token::Close(closer) if open.last() == Some(&closer) => _ = open.pop(),
            Token::Close(_) => {
                let line = line::last_partial(&text[..at]);
                let is_first = line::is_blank(line) && (line.len() < at || line::is_blank(view.prefix));
                if is_first || all {
                    found =
                        Some(ClosesAgain { at, is_doubtful: !is_first && view.context.grammar.is_some() });
                    return false;
                }
            }
            // The cursor is inside a string whose closing quote is already in the file.
            Token::Quote(quote) => {
                strings += 1;
                // Only long strings may end on the next line.
                let below = || {
                    let long = inside.filter(|it| it.len() == 3 || *it == "`");
                    long.zip(view.next).is_some_and(|(it, next)| next.trim_start().starts_with(it))
                };
                let is_closed = view.rest.starts_with(quote) || view.rest.is_empty() && below();
                if strings == 1 && inside.is_some() && is_closed {
                    found = Some(ClosesAgain { at, is_doubtful: false });
                    return false;
                }
            }
            Token::Line => {}
        }
        true
    });
    let next = (next < text.len()).then_some(ClosesAgain { at: next, is_doubtful: false });
    found.or(next)
}

/// Returns the offset at which the suggestion closes the bracket whose closer is directly right of the cursor.
///
/// This may be the bracket of an interpolation or of a type, which the lexer does not know.
fn closes_next(view: &View<'_>, text: &str) -> Option<usize> {
    let closer = view.rest.chars().next().filter(|it| matches!(it, ')' | ']' | '}' | '>'))?;
    let mut depth = 0_usize;
    if closer == '>' {
        if !view.prefix.contains('<') {
            return None;
        }
        let is_arrow = |at: usize| text[..at].ends_with(['-', '=']);
        return text.char_indices().find_map(|(at, sign)| match sign {
            '<' => {
                depth += 1;
                None
            }
            '>' if is_arrow(at) => None,
            '>' if depth == 0 => Some(at),
            '>' => {
                depth -= 1;
                None
            }
            _ => None,
        });
    }
    let mut found = None;
    Scanner::new(&view.syntax).scan(text, |at, token| {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(it) if depth == 0 => {
                found = (it == closer).then_some(at);
                return false;
            }
            Token::Close(_) => depth -= 1,
            Token::Quote(_) | Token::Line => {}
        }
        true
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn with_paired_brackets() {
        check("foo(ˇ)", "a, b)", "a, b");
        check("foo(ˇ);", "a, b);", "a, b");
        check("foo(ˇ)", "bar(a), b)", "bar(a), b");
        check("foo(bar(ˇ))", "a), b)", "a");
        check("foo(bar(ˇ))", "abc), b)", "abc");
        check("foo(bar(ˇ))", "), b)", "refused: closes-again");
        check("x = [ˇ]", "1, 2]", "1, 2");
        check("print(\"ˇ\")", "hello\")", "hello");
        check("def f():\n    \"\"\"ˇ\n    \"\"\"", "Does it.\n    \"\"\"", "Does it.");
        check("x = `a ${ˇ}`", "name}`", "name");
        check("x: Vec<ˇ> = y", "Vec<u8>> = y", "Vec<u8>");
        check("x: Vec<ˇ>", "fn(a) -> b>", "fn(a) -> b");
        check("fn f() {ˇ}", " 1 + 1 }", " 1 + 1 ");
        check("fn f() {\n    ˇ\n}\n", "work();\n}", "work();");
        check("fn f() {\n    if x {\n        ˇ\n    }\n}\n", "work();\n    }\n}", "work();");
    }

    #[test]
    fn without_paired_brackets() {
        check("foo(ˇ", "a, b);", "a, b);");
        check("print(\"ˇ", "hello\")", "hello\")");
        check("x = [\n    \"aˇ\n    \"b\",\n]", "bc\",", "bc\",");
        check("fn f() {\n    ˇ\n", "work();\n}", "work();\n}");
        check("fn f() {\n    ˇ\n\nfn g() {}\n", "work();\n}", "work();\n}");
        check("impl A {\n    fn f() {\n        ˇ\n}\n", "work();\n    }", "work();\n    }");
        check("impl A {\n    fn f() {\n        ˇ\n}\n", "work();\n    }\n}", "work();\n    }");
    }

    #[test]
    fn closers_of_its_own_stay() {
        check("x = ˇ", "f(g(1), [2])", "f(g(1), [2])");
        check("fn f() {\n    ˇ\n}\n", "if a {\n        b();\n    }", "if a {\n        b();\n    }");
        check("say(ˇ)", "\")\", '('", "\")\", '('");
    }
}
