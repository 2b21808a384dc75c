//! The word index of a large text, which rules out searches for absent names.
//!
//! It is built once, and later versions add the words around each change. Words deleted since remain in it.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use ropey::Rope;

use super::limits::{CHANGED_BYTES, WORD_BYTES};
use super::pieces::pieces;
use crate::text::hash::Fnv32;
use crate::text::ident::{first_partial, last_partial, words};

/// The words of a version of a text and of all versions since.
#[derive(Clone)]
pub(super) struct Words {
    gathered: Arc<Gathered>,
    /// The words around later changes.
    changed: String,
}

/// The words of one version.
struct Gathered {
    text: Rope,
    /// The hashes of the words, sorted.
    hashes: OnceLock<Vec<u32>>,
}

impl Words {
    pub(super) fn of(text: &Rope) -> Self {
        let gathered = Gathered { text: text.clone(), hashes: OnceLock::new() };
        Self { gathered: Arc::new(gathered), changed: String::new() }
    }

    /// Adds the words around inserted text.
    pub(super) fn change(&mut self, text: &Rope, new: Range<usize>) {
        if self.changed.len() + new.len() > CHANGED_BYTES {
            *self = Self::of(text);
            return;
        }
        let floor = |byte: usize| text.char_to_byte(text.byte_to_char(byte.min(text.len_bytes())));
        let (from, to) = (floor(new.start.saturating_sub(WORD_BYTES)), floor(new.end + WORD_BYTES));
        let before: String = pieces(text, from..new.start).collect();
        self.changed.push_str(last_partial(&before));
        self.changed.extend(pieces(text, new.clone()));
        let after: String = pieces(text, new.end..to).collect();
        self.changed.push_str(first_partial(&after));
        self.changed.push('\n');
    }

    /// Builds the index, which takes a while.
    pub(super) fn gather(&self) -> &[u32] {
        self.gathered.hashes.get_or_init(|| hashes(&self.gathered.text))
    }

    /// Whether all words of a name are, or were, in the text.
    pub(super) fn may_have(&self, name: &str) -> bool {
        let hashes = self.gather();
        words(name).all(|word| {
            hashes.binary_search(&Fnv32::of(word)).is_ok() || words(&self.changed).any(|it| it == word)
        })
    }
}

/// The hashes of all words of a text, sorted and without duplicates.
fn hashes(text: &Rope) -> Vec<u32> {
    let mut hashes = Vec::new();
    // A word that spans chunks of the rope.
    let mut across = String::new();
    for chunk in text.chunks() {
        let first = if across.is_empty() { "" } else { first_partial(chunk) };
        across.push_str(first);
        if first.len() == chunk.len() {
            continue;
        }
        hashes.extend(words(&across).map(Fnv32::of));
        let last = last_partial(chunk);
        hashes.extend(words(&chunk[first.len()..chunk.len() - last.len()]).map(Fnv32::of));
        across.clear();
        across.push_str(last);
    }
    hashes.extend(words(&across).map(Fnv32::of));
    hashes.sort_unstable();
    hashes.dedup();
    hashes.shrink_to_fit();
    hashes
}
