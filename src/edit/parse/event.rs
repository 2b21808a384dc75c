//! The changes that a reply asks for, in order.

use super::block::Block;
use super::span;

/// A step of a reply, reported as soon as it is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// The following events apply to this file.
    File(String),
    /// A change to the current file.
    Block(Block),
    /// The current file is moved to this path.
    MoveTo(String),
    /// The current file is deleted.
    Delete,
    /// The current file is created; its lines follow as blocks that only add.
    Create,
    /// The whole text of the current file, which is created.
    Whole(String),
    /// The whole text of the current file, whether or not it exists.
    Write(String),
    /// The current file is created as a copy of this file.
    CopyOf(String),
    /// New text for the lines between two tags.
    Span(span::Span),
}
