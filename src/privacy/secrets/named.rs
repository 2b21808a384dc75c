//! What is given to a name of a secret, in whatever syntax: an assignment, an argument, an element, a block.

use std::ops::Range;

use super::rules::{
    ASKING, CERTAIN, FALLBACKS, LABELS, NAME_KEYS, PAIRING, PLAIN_TAILS, VALUE_KEYS, WRAPPERS,
};
use super::text::{
    Quoted, goes_on, is_quote, joined, line_before, line_break, line_end, line_start, past_blanks, past_mark,
    past_space, quoted, run, run_back, starts_word,
};
use super::value::{is_key, is_mixed, is_password, is_path_of_names, is_random_word, is_stand_in};

/// Bytes of an identifier on each side of the name in it, at most.
const IDENTIFIER_BYTES: usize = 64;
/// Bytes between a name and the value that stands beside it in a block, at most.
const BLOCK_BYTES: usize = 320;
/// Bytes of a value without quotes, at most.
const BARE_BYTES: usize = 4096;
/// Lines of a block of text, at most.
const BLOCK_LINES: usize = 24;

/// What a name says about the value that it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A password: any text counts.
    Password,
    /// A password if it is a part of a longer name.
    ShortPassword,
    /// A key: a text that looks drawn by lot.
    Key,
}

/// A name of a secret within an identifier.
struct Name<'a> {
    text: &'a str,
    bytes: &'a [u8],
    hit: Range<usize>,
    identifier: Range<usize>,
    is_password: bool,
}

