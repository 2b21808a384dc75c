//! The names that files use, as hashes: enough to recognise an unknown name.
//!
//! Names are kept as 32-bit hashes: a sorted list per file, and one count for all files, so that a file can be
//! reindexed after each save. With 100,000 names, one made-up name in 40,000 collides by chance.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::text::hash::Fnv32;
use crate::text::ident;

/// About the bytes of source code for each name in it.
const BYTES_PER_NAME: usize = 6;

/// The number of files with each name, for one language family.
pub(super) type Counts = HashMap<u32, u32, BuildHasherDefault<HashOfHash>>;

/// A hasher for keys that are hashes already.
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
        // The map uses the low bits for its buckets and the high ones for its tags.
        self.0 = (self.0 ^ u64::from(hash)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The hashes of the names in a text, sorted and without duplicates.
pub(super) fn of(text: &str) -> Box<[u32]> {
    let mut hashes = Vec::with_capacity(text.len() / BYTES_PER_NAME);
    hashes.extend(words(text).map(Fnv32::of));
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

pub(super) fn add(counts: &mut Counts, names: &[u32]) {
    for name in names {
        *counts.entry(*name).or_default() += 1;
    }
}

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

/// The words that can be names, including `$`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = ident::words_with_dollars(text).map(|(_, word)| word);
    words.filter(|word| word.len() > 1 && !word.as_bytes()[0].is_ascii_digit())
}
