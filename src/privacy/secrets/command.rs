//! Secrets in command lines, and pairs of a user name and a password.

use std::ops::Range;

use super::rules::{COMMANDS, Form};
use super::text::{count_inspected, is_quote, line_start, past_blanks, quoted, run, run_back};
use super::value::{is_key, is_placeholder};
use crate::privacy::limits::COMMAND_BYTES;

/// Whether a program's name is a whole word. Depends on the line only.
pub(super) fn stands_alone(bytes: &[u8], hit: &Range<usize>) -> bool {
    run_back(bytes, hit.start, 1, is_name_byte) == 0
        && bytes.get(hit.end).is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'"' | b'\''))
}

/// Finds the secrets passed to the program at `hit` on the rest of its line.
pub(super) fn given_to_program(text: &str, hit: Range<usize>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    if !stands_alone(bytes, &hit) {
        return;
    }
    let name = &bytes[hit.clone()];
    let rules = || COMMANDS.iter().filter(|(program, ..)| name == program.as_bytes());
    if rules().any(|(.., needs)| *needs == "echo") {
        found.extend(piped(text, hit.start));
        return;
    }
    let end = command_end(bytes, hit.end);
    let mut at = hit.end;
    let mut waiting = None;
    let mut last: Option<(Range<usize>, bool)> = None;
    let line = &bytes[hit.end..end];
    while let Some(word) = next_word(bytes, past_gap(bytes, at), end) {
        at = word.end.max(at + 1);
        // The closing quotes of an argument are behind it.
        at += run(bytes, at, 4, |byte| byte == b'\\' || is_quote(byte));
        if let Some(form) = waiting.take() {
            found.extend(match form {
                Form::Pair(sign) => pair(text, word.clone(), sign),
                Form::NextRandom => plain(text, word.clone()).filter(|it| is_key(&text[it.clone()])),
                _ => plain(text, word.clone()),
            });
            continue;
        }
        let written = &bytes[word.clone()];
        for (_, flag, form, needs) in rules() {
            let applies = needs.is_empty() || contains(line, needs.as_bytes());
            match form {
                _ if !applies => {}
                Form::Next | Form::NextRandom | Form::Pair(_)
                    if !flag.is_empty()
                        && (written == flag.as_bytes() || is_last_of(written, flag.as_bytes())) =>
                {
                    waiting = Some(*form);
                }
                // `-ubob:x`, `--user=bob:x`
                Form::Pair(sign) if !flag.is_empty() && written.starts_with(flag.as_bytes()) => {
                    let is_long = flag.starts_with("--");
                    if !is_long || written[flag.len()] == b'=' {
                        let start = word.start + flag.len() + usize::from(is_long);
                        found.extend(pair(text, start..word.end, *sign));
                    }
                }
                Form::Pair(sign) if flag.is_empty() => {
                    if let Some(span) = pair(text, word.clone(), *sign) {
                        found.push(span);
                        return;
                    }
                }
                Form::Glued if written.starts_with(flag.as_bytes()) && written.len() > flag.len() => {
                    found.extend(plain(text, word.start + flag.len()..word.end));
                }
                Form::Last if flag.is_empty() || written == flag.as_bytes() => {
                    last = Some((word.clone(), true));
                }
                _ => {}
            }
        }
        if let Some((span, _)) = &mut last {
            *span = word;
        }
    }
    if let Some((span, _)) = last {
        found.extend(plain(text, span));
    }
}

/// The password that `echo` pipes into the program at `at`: `echo bob:x | chpasswd`.
fn piped(text: &str, at: usize) -> Option<Range<usize>> {
    const ECHO: &str = "echo ";
    let bytes = text.as_bytes();
    let line = &text[boundary_from(text, line_start(bytes, at))..at];
    let from = at - line.len() + line.rfind(ECHO)? + ECHO.len();
    pair(text, next_word(bytes, past_blanks(bytes, from), at)?, ':')
}

/// Finds the password of `("bob", "x")` or `["bob", "x"]` behind `at`.
pub(super) fn given_in_pair(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    // Past a callee and the opening bracket of the pair.
    let mut at = past_blanks(bytes, at);
    let behind = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'(');
    // The encoded pair: `"auth": "x="`.
    if !behind && let Some(encoded) = quoted(bytes, at) {
        found.extend(text.get(encoded.inner.clone()).filter(|it| is_key(it)).map(|_| encoded.inner));
        return;
    }
    let callee = run(bytes, at, 48, |byte| is_name_byte(byte) || b".: ".contains(&byte));
    if !behind || callee > 0 {
        at += callee;
        if !bytes.get(at).is_some_and(|byte| matches!(byte, b'(' | b'[')) {
            return;
        }
        at += 1;
    }
    let Some(user) = quoted(bytes, past_blanks(bytes, at)) else { return };
    let comma = past_blanks(bytes, user.end);
    if bytes.get(comma) != Some(&b',') || user.inner.len() > 80 {
        return;
    }
    let mut at = past_blanks(bytes, comma + 1);
    for wrapper in ["Some(", "password="] {
        if bytes[at..].starts_with(wrapper.as_bytes()) {
            at += wrapper.len();
        }
    }
    let Some(password) = quoted(bytes, at) else { return };
    let closed = past_blanks(bytes, password.end);
    // A list of lower-case words contains features, as in Cargo's manifests.
    let is_word = |byte: &u8| byte.is_ascii_lowercase() || b"-_/?:".contains(byte);
    let in_list = bytes.get(closed) == Some(&b']') && bytes[password.inner.clone()].iter().all(is_word);
    if bytes.get(closed).is_some_and(|byte| matches!(byte, b')' | b']')) && !in_list {
        found.extend(plain(text, password.inner));
    }
}

