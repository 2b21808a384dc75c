//! Finds probable keys and passwords in texts.
//!
//! A match has *high confidence* if nothing else has its format, or if it is a long literal assigned to a name of a
//! key: an edit that adds one is refused. Other matches may be harmless: they are only redacted in requests, which
//! costs next to nothing.
//!
//! One automaton searches for all literals of [`rules`] at once; a module for each kind parses the text after a
//! literal. Each parser has a limit in bytes, and none starts within a span already found, so that a scan is linear
//! in the text. The positions of the literals are cached for each [line](lines), so that scanning a text again costs
//! little.

mod anchors;
mod command;
mod lines;
mod manifest;
mod memo;
mod named;
mod random;
mod rules;
mod text;
mod value;

use std::cell::OnceCell;
use std::ops::Range;

use super::kind::{self, TextKind};
use super::limits::{CUT_TOKEN_BYTES, TOKEN_PARTS};
use anchors::{ANCHORS, Anchor, Anchors};
use rules::{Certainty, Token};

/// A probable key or password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its byte range.
    pub span: Range<usize>,
    /// The kind of secret that it resembles.
    pub kind: &'static str,
    /// Whether the match is high-confidence: an edit that adds it is refused.
    pub high_confidence: bool,
}

/// The kind of a value that is assigned to the name of a secret.
const NAMED: &str = "a password or key";

/// Returns all probable secrets of code, or of a text of an unknown kind.
pub fn find(text: &str) -> Vec<Secret> {
    find_in(text, TextKind::Code)
}

/// Returns all probable secrets of a text of this kind, in order and without overlaps.
///
/// Parts of a text that are diffs have the kinds of their files.
pub fn find_in(text: &str, kind: TextKind) -> Vec<Secret> {
    let mut finder = Finder::new(text, kind);
    let (mut blocks, mut long) = (random::Blocks::default(), Vec::new());
    let anchors = ANCHORS.as_ref();
    lines::each(anchors, text, |line, facts| {
        for (at, literal) in &facts.hits {
            if let Some(anchors) = anchors {
                finder.read_hit(anchors, *literal, line.start + at);
            }
        }
        if let Some(block) = blocks.push(line.clone(), facts.kind) {
            finder.add(block, random::BLOCK, false);
        }
        if !facts.literals.is_empty() {
            long.extend(facts.literals.iter().map(|it| line.start + it.start..line.start + it.end));
        }
    });
    finder.add_all(blocks.end(), random::BLOCK);
    finder.add_all(long, random::LITERAL);
    merge(finder.found)
}

/// Whether a value is hardly a word or a number of the code around it.
pub(super) fn is_distinctive(value: &str) -> bool {
    value::is_mixed(value) && value.len() >= 8
        || value.bytes().any(|byte| !byte.is_ascii_alphanumeric() && !b"_-. ".contains(&byte))
}

/// Whether a text contains a name of secrets, such as `password` or `api_key`.
pub fn has_secret_name(text: &str) -> bool {
    value::has_name(text)
}

/// Sorts matches and merges overlapping ones: the first kind wins, unless only a later one has high confidence.
pub(super) fn merge(mut found: Vec<Secret>) -> Vec<Secret> {
    found.retain(|it| !it.span.is_empty());
    found.sort_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)));
    let mut merged: Vec<Secret> = Vec::with_capacity(found.len());
    for next in found {
        match merged.last_mut() {
            Some(last) if next.span.start < last.span.end => {
                last.span.end = last.span.end.max(next.span.end);
                if next.high_confidence && !last.high_confidence {
                    (last.kind, last.high_confidence) = (next.kind, true);
                }
            }
            _ => merged.push(next),
        }
    }
    merged
}

/// A scan of one text.
struct Finder<'a> {
    text: &'a str,
    found: Vec<Secret>,
    /// The offsets up to which tokens, private keys, web tokens, values of names and manifests have been read: nothing is read
    /// twice.
    read: [usize; 5],
    spans: Vec<Range<usize>>,
    kind: TextKind,
    /// The kinds of the files whose diffs the text holds.
    in_diffs: OnceCell<Vec<(usize, TextKind)>>,
}

