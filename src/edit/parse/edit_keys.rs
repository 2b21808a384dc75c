//! The keys that edits written as JSON have for their old text.

/// The names of the key, by the tools that use them.
pub(super) const OLD: [&str; 13] = [
    "TargetContent",
    "old_string",
    "oldString",
    "old_str",
    "oldStr",
    "old_text",
    "oldText",
    "old",
    "search",
    "find",
    "original",
    "old_code",
    "before",
];

/// Whether a line has the key of an edit's old text.
pub(super) fn has_old_text(line: &str) -> bool {
    let key = |name: &&str| line.contains(&format!("\"{name}\":"));
    OLD.iter().filter(|name| is_telling(name)).any(key)
}

/// Whether a key is of two words, as hardly any but an edit's is.
pub(super) fn is_telling(name: &str) -> bool {
    name.contains(|letter: char| letter == '_' || letter.is_uppercase())
}
