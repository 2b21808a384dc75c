//! Ghost text: the suggestions of each file, and what the user did with them.
//!
//! A suggestion is made once and then served for as long as what is typed agrees with it. Nothing is stored
//! of how it looks on screen: the rest of it is computed from the text each time ([`interpolate`]), so it
//! does not matter how the part that stands already was written: by keys, by an accepted word, by an editor
//! that pairs brackets and indents.

mod acceptance;
mod anchor;
mod ghost_text;
mod handle;
mod interpolate;
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
pub(super) use suggestions::Suggestions;
pub use suggestions::{Call, CallStatus};
pub(super) use typing::LastEdit;
pub use typing::{EditKind, TypingRate};
pub use waiter_count::{GRACE, WaiterCount};

#[cfg(test)]
mod tests;
