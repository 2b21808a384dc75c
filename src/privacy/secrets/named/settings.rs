//! Distinguishes unquoted values in settings, which are text, from those in code, which are names.

use std::ops::Range;

use super::super::text::{is_quote, line_before, line_break, line_end, line_start, past_blanks, past_mark};
use super::{Name, is_name_byte};
use crate::privacy::kind::TextKind;

impl Name<'_> {
    /// Whether an unquoted value is a text, if the kind of the file shows that.
    ///
    /// A text of YAML does not begin like an anchor, a tag or a list, and one of a shell not like a variable.
    pub(super) fn is_text(&self, at: usize, sign: u8) -> Option<bool> {
        match (self.kind, sign) {
            (TextKind::Settings, b':') => Some(!self.byte(at).is_some_and(|byte| b"&*![".contains(&byte))),
            (TextKind::Settings, _) => Some(true),
            (TextKind::Shell, b'=') => Some(self.byte(at) != Some(b'$')),
            (TextKind::Code | TextKind::Shell, _) => None,
        }
    }

    /// Whether an unquoted value is in a configuration (a text) and not in code (a name).
    pub(super) fn in_configuration(&self, at: usize, end: usize, sign: u8, in_code: bool) -> bool {
        let bytes = self.bytes;
        let rest = past_blanks(bytes, end);
        let closes = self.is_line_end(rest)
            || match bytes[rest] {
                b'#' => rest > end,
                byte => {
                    is_quote(byte)
                        || byte == b'\\'
                        || bytes[rest..].starts_with(b"*/")
                        || bytes[rest..].starts_with(b"-->")
                }
            };
        let value = &bytes[at..end];
        let odd = value.iter().any(|byte| !byte.is_ascii_alphanumeric() && !b"_.-".contains(byte));
        let name = &bytes[self.identifier.clone()];
        let tight = at > 0 && matches!(bytes[at - 1], b'=' | b':');
        // `DB_PASSWORD=x`, alone or before a command.
        let capitals = name.iter().all(|byte| !byte.is_ascii_lowercase()) && name.len() > 2;
        if sign == b'=' && tight && capitals && !in_code {
            return true;
        }
        // `--password=x`
        if sign == b'=' && tight && name.starts_with(b"-") && !in_code {
            return true;
        }
        if in_code || !closes {
            return false;
        }
        // A name after a dot or with inner capitals is from code, unless it starts its line.
        let start = line_start(bytes, self.identifier.start);
        let lead = &bytes[start..self.identifier.start];
        // A quoted text starts after its quote.
        let lead = &lead[lead.iter().rposition(|byte| is_quote(*byte)).map_or(0, |at| at + 1)..];
        let marks = lead.iter().take_while(|byte| b"+-#*/;>!% \t".contains(byte)).count();
        let key = &lead[marks..];
        let keyed = key.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
            || matches!(key, b"export " | b"set " | b"SET " | b"env " | b"ENV " | b"ARG ");
        let dotted = key.iter().filter(|byte| **byte == b'.').count() >= 2;
        if !keyed {
            // Within a string of one line: `"password=x"`.
            return odd && tight && !value.iter().any(|byte| b",=(".contains(byte));
        }
        let typed = value.iter().find(|byte| **byte != b'_').is_some_and(u8::is_ascii_uppercase)
            && !odd
            && !value.iter().any(u8::is_ascii_digit);
        match sign {
            b'=' if tight => {
                odd || dotted
                    || !lead.first().is_some_and(|byte| *byte == b' ' || *byte == b'\t')
                    || self.in_section(start)
            }
            b'=' => {
                self.in_section(start)
                    || odd && key.is_empty() && value.first().is_some_and(|byte| !b"([{&*!-".contains(byte))
            }
            _ => odd || !typed && self.in_mapping(start, end),
        }
    }

    /// Whether the line is in a settings file: below a `[section]`, with only settings between them.
    fn in_section(&self, start: usize) -> bool {
        let bytes = self.bytes;
        let mut start = start;
        for _ in 0..24 {
            let Some(before) = line_before(bytes, start) else { return false };
            start = before.start;
            let from = past_mark(bytes, past_blanks(bytes, before.start)).min(before.end);
            let line = bytes[from..before.end].trim_ascii();
            // A section; the first line may follow the quote that encloses the text.
            let section = line.iter().rposition(|byte| *byte == b'[').filter(|_| line.ends_with(b"]"));
            if section.is_some_and(|at| at == 0 || is_quote(line[at - 1]))
                && line.len() < 80
                && !line.contains(&b',')
            {
                return true;
            }
            let plain = line.is_empty()
                || matches!(line[0], b'#' | b';')
                || line.contains(&b'=')
                    && !line.ends_with(b";")
                    && !line.ends_with(b",")
                    && !line.contains(&b'(');
            if !plain {
                return false;
            }
        }
        false
    }

    /// Whether the line is in a YAML mapping: the line above or below is also an entry.
    fn in_mapping(&self, start: usize, end: usize) -> bool {
        let bytes = self.bytes;
        let is_entry = |line: Range<usize>| {
            let from = past_mark(bytes, past_blanks(bytes, line.start)).min(line.end);
            let line = bytes[from..line.end].trim_ascii();
            // The first line may follow the quote that encloses the text.
            let line = &line[line.iter().rposition(|byte| is_quote(*byte)).map_or(0, |at| at + 1)..];
            let key = line
                .iter()
                .take_while(|byte| is_name_byte(**byte) || **byte == b'.' || **byte == b'/')
                .count();
            let rest = &line[key..];
            key > 0
                && rest.first() == Some(&b':')
                && matches!(rest.get(1), None | Some(b' '))
                && !rest.last().is_some_and(|byte| b",;{(".contains(byte))
        };
        let is_blank = |line: &Range<usize>| bytes[line.clone()].trim_ascii().is_empty();
        let above = line_before(bytes, start);
        let next = line_end(bytes, end);
        let below = next + line_break(bytes, next);
        let below = (below > next).then(|| below..line_end(bytes, below));
        let lone = above.as_ref().is_none_or(is_blank) && below.as_ref().is_none_or(is_blank);
        lone || above.is_some_and(is_entry) || below.is_some_and(is_entry)
    }
}
