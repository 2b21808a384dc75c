//! Secrets that are recognized without a name: private keys, signed tokens, URL passwords, random literals.

use std::ops::Range;

use super::rules::{HARMLESS_BASE64, KEY_NAME_WORDS, PUBLIC_NAME_WORDS};
use super::text::{run, run_back};
use super::value::{changes, is_example, is_key, is_mixed, is_placeholder, is_scattered, is_stand_in};
use crate::privacy::limits::{
    KEY_BLOCK_LINE_BYTES, KEY_BLOCK_LINES, KEY_BYTES, LITERAL_BYTES, NAME_BYTES, NAMED_LITERAL_BYTES,
};

/// A private key.
///
/// Every program that reads keys contains the header; the key is the text after it.
pub(super) fn private_key(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let line = at + run(bytes, at, 120, |byte| byte.is_ascii_graphic() || byte == b' ');
    let header = &text[at..line];
    let name = header.find("PRIVATE KEY")?;
    let dashes = name + header[name..].find("----")?;
    let mut start = at + dashes + run(bytes, at + dashes, 5, |byte| byte == b'-');
    // Between header and key: line ends, also as escape sequences, quotes, comment marks.
    start += run(bytes, start, 400, is_gap);
    // Attributes of a key in an older format.
    while let Some(colon) = text.get(start..start + 12).and_then(|it| it.find("-Type:").or(it.find("-Info:")))
    {
        start += colon + run(bytes, start + colon, 200, |byte| byte != b'\n' && byte != b'\\');
        start += run(bytes, start, 200, is_gap);
    }
    if run(bytes, start, 64, is_base64) < 32 {
        return None;
    }
    // Up to the footer, or, if the text is truncated, as far as it looks like a key.
    let in_key = run(bytes, start, KEY_BYTES, |byte| is_base64(byte) || is_gap(byte));
    let in_key = text[start..start + in_key].find("----").unwrap_or(in_key);
    let inner = bytes[start..start + in_key].iter().rposition(|byte| is_base64(*byte) && *byte != b'n')?;
    let end = start + inner + 1;
    Some(start..end)
}

fn is_gap(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\\nr\"'`+>#/*.,;&_-".contains(&byte)
}

/// A signed web token: three base64 parts.
pub(super) fn web_token(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let length = run(bytes, at, KEY_BYTES, |byte| is_word(byte) || byte == b'.');
    let token = text[at..at + length].trim_end_matches('.');
    // An encrypted token has five parts, some of them empty.
    let parts = token.split('.').filter(|part| part.len() >= 10).count();
    (token.len() >= 40 && (3..=5).contains(&parts) && is_mixed(token)).then_some(at..at + token.len())
}

/// The password of `scheme://user:password@host`, or the token of `scheme://token@host`. `at` is behind the slashes.
pub(super) fn url_password(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let length = run(bytes, at, 512, |byte| byte.is_ascii_graphic() && !b"\"'`<>\\".contains(&byte));
    let url = &text[at..at + length];
    let authority = &url[..url.find(['/', '?', '#']).unwrap_or(length)];
    let user = match authority.rsplit_once('@') {
        Some((user, _)) => user,
        // A password may contain the signs that end a host, unless what precedes them is a port.
        None => {
            let (user, host) = url.split_once('@')?;
            let (_, port) = authority.split_once(':')?;
            let is_host = host.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
            let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) || is_placeholder(port);
            (is_host && !is_port).then_some(user)?
        }
    };
    let Some((name, password)) = user.split_once(':') else {
        return (user.len() >= 20 && is_key(user)).then_some(at..at + user.len());
    };
    let start = at + name.len() + 1;
    let real = !password.is_empty() && !is_placeholder(password) && !name.contains(['(', '[', ',', '/']);
    real.then_some(start..start + password.len())
}

/// The credential after `Bearer`, `Basic` or `Token` in a header.
pub(super) fn header(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let length = run(bytes, at, KEY_BYTES, |byte| is_base64(byte) || is_word(byte) || b".~:".contains(&byte));
    let value = text[at..at + length].trim_end_matches(['.', ':', ',']);
    let looks = is_mixed(value) && (is_scattered(value) || value.len() >= 20)
        || value.ends_with('=') && is_scattered(value);
    let real =
        value.len() >= 12 && looks && !is_stand_in(value) && !value.contains("//") && !value.contains("::");
    real.then_some(at..at + value.len())
}

