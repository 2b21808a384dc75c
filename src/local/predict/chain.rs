//! Builds chains of tokens, and decides how much of them is shown.

use super::contexts::{Counts, Sources, mix};
use super::tokens::{LINE_END, Stem, Token};
use crate::local::limits::{CHAIN_TOKENS, CORRECTNESS_BONUS_KEYS, LEAST_CHAIN_CHANCE};

/// Number of features of a cut's probability.
pub const FEATURES: usize = 12;
/// The weights of the features, by logistic regression on predictions while third-party code is typed: `cargo
/// bench --bench typing -- --fit DIR...` prints them.
const WEIGHTS: [f32; FEATURES] = [
    0.60558, 0.55527, -0.62656, 0.42545, -0.60068, 3.32360, -0.63315, 0.35267, 0.87203, 0.32788, -0.38584,
    -1.30719,
];

/// How confident a prediction has to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The probability of being entirely right below which nothing is shown, unless its length makes up for it;
    /// from 0 to 1.
    pub target: f32,
    /// Minimum length of the text in characters.
    pub least_chars: usize,
    /// Whether the user requested it. Otherwise an empty line is left alone unless it is below code and
    /// indented as deep: the editor or the user is still indenting it.
    pub is_explicit: bool,
}

impl Level {
    /// Shows few predictions, nearly all of which are right.
    pub const LOW: Self = Self { target: 0.9, least_chars: 3, is_explicit: false };
    /// Five of six shown predictions are right.
    pub const MEDIUM: Self = Self { target: 0.77, least_chars: 3, is_explicit: false };
    /// Shows many predictions, three of four of which are right.
    pub const HIGH: Self = Self { target: 0.65, least_chars: 3, is_explicit: false };
    /// For an explicit request: one character is enough.
    pub const INVOKED: Self = Self { target: 0.65, least_chars: 1, is_explicit: true };

    /// Whether a text with this probability is shown.
    pub(super) fn takes(self, chance: f32, text: &str) -> bool {
        chance >= self.target && text.chars().count() >= self.least_chars
    }
}

/// A position where a chain can be cut.
#[derive(Debug, Clone, PartialEq)]
pub struct Cut {
    /// The length of the text before the cut, in bytes.
    pub bytes: usize,
    /// The length in characters.
    pub chars: usize,
    /// The features of its probability.
    pub features: [f32; FEATURES],
}

impl Cut {
    /// The probability that the text before it is entirely right.
    pub fn chance(&self) -> f32 {
        let sum: f32 = self.features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Predicts the text after `context`, of which `stem` is typed; returns it and its possible cuts.
pub(super) fn chain(
    sources: &Sources<'_>,
    mut context: Vec<Token>,
    stem: Stem<'_>,
    refused: f32,
    counts: &mut [Counts],
) -> (String, Vec<Cut>) {
    let mut text = String::new();
    let mut cuts = Vec::new();
    let mut mixed = Vec::new();
    let mut rest = stem;
    let (mut product, mut least_chance, mut least_margin, mut support) = (1.0_f32, 1.0_f32, 1.0_f32, None);
    for n in 0..CHAIN_TOKENS {
        sources.gather(&context, rest, n == 0, counts);
        let Some(mixture) = mix(counts, rest, &mut mixed) else { break };
        product *= mixture.chance;
        if product < LEAST_CHAIN_CHANCE {
            break;
        }
        least_chance = least_chance.min(mixture.chance);
        least_margin = least_margin.min(mixture.chance - mixture.second);
        let support = *support.get_or_insert(mixture.support);
        let next = mixture.best;
        if next != LINE_END {
            if next.has_blank() && rest.kind() == 0 {
                text.push(' ');
            }
            text.push_str(&sources.vocabulary.text(next)[rest.text.len()..]);
        }
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        cuts.push(Cut {
            bytes: text.len(),
            chars: text.chars().count(),
            features: [
                1.0,
                logit(product),
                (text.len() as f32).ln_1p(),
                (n as f32).ln_1p(),
                support,
                least_margin,
                flag(stem.kind() == 1),
                flag(stem.kind() == 2),
                flag(stem.kind() == 3),
                flag(n == 0),
                logit(least_chance),
                refused.ln_1p(),
            ],
        });
        if next == LINE_END {
            break;
        }
        context.push(next);
        rest = Stem::default();
    }
    (text, cuts)
}

fn logit(chance: f32) -> f32 {
    let chance = chance.clamp(0.001, 0.999);
    (chance / (1.0 - chance)).ln()
}

/// The cut with the greatest expected gain and its probability by `chance`, if any cut has a gain.
pub fn best(cuts: &[Cut], level: Level, chance: impl Fn(&Cut) -> f32) -> Option<(&Cut, f32)> {
    let gain = |cut: &Cut, chance: f32| {
        chance * (cut.chars as f32 - 1.0) + CORRECTNESS_BONUS_KEYS * (chance - level.target)
    };
    cuts.iter()
        .filter(|cut| cut.chars >= level.least_chars.max(1))
        .map(|cut| (cut, chance(cut)))
        .filter(|(cut, chance)| gain(cut, *chance) > 0.0)
        .max_by(|one, other| gain(one.0, one.1).total_cmp(&gain(other.0, other.1)))
}
