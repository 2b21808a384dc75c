//! Values assigned to a name: a literal, a block of lines, a value without quotes.

use std::ops::Range;

use super::super::rules::WRAPPERS;
use super::super::text::{
    count_inspected, goes_on, indentation, is_quote, line_break, line_end, line_end_within, line_start,
    past_blanks, past_mark, past_space, quoted, run,
};
use super::super::value::{is_password, is_path_of_names, is_placeholder, is_random_word, is_stand_in};
use super::Name;
use crate::privacy::kind::TextKind;
use crate::privacy::limits::{
    BARE_WORD_BYTES, BLOCK_LEAD_LINES, BLOCK_VALUE_BYTES, EXPRESSION_BYTES, LISTED_KEY_BYTES, PHRASE_BYTES,
    VALUE_BYTES,
};

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
        if sign == b':' && self.byte(at + 1) == Some(b'=') {
            sign = b'=';
        }
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
        // The values of a map of keys have names of their own.
        let is_collection =
            self.byte(next) == Some(b'[') || self.byte(next) == Some(b'{') && self.is_password;
        if is_collection && self.is_plural() {
            self.collection(next + 1, found);
            return;
        }
        if let Some(ends) = self.heredoc(next) {
            self.lines_below(next, |_, line| line.trim_start().starts_with(ends), found);
            return;
        }
        next = self.past_wrappers(next);
        let prefix = run(bytes, next, 2, |byte| b"brfuLN@$\\".contains(&byte));
        if self.byte(next + prefix).is_some_and(is_quote) {
            if let Some(end) = self.literal(next, found) {
                // `"x" if is_test else "y"`
                if goes_on(bytes, past_blanks(bytes, end), "if ") {
                    self.in_statement(end, true, found);
                }
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
        if found.len() == begins {
            self.in_statement(at, false, found);
        }
    }

    /// The text that ends a value of several lines which begins at `at`: `<<EOT`, `"""`.
    fn heredoc(&self, at: usize) -> Option<&str> {
        const HEREDOC: &str = "<<";
        let prefix = run(self.bytes, at, 2, |byte| b"brfuLN@$".contains(&byte));
        let begin = [HEREDOC, "\"\"\"", "'''", r#"\"\"\""#]
            .into_iter()
            .find(|it| goes_on(self.bytes, at + prefix, it))?;
        let rest = self.text.get(at + prefix + begin.len()..line_end(self.bytes, at))?;
        let word = rest.trim_matches(|it: char| !it.is_ascii_alphanumeric());
        match begin {
            HEREDOC => Some(word).filter(|it| !it.is_empty()),
            quotes => Some(quotes).filter(|_| rest.trim().is_empty()),
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
        let end = line_end_within(self.bytes, at, EXPRESSION_BYTES);
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

    /// A value on lines of its own, after the name's.
    fn on_next_line(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let continued = usize::from(self.byte(at) == Some(b'\\') && line_break(bytes, at + 1) == 1);
        let next = past_mark(bytes, past_space(bytes, at + continued).0);
        let escapes = run(bytes, next, 3, |byte| byte == b'\\');
        if self.byte(next + escapes).is_some_and(|byte| matches!(byte, b'"' | b'\'')) {
            let behind = quoted(bytes, next).map(|it| past_blanks(bytes, it.end));
            if behind.is_some_and(|at| !matches!(self.byte(at), Some(b':' | b'='))) {
                self.literal(next, found);
                return;
            }
        }
        if self.kind == TextKind::Settings {
            self.entries_below(at, found);
        }
    }

    /// A value of YAML below its name, or the values below the name of several: `passwords:`.
    fn entries_below(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let (own, _) = indentation(self.bytes, line_start(bytes, self.identifier.start));
        let mut next = at;
        let mut lines = 0;
        while line_break(bytes, next) > 0 && next < at + BLOCK_VALUE_BYTES && lines <= found.len() + 1 {
            next += line_break(bytes, next);
            let (indent, start) = indentation(self.bytes, next);
            next = line_end(bytes, start);
            let Some(line) = self.text.get(start..next).filter(|line| indent > own && !line.is_empty())
            else {
                return;
            };
            lines += 1;
            let value = match line.find(": ") {
                Some(colon) if self.is_plural() => past_blanks(bytes, start + colon + 1),
                None if !line.trim_end().ends_with(':') => start,
                _ => return,
            };
            match quoted(bytes, value) {
                Some(_) => _ = self.literal(value, found),
                None => self.bare(value, b'=', false, found),
            }
        }
    }

    /// The literals of a list, or those behind the names in a map. `at` is behind the opening bracket.
    fn collection(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let (mut next, mut limit, mut depth) = (at, at + EXPRESSION_BYTES, 0_usize);
        while next < bytes.len().min(limit) {
            count_inspected(1);
            match self.quote_at(next).unwrap_or(bytes[next]) {
                b'[' | b'{' | b'(' => depth += 1,
                b']' | b'}' | b')' if depth == 0 => return,
                b']' | b'}' | b')' => depth -= 1,
                byte if is_quote(byte) => {
                    let Some(literal) = quoted(bytes, next) else { return };
                    let is_name = matches!(self.byte(past_blanks(bytes, literal.end)), Some(b':' | b'='));
                    let is_value = depth == 0
                        && !is_name
                        && (self.is_password || literal.inner.len() >= LISTED_KEY_BYTES);
                    if is_value && self.literal(next, found).is_some() {
                        limit = literal.end + EXPRESSION_BYTES;
                    }
                    next = literal.end;
                    continue;
                }
                _ => {}
            }
            next += 1;
        }
    }

    /// A literal later in the statement: `var password string = "x"`, `char password[9] = "x"`, `password{"x"}`,
    /// `password = is_test ? "x" : "y"`. `at` is behind the name.
    pub(super) fn in_statement(&self, at: usize, is_assigned: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let end = line_end_within(bytes, at, EXPRESSION_BYTES);
        let (mut next, mut depth, mut is_assigned) = (at, 0_usize, is_assigned);
        while next < end {
            count_inspected(1);
            let is_doubled = self.byte(next + 1) == Some(b'=');
            match self.quote_at(next).unwrap_or(bytes[next]) {
                byte if is_quote(byte) => {
                    let Some(literal) = quoted(bytes, next).filter(|_| is_assigned) else { return };
                    let is_compared = bytes[..next].trim_ascii_end().ends_with(b"==");
                    if depth == 0 && !is_compared {
                        self.literal(next, found);
                    }
                    next = literal.end;
                    continue;
                }
                b'=' | b'!' | b'<' | b'>' if is_doubled => {
                    if !is_assigned {
                        return;
                    }
                    next += 1;
                }
                b'=' if is_assigned && self.byte(next + 1) != Some(b'>') => return,
                b'=' => is_assigned = true,
                b'{' if next == at && self.quote_at(next + 1).is_some() => is_assigned = true,
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth == 0 => return,
                b')' | b']' | b'}' => depth -= 1,
                b',' | b';' if depth == 0 => return,
                _ => {}
            }
            next += 1;
        }
    }

    /// The quote at a byte, perhaps an escaped one.
    fn quote_at(&self, at: usize) -> Option<u8> {
        let escapes = run(self.bytes, at, 3, |byte| byte == b'\\');
        self.byte(at + escapes).filter(|byte| is_quote(*byte))
    }

    /// Whether the name is that of several secrets: `passwords`.
    fn is_plural(&self) -> bool {
        matches!(&self.bytes[self.hit.end..self.identifier.end], b"s" | b"S")
    }

    /// A YAML block: the lines with a deeper indentation.
    fn block(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let (own, _) = indentation(self.bytes, line_start(self.bytes, self.identifier.start));
        self.lines_below(at, |indent, _| indent <= own, found);
    }

    /// A value of several lines, from the line behind `at` to the one that `ends` tells by its column and its text.
    pub(super) fn lines_below(
        &self,
        at: usize,
        ends: impl Fn(usize, &str) -> bool,
        found: &mut Vec<Range<usize>>,
    ) {
        let bytes = self.bytes;
        let mut next = line_end(bytes, at);
        let mut block: Option<Range<usize>> = None;
        let mut lines = 0;
        while next < at + BLOCK_VALUE_BYTES && line_break(bytes, next) > 0 {
            next += line_break(bytes, next);
            lines += 1;
            let (indent, start) = indentation(self.bytes, next);
            let Some(line) = self.text.get(start..line_end_within(bytes, start, VALUE_BYTES)) else { break };
            let value = line.trim_end().trim_end_matches(['"', '\'', '`']);
            if ends(indent, line) || block.is_none() && (value.is_empty() || lines > BLOCK_LEAD_LINES) {
                break;
            }
            let counts = block.is_some() || self.counts(value) && !value.starts_with('-');
            if counts && !value.is_empty() {
                block = Some(block.map_or(start, |it| it.start)..start + value.len());
            }
            next = start + line.len();
        }
        found.extend(block);
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
        // A word without quotes is rather a name in code, but a text in settings.
        let is_text = self.is_text(at, sign);
        let stands_in = if is_text == Some(true) { is_placeholder } else { is_stand_in };
        let interpolated = value.starts_with(['$', '{', '<', '%', '@']) && stands_in(value);
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
        let may_be_password = self.is_password && value.len() >= 4 && !stands_in(value);
        let counts = match is_path_of_names(value) {
            false if is_random_word(value) && is_text != Some(false) => true,
            _ if !may_be_password => false,
            _ if is_text.is_some() => is_text == Some(true),
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
        let end = line_end_within(self.bytes, at, 2 * PHRASE_BYTES);
        let line = self.text.get(at..end)?.trim_end();
        let phrase = line.split(" #").next()?;
        let phrase = phrase.split(['"', '\'', '`']).next()?.trim_end_matches([';', ' ']);
        let span = at..at + phrase.len();
        let counts = phrase.contains(' ')
            && is_password(phrase)
            && self
                .is_text(at, sign)
                .unwrap_or_else(|| self.in_configuration(span.start, span.end, sign, false));
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
