//! Recognizes messages that report an unknown name.

use std::cell::OnceCell;

use super::problem::{quoted_ranges, subjects};

/// How tools report unknown names.
pub(super) const UNKNOWN: &[&str] = &[
    "cannot find",
    "not defined",
    "undefined",
    "undeclared",
    "unresolved",
    "not found in this scope",
    "cannot resolve",
    "unknown type name",
    "implicit declaration",
    "has no attribute",
    "cannot access attribute",
    "is not present in module",
    "has no field or method",
    "no member named",
    "does not name a type",
    "unknown import symbol",
    "not found for",
    "is not a member of trait",
];

/// How rustc reports members that it does not find, or cannot look for since it does not know the type.
pub(super) const UNRESOLVED: &[&str] = &[
    "no +named +found for",
    "method cannot be called",
    "trait bounds were not satisfied",
    "type annotations needed",
];

/// How tools report names that are used without a value: another name may be meant.
const UNFIT: &[&str] = &[
    "before its declaration",
    "in its own initializer",
    "before assignment",
    "is unbound",
    "possibly unbound",
];

/// The words in front of a name that a tool offers.
pub(super) const OFFERS: [&str; 7] = [
    "did you mean",
    "; maybe ",
    "similar name exists: ",
    "but does have ",
    "Did you mean",
    "perhaps you meant",
    "with a similar name: ",
];

/// The part of a message before its offer of another name.
pub(super) fn before_offer(said: &str) -> &str {
    let end = OFFERS.iter().filter_map(|words| said.find(words)).min();
    &said[..end.unwrap_or(said.len())]
}

/// Whether a message in lower case contains the words of a rule, outside of what it quotes.
///
/// `Type 'string | undefined' is not assignable` reports no undefined name. Words with a quotation mark may be
/// anywhere.
pub(super) fn says(said: &str, words: &[&str]) -> bool {
    let unquoted = OnceCell::new();
    let has = |part: &str| match part.contains(['\'', '"', '`', '‘']) {
        true => said.contains(part),
        false => said.contains(part) && unquoted.get_or_init(|| without_quoted(said)).contains(part),
    };
    words.is_empty() || words.iter().any(|words| words.split('+').all(has))
}

/// A message without its quoted parts.
fn without_quoted(said: &str) -> String {
    let mut kept = String::with_capacity(said.len());
    let mut end = 0;
    for quoted in quoted_ranges(said) {
        kept.push_str(&said[end..quoted.start]);
        end = quoted.end;
    }
    kept + &said[end..]
}

/// The names that a message reports as unknown, or as having no value.
pub fn missed_names(message: &str) -> Vec<&str> {
    let said = message.to_lowercase();
    match says(&said, UNKNOWN) || says(&said, UNFIT) {
        true => subjects(before_offer(message)),
        false => Vec::new(),
    }
}
