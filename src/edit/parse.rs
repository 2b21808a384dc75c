//! Reads a model's reply in any supported format.
//!
//! A single detector determines the format from the reply, not from the request. All formats are converted to
//! [`block::Block`]s, which one routine locates in the file ([`super::locate`]). A [`Reader`] takes the reply
//! in chunks and returns each edit as soon as it is complete. The result does not depend on the chunk
//! boundaries.

pub(super) mod block;
mod call;
mod call_tags;
mod changes;
mod context;
mod event;
pub(super) mod fence;
mod files;
mod header_path;
pub(super) mod here_document;
mod hunk;
mod json;
mod line_kind;
pub(super) mod outcome;
mod pairs;
mod parser;
mod patch;
pub(super) mod path;
pub(super) mod prose;
mod quote;
mod reader;
mod search;
pub mod span;
mod tags;
mod thinking;
mod unified;
mod vocabulary;

pub(super) use files::{Blocks, FileChange, FilesReply, Operation, WholeFile, WholeLines, files, nameless};
pub use outcome::{Format, Outcome, Unchecked};
pub(super) use path::below_root;
pub(super) use quote::QuotedFile;
pub use reader::Reader;
pub(super) use reader::read;
pub(super) use search::is_divider;
pub(crate) use thinking::skip as without_thinking;

#[cfg(test)]
mod tests;
