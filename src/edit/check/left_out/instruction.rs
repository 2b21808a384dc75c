//! What an instruction asks for, by its words.

use std::collections::HashSet;

use crate::text::ident;

/// Stems of words that ask for a change which removes definitions.
const REMOVING: [&str; 17] = [
    "combin",
    "consolidat",
    "dead",
    "dedup",
    "delet",
    "driven",
    "drop",
    "eliminat",
    "extract",
    "inlin",
    "merg",
    "mov",
    "parametri",
    "remov",
    "rid",
    "split",
    "unus",
];

/// Stems of words that ask for other code in the place of what the instruction names.
///
/// A definition with a new name or a new body has a new one in its place.
const REPLACING: [&str; 12] = [
    "convert",
    "delegat",
    "duplicated",
    "duplication",
    "instead",
    "into",
    "migrat",
    "replac",
    "reus",
    "rewrit",
    "turn",
    "without",
];

/// Stems of words that ask for simpler code, whatever goes for it, or call some needless.
const RESTRUCTURING: [&str; 20] = [
    "clean",
    "compact",
    "concis",
    "condens",
    "functional",
    "liner",
    "longer",
    "needless",
    "never",
    "obsolete",
    "redundan",
    "refactor",
    "shorten",
    "shorter",
    "simplif",
    "superfluous",
    "tidy",
    "tighten",
    "unnecess",
    "unreach",
];

/// Stems of verbs that ask for a removal only as a request: "when it is deleted" and "may delete" ask for none.
const REQUESTED: [&str; 3] = ["delet", "drop", "remov"];

/// The first words of an instruction after which all code stays, or changes a little.
const ADDING: [&str; 20] = [
    "accept", "add", "also", "answer", "check", "complain", "count", "document", "fail", "guard", "ignore",
    "limit", "log", "mention", "raise", "refuse", "reject", "validate", "wait", "warn",
];

/// What kind of change an instruction asks for.
pub(super) struct Intent {
    /// Whether it asks for other code in the place of some, or calls something needless.
    pub(super) replaces: bool,
    /// Whether it asks for simpler code, and not only for another of what it names.
    pub(super) restructures: bool,
    /// Whether it only adds: all code stays, or changes a little.
    pub(super) adds: bool,
}

impl Intent {
    pub(super) fn of(instruction: &str) -> Self {
        let first = ident::words(instruction).next().unwrap_or_default().to_lowercase();
        let restructures = has_stem(instruction, &RESTRUCTURING, &|_| false);
        let switches = instruction.to_lowercase().contains("switch to ");
        let replaces = restructures || switches || has_stem(instruction, &REPLACING, &|_| false);
        Self { replaces, restructures, adds: !replaces && ADDING.contains(&first.as_str()) }
    }
}

/// Whether an instruction asks for a change that may take code away.
pub(in crate::edit) fn asks_for_less(instruction: &str) -> bool {
    Intent::of(instruction).replaces || asks_removal(instruction, |_| false)
}

/// Whether an instruction asks for a change that removes definitions. "In `remove`" asks for none, if that is a name.
pub(super) fn asks_removal(instruction: &str, is_name: impl Fn(&str) -> bool) -> bool {
    has_stem(instruction, &REMOVING, &is_name)
}

/// Whether an instruction has a word with one of some stems that is no name, outside of what it says must stay.
fn has_stem(instruction: &str, stems: &[&str], is_name: &dyn Fn(&str) -> bool) -> bool {
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

/// Whether an instruction has a word with one of some stems.
pub(super) fn has_word_of(instruction: &str, stems: &[&str]) -> bool {
    let said = instruction.to_lowercase();
    ident::words(&said).any(|word| stems.iter().any(|stem| word.starts_with(stem)))
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

/// The words of an instruction that it says must stay: behind "do not remove", "nothing may be deleted" or "keep", up to
/// the end of that part.
pub(super) fn kept_words(instruction: &str) -> impl Iterator<Item = &str> {
    const STEMS: [&str; 8] = ["chang", "delet", "drop", "los", "modif", "remov", "touch", "tidy"];
    const NEGATIONS: [&str; 8] = ["avoid", "cannot", "never", "no", "not", "nothing", "t", "without"];
    const MOST_BETWEEN: usize = 3;
    let parts = instruction.split([',', ';', ':', '\n']).flat_map(|part| part.split(". "));
    parts.flat_map(|part| {
        let words: Vec<&str> = ident::words(part).collect();
        let is_not = |at: usize| {
            let before = words[..at].iter().rev().take(MOST_BETWEEN).map(|it| it.to_lowercase());
            before.into_iter().any(|it| NEGATIONS.contains(&it.as_str()))
        };
        let is_said = |word: &str| STEMS.iter().any(|stem| word.to_lowercase().starts_with(stem));
        let first = (0..words.len()).find(|at| is_said(words[*at]) && is_not(*at));
        let keeping =
            words.iter().position(|it| matches!(it.to_lowercase().as_str(), "keep" | "preserve" | "retain"));
        let first = first.into_iter().chain(keeping).min().unwrap_or(words.len());
        words.into_iter().skip(first)
    })
}
