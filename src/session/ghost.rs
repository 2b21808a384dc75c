//! Ghost text: the suggestions of each file, and the user's reactions to them.
//!
//! A suggestion is made once and served for as long as the typed text agrees with it. Its on-screen form is not
//! stored: the remainder is computed from the text each time ([`interpolate`]). So it does not matter how the
//! part already in the text was written: by keys, by accepting a word, or by an editor that pairs brackets and
//! indents.

mod acceptance;
mod anchor;
mod ghost_text;
mod handle;
mod interpolate;
mod items;
pub mod pause;
mod shown_ranges;
mod suggestion;
mod suggestions;
mod takeover;
pub mod trigger;
mod typing;
mod waiter_count;

pub(super) use acceptance::Acceptance;
pub use acceptance::OutcomeCounts;
pub use ghost_text::{CompletionPoint, GhostText, Source};
pub use handle::Ghost;
pub use items::AcceptedItem;
pub(super) use suggestions::Suggestions;
pub use suggestions::{Call, CallStatus};
pub(super) use typing::LastEdit;
pub use typing::{EditKind, TypingRate};
pub use waiter_count::{GRACE, WaiterCount};

#[cfg(test)]
mod tests;