/// The kind of base64 lines without a name, which may be from the middle of a key.
pub(super) const BLOCK: &str = "an encoded block";
/// The kind of a long literal without a name.
pub(super) const LITERAL: &str = "a random text";

/// The relevance of a line for blocks of encoded lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The line is shorter than any literal.
    #[default]
    Short,
    /// The line is short, and ends an armour.
    ShortEnd,
    /// The line belongs to a block.
    Encoded {
        /// Whether it begins like an image, a font, an archive or a certificate.
        is_harmless: bool,
    },
    /// Anything else.
    Plain {
        /// Whether it begins an armour, and if so, whether that of a private key.
        begins: Option<bool>,
        /// Whether it ends an armour.
        ends: bool,
    },
}

/// Classifies a line for blocks of encoded lines.
pub(super) fn line_kind(line: &str) -> LineKind {
    let ends = || line.contains("-----END");
    if line.len() <= *LITERAL_BYTES.start() {
        return if ends() { LineKind::ShortEnd } else { LineKind::Short };
    }
    let body = line.trim_matches(|it: char| it.is_whitespace() || "\"'+\\,#*>".contains(it));
    let body = body.strip_suffix("\\n").unwrap_or(body);
    if KEY_BLOCK_LINE_BYTES.contains(&body.len())
        && body.bytes().all(is_base64)
        && is_scattered(body)
        && is_mixed(body)
    {
        return LineKind::Encoded { is_harmless: is_harmless(body) };
    }
    let begins = line.contains("-----BEGIN").then(|| line.contains("PRIVATE"));
    LineKind::Plain { begins, ends: ends() }
}

/// Finds blocks of encoded lines: keys without a name, or from the middle of a key.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The open block: its start, its number of lines, and the end of the last one.
    block: Option<(usize, usize, usize)>,
    is_public: bool,
}

impl Blocks {
    /// Takes the next line. Returns the block that it ends.
    pub(super) fn push(&mut self, line: Range<usize>, kind: LineKind) -> Option<Range<usize>> {
        match kind {
            LineKind::Short | LineKind::ShortEnd => {
                self.is_public &= kind == LineKind::Short;
                self.end()
            }
            LineKind::Encoded { is_harmless }
                if !self.is_public && (self.block.is_some() || !is_harmless) =>
            {
                let (first, lines) = self.block.map_or((line.start, 0), |(first, lines, _)| (first, lines));
                self.block = Some((first, lines + 1, line.end));
                None
            }
            LineKind::Encoded { .. } => {
                self.is_public = true;
                None
            }
            LineKind::Plain { begins, ends } => {
                self.is_public = begins.map_or(self.is_public && !ends, |is_private| !is_private);
                self.end()
            }
        }
    }

    /// Returns the open block at the end of the text.
    pub(super) fn end(&mut self) -> Option<Range<usize>> {
        let (first, lines, end) = self.block.take()?;
        (lines >= KEY_BLOCK_LINES).then_some(first..end)
    }
}

/// Finds strings of a line that consist only of base64 and word characters.
pub(super) fn quoted_literals(line: &str, mut add: impl FnMut(Range<usize>)) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while let Some(open) = memchr::memchr3(b'"', b'\'', b'`', &bytes[at..]) {
        let open = at + open;
        let start = open + 1;
        let length = run(bytes, start, usize::MAX, |byte| is_word(byte) || b"+/=".contains(&byte));
        let close = start + length;
        let escape = usize::from(bytes.get(close) == Some(&b'\\'));
        let literal = &line[start..close];
        let is_closed = bytes.get(close + escape) == Some(&bytes[open]);
        let is_secret = || {
            LITERAL_BYTES.contains(&length) && is_random(literal) && !is_named_harmless(&bytes[..open])
                || NAMED_LITERAL_BYTES.contains(&length) && is_encoded(literal) && is_telling(&bytes[..open])
        };
        if is_closed && is_secret() {
            add(start..close);
        }
        at = close.max(start);
    }
}

