//! How much the server reads, and how long it waits.
//!
//! Where no reason is given, a figure is a judgement: beyond what editors send, and short enough that no user
//! waits.

use std::time::Duration;

// Messages.

/// Bytes of one message.
///
/// No editor sends a larger one, and its length alone could exhaust the memory.
pub(super) const MESSAGE_BYTES: usize = 256 * 1024 * 1024;
/// Bytes at the beginning of a message in which its method is looked for: all of one that a key makes.
pub(super) const METHOD_BYTES: usize = 512;
/// Bytes of one header line.
pub(super) const HEADER_BYTES: u64 = 4 * 1024;
/// How long an editor may take to read the last messages.
pub(super) const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(1);

/// The time between two looks at whether the parent process lives.
///
/// It is for where its end cannot be waited for, and can be looked for.
#[cfg(unix)]
pub(super) const PARENT_INTERVAL: Duration = Duration::from_secs(2);

// What is shown.

/// The least time between two messages about one problem that comes and goes.
pub(super) const REPEATED_PROBLEM_PAUSE: Duration = Duration::from_secs(10 * 60);

/// An operation that takes no longer gets no bar.
pub(super) const PROGRESS_DELAY: Duration = Duration::from_millis(300);
/// The time between two updates of a bar.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The minimum time between two `tandem/statusChanged`.
pub(super) const STATUS_INTERVAL: Duration = Duration::from_millis(500);

/// Characters of an instruction or a diagnostic that a title shows.
pub(super) const TITLE_CHARS: usize = 60;

/// The most suggestions for an explicit request, unless the client shows fewer.
pub(super) const SUGGESTIONS: usize = 3;

/// How long before a model is asked for ghost text what that takes is done.
///
/// It is a timer's tick, and several times the work.
pub(super) const CALL_LEAD: Duration = Duration::from_millis(4);

/// How long other suggestions wait for the most likely one.
///
/// An explicit request for others waits for them as long.
pub(super) const SIBLING_TIMEOUT: Duration = Duration::from_millis(300);

/// The default length of a snooze.
pub(super) const SNOOZE_MINUTES: f64 = 5.0;
/// The longest snooze: a longer one could not be added to a clock.
pub(super) const LONGEST_SNOOZE: Duration = Duration::from_secs(366 * 24 * 60 * 60);

// Work on files.

/// Bytes of a file that a plan changes.
pub(super) const PLAN_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// The pause in the typing before a parse that nothing waits for.
///
/// It is longer than people think within a statement.
pub(super) const PARSE_PAUSE: Duration = Duration::from_millis(1_500);
/// The time between two parses of a file, as a multiple of the duration of the first.
pub(super) const PARSE_REST_FACTOR: u32 = 100;

/// How long a request that calls a model waits for the disk.
pub(super) const DISK_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a list of actions waits for the folders that imports lead to.
pub(super) const IMPORTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The time within which a file that is being rewritten has content again.
pub(super) const SETTINGS_REWRITE_TIME: Duration = Duration::from_millis(500);

/// Other open files that are searched for a next edit.
pub(super) const SEARCHED_FILES: usize = 16;

/// Diagnostics of one request that get an action.
pub(super) const FIXED_DIAGNOSTICS: usize = 8;
/// Diagnostics of a file that are fixed together: a save waits for so many.
pub(super) const FIXED_TOGETHER: usize = 500;
/// The time that one part of the fixes may take that are prepared in the background.
///
/// Then the next part begins with what is the nearest by then.
pub(super) const PREPARED_PART: Duration = Duration::from_millis(20);
/// Other open files in which imports are searched.
pub(super) const IMPORTING_FILES: usize = 16;
/// Bytes of an open file in which imports are searched.
pub(super) const IMPORTING_FILE_BYTES: usize = 256 * 1024;
/// Bytes of a name that is searched in other files.
pub(super) const IMPORTED_NAME_BYTES: usize = 100;

/// The time within which fixes made ahead may take the next two.
pub(super) const AHEAD_WINDOW: Duration = Duration::from_secs(60 * 60);
/// Calls for fixes made ahead.
pub(super) const AHEAD_CALLS: usize = 40;
/// Tokens of fixes made ahead: some three cents of the default model.
pub(super) const AHEAD_TOKENS: u64 = 100_000;
/// Once this share of a cap on spending is reached, no fix is made ahead.
pub(super) const AHEAD_BUDGET_SHARE: f64 = 0.5;

/// Diagnostics of one document that are read.
pub(super) const DIAGNOSTICS: usize = 1_000;

/// Characters of a diagnostic's message that are read.
pub(super) const DIAGNOSTIC_CHARS: usize = 2_000;
/// Bytes of a line that are looked at on each side of the cursor.
pub(super) const LINE_SIDE_BYTES: usize = 4 * 1024;
/// Places related to a diagnostic that are read.
pub(super) const RELATED_PLACES: usize = 5;
