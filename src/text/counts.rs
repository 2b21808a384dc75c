//! How often each of some items occurs.

use std::collections::HashMap;
use std::hash::Hash;

/// Counts each item.
pub(crate) fn counts<T: Eq + Hash>(items: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items.into_iter().for_each(|item| *counts.entry(item).or_default() += 1);
    counts
}