/// Finds the password in a line of a `.pgpass`: `host:port:database:user:password`.
///
/// `at` is the start of the port.
pub(super) fn given_in_pgpass(text: &str, at: usize, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let host = run_back(bytes, at, 80, |byte| byte.is_ascii_alphanumeric() || b".-*_".contains(&byte));
    let end = at + run(bytes, at, 300, |byte| byte.is_ascii_graphic() && !is_quote(byte));
    let line = &bytes[at + 1..end];
    let mut parts = line.splitn(4, |byte| *byte == b':');
    let (Some(port), Some(database), Some(user), Some(password)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let named = |part: &[u8]| {
        !part.is_empty() && part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-*.@".contains(byte))
    };
    let ported = port == b"*" || port.len() >= 2 && port.iter().all(u8::is_ascii_digit);
    // A literal `\n` ends it.
    let password = password.windows(2).position(|it| it == b"\\n").unwrap_or(password.len());
    let start = end - (line.len() - port.len() - database.len() - user.len() - 3);
    if host > 0 && ported && named(database) && named(user) && text.is_char_boundary(start + password) {
        found.extend(plain(text, start..start + password));
    }
}

/// Whether a flag of one letter is the last of several: `-sku`.
fn is_last_of(written: &[u8], flag: &[u8]) -> bool {
    let letters = written.strip_prefix(b"-").unwrap_or_default();
    flag.len() == 2
        && letters.iter().all(u8::is_ascii_alphabetic)
        && (2..=5).contains(&letters.len())
        && letters.last() == flag.last()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn contains(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|it| it == word)
}

/// The first character boundary at or after `at`.
fn boundary_from(text: &str, at: usize) -> usize {
    let mut at = at;
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The end of a command: at the end of its line, unless continued, or at the next command.
fn command_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let limit = bytes.len().min(from + COMMAND_BYTES);
    while at < limit {
        match bytes[at] {
            b'\n' if at > 0 && bytes[at - 1] != b'\\' => break,
            b'\\' if bytes.get(at + 1) == Some(&b'n') => break,
            b';' | b'|' => break,
            b'&' if bytes.get(at + 1) == Some(&b'&') => break,
            _ => at += 1,
        }
    }
    count_inspected(at - from);
    at
}

/// Past blanks, and past the end of a continued line.
fn past_gap(bytes: &[u8], at: usize) -> usize {
    let mut at = past_blanks(bytes, at);
    while bytes.get(at) == Some(&b'\\') && bytes.get(at + 1) == Some(&b'\n') {
        at = past_blanks(bytes, at + 2);
        // The `+` of a diff.
        at = past_blanks(bytes, at + run(bytes, at, 1, |byte| byte == b'+'));
    }
    // Between arguments of a call: `"-u", "a:b"`.
    at + run(bytes, at, 4, |byte| byte == b',' || byte == b' ')
}

/// The argument that begins at `at`, without its quotes.
fn next_word(bytes: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    if at >= end {
        return None;
    }
    if let Some(it) = quoted(bytes, at).filter(|it| it.end <= end) {
        return Some(it.inner);
    }
    // A quote that opens no string on this line closes the string that contains the command.
    let length = run(bytes, at, end - at, |byte| byte.is_ascii_graphic() && !is_quote(byte) || byte >= 0x80);
    let length =
        length - run_back(&bytes[..at + length], at + length, 2, |byte| b"\\,".contains(&byte)).min(length);
    (length > 0).then(|| at..at + length).or_else(|| {
        let next = at + 1;
        next_word(bytes, next, end.min(next + 64)).filter(|_| is_quote(bytes[at]))
    })
}

fn plain(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let value = text.get(span.clone())?;
    (value.len() >= 3 && !is_placeholder(value) && !value.starts_with('-') && !value.contains(' '))
        .then_some(span)
}

fn pair(text: &str, span: Range<usize>, sign: char) -> Option<Range<usize>> {
    let value = text.get(span.clone())?;
    let (user, password) = value.split_once(sign)?;
    if user.is_empty() || user.contains(['/', ' ', '(', '{']) {
        return None;
    }
    // `sqlplus user/password@database`.
    let password = if sign == '/' { password.split('@').next()? } else { password };
    let start = span.start + user.len() + 1;
    plain(text, start..start + password.len())
}
