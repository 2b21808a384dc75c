//! The titles of code actions and progress bars.

use crate::lsp::limits::TITLE_CHARS;
use crate::text::printable;

/// The prefix of every title.
const PREFIX: &str = "Tandem: ";

/// Prefixes a title.
pub(super) fn title(text: &str) -> String {
    format!("{PREFIX}{text}")
}

/// Shortens a text to the length of a title.
pub(super) fn shortened(text: &str) -> String {
    let short: String = text.chars().take(TITLE_CHARS).collect();
    let cut = if short.len() < text.len() { "…" } else { "" };
    printable(&short).into_owned() + cut
}

/// Joins a message to one line and shortens it to the length of a title.
pub(super) fn shortened_message(message: &str) -> String {
    shortened(&message.split_whitespace().collect::<Vec<_>>().join(" "))
}
