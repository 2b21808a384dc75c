//! Reads what a model wrote, in whatever format it wrote it.
//!
//! One detector picks the format by what is in the reply, not by what was asked for. Every format comes down
//! to the same [`block::Block`]s, which one routine places ([`super::locate`]). A [`Reader`] takes the reply
//! chunk by chunk and yields each edit as soon as it is complete; the result does not depend on how the reply
//! was cut up.

pub(super) mod block;
mod call;
mod call_tags;
mod changes;
mod context;
mod event;
pub(super) mod fence;
mod files;
mod here_document;
mod hunk;
mod json;
pub(super) mod outcome;
mod parser;
mod patch;
pub(super) mod path;
mod reader;
mod search;
mod signs;
pub mod span;
mod tags;
mod thinking;
mod unified;
mod vocabulary;

pub(super) use files::{Blocks, FileChange, FilesReply, Operation, WholeLines, files, nameless};
pub use outcome::{Format, Outcome, Unchecked};
pub(super) use path::below_root;
pub use reader::Reader;
pub(super) use reader::read;
pub(super) use search::is_divider;
pub(crate) use thinking::skip as without_thinking;

#[cfg(test)]
mod tests;
