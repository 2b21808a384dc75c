//! Ends a suggestion where the cursor's scope ends.
//!
//! The scope is determined by brackets, by indentation, and by a blank line outside of blocks.

use super::View;
use super::measure::width;
use crate::edit::lexer::{Scanner, Token};
use crate::edit::line;

/// Line starts that continue a block that has just been closed.
const CONTINUATIONS: [&str; 12] =
    ["else", "elif", "catch", "except", "finally", "rescue", "ensure", "while ", "}", ")", "]", "."];

/// Returns the offset at which the scope ends.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let mut scanner = Scanner::new(&view.syntax);
    scanner.scan(view.prefix, |_, _| true);
    let mut depth = 0_usize;
    let mut closed_outer = false;
    let mut open = view.open().to_vec();
    let mut reference = (!line::is_blank(view.prefix)).then(|| width(view.prefix));
    let mut opens_block = ends_with_colon(view.prefix);
    let mut kept = 0;
    let mut at = 0;
    let mut seen = false;
    let mut blank_since = None;
    for (number, whole) in line::split_iter(text).enumerate() {
        let body = line::body(whole);
        let column = if number == 0 { width(view.prefix).max(width(body)) } else { width(body) };
        // The blanks and the blank lines of a string show no scope.
        if scanner.in_string() {
            blank_since = None;
        } else if line::is_blank(body) {
            if seen && depth == 0 && number > 0 {
                blank_since.get_or_insert(kept);
            }
        } else {
            if let Some(reference) = reference.filter(|_| number > 0 && depth == 0) {
                let goes_on = CONTINUATIONS.iter().any(|start| body.trim_start().starts_with(start));
                let out = column < reference && !goes_on
                    || opens_block && seen && column <= reference && !goes_on
                    || closed_outer && column <= reference && !goes_on;
                if out || (blank_since.is_some() && column <= reference) {
                    return blank_since.unwrap_or(kept);
                }
            }
            reference = reference.or(Some(column));
            blank_since = None;
            seen = true;
        }
        let mut inner = depth;
        scanner.scan(whole, |_, token| {
            match token {
                Token::Open(_) => inner += 1,
                // What follows a closer that the file lacks is in the block around.
                Token::Close(closer) if inner == 0 && column > 0 && open.last() == Some(&closer) => {
                    open.pop();
                    (reference, opens_block) = (Some(column), false);
                }
                Token::Close(_) if inner == 0 => closed_outer = true,
                Token::Close(_) => inner -= 1,
                Token::Quote(_) | Token::Line => {}
            }
            true
        });
        depth = inner;
        if number == 0 && !line::is_blank(body) {
            opens_block = ends_with_colon(body);
        }
        at += whole.len();
        if !line::is_blank(body) {
            kept = at;
        }
    }
    text.len()
}

/// Whether a line opens a block by indentation alone.
fn ends_with_colon(line: &str) -> bool {
    line.trim_end().ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn by_brackets() {
        check("fn f() ˇ\n", "{\n    work();\n}\n\nfn g() {\n    rest();\n}\n", "{\n    work();\n}");
        check("fn f() {ˇ\n", "\n    work();\n}\nfn g() {}\n", "\n    work();\n}");
        check("if a {ˇ\n", "\n    b();\n} else {\n    c();\n}\nd();", "\n    b();\n} else {\n    c();\n}");
    }

    #[test]
    fn lines_of_a_string_have_no_scope() {
        let text = "\"\"\"One.\n\nTwo:\n    three\n    \"\"\"\n    return a";
        check("def f():\n    ˇ\n", &format!("{text}\n\ndef g():\n    pass"), text);
        check("func f() {\n\ta := ˇ\n}", "`a\n\nb\n`", "`a\n\nb\n`");
    }

    #[test]
    fn closer_that_the_file_lacks_leads_to_the_block_around() {
        let go = "func f() {\n\tif a {\n\t\treturn\n\tˇ\n\tfor b {\n\t}\n}\n";
        check(go, "}\n\tvar n int", "}\n\tvar n int");
        check("def g(a):\n    for x in f(ˇ\n        h(x)\n    return 2\n", "a):", "a):");
        check("def f(a):\n    g(aˇ\n    return 1\n", ")\n    h(a)", ")\n    h(a)");
        check("func f() {\n\tif a {\n\t\treturn x\nˇ", "\t}\n\treturn nil\n}", "\t}\n\treturn nil\n}");
        check("fn f() {\n    ˇ\n", "work();\n}\n\nfn g() {}\n", "work();\n}");
    }

    #[test]
    fn by_indentation() {
        check(
            "def f():ˇ\n",
            "\n    a = 1\n\n    return a\n\n\ndef g():\n    pass",
            "\n    a = 1\n\n    return a",
        );
        check("def f():\n    ˇ\n", "return 1\ndef g():\n    pass", "return 1");
        check(
            "class A:\n    def f(self):\n        ˇ\n",
            "if x:\n            y()\n    def g(self):",
            "if x:\n            y()",
        );
    }

    #[test]
    fn at_a_blank_line_outside_blocks() {
        check("    ˇ\n", "one();\n    two();\n\n    three();", "one();\n    two();");
        check(
            "    ˇ\n",
            "f(|| {\n        one();\n\n        two();\n    });",
            "f(|| {\n        one();\n\n        two();\n    });",
        );
    }
}
