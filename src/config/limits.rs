//! How much of a configuration is read, and for how long.

use std::time::Duration;

/// Bytes of a configuration file: a hundred times those that people write.
pub(super) const CONFIG_FILE_BYTES: u64 = 256 * 1024;
/// How long a project's file may take to read.
///
/// Loading settings may block an editor. A file on a disk that does not answer cannot be read, and is looked
/// at again when the disk is back.
pub(super) const DISK_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a command for a key may take: long enough to type a passphrase.
pub(super) const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of a command's output that are read. Keys are far shorter.
pub(super) const KEY_OUTPUT_BYTES: u64 = 64 * 1024;
/// Characters of a setting's name that a message quotes.
pub(super) const QUOTED_NAME_CHARS: usize = 80;
/// Bytes of the `style` that a project's file may bring into every prompt: about 250 tokens.
pub(super) const PROJECT_STYLE_BYTES: usize = 1024;
/// Settings of a project that are refused one by one; of more, their number is told.
pub(super) const NAMED_REFUSALS: usize = 16;
/// Bytes below which no text is hidden as a key: it would be found in other words.
pub(super) const HIDDEN_KEY_BYTES: usize = 6;
/// The same for a part of what may hold a key among other things.
pub(super) const HIDDEN_PART_BYTES: usize = 10;
/// How long a command that checks a change runs unless told otherwise.
///
/// It is long enough for most test suites.
pub(super) const VERIFY_TIMEOUT: Duration = Duration::from_secs(300);
/// How long it may be allowed to run: a person waits for it.
pub(super) const LONGEST_VERIFY: Duration = Duration::from_secs(3600);
/// How long a request for ghost text may be set to wait.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// Answers that are requested at once for one step at most.
pub(super) const PLAN_CANDIDATES: usize = 4;
