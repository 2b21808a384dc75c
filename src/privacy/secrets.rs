//! What looks like a key.
//!
//! Two degrees. What is *sure* has a shape that nothing else has, or a long literal given to something called a key; it
//! fires on none of 1,778 edits that people made, so an edit that brings one is refused. The rest may be harmless: it
//! is only taken out of what is sent, which costs next to nothing where it was.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};

/// A text that looks like a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it is, in bytes.
    pub span: Range<usize>,
    /// What it looks like.
    pub kind: &'static str,
    /// Whether it is hardly anything else.
    pub sure: bool,
}

/// Whether a byte can go on a token.
type Follows = fn(u8) -> bool;

/// Fixed beginnings of tokens, what follows them, at least how much of it, and what they are.
const TOKENS: &[(&str, Follows, usize, &str)] = &[
    ("AKIA", is_upper, 16, "an AWS key"),
    ("ASIA", is_upper, 16, "an AWS key"),
    ("ghp_", is_word, 30, "a GitHub token"),
    ("gho_", is_word, 30, "a GitHub token"),
    ("ghs_", is_word, 30, "a GitHub token"),
    ("ghu_", is_word, 30, "a GitHub token"),
    ("ghr_", is_word, 30, "a GitHub token"),
    ("github_pat_", is_word, 30, "a GitHub token"),
    ("sk-", is_word, 20, "an API key"),
    ("sk_live_", is_alphanumeric, 16, "a Stripe key"),
    ("sk_test_", is_alphanumeric, 16, "a Stripe key"),
    ("rk_live_", is_alphanumeric, 16, "a Stripe key"),
    ("xoxb-", is_word, 20, "a Slack token"),
    ("xoxp-", is_word, 20, "a Slack token"),
    ("xoxa-", is_word, 20, "a Slack token"),
    ("AIza", is_word, 35, "a Google key"),
    ("ya29.", is_word, 30, "a Google token"),
    ("glpat-", is_word, 20, "a GitLab token"),
    ("npm_", is_alphanumeric, 36, "an npm token"),
    ("hf_", is_alphanumeric, 30, "a Hugging Face token"),
    ("dop_v1_", is_alphanumeric, 32, "a DigitalOcean token"),
    ("AGE-SECRET-KEY-", is_upper, 40, "an age key"),
];

/// Other beginnings that are looked into.
const PEM: &str = "-----BEGIN ";
const JWT: &str = "eyJ";
const URL: &str = "://";
const BEARER: &str = "Bearer ";
const BASIC: &str = "Basic ";

/// Names that a literal must be given to, to count as a secret for sure.
const SURE_NAMES: &[&str] = &[
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "access_key",
    "private_key",
    "auth_token",
    "access_token",
];

/// Names that make a literal suspicious.
const NAMES: &[&str] = &[
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "auth_token",
    "access_token",
    "passphrase",
    "pwd",
    "token",
    "credential",
    "signing_key",
    "encryption_key",
    "connectionstring",
];

static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let tokens = TOKENS.iter().map(|(start, ..)| *start);
    automaton(tokens.chain([PEM, JWT, URL, BEARER, BASIC]), false)
});
static NAMED: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| automaton(NAMES.iter().copied(), true));

fn automaton<'a>(words: impl Iterator<Item = &'a str>, any_case: bool) -> Option<AhoCorasick> {
    let mut builder = AhoCorasickBuilder::new();
    builder.match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(any_case);
    // Constant words build an automaton; a test holds them to it.
    builder.build(words).ok()
}

/// All texts that look like keys, in order and apart from each other.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    for hit in BEGINNINGS.iter().flat_map(|it| it.find_iter(text)) {
        let (at, end) = (hit.start(), hit.end());
        found.extend(match hit.pattern().as_usize().checked_sub(TOKENS.len()) {
            None => token(text, at, end, TOKENS[hit.pattern().as_usize()]),
            Some(0) => pem(text, at),
            Some(1) => web_token(text, at),
            Some(2) => url(text, end),
            Some(_) => header(text, end),
        });
    }
    let mut line_end = 0;
    for hit in NAMED.iter().flat_map(|it| it.find_iter(text)) {
        let first_of_line = hit.start() >= line_end;
        line_end = text[hit.end()..].find('\n').map_or(text.len(), |at| hit.end() + at);
        let sure_name = SURE_NAMES
            .iter()
            .any(|name| hit.len() == name.len() && text[hit.range()].eq_ignore_ascii_case(name));
        let sure = (first_of_line && sure_name).then(|| assigned(text, hit.end()..line_end)).flatten();
        let kind = "a password or key";
        found.extend(match sure {
            Some(span) => Some(Secret { span, kind, sure: true }),
            None => given(text, hit.end()..line_end).map(|span| Secret { span, kind, sure: false }),
        });
    }
    found.extend(blocks(text));
    merge(found)
}

