//! The words of a question in natural language, and how they match names.

use std::collections::BTreeSet;

use crate::text::ident;

/// Stop words of a question.
pub(super) const COMMON: [&str; 48] = [
    "a",
    "an",
    "and",
    "are",
    "at",
    "be",
    "by",
    "can",
    "code",
    "define",
    "defined",
    "defines",
    "definition",
    "did",
    "do",
    "does",
    "file",
    "files",
    "find",
    "for",
    "from",
    "function",
    "get",
    "how",
    "i",
    "in",
    "is",
    "it",
    "me",
    "my",
    "of",
    "on",
    "or",
    "own",
    "owned",
    "owns",
    "show",
    "that",
    "the",
    "this",
    "to",
    "us",
    "we",
    "what",
    "where",
    "which",
    "who",
    "with",
];

/// Minimum length in bytes of a word that matches as a prefix, and of a stem.
const LEAST_BEGINNING: usize = 4;
const LEAST_STEM: usize = 3;

/// Endings of inflected words, longest first. A final `e`, `y` or `ie` differs between a word and its inflections.
const ENDINGS: [&str; 16] = [
    "ations", "ation", "ings", "ions", "ing", "ies", "ied", "ion", "ed", "er", "es", "ie", "or", "s", "e",
    "y",
];
/// Words whose endings are not those of inflections.
const UNINFLECTED: [&str; 4] = ["bytes", "process", "setting", "string"];
/// Past forms that share no stem with their verbs.
const IRREGULAR: [(&str, &str); 16] = [
    ("bound", "bind"),
    ("broken", "break"),
    ("built", "build"),
    ("caught", "catch"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("held", "hold"),
    ("hidden", "hide"),
    ("kept", "keep"),
    ("made", "make"),
    ("sent", "send"),
    ("spent", "spend"),
    ("taken", "take"),
    ("thrown", "throw"),
    ("written", "write"),
    ("wrote", "write"),
];
/// Words that make a question one about tests or examples.
const OF_TESTS: [&str; 10] =
    ["assert", "benchmark", "covered", "demo", "example", "fixture", "mock", "spec", "test", "tested"];

/// The search terms of a question.
pub(super) struct Question {
    /// Names as written.
    pub(super) names: BTreeSet<String>,
    /// The parts of names and all other words: those that are not common, if there are any.
    pub(super) words: Vec<Word>,
    /// Whether all words are common ones, which then may be names.
    pub(super) is_common: bool,
}

/// A word in lowercase.
pub(super) struct Word {
    pub(super) text: String,
    /// The verb, if this is an irregular past form of it.
    verb: Option<&'static str>,
}

impl Question {
    pub(super) fn new(text: &str) -> Self {
        let names: BTreeSet<String> =
            ident::words_with_dollars(text).map(|(_, word)| word.to_owned()).collect();
        // `ETag` is one word.
        let words = |name: &String| match terms(name) {
            terms if terms.iter().any(|it| it.len() == 1) => vec![name.to_lowercase()],
            terms => terms,
        };
        let all: BTreeSet<String> = names.iter().flat_map(words).collect();
        let is_common = all.iter().all(|word| COMMON.contains(&word.as_str()));
        let words = all.into_iter().filter(|word| is_common || !COMMON.contains(&word.as_str()));
        Self { names, words: words.map(Word::new).collect(), is_common }
    }

    /// The words by which it may ask for tests or examples.
    pub(super) fn of_tests(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(|it| OF_TESTS.contains(&it.text.as_str()) || it.text.starts_with("test"))
    }
}

impl Word {
    fn new(text: String) -> Self {
        let verb = IRREGULAR.iter().find(|(past, _)| *past == text).map(|(_, verb)| *verb);
        Self { text, verb }
    }

    /// Whether a term is a form of this word, or one of them is a prefix of the other.
    pub(super) fn is_alike(&self, term: &str) -> bool {
        is_alike(&self.text, term) || self.verb.is_some_and(|verb| is_alike(verb, term))
    }

    pub(super) fn is_in(&self, terms: &[String]) -> bool {
        terms.iter().any(|it| self.is_alike(it))
    }

    /// Other spellings in lowercase.
    pub(super) fn forms(&self) -> impl Iterator<Item = String> {
        let stem = stem(&self.text);
        [&self.text, stem].into_iter().chain(self.verb).map(str::to_owned).chain([format!("{stem}e")])
    }
}

/// The parts of a name, in lowercase and without a plural `s`.
pub(super) fn terms(name: &str) -> Vec<String> {
    let singular = |word: String| match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !stem.ends_with('s') => stem.to_owned(),
        _ => word,
    };
    ident::parts(name).into_iter().map(|part| singular(part.text.to_lowercase())).collect()
}

fn is_alike(word: &str, other: &str) -> bool {
    let (short, long) = if word.len() <= other.len() { (word, other) } else { (other, word) };
    short == long
        || short.len() >= LEAST_BEGINNING && long.starts_with(short)
        || short.as_bytes().get(..LEAST_STEM) == long.as_bytes().get(..LEAST_STEM)
            && stem(short) == stem(long)
}

/// The part of a word that its inflections share.
fn stem(word: &str) -> &str {
    if UNINFLECTED.contains(&word) {
        return word;
    }
    let without = |end: &&str| word.strip_suffix(*end).filter(|it| it.len() >= LEAST_STEM);
    let Some(stem) = ENDINGS.iter().find_map(without) else { return word };
    // `stopped`, but not `called` or `passed`.
    let mut last = stem.chars().rev();
    match (last.next(), last.next()) {
        (Some(last), Some(before)) if last == before && "bgmnprt".contains(last) => &stem[..stem.len() - 1],
        _ => stem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_their_inflections() {
        let check = |word: &str, term: &str, expected: bool| {
            assert_eq!(Word::new(word.to_owned()).is_alike(term), expected, "{word} {term}");
        };
        for (word, term) in [
            ("added", "add"),
            ("bound", "bind"),
            ("compiled", "compilation"),
            ("computed", "compute"),
            ("converted", "convertor"),
            ("cookies", "cookie"),
            ("freed", "free"),
            ("handled", "handling"),
            ("logs", "logger"),
            ("queries", "query"),
            ("running", "run"),
            ("serialized", "serialization"),
            ("signed", "sign"),
            ("written", "writer"),
        ] {
            check(word, term, true);
        }
        for (word, term) in [
            ("header", "read"),
            ("setting", "set"),
            ("string", "str"),
            ("bytes", "by"),
            ("used", "us"),
            ("kept", "skip"),
        ] {
            check(word, term, false);
        }
    }
}
