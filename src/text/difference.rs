//! The part in which two texts differ.

use std::ops::Range;

/// The byte ranges in which two texts differ, in the old and in the new text.
pub(crate) fn difference(old: &str, new: &str) -> (Range<usize>, Range<usize>) {
    let most = old.len().min(new.len());
    let mut start = common_prefix_len(old.as_bytes(), new.as_bytes());
    while !old.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = common_suffix_len(old.as_bytes(), new.as_bytes()).min(most - start);
    while !old.is_char_boundary(old.len() - end) {
        end -= 1;
    }
    (start..old.len() - end, start..new.len() - end)
}

/// Bytes compared at once.
const AT_ONCE: usize = 128;

/// The length of the common prefix.
fn common_prefix_len(old: &[u8], new: &[u8]) -> usize {
    let pieces = old.chunks_exact(AT_ONCE).zip(new.chunks_exact(AT_ONCE));
    let start = AT_ONCE * pieces.take_while(|(old, new)| old == new).count();
    start + old[start..].iter().zip(&new[start..]).take_while(|(old, new)| old == new).count()
}

/// The length of the common suffix.
fn common_suffix_len(old: &[u8], new: &[u8]) -> usize {
    let pieces = old.rchunks_exact(AT_ONCE).zip(new.rchunks_exact(AT_ONCE));
    let end = AT_ONCE * pieces.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
    end + old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: (&str, &str)) {
        let (of_old, of_new) = difference(old, new);
        assert_eq!((&old[of_old.clone()], &new[of_new.clone()]), expected);
        assert_eq!([&old[..of_old.start], &new[of_new], &old[of_old.end..]].concat(), new);
    }

    #[test]
    fn texts_differ_by_whole_characters() {
        check("", "", ("", ""));
        check("a", "", ("a", ""));
        check("abc", "abXc", ("", "X"));
        check("aaa", "aaaa", ("", "a"));
        check("aé", "aè", ("é", "è"));
        check("éa", "\u{a9}a", ("é", "\u{a9}"));
        check("f(a, a)", "f(a)", (", a", ""));
        let long = "0123456789".repeat(20);
        for at in 0..long.len() {
            check(&long, &[&long[..at], "X", &long[at..]].concat(), ("", "X"));
            check(&long, &[&long[..at], "X", &long[at + 1..]].concat(), (&long[at..=at], "X"));
        }
    }
}
