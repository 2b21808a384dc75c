//! Corrects a suggestion's indentation.
//!
//! Indentation already typed is dropped, lines indented from column zero move to the cursor's column, and
//! tabs or spaces follow the file.

use std::borrow::Cow;

use super::View;
use super::style::IndentStyle;
use crate::edit::lexer::Token;
use crate::edit::line;

/// Returns the suggestion indented like the file.
pub(super) fn fit(view: &View<'_>, text: &str) -> String {
    let text = without_typed(view, text);
    let text = in_file_style(view, text);
    if line::is_blank(view.prefix) && counts_from_zero(view, &text) {
        reindented(view, &text, |blanks, _| [view.prefix, blanks].concat())
    } else {
        text.into_owned()
    }
}

/// Drops leading whitespace of the first line that is already before the cursor.
fn without_typed<'t>(view: &View<'_>, text: &'t str) -> &'t str {
    let is_indented = line::is_blank(view.prefix) && !view.prefix.is_empty();
    // The code begins on the line that is indented for it, not below.
    let blank = if is_indented { text.len() - text.trim_start().len() } else { 0 };
    let text = &text[text[..blank].rfind(['\n', '\r']).map_or(0, |end| end + 1)..];
    let blanks = line::indent(text);
    if blanks.is_empty() || view.prefix.is_empty() {
        return text;
    }
    if line::is_blank(view.prefix) {
        // A first line indented deeper than the cursor keeps the difference.
        return match blanks.strip_prefix(view.prefix) {
            Some(deeper) => &text[blanks.len() - deeper.len()..],
            None => &text[blanks.len()..],
        };
    }
    if view.prefix.ends_with([' ', '\t']) { &text[blanks.len()..] } else { text }
}

