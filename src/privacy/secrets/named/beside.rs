//! Values next to a name: the text of its element, or a value in the same block.

use std::ops::Range;

use super::super::rules::{LABELS, NAME_KEYS, VALUE_KEYS};
use super::super::text::{
    count_inspected, goes_on, is_quote, line_break, past_blanks, past_mark, past_space, quoted, run,
    run_back, starts_word,
};
use super::super::value::is_mixed;
use super::{Name, is_name_byte};
use crate::privacy::limits::{BESIDE_BYTES, INSERTED_BYTES, VALUE_BYTES};

impl Name<'_> {
    /// `<password>x</password>`, and `<property name="password">x</property>`.
    ///
    /// `at` is at the closing bracket of the tag.
    pub(super) fn element(&self, at: usize, closed: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let open = at - run_back(bytes, at, 200, |byte| byte != b'<' && byte != b'\n' && byte != b'>');
        let Some(open) = open.checked_sub(1).filter(|at| bytes[*at] == b'<') else { return };
        let tag = &bytes[open + 1..open + 1 + run(bytes, open + 1, 60, is_name_byte)];
        let is_label = LABELS.iter().any(|it| tag.eq_ignore_ascii_case(it.as_bytes()));
        let is_tag = !closed
            && bytes[open + 1..self.identifier.start]
                .iter()
                .all(|byte| is_name_byte(*byte) || *byte == b':' || *byte == b'.');
        if !is_label && (is_tag || closed) {
            self.until_tag(at + 1, found);
        }
    }

    pub(super) fn until_tag(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let cdata = "<![CDATA[";
        let at = past_mark(self.bytes, past_space(self.bytes, at).0);
        let at = if goes_on(self.bytes, at, cdata) { past_space(self.bytes, at + cdata.len()).0 } else { at };
        let length = run(self.bytes, at, VALUE_BYTES, |byte| byte != b'<' && byte != b'\n' && byte != b']');
        let closed = matches!(
            self.byte(past_mark(self.bytes, past_space(self.bytes, at + length).0)),
            Some(b'<' | b']')
        );
        let Some(value) = self.text.get(at..at + length).filter(|_| closed) else { return };
        let value = value.trim_end().trim_end_matches("\\n");
        let length = value.len();
        // The text of a tag starts with a capital if it is a label.
        let is_label = value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase()) && !is_mixed(value);
        if self.counts(value) && !is_label && !value.starts_with('[') {
            found.push(at..at + length);
        }
    }

    /// The values of a column: `INSERT INTO users (name, password) VALUES ('bob', 'x')`. `at` is behind its name.
    pub(super) fn inserted(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let columns =
            run_back(bytes, self.identifier.start, 200, |byte| !b"(;=".contains(&byte) && !is_quote(byte));
        let columns = &bytes[self.identifier.start - columns..self.identifier.start];
        let open = self.identifier.start - columns.len();
        let before = &bytes[open.saturating_sub(80)..open].to_ascii_lowercase();
        if !before.ends_with(b"(") || !before.windows(7).any(|it| it == b"insert ") {
            return;
        }
        let column = columns.iter().filter(|byte| **byte == b',').count();
        let close = at + run(bytes, at, 400, |byte| !b");=".contains(&byte));
        let mut next = past_space(bytes, close + 1).0;
        if !goes_on(bytes, next, "values") {
            return;
        }
        next = past_space(bytes, next + 6).0;
        while self.byte(next) == Some(b'(') && next < at + INSERTED_BYTES {
            next += 1;
            let mut place = 0;
            while let Some(byte) = self.byte(next).filter(|byte| *byte != b')' && next < at + INSERTED_BYTES)
            {
                count_inspected(1);
                match quoted(bytes, next) {
                    Some(literal) => {
                        if place == column {
                            self.literal(next, found);
                        }
                        next = literal.end;
                    }
                    None => {
                        place += usize::from(byte == b',');
                        next += 1;
                    }
                }
            }
            let comma = past_space(bytes, next + 1).0;
            next = past_space(bytes, comma + usize::from(self.byte(comma) == Some(b','))).0;
        }
    }

    /// A value next to the name: `name: X⏎value: x`, `variable "x_key" { default = "x" }`.
    pub(super) fn beside(&self, at: usize, found: &mut Vec<Range<usize>>) -> bool {
        let bytes = self.bytes;
        let lead = &bytes[self.identifier.start
            - run_back(bytes, self.identifier.start, 24, |byte| byte != b'\n')
            ..self.identifier.start];
        let lead = lead.to_ascii_lowercase();
        let key_end = lead.len() - lead.iter().rev().take_while(|byte| !byte.is_ascii_alphabetic()).count();
        let is_named =
            NAME_KEYS.iter().any(|it| lead[..key_end].ends_with(it.as_bytes())) && key_end < lead.len();
        if !is_named {
            return false;
        }
        let end = bytes.len().min(at + BESIDE_BYTES);
        let mut next = at;
        let mut lines = 0;
        while next < end {
            count_inspected(1);
            let byte = bytes[next];
            lines += usize::from(line_break(bytes, next) > 0);
            if lines > 6 || byte == b'}' {
                return false;
            }
            if line_break(bytes, next) == 2 {
                next += 2;
                continue;
            }
            let starts = byte.is_ascii_alphabetic() && starts_word(bytes, next);
            if !starts {
                next += 1;
                continue;
            }
            let word = run(bytes, next, 32, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let is_value =
                VALUE_KEYS.iter().any(|it| bytes[next..next + word].eq_ignore_ascii_case(it.as_bytes()));
            let is_name = bytes[next..next + word].eq_ignore_ascii_case(b"name")
                || bytes[next..next + word].eq_ignore_ascii_case(b"key");
            next += word.max(1);
            if is_name {
                return false;
            }
            if !is_value {
                continue;
            }
            let mut sign = next + run(bytes, next, 4, |byte| is_quote(byte) || byte == b'\\');
            sign = past_blanks(bytes, sign);
            if !matches!(self.byte(sign), Some(b':' | b'=')) {
                continue;
            }
            let value = past_blanks(bytes, sign + 1);
            if quoted(bytes, value).is_some() {
                return self.literal(value, found).is_some();
            }
            let begins = found.len();
            self.bare(value, b'=', true, found);
            return found.len() > begins;
        }
        false
    }
}
