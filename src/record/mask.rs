//! Masks probable keys without changing offsets.

use std::ops::Range;

use ropey::Rope;

use super::entry::Replacement;
use crate::privacy::{self, TextKind};

/// Lines around a range that may show it to be in a secret: a key may have a line for its name and many lines itself.
const LINES: usize = 24;
/// Bytes of these lines.
const MOST_BYTES: usize = 64 * 1024;

/// Replaces each UTF-16 unit of probable keys by an `x`.
pub(super) fn masked(text: String, kind: TextKind) -> String {
    let found = privacy::find_in(&text, kind);
    if found.is_empty() {
        return text;
    }
    let (mut masked, mut from) = (String::with_capacity(text.len()), 0);
    for secret in found {
        masked.push_str(&text[from..secret.span.start]);
        masked.push_str(&covered(&text[secret.span.clone()]));
        from = secret.span.end;
    }
    masked.push_str(&text[from..]);
    masked
}

/// Replaces a text by `x`s, keeping its line ends and its length in UTF-16 units.
pub(super) fn covered(text: &str) -> String {
    let cover = |sign: char| match sign {
        '\n' | '\r' => sign.to_string(),
        sign => "x".repeat(sign.len_utf16()),
    };
    text.chars().map(cover).collect()
}

/// Whether a byte range of a text touches a probable key.
pub(super) fn touches_secret(text: &Rope, kind: TextKind, span: &Range<usize>) -> bool {
    let line = |byte: usize| text.byte_to_line(byte.min(text.len_bytes()));
    let start =
        text.line_to_byte(line(span.start).saturating_sub(LINES)).max(span.start.saturating_sub(MOST_BYTES));
    let end = text.line_to_byte((line(span.end) + LINES + 1).min(text.len_lines()));
    let end = end.min(span.end.saturating_add(MOST_BYTES)).min(text.len_bytes());
    // A slice must begin and end at character boundaries.
    let [start, end] = [start, end].map(|byte| text.char_to_byte(text.byte_to_char(byte)));
    let around = text.byte_slice(start..end.max(start)).to_string();
    privacy::find_in(&around, kind)
        .iter()
        .any(|secret| start + secret.span.start <= span.end && span.start <= start + secret.span.end)
}

/// Masks a suggestion that would be part of a probable key.
pub(super) fn cover_shown(text: &Rope, kind: TextKind, (start, end, new): &mut Replacement) {
    let char_at = |unit: usize| text.utf16_cu_to_char(unit.min(text.len_utf16_cu()));
    let chars = char_at(*start)..char_at(*end).max(char_at(*start));
    let mut after = text.clone();
    after.remove(chars.clone());
    after.insert(chars.start, new);
    let byte = after.char_to_byte(chars.start);
    if touches_secret(&after, kind, &(byte..byte + new.len())) {
        *new = covered(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Assembled here, so that this file contains no key.
    fn key() -> String {
        format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
    }

    #[test]
    fn keys_are_covered_and_offsets_stay() {
        let text = format!("a = \"猫\"\nkey = \"{}\"\nb = 1\n", key());
        let masked = masked(text.clone(), TextKind::Code);
        assert!(!masked.contains(&key()) && masked.contains("b = 1"), "{masked}");
        assert_eq!(masked.encode_utf16().count(), text.encode_utf16().count());
        assert_eq!(covered("a猫𝄞\n"), "xxxx\n");
    }

    #[test]
    fn place_in_a_key_is_known_by_what_is_around_it() {
        let text = format!("a = 1\nkey = \"{}\"\nb = 1\n", key());
        let rope = Rope::from_str(&text);
        let at = |part: &str| text.find(part).map(|at| at..at + part.len()).unwrap();
        assert!(touches_secret(&rope, TextKind::Code, &at("E5f6")));
        assert!(!touches_secret(&rope, TextKind::Code, &at("b = 1")));
        assert!(!touches_secret(&Rope::from_str(""), TextKind::Code, &(0..0)));
    }
}
