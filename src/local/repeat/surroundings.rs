//! How much of what is around two places is the same.

use crate::local::limits::{SURROUNDING_BYTES, SURROUNDING_TOKENS};
use crate::local::words::{Kind, tokens};
use crate::text::floor_boundary;

/// Words, signs and line ends that are the same at two places: how many directly before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agreement {
    before: usize,
    after: usize,
}

impl Agreement {
    /// Compares what stands before and after one place with what does at another.
    pub(super) fn of(one: (&str, &str), other: (&str, &str)) -> Self {
        let same = |one: &[&str], other: &[&str]| one.iter().zip(other).take_while(|(a, b)| a == b).count();
        let before = same(&nearest_before(one.0), &nearest_before(other.0));
        Self { before, after: same(&nearest_after(one.1), &nearest_after(other.1)) }
    }

    /// Whether there is so much on each side, and so much in all.
    pub(super) fn is_at_least(self, each: usize, both: usize) -> bool {
        self.before.min(self.after) >= each && self.before + self.after >= both
    }
}

fn nearest_before(text: &str) -> Vec<&str> {
    let from = floor_boundary(text, text.len().saturating_sub(SURROUNDING_BYTES));
    let mut near = solid(&text[from..]);
    near.reverse();
    near.truncate(SURROUNDING_TOKENS);
    near
}

fn nearest_after(text: &str) -> Vec<&str> {
    let mut near = solid(&text[..floor_boundary(text, SURROUNDING_BYTES)]);
    near.truncate(SURROUNDING_TOKENS);
    near
}

/// Words and signs, and each line end.
fn solid(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for token in tokens(text) {
        match token.kind {
            Kind::Word | Kind::Mark => found.push(token.text),
            Kind::Space => found.extend(token.text.matches('\n')),
        }
    }
    found
}
