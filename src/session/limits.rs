//! Limits on the size and age of a session's data.

use std::time::Duration;

use crate::config::Eagerness;

// Recent edits.

/// How many edits are kept, including the running one.
pub(super) const RECENT_EDITS: usize = 6;
/// Changes further apart than this many lines belong to two edits.
pub(super) const EDIT_LINES: usize = 8;
/// Changes further apart than this belong to two edits.
pub(super) const EDIT_PAUSE: Duration = Duration::from_secs(1);
/// The maximum size of one side of an edit, in bytes.
///
/// A larger change was not typed, but made by a formatter or a branch switch.
pub(super) const EDIT_SIDE_BYTES: usize = 4 * 1024;
/// The maximum size of the lines that a change touches, in bytes.
///
/// Longer lines are data, and their edits would take megabytes.
pub(super) const CHANGED_LINES_BYTES: usize = 8 * 1024;
/// An edit in the lines of an earlier one is merged with it for this long.
pub(super) const EDIT_MERGE_TIME: Duration = Duration::from_secs(60);
/// How many earlier texts are recognized when they come back, and the maximum size of each in bytes.
pub(super) const KNOWN_TEXTS: usize = 12;
pub(super) const KNOWN_TEXT_BYTES: usize = 512 * 1024;
/// How many of the last changes are searched for an undo.
pub(super) const UNDO_CHANGES: usize = 64;
/// Lines shown above and below an edit.
pub(super) const CONTEXT_LINES: usize = 2;
/// Bytes of a line of context; a longer one is left out.
pub(super) const CONTEXT_LINE_BYTES: usize = 200;

// Changes.

/// How many changes are kept, enough for a minute of typing.
pub(super) const MAPPED_CHANGES: usize = 512;

/// How many changes are kept.
///
/// At ten keys a second that is over three minutes, longer than any deadline.
pub(super) const LOGGED_CHANGES: usize = 2_048;
/// Bytes of inserted text that are kept.
///
/// Reformatting a whole file exceeds the limit and clears its log.
pub(super) const LOGGED_BYTES: usize = 256 * 1024;

// Trees.

/// The total text size of the files that keep a tree, in bytes; the newest file always keeps its tree.
///
/// Users work on a few files at a time and leave many open; a tree takes some 27 bytes per byte of text.
pub(super) const TREE_TEXT_BYTES: usize = 96 * 1024;
/// How many files keep a tree: a notebook has thousands of small cells.
pub(super) const TREES: usize = 256;
/// How long a file keeps its tree while others are parsed.
pub(super) const TREE_TIME: Duration = Duration::from_secs(60);

// Other files.

/// How many files keep the context gathered from other files: some 80 KB each.
pub(super) const RELATED_FILES: usize = 8;

// Next edits.

/// How many rejected edits are remembered.
pub(super) const REJECTED_EDITS: usize = 20;
/// How many changes in a row may lead away from all queued edits before the queue is dropped.
pub(super) const DRIFTING_CHANGES: usize = 24;
/// The minimum time between the starts of two searches in one file.
pub(super) const SEARCH_INTERVAL: Duration = Duration::from_millis(300);
/// How many edits are remembered after they leave the queue, since the editor may report them late.
pub(super) const PAST_EDITS: usize = 16;

// The user.

/// The weight of a new latency in the moving average.
pub(super) const LATENCY_SHARE: f64 = 0.3;
/// How long automatic suggestions of both kinds pause after a rejection, with medium eagerness.
const REJECTION_PAUSE: Duration = Duration::from_secs(5);

/// How long automatic suggestions of both kinds pause after a rejection.
pub(super) fn rejection_pause(eagerness: Eagerness) -> Duration {
    match eagerness {
        Eagerness::Low => REJECTION_PAUSE * 3,
        Eagerness::Medium => REJECTION_PAUSE,
        Eagerness::High => REJECTION_PAUSE / 5,
    }
}

// Notebooks.

/// Bytes of the preceding cells that a job sees, at most …
pub(super) const CELLS_BEFORE_BYTES: usize = 64 * 1024;
/// … and of the following cells.
pub(super) const CELLS_AFTER_BYTES: usize = 32 * 1024;
/// How many cells are inspected on each side, however small they are.
pub(super) const MOST_CELLS: usize = 256;
/// Bytes of the outline of the preceding cells.
pub(super) const CELLS_OUTLINE_BYTES: usize = 2 * 1024;

// Diagnostics.

/// How many diagnostics are kept per file.
pub(super) const DIAGNOSTICS: usize = 200;
/// How many lines around the cursor are searched.
pub(super) const NEAR_LINES: usize = 20;
/// How many diagnostics near the cursor are returned.
pub(super) const NEAR_DIAGNOSTICS: usize = 6;

/// The soft limit on remembered replacements that fixes on save have made.
pub(super) const MAX_APPLIED_REPLACEMENTS: usize = 1_000;

// Fixes that a model makes in advance.

/// The time without a change or a report after which a file's diagnostics count as settled.
pub(super) const SETTLED: Duration = Duration::from_millis(1_500);
/// The time without a change after which the edited line counts as finished.
pub(super) const UNFINISHED_LINE: Duration = Duration::from_secs(4);
/// How many ready fixes are kept per file.
pub(super) const READY_FIXES: usize = 16;
/// How many tried diagnostics are remembered per file, so that none is tried twice.
pub(super) const TRIED_FIXES: usize = 64;

// Requests.

/// How many records are kept per file.
pub(super) const RECORDS_PER_FILE: usize = 10;
/// How many files records are kept for: those with the latest requests.
pub(super) const RECORDED_FILES: usize = 32;