/// Converts the indentation of all lines but the first to the file's style.
///
/// Only applies if the window mostly uses the other kind of whitespace.
fn in_file_style<'t>(view: &View<'_>, text: &'t str) -> Cow<'t, str> {
    let lines = || line::split_iter(text).skip(1).filter(|line| !line::is_blank(line));
    let IndentStyle { tabs, spaces, step } = view.style();
    if tabs > spaces && lines().any(|line| line.starts_with(' ')) {
        let is_counted = |line: &&str| line.starts_with(' ') && !is_in_comment(line);
        let smallest = || lines().filter(is_counted).map(line::width).min().unwrap_or(4).clamp(1, 8);
        // The line that closes the first line's bracket is as deep as the cursor's.
        let typed = line::indent(view.prefix).matches('\t').count();
        let closing = closing_line(view, text).map(line::width).filter(|width| *width > 0 && typed > 0);
        let unit = match closing.map(|width| width / typed) {
            Some(unit @ 1..=8) => unit,
            _ => Some(smallest()).filter(|unit| *unit < 8).unwrap_or(4),
        };
        Cow::Owned(reindented(view, text, |blanks, rest| match (line::width(blanks), is_in_comment(rest)) {
            (width, true) => "\t".repeat(width / unit) + &" ".repeat(width % unit),
            // A remainder rounds up to a whole tab.
            (width, false) => "\t".repeat(width.div_ceil(unit)),
        }))
    } else if spaces > tabs && lines().any(|line| line.starts_with('\t')) {
        Cow::Owned(reindented(view, text, |blanks, _| blanks.replace('\t', &" ".repeat(step))))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether a line goes on with a block comment, in which a star is a blank behind the column of the code.
fn is_in_comment(line: &str) -> bool {
    line.trim_start().starts_with('*')
}

/// Whether the lines after the first are indented as if the cursor were in column zero.
fn counts_from_zero(view: &View<'_>, text: &str) -> bool {
    let typed = line::width(view.prefix);
    let mut lines = line::split_iter(text).map(line::body);
    let (Some(first), Some(second)) = (lines.next(), lines.find(|line| !line::is_blank(line))) else {
        return false;
    };
    if typed == 0 || line::is_blank(first) {
        return false;
    }
    // A block opened by a colon is indented deeper than the line that opens it.
    if first.trim_end().ends_with(':') && line::width(second) > 0 && line::width(second) <= typed {
        return true;
    }
    closing_line(view, text).is_some_and(|line| line::indent(line).is_empty())
}

/// Returns the line that begins with the closer of the bracket opened on the first line: it is in that line's column.
fn closing_line<'t>(view: &View<'_>, text: &'t str) -> Option<&'t str> {
    let first_end = line::first_end(text);
    let mut depth = 0_usize;
    let mut closes_at = None;
    view.scanner().scan(text, |at, token| {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => {
                depth = depth.saturating_sub(1);
                if depth == 0 && at > first_end {
                    closes_at = Some(at);
                    return false;
                }
            }
            Token::Line if at < first_end && depth == 0 => return false,
            Token::Quote(_) | Token::Line => {}
        }
        true
    });
    let blanks = line::last_partial(&text[..closes_at?]);
    line::is_blank(blanks).then(|| &text[closes_at.unwrap_or(0) - blanks.len()..])
}

/// The text with another indentation of each line but the first, given its blanks and the rest of it. Lines that begin
/// in a string of the text stay: their blanks are part of it.
fn reindented(view: &View<'_>, text: &str, indent: impl Fn(&str, &str) -> String) -> String {
    let mut result = String::with_capacity(text.len() + 32);
    let mut scanner = view.scanner();
    for (number, line) in line::split_iter(text).enumerate() {
        let (blanks, rest) = line.split_at(line::indent(line).len());
        if number == 0 || line::is_blank(line) || scanner.in_own_string() {
            result.push_str(line);
        } else {
            result.push_str(&indent(blanks, rest));
            result.push_str(rest);
        }
        scanner.scan(line, |_, _| true);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn typed_blanks_are_not_typed_again() {
        check("fn f() {\n    ˇ\n}", "    let a = 1;\n    a", "let a = 1;\n    a");
        check("let a = ˇ", " 11;", "11;");
        check("let a =ˇ", " 11;", " 11;");
        check("fn f() {\n  ˇ\n}", "      .map(x)", "    .map(x)");
        check("def f():\n    ˇ\n", "\n    return x", "return x");
        check("def f():\n    ˇ\n", "\n\n    return x", "return x");
    }

    #[test]
    fn lines_that_count_from_zero_move() {
        check("fn f() {\n    ˇ\n}", "if a {\n    b();\n}", "if a {\n        b();\n    }");
        check("fn f() {\n    ˇ\n}", "if a {\n  b();\n}", "if a {\n      b();\n    }");
        check("def f():\n    ˇ\n", "if a:\n    b()", "if a:\n        b()");
        check("fn f() {\n    ˇ\n}", "if a {\n        b();\n    }", "if a {\n        b();\n    }");
    }

    #[test]
    fn tabs_and_spaces_follow_the_file() {
        check("func f() {\n\tˇ\n}", "if a {\n        b()\n    }", "if a {\n\t\tb()\n\t}");
        check("def f():\n  a = 1\n  ˇ\n", "if a:\n\t\tb()", "if a:\n    b()");
        let block = "if a {\n\t\tb()\n\t}";
        check("func f() {\n\tˇ\n}", "if a {\n                b()\n        }", block);
        let block = "if a {\n\t\t\tb()\n\t\t}";
        check("func f() {\n\tfor {\n\t\tˇ\n\t}\n}", "if a {\n      b()\n    }", block);
    }

    #[test]
    fn strings_and_stars_of_comments_keep_their_blanks() {
        check("func f() {\n\ta := ˇ\n}", "`a\n  b\n    c`", "`a\n  b\n    c`");
        check("def f():\n    a = ˇ\n", "\"\"\"a\n\tb\"\"\"", "\"\"\"a\n\tb\"\"\"");
        check(
            "function f() {\n    ˇ\n}",
            "if (a) {\n    log(`x\ny`);\n}",
            "if (a) {\n        log(`x\ny`);\n    }",
        );
        check("class A {\n\tint a;\n}\n/*\n * Oneˇ\n */\n", " two.\n * Three.", " two.\n * Three.");
        check(
            "class A {\n\tˇ\n}",
            "/**\n     * One.\n     */\n    int a;",
            "/**\n\t * One.\n\t */\n\tint a;",
        );
    }
}
