//! Limits on the reading of an output.

/// Diagnostics that are kept of one output at most.
pub(super) const DIAGNOSTICS: usize = 20_000;
/// JSON documents that may be truncated.
///
/// Beyond this number, further documents are read as text.
pub(super) const INCOMPLETE_DOCUMENTS: usize = 8;
/// Lines that belong to one message at most: excerpts, notes, traceback frames.
pub(super) const MESSAGE_LINES: usize = 400;
/// Bytes of a line that is parsed at most; longer lines are data.
pub(super) const LINE_BYTES: usize = 8 * 1024;
/// Notes that are kept of one diagnostic at most.
pub(super) const NOTES: usize = 16;
/// Columns between tab stops in terminals and gcc.
pub(super) const TAB_STOP: usize = 8;
/// Bytes that are quoted of a line that no reader understands.
pub(super) const UNREAD_BYTES: usize = 60;
