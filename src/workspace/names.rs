//! The names that files use, as hashes: enough to recognise an unknown name.
//!
//! Names are kept as hashes of 32 bits, a sorted list for each file and one count for the whole, so that a
//! file can be taken in again after each save. Of 100,000 names a made-up one hits one by chance every
//! 40,000th time.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::text::hash::Fnv32;
use crate::text::ident;

/// How many files of one family of languages have a name.
pub(super) type Counts = HashMap<u32, u32, BuildHasherDefault<HashOfHash>>;

/// Spreads what is a hash already.
#[derive(Debug, Default)]
pub(super) struct HashOfHash(u64);

impl Hasher for HashOfHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, hash: u32) {
        // The map takes its buckets from the low bits and its tags from the high ones.
        self.0 = (self.0 ^ u64::from(hash)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The names in a text: their hashes, sorted, each once.
pub(super) fn of(text: &str) -> Box<[u32]> {
    let mut hashes: Vec<u32> = words(text).map(Fnv32::of).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// Counts a file's names.
pub(super) fn add(counts: &mut Counts, names: &[u32]) {
    for name in names {
        *counts.entry(*name).or_default() += 1;
    }
}

/// Takes a file's names out of the count.
pub(super) fn remove(counts: &mut Counts, names: &[u32]) {
    for name in names {
        if let Some(count) = counts.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                counts.remove(name);
            }
        }
    }
}

/// The words that can be names, `$` counted.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = ident::words_with_dollars(text).map(|(_, word)| word);
    words.filter(|word| word.len() > 1 && !word.starts_with(|letter: char| letter.is_ascii_digit()))
}
