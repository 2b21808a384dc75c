//! A cache of values computed from texts, keyed by a hash of the text.
//!
//! Neither a text nor a part of one is stored.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, Hasher, RandomState};

/// Values by the hash of their text, in two generations.
pub(super) struct Memo<T> {
    new: HashMap<u64, T, BuildHasherDefault<HashOfHash>>,
    old: HashMap<u64, T, BuildHasherDefault<HashOfHash>>,
    /// The maximum number of values in each generation.
    most: usize,
}

impl<T: Clone> Memo<T> {
    pub(super) fn new(most: usize) -> Self {
        Self { new: HashMap::default(), old: HashMap::default(), most }
    }

    pub(super) fn get(&mut self, key: u64) -> Option<T> {
        if let Some(value) = self.new.get(&key) {
            return Some(value.clone());
        }
        let value = self.old.remove(&key)?;
        self.insert(key, value.clone());
        Some(value)
    }

    pub(super) fn insert(&mut self, key: u64, value: T) {
        if self.new.len() >= self.most {
            self.old = std::mem::take(&mut self.new);
        }
        self.new.insert(key, value);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.new.len() + self.old.len()
    }
}

/// A keyed hash of texts. Collisions cannot be constructed, since the seeds differ in each process.
pub(super) struct Hashes([u64; 2]);

impl Default for Hashes {
    fn default() -> Self {
        let state = RandomState::new();
        Self([0_u8, 1].map(|number| state.hash_one(number)))
    }
}

impl Hashes {
    #[inline]
    pub(super) fn of(&self, text: &str) -> u64 {
        hash(self.0, text.as_bytes())
    }
}

#[inline]
fn hash(seeds: [u64; 2], line: &[u8]) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let start = fold(seeds[0] ^ line.len() as u64, seeds[1]);
    let (Some(first), Some(last)) = (line.first_chunk::<8>(), line.last_chunk::<8>()) else {
        let word = line.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
        return fold(word ^ seeds[0] ^ start, seeds[1]);
    };
    let pairs = line.chunks_exact(16);
    // At most fifteen bytes remain after the pairs: hash the first eight of them, and the last eight of the line.
    let rest = pairs.remainder().first_chunk::<8>().unwrap_or(first);
    let word = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
    let hash = pairs.fold(start, |hash, pair| match (pair.first_chunk(), pair.last_chunk()) {
        (Some(first), Some(last)) => fold(word(first) ^ seeds[0] ^ hash, word(last) ^ seeds[1]),
        _ => hash,
    });
    fold(word(rest) ^ seeds[0] ^ hash, word(last) ^ seeds[1])
}

/// A hasher for keys that are already hashes.
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
}