/// In order, and what overlaps as one: of the first kind, unless only a later one is sure.
fn merge(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)));
    let mut merged: Vec<Secret> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.span.start < last.span.end => {
                last.span.end = last.span.end.max(next.span.end);
                if next.sure && !last.sure {
                    (last.kind, last.sure) = (next.kind, true);
                }
            }
            _ => merged.push(next),
        }
    }
    merged
}

fn token(
    text: &str,
    at: usize,
    end: usize,
    (_, follows, least, kind): (&str, Follows, usize, &'static str),
) -> Option<Secret> {
    let inside_word = text[..at].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric());
    let rest = run(text, end, follows);
    (!inside_word && rest >= least).then_some(Secret { span: at..end + rest, kind, sure: true })
}

/// A private key. The header alone is in every program that reads keys; the key is what follows it.
fn pem(text: &str, at: usize) -> Option<Secret> {
    let line = text[at..].lines().next().unwrap_or("");
    let header = line.find("PRIVATE KEY")?;
    let header = header + line[header..].find("-----")? + "-----".len();
    let start = at + header;
    let rest = text[start..]
        .trim_start_matches(['\\', 'n', 'r', '\r', '\n', ' ', '\t', '"', '\'', '+', '>', '#', '/', '*']);
    let start = text.len() - rest.len();
    if run(text, start, is_base64) < 32 {
        return None;
    }
    // Up to its end; or, in a text that was cut, as far as it looks like a key.
    let end = match text[start..].find("-----END ") {
        Some(end) => start + end,
        None => {
            let in_key = |byte: &u8| is_base64(*byte) || b"\\\r\n \t\"'#*>".contains(byte);
            start + text.as_bytes()[start..].iter().take_while(|byte| in_key(byte)).count()
        }
    };
    let end = start
        + text[start..end]
            .trim_end_matches(['\\', 'n', 'r', '\r', '\n', ' ', '\t', '"', '\'', '#', '*', '>'])
            .len();
    Some(Secret { span: start..end, kind: "a private key", sure: true })
}

fn web_token(text: &str, at: usize) -> Option<Secret> {
    let token = run(text, at, |byte| is_word(byte) || byte == b'.');
    let token = text[at..at + token].trim_end_matches('.');
    (token.len() >= 40 && token.split('.').filter(|part| part.len() >= 10).count() == 3).then_some(Secret {
        span: at..at + token.len(),
        kind: "a signed web token",
        sure: true,
    })
}

/// The password of `scheme://user:password@host`.
fn url(text: &str, authority: usize) -> Option<Secret> {
    let length = run(text, authority, |byte| byte.is_ascii_graphic() && !b"/?#\"'`<>()".contains(&byte));
    let (user, _) = text[authority..authority + length].rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let start = authority + name.len() + 1;
    let real = !password.is_empty() && !is_placeholder(password);
    real.then_some(Secret { span: start..start + password.len(), kind: "a password in a URL", sure: false })
}

/// What follows `Bearer` or `Basic` in a header.
fn header(text: &str, at: usize) -> Option<Secret> {
    let length = run(text, at, |byte| is_base64(byte) || is_word(byte) || b".~".contains(&byte));
    let value = &text[at..at + length];
    let real = length >= 16 && mixed(value) && !is_placeholder(value);
    real.then_some(Secret { span: at..at + length, kind: "a credential of a header", sure: false })
}

/// The literal of 16 characters or more that is given to what was just named, in what follows on the line.
fn assigned(text: &str, rest: Range<usize>) -> Option<Range<usize>> {
    let after = &text[rest.clone()];
    let assign = after.find(['=', ':'])?;
    // Only the end of the name, a quote and a type may stand before the sign.
    if assign > 16 {
        return None;
    }
    let value = after[assign + 1..].trim_start_matches(['=', ' ']);
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let literal = value[1..].split(quote).next()?;
    let token = literal.len() >= 16
        && literal.bytes().all(|byte| byte.is_ascii_graphic())
        && mixed(literal)
        && !literal.contains(['{', '$', '<', '(', '/'])
        && !literal.contains("...");
    let start = rest.end - value.len() + 1;
    token.then_some(start..start + literal.len())
}

