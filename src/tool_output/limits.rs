//! How much of an output is read.

/// Diagnostics that are kept of one output.
pub(super) const DIAGNOSTICS: usize = 20_000;
/// JSON documents that end in the middle.
///
/// With more of them, what looks like one is read as text.
pub(super) const INCOMPLETE_DOCUMENTS: usize = 8;
/// Lines that belong to one message at most: excerpts, notes, frames of a traceback.
pub(super) const MESSAGE_LINES: usize = 400;
/// Bytes of a line that is looked at; longer ones are data.
pub(super) const LINE_BYTES: usize = 8 * 1024;
/// Notes that are kept of one diagnostic.
pub(super) const NOTES: usize = 16;
/// Columns from one tab stop to the next, as terminals and gcc have it.
pub(super) const TAB_STOP: usize = 8;
/// Bytes of a line that no reader takes, as it is quoted.
pub(super) const UNREAD_BYTES: usize = 60;
