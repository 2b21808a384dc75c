//! The secrets of a file, recognized in texts that show parts of it.
//!
//! A request shows a file in parts, with marks between them. A mark or an edge may separate a secret from its name, so
//! that the parts do not reveal it. Hence the file itself is searched, and its secrets are removed wherever a request
//! repeats them.

use std::collections::HashMap;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};
use zeroize::Zeroizing;

use super::secrets::{Secret, is_distinctive, merge};

/// The secrets of a file.
#[derive(Default)]
pub struct Known {
    values: Vec<Value>,
    /// Finds the values; `None` if there are none.
    automaton: Option<AhoCorasick>,
}

/// A value, and what is next to it in the file.
struct Value {
    text: Zeroizing<String>,
    kind: &'static str,
    neighbours: Vec<[Option<u8>; 2]>,
}

/// Shows no values.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values.iter().map(|it| it.kind)).finish()
    }
}

impl Known {
    /// The secrets `found` in a file's text.
    pub fn of(text: &str, found: &[Secret]) -> Self {
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut values: Vec<Value> = Vec::new();
        for Secret { span, kind, .. } in found {
            let value = &text[span.clone()];
            let at = *places.entry(value).or_insert(values.len());
            if at == values.len() {
                let text = Zeroizing::new(value.to_owned());
                values.push(Value { text, kind, neighbours: Vec::new() });
            }
            let beside = neighbours(text, span.start, span.end);
            if !values[at].neighbours.contains(&beside) {
                values[at].neighbours.push(beside);
            }
        }
        let texts = values.iter().map(|it| it.text.as_bytes());
        let automaton = (!values.is_empty())
            .then(|| AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(texts).ok())
            .flatten();
        Self { values, automaton }
    }

    /// Adds the places in a text of a request where these secrets stand to those `found` there.
    pub(super) fn join(&self, text: &str, mut found: Vec<Secret>) -> Vec<Secret> {
        let Some(automaton) = &self.automaton else { return found };
        let known = automaton.find_iter(text).filter_map(|hit| {
            let value = &self.values[hit.pattern().as_usize()];
            let beside = neighbours(text, hit.start(), hit.end());
            let secret = Secret { span: hit.range(), kind: value.kind, high_confidence: false };
            value.stands(beside).then_some(secret)
        });
        found.extend(known);
        merge(found)
    }
}

impl Value {
    /// Whether an occurrence with these neighbours is the secret.
    ///
    /// A password may be a word of the code as well: without its quotes, or within a longer word, it is not the secret.
    fn stands(&self, beside: [Option<u8>; 2]) -> bool {
        let is_apart = |byte: Option<u8>| {
            byte.is_none_or(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80))
        };
        let alike = |(is, was): (&Option<u8>, &Option<u8>)| is.is_none() || is == was;
        self.neighbours.iter().any(|was| beside.iter().zip(was).all(alike))
            || is_distinctive(&self.text) && beside.into_iter().all(is_apart)
    }
}

/// The bytes before and after a span; `None` at the ends of its line, where a request may go on with anything.
fn neighbours(text: &str, start: usize, end: usize) -> [Option<u8>; 2] {
    let before = start.checked_sub(1).and_then(|at| text.as_bytes().get(at));
    [before, text.as_bytes().get(end)].map(|byte| byte.copied().filter(|byte| !matches!(byte, b'\n' | b'\r')))
}
