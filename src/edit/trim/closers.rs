//! Ends a suggestion where it closes what is closed already.
//!
//! Editors that pair brackets have the closer on the page before the model writes it; others do not. So the brackets
//! open at the cursor are matched against what stands below: only those that nothing closes may be closed by the
//! suggestion.

use super::lexer::{Lexis, Scanner, Sign};
use super::{View, width};
use crate::edit::line;

/// Closers of the brackets that stand open at the cursor and that nothing below closes, innermost last. What follows
/// the first bracket that *is* closed below, seen from the cursor, is out of the suggestion's reach.
pub(super) fn open_at(before: &str, after: &str, lexis: &Lexis<'_>) -> Vec<char> {
    let mut opened: Vec<(char, usize)> = Vec::new();
    Scanner::new(lexis).scan(before, |at, sign| {
        match sign {
            Sign::Open(closer) => opened.push((closer, at)),
            Sign::Close(closer) => {
                if let Some(found) = opened.iter().rposition(|(open, _)| *open == closer) {
                    opened.truncate(found);
                }
            }
            Sign::Quote(_) | Sign::Line => {}
        }
        true
    });
    if opened.is_empty() {
        return Vec::new();
    }
    let mut waiting = Vec::new();
    let mut closing: Vec<(char, usize)> = Vec::new();
    Scanner::new(lexis).scan(after, |at, sign| {
        match sign {
            Sign::Open(closer) => waiting.push(closer),
            Sign::Close(closer) if waiting.last() == Some(&closer) => _ = waiting.pop(),
            Sign::Close(closer) if waiting.is_empty() => closing.push((closer, at)),
            _ => {}
        }
        closing.len() < opened.len()
    });
    let line_width = |text: &str, at: usize| width(line::last_partial(&text[..at]));
    let same_line = line::first_partial(after).len();
    let mut open = Vec::new();
    for (closer, at) in opened.into_iter().rev() {
        let closed = match closing.first() {
            // A closer right of the cursor belongs to the innermost bracket; one below, to the bracket whose line is
            // indented alike.
            Some((found, place)) => {
                *found == closer
                    && (*place < same_line || line_width(after, *place) == opener_width(before, at))
            }
            // Deeper lines below: the closer is out of sight, but it is there.
            None => {
                let below = line::split_iter(&after[same_line..]).find(|line| !line::is_blank(line));
                below.is_some_and(|below| width(below) > opener_width(before, at))
            }
        };
        if closed {
            break;
        }
        open.push(closer);
    }
    open.reverse();
    open
}

/// The indentation of the line that a bracket stands on.
fn opener_width(before: &str, at: usize) -> usize {
    let start = before[..at].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    width(&before[start..])
}

/// Where the suggestion closes something that it did not open and that is closed on the page.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let mut scanner = Scanner::new(&view.lexis);
    scanner.scan(view.prefix, |_, _| true);
    let mut open = view.open.clone();
    let mut strings = 0;
    let mut end = text.len();
    let inside = scanner.in_string();
    scanner.scan(text, |at, sign| {
        match sign {
            Sign::Open(closer) => open.push(closer),
            Sign::Close(closer) if open.last() == Some(&closer) => _ = open.pop(),
            Sign::Close(_) => {
                end = at;
                return false;
            }
            // The cursor stood inside a string whose closing quote is on the page.
            Sign::Quote(quote) => {
                strings += 1;
                if strings == 1 && inside && view.rest.starts_with(quote) {
                    end = at;
                    return false;
                }
            }
            Sign::Line => {}
        }
        true
    });
    end
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn with_paired_brackets() {
        check("foo(ˇ)", "a, b)", "a, b");
        check("foo(ˇ);", "a, b);", "a, b");
        check("foo(ˇ)", "bar(a), b)", "bar(a), b");
        check("foo(bar(ˇ))", "a), b)", "refused: empty");
        check("foo(bar(ˇ))", "abc), b)", "abc");
        check("x = [ˇ]", "1, 2]", "1, 2");
        check("print(\"ˇ\")", "hello\")", "hello");
        check("fn f() {ˇ}", " 1 + 1 }", " 1 + 1 ");
        check("fn f() {\n    ˇ\n}\n", "work();\n}", "work();");
        check("fn f() {\n    if x {\n        ˇ\n    }\n}\n", "work();\n    }\n}", "work();");
    }

    #[test]
    fn without_paired_brackets() {
        check("foo(ˇ", "a, b);", "a, b);");
        check("print(\"ˇ", "hello\")", "hello\")");
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
