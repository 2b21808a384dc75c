//! Speeds up repeated searches in a text by an index of its words.

use crate::text::hash::Fnv32;

/// The positions of each word of a text, in one chain for each hash of a word.
///
/// A word is a run of ASCII letters, digits and underscores. A searched text must contain a whole word, between
/// two other characters, so that it is a whole word wherever the text occurs.
pub(super) struct Words {
    /// For each hash, the number of its chain's last position, from 1, and the chain's length.
    chains: Vec<(u32, u32)>,
    /// For each position, its byte offset, and the number of the previous one in its chain.
    places: Vec<(u32, u32)>,
}

impl Words {
    /// Indexes a text.
    pub(super) fn of(text: &str) -> Self {
        let mut chains = vec![(0, 0); (text.len() / 8).next_power_of_two().clamp(1 << 8, 1 << 20)];
        let mut places = Vec::with_capacity(text.len() / 8);
        each_word(text, |start, _, hash| {
            let slot = hash as usize & (chains.len() - 1);
            let (last, count) = &mut chains[slot];
            places.push((start as u32, *last));
            (*last, *count) = (places.len() as u32, *count + 1);
        });
        Self { chains, places }
    }

    /// Candidates for a text: the positions of its rarest word. `None` if it has no whole word.
    pub(super) fn places(&self, wanted: &str) -> Option<Places> {
        let mut rarest: Option<Places> = None;
        each_word(wanted, |offset, end, hash| {
            if offset > 0 && end < wanted.len() {
                let (last, count) = self.chains[hash as usize & (self.chains.len() - 1)];
                if rarest.as_ref().is_none_or(|rarest| (count as usize) < rarest.count) {
                    rarest = Some(Places { last, count: count as usize, offset });
                }
            }
        });
        rarest
    }

    /// The non-overlapping occurrences of a text, in order.
    ///
    /// `places` are its candidates in the indexed text.
    pub(super) fn find(&self, text: &str, wanted: &str, places: Places) -> Vec<usize> {
        let mut found = Vec::new();
        let mut next = places.last;
        while let Some(&(at, before)) =
            next.checked_sub(1).and_then(|number| self.places.get(number as usize))
        {
            let start = (at as usize).checked_sub(places.offset);
            found.extend(start.filter(|start| text.as_bytes()[*start..].starts_with(wanted.as_bytes())));
            next = before;
        }
        found.reverse();
        // A match that overlaps the one before it is dropped, as in a search from the front.
        let mut end = 0;
        found.retain(|start| {
            let apart = *start >= end;
            end = if apart { start + wanted.len() } else { end };
            apart
        });
        found
    }
}

/// Candidate positions of a text.
pub(super) struct Places {
    /// The number of the last one, from 1.
    last: u32,
    pub(super) count: usize,
    /// The offset of the word in the searched text.
    offset: usize,
}

/// Calls `visit` with each word's start, end and hash.
fn each_word(text: &str, mut visit: impl FnMut(usize, usize, u32)) {
    let mut start = 0;
    let mut hash = Fnv32::EMPTY;
    for (at, &byte) in text.as_bytes().iter().chain(b" ").enumerate() {
        if WORD[byte as usize] {
            hash = hash.and(byte);
            continue;
        }
        if start < at {
            // The low bits select the chain.
            visit(start, at, hash.value() ^ (hash.value() >> 15));
            hash = Fnv32::EMPTY;
        }
        start = at + 1;
    }
}

/// Which bytes belong to words.
static WORD: [bool; 256] = {
    let mut word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        word[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    word
};

#[cfg(test)]
mod tests {
    use super::*;
    use memchr::memmem;

    /// Checks that the index finds the same as a full search.
    #[track_caller]
    fn check(text: &str, wanted: &str, has_word: bool) {
        let words = Words::of(text);
        let places = words.places(wanted);
        assert_eq!(places.is_some(), has_word, "{wanted:?}");
        if let Some(places) = places {
            let expected: Vec<usize> = memmem::find_iter(text.as_bytes(), wanted).collect();
            assert_eq!(words.find(text, wanted, places), expected, "{wanted:?}");
        }
    }

    #[test]
    fn places_of_a_text() {
        let text = "let é = foo(bar);\n  foo(bar) + foo(bar)\n, a,b,a,b,a,\nbar";
        for wanted in
            ["(bar)", " foo(bar) ", "  foo(bar) + foo(bar)\n", ",a,b,a,", " nothing ", "é = foo(", "\nbar "]
        {
            check(text, wanted, true);
        }
        for wanted in ["foo", ");", "", "foo(", "é"] {
            check(text, wanted, false);
        }
    }
}
