//! Bounded steps through a text, byte by byte, so that no text makes a scan slow.
//!
//! A text may be embedded in a string literal: escaped line ends and quotes count as such.

use std::ops::Range;

use crate::privacy::limits::{LINE_BYTES, QUOTED_BYTES};

/// Counts inspected bytes, for a test.
#[cfg(not(test))]
pub(super) const fn count_inspected(_bytes: usize) {}

#[cfg(test)]
pub(super) use tests::count_inspected;

/// The number of bytes from `at` on that are of this kind, up to `most`.
pub(super) fn run(bytes: &[u8], at: usize, most: usize, kind: impl Fn(u8) -> bool) -> usize {
    let length = bytes.iter().skip(at).take(most).take_while(|byte| kind(**byte)).count();
    count_inspected(length + 1);
    length
}

/// The number of bytes before `at` that are of this kind, up to `most`.
pub(super) fn run_back(bytes: &[u8], at: usize, most: usize, kind: impl Fn(u8) -> bool) -> usize {
    let length = bytes[..at].iter().rev().take(most).take_while(|byte| kind(**byte)).count();
    count_inspected(length + 1);
    length
}

/// Skips blanks.
pub(super) fn past_blanks(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at, 64, |byte| byte == b' ' || byte == b'\t')
}

/// Whether the text continues with this, ignoring case.
pub(super) fn goes_on(bytes: &[u8], at: usize, with: &str) -> bool {
    bytes.get(at..at + with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()))
}

/// The length of a line end at `at`, raw or escaped as `\n`.
///
/// 0 if there is none.
pub(super) fn line_break(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n' | b'\r') => 1,
        Some(b'\\') if matches!(bytes.get(at + 1), Some(b'n' | b'r')) => 2,
        _ => 0,
    }
}

/// The start of the line of `at`, or the backward limit.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    let least = at.saturating_sub(LINE_BYTES);
    let is_start = |at: &usize| {
        let before = bytes.get(at.wrapping_sub(1));
        before == Some(&b'\n') || before == Some(&b'n') && bytes.get(at.wrapping_sub(2)) == Some(&b'\\')
    };
    let start = (least..=at).rev().find(is_start).unwrap_or(least);
    count_inspected(at - start + 1);
    start
}

/// The end of the line of `at`, or the forward limit.
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    line_end_within(bytes, at, LINE_BYTES)
}

/// As [`line_end`], with another limit.
pub(super) fn line_end_within(bytes: &[u8], at: usize, limit: usize) -> usize {
    let most = bytes.len().min(at + limit);
    let end = (at..most).find(|at| line_break(bytes, *at) > 0).unwrap_or(most);
    count_inspected(end.saturating_sub(at) + 1);
    end
}

/// The line before the one that starts at `start`.
pub(super) fn line_before(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let end = match bytes.get(start.checked_sub(1)?)? {
        b'\n' => start - 1,
        b'n' if start >= 2 && bytes[start - 2] == b'\\' => start - 2,
        _ => return None,
    };
    Some(line_start(bytes, end)..end)
}

/// Skips blanks and line ends, raw or escaped; also returns whether there was a line end.
pub(super) fn past_space(bytes: &[u8], at: usize) -> (usize, bool) {
    let (mut next, mut breaks) = (at, false);
    while next < at + 160 {
        let length = line_break(bytes, next);
        breaks |= length > 0;
        next += match bytes.get(next) {
            _ if length > 0 => length,
            Some(byte) if byte.is_ascii_whitespace() => 1,
            Some(b'\\') if bytes.get(next + 1) == Some(&b't') => 2,
            _ => break,
        };
    }
    count_inspected(next - at + 1);
    (next, breaks)
}

/// Skips the diff or comment mark of a line.
pub(super) fn past_mark(bytes: &[u8], at: usize) -> usize {
    let mark = match bytes.get(at) {
        Some(b'/') if bytes.get(at + 1) == Some(&b'/') => 2,
        Some(b'-') if bytes.get(at + 1) == Some(&b'-') => 2,
        Some(b'+' | b'-' | b'#' | b'*' | b'>' | b';') => 1,
        _ => return at,
    };
    past_blanks(bytes, at + mark)
}

