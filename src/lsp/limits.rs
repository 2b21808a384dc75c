//! Limits on the sizes that the server reads, and on its waiting times.
//!
//! Figures without a stated reason are judgment calls: larger than anything editors send, and short enough that
//! no user waits.

use std::time::Duration;

// Messages.

/// The maximum size of a message, in bytes.
///
/// No editor sends a larger one, and allocating for the stated length alone could exhaust memory.
pub(super) const MESSAGE_BYTES: usize = 256 * 1024 * 1024;
/// How many bytes at the start of a message are searched for its method: a whole message for one key press.
pub(super) const METHOD_BYTES: usize = 512;
/// The maximum size of a header line, in bytes.
pub(super) const HEADER_BYTES: u64 = 4 * 1024;
/// The maximum number of lines in front of a message that are not a header, such as a debugger's greeting.
pub(super) const OTHER_LINES: usize = 64;
/// How long a shared server may leave messages without any of its own before its window asks whether it answers.
///
/// It may wait for a model for longer, which has nothing to do with that.
pub(super) const SILENCE: Duration = Duration::from_millis(500);
/// How long a shared server may take to answer that, not counting the time in which the window is late itself.
///
/// An unoptimized server took up to 0.2 s with ten windows on two cores, 0.5 s beside 8 busy processes, and 1.4 s beside
/// 32, whose scheduling makes the window late as well. A false alarm costs a server of the window's own, and its running
/// requests once more.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_millis(1_500);
/// The window checks at this interval whether it is late.
pub(super) const PROBE_STEP: Duration = Duration::from_millis(100);
/// How long to wait for an editor to read the last messages.
pub(super) const LAST_MESSAGES_TIMEOUT: Duration = Duration::from_secs(1);

/// The polling interval for whether the parent process is alive.
///
/// Used where the process can be checked but its end cannot be awaited.
#[cfg(unix)]
pub(super) const PARENT_INTERVAL: Duration = Duration::from_secs(2);

// What is shown.

/// The minimum time between two messages about a recurring problem.
pub(super) const REPEATED_PROBLEM_PAUSE: Duration = Duration::from_secs(10 * 60);

/// An operation that is faster than this gets no progress bar.
pub(super) const PROGRESS_DELAY: Duration = Duration::from_millis(300);
/// The time between two updates of a progress bar.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The minimum time between two `tandem/statusChanged` notifications.
pub(super) const STATUS_INTERVAL: Duration = Duration::from_millis(500);

/// How many characters of an instruction or a diagnostic a title shows.
pub(super) const TITLE_CHARS: usize = 60;

/// The maximum number of suggestions for an explicit request, unless the client shows fewer.
pub(super) const SUGGESTIONS: usize = 3;

/// How long before a model call for ghost text its preparation starts.
///
/// It is a timer's tick, and several times the duration of the work.
pub(super) const CALL_LEAD: Duration = Duration::from_millis(4);

/// How long other suggestions wait for the most likely one.
///
/// An explicit request for other suggestions waits the same time for them.
pub(super) const SIBLING_TIMEOUT: Duration = Duration::from_millis(300);
/// How long a rewrite that is made waits for the uses that it leaves, which are found in a few milliseconds unless the
/// disk is slow.
pub(super) const LEFT_USES_TIMEOUT: Duration = Duration::from_millis(300);

/// The default length of a snooze.
pub(super) const SNOOZE_MINUTES: f64 = 5.0;
/// The longest snooze: a longer duration could overflow when added to a clock.
pub(super) const LONGEST_SNOOZE: Duration = Duration::from_secs(366 * 24 * 60 * 60);

// Work on files.

/// The maximum size of a file that a plan changes, in bytes.
pub(super) const PLAN_FILE_BYTES: u64 = 5 * 1024 * 1024;

/// The pause in typing before a parse that nothing waits for.
///
/// Longer than users think within a statement.
pub(super) const PARSE_PAUSE: Duration = Duration::from_millis(1_500);
/// The time between two parses of a file, as a multiple of the duration of the first.
pub(super) const PARSE_REST_FACTOR: u32 = 100;

/// Maximum number of bytes of the diff that ghost text in a commit's message is made from.
pub(super) const COMMIT_DIFF_BYTES: usize = 24 * 1024;

/// How long a request that calls a model waits for the disk.
pub(super) const DISK_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a list of code actions waits for the folders that imports refer to.
pub(super) const IMPORTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The time within which a file that is being rewritten is expected to have content again.
pub(super) const SETTINGS_REWRITE_TIME: Duration = Duration::from_millis(500);

/// How many other open files are searched for a next edit.
pub(super) const SEARCHED_FILES: usize = 16;

/// How many diagnostics of one request get an action.
pub(super) const FIXED_DIAGNOSTICS: usize = 8;
/// How many diagnostics of a file are fixed together: a save waits for them.
pub(super) const FIXED_TOGETHER: usize = 500;
/// The time for one part of the fixes prepared in the background.
///
/// The next part then begins with the fixes nearest to the cursor at that time.
pub(super) const PREPARED_PART: Duration = Duration::from_millis(20);
/// How many other open files are searched for imports.
pub(super) const IMPORTING_FILES: usize = 16;
/// How many bytes of an open file are searched for imports.
pub(super) const IMPORTING_FILE_BYTES: usize = 256 * 1024;
/// The maximum size of a name that is searched in other files, in bytes.
pub(super) const IMPORTED_NAME_BYTES: usize = 100;

/// The period that the next two limits on fixes made in advance apply to.
pub(super) const AHEAD_WINDOW: Duration = Duration::from_secs(60 * 60);
/// The maximum number of calls for fixes made in advance.
pub(super) const AHEAD_CALLS: usize = 40;
/// The maximum number of tokens for fixes made in advance: some three cents with the default model.
pub(super) const AHEAD_TOKENS: u64 = 100_000;
/// The share of a spending cap above which no fixes are made in advance.
pub(super) const AHEAD_BUDGET_SHARE: f64 = 0.5;

/// How many diagnostics of one document are read.
pub(super) const DIAGNOSTICS: usize = 1_000;

/// How many characters of a diagnostic's message are read.
pub(super) const DIAGNOSTIC_CHARS: usize = 2_000;
/// How many bytes of a line are inspected on each side of the cursor.
pub(super) const LINE_SIDE_BYTES: usize = 4 * 1024;
/// How many locations related to a diagnostic are read.
pub(super) const RELATED_PLACES: usize = 5;

/// The time since the last fetch of the company's policy after which a server that starts fetches it.
///
/// Many windows that start together fetch it once.
pub(super) const POLICY_PAUSE_AT_START: Duration = Duration::from_secs(60);
