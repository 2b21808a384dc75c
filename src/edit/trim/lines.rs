//! Limits the number of lines in a suggestion.
//!
//! Before code on the same line there is room for one line only, except for whole lines above that code. A construct
//! that begins in the suggestion and is not much longer than the limit is shown whole: no part of it would be code.

use super::View;
use super::statement::{closes_block, goes_on_with_block};
use crate::edit::lexer::Token;
use crate::edit::line;

/// How many times the limit a construct may have in lines.
const MOST_TIMES: usize = 3;

/// Returns the offset at which the last allowed line ends.
pub(super) fn end(view: &View<'_>, text: &str) -> usize {
    let code_follows = view
        .rest
        .contains(|sign| !matches!(sign, ')' | ']' | '}' | '"' | '\'' | '`' | ';' | ',' | ':' | ' '));
    let is_before_line = view.is_before_line();
    // An incomplete last line would run into the code.
    let text = match text.rfind(['\n', '\r']) {
        Some(last) if is_before_line => &text[..=last],
        _ => text,
    };
    let is_one_line = code_follows && !is_before_line;
    let limit = view.context.max_lines;
    let most = if is_one_line { 1 } else { limit.max(1) };
    let first = line::first_partial(text);
    // A suggestion that starts with a line end has an empty first line.
    let most = if line::is_blank(first) && !code_follows { most + 1 } else { most };
    let farthest = match limit {
        _ if is_one_line => limit,
        0 | 1 => most,
        _ => most * MOST_TIMES,
    };
    let own_column = match line::split_iter(text).find(|line| !line::is_blank(line)) {
        Some(line) if line::is_blank(first) => line::width(line),
        _ => line::width(view.prefix).max(line::width(first)),
    };
    let mut scanner = view.scanner();
    let mut depth = 0_usize;
    // The end of the last line within the limit.
    let (mut end, mut limited) = (0, None);
    for (number, whole) in line::split_iter(text).enumerate() {
        let body = line::body(whole);
        let begins = depth == 0
            && !scanner.in_own_string()
            && !line::is_blank(body)
            && line::width(body) <= own_column;
        // A line that begins anew ends the construct above, unless it belongs to that.
        if limited.is_some() && begins && !goes_on_with_block(body) {
            return text[..end].trim_end_matches(['\n', '\r']).len();
        }
        scanner.scan(whole, |_, token| {
            match token {
                Token::Open(_) => depth += 1,
                Token::Close(_) => depth = depth.saturating_sub(1),
                Token::Quote(_) | Token::Line => {}
            }
            true
        });
        let is_closed = depth == 0 && !scanner.in_own_string();
        let is_own = !line::is_blank(body) && line::width(body) <= own_column;
        let is_over =
            is_closed && (is_one_line || is_own && (closes_block(body) || !goes_on_with_block(body)));
        if number + 1 >= most {
            let last = end + body.len();
            if is_over {
                return last;
            }
            limited.get_or_insert(last);
            if number + 1 >= farthest {
                // Before code, nothing completes a list whose rest is dropped, and its brackets would be closed empty.
                return if is_one_line { 0 } else { limited.unwrap_or(last) };
            }
        }
        end += whole.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn the_cap() {
        let reply = (0..20).map(|n| format!("step({n});\n")).collect::<String>();
        let expected = (0..8).map(|n| format!("step({n});\n")).collect::<String>();
        check("ˇ", &reply, expected.trim_end());
        check("fn f() {ˇ", "\n    a();\n    b();\n}", "\n    a();\n    b();\n}");
    }

    #[test]
    fn a_construct_that_begins_before_the_cap_is_shown_whole() {
        let steps = |count: usize| (0..count).map(|n| format!("    step({n})\n")).collect::<String>();
        let whole = |text: String| check("ˇ", &[&text, "\nother\n"].concat(), &text);
        whole(format!("def f\n{}end", steps(12)));
        whole(format!("[\n{}]", steps(12)));
        whole(format!("do {{\n{}}} while (a);", steps(12)));
        whole(format!("if a:\n{}else:\n    b()", steps(12)));
        whole(format!("<p>\n{}</p>", steps(12)));
        let python = format!("def f():\n{}", steps(12));
        check("ˇ", &python, python.trim_end());
        check("ˇ", &format!("def f():\n{}", steps(30)), format!("def f():\n{}", steps(7)).trim_end());
        let after = format!("step()\nif a:\n{}", steps(9));
        check("ˇ", &after, after.trim_end());
    }

    #[test]
    fn before_code_one_line() {
        check("let a = ˇ + tail(b)\n", "first()\nsecond()", "first()");
        check("x = ˇ + 1\n", "g(\n    a,\n    b,\n)\nmore()", "g(\n    a,\n    b,\n)");
        check("foo(ˇ);\n", "|| {\n    a();\n}", "|| {\n    a();\n}");
    }
}
