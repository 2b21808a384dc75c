//! Hashes of texts.

use std::hash::{DefaultHasher, Hash, Hasher as _};

/// The hash of a value, for comparisons within this process only.
pub fn in_process(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// FNV-1a of a text: the same in every process and version.
///
/// For many short texts, [`Fnv32`] is smaller.
pub fn fnv64(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv64_add)
}

/// Extends the hash of a text by one more byte.
#[inline]
pub fn fnv64_add(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// FNV-1a in 32 bits, byte by byte.
#[derive(Debug, Clone, Copy)]
pub struct Fnv32(u32);

impl Fnv32 {
    /// The hash of an empty text.
    pub const EMPTY: Self = Self(0x811c_9dc5);

    /// The hash of a text.
    pub fn of(text: &str) -> u32 {
        text.bytes().fold(Self::EMPTY, Self::and).value()
    }

    /// Extends the hash by one more byte.
    #[inline]
    #[must_use]
    pub fn and(self, byte: u8) -> Self {
        Self((self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }

    /// The hash of the bytes so far.
    #[inline]
    pub fn value(self) -> u32 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors given by the authors of the hash.
    #[test]
    fn fnv_is_that_of_its_authors() {
        assert_eq!(
            (Fnv32::of(""), Fnv32::of("a"), Fnv32::of("foobar")),
            (0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968)
        );
        assert_eq!((fnv64("a"), fnv64("foobar")), (0xaf63_dc4c_8601_ec8c, 0x8594_4171_f739_67e8));
    }
}
