//! Files and folders that only their owner can read, such as those in the state folder.

#[cfg(unix)]
use std::fs;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// Creates a folder, with those above it, that only its owner can read. A folder that exists is closed to others.
///
/// # Errors
///
/// It cannot be created.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    close(folder, 0o700);
    Ok(())
}

/// Opens a file that only its owner can read, in a folder of the same kind. Both are created if need be.
///
/// # Errors
///
/// It cannot be opened as the options say.
pub fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        private_folder(folder)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    close(path, 0o600);
    Ok(file)
}

/// Writes a whole file that only its owner can read.
///
/// # Errors
///
/// It cannot be written.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    open_private(path, File::options().create(true).write(true).truncate(true))?.write_all(text.as_bytes())
}

/// Takes the permissions of others away that an earlier version has left.
///
/// Where the owner is another user, this fails, and the file is of use all the same.
#[cfg(unix)]
fn close(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let is_open = fs::metadata(path).is_ok_and(|it| it.permissions().mode() & 0o077 != 0);
    if is_open && let Err(error) = fs::set_permissions(path, fs::Permissions::from_mode(mode)) {
        tracing::debug!(%error, path = %path.display(), "others may be able to read it");
    }
}

#[cfg(not(unix))]
fn close(_: &Path, _: u32) {}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn others_cannot_read_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        write_private(&folder.path().join("a/b/c"), "one").unwrap();
        assert_eq!([mode("a"), mode("a/b"), mode("a/b/c")], [0o700, 0o700, 0o600]);
        for (name, old) in [("a/b", 0o755), ("a/b/c", 0o644)] {
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(old)).unwrap();
        }
        write_private(&folder.path().join("a/b/c"), "two").unwrap();
        assert_eq!([mode("a/b"), mode("a/b/c")], [0o700, 0o600]);
        assert_eq!(fs::read_to_string(folder.path().join("a/b/c")).unwrap(), "two");
    }
}
