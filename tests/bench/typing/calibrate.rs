//! Fits the probability that a cut is wholly right: logistic regression on the suggestions made while code is typed.
//!
//! The suggestions depend on the fit, and later ones on earlier ones. So there are several rounds, each with the
//! suggestions that the previous fit would show.

use tandem::local::predict::{self, Cut, FEATURES, Level};

use crate::corpus::Sample;
use crate::engine::{id, learned, tail};
use crate::typist::{Asks, go_through};

const ROUNDS: usize = 4;
/// Iterations of Newton's method.
const STEPS: usize = 12;
/// The weight of a cut that is not shown.
const NOT_SHOWN: f64 = 0.03;
/// The target probabilities in the loop, one file after the other.
const TARGETS: [f32; 3] = [0.65, 0.8, 0.9];
const LEAST_CHARS: usize = 3;

/// One cut: its features, whether all of it was typed next, and its weight.
struct Case {
    features: [f64; FEATURES],
    right: bool,
    counts: f64,
}

type Weights = [f64; FEATURES];

/// Prints the weights.
pub(crate) fn fit(samples: &[Sample]) {
    let mut weights = None;
    for round in 0..ROUNDS {
        let cases: Vec<Case> = samples
            .iter()
            .enumerate()
            .flat_map(|(number, sample)| gather(sample, TARGETS[number % TARGETS.len()], weights.as_ref()))
            .collect();
        let right = cases.iter().filter(|it| it.right).count();
        println!(
            "round {round}: {} cuts, {:.1} % right",
            cases.len(),
            100.0 * right as f64 / cases.len() as f64
        );
        weights = Some(regressed(&cases));
    }
    println!("WEIGHTS: {:.5?}", weights.unwrap_or_default());
}

/// Types a sample with the suggestions that these weights would show.
fn gather(sample: &Sample, target: f32, weights: Option<&Weights>) -> Vec<Case> {
    let mut predictor = learned(sample);
    let mut cases = Vec::new();
    go_through(sample, Asks::Keys, |before, rest| {
        let Some((text, cuts)) = predictor.cuts(&id(), tail(before)) else { return 0 };
        let shown = weights.and_then(|weights| {
            let chance = |cut: &Cut| chance(&cut.features.map(f64::from), weights) as f32;
            Some(
                predict::best(&cuts, Level { target, least_chars: LEAST_CHARS, is_explicit: false }, chance)?
                    .0
                    .bytes,
            )
        });
        for cut in cuts.iter().filter(|it| it.chars >= LEAST_CHARS) {
            let counts = if weights.is_none() || shown == Some(cut.bytes) { 1.0 } else { NOT_SHOWN };
            let right = rest.starts_with(&text[..cut.bytes]);
            cases.push(Case { features: cut.features.map(f64::from), right, counts });
        }
        let Some(text) = shown.map(|shown| &text[..shown]) else { return 0 };
        predictor.show(&id(), tail(before), text);
        if rest.starts_with(text) { text.len() } else { 0 }
    });
    cases
}

fn chance(features: &Weights, weights: &Weights) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Logistic regression with a weak prior, by Newton's method.
fn regressed(cases: &[Case]) -> Weights {
    let mut weights = [0.0; FEATURES];
    for _ in 0..STEPS {
        let mut gradient = weights.map(|it: f64| -it);
        let mut curvature = [[0.0; FEATURES]; FEATURES];
        for (n, row) in curvature.iter_mut().enumerate() {
            row[n] = 1.0;
        }
        for case in cases {
            let chance = chance(&case.features, &weights);
            let error = (f64::from(u8::from(case.right)) - chance) * case.counts;
            let variance = chance * (1.0 - chance) * case.counts;
            for (n, one) in case.features.iter().enumerate() {
                gradient[n] += error * one;
                for (sum, other) in curvature[n].iter_mut().zip(&case.features) {
                    *sum += variance * one * other;
                }
            }
        }
        let step = solved(curvature, gradient);
        weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// Solves `matrix * x = right`, for a matrix that is positive definite.
fn solved(mut matrix: [Weights; FEATURES], mut right: Weights) -> Weights {
    for n in 0..FEATURES {
        let pivot = matrix[n][n];
        matrix[n].iter_mut().for_each(|it| *it /= pivot);
        right[n] /= pivot;
        let (row, value) = (matrix[n], right[n]);
        for other in (0..FEATURES).filter(|other| *other != n) {
            let factor = matrix[other][n];
            matrix[other].iter_mut().zip(row).for_each(|(it, pivot)| *it -= factor * pivot);
            right[other] -= factor * value;
        }
    }
    right
}
