//! File metadata and folder listings, without reading file contents.

use std::cell::Cell;
use std::fs::{self, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

/// How to treat a path that is a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// Use the target of the link.
    Follow,
    /// Use the link itself, and refuse to read it.
    Refuse,
}

thread_local! {
    /// Whether this thread runs work that must not block.
    static COMPUTES: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` on a thread that others wait for, and which must not block on a disk.
///
/// In a debug build, any disk access within `work` panics, so that tests catch it.
pub fn computing<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            COMPUTES.set(self.0);
        }
    }
    let _restore = Restore(COMPUTES.replace(true));
    work()
}

/// Asserts that this thread may block on a disk.
#[track_caller]
pub(super) fn waits() {
    debug_assert!(!COMPUTES.get(), "a thread that computes waits for a disk");
}

/// The metadata of a file or a folder.
///
/// # Errors
///
/// Fails if the path does not exist, or the system refuses.
#[track_caller]
pub fn metadata(path: &Path, links: Links) -> io::Result<Metadata> {
    waits();
    match links {
        Links::Follow => fs::metadata(path),
        Links::Refuse => fs::symlink_metadata(path),
    }
}

/// The canonical path, with all links resolved.
///
/// # Errors
///
/// Fails if the path does not exist, or the system refuses.
#[track_caller]
pub fn real(path: &Path) -> io::Result<PathBuf> {
    waits();
    fs::canonicalize(path)
}

/// The entries of a folder. Each step of the iterator blocks on the disk.
///
/// # Errors
///
/// Fails if `folder` is not a folder, or the system refuses.
#[track_caller]
pub fn entries(folder: &Path) -> io::Result<ReadDir> {
    waits();
    fs::read_dir(folder)
}

/// Whether a path exists, with links followed.
#[track_caller]
pub fn is_there(path: &Path) -> bool {
    metadata(path, Links::Follow).is_ok()
}

/// Why a path leads nowhere although something is there: a link to nothing, or no folder.
pub fn obstacle(path: &Path) -> Option<String> {
    let shown = path.display();
    let found = metadata(path, Links::Refuse).ok()?;
    match metadata(path, Links::Follow) {
        Err(_) if found.is_symlink() => Some(format!("{shown} is a link to a file that is not there")),
        Ok(found) if !found.is_dir() => Some(format!("{shown} is no folder")),
        _ => None,
    }
}

#[cfg(debug_assertions)]
#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn only_work_that_others_wait_for_must_not_look() {
        let look = || catch_unwind(|| is_there(Path::new("/"))).is_ok();
        assert!(look());
        assert!(!computing(look));
        let failed = catch_unwind(AssertUnwindSafe(|| computing(|| panic!("on purpose"))));
        assert!(failed.is_err() && look(), "it ends with the work, however that ends");
    }
}
