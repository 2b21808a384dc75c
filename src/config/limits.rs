//! Limits on the size of a configuration, and on the time to read it.

use std::time::Duration;

/// Bytes of a configuration file at most: a hundred times the size of usual ones.
pub(super) const CONFIG_FILE_BYTES: u64 = 256 * 1024;
/// The time limit for reading a project's file.
///
/// Loading settings may block an editor. A file on a disk that does not respond is skipped, and tried again when the
/// disk is back.
pub(super) const DISK_TIMEOUT: Duration = Duration::from_secs(2);
/// The time limit of a command for a key: long enough to type a passphrase.
pub(super) const KEY_COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
/// Bytes of a command's output that are read. Keys are far shorter.
pub(super) const KEY_OUTPUT_BYTES: u64 = 64 * 1024;
/// Characters of a setting's name that a message quotes.
pub(super) const QUOTED_NAME_CHARS: usize = 80;
/// Bytes of the `style` that a project's file may bring into every prompt: about 250 tokens.
pub(super) const PROJECT_STYLE_BYTES: usize = 1024;
/// Refused settings of a project that are reported individually; beyond that, only their number is reported.
pub(super) const NAMED_REFUSALS: usize = 16;
/// Bytes below which a text is not masked as a key, since it would also match ordinary words.
pub(super) const HIDDEN_KEY_BYTES: usize = 6;
/// The same for a part of a text that may contain a key.
pub(super) const HIDDEN_PART_BYTES: usize = 10;
/// The default time limit of a command that checks a change.
///
/// It is long enough for most test suites.
pub(super) const VERIFY_TIMEOUT: Duration = Duration::from_secs(300);
/// The longest time limit that can be set for it, since a user waits for it.
pub(super) const LONGEST_VERIFY: Duration = Duration::from_secs(3600);
/// The longest time that a request for ghost text can be set to wait.
pub(super) const LONGEST_WAIT: Duration = Duration::from_secs(120);
/// The maximum number of answers that are requested at once for one step.
pub(super) const PLAN_CANDIDATES: usize = 4;
/// Bytes of a policy at most: a hundred times the size of long ones. It is also the limit of a fetch.
pub(super) const POLICY_BYTES: usize = 1 << 20;
/// Bytes of the note that holds a policy, as a string in JSON, whose signs may take six bytes each.
pub(super) const POLICY_NOTE_BYTES: u64 = 8 << 20;
/// How far a machine's clock and that of a policy's issuer may differ.
pub(super) const POLICY_CLOCKS: Duration = Duration::from_secs(60 * 60);
/// The time after a fetch of a policy that failed until the next one.
pub const POLICY_AGAIN: Duration = Duration::from_secs(5 * 60);
/// The time without a fetch after which a policy no longer counts as fresh.
pub(super) const POLICY_FRESH: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest name of a team or a user, in bytes. The database of leases refuses longer ones.
pub(super) const NAME_BYTES: usize = 200;
