//! Predicts the next token: mixes the continuations of each context, most trusted first.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::file::File;
use super::log::{SHAPE_CHAIN, Shape, keys};
use super::tokens::{BREAK, Stem, Token, Uses, Vocabulary};
use crate::local::limits::{CHAIN_PLACES, COUNTED_WORDS, LATEST_SHARE, LEAST_BELIEF, MOST_SHARE, SEEN_WORDS};

/// How the tokens before one position are compared with those before another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// This many tokens are equal.
    Tokens(usize),
    /// This many tokens have the same shape.
    Shape(usize),
}
use Order::{Shape as Shaped, Tokens};

impl Order {
    /// Whether a position on a chain counts, given the number of matching tokens. Each order is counted on one
    /// chain, the longest that has all of its positions.
    fn is_met(self, chain: usize, agreed: usize) -> bool {
        let (own, length) = match self {
            Tokens(length @ 1) => (0, length),
            Tokens(length @ 2..=3) => (1, length),
            Tokens(length) => (2, length),
            Shaped(length) => (SHAPE_CHAIN, length),
        };
        chain == own && agreed >= length
    }
}

/// The contexts, most trusted first. In each, the file comes before its neighbours.
const ORDERS: [Order; 11] = [
    Tokens(6),
    Tokens(5),
    Shaped(9),
    Tokens(4),
    Shaped(7),
    Tokens(3),
    Shaped(5),
    Tokens(2),
    Shaped(4),
    Tokens(1),
    Shaped(3),
];
/// The kind of context that predicts a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expert {
    /// The same tokens before it.
    Tokens,
    /// Tokens of the same shape before it.
    Shape,
    /// Its first letters.
    Words,
}

/// The kind of a context, and whether it is of the file's neighbors.
fn expert(context: usize) -> (Expert, bool) {
    let expert = match ORDERS.get(context / 2) {
        Some(Tokens(_)) => Expert::Tokens,
        Some(Shaped(_)) => Expert::Shape,
        None => Expert::Words,
    };
    (expert, context % 2 == 1)
}

/// The longest order of each kind.
const LONGEST_TOKENS: usize = 6;
const LONGEST_SHAPE: usize = 9;
/// Each order in the file and its neighbours, then the words of both that begin with the typed stem.
const CONTEXTS: usize = (ORDERS.len() + 1) * 2;
/// Constants of the mixture: one for each context, kind of stem, total, number of distinct tokens, and whether
/// one token dominates.
pub const ESCAPES: usize = CONTEXTS * STEMS * TOTALS * DISTINCTS * 2;
const STEMS: usize = 4;
const TOTALS: usize = 5;
const DISTINCTS: usize = 4;
/// The probability, in thousandths, that the next token is none of a context's continuations. Fitted by
/// expectation maximisation on third-party code: `cargo bench --bench typing -- --fit DIR...` prints the table.
static ESCAPE_TABLE: &str = include_str!("escapes.txt");

fn escapes() -> &'static [f32] {
    static ESCAPES_READ: OnceLock<Vec<f32>> = OnceLock::new();
    ESCAPES_READ.get_or_init(|| {
        let numbers = ESCAPE_TABLE.split_whitespace().filter_map(|number| number.parse::<f32>().ok());
        numbers.map(|thousandths| thousandths / 1000.0).collect()
    })
}

/// The continuations of one context.
#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    items: Vec<(Token, f32)>,
    total: f32,
    latest: Option<Token>,
}

impl Counts {
    fn clear(&mut self) {
        self.items.clear();
        self.total = 0.0;
        self.latest = None;
    }

    /// Counts a token once; the first one counted is the latest.
    fn add(&mut self, token: Token) {
        self.latest.get_or_insert(token);
        self.total += 1.0;
        match self.items.iter_mut().find(|(other, _)| *other == token) {
            Some((_, count)) => *count += 1.0,
            None => self.items.push((token, 1.0)),
        }
    }

