//! Values assigned to a secret's name: by assignment, argument, element or block.

mod assigned;
mod beside;
mod called;
mod settings;
mod spaced;
mod tail;

use std::ops::Range;

use super::random::is_harmless;
use super::rules::{CERTAIN, FALLBACKS, OTHER_HEADS};
use super::text::{
    Quoted, goes_on, is_quote, joined, line_break, past_blanks, past_mark, past_space, quoted, run, run_back,
};
use super::value::{has_name, is_key, is_mixed, is_password, joined_name};
use crate::privacy::kind::TextKind;
use crate::privacy::limits::IDENTIFIER_BYTES;
use tail::Tail;

/// The class of a name, which determines which values count as secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: any text counts.
    Password,
    /// A password, if the name is a part of a longer name.
    ShortPassword,
    /// A key: a text that looks random.
    Key,
}

/// A name of a secret within an identifier.
struct Name<'a> {
    text: &'a str,
    bytes: &'a [u8],
    hit: Range<usize>,
    identifier: Range<usize>,
    is_password: bool,
    kind: TextKind,
}

/// Finds the values given to the name at `hit`; returns whether they are certainly secrets.
pub(super) fn given(
    text: &str,
    hit: Range<usize>,
    (class, kind): (Class, TextKind),
    found: &mut Vec<Range<usize>>,
) -> bool {
    let Some(name) = Name::read(text, hit, class, kind) else { return false };
    name.values(found)
}

/// Whether the identifier around `hit` names a secret. Depends on the line only.
pub(super) fn is_name(line: &str, hit: Range<usize>, class: Class) -> bool {
    Name::read(line, hit, class, TextKind::Code).is_some()
}

