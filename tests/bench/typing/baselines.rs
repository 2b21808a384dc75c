//! Simpler engines, as baselines.

use std::collections::{BTreeSet, HashMap};

use crate::corpus::Sample;
use crate::engine::Engine;

/// Minimum length of a suggestion in characters, as in the predictor.
const LEAST_CHARS: usize = 3;

fn long_enough(text: &str) -> Option<String> {
    (text.chars().count() >= LEAST_CHARS).then(|| text.to_owned())
}

/// Copies the rest of the line after the last occurrence of the longest text before the cursor.
#[derive(Default)]
pub(crate) struct SuffixCopy {
    below: String,
}

impl SuffixCopy {
    const LEAST_BYTES: usize = 8;

    /// The position in `text` where the longest common suffix with `before` ends, and its length.
    fn longest(text: &str, before: &str) -> Option<(usize, usize)> {
        let suffix = before.get(before.len().checked_sub(Self::LEAST_BYTES)?..)?;
        let ends = text.match_indices(suffix).map(|(at, _)| at + suffix.len());
        let common = |end: usize| {
            let pairs = text.as_bytes()[..end].iter().rev().zip(before.as_bytes().iter().rev());
            pairs.take_while(|(one, other)| one == other).count()
        };
        ends.map(|end| (common(end), end)).max()
    }
}

impl Engine for SuffixCopy {
    fn learn(&mut self, sample: &Sample) {
        self.below.clone_from(&sample.below);
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        // The cursor's own position does not count as an occurrence.
        let last = before.char_indices().next_back().map_or(0, |(at, _)| at);
        let texts = [&before[..last], &*self.below];
        let found = texts.map(|text| Self::longest(text, before).map(|(common, end)| (common, &text[end..])));
        let (_, rest) = found.into_iter().flatten().max_by_key(|(common, _)| *common)?;
        long_enough(rest.lines().next()?)
    }
}

/// Completes a prefix that only one word of the file has.
#[derive(Default)]
pub(crate) struct OnlyWord {
    words: BTreeSet<String>,
    read: usize,
}

impl OnlyWord {
    const LEAST_LETTERS: usize = 2;

    fn read(&mut self, text: &str) {
        self.words.extend(text.split(|it| !is_word(it)).filter(|it| !it.is_empty()).map(str::to_owned));
    }
}

impl Engine for OnlyWord {
    fn learn(&mut self, sample: &Sample) {
        self.read(&sample.above);
        self.read(&sample.below);
        self.read = sample.above.len();
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        let end = before.rfind('\n').map_or(0, |at| at + 1);
        if end > self.read {
            self.read(&before[self.read..end]);
            self.read = end;
        }
        let stem = &before[before.trim_end_matches(is_word).len()..];
        let mut words = self.words.range(stem.to_owned()..).take_while(|word| word.starts_with(stem));
        let word = words.next().filter(|_| stem.chars().count() >= Self::LEAST_LETTERS)?;
        if words.next().is_some() { None } else { long_enough(&word[stem.len()..]) }
    }
}

/// The most frequent continuation of the same last tokens, token by token, while it is dominant.
#[derive(Default)]
pub(crate) struct TokenContexts {
    counts: HashMap<Vec<String>, HashMap<String, usize>>,
    read: usize,
}

impl TokenContexts {
    const TOKENS: usize = 6;
    const CHAIN: usize = 16;
    /// The minimum share of a context's uses that its most frequent token must have.
    const SHARE: f64 = 0.7;

    fn read(&mut self, text: &str) {
        let tokens = tokens(text);
        for end in 1..tokens.len() {
            for len in 1..=Self::TOKENS.min(end) {
                let counts = self.counts.entry(tokens[end - len..end].to_vec()).or_default();
                *counts.entry(tokens[end].clone()).or_default() += 1;
            }
        }
    }

    /// The most frequent token after `tokens` that begins with `stem`.
    fn next(&self, tokens: &[String], stem: &str) -> Option<&str> {
        (1..=Self::TOKENS.min(tokens.len()))
            .rev()
            .find_map(|len| {
                let counts = self.counts.get(&tokens[tokens.len() - len..])?;
                let fitting = || counts.iter().filter(|(token, _)| token.starts_with(stem));
                let total: usize = fitting().map(|(_, count)| count).sum();
                let (best, count) = fitting().max_by_key(|(token, count)| (**count, *token))?;
                Some((best, *count as f64 / total as f64))
            })
            .filter(|(_, share)| *share >= Self::SHARE)
            .map(|(token, _)| token.as_str())
    }
}

impl Engine for TokenContexts {
    fn learn(&mut self, sample: &Sample) {
        self.read(&sample.below);
        self.read(&sample.above);
        self.read = sample.above.len();
    }

    fn suggest(&mut self, before: &str) -> Option<String> {
        let end = before.rfind('\n').map_or(0, |at| at + 1);
        if end > self.read {
            let start = before[..self.read].rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at + 1);
            self.read(&before[start..end]);
            self.read = end;
        }
        let start = before.rmatch_indices('\n').nth(3).map_or(0, |(at, _)| at + 1);
        let mut tokens = tokens(&before[start..]);
        let mut stem = tokens
            .pop_if(|it| it.ends_with(is_word) || it.trim().is_empty() && it != "\n")
            .unwrap_or_default();
        let mut text = String::new();
        for _ in 0..Self::CHAIN {
            let Some(next) = self.next(&tokens, &stem).filter(|it| *it != "\n") else { break };
            text.push_str(&next[stem.len()..]);
            tokens.push(next.to_owned());
            stem.clear();
        }
        long_enough(&text)
    }
}

/// Words and punctuation, each with the whitespace before it; a line end is also a token, indentation is not.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line.trim_end_matches('\n');
        if !rest.trim().is_empty() {
            rest = rest.trim_start();
        }
        while !rest.is_empty() {
            let bare = rest.trim_start();
            let word = bare.find(|it| !is_word(it)).unwrap_or(bare.len());
            let len = if word == 0 { bare.chars().next().map_or(0, char::len_utf8) } else { word };
            let (token, tail) = rest.split_at(rest.len() - bare.len() + len);
            tokens.push(token.to_owned());
            rest = tail;
        }
        if line.ends_with('\n') {
            tokens.push("\n".to_owned());
        }
    }
    tokens
}

fn is_word(it: char) -> bool {
    it.is_alphanumeric() || it == '_'
}
