//! Looks at what is on disk, and reads no file.

use std::cell::Cell;
use std::fs::{self, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

/// What is done with a symbolic link in the place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// What it leads to counts.
    Follow,
    /// It counts itself, and is not read.
    Refuse,
}

thread_local! {
    /// Whether this thread does work that others wait for.
    static COMPUTES: Cell<bool> = const { Cell::new(false) };
}

/// Does work on a thread that others wait for, so it must not wait for a disk.
///
/// In a debug build a read or a look in it panics, so tests find it.
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

/// What is about to happen waits for a disk.
#[track_caller]
pub(super) fn waits() {
    debug_assert!(!COMPUTES.get(), "a thread that computes waits for a disk");
}

/// What is known of a file or a folder.
///
/// # Errors
///
/// There is none, or the system refused.
#[track_caller]
pub fn metadata(path: &Path, links: Links) -> io::Result<Metadata> {
    waits();
    match links {
        Links::Follow => fs::metadata(path),
        Links::Refuse => fs::symlink_metadata(path),
    }
}

/// The path of what is there, with all links followed.
///
/// # Errors
///
/// There is nothing, or the system refused.
#[track_caller]
pub fn real(path: &Path) -> io::Result<PathBuf> {
    waits();
    fs::canonicalize(path)
}

/// What is in a folder. Each step of it waits for the disk.
///
/// # Errors
///
/// It is no folder, or the system refused.
#[track_caller]
pub fn entries(folder: &Path) -> io::Result<ReadDir> {
    waits();
    fs::read_dir(folder)
}

/// Whether a path leads to something.
#[track_caller]
pub fn is_there(path: &Path) -> bool {
    metadata(path, Links::Follow).is_ok()
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
