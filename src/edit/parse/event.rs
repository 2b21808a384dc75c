//! What a reply asks for, in the order in which it does.

use super::block::Block;
use super::span;

/// Something that a reply asks for, as soon as it is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// What follows is for this file.
    File(String),
    /// A change of the current file.
    Block(Block),
    /// The current file gets another path.
    MoveTo(String),
    /// The current file goes.
    Delete,
    /// The current file is new; its lines come as blocks that only add.
    Create,
    /// The whole text of the current file, which is new.
    Whole(String),
    /// The whole text of the current file, whether it is there or not.
    Write(String),
    /// The current file is new, and begins as this one is.
    CopyOf(String),
    /// New text for what stands between two tags.
    Span(span::Span),
}
