//! Bounded file access, on threads that may block.
//!
//! Workspace files are untrusted: they came with a clone, or lie on a remote disk. A path may lead to an
//! endless device, to a pipe without a writer, or to a disk that does not answer. [`read`] accepts only regular
//! files of bounded size, [`Readers`] confines blocking reads to their own threads, and [`IgnoreFiles`] uses
//! both to read ignore files. All workspace access goes through this module, so that it can detect [blocking on
//! threads that must not block](computing).

mod ignore_files;
mod look;
mod private;
mod read;
mod readers;

use std::path::PathBuf;

pub use ignore_files::{IgnoreFiles, NotRead, Rules};
pub use look::{Links, computing, entries, is_there, metadata, obstacle, real};
pub use private::{open_private, private_folder, write_private};
pub use read::{Stamp, Unreadable, bytes, bytes_of, stamp, text};
pub use readers::{Purpose, Readers, Stuck};

/// The folder for the user's configuration files: `XDG_CONFIG_HOME`, or `~/.config`.
pub fn configuration_folder() -> Option<PathBuf> {
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    // As the XDG specification has it; below the current folder would be in a project.
    set.filter(|it| it.is_absolute())
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")))
}

/// The folder for the user's caches: `XDG_CACHE_HOME`, or the system's default.
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

/// Creates a named pipe, for tests.
#[cfg(all(test, unix))]
pub(crate) fn pipe(path: impl AsRef<std::path::Path>) {
    let made = std::process::Command::new("mkfifo").arg(path.as_ref()).status();
    assert!(made.is_ok_and(|it| it.success()));
}