/// Whether the last word before the name gives it another meaning.
fn is_other(before: &[u8]) -> bool {
    let last = before.len() - before.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
    OTHER_HEADS.iter().any(|word| {
        last.checked_sub(word.len()).is_some_and(|start| {
            let begins =
                start == 0 || before[start].is_ascii_uppercase() || !before[start - 1].is_ascii_alphabetic();
            begins && before[start..last].eq_ignore_ascii_case(word.as_bytes())
        })
    })
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

impl<'a> Name<'a> {
    fn read(text: &'a str, hit: Range<usize>, class: Class, kind: TextKind) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut start = hit.start - run_back(bytes, hit.start, IDENTIFIER_BYTES, is_name_byte);
        // `\npassword`, within a literal.
        if start < hit.start && b"nrt".contains(&bytes[start]) && start > 0 && bytes[start - 1] == b'\\' {
            start += 1;
        }
        let mut end = hit.end + run(bytes, hit.end, IDENTIFIER_BYTES, is_name_byte);
        // `a->b` ends before the arrow, and `x--` before the operator.
        while end > hit.end && bytes[end - 1] == b'-' {
            end -= 1;
        }
        let before = &bytes[start..hit.start];
        let tail = &bytes[hit.end..end];
        let lone = before.is_empty();
        let divided = lone
            || before.last().is_some_and(|byte| {
                !byte.is_ascii_alphabetic()
                    || byte.is_ascii_lowercase() && bytes[hit.start].is_ascii_uppercase()
            });
        let tail = Tail::of(bytes, &hit, tail)?;
        let is_password = match class {
            Class::Password if tail == Tail::Other => return None,
            Class::Password => true,
            Class::ShortPassword if tail != Tail::None || !divided => return None,
            Class::ShortPassword => !lone || kind != TextKind::Code,
            Class::Key if is_other(before) => return None,
            Class::Key if tail == Tail::Other || hit.len() <= 6 && !divided => return None,
            Class::Key => false,
        };
        Some(Self { text, bytes, hit, identifier: start..end, is_password, kind })
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Adds the values of the name to `found`; returns whether they are certainly secrets.
    fn values(&self, found: &mut Vec<Range<usize>>) -> bool {
        let bytes = self.bytes;
        let mut at = self.identifier.end;
        // Past the end of the name: a quote (also one within a string), a bracket, the `?` of an optional value.
        let escapes = run(bytes, at, 3, |byte| byte == b'\\');
        let closed = self.byte(at + escapes).is_some_and(is_quote);
        if closed {
            at += escapes + 1;
        } else if escapes > 0 && line_break(bytes, at) == 0 {
            return false;
        }
        let brackets = run(bytes, at, 3, |byte| matches!(byte, b']' | b')' | b'?' | b'!' | b'}'));
        let called = bytes[at..at + brackets].contains(&b')');
        let name_end = at;
        at = past_blanks(bytes, at + brackets);
        let spaced = at > name_end + brackets;
        if brackets > 0 && self.fallback(at, found) {
            return false;
        }
        // `password ?= x`, `password ||= "x"`
        let joint = run(bytes, at, 2, |byte| matches!(byte, b'?' | b'+' | b'|'));
        if self.byte(at + joint) == Some(b'=') {
            at += joint;
        }
        match self.byte(at) {
            // The name is compared with a text.
            Some(b'=') if closed && brackets == 0 && self.byte(at + 1) == Some(b'=') => {}
            // A type path: `"AWS::ApiGateway::ApiKey": "48205d4f"`.
            Some(b':') if closed && self.bytes[..self.identifier.start].ends_with(b"::") => {}
            // Part of a resource name: `arn:aws:secretsmanager:eu:1:secret:name`.
            Some(b':') if !spaced && self.is_behind_colon() && !self.byte(at + 1).is_none_or(is_blank) => {}
            Some(b'=' | b':') => {
                let begins = found.len();
                self.assigned(at, closed, found);
                return found.len() > begins && self.is_certain(found.last());
            }
            Some(b'(') if !closed && !spaced && self.is_password => self.argument(at + 1, found),
            // Erlang's `{password, "x"}`.
            Some(b',') if self.is_password && self.bytes[..self.identifier.start].ends_with(b"{") => {
                self.literal(past_blanks(bytes, at + 1), found);
            }
            Some(b',') if closed && brackets == 0 => self.paired(at + 1, found),
            Some(b',') if !called => self.inserted(at, found),
            _ if called => self.inserted(name_end, found),
            Some(b'>') => self.element(at, closed, found),
            Some(b'|' | b'?') => {
                self.fallback(at, found);
            }
            Some(b'o') if goes_on(bytes, at, "or ") => {
                self.fallback(at, found);
            }
            Some(b'<') if goes_on(bytes, at, "</key>") => {
                let next = past_blanks(bytes, past_mark(bytes, past_space(bytes, at + 6).0));
                if goes_on(bytes, next, "<string>") {
                    self.until_tag(next + 8, found);
                }
            }
            Some(_) if closed && spaced && self.beside(at, found) => {}
            Some(b'{' | b'[') if !closed && !called => self.in_statement(at, false, found),
            Some(_) if spaced && !closed && !called => {
                self.spaced(at, found);
                if found.is_empty() && self.bytes[self.hit.start] != b'i' {
                    self.in_statement(at, false, found);
                }
            }
            _ if closed || self.is_line_end(at) => {
                self.beside(at, found);
            }
            _ => {}
        }
        false
    }

    fn is_behind_colon(&self) -> bool {
        self.identifier.start.checked_sub(1).and_then(|at| self.byte(at)) == Some(b':')
    }

    /// Whether a long random literal is assigned to a name that is certainly a secret's.
    fn is_certain(&self, span: Option<&Range<usize>>) -> bool {
        let name = joined_name(&self.text[self.hit.clone()]);
        let certain = CERTAIN.contains(&&*name)
            || goes_on(self.bytes, self.hit.start.saturating_sub(5), "auth_token")
            || goes_on(self.bytes, self.hit.start.saturating_sub(7), "access_token");
        let Some(span) = span.filter(|_| certain) else { return false };
        let value = &self.text[span.clone()];
        span.start.checked_sub(1).and_then(|at| self.byte(at)).is_some_and(is_quote)
            && value.len() >= 16
            && value.bytes().all(|byte| byte.is_ascii_graphic())
            && is_mixed(value)
            && !value.contains(['{', '$', '<', '(', '/'])
    }

    fn is_line_end(&self, at: usize) -> bool {
        at >= self.bytes.len() || line_break(self.bytes, at) > 0
    }

    fn counts(&self, value: &str) -> bool {
        let counts = if self.is_password { is_password(value) } else { is_key(value) && !is_harmless(value) };
        counts && !self.is_repeated(value)
    }

    /// Whether a value is the name once more: `LOGIN_PASSWORD = "login-password"`.
    fn is_repeated(&self, value: &str) -> bool {
        has_name(value) && joined_name(&self.text[self.identifier.clone()]).contains(&joined_name(value))
    }

    /// Adds the quoted text at `at` and all literals concatenated to it, if together they are a secret.
    fn literal(&self, at: usize, found: &mut Vec<Range<usize>>) -> Option<usize> {
        let prefix = run(self.bytes, at, 2, |byte| b"brfuLN@$".contains(&byte));
        let at = if self.byte(at + prefix).is_some_and(is_quote) { at + prefix } else { at };
        let first = quoted(self.bytes, at)?;
        let mut parts = vec![first];
        while parts.len() < 64
            && let Some(next) = parts.last().and_then(|last| joined(self.bytes, last.end))
            && let Some(part) = quoted(self.bytes, next)
        {
            parts.push(part);
        }
        let whole: String = parts.iter().filter_map(|it| self.text.get(it.inner.clone())).collect();
        if self.counts(&whole) || parts.len() > 1 && self.counts(self.text.get(parts[0].inner.clone())?) {
            let end = parts.last().map(|it| it.end);
            found.extend(parts.into_iter().map(|it: Quoted| it.inner).filter(|it| !it.is_empty()));
            return end;
        }
        None
    }

    /// The default for a missing variable: `|| "x"`.
    fn fallback(&self, at: usize, found: &mut Vec<Range<usize>>) -> bool {
        let Some(operator) = FALLBACKS.iter().find(|it| goes_on(self.bytes, at, it)) else { return false };
        self.literal(past_blanks(self.bytes, at + operator.len()), found).is_some()
    }
}
