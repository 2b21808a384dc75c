//! What an instruction asks for, by the stems of its words.

use std::collections::HashSet;

use super::names::kept_words;
use crate::text::ident;

/// Stems of words that ask for a change which removes definitions.
pub(super) const REMOVING: [&str; 14] = [
    "combin",
    "consolidat",
    "dead",
    "dedup",
    "delet",
    "drop",
    "eliminat",
    "extract",
    "inlin",
    "merg",
    "mov",
    "remov",
    "split",
    "unus",
];

/// Stems of words that ask for other code in the place of a definition, or say that it is needless.
///
/// A definition with a new name or a new body has a new one in its place.
pub(super) const REPLACING: [&str; 20] = [
    "clean",
    "convert",
    "duplic",
    "instead",
    "into",
    "longer",
    "needless",
    "never",
    "obsolete",
    "redundan",
    "refactor",
    "replac",
    "shorten",
    "simplif",
    "superfluous",
    "tidy",
    "turn",
    "unnecess",
    "unreach",
    "without",
];

/// Stems of verbs that ask for a removal only as a request: "when it is deleted" and "may delete" ask for none.
const REQUESTED: [&str; 3] = ["delet", "drop", "remov"];

/// Whether an instruction has a word with one of some stems that is no name, outside of what it says must stay.
pub(super) fn has_stem(instruction: &str, stems: &[&str], is_name: &dyn Fn(&str) -> bool) -> bool {
    let kept: HashSet<&str> = kept_words(instruction).collect();
    let clauses = instruction.split([',', ';', ':', '\n', '(']).flat_map(|part| part.split(". "));
    clauses.into_iter().any(|clause| {
        let words: Vec<String> = ident::words(clause).map(str::to_lowercase).collect();
        ident::words(clause).enumerate().any(|(at, word)| {
            let is_stem = |stem: &&&str| words[at].starts_with(**stem);
            let is_request = |stem: &&str| !REQUESTED.contains(stem) || is_requested(&words[..at]);
            !kept.contains(word) && !is_name(word) && stems.iter().find(is_stem).is_some_and(is_request)
        })
    })
}

/// Whether the words before a verb make a request of it: none, "and", "please", "I want to".
fn is_requested(before: &[String]) -> bool {
    const LEADING: [&str; 13] =
        ["also", "and", "but", "can", "just", "let", "must", "or", "please", "s", "should", "then", "you"];
    const WISHING: [&str; 6] = ["have", "like", "need", "try", "want", "wish"];
    match before {
        [] => true,
        [.., wish, to] if to == "to" => WISHING.contains(&wish.as_str()),
        [.., last] => LEADING.contains(&last.as_str()),
    }
}
