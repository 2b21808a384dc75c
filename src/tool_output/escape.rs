//! Removes terminal control sequences.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';

/// The text without escape sequences.
///
/// Carriage returns and backspaces that redraw lines are removed as well.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.contains([ESCAPE, '\u{8}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([ESCAPE, '\u{8}', '\u{9b}']) {
        plain.push_str(&rest[..at]);
        let behind = &rest[at..];
        rest = match behind.strip_prefix(ESCAPE) {
            Some(behind) => after_sequence(behind),
            None => match behind.strip_prefix('\u{9b}') {
                Some(behind) => after_control(behind),
                None => &behind[1..],
            },
        };
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Skips the rest of a sequence whose escape character was read.
fn after_sequence(rest: &str) -> &str {
    let mut chars = rest.chars();
    match chars.next() {
        Some('[') => after_control(chars.as_str()),
        // A string for the terminal, such as a link or a title; it must end on the same line.
        Some(']' | 'P' | '^' | '_' | 'X') => {
            let body = chars.as_str();
            let line = body.find('\n').unwrap_or(body.len());
            match body[..line].find(['\u{7}', ESCAPE, '\u{9c}']) {
                Some(end) => {
                    let behind = &body[end..];
                    let tail =
                        behind.strip_prefix("\u{1b}\\").or_else(|| behind.strip_prefix(['\u{7}', '\u{9c}']));
                    tail.unwrap_or(behind)
                }
                None => body,
            }
        }
        Some('(' | ')' | '#' | '%') => {
            chars.next();
            chars.as_str()
        }
        Some(next) if next.is_ascii() => chars.as_str(),
        _ => rest,
    }
}

/// Skips the rest of a control sequence whose introducer was read.
fn after_control(rest: &str) -> &str {
    let parameters = rest.trim_start_matches(|it: char| matches!(it, '\u{20}'..='\u{3f}'));
    let mut chars = parameters.chars();
    match chars.next() {
        Some('\u{40}'..='\u{7e}') => chars.as_str(),
        _ => parameters,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_go_and_text_stays() {
        let check = |text: &str, plain: &str| assert_eq!(without_escapes(text), plain);
        check("plain é", "plain é");
        check("\u{1b}[1m\u{1b}[38;5;9merror\u{1b}[0m: é", "error: é");
        check("\u{1b}]8;;https://a\u{1b}\\E1\u{1b}]8;;\u{7}x", "E1x");
        check("\u{1b}]no end\nnext", "no end\nnext");
        check("\u{1b}(Ba\u{1b}", "a");
        check("\u{1b}[", "");
        check("\u{feff}a", "a");
    }
}
