//! The literals of which every secret contains at least one, in one automaton.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind, StartKind};
use regex_automata::Input;
use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::named::{self, Class};
use super::rules::{Before, Token};
use super::text::{self, count_inspected};
use super::{command, random, rules};
use crate::privacy::limits::TOKEN_BYTES;

/// The kind of secret that a literal of the automaton may begin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    Token(usize),
    PrivateKey,
    WebToken,
    Url,
    Header,
    Name(Class),
    Program,
    Pair,
    Pgpass,
    Manifest,
}

/// The literals to search for.
///
/// None of them spans a line end, which a test checks.
pub(super) struct Anchors {
    automaton: AhoCorasick,
    begins: Beginnings,
    pub(super) kinds: Vec<(Cow<'static, str>, Anchor)>,
    /// For each literal, the other literals that are a prefix of it, and found with it.
    pub(super) shorter: Vec<Vec<usize>>,
    /// The pattern for the rest of each token, built when its anchor is first found.
    pub(super) rests: Vec<OnceLock<Option<Regex>>>,
}

/// The three-byte prefixes of the literals, case-insensitive: a filter that skips most positions of a text.
struct Beginnings(Box<[u64]>);

impl Beginnings {
    /// Bits of a byte's class, and the mask for three classes.
    const CLASS_BITS: u32 = 6;
    const MASK: usize = (1 << (3 * Self::CLASS_BITS)) - 1;

    fn of<'a>(literals: impl Iterator<Item = &'a str>) -> Self {
        let mut bits = vec![0_u64; (Self::MASK + 1) / 64].into_boxed_slice();
        for literal in literals {
            let first = literal.bytes().take(3).fold(0, Self::pushed);
            if literal.len() >= 3 {
                bits[first / 64] |= 1 << (first % 64);
            } else {
                // With any third byte.
                bits[(first << Self::CLASS_BITS & Self::MASK) / 64] = u64::MAX;
            }
        }
        Self(bits)
    }

    /// Shifts another byte into a window of three.
    fn pushed(three: usize, byte: u8) -> usize {
        (three << Self::CLASS_BITS | usize::from(CLASSES[usize::from(byte)])) & Self::MASK
    }

    fn has(&self, three: usize) -> bool {
        self.0[three / 64] >> (three % 64) & 1 == 1
    }
}

/// The class of each byte: a letter in both cases, a digit or punctuation, or the rest.
static CLASSES: [u8; 256] = {
    let mut classes = [0_u8; 256];
    let signs = b"abcdefghijklmnopqrstuvwxyz0123456789_-.:/=?&;\"<$~ *(";
    let mut at = 0;
    while at < signs.len() {
        classes[signs[at] as usize] = at as u8 + 1;
        classes[signs[at].to_ascii_uppercase() as usize] = at as u8 + 1;
        at += 1;
    }
    classes
};

pub(super) static ANCHORS: LazyLock<Option<Anchors>> = LazyLock::new(Anchors::new);

