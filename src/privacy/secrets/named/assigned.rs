//! Values assigned to a name: a literal, a block of lines, a value without quotes.

use std::ops::Range;

use super::super::rules::WRAPPERS;
use super::super::text::{
    is_quote, line_break, line_end, line_start, past_blanks, past_mark, past_space, quoted, run,
};
use super::super::value::{is_password, is_path_of_names, is_random_word, is_stand_in};
use super::Name;
use crate::privacy::limits::{BARE_WORD_BYTES, BLOCK_VALUE_LINES, EXPRESSION_BYTES, VALUE_BYTES};

impl Name<'_> {
    /// `name = value`, `name: value`, `name: type = value`, `"name": value`.
    ///
    /// `at` is at the operator.
    pub(super) fn assigned(&self, at: usize, closed: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let mut sign = bytes[at];
        if bytes[at..].starts_with(b"::") {
            return;
        }
        let mut next = at + 1 + run(bytes, at + 1, 2, |byte| matches!(byte, b'=' | b'>' | b'~'));
        // `${NAME:-value}`
        let in_shell = sign == b':' && matches!(self.byte(next), Some(b'-'));
        if in_shell {
            next += 1;
        }
        let sign_end = next;
        next = past_blanks(bytes, next);
        if sign == b':'
            && !self.byte(next).is_some_and(is_quote)
            && let Some(typed) = self.past_type(next)
        {
            (next, sign) = (typed, b'=');
        }
        // On the next line, only a literal counts.
        let broken = self.byte(next) == Some(b'(') && self.is_line_end(past_blanks(bytes, next + 1))
            || self.byte(next) == Some(b'\\') && self.is_line_end(next + 1);
        if broken || self.is_line_end(next) {
            let from = if broken { past_blanks(bytes, next + 1) } else { next };
            self.on_next_line(from, found);
            return;
        }
        if sign == b':' && matches!(self.byte(next), Some(b'|' | b'>')) {
            let end = next
                + 1
                + run(bytes, next + 1, 2, |byte| byte == b'-' || byte.is_ascii_digit() || byte == b'+');
            if self.is_line_end(past_blanks(bytes, end)) {
                self.block(end, found);
                return;
            }
        }
        next = self.past_wrappers(next);
        let prefix = run(bytes, next, 2, |byte| b"brfuLN@$\\".contains(&byte));
        if self.byte(next + prefix).is_some_and(is_quote) {
            if self.literal(next, found).is_some() {
                return;
            }
            // A string without an end on its line: the value is the rest of a longer text.
            if quoted(bytes, next).is_none() {
                self.bare(next + prefix + 1, sign, true, found);
            }
            return;
        }
        let begins = found.len();
        self.bare(next, sign, closed || in_shell || next == sign_end && self.in_query(), found);
        if found.len() == begins {
            self.fallback_of(next, found);
        }
    }

    /// Past up to two wrappers of a value: `Some("x")`, `("x")`.
    fn past_wrappers(&self, mut at: usize) -> usize {
        for _ in 0..2 {
            if let Some(wrapper) = WRAPPERS.iter().find(|it| self.bytes[at..].starts_with(it.as_bytes())) {
                let inner = past_blanks(self.bytes, at + wrapper.len());
                if self.byte(inner).is_some_and(is_quote) || *wrapper != "(" && *wrapper != "[" {
                    at = inner;
                }
            }
        }
        at
    }

    /// The fallback literal of an expression: `process.env.PASSWORD || "x"`.
    fn fallback_of(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let end = line_end(self.bytes, at).min(at + EXPRESSION_BYTES);
        let rest = &self.text[at..floor(self.text, end, at)];
        let fallback = ["|| ", "?? ", " or ", "?: "].iter().filter_map(|it| rest.find(it)).min();
        if let Some(before) = fallback.filter(|it| !rest[..*it].contains([',', ';'])) {
            self.fallback(past_blanks(self.bytes, at + before), found);
        }
    }

    /// Past `type =`.
    fn past_type(&self, at: usize) -> Option<usize> {
        let kind =
            run(self.bytes, at, 48, |byte| byte.is_ascii_alphanumeric() || b"_&'<>[]?.|: ".contains(&byte));
        let sign = at + kind;
        let assigned = self.byte(sign) == Some(b'=') && !matches!(self.byte(sign + 1), Some(b'=' | b'>'));
        (assigned && kind > 0).then(|| past_blanks(self.bytes, sign + 1))
    }

    /// Whether the name is in the query of a URL or in a connection string.
    pub(super) fn in_query(&self) -> bool {
        let before = self.identifier.start.checked_sub(1).and_then(|at| self.byte(at));
        matches!(before, Some(b'?' | b'&' | b';'))
    }

    /// A literal on a line of its own, after the name's.
    fn on_next_line(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let continued = usize::from(self.byte(at) == Some(b'\\') && line_break(bytes, at + 1) == 1);
        let next = past_mark(bytes, past_space(bytes, at + continued).0);
        let escapes = run(bytes, next, 3, |byte| byte == b'\\');
        if self.byte(next + escapes).is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
            let behind = quoted(bytes, next).map(|it| past_blanks(bytes, it.end));
            if behind.is_some_and(|at| !matches!(self.byte(at), Some(b':' | b'='))) {
                self.literal(next, found);
            }
        }
    }

    /// A YAML block: the lines with a deeper indentation.
    fn block(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let depth = |start: usize| {
            let blanks = past_blanks(bytes, start);
            (past_mark(bytes, blanks) - start, past_mark(bytes, blanks))
        };
        let (own, _) = depth(line_start(bytes, self.identifier.start));
        let mut next = line_end(bytes, at);
        for _ in 0..BLOCK_VALUE_LINES {
            next += line_break(bytes, next);
            let (indent, start) = depth(next);
            let length = run(bytes, start, VALUE_BYTES, |byte| byte != b'\n' && byte != b'\r');
            let Some(line) = self.text.get(start..start + length) else { return };
            let line = line.split("\\n").next().unwrap_or_default();
            let value = line.trim_end().trim_end_matches(['"', '\'', '`']);
            if value.is_empty() || indent <= own {
                break;
            }
            if self.counts(value) && !value.starts_with('-') {
                found.push(start..start + value.len());
            }
            next = start + line.len();
        }
    }

    /// A value without quotes, which ends with its line or the enclosing text.
    pub(super) fn bare(&self, at: usize, sign: u8, delimited: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let queried = self.in_query();
        let ends = |byte: u8| {
            byte.is_ascii_whitespace()
                || is_quote(byte)
                || matches!(byte, b'<' | b'>')
                || queried && matches!(byte, b'&' | b';' | b'#')
        };
        let mut length = run(bytes, at, BARE_WORD_BYTES, |byte| !ends(byte));
        // A longer value is a base64 key; other characters may begin another name.
        if length == BARE_WORD_BYTES {
            let in_key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/_-".contains(&byte);
            length += run(bytes, at + length, VALUE_BYTES, in_key);
            length += run(bytes, at + length, 2, |byte| byte == b'=');
            if length > VALUE_BYTES || self.byte(at + length).is_some_and(|byte| !ends(byte) && byte != b'\\')
            {
                return;
            }
        }
        let Some(mut value) = self.text.get(at..at + length) else { return };
        // A literal `\n`, an HTML entity, the end of a shell default.
        for end in ["\\n", "\\r", "\\t", "\\\"", "\\'", "&amp;", "&quot;"] {
            value = value.split(end).next().unwrap_or_default();
        }
        if queried || sign == b'=' && !self.is_line_end(at + value.len()) {
            value = value.split(';').next().unwrap_or_default();
        }
        let in_code = value.ends_with([',', ';', '{', ')', ']', '}', '\\']);
        let interpolated = value.starts_with(['$', '{', '<', '%', '@']) && is_stand_in(value);
        // An interpolation that contains quotes.
        let cut = value.starts_with('{') && value.contains('(') && !value.contains('}');
        if interpolated || cut {
            return;
        }
        value = value.trim_end_matches([',', ';', '\\', ']']);
        while value.ends_with([')', '}'])
            && value.matches(['(', '{']).count() < value.matches([')', '}']).count()
        {
            value = &value[..value.len() - 1];
        }
        length = value.len();
        let end = at + length;
        let may_be_password = self.is_password && value.len() >= 4 && !is_stand_in(value);
        let counts = match is_path_of_names(value) {
            false if is_random_word(value) => true,
            _ if !may_be_password => false,
            is_path if delimited || queried => !is_path,
            true if value.contains(['(', '[']) => false,
            _ => self.in_configuration(at, end, sign, in_code),
        };
        if counts {
            found.push(at..end);
        } else if self.is_password && !in_code && self.goes_on_with_words(end) {
            found.extend(self.phrase(at, sign));
        }
    }

    /// A password of several words, up to the end of the line.
    fn phrase(&self, at: usize, sign: u8) -> Option<Range<usize>> {
        let line = self.text.get(at..line_end(self.bytes, at))?.trim_end();
        let phrase = line.split(" #").next()?;
        let phrase = phrase.split(['"', '\'', '`']).next()?.trim_end_matches([';', ' ']);
        let span = at..at + phrase.len();
        let counts = phrase.contains(' ')
            && is_password(phrase)
            && self.in_configuration(span.start, span.end, sign, false);
        counts.then_some(span)
    }

    /// Whether a value that ends at `end` is followed by words on the same line.
    fn goes_on_with_words(&self, end: usize) -> bool {
        let rest = past_blanks(self.bytes, end);
        rest > end && !matches!(self.byte(rest), None | Some(b'\n' | b'\r'))
    }
}

/// The last character boundary at or before `at`, but not before `least`.
fn floor(text: &str, at: usize, least: usize) -> usize {
    (least..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(least)
}
