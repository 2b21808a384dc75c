//! Values separated from a name by blanks only: flags, Dockerfile variables, SQL, `.netrc`.

use std::ops::Range;

use super::super::text::{indentation, is_quote, line_start, past_blanks, quoted, run};
use super::super::value::{is_placeholder, is_random_word};
use super::Name;
use crate::privacy::kind::TextKind;
use crate::privacy::limits::VALUE_BYTES;

impl Name<'_> {
    /// A value after blanks: `ENV DB_PASSWORD x`, `--password x`, `PASSWORD 'x'`, `login bob password x`.
    pub(super) fn spaced(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        if self.hit.end != self.identifier.end && !self.bytes[self.identifier.clone()].contains(&b'_') {
            return;
        }
        // `IDENTIFIED BY 'x'` is a separate name; `PASSWORD 'x'`, and Gradle's `password "x"`.
        if self.byte(at).is_some_and(|byte| is_quote(byte) || byte == b'\\') {
            self.spaced_literal(at, found);
            return;
        }
        let length = run(bytes, at, VALUE_BYTES, |byte| {
            !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'<'
        });
        let Some(value) = self.text.get(at..at + length).filter(|_| length < VALUE_BYTES) else { return };
        let value = value.split("\\n").next().unwrap_or_default().trim_end_matches([';', '\\', ',']);
        if value.starts_with(['-', '=', '(', '{', '[', '&', '|', '+', '<', '>', '!', '?', '/'])
            && (value.len() < 12 || value.starts_with("--"))
        {
            return;
        }
        let start = line_start(bytes, self.identifier.start);
        let lead = &bytes[start..self.identifier.start];
        let name = &bytes[self.identifier.clone()];
        let counts =
            if self.is_password { !is_placeholder(value) && value.len() >= 4 } else { is_random_word(value) };
        let after = past_blanks(bytes, at + value.len());
        let ends = matches!(
            self.byte(after),
            None | Some(
                b'\n' | b'\r' | b';' | b'|' | b'&' | b'-' | b'"' | b'\'' | b'\\' | b'`' | b'*' | b'>'
            )
        );
        let flag = name.starts_with(b"-") && lead.last().is_none_or(|byte| !byte.is_ascii_alphanumeric());
        let set = ["ENV ", "ARG ", "setenv ", "set ", "SET ", "setx ", "export "]
            .iter()
            .any(|it| lead.ends_with(it.as_bytes()));
        // Prose may follow a flag as well, but not if another flag precedes it.
        let is_command = || self.is_password && lead.windows(2).any(|it| it == b" -");
        let is_plain = value.bytes().all(|byte| byte.is_ascii_alphabetic());
        let lettered = value.bytes().any(|byte| byte.is_ascii_alphabetic());
        let accepted = if flag || set && name.contains(&b'_') {
            counts
                && (ends || flag && is_command())
                && (lettered || value.len() >= 6)
                && !value.ends_with(['.', ':', ')'])
        } else if is_netrc(lead) || is_netrc(&bytes[line_start(bytes, start.saturating_sub(1))..start]) {
            counts && self.is_password
        } else if self.kind == TextKind::Settings && indentation(bytes, start).1 == self.identifier.start {
            // `requirepass x`
            counts && self.is_password && ends && !value.contains("://")
        } else {
            self.is_password
                && !is_plain
                && is_random_word(value)
                && value.bytes().any(|byte| !byte.is_ascii_lowercase() && !byte.is_ascii_digit())
                && !value.contains(['(', '/', '_'])
        };
        if accepted {
            found.push(at..at + value.len());
        }
    }

    /// A literal after blanks.
    fn spaced_literal(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let Some(literal) = quoted(bytes, at) else { return };
        let value = self.text.get(literal.inner).unwrap_or_default();
        let flag = bytes[self.identifier.start] == b'-';
        // Other things are "identified by" a text as well, and SQL quotes with `'` only.
        if bytes[self.hit.start] == b'i' && bytes[at] != b'\'' {
            return;
        }
        if self.is_password && (flag || !value.contains(' ')) && self.hit.end == self.identifier.end {
            self.literal(at, found);
        }
    }
}

/// Whether the line ends like one of a `.netrc`: `machine h login bob`.
fn is_netrc(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).rev();
    let (name, login) = (words.next(), words.next());
    name.is_some() && login.is_some_and(|word| word.ends_with(b"login") || word == b"account")
}
