//! Values passed with a name in a call: `set_password("x")`, `getenv("DB_PASSWORD", "x")`.

use std::ops::Range;

use super::super::rules::{ASKING, PAIRING};
use super::super::text::{goes_on, is_quote, line_end, past_blanks, quoted, run_back};
use super::Name;

impl Name<'_> {
    /// `set_password("x")`. `at` is behind the bracket.
    pub(super) fn argument(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let head = &self.bytes[self.identifier.start..self.hit.start];
        let asks = ASKING
            .iter()
            .any(|verb| goes_on(head, 0, verb) && !head.get(verb.len()).is_some_and(u8::is_ascii_lowercase));
        let at = past_blanks(self.bytes, at);
        if asks || self.hit.end != self.identifier.end {
            return;
        }
        // A user name may precede it: `store_password("bob", "x")`.
        let Some((mut at, mut literal)) = quoted(self.bytes, at).map(|it| (at, it)) else { return };
        let mut behind = past_blanks(self.bytes, literal.end);
        for _ in 0..2 {
            let next = past_blanks(self.bytes, behind + 1);
            if let Some(last) = quoted(self.bytes, next).filter(|_| self.byte(behind) == Some(b',')) {
                behind = past_blanks(self.bytes, last.end);
                (at, literal) = (next, last);
            }
        }
        let value = self.text.get(literal.inner).unwrap_or_default();
        let ends = matches!(self.byte(behind), Some(b')' | b',' | b'+')) || self.is_line_end(behind);
        if ends && !value.contains(' ') {
            self.literal(at, found);
        }
    }

    /// `getenv("DB_PASSWORD", "x")`. `at` is behind the comma.
    pub(super) fn paired(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let open = self.identifier.start
            - run_back(bytes, self.identifier.start, 60, |byte| {
                is_quote(byte)
                    || byte == b'\\'
                    || byte == b'.'
                    || byte == b'@'
                    || byte.is_ascii_alphanumeric()
            });
        let Some(bracket) = open.checked_sub(1).filter(|at| bytes[*at] == b'(') else {
            // An argument of a program, and the next one: `["login", "--password", "x"]`.
            let next = past_blanks(bytes, at);
            if bytes[self.identifier.start] != b'-' {
                self.beside(at - 1, found);
            } else if self.byte(next + 1) != Some(b'-') {
                self.literal(next, found);
            }
            return;
        };
        let length = run_back(bytes, bracket, 40, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let callee = bytes[bracket - length..bracket].to_ascii_lowercase();
        // A flag and its default: `add_argument("--password", default="x")`.
        if bytes[self.identifier.start] == b'-' {
            let rest = &bytes[at..line_end(bytes, at)];
            if let Some(default) = rest.windows(8).position(|it| it == b"default=") {
                self.literal(at + default + 8, found);
            }
            return;
        }
        if !PAIRING.iter().any(|it| callee == it.as_bytes()) {
            return;
        }
        let next = past_blanks(bytes, at);
        let Some(literal) = quoted(bytes, next) else { return };
        if matches!(self.byte(past_blanks(bytes, literal.end)), Some(b')' | b',')) {
            self.literal(next, found);
        }
    }
}
