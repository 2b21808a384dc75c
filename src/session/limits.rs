//! How much of a session is kept, and for how long.

use std::time::Duration;

// Recent edits.

/// How many edits are kept, the running one included.
pub(super) const RECENT_EDITS: usize = 6;
/// Changes further apart than this many lines belong to two edits.
pub(super) const EDIT_LINES: usize = 8;
/// Changes further apart than this belong to two edits.
pub(super) const EDIT_PAUSE: Duration = Duration::from_secs(1);
/// Bytes of one side of an edit.
///
/// A larger change was not typed: a file was formatted, a branch was switched.
pub(super) const EDIT_SIDE_BYTES: usize = 4 * 1024;
/// Bytes of the lines that a change was made in.
///
/// Longer lines are data, whose edits would hold megabytes.
pub(super) const CHANGED_LINES_BYTES: usize = 8 * 1024;
/// An edit in the lines of an earlier one is merged with it for this long.
pub(super) const EDIT_MERGE_TIME: Duration = Duration::from_secs(60);
/// Earlier texts that are known when they come back: at most so many, of at most so many bytes each.
pub(super) const KNOWN_TEXTS: usize = 12;
pub(super) const KNOWN_TEXT_BYTES: usize = 512 * 1024;
/// How many changes an undo is searched in.
pub(super) const UNDO_CHANGES: usize = 64;
/// Lines shown above and below an edit.
pub(super) const CONTEXT_LINES: usize = 2;
/// Bytes of a line of context; a longer one is left out.
pub(super) const CONTEXT_LINE_BYTES: usize = 200;

// Changes.

/// How many changes are kept: a minute's typing.
pub(super) const MAPPED_CHANGES: usize = 512;

/// How many changes are kept.
///
/// At ten keys a second that is over three minutes, longer than any deadline.
pub(super) const LOGGED_CHANGES: usize = 2_048;
/// Bytes of inserted text that are kept.
///
/// A file reformatted as a whole exceeds them, and its log begins anew.
pub(super) const LOGGED_BYTES: usize = 256 * 1024;

// Trees.

/// Bytes of text of all the files that keep a tree; the newest one always may.
///
/// People work on a few files at a time and leave many open; a tree takes some 27 bytes for each of these.
pub(super) const TREE_TEXT_BYTES: usize = 96 * 1024;
/// Files that keep a tree: a notebook has thousands of small ones.
pub(super) const TREES: usize = 256;
/// How long a file keeps its tree while others are parsed.
pub(super) const TREE_TIME: Duration = Duration::from_secs(60);

// Other files.

/// Files that keep what was gathered of others for them: it takes some 80 KB each.
pub(super) const RELATED_FILES: usize = 8;

// Next edits.

/// How many rejected edits are remembered.
pub(super) const REJECTED_EDITS: usize = 20;
/// Changes in a row that lead towards no queued edit, after which the queue is dropped.
pub(super) const DRIFTING_CHANGES: usize = 24;
/// The minimum time between the beginnings of two searches in one file.
pub(super) const SEARCH_INTERVAL: Duration = Duration::from_millis(300);
/// How many edits that left the queue are remembered, since the editor may report them late.
pub(super) const PAST_EDITS: usize = 16;

// The user.

/// The share of a new latency in the moving average.
pub(super) const LATENCY_SHARE: f64 = 0.3;
/// How long next edits are suppressed after a rejection, unless requested explicitly.
pub(super) const REJECTION_PAUSE: Duration = Duration::from_secs(5);

// Notebooks.

/// Bytes of the cells before one that a job sees, at most …
pub(super) const CELLS_BEFORE_BYTES: usize = 64 * 1024;
/// … and of those behind it.
pub(super) const CELLS_AFTER_BYTES: usize = 32 * 1024;
/// Cells that are looked at on each side, however small they are.
pub(super) const MOST_CELLS: usize = 256;
/// Bytes of the outline of the cells before one.
pub(super) const CELLS_OUTLINE_BYTES: usize = 2 * 1024;

// Diagnostics.

/// Diagnostics that are kept of one file.
pub(super) const DIAGNOSTICS: usize = 200;
/// Lines around the cursor that are searched.
pub(super) const NEAR_LINES: usize = 20;
/// Diagnostics that are returned near the cursor.
pub(super) const NEAR_DIAGNOSTICS: usize = 6;

/// Texts exchanged by the fixes of saves: at least so many are remembered.
pub(super) const EXCHANGED_TEXTS: usize = 1_000;

// Fixes that a model makes ahead.

/// The time without a change or a report after which a file's diagnostics count as settled.
pub(super) const SETTLED: Duration = Duration::from_millis(1_500);
/// The time without a change after which the line that was typed on counts as finished.
pub(super) const UNFINISHED_LINE: Duration = Duration::from_secs(4);
/// Fixes of one file that are kept.
pub(super) const READY_FIXES: usize = 16;
/// Diagnostics of one file that are remembered, so that none is tried twice.
pub(super) const TRIED_FIXES: usize = 64;

// Requests.

/// Records kept of one file.
pub(super) const RECORDS_PER_FILE: usize = 10;
/// Files that records are kept of: those with the latest requests.
pub(super) const RECORDED_FILES: usize = 32;
