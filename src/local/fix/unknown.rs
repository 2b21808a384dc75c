//! Messages that say of a name that it is not known.

use super::problem::subjects;

/// What tools say of names that they do not know.
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
];

/// What tools say of names that are used where they have no value yet: another one may be meant.
const UNFIT: &[&str] = &[
    "before its declaration",
    "in its own initializer",
    "before assignment",
    "is unbound",
    "possibly unbound",
];

/// The words before a name that a tool offers.
pub(super) const OFFERS: [&str; 7] = [
    "did you mean",
    "; maybe ",
    "similar name exists: ",
    "but does have ",
    "Did you mean",
    "perhaps you meant",
    "with a similar name: ",
];

/// A message up to the name that it offers for another.
pub(super) fn before_offer(said: &str) -> &str {
    let end = OFFERS.iter().filter_map(|words| said.find(words)).min();
    &said[..end.unwrap_or(said.len())]
}

/// Whether a message, in lower case, says what a rule is for.
pub(super) fn says(said: &str, words: &[&str]) -> bool {
    words.is_empty() || words.iter().any(|words| words.split('+').all(|part| said.contains(part)))
}

/// The names that a message says are not known, or have no value.
pub(super) fn missed_names(message: &str) -> Vec<&str> {
    let said = message.to_lowercase();
    match says(&said, UNKNOWN) || says(&said, UNFIT) {
        true => subjects(before_offer(message)),
        false => Vec::new(),
    }
}