impl Anchors {
    /// `None` only if a constant of the rules cannot be compiled, which a test checks.
    fn new() -> Option<Self> {
        let mut kinds: Vec<(Cow<'static, str>, Anchor)> = Vec::new();
        for (at, token) in rules::TOKENS.iter().enumerate() {
            kinds.extend(token.anchors.split('|').map(|anchor| (anchor.into(), Anchor::Token(at))));
        }
        for (class, names) in [
            (Class::Password, rules::PASSWORDS),
            (Class::ShortPassword, rules::SHORT_PASSWORDS),
            (Class::Key, rules::KEYS),
        ] {
            kinds.extend(names.iter().flat_map(|name| spellings(name)).map(|it| (it, Anchor::Name(class))));
        }
        let programs: BTreeSet<&'static str> = rules::COMMANDS.iter().map(|(program, ..)| *program).collect();
        let fixed = [
            (Anchor::PrivateKey, &["-----BEGIN ", "---- BEGIN "][..]),
            (Anchor::WebToken, &["eyJ"]),
            (Anchor::Url, &["://"]),
            (Anchor::Header, &["Bearer ", "Basic ", "Token ", "ApiKey ", "SSWS ", "Bearer:"]),
            (Anchor::Name(Class::Password), &["identified by"]),
            (Anchor::Pair, rules::PAIRS),
            (Anchor::Manifest, &["kind: Secret", "\"kind\": \"Secret\""]),
            (Anchor::Pgpass, &[":5432:", ":5433:", ":6432:", ":*:"]),
        ];
        kinds.extend(programs.into_iter().map(|it| (it.into(), Anchor::Program)));
        let fixed =
            fixed.into_iter().flat_map(|(anchor, literals)| literals.iter().map(move |it| (*it, anchor)));
        kinds.extend(fixed.map(|(literal, anchor)| (literal.into(), anchor)));
        let automaton = AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Anchored)
            // It is queried only where three bytes begin a literal, and a DFA takes a megabyte more.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(kinds.iter().map(|(literal, _)| literal.as_bytes()))
            .ok()?;
        let rests = rules::TOKENS.iter().map(|_| OnceLock::new()).collect();
        let begins = |literal: &str, with: &str| {
            literal.as_bytes().get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()))
        };
        let shorter = kinds
            .iter()
            .enumerate()
            .map(|(at, (literal, _))| {
                let others = kinds.iter().enumerate();
                others
                    .filter(|(other, (it, _))| *other != at && begins(literal, it))
                    .map(|(other, _)| other)
                    .collect()
            })
            .collect();
        let begins = Beginnings::of(kinds.iter().map(|(literal, _)| &**literal));
        Some(Self { automaton, begins, kinds, shorter, rests })
    }

    /// Reports each position of a line where a literal occurs: the index of the longest one, and the byte.
    pub(super) fn find(&self, line: &[u8], mut tell: impl FnMut(usize, usize)) {
        let mut three = 0;
        for (at, byte) in line.iter().enumerate() {
            three = Beginnings::pushed(three, *byte);
            if !self.begins.has(three) || at < 2 {
                continue;
            }
            let here = aho_corasick::Input::new(line).range(at - 2..).anchored(aho_corasick::Anchored::Yes);
            if let Some(hit) = self.automaton.find(here) {
                tell(hit.pattern().as_usize(), hit.start());
            }
        }
    }

    /// Whether a secret may begin with the literal at a byte of a line, or with a shorter literal there, judging by
    /// the rest of the line.
    ///
    /// Most cannot: `re_` within `measure_rows`, `token` within `tokenize`.
    pub(super) fn may_begin(&self, line: &str, longest: usize, at: usize) -> bool {
        let bytes = line.as_bytes();
        std::iter::once(&longest).chain(&self.shorter[longest]).any(|literal| {
            let (literal, anchor) = &self.kinds[*literal];
            let (span, anchor) = (at..at + literal.len(), *anchor);
            let is_exact = || &bytes[span.clone()] == literal.as_bytes();
            match anchor {
                Anchor::Token(token) => is_exact() && token_start(&rules::TOKENS[token], bytes, at).is_some(),
                Anchor::WebToken => is_exact(),
                Anchor::Header => text::starts_word(bytes, at),
                Anchor::Url => random::url_password(line, span.end).is_some(),
                Anchor::Name(class) => named::is_name(line, span, class),
                Anchor::Program => is_exact() && command::stands_alone(bytes, &span),
                Anchor::PrivateKey | Anchor::Pair | Anchor::Pgpass | Anchor::Manifest => true,
            }
        })
    }

    /// The end of a token whose rest begins at `at`.
    pub(super) fn rest(&self, token: usize, bytes: &[u8], at: usize) -> Option<usize> {
        let build = || {
            let bytewise = syntax::Config::new().unicode(false).utf8(false);
            Regex::builder().syntax(bytewise).build(rules::TOKENS[token].rest).ok()
        };
        let rest = self.rests.get(token)?.get_or_init(build).as_ref()?;
        let limit = bytes.len().min(at + TOKEN_BYTES);
        let input = Input::new(bytes).range(at..limit).anchored(regex_automata::Anchored::Yes);
        let end = rest.find(input).map(|it| it.end());
        count_inspected(end.unwrap_or(at) - at + 1);
        end
    }
}

/// A name of several words as they are joined in names: `apikey`, `api_key`, `api-key`, `api.key` and `api key`.
fn spellings(name: &'static str) -> impl Iterator<Item = Cow<'static, str>> {
    let joints = if name.contains(' ') { &["", "_", "-", "."][..] } else { &[] };
    let joined = joints.iter().map(move |joint| Cow::Owned(name.replace(' ', joint)));
    joined.chain([Cow::Borrowed(name)])
}

/// The start of a token whose anchor is at `at`.
pub(super) fn token_start(rule: &Token, bytes: &[u8], at: usize) -> Option<usize> {
    let part = |least: usize, most: usize, kind: fn(u8) -> bool| {
        let mut length = text::run_back(bytes, at, most + 1, kind);
        // The letter of an escape sequence (`\n`) is not part of the token.
        let start = at - length;
        if length > 0 && b"nrt".contains(&bytes[start]) && bytes[..start].last() == Some(&b'\\') {
            length -= 1;
        }
        (least..=most).contains(&length).then_some(at - length)
    };
    match rule.before {
        Before::Any => Some(at),
        Before::Start => text::starts_word(bytes, at).then_some(at),
        Before::Digits(least, most) => part(least, most, |byte| byte.is_ascii_digit()),
        Before::Hex(least, most) => part(least, most, |byte| byte.is_ascii_hexdigit()),
        Before::Word(least, most) => {
            part(least, most, |byte| byte.is_ascii_alphanumeric() || b"_~.-".contains(&byte))
        }
    }
}
