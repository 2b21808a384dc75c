//! Ends a suggestion where the cursor's scope ends.
//!
//! The scope is determined by brackets, by indentation, and by a blank line outside of blocks.

use super::View;
use super::statement::goes_on_with_block;
use crate::edit::lexer::Token;
use crate::edit::line;
use crate::text::ident;

/// Line starts that continue a block that has just been closed.
const CONTINUATIONS: [&str; 12] =
    ["else", "elif", "catch", "except", "finally", "rescue", "ensure", "while ", "}", ")", "]", "."];

/// Returns the offset at which the scope ends.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let mut scanner = view.scanner();
    let mut depth = 0_usize;
    let mut closed_outer = false;
    let mut open = view.open().to_vec();
    let mut reference = (!line::is_blank(view.prefix)).then(|| line::width(view.prefix));
    let mut opens_block = ends_with_colon(view.prefix);
    let mut kept = 0;
    let mut at = 0;
    let mut seen = false;
    let mut blank_since = None;
    let mut heredoc = None;
    for (number, whole) in line::split_iter(text).enumerate() {
        let body = line::body(whole);
        let column =
            if number == 0 { line::width(view.prefix).max(line::width(body)) } else { line::width(body) };
        if number > 0 && heredoc.is_some() {
            heredoc = heredoc.filter(|end| *end != body.trim());
            at += whole.len();
            kept = at;
            continue;
        }
        heredoc = heredoc_end(body);
        // The blanks and the blank lines of a string show no scope, nor does the column of a directive or a label.
        if scanner.in_string() || number > 0 && has_own_column(view, body) {
            blank_since = None;
        } else if line::is_blank(body) {
            if seen && depth == 0 && number > 0 {
                blank_since.get_or_insert(kept);
            }
        } else {
            if let Some(reference) = reference.filter(|_| number > 0 && depth == 0) {
                let goes_on = CONTINUATIONS.iter().any(|start| body.trim_start().starts_with(start))
                    || column == reference && goes_on_with_block(body);
                let is_anew =
                    column <= reference && (opens_block && seen || closed_outer || blank_since.is_some());
                if !goes_on && (column < reference || is_anew) {
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
        // On a line of its own, the block that the first line opens is the suggestion's.
        if number == 0 && !line::is_blank(body) && !line::is_blank(view.prefix) {
            opens_block = ends_with_colon(body);
        }
        at += whole.len();
        if !line::is_blank(body) {
            kept = at;
        }
    }
    text.len()
}

/// Whether a line is a preprocessor's directive or a label, which may be in any column.
fn has_own_column(view: &View<'_>, line: &str) -> bool {
    const DIRECTIVES: [&str; 12] = [
        "define",
        "elif",
        "else",
        "endif",
        "endregion",
        "error",
        "if",
        "ifdef",
        "ifndef",
        "include",
        "pragma",
        "undef",
    ];
    let line = line.trim();
    let is_directive = |it: &str| DIRECTIVES.contains(&ident::first_partial(it.trim_start()));
    let is_label = || line.strip_suffix(':').is_some_and(ident::is_name) && view.is_in_braces();
    line.strip_prefix('#').is_some_and(is_directive) || is_label()
}

/// Returns the word that ends the heredoc which a line begins.
fn heredoc_end(line: &str) -> Option<&str> {
    let word = line.split_once("<<")?.1.trim_start_matches('<').trim_start_matches(['-', '~']);
    let word = ident::first_partial(word.trim_start_matches(['"', '\'']));
    (ident::is_name(word) && word.chars().all(|it| !it.is_lowercase())).then_some(word)
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
    fn a_block_that_the_suggestion_opens_is_one_of_its_statements() {
        let python = "if not x:\n        return None\n    return x.y";
        check("def f(x):\n    ˇ\n", python, python);
        check("a:\n  ˇ\n", "b:\n    c: 1\n  d: 2", "b:\n    c: 1\n  d: 2");
        let c = "case 1:\n        a();\n        break;\n    default:\n        b();";
        check("switch (x) {\n    ˇ\n}\n", c, c);
        check("if x:ˇ\n", "\n    a()\nb()", "\n    a()");
        check("def f\n  ˇ\nend\n", "if a\n    b\n\n  end\n  c", "if a\n    b\n\n  end\n  c");
    }

    #[test]
    fn directives_labels_and_heredocs_have_columns_of_their_own() {
        let c = "#ifdef DEBUG\n    log(a);\n#endif\n    return a;\nout:\n    free(a);";
        check("int f(int a) {\n    ˇ\n}\n", c, c);
        let shell = "cat <<EOF\nusage\n\n  -v\nEOF\n    exit 1";
        check("f() {\n    ˇ\n}\n", shell, shell);
        check("def f():\n    ˇ\n", "return 1\nname:\n    a", "return 1");
        check("int f() {\n    ˇ\n}\n", "x = a << B;\n    y();", "x = a << B;\n    y();");
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
