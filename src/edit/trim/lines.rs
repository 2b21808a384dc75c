//! Limits the number of lines in a suggestion.
//!
//! Before code on the same line there is room for one line only, except for whole lines above that code.

use super::View;
use crate::edit::lexer::{Scanner, Token};
use crate::edit::line;

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
    let most = if code_follows && !is_before_line { 1 } else { view.context.max_lines.max(1) };
    // A suggestion that starts with a line end has an empty first line.
    let most = if line::is_blank(line::first_partial(text)) && !code_follows { most + 1 } else { most };
    let mut end = 0;
    let mut scanner = (code_follows && !is_before_line).then(|| Scanner::new(&view.syntax));
    let mut open = Vec::new();
    for (number, whole) in line::split_iter(text).enumerate() {
        if let Some(scanner) = &mut scanner {
            scanner.scan(whole, |_, token| {
                match token {
                    Token::Open(closer) => open.push(closer),
                    Token::Close(closer) if open.last() == Some(&closer) => _ = open.pop(),
                    _ => {}
                }
                true
            });
        }
        // Before code, nothing completes a list whose rest is dropped, and its brackets would be closed empty.
        let is_within = !open.is_empty();
        if number + 1 >= most && !(is_within && number + 1 < view.context.max_lines) {
            return if is_within { 0 } else { end + line::body(whole).len() };
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
    fn before_code_one_line() {
        check("let a = ˇ + tail(b)\n", "first()\nsecond()", "first()");
        check("x = ˇ + 1\n", "g(\n    a,\n    b,\n)\nmore()", "g(\n    a,\n    b,\n)");
        check("foo(ˇ);\n", "|| {\n    a();\n}", "|| {\n    a();\n}");
    }
}
