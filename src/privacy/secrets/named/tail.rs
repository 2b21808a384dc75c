//! The rest of an identifier after a secret's name.

use std::ops::Range;

use super::super::rules::OTHER_TAILS;

/// The kind of the rest of an identifier after a secret's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    None,
    /// Words after which it still names a secret.
    Plain,
    /// Words after which it names something else: `password_file`, `tokenizer`.
    Other,
}

impl Tail {
    pub(super) fn of(bytes: &[u8], hit: &Range<usize>, tail: &[u8]) -> Option<Self> {
        if tail.is_empty() {
            return Some(Self::None);
        }
        let digits_or_signs = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        if tail.iter().all(digits_or_signs) {
            return Some(Self::Plain);
        }
        // Credentials, `jwt_secrets`.
        if tail.eq_ignore_ascii_case(b"s") {
            return Some(Self::Plain);
        }
        let last_lower = bytes[hit.end - 1].is_ascii_lowercase();
        let attached =
            tail[0].is_ascii_alphabetic() && !(last_lower && tail[0].is_ascii_uppercase()) || tail[0] >= 0x80;
        if attached {
            return None;
        }
        let mut start = 0;
        for at in 0..=tail.len() {
            let ends = at == tail.len()
                || !tail[at].is_ascii_alphanumeric()
                || at > start && tail[at].is_ascii_uppercase() && tail[at - 1].is_ascii_lowercase();
            if ends {
                let word = &tail[start..at];
                let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
                let word = &word[..word.len() - digits];
                if OTHER_TAILS.iter().any(|it| word.eq_ignore_ascii_case(it.as_bytes())) {
                    return Some(Self::Other);
                }
                start = if at < tail.len() && tail[at].is_ascii_alphanumeric() { at } else { at + 1 };
            }
        }
        Some(Self::Plain)
    }
}
