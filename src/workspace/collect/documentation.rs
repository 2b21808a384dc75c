//! The line that documents a definition: from a string inside it, or from the comment above it.

use crate::grammar::Comments;

/// Maximum number of lines above a definition that are searched for its documentation.
pub(super) const MOST_DOC_LINES: usize = 60;

/// The first line of a docstring.
pub(super) fn docstring(literal: &str) -> &str {
    let text = literal.trim_start_matches(|letter: char| letter.is_alphabetic());
    let quotes = text.trim_start_matches(['"', '\'']);
    let text = quotes.trim_end_matches(['"', '\'']);
    first_line(text)
}

/// The first line of the comment that ends right above a line; attributes may lie between.
pub(super) fn comment_above<'a>(above: &'a str, comments: &Comments) -> &'a str {
    let mut first = "";
    let mut closed_by: Option<&(String, String)> = None;
    for line in above.lines().rev().take(MOST_DOC_LINES).map(str::trim) {
        if let Some((open, _)) = closed_by {
            let begins = line.strip_prefix(open.as_str());
            let text = begins.unwrap_or(line).trim_start_matches(['*', '!']).trim();
            if !text.is_empty() {
                first = text;
            }
            if begins.is_some() {
                return first;
            }
            continue;
        }
        if line.starts_with("#[") && line.ends_with(']') || line.starts_with('@') {
            if first.is_empty() {
                continue;
            }
            return first;
        }
        let token = comments.line.iter().filter(|it| line.starts_with(it.as_str())).max_by_key(|it| it.len());
        if let Some(token) = token {
            let text = line[token.len()..].trim_matches(['/', '*', '-', '#', '=', ' ']);
            if !text.is_empty() {
                first = text;
            }
            continue;
        }
        if !first.is_empty() {
            return first;
        }
        closed_by = comments.block.iter().find(|(_, close)| line.ends_with(close.as_str()));
        let Some((open, close)) = closed_by else { return "" };
        let text = line.strip_suffix(close.as_str()).unwrap_or(line).trim_end();
        let begins = text.strip_prefix(open.as_str());
        let text = begins.unwrap_or(text).trim_matches(['*', '!', ' ']);
        if begins.is_some() {
            return text;
        }
        first = text;
    }
    // A comment that begins too far above is not documentation.
    if closed_by.is_some() { "" } else { first }
}

/// The first line of a text, trimmed.
pub(super) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}
