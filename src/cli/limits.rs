//! Size limits and timeouts of commands.

use std::time::Duration;

/// The maximum bytes of a file that a command reads or writes; the settings limit the files that get suggestions.
pub(super) const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// The maximum bytes of a reply: a hundred times the longest answer of a model.
pub(super) const REPLY_BYTES: u64 = 16 * 1024 * 1024;
/// The maximum bytes of a tool's output.
pub(super) const OUTPUT_BYTES: u64 = 128 * 1024 * 1024;
/// The approximate bytes per token, until a server has reported token counts.
pub(super) const BYTES_PER_TOKEN: usize = 4;
/// The timeout for opening a session's folder, which blocks all other messages.
pub(super) const FOLDER_TIMEOUT: Duration = Duration::from_secs(2);
/// The size of the blocking pool. Its work is CPU-bound, so more threads would only use more memory. Reads of slow
/// disks have [separate threads](crate::disk::Readers). Standard input and output take one each where they cannot be
/// polled.
pub(super) const BLOCKING_THREADS: usize = 3;
/// How long the doctor waits for a connection before it measures the first request.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long the doctor waits for a model server on this machine, which answers immediately.
pub(super) const LOCAL_SERVER_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the demo waits after a key, as editors do, before it requests ghost text.
pub(super) const TYPING_PAUSE: Duration = Duration::from_millis(200);
/// How long the demo waits between two steps: the server merges edits that are at most a second apart.
pub(super) const STEP_PAUSE: Duration = Duration::from_millis(1_100);
/// The demo's time to the first token, typical of fast models.
pub(super) const DEMO_FIRST_TOKEN: Duration = Duration::from_millis(120);
/// The demo's output rate, typical of fast models.
pub(super) const DEMO_TOKENS_PER_SECOND: u32 = 1_000;

// A server that several windows share.

/// How long a window waits for the answer of a shared server that is running.
pub(super) const HOST_ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// The same after a shared server hung: one that took its place accepts within milliseconds.
pub(super) const HUNG_HOST_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a window waits for the start of a shared server.
pub(super) const HOST_START_TIMEOUT: Duration = Duration::from_secs(10);
/// The wait after a window that could not be accepted.
#[cfg(unix)]
pub(super) const ACCEPT_AGAIN: Duration = Duration::from_millis(100);
/// How long a shared server without windows goes on: an editor that restarts finds it again.
pub(super) const LONELY_HOST_TIMEOUT: Duration = Duration::from_secs(3);
/// How many losses of its server a window accepts within [`LOSSES_WINDOW`] before it runs its own.
pub(super) const LOSSES: usize = 3;
/// The period for counting losses.
pub(super) const LOSSES_WINDOW: Duration = Duration::from_secs(60);
