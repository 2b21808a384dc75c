//! Reads what a model wrote, in whatever format it wrote it.
//!
//! One detector picks the format by what is in the reply, not by what was asked for. Every format comes down
//! to the same [`block::Block`]s, which one routine places ([`super::locate`]). A [`Reader`] takes the reply
//! chunk by chunk and yields each edit as soon as it is complete; the result does not depend on how the reply
//! was cut up.

pub(crate) mod block;
mod call;
mod call_tags;
mod changes;
mod cut;
mod edit_keys;
mod event;
mod extract;
mod fence;
mod files;
mod hunk;
mod indent_unit;
mod json;
mod line_numbers;
mod literal;
mod outcome;
mod overlap;
mod parser;
mod partial;
mod patch;
mod path;
mod preserve;
mod reader;
mod region;
mod reindent;
mod repetition;
mod search;
mod signs;
pub mod span;
mod surroundings;
mod suspect;
mod tags;
mod thinking;
mod unified;
mod whole;
mod wrapping;

pub(crate) use path::below_root;

pub(super) use files::{Blocks, WholeLines, nameless};
pub(super) use files::{FileChange, FilesReply, Operation, files};
pub(crate) use literal::{End, Literal};
pub use outcome::{Format, Outcome, Unchecked};
pub use reader::Reader;
pub(super) use reader::read;
pub(crate) use region::NO_EDITS;
pub(crate) use repetition::is_stuck;
pub(super) use search::is_divider;
pub(crate) use thinking::skip as without_thinking;

#[cfg(test)]
mod tests;