/// As [`assigned`], for what is only suspicious: any literal, and a bare word as configuration files have it.
fn given(text: &str, rest: Range<usize>) -> Option<Range<usize>> {
    let after = &text[rest.clone()];
    // The rest of the name, its closing quote or bracket, and perhaps a type.
    let name = after.trim_start_matches(|it: char| it.is_ascii_alphanumeric() || "_-".contains(it));
    let name = name.trim_start_matches(['"', '\'', ']', ')']).trim_start();
    let value = match name.strip_prefix([':', '=']) {
        Some(value) => value.trim_start_matches(['=', '>', ':']).trim_start(),
        None => return None,
    };
    // `name: type = value`.
    let value = match value.split_once('=') {
        Some((kind, value))
            if name.starts_with(':') && kind.len() <= 24 && !kind.contains(['"', '\'', ',']) =>
        {
            value.trim_start()
        }
        _ => value,
    };
    let prefix = value.trim_start_matches(['b', 'r', 'f', 'u', 'L', '@']);
    let quoted = prefix.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'));
    let (literal, least) = match quoted {
        Some(quote) => (prefix[1..].split(quote).next()?, 4),
        None => {
            let length =
                value.bytes().take_while(|byte| is_word(*byte) || b"+/=!@#%^&*~.".contains(byte)).count();
            let ends = value[length..].trim_end();
            // A call, a path in code or a longer expression is no literal.
            if !ends.is_empty() && !ends.starts_with([' ', '#', ';', ','])
                || value[..length].contains(['.', ':'])
            {
                return None;
            }
            (&value[..length], 8)
        }
    };
    let start = literal.as_ptr() as usize - text.as_ptr() as usize;
    let real = literal.len() >= least
        && literal.bytes().all(|byte| byte.is_ascii_graphic())
        && (quoted.is_some() || mixed(literal))
        && !is_placeholder(literal);
    real.then_some(start..start + literal.len())
}

/// Long literals that look random, and blocks of them: keys without a name, or in the middle of their text.
fn blocks(text: &str) -> Vec<Secret> {
    const LINE: Range<usize> = 56..80;
    const LEAST: usize = 32;
    let mut found = Vec::new();
    let mut block: Option<(usize, usize, usize)> = None;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        if line.len() <= LEAST {
            block = close(block, &mut found);
            continue;
        }
        let body = line.trim_matches(|it: char| it.is_whitespace() || "\"'+\\,#*>n".contains(it));
        if LINE.contains(&body.len()) && body.bytes().all(is_base64) && scattered(body) {
            let (first, lines) = block.map_or((start, 0), |(first, lines, _)| (first, lines));
            block = Some((first, lines + 1, end));
            continue;
        }
        block = close(block, &mut found);
        // A quote before it and the same one behind it.
        let mut rest = line;
        while let Some(open) = rest.find(['"', '\'', '`']) {
            let quote = rest.as_bytes()[open];
            let length = run(rest, open + 1, is_base64_or_url);
            let literal = &rest[open + 1..open + 1 + length];
            if rest.as_bytes().get(open + 1 + length) == Some(&quote) && length >= LEAST && is_random(literal)
            {
                let at = end - rest.len() + open + 1;
                found.push(Secret { span: at..at + length, kind: "a random text", sure: false });
            }
            rest = &rest[open + 1 + length..];
        }
    }
    close(block, &mut found);
    found
}

/// Ends a block of lines: three or more are one.
fn close(block: Option<(usize, usize, usize)>, found: &mut Vec<Secret>) -> Option<(usize, usize, usize)> {
    if let Some((first, lines, end)) = block
        && lines >= 3
    {
        found.push(Secret { span: first..end, kind: "an encoded block", sure: false });
    }
    None
}

/// Whether a literal looks drawn by lot: all kinds of letters, and no hash as lock files and pins have them.
fn is_random(literal: &str) -> bool {
    let hash =
        literal.starts_with("sha") || literal.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    !hash
        && scattered(literal)
        && literal.bytes().any(|byte| byte.is_ascii_digit())
        && entropy(literal) >= 4.2
}

/// Whether it has letters of both cases.
fn scattered(literal: &str) -> bool {
    literal.bytes().any(|byte| byte.is_ascii_lowercase())
        && literal.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Bits for each character, by how often each occurs.
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

/// Whether it stands for a secret that is put there later, or for none.
fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "example",
        "changeme",
        "placeholder",
        "redacted",
        "password",
        "secret",
        "string",
        "token",
        "null",
        "none",
        "true",
        "false",
        "undefined",
        "your",
    ];
    let bare = value.trim_matches(|it: char| !it.is_ascii_alphanumeric());
    value.contains(['{', '$', '<', '('])
        || value.starts_with('%')
        || value.contains("...")
        || value.bytes().all(|byte| byte == b'*' || byte.eq_ignore_ascii_case(&b'x'))
        || WORDS
            .iter()
            .any(|word| bare.eq_ignore_ascii_case(word) || bare.to_ascii_lowercase().starts_with("your"))
}

fn mixed(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// How many bytes from `at` on are of this kind.
fn run(text: &str, at: usize, kind: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().take_while(|byte| kind(**byte)).count()
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

fn is_base64_or_url(byte: u8) -> bool {
    is_base64(byte) || byte == b'_' || byte == b'-'
}

#[cfg(test)]
mod tests;
