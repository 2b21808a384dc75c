//! Files on disk for tests.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Makes a folder of these files: path and text each.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    folder
}

/// Writes a file below a folder, and creates missing folders. Returns its path.
pub(crate) fn write(root: &Path, path: &str, text: &str) -> PathBuf {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    path
}
