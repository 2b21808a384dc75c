//! Files that others may have made: read in bounds, and by threads that may get stuck.
//!
//! What lies in a workspace came with a clone, or is on a remote disk. A name in it may lead to a device
//! without end, to a pipe that is never written, or to a disk that does not answer. [`read`] takes what is a
//! regular file and of reasonable size, [`Readers`] keeps the wait for a disk away from everything else, and
//! [`IgnoreFiles`] reads the ignore files with both. What lies in a workspace is read and looked at through this
//! module alone, so work that must not wait is [told apart](computing).

mod ignore_files;
mod look;
mod read;
mod readers;

use std::path::PathBuf;

pub use ignore_files::{IgnoreFiles, NotRead, Rules};
pub use look::{Links, computing, entries, is_there, metadata, real};
pub use read::{Stamp, Unreadable, bytes, bytes_of, stamp, text};
pub use readers::{Purpose, Readers, Stuck};

/// The folder for the user's configuration files: `XDG_CONFIG_HOME`, or `~/.config`.
pub fn configuration_folder() -> Option<PathBuf> {
    std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))
}

/// The folder for the user's caches: `XDG_CACHE_HOME`, or where the system keeps them.
pub fn cache_folder() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    let usual = match std::env::consts::OS {
        "macos" => home().map(|home| home.join("Library").join("Caches")),
        "windows" => std::env::var_os("LOCALAPPDATA").map(PathBuf::from),
        _ => home().map(|home| home.join(".cache")),
    };
    set.or(usual)
}

/// Makes a named pipe, for tests.
#[cfg(all(test, unix))]
pub(crate) fn pipe(path: impl AsRef<std::path::Path>) {
    let made = std::process::Command::new("mkfifo").arg(path.as_ref()).status();
    assert!(made.is_ok_and(|it| it.success()));
}