/// The column of the text of the line that starts at `start`, and its byte.
pub(super) fn indentation(bytes: &[u8], start: usize) -> (usize, usize) {
    let text = past_mark(bytes, past_blanks(bytes, start));
    (text - start, text)
}

/// Whether a word begins at `at`: at the start, behind punctuation, or behind an escape (`\n`, `%3D`).
pub(super) fn starts_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| bytes[before]) else { return true };
    let escaped = || {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte);
        b"nrt".contains(&before) && at >= 2 && bytes[at - 2] == b'\\'
            || hex(before) && at >= 3 && hex(bytes[at - 2]) && bytes[at - 3] == b'%'
    };
    !(before.is_ascii_alphanumeric() || before == b'_') || escaped()
}

/// A quoted string.
pub(super) struct Quoted {
    /// The text between the quotes.
    pub(super) inner: Range<usize>,
    /// The offset behind the closing quote.
    pub(super) end: usize,
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The quoted string that starts at `at`, on one line.
///
/// The quotes may be escaped, as in a string within a string.
pub(super) fn quoted(bytes: &[u8], at: usize) -> Option<Quoted> {
    let escapes = run(bytes, at, 4, |byte| byte == b'\\');
    let open = at + escapes;
    let quote = *bytes.get(open).filter(|byte| is_quote(**byte))?;
    let threefold = escapes == 0 && quote != b'`' && bytes.get(open + 1..open + 3) == Some(&[quote, quote]);
    let start = if threefold { open + 3 } else { open + 1 };
    let limit = bytes.len().min(start + QUOTED_BYTES);
    let mut at = start;
    while at < limit {
        count_inspected(1);
        let byte = bytes[at];
        if byte == b'\n' || byte == b'\r' {
            return None;
        }
        if byte == quote && (!threefold || bytes.get(at + 1..at + 3) == Some(&[quote, quote])) {
            let behind = run_back(bytes, at, 4, |byte| byte == b'\\').min(at - start);
            if escapes == 0 || behind >= escapes {
                let end = at + if threefold { 3 } else { 1 };
                return Some(Quoted { inner: start..at - escapes.min(behind), end });
            }
        }
        if byte == b'\\' && escapes == 0 {
            at += 1;
            // Only an ASCII character is skipped; longer characters contain no quote byte.
            if bytes.get(at) == Some(&b'\n') {
                return None;
            }
        }
        at += 1;
    }
    None
}

/// The start of the string that is concatenated to the one ending at `at`: `"a" + "b"`, `"a"⏎"b"`.
pub(super) fn joined(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut next, mut breaks) = past_space(bytes, at);
    if breaks {
        next = past_mark(bytes, next);
    }
    let continued = usize::from(bytes.get(next) == Some(&b'\\') && line_break(bytes, next + 1) == 1);
    let operator = continued + run(bytes, next + continued, 2, |byte| b"+.&_~".contains(&byte));
    let (after, broken) = past_space(bytes, next + operator);
    next = after;
    if broken {
        breaks = true;
        next = past_mark(bytes, next);
    }
    let starts = bytes.get(next).is_some_and(|byte| matches!(byte, b'"' | b'\''))
        || bytes.get(next) == Some(&b'\\') && bytes.get(next + 1).is_some_and(|byte| is_quote(*byte));
    if !starts || operator == 0 && !breaks || next == at {
        return None;
    }
    // The key of a next value is not part of this string.
    let end = quoted(bytes, next)?.end;
    let behind = past_blanks(bytes, end);
    (!bytes.get(behind).is_some_and(|byte| b":=".contains(byte))).then_some(next)
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::Cell;

    thread_local! {
        static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    pub(in super::super) fn count_inspected(bytes: usize) {
        LOOKED_AT.set(LOOKED_AT.get() + bytes);
    }

    /// The number of bytes that this thread has inspected since the last call.
    pub(in super::super) fn taken() -> usize {
        LOOKED_AT.take()
    }
}
