//! Ends a suggestion at a bracket that is already closed.
//!
//! Editors that pair brackets insert the closer before the model writes it; others do not. So the brackets
//! open at the cursor are matched against the code below it, and the suggestion may close only those that are
//! not closed there.

use super::View;
use crate::edit::lexer::{Scanner, Token};

/// Returns the offset at which the suggestion closes a bracket or string that the file closes already.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let mut scanner = Scanner::new(&view.syntax);
    scanner.scan(view.prefix, |_, _| true);
    let mut open = view.open().to_vec();
    let mut strings = 0;
    let mut end = text.len();
    let inside = scanner.in_string();
    scanner.scan(text, |at, token| {
        match token {
            Token::Open(closer) => open.push(closer),
            Token::Close(closer) if open.last() == Some(&closer) => _ = open.pop(),
            Token::Close(_) => {
                end = at;
                return false;
            }
            // The cursor is inside a string whose closing quote is already in the file.
            Token::Quote(quote) => {
                strings += 1;
                if strings == 1 && inside && view.rest.starts_with(quote) {
                    end = at;
                    return false;
                }
            }
            Token::Line => {}
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
        check("foo(bar(ˇ))", "a), b)", "a");
        check("foo(bar(ˇ))", "abc), b)", "abc");
        check("foo(bar(ˇ))", "), b)", "refused: closes-again");
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
