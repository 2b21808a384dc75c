//! Paths and the folders that they lie in, by their names alone.

use std::path::{Path, PathBuf};

/// The innermost of some folders, which may be nested, that a file lies in.
pub(crate) fn innermost<'f>(folders: &'f [PathBuf], file: &Path) -> Option<&'f PathBuf> {
    folders.iter().filter(|folder| file.starts_with(folder)).max_by_key(|folder| folder.components().count())
}

/// The absolute path of a path below a folder; an empty one is the folder itself.
pub(crate) fn place(folder: &Path, below: &str) -> PathBuf {
    if below.is_empty() { folder.to_owned() } else { folder.join(below) }
}