/// Whether a literal looks random: several kinds of characters, and not a hash as in lock files.
fn is_random(literal: &str) -> bool {
    let hash =
        literal.starts_with("sha") || literal.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    !hash
        && !is_harmless(literal)
        && !is_example(literal)
        && !has_uuid(literal)
        && is_scattered(literal)
        && literal.bytes().filter(u8::is_ascii_digit).count() * 24 >= literal.len()
        // Names, paths and alphabets consist of longer runs.
        && changes(literal) * 10 >= literal.len() * 4
        && longest_run(literal) * 5 <= literal.len().max(40)
        && literal.bytes().filter(|byte| b"/_-".contains(byte)).count() * 8 <= literal.len()
        && entropy(literal) >= 4.2
}

/// Whether a literal is random bytes in hexadecimal or base64.
fn is_encoded(literal: &str) -> bool {
    let is_hex = literal.len().is_multiple_of(2) && literal.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_drawn = if is_hex {
        let rises = literal.as_bytes().windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
        rises * 2 < literal.len() && entropy(literal) >= 3.0
    } else {
        is_scattered(literal)
            && changes(literal) * 10 >= literal.len() * 4
            && longest_run(literal) * 5 <= literal.len().max(40)
            && entropy(literal) >= 4.2
    };
    is_drawn && is_mixed(literal) && !is_harmless(literal) && !is_example(literal)
}

/// Whether the name right before a literal is that of a key that is not public.
fn is_telling(before: &[u8]) -> bool {
    let from = before.len().saturating_sub(NAME_BYTES);
    let name = String::from_utf8_lossy(&before[from..]);
    let words = words(&name);
    let has_any = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has_any(KEY_NAME_WORDS) && !has_any(PUBLIC_NAME_WORDS)
}

/// Splits names into words in lower case: `apiKey_id` into `api`, `key` and `id`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut last = ' ';
    for next in text.chars() {
        if !next.is_ascii_alphanumeric() || next.is_ascii_uppercase() && last.is_ascii_lowercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| next.is_ascii_alphanumeric()) {
            word.push(next.to_ascii_lowercase());
        }
        last = next;
    }
    words
}

/// Whether it is an identifier that contains a UUID: `fleet-6ba7b810-9dad-11d1-80b4-00c04fd430c8`.
fn has_uuid(literal: &str) -> bool {
    literal.as_bytes().windows(36).any(|it| {
        it.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    })
}

/// Whether a literal's name shows that it is a hash, a picture or an identifier.
fn is_named_harmless(before: &[u8]) -> bool {
    const NAMES: &[&[u8]] = &[
        b"integrity",
        b"hash",
        b"checksum",
        b"digest",
        b"sha",
        b"md5",
        b"fingerprint",
        b"etag",
        b"base64,",
        b"commit",
        b"revision",
        b"public",
        b"pub_key",
        b"pubkey",
        b"cert",
        b"nonce",
        b"alphabet",
        b"chars",
        b"mappings",
        b"sitekey",
        b"nexttoken",
        b"next_token",
        b"pagetoken",
        b"page_token",
        b"cursor",
    ];
    let from = before.len().saturating_sub(40);
    let name = before[from..].to_ascii_lowercase();
    NAMES.iter().any(|it| name.windows(it.len()).any(|part| part == *it))
}

/// Whether a text begins like an image, a font, an archive or a certificate.
pub(super) fn is_harmless(text: &str) -> bool {
    HARMLESS_BASE64.iter().any(|it| text.starts_with(it))
}

/// The longest run of letters of one case, of digits, or of consecutive characters of the alphabet.
fn longest_run(text: &str) -> usize {
    let kind = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    let (mut longest, mut same, mut next) = (1, 1, 1);
    for pair in text.as_bytes().windows(2) {
        same = if kind(pair[0]) == kind(pair[1]) { same + 1 } else { 1 };
        next = if pair[1] == pair[0].wrapping_add(1) { next + 1 } else { 1 };
        longest = longest.max(same).max(next * 2);
    }
    longest
}

/// The entropy in bits per character, by the frequency of each character.
fn entropy(literal: &str) -> f64 {
    let mut counts = [0_u32; 128];
    for byte in literal.bytes() {
        counts[usize::from(byte & 127)] += 1;
    }
    let length = literal.len() as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Whether the token at `at` is the rest of a longer one.
pub(super) fn continues(bytes: &[u8], at: usize) -> bool {
    run_back(bytes, at, 1, |byte| is_word(byte) || byte == b'.') > 0
}
