//! The facts that the workspace keeps about one file.

use std::sync::Arc;

use tree_sitter::Tree;

use super::collect::Earlier;
use super::symbols::FileSymbols;
use super::{collect, names};
use crate::grammar::Grammar;

/// The facts about one text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileFacts {
    /// The hashes of the names in it.
    pub(super) names: Arc<[u32]>,
    /// Its definitions and imports.
    pub(super) symbols: Arc<FileSymbols>,
    /// The text's [`digest`].
    pub(super) content: u64,
}

impl FileFacts {
    /// Parses a text and collects its facts.
    pub(super) fn of(grammar: &'static Grammar, text: &str) -> Self {
        Self::with(collect::of_text(grammar, text), text)
    }

    /// Collects the facts of a text from its tree, if there is one, and from those of an earlier version.
    ///
    /// Also returns whether this version can serve as such a one.
    pub(super) fn of_tree(
        grammar: &'static Grammar,
        tree: Option<&Tree>,
        text: &str,
        earlier: Option<(&str, &Self)>,
    ) -> (Self, bool) {
        let earlier = earlier.filter(|(text, facts)| digest(text.as_bytes()) == facts.content);
        let earlier = earlier.map(|(text, facts)| Earlier { text, symbols: &facts.symbols });
        let found = tree.map(|tree| collect::since(grammar, tree, text, earlier));
        let (symbols, is_sound) = found.unwrap_or_default();
        (Self::with(symbols, text), is_sound)
    }

    fn with(symbols: FileSymbols, text: &str) -> Self {
        Self { names: names::of(text).into(), symbols: Arc::new(symbols), content: digest(text.as_bytes()) }
    }
}

/// A 64-bit hash, the same in every process. It distinguishes texts and is not cryptographic.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let mix = |digest: u64, word: u64| (digest ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let digest = words.iter().fold(bytes.len() as u64, |digest, word| mix(digest, u64::from_le_bytes(*word)));
    let digest = rest.iter().fold(digest, |digest, byte| mix(digest, u64::from(*byte)));
    // Lets the last words affect all bits.
    mix(digest ^ (digest >> 32), 1)
}
