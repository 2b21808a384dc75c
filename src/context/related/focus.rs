//! The names near the cursor, and their weights.

use std::collections::HashMap;

use super::query::Query;
use crate::grammar::Grammar;
use crate::text::floor_boundary;
use crate::text::hash::Fnv32;
use crate::text::ident;

/// Bytes before the cursor whose names count: about 40 lines.
const BEFORE_BYTES: usize = 1536;
/// Bytes after the cursor whose names count.
const AFTER_BYTES: usize = 512;
/// Distance in lines at which a name's weight halves.
const HALF_LINES: f32 = 6.0;

/// Relative weight of a name after the cursor.
const BEHIND: f32 = 0.8;

/// The names near the cursor.
pub(super) struct Focus {
    /// The text whose names count, and the byte of the document at which it begins.
    pub(super) text: String,
    pub(super) start: usize,
    /// The cursor's byte offset in that text.
    pub(super) cursor: usize,
    /// The weight of each name, by its hash: nearness and rarity.
    pub(super) weights: HashMap<u32, f32>,
}

impl Focus {
    pub(super) fn new(query: &Query<'_>, grammar: &Grammar) -> Self {
        let document = query.document;
        let whole = document.text().to_string();
        let cursor = floor_boundary(&whole, query.cursor.min(whole.len()));
        let start = floor_boundary(&whole, cursor.saturating_sub(BEFORE_BYTES));
        let end = floor_boundary(&whole, (cursor + AFTER_BYTES).min(whole.len()));
        let text = whole[start..end].to_owned();
        let cursor = cursor - start;
        let mut near: HashMap<u32, f32> = HashMap::new();
        let (before, after) = text.split_at(cursor);
        let mut line = 0.0;
        for text in before.rsplit('\n') {
            add(&mut near, text, 1.0 / (1.0 + line / HALF_LINES));
            line += 1.0;
        }
        for (line, text) in after.split('\n').enumerate() {
            add(&mut near, text, BEHIND / (1.0 + line as f32 / HALF_LINES));
        }
        let hashes: Vec<u32> = near.keys().copied().collect();
        let spread = query.workspace.spread(grammar, &hashes);
        let files = query.workspace.size().0.max(1) as f32;
        let weights = hashes.into_iter().zip(spread).map(|(name, in_files)| {
            let rarity = (1.0 + files / (in_files as f32 + 0.5)).ln();
            (name, near.get(&name).copied().unwrap_or_default() * rarity)
        });
        Self { weights: weights.collect(), text, start, cursor }
    }
}

/// The names in a text, each with its end offset in bytes.
pub(super) fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    ident::words_with_dollars(text)
        .filter(|(_, word)| word.len() > 1 && !word.starts_with(|letter: char| letter.is_ascii_digit()))
}

/// The hashes of the names in a text, sorted and without duplicates.
pub(super) fn hashes(text: &str) -> Vec<u32> {
    let mut hashes: Vec<u32> = names(text).map(|(_, name)| Fnv32::of(name)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn add(near: &mut HashMap<u32, f32>, text: &str, weight: f32) {
    for (_, name) in names(text) {
        let known = near.entry(Fnv32::of(name)).or_default();
        *known = known.max(weight);
    }
}