/// Indexes in [`Finder::read`].
const TOKENS: usize = 0;
const PRIVATE_KEYS: usize = 1;
const WEB_TOKENS: usize = 2;
const VALUES: usize = 3;
const MANIFESTS: usize = 4;

impl<'a> Finder<'a> {
    fn new(text: &'a str, kind: TextKind) -> Self {
        Self { text, found: Vec::new(), read: [0; 5], spans: Vec::new(), kind, in_diffs: OnceCell::new() }
    }

    /// The kind of the text at a byte.
    fn kind_at(&self, at: usize) -> TextKind {
        let files = self.in_diffs.get_or_init(|| kind::in_diffs(self.text));
        let before = files.partition_point(|(start, _)| *start <= at).checked_sub(1);
        before.map_or(self.kind, |it| files[it].1)
    }

    /// Parses the secrets that may begin with the longest literal at `start`, or with the shorter literals there.
    fn read_hit(&mut self, anchors: &Anchors, longest: usize, start: usize) {
        self.read_at(anchors, longest, start);
        for shorter in &anchors.shorter[longest] {
            self.read_at(anchors, *shorter, start);
        }
    }

    /// Parses the secret that may begin with the literal at `start`.
    fn read_at(&mut self, anchors: &Anchors, literal: usize, start: usize) {
        let bytes = self.text.as_bytes();
        let (literal, anchor) = &anchors.kinds[literal];
        let (span, anchor) = (start..start + literal.len(), *anchor);
        let exact = || &bytes[span.clone()] == literal.as_bytes();
        match anchor {
            Anchor::Token(token) => {
                if span.start >= self.read[TOKENS] && exact() {
                    self.token(anchors, token, span);
                }
            }
            Anchor::PrivateKey => {
                if span.start >= self.read[PRIVATE_KEYS]
                    && let Some(span) = random::private_key(self.text, span.start)
                {
                    self.read[PRIVATE_KEYS] = span.end;
                    self.add(span, "a private key", true);
                }
            }
            Anchor::WebToken => {
                if span.start >= self.read[WEB_TOKENS] && exact() && !random::continues(bytes, span.start) {
                    self.web_token(span);
                }
            }
            Anchor::Url => {
                if let Some(span) = random::url_password(self.text, span.end) {
                    self.add(span, "a password in a URL", false);
                }
            }
            Anchor::Header => self.header(span),
            Anchor::Name(class) => {
                if span.start >= self.read[VALUES] {
                    let kind = self.kind_at(span.start);
                    let certain = named::given(self.text, span, (class, kind), &mut self.spans);
                    self.add_spans(certain);
                }
            }
            Anchor::Program => {
                if exact() && span.start >= self.read[VALUES] {
                    command::given_to_program(self.text, span, &mut self.spans);
                    self.add_spans(false);
                }
            }
            Anchor::Pair => {
                command::given_in_pair(self.text, span.end, &mut self.spans);
                self.add_spans(false);
            }
            Anchor::Manifest => {
                if span.start >= self.read[MANIFESTS] && exact() {
                    self.read[MANIFESTS] = manifest::values(self.text, span.start, &mut self.spans);
                    self.add_spans(false);
                }
            }
            Anchor::Pgpass => {
                command::given_in_pgpass(self.text, span.start, &mut self.spans);
                self.add_spans(false);
            }
        }
    }

    /// Parses a signed web token whose anchor is at `hit`.
    fn web_token(&mut self, hit: Range<usize>) {
        match random::web_token(self.text, hit.start) {
            Some(span) => self.add(span, "a signed web token", true),
            None => self.read[WEB_TOKENS] = hit.end,
        }
    }

