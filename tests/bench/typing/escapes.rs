//! Fits the escapes: the probability that the next token never followed in a context.

use tandem::local::predict::{ESCAPES, Predictor};

use crate::corpus::Sample;
use crate::engine::{id, learned, tail};

const ROUNDS: usize = 40;
/// Escapes of one context and kind of stem. Rare ones shrink toward their mean.
const GROUP: usize = 40;
/// The weight of that mean, in observations.
const PRIOR: f64 = 8.0;
/// The share of the remaining probability that goes to unseen tokens.
const FLOOR: f64 = 1e-3;

/// For each context with a prediction at one position: its escape, and the share of the actual token.
type Evidence = Vec<(usize, f32)>;

/// Prints `escapes.txt`, in thousandths.
pub(crate) fn fit(samples: &[Sample]) {
    let evidence: Vec<Evidence> = samples.iter().flat_map(gather).collect();
    let mut escapes = vec![0.5; ESCAPES];
    for _ in 0..ROUNDS {
        escapes = maximized(&evidence, &escapes);
    }
    println!("escapes.txt, from {} places:", evidence.len());
    for row in escapes.chunks(GROUP) {
        let numbers: Vec<String> = row.iter().map(|it| format!("{:.0}", it * 1000.0)).collect();
        println!("{}", numbers.join(" "));
    }
}

/// One round of expectation maximization, over which context predicted each token.
fn maximized(evidence: &[Evidence], escapes: &[f64]) -> Vec<f64> {
    let mut passed = vec![0.0; ESCAPES];
    let mut stopped = vec![0.0; ESCAPES];
    for contexts in evidence {
        let mut belief = 1.0;
        let told: Vec<f64> = contexts
            .iter()
            .map(|(cell, share)| {
                let told = belief * (1.0 - escapes[*cell]) * f64::from(*share);
                belief *= escapes[*cell];
                told
            })
            .collect();
        let total = told.iter().sum::<f64>() + belief * FLOOR;
        let mut rest = 1.0;
        for ((cell, _), told) in contexts.iter().zip(&told) {
            stopped[*cell] += told / total;
            rest -= told / total;
            passed[*cell] += f64::max(rest, 0.0);
        }
    }
    let groups = passed.chunks(GROUP).zip(stopped.chunks(GROUP));
    groups
        .flat_map(|(passed, stopped)| {
            let (all_passed, all_stopped): (f64, f64) = (passed.iter().sum(), stopped.iter().sum());
            let mean = (all_passed + 1.0) / (all_passed + all_stopped + 2.0);
            let cells = passed.iter().zip(stopped);
            cells.map(move |(passed, stopped)| (passed + PRIOR * mean) / (passed + stopped + PRIOR))
        })
        .collect()
}

/// The evidence for each token of a sample: before it, after its whitespace, and after some of its letters.
fn gather(sample: &Sample) -> Vec<Evidence> {
    let mut predictor = learned(sample);
    let mut evidence = Vec::new();
    let mut before = sample.above.clone();
    for line in sample.typed.split_inclusive('\n') {
        let start = before.len();
        let body = line.trim_end_matches('\n');
        for (token, at) in tokens(body) {
            let blank = at > 0 && body[..at].ends_with(char::is_whitespace) && !body[..at].trim().is_empty();
            let bare = body[..at].trim_end().len();
            let letters = [1, 2, 3, 5].into_iter().filter(|_| token.starts_with(is_word));
            let typed = letters.filter_map(|count| token.char_indices().nth(count)).map(|(len, _)| at + len);
            for end in blank.then_some(bare).into_iter().chain([at]).chain(typed) {
                before.truncate(start);
                before.push_str(&body[..end]);
                evidence.push(told(&mut predictor, &before, token, blank));
            }
        }
        before.truncate(start);
        before.push_str(body);
        if !body.ends_with(is_word) {
            evidence.push(told(&mut predictor, &before, "", false));
        }
        before.truncate(start);
        before.push_str(line);
    }
    evidence.retain(|it| !it.is_empty());
    evidence
}

fn told(predictor: &mut Predictor, before: &str, token: &str, blank: bool) -> Evidence {
    predictor.evidence(&id(), tail(before), token, blank)
}

/// The words, numbers and punctuation of a line, with their offsets.
fn tokens(line: &str) -> Vec<(&str, usize)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let word = line[at..].find(|it| !is_word(it)).unwrap_or(line.len() - at);
        let len = if word == 0 { first.len_utf8() } else { word };
        if !first.is_whitespace() {
            tokens.push((&line[at..at + len], at));
        }
        at += len;
    }
    tokens
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_' || it == '$'
}
