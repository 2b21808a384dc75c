//! How much a command reads, and how long it waits.

use std::time::Duration;

/// Bytes of a file that a command reads or writes; settings say how large a file is worked in.
pub(super) const FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a reply: a hundred times the longest answer of a model.
pub(super) const REPLY_BYTES: u64 = 16 * 1024 * 1024;
/// Bytes of a tool's output.
pub(super) const OUTPUT_BYTES: u64 = 128 * 1024 * 1024;
/// Bytes of one token, about, before a server has reported any.
pub(super) const BYTES_PER_TOKEN: usize = 4;
/// How long a session's folder may take to open, for which all other messages wait.
pub(super) const FOLDER_TIMEOUT: Duration = Duration::from_secs(2);
/// Threads for work that takes longer. It is all computing, so more threads would only use more memory. Reads
/// of slow disks have [threads of their own](crate::disk::Readers); standard input and output take one each
/// where they cannot be waited for.
pub(super) const BLOCKING_THREADS: usize = 3;
/// How long the doctor waits for a connection before it measures the first request.
pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);
/// How long it waits for a model server on this machine, which answers at once.
pub(super) const LOCAL_SERVER_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the demo waits after a key, as editors do, before it requests ghost text.
pub(super) const TYPING_PAUSE: Duration = Duration::from_millis(200);
/// How long it waits between two steps: what lies further apart than a second is two steps to the server.
pub(super) const STEP_PAUSE: Duration = Duration::from_millis(1_100);
/// The time to the first token of the fast models that the demo stands for …
pub(super) const DEMO_FIRST_TOKEN: Duration = Duration::from_millis(120);
/// … and their pace.
pub(super) const DEMO_TOKENS_PER_SECOND: u32 = 1_000;