    /// Parses the value of an HTTP header whose name is at `hit`.
    fn header(&mut self, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        // Within a flag, it is a name: `--lock-token x`.
        if text::starts_word(bytes, hit.start)
            && !bytes[..hit.start].ends_with(b"-")
            && let Some(span) = random::header(self.text, text::past_blanks(bytes, hit.end))
        {
            self.add(span, "a credential of a header", false);
        }
    }

    fn add(&mut self, span: Range<usize>, kind: &'static str, high_confidence: bool) {
        self.found.push(Secret { span, kind, high_confidence });
    }

    fn add_all(&mut self, spans: impl IntoIterator<Item = Range<usize>>, kind: &'static str) {
        for span in spans {
            self.add(span, kind, false);
        }
    }

    /// Adds the values found for a name or a program.
    fn add_spans(&mut self, high_confidence: bool) {
        for span in std::mem::take(&mut self.spans) {
            self.read[VALUES] = self.read[VALUES].max(span.end);
            self.add(span, NAMED, high_confidence);
        }
    }

    /// Parses a token whose anchor is at `hit`.
    fn token(&mut self, anchors: &Anchors, token: usize, hit: Range<usize>) {
        let bytes = self.text.as_bytes();
        let rule = &rules::TOKENS[token];
        let Some(start) = anchors::token_start(rule, bytes, hit.start) else { return };
        let high_confidence = rule.certainty == Certainty::High;
        if let Some(end) = anchors.rest(token, bytes, hit.end) {
            let goes_on = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric())
                && bytes[end - 1] != b'\\'
                && end - hit.end < CUT_TOKEN_BYTES;
            if !goes_on && is_token(rule, &self.text[hit.end..end]) {
                self.read[TOKENS] = end;
                self.add(start..end, rule.kind, high_confidence);
            }
            return;
        }
        let Some(parts) = joined_parts(bytes, hit.start) else { return };
        let whole: Vec<u8> = parts.iter().flat_map(|part| bytes[part.clone()].iter().copied()).collect();
        let Some(end) = anchors.rest(token, &whole, hit.len()) else { return };
        let rest = std::str::from_utf8(&whole[hit.len()..end]).unwrap_or_default();
        if end == whole.len() && is_token(rule, rest) {
            self.read[TOKENS] = parts.last().map_or(hit.end, |it| it.end);
            let first = start..parts[0].end;
            self.add(first, rule.kind, high_confidence);
            for part in parts.into_iter().skip(1) {
                self.add(part, rule.kind, high_confidence);
            }
        }
    }
}

/// Whether the rest of a token is neither made of words (style names begin with `sk-`) nor an example.
fn is_token(rule: &Token, rest: &str) -> bool {
    let numbered = || rest.bytes().filter(u8::is_ascii_digit).count() * 40 >= rest.len();
    // Hardly any digits, but a random mix of upper and lower case.
    let is_scattered =
        || rest.contains(|it: char| it.is_ascii_uppercase()) && value::changes(rest) * 5 >= rest.len() * 2;
    (!rule.rest.contains(r"\w") || numbered() || is_scattered()) && !value::is_example(rest)
}

/// The parts of a token that begins at `at` and is concatenated from several literals.
fn joined_parts(bytes: &[u8], at: usize) -> Option<Vec<Range<usize>>> {
    let part = |at: usize| {
        at..at + text::run(bytes, at, 512, |byte| byte.is_ascii_alphanumeric() || b"_.-+/=:%".contains(&byte))
    };
    let mut parts = vec![part(at)];
    while parts.len() < TOKEN_PARTS
        && let Some(last) = parts.last()
    {
        let escape = usize::from(bytes.get(last.end) == Some(&b'\\'));
        let closed = last.end + escape;
        if !bytes.get(closed).is_some_and(|byte| text::is_quote(*byte)) {
            break;
        }
        let Some(next) = text::joined(bytes, closed + 1) else { break };
        let next = next + usize::from(bytes.get(next) == Some(&b'\\'));
        parts.push(part(next + 1));
    }
    (parts.len() > 1).then_some(parts)
}

#[cfg(test)]
mod tests;