    fn shares(&self) -> impl Iterator<Item = (Token, f32)> {
        self.items.iter().map(|(token, count)| {
            let bonus = if self.latest == Some(*token) { LATEST_SHARE * self.total } else { 0.0 };
            (*token, (count + bonus) / (self.total * (1.0 + LATEST_SHARE)))
        })
    }

    /// The index of this context's escape.
    fn cell(&self, context: usize, stem: usize) -> usize {
        let total = match self.total as u32 {
            0..=1 => 0,
            2 => 1,
            3 => 2,
            4..=7 => 3,
            _ => 4,
        };
        let distinct = match self.items.len() {
            0..=1 => 0,
            2 => 1,
            3..=5 => 2,
            _ => 3,
        };
        let mostly = usize::from(self.shares().any(|(_, share)| share > MOST_SHARE));
        (((context * STEMS + stem) * TOTALS + total) * DISTINCTS + distinct) * 2 + mostly
    }
}

/// Empty counts for all contexts.
pub(super) fn no_counts() -> Vec<Counts> {
    vec![Counts::default(); CONTEXTS]
}

/// The share of a token in each context, with the index of the context's escape.
pub(super) fn shares(counts: &[Counts], stem: Stem<'_>, token: Token) -> Vec<(usize, f32)> {
    let known = counts.iter().enumerate().filter(|(_, counts)| !counts.items.is_empty());
    known
        .map(|(context, counts)| {
            let share = counts.shares().find(|(other, _)| *other == token).map_or(0.0, |(_, share)| share);
            (counts.cell(context, stem.kind()), share)
        })
        .collect()
}

/// The kind of context that contributes most of a token's probability, and whether it is of the file's neighbors.
pub(super) fn dominant_context(counts: &[Counts], stem: Stem<'_>, token: Token) -> Option<(Expert, bool)> {
    let escapes = escapes();
    let mut belief = 1.0;
    let mut chances: BTreeMap<(Expert, bool), f32> = BTreeMap::new();
    for (context, counts) in counts.iter().enumerate().filter(|(_, counts)| !counts.items.is_empty()) {
        let escape = escapes.get(counts.cell(context, stem.kind())).copied().unwrap_or(0.5);
        if let Some((_, share)) = counts.shares().find(|(other, _)| *other == token) {
            *chances.entry(expert(context)).or_default() += belief * (1.0 - escape) * share;
        }
        belief *= escape;
    }
    chances.into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).map(|(expert, _)| expert)
}

/// The most likely tokens of a mixture.
pub(super) struct Mixture {
    pub(super) best: Token,
    pub(super) chance: f32,
    /// The probability of the second best token.
    pub(super) second: f32,
    /// The trust in the first context with any continuation, from 0 to 1.
    pub(super) support: f32,
}

/// The data that predictions are based on.
pub(super) struct Sources<'p> {
    pub(super) vocabulary: &'p Vocabulary,
    pub(super) file: &'p File,
    /// Neighboring files, most trusted first.
    pub(super) neighbors: Vec<&'p File>,
}

