//! What each line of a text says by itself about secrets, kept from one look to the next.
//!
//! Texts that are looked at one after the other are nearly the same: the window around the cursor before and after a
//! key, and the prompt that is made of it. Where the literals of [`ANCHORS`](super::anchors) stand, and which quoted
//! texts look random, follows from a line alone, so it is looked up by a hash of the line. Reading what follows a
//! literal goes over the ends of lines, and is done each time.
//!
//! Neither a line nor a part of one is kept.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex};

use super::anchors::Anchors;
use super::random::{self, LineKind};
use crate::privacy::limits::{KEPT_LINES, KEPT_TEXT_BYTES};

/// What a line says by itself. Places are bytes from its start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LineFacts {
    /// Where a literal stands, and the longest one that stands there.
    pub(super) hits: Vec<(usize, usize)>,
    pub(super) kind: LineKind,
    /// Quoted texts that look random.
    pub(super) literals: Vec<Range<usize>>,
}

impl LineFacts {
    fn of(anchors: Option<&Anchors>, line: &str) -> Self {
        let mut facts = Self { kind: random::line_kind(line), ..Self::default() };
        if let Some(anchors) = anchors {
            anchors.find(line.as_bytes(), |literal, at| facts.hits.push((at, literal)));
        }
        if matches!(facts.kind, LineKind::Plain { .. }) {
            random::quoted_literals(line, |span| facts.literals.push(span));
        }
        facts
    }
}

/// Goes over the lines of a text with their starts.
pub(super) fn each(anchors: Option<&Anchors>, text: &str, mut visit: impl FnMut(Range<usize>, &LineFacts)) {
    // A large text would push out what the next look is for.
    let mut kept = if text.len() <= KEPT_TEXT_BYTES { KEPT.try_lock().ok() } else { None };
    let mut start = 0;
    while start < text.len() {
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |at| start + at + 1);
        let line = &text[start..end];
        match &mut kept {
            Some(kept) => visit(start..end, kept.facts(anchors, line).get()),
            None => visit(start..end, &LineFacts::of(anchors, line)),
        }
        start = end;
    }
}

static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);

/// The facts of the lines that were looked at lately: the newest, and those before them.
struct Kept {
    seeds: [u64; 2],
    new: Generation,
    old: Generation,
}

/// Facts by the hash of their line.
type Generation = HashMap<u64, KeptFacts, BuildHasherDefault<HashOfHash>>;

/// The facts of a line. Nearly all lines say nothing, and those take no place of their own.
#[derive(Clone)]
enum KeptFacts {
    Short,
    Plain,
    Told(Arc<LineFacts>),
}

static SHORT: LineFacts = LineFacts { hits: Vec::new(), kind: LineKind::Short, literals: Vec::new() };
static PLAIN: LineFacts =
    LineFacts { hits: Vec::new(), kind: LineKind::Plain { begins: None, ends: false }, literals: Vec::new() };

impl KeptFacts {
    fn new(facts: LineFacts) -> Self {
        match facts {
            facts if facts == SHORT => Self::Short,
            facts if facts == PLAIN => Self::Plain,
            facts => Self::Told(Arc::new(facts)),
        }
    }

    fn get(&self) -> &LineFacts {
        match self {
            Self::Short => &SHORT,
            Self::Plain => &PLAIN,
            Self::Told(facts) => facts,
        }
    }
}

impl Default for Kept {
    fn default() -> Self {
        let state = RandomState::new();
        let seeds = [0_u8, 1].map(|number| state.hash_one(number));
        Self { seeds, new: Generation::default(), old: Generation::default() }
    }
}

impl Kept {
    fn facts(&mut self, anchors: Option<&Anchors>, line: &str) -> KeptFacts {
        let key = hash(self.seeds, line.as_bytes());
        if let Some(facts) = self.new.get(&key) {
            return facts.clone();
        }
        let facts = self.old.remove(&key);
        let facts = facts.unwrap_or_else(|| KeptFacts::new(LineFacts::of(anchors, line)));
        if self.new.len() >= KEPT_LINES {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, facts.clone());
        facts
    }
}

/// A hash of a line that no text can be made for, since the seeds differ in each process.
fn hash(seeds: [u64; 2], line: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut hash = fold(seeds[0] ^ line.len() as u64, seeds[1]);
    let mut pairs = line.chunks_exact(16);
    for pair in &mut pairs {
        hash = fold(word(&pair[..8]) ^ seeds[0] ^ hash, word(&pair[8..]) ^ seeds[1]);
    }
    let (first, second) = pairs.remainder().split_at(pairs.remainder().len().min(8));
    fold(word(first) ^ seeds[0] ^ hash, word(second) ^ seeds[1])
}

/// For keys that are hashes already.
#[derive(Default)]
struct HashOfHash(u64);

impl Hasher for HashOfHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_of_a_line_depends_on_every_byte() {
        let line: Vec<u8> = (0..70).collect();
        let seeds = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];
        let mut seen = std::collections::HashSet::new();
        for length in 0..line.len() {
            assert!(seen.insert(hash(seeds, &line[..length])), "the first {length} bytes");
            let mut other = line[..length].to_vec();
            for at in 0..length {
                other[at] ^= 1;
                assert!(seen.insert(hash(seeds, &other)), "byte {at} of {length}");
                other[at] ^= 1;
            }
        }
    }

    #[test]
    fn kept_facts_are_those_of_the_line() {
        let anchors = super::super::ANCHORS.as_ref();
        let mut kept = Kept::default();
        let line = |number: usize| format!("let key_{number} = password(\"{number}\");\n");
        for number in (0..3 * KEPT_LINES).chain(0..9).chain(0..9) {
            let line = line(number);
            assert_eq!(*kept.facts(anchors, &line).get(), LineFacts::of(anchors, &line));
            assert!(kept.new.len() + kept.old.len() <= 2 * KEPT_LINES);
        }
    }
}