/// The values that the name at `hit` is given, and whether they are secrets for certain.
pub(super) fn given(text: &str, hit: Range<usize>, class: Class, found: &mut Vec<Range<usize>>) -> bool {
    let Some(name) = Name::read(text, hit, class) else { return false };
    name.values(found)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

impl<'a> Name<'a> {
    fn read(text: &'a str, hit: Range<usize>, class: Class) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut start = hit.start - run_back(bytes, hit.start, IDENTIFIER_BYTES, is_name_byte);
        // `\npassword`, within a literal.
        if start < hit.start && b"nrt".contains(&bytes[start]) && start > 0 && bytes[start - 1] == b'\\' {
            start += 1;
        }
        let mut end = hit.end + run(bytes, hit.end, IDENTIFIER_BYTES, is_name_byte);
        // `a->b` ends before the arrow, and `x--` before the signs.
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
            Class::ShortPassword => !lone,
            Class::Key if tail == Tail::Other || hit.len() <= 6 && !divided => return None,
            Class::Key => false,
        };
        Some(Self { text, bytes, hit, identifier: start..end, is_password })
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// Adds what it is given to `found`; tells whether that is a secret for certain.
    fn values(&self, found: &mut Vec<Range<usize>>) -> bool {
        let bytes = self.bytes;
        let mut at = self.identifier.end;
        // What closes the name: a quote (of a text within a text), a bracket, the sign of an optional one.
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
        match self.byte(at) {
            Some(b'=' | b':') => {
                let begins = found.len();
                self.assigned(at, closed, found);
                return found.len() > begins && self.is_certain(found.last());
            }
            Some(b'(') if !closed && !spaced && self.is_password => self.argument(at + 1, found),
            Some(b',') if closed && brackets == 0 => self.paired(at + 1, found),
            Some(b'>') => self.element(at, closed, found),
            Some(b'|' | b'?') => {
                self.fallback(at, found);
            }
            Some(b'o') if goes_on(bytes, at, "or ") => {
                self.fallback(at, found);
            }
            Some(b'<') if goes_on(bytes, at, "</key>") => {
                let next = at + 6 + run(bytes, at + 6, 80, |byte| byte.is_ascii_whitespace());
                if goes_on(bytes, next, "<string>") {
                    self.until_tag(next + 8, found);
                }
            }
            Some(_) if closed && spaced && self.beside(at, found) => {}
            Some(_) if spaced && !closed && !called => self.spaced(at, found),
            _ if closed || self.is_line_end(at) => {
                self.beside(at, found);
            }
            _ => {}
        }
        false
    }

    /// A long random literal given to a certain name.
    fn is_certain(&self, span: Option<&Range<usize>>) -> bool {
        let name = &self.bytes[self.hit.clone()];
        let certain = CERTAIN.iter().any(|it| name.eq_ignore_ascii_case(it.as_bytes()))
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
        if self.is_password { is_password(value) } else { is_key(value) }
    }

    /// The text within quotes at `at`, if it is a secret, and all that is joined to it.
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

    /// What holds if there is no such variable: `|| "x"`.
    fn fallback(&self, at: usize, found: &mut Vec<Range<usize>>) -> bool {
        let Some(operator) = FALLBACKS.iter().find(|it| goes_on(self.bytes, at, it)) else { return false };
        self.literal(past_blanks(self.bytes, at + operator.len()), found).is_some()
    }

    /// `name = value`, `name: value`, `name: type = value`, `"name": value`. `at` is at the sign.
    fn assigned(&self, at: usize, closed: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let sign = bytes[at];
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
        if sign == b':' && !self.byte(next).is_some_and(is_quote) {
            next = self.past_type(next).unwrap_or(next);
        }
        // On the next line, with a literal alone.
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
        for _ in 0..2 {
            if let Some(wrapper) = WRAPPERS.iter().find(|it| bytes[next..].starts_with(it.as_bytes())) {
                let inner = past_blanks(bytes, next + wrapper.len());
                if self.byte(inner).is_some_and(is_quote) || *wrapper != "(" && *wrapper != "[" {
                    next = inner;
                }
            }
        }
        let prefix = run(bytes, next, 2, |byte| b"brfuLN@$\\".contains(&byte));
        if self.byte(next + prefix).is_some_and(is_quote) {
            if self.literal(next, found).is_some() {
                return;
            }
            // A text that is not closed on its line: the value is what is left of a longer one.
            if quoted(bytes, next).is_none() {
                self.bare(next + prefix + 1, sign, true, found);
            }
            return;
        }
        let begins = found.len();
        self.bare(next, sign, closed || in_shell || next == sign_end && self.in_query(), found);
        if found.len() == begins {
            // `process.env.PASSWORD || "x"`, given to a name.
            let end = line_end(bytes, next).min(next + 160);
            let rest = &self.text[next..floor(self.text, end, next)];
            let fallback = ["|| ", "?? ", " or ", "?: "].iter().filter_map(|it| rest.find(it)).min();
            if let Some(at) = fallback.filter(|at| !rest[..*at].contains([',', ';'])) {
                let at = next + at;
                self.fallback(past_blanks(bytes, at), found);
            }
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

    /// Whether the name is one of a URL's query or of a connection string.
    fn in_query(&self) -> bool {
        let before = self.identifier.start.checked_sub(1).and_then(|at| self.byte(at));
        matches!(before, Some(b'?' | b'&' | b';'))
    }

    /// A literal that has the next line to itself.
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

    /// A block of YAML: the lines further in.
    fn block(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let depth = |start: usize| {
            let blanks = past_blanks(bytes, start);
            (past_mark(bytes, blanks) - start, past_mark(bytes, blanks))
        };
        let (own, _) = depth(line_start(bytes, self.identifier.start));
        let mut next = line_end(bytes, at);
        for _ in 0..BLOCK_LINES {
            next += line_break(bytes, next);
            let (indent, start) = depth(next);
            let length = run(bytes, start, BARE_BYTES, |byte| byte != b'\n' && byte != b'\r');
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

    /// A value without quotes, which ends where its line or what it stands in does.
    fn bare(&self, at: usize, sign: u8, delimited: bool, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        let queried = self.in_query();
        let ends = |byte: u8| {
            byte.is_ascii_whitespace()
                || is_quote(byte)
                || matches!(byte, b'<' | b'>')
                || queried && matches!(byte, b'&' | b';' | b'#')
        };
        let mut length = run(bytes, at, BARE_BYTES, |byte| !ends(byte));
        if length == BARE_BYTES {
            return;
        }
        let Some(mut value) = self.text.get(at..at + length) else { return };
        // `\n` written out, an entity, the end of a shell's default.
        for end in ["\\n", "\\r", "\\t", "\\\"", "\\'", "&amp;", "&quot;"] {
            value = value.split(end).next().unwrap_or_default();
        }
        if queried || sign == b'=' && !self.is_line_end(at + value.len()) {
            value = value.split(';').next().unwrap_or_default();
        }
        let in_code = value.ends_with([',', ';', '{', ')', ']', '}', '\\']);
        let interpolated = value.starts_with(['$', '{', '<', '%', '@']) && is_stand_in(value);
        if interpolated {
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
        let mut counts = is_random_word(value) && !is_path_of_names(value);
        if !counts && self.is_password && value.len() >= 4 && !is_stand_in(value) {
            counts = if delimited || queried {
                !is_path_of_names(value)
            } else if is_path_of_names(value) && value.contains(['(', '[']) {
                false
            } else {
                self.in_configuration(at, end, sign, in_code)
            };
        }
        if counts {
            found.push(at..end);
        } else if self.is_password && !in_code && self.ends_line(end, sign) == Some(true) {
            // Words with blanks between them, up to the end of the line.
            let line = self.text.get(at..line_end(bytes, at)).unwrap_or_default().trim_end();
            let phrase = line.split(" #").next().unwrap_or_default();
            let phrase =
                phrase.split(['"', '\'', '`']).next().unwrap_or_default().trim_end_matches([';', ' ']);
            if phrase.contains(' ')
                && is_password(phrase)
                && self.in_configuration(at, at + phrase.len(), sign, false)
            {
                found.push(at..at + phrase.len());
            }
        }
    }

    /// Whether a value that ends at `end` goes on with words (`true`), or ends with its line (`false`).
    fn ends_line(&self, end: usize, _sign: u8) -> Option<bool> {
        let rest = past_blanks(self.bytes, end);
        match self.byte(rest) {
            None | Some(b'\n' | b'\r') => Some(false),
            Some(_) if rest > end => Some(true),
            _ => None,
        }
    }

    /// Whether an unquoted value stands in a configuration, where it is a text, and not in code, where it is a name.
    fn in_configuration(&self, at: usize, end: usize, sign: u8, in_code: bool) -> bool {
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
        // A name with a dot before it or capitals in its middle is code's, unless it starts its line.
        let start = line_start(bytes, self.identifier.start);
        let lead = &bytes[start..self.identifier.start];
        // What stands in a quoted text starts there.
        let lead = &lead[lead.iter().rposition(|byte| is_quote(*byte)).map_or(0, |at| at + 1)..];
        let marks = lead.iter().take_while(|byte| b"+-#*/;>!% \t".contains(byte)).count();
        let key = &lead[marks..];
        let keyed = key.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(byte))
            || matches!(key, b"export " | b"set " | b"SET " | b"env " | b"ENV " | b"ARG ");
        let dotted = key.iter().filter(|byte| **byte == b'.').count() >= 2;
        if !keyed {
            // Within a text of one line: `"password=x"`.
            return odd && tight;
        }
        let typed = value.first().is_some_and(u8::is_ascii_uppercase) && !odd && !is_mixed_bytes(value);
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

    /// Whether a line of a file of settings: a `[section]` above, with settings alone between.
    fn in_section(&self, start: usize) -> bool {
        let bytes = self.bytes;
        let mut start = start;
        for _ in 0..24 {
            let Some(before) = line_before(bytes, start) else { return false };
            start = before.start;
            let from = past_mark(bytes, past_blanks(bytes, before.start)).min(before.end);
            let line = bytes[from..before.end].trim_ascii();
            // A section; the first line may stand behind the quote of what it is in.
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

    /// Whether the line is one of a YAML mapping: the line above or below is one, too.
    fn in_mapping(&self, start: usize, end: usize) -> bool {
        let bytes = self.bytes;
        let is_entry = |line: Range<usize>| {
            let from = past_mark(bytes, past_blanks(bytes, line.start)).min(line.end);
            let line = bytes[from..line.end].trim_ascii();
            // The first line may stand behind the quote of what it is in.
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

    /// `set_password("x")`. `at` is behind the bracket.
    fn argument(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let head = self.bytes[self.identifier.start..self.hit.start].to_ascii_lowercase();
        let asks = ASKING.iter().any(|verb| {
            head.strip_prefix(verb.as_bytes())
                .is_some_and(|rest| rest.is_empty() || !rest[0].is_ascii_lowercase())
                || head.strip_prefix(verb.as_bytes()).is_some_and(|rest| {
                    // `getPassword`
                    rest.is_empty() || self.bytes[self.identifier.start + verb.len()].is_ascii_uppercase()
                })
        });
        let at = past_blanks(self.bytes, at);
        if asks || self.hit.end != self.identifier.end {
            return;
        }
        let Some(literal) = quoted(self.bytes, at) else { return };
        let behind = past_blanks(self.bytes, literal.end);
        let value = self.text.get(literal.inner).unwrap_or_default();
        let ends = matches!(self.byte(behind), Some(b')' | b',' | b'+')) || self.is_line_end(behind);
        if ends && !value.contains(' ') {
            self.literal(at, found);
        }
    }

    /// `getenv("DB_PASSWORD", "x")`. `at` is behind the comma.
    fn paired(&self, at: usize, found: &mut Vec<Range<usize>>) {
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
            self.beside(at - 1, found);
            return;
        };
        let length = run_back(bytes, bracket, 40, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let callee = bytes[bracket - length..bracket].to_ascii_lowercase();
        if !PAIRING.iter().any(|it| callee == it.as_bytes()) {
            return;
        }
        let next = past_blanks(bytes, at);
        let Some(literal) = quoted(bytes, next) else { return };
        if matches!(self.byte(past_blanks(bytes, literal.end)), Some(b')' | b',')) {
            self.literal(next, found);
        }
    }

    /// `<password>x</password>`, and `<property name="password">x</property>`. `at` is at the bracket.
    fn element(&self, at: usize, closed: bool, found: &mut Vec<Range<usize>>) {
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

    fn until_tag(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let cdata = "<![CDATA[";
        let at = if goes_on(self.bytes, at, cdata) { at + cdata.len() } else { at };
        let length = run(self.bytes, at, BARE_BYTES, |byte| byte != b'<' && byte != b'\n' && byte != b']');
        let closed = matches!(self.byte(at + length), Some(b'<' | b']'));
        let Some(value) = self.text.get(at..at + length).filter(|_| closed) else { return };
        // A tag's text starts with a capital where it is a label.
        let is_label = value.bytes().next().is_some_and(|byte| byte.is_ascii_uppercase()) && !is_mixed(value);
        if self.counts(value) && !is_label {
            found.push(at..at + length);
        }
    }

    /// A value beside the name: `name: DB_PASSWORD⏎value: x`, `variable "db_password" { default = "x" }`.
    fn beside(&self, at: usize, found: &mut Vec<Range<usize>>) -> bool {
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
        let end = bytes.len().min(at + BLOCK_BYTES);
        let mut next = at;
        let mut lines = 0;
        while next < end {
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

    /// What follows after blanks alone: `ENV DB_PASSWORD x`, `--password x`, `PASSWORD 'x'`, `login bob password x`.
    fn spaced(&self, at: usize, found: &mut Vec<Range<usize>>) {
        let bytes = self.bytes;
        if self.hit.end != self.identifier.end && !self.bytes[self.identifier.clone()].contains(&b'_') {
            return;
        }
        // `IDENTIFIED BY 'x'` is a name of its own; `PASSWORD 'x'`, and Gradle's `password "x"`.
        if self.byte(at).is_some_and(|byte| is_quote(byte) || byte == b'\\') {
            let Some(literal) = quoted(bytes, at) else { return };
            let value = self.text.get(literal.inner).unwrap_or_default();
            let flag = bytes[self.identifier.start] == b'-';
            // "identified by" is said of other things, too.
            if bytes[self.hit.start] == b'i' && bytes[at] != b'\'' {
                return;
            }
            if self.is_password && (flag || !value.contains(' ')) && self.hit.end == self.identifier.end {
                self.literal(at, found);
            }
            return;
        }
        let length =
            run(bytes, at, BARE_BYTES, |byte| !byte.is_ascii_whitespace() && !is_quote(byte) && byte != b'<');
        let Some(value) = self.text.get(at..at + length).filter(|_| length < BARE_BYTES) else { return };
        let value = value.split("\\n").next().unwrap_or_default().trim_end_matches([';', '\\', ',']);
        if value.starts_with(['-', '=', '(', '{', '[', '&', '|', '+', '<', '>', '!', '?', '/'])
            && value.len() < 12
        {
            return;
        }
        let start = line_start(bytes, self.identifier.start);
        let lead = &bytes[start..self.identifier.start];
        let name = &bytes[self.identifier.clone()];
        let counts =
            if self.is_password { !is_stand_in(value) && value.len() >= 4 } else { is_random_word(value) };
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
        let is_plain = value.bytes().all(|byte| byte.is_ascii_alphabetic());
        let lettered = value.bytes().any(|byte| byte.is_ascii_alphabetic());
        let accepted = if flag || set && name.contains(&b'_') {
            counts && ends && (lettered || value.len() >= 6) && !value.ends_with(['.', ':', ')'])
        } else if is_netrc(lead) || is_netrc(&bytes[line_start(bytes, start.saturating_sub(1))..start]) {
            counts && self.is_password
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
}

/// Whether it has the words of a `.netrc`: `machine h login bob`.
fn is_netrc(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).rev();
    let (name, login) = (words.next(), words.next());
    name.is_some() && login.is_some_and(|word| word.ends_with(b"login") || word == b"account")
}

fn is_mixed_bytes(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
}

/// The last boundary of a character from `least` on, at or before `at`.
fn floor(text: &str, at: usize, least: usize) -> usize {
    (least..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(least)
}

/// What follows a name within its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tail {
    None,
    /// Words that leave it a name of a secret.
    Plain,
    /// Words that make it a name of something else: `password_file`, `tokenizer`.
    Other,
}

impl Tail {
    fn of(bytes: &[u8], hit: &Range<usize>, tail: &[u8]) -> Option<Self> {
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
        let mut words = 0;
        for at in 0..=tail.len() {
            let ends = at == tail.len()
                || !tail[at].is_ascii_alphanumeric()
                || at > start && tail[at].is_ascii_uppercase() && tail[at - 1].is_ascii_lowercase();
            if ends {
                let word = &tail[start..at];
                let word =
                    &word[..word.len() - word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count()];
                if !word.is_empty() {
                    words += 1;
                    let plain = PLAIN_TAILS.iter().any(|it| word.eq_ignore_ascii_case(it.as_bytes()));
                    if !plain {
                        return Some(Self::Other);
                    }
                }
                start = if at < tail.len() && tail[at].is_ascii_alphanumeric() { at } else { at + 1 };
            }
        }
        Some(if words > 3 { Self::Other } else { Self::Plain })
    }
}