impl Sources<'_> {
    /// Counts the continuations in each context at the end of `tokens`. Words by prefix are only looked up at
    /// the cursor.
    pub(super) fn gather(&self, tokens: &[Token], stem: Stem<'_>, at_cursor: bool, counts: &mut [Counts]) {
        counts.iter_mut().for_each(Counts::clear);
        let shape = Shape::of(tokens);
        for (side, files) in [std::slice::from_ref(&self.file), &self.neighbors].into_iter().enumerate() {
            for (chain, key) in keys(tokens, &shape).into_iter().enumerate() {
                let Some(key) = key else { continue };
                let places = files
                    .iter()
                    .flat_map(|it| it.log.places(chain, key).map(|place| it.log.tokens.split_at(place)));
                for (before, after) in places.take(CHAIN_PLACES) {
                    let next = after[0];
                    let (agreed, next) = if chain == SHAPE_CHAIN {
                        let (agreed, there) = shape.agreement(before, LONGEST_SHAPE);
                        // A name of the shape maps to the name with its number here.
                        let number = there.names().iter().position(|name| *name == next.bare());
                        (agreed, number.map_or(next, |number| shape.names()[number].spaced_like(next)))
                    } else {
                        (agreement(tokens, before), next)
                    };
                    if !stem.takes(next, self.vocabulary) {
                        continue;
                    }
                    for (order, counts) in ORDERS.iter().zip(counts.chunks_exact_mut(2)) {
                        if order.is_met(chain, agreed) {
                            counts[side].add(next);
                        }
                    }
                }
            }
        }
        if at_cursor && !stem.text.is_empty() {
            self.count_words(stem, &mut counts[ORDERS.len() * 2..]);
        }
    }

    /// Counts the most common words with the typed prefix, in the file and in all others.
    fn count_words(&self, stem: Stem<'_>, counts: &mut [Counts]) {
        let mut used: [Vec<(Uses, Token)>; 2] = Default::default();
        for word in self.vocabulary.words(stem.text, stem.blank).take(SEEN_WORDS) {
            let (all, here) = (self.vocabulary.uses(word), self.file.uses(word));
            let last = if all.last > here.last { all.last } else { 0 };
            let there = Uses { count: all.count - here.count, last };
            for (uses, used) in [here, there].into_iter().zip(&mut used).filter(|(uses, _)| uses.count > 0) {
                used.push((uses, word));
            }
        }
        for (mut used, counts) in used.into_iter().zip(counts) {
            if used.len() > COUNTED_WORDS {
                used.select_nth_unstable_by_key(COUNTED_WORDS, |(uses, _)| {
                    std::cmp::Reverse((uses.count, uses.last))
                });
                used.truncate(COUNTED_WORDS);
            }
            counts.latest = used.iter().max_by_key(|(uses, _)| uses.last).map(|(_, word)| *word);
            counts.total = used.iter().map(|(uses, _)| uses.count as f32).sum();
            counts.items.extend(used.into_iter().map(|(uses, word)| (word, uses.count as f32)));
        }
    }
}

/// The number of equal tokens at the ends of two texts.
fn agreement(one: &[Token], other: &[Token]) -> usize {
    let pairs = one.iter().rev().zip(other.iter().rev()).take(LONGEST_TOKENS);
    pairs.take_while(|(one, other)| one.bare() == other.bare() && **one != BREAK).count()
}

/// Mixes the contexts: each takes its part of the belief left over by the more trusted ones.
pub(super) fn mix(counts: &[Counts], stem: Stem<'_>, mixed: &mut Vec<(Token, f32)>) -> Option<Mixture> {
    mixed.clear();
    let escapes = escapes();
    let mut belief = 1.0;
    let mut support = None;
    for (context, counts) in counts.iter().enumerate().filter(|(_, counts)| !counts.items.is_empty()) {
        support.get_or_insert((CONTEXTS - context) as f32 / CONTEXTS as f32);
        let escape = escapes.get(counts.cell(context, stem.kind())).copied().unwrap_or(0.5);
        for (token, share) in counts.shares() {
            let chance = belief * (1.0 - escape) * share;
            match mixed.iter_mut().find(|(other, _)| *other == token) {
                Some((_, sum)) => *sum += chance,
                None => mixed.push((token, chance)),
            }
        }
        belief *= escape;
        if belief < LEAST_BELIEF {
            break;
        }
    }
    let (best, chance) = mixed.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let others = mixed.iter().filter(|(token, _)| *token != best);
    let second = others.map(|(_, chance)| *chance).fold(0.0, f32::max);
    Some(Mixture { best, chance, second, support: support? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_an_escape_for_each_cell() {
        assert_eq!(escapes().len(), ESCAPES);
        assert!(escapes().iter().all(|it| (0.0..=1.0).contains(it)));
    }
}
