//! Writes files atomically: each one whole, and of several all or none.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use tempfile::NamedTempFile;

use super::limits::FILE_BYTES;
use crate::disk::{self, Links, Unreadable};
use crate::edit::EditSet;
use crate::edit::edit_set::{self, FileEdit, Revision};
use crate::workspace::Folder;

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    /// The file. Where it is a link, the file behind the link changes.
    pub(super) path: PathBuf,
    /// Its text afterwards; none if it is to go.
    pub(super) text: Option<String>,
    /// The state that it must still be in; none if nothing may be there.
    pub(super) base: Option<Revision>,
    /// The file whose permissions a new file gets.
    pub(super) like: Option<PathBuf>,
}

/// Carries all changes out. After an error the files are as they were.
///
/// # Errors
///
/// The first failure, with the path.
pub(super) fn all(changes: &[Change]) -> io::Result<()> {
    let mut folders = Vec::new();
    let staged = stage(changes, &mut folders);
    let outcome = staged.and_then(put);
    if outcome.is_err() {
        // Folders made for this go again; one that holds something by now stays.
        for folder in folders.iter().rev() {
            _ = fs::remove_dir(folder);
        }
    }
    outcome
}

/// Carries a set of edits out below a folder; returns how many files changed.
///
/// # Errors
///
/// The first failure. Nothing was written then.
pub(super) fn edit_set(folder: &Folder, set: &EditSet) -> anyhow::Result<usize> {
    let changed: Vec<&FileEdit> = set.files().iter().filter(|file| !file.is_unchanged()).collect();
    let mut changes = Vec::with_capacity(changed.len());
    for file in &changed {
        let path = folder.place(&file.path);
        let text = file.new_text().map(Cow::into_owned);
        match &file.change {
            edit_set::Change::Create { .. } => changes.push(Change { path, text, base: None, like: None }),
            edit_set::Change::Edit { base, .. } | edit_set::Change::Delete { base } => {
                changes.push(Change { path, text, base: Some(base.revision), like: None });
            }
            edit_set::Change::Rename { base, to, .. } => {
                let like = Some(path.clone());
                changes.push(Change { path: folder.place(to), text, base: None, like });
                changes.push(Change { path, text: None, base: Some(base.revision), like: None });
            }
        }
    }
    all(&changes).context("nothing was written")?;
    Ok(changed.len())
}

/// A change whose new text lies beside its place.
struct Staged {
    path: PathBuf,
    new: Option<NamedTempFile>,
    old: Option<Vec<u8>>,
}

/// Writes all new texts beside their places: whatever can fail, fails here.
fn stage(changes: &[Change], folders: &mut Vec<PathBuf>) -> io::Result<Vec<Staged>> {
    changes
        .iter()
        .map(|change| {
            let path = fs::canonicalize(&change.path).unwrap_or_else(|_| change.path.clone());
            let folder =
                path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            make_folders(folder, folders)?;
            let old = match disk::bytes(&path, FILE_BYTES, Links::Follow) {
                Ok(bytes) => Some(bytes),
                Err(Unreadable::Missing) => None,
                Err(error) => return Err(named(&path, &io::Error::other(error))),
            };
            if old.as_deref().map(Revision::of_bytes) != change.base {
                return Err(named(&path, &io::Error::other("it was changed meanwhile; try again")));
            }
            let like = change.like.as_ref().unwrap_or(&path);
            let new = change.text.as_ref().map(|text| beside(&path, folder, text.as_bytes(), like));
            let new = new.transpose()?;
            Ok(Staged { path, new, old })
        })
        .collect()
}

/// Puts all new texts in their places, or takes back what was done.
fn put(staged: Vec<Staged>) -> io::Result<()> {
    let mut done: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    for Staged { path, new, old } in staged {
        let outcome = match new {
            Some(file) => file.persist(&path).map(drop).map_err(|error| error.error),
            None => fs::remove_file(&path),
        };
        if let Err(error) = outcome {
            let mut lost = Vec::new();
            for (path, old) in done.iter().rev() {
                let restored = match old {
                    Some(bytes) => fs::write(path, bytes),
                    None => fs::remove_file(path),
                };
                if restored.is_err() {
                    lost.push(path.display().to_string());
                }
            }
            let error = named(&path, &error);
            return Err(match lost.as_slice() {
                [] => error,
                lost => io::Error::other(format!("{error}; and could not take back {}", lost.join(", "))),
            });
        }
        done.push((path, old));
    }
    Ok(())
}

/// A file beside `path` with its new text, and with owner and permissions of `like`, or those that a new file
/// gets.
///
/// It takes the place of the one there, and is never written into that: another name of the same file may
/// lie outside of what a reply may change.
fn beside(path: &Path, folder: &Path, text: &[u8], like: &Path) -> io::Result<NamedTempFile> {
    if fs::metadata(path).is_ok_and(|known| known.permissions().readonly()) {
        let why = "it is read-only; make it writable first";
        return Err(named(path, &io::Error::new(io::ErrorKind::PermissionDenied, why)));
    }
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tandem");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The error names the file beside, which means nothing to the user.
    let mut file = builder.tempfile_in(folder).map_err(|error| named(path, &error.kind().into()))?;
    file.write_all(text).and_then(|()| file.as_file().sync_all()).map_err(|error| named(path, &error))?;
    if let Ok(known) = fs::metadata(like) {
        // Before the permissions, of which another owner takes some away.
        give(file.path(), &known);
        fs::set_permissions(file.path(), known.permissions()).map_err(|error| named(path, &error))?;
    }
    Ok(file)
}

/// Gives a file to the owner of another one, where that can be done: the superuser alone gives files away.
#[cfg(unix)]
fn give(path: &Path, like: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, chown};
    if let Err(error) = chown(path, Some(like.uid()), Some(like.gid())) {
        tracing::debug!(%error, "the owner is another one");
    }
}

#[cfg(not(unix))]
fn give(_path: &Path, _like: &fs::Metadata) {}

fn make_folders(folder: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        make_folders(parent, made)?;
    }
    fs::create_dir(folder).map_err(|error| named(folder, &error))?;
    made.push(folder.to_owned());
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change of a file as it is now.
    fn change(folder: &Path, name: &str, text: Option<&str>) -> Change {
        let path = folder.join(name);
        let base = fs::read(&path).ok().map(|bytes| Revision::of_bytes(&bytes));
        Change { path, text: text.map(str::to_owned), base, like: None }
    }

    #[test]
    fn all_files_change() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::write(folder.path().join("b"), "old").unwrap();
        let changes = [
            change(folder.path(), "a", Some("new")),
            change(folder.path(), "b", None),
            change(folder.path(), "x/y/c", Some("c")),
        ];
        all(&changes).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "new");
        assert!(!folder.path().join("b").exists());
        assert_eq!(fs::read_to_string(folder.path().join("x/y/c")).unwrap(), "c");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is left behind");
    }

    #[test]
    fn or_none_does() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        // The last one cannot be removed, for it is not there.
        let changes = [
            change(folder.path(), "a", Some("new")),
            change(folder.path(), "n/b", Some("new")),
            change(folder.path(), "missing", None),
        ];
        let error = all(&changes).unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "old");
        assert!(!folder.path().join("n").exists());
        assert!(
            all(&[change(folder.path(), "a", Some("new")), change(folder.path(), "folder", Some("x"))])
                .is_err()
        );
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "old");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "old").unwrap();
        let changes = [change(folder.path(), "b", Some("b")), change(folder.path(), "a", Some("new"))];
        fs::write(folder.path().join("a"), "newer").unwrap();
        let error = all(&changes).unwrap_err();
        assert!(error.to_string().contains("changed meanwhile"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "newer");
        assert!(!folder.path().join("b").exists());
        fs::write(folder.path().join("b"), "other").unwrap();
        assert!(all(&changes[..1]).is_err(), "what is there by now is not overwritten");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("run");
        fs::write(&script, "old").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
        symlink(&script, folder.path().join("link")).unwrap();
        let moved = Change { like: Some(script.clone()), ..change(folder.path(), "moved", Some("new")) };
        all(&[change(folder.path(), "link", Some("new")), moved]).unwrap();
        assert_eq!(fs::metadata(folder.path().join("moved")).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::read_to_string(&script).unwrap(), "new");
        assert_eq!(fs::metadata(&script).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(folder.path().join("link").symlink_metadata().unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn read_only_files_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let read_only = folder.path().join("b");
        fs::write(folder.path().join("a"), "old").unwrap();
        fs::write(&read_only, "old").unwrap();
        fs::set_permissions(&read_only, fs::Permissions::from_mode(0o444)).unwrap();
        let changes = [change(folder.path(), "a", Some("new")), change(folder.path(), "b", Some("new"))];
        let error = all(&changes).unwrap_err().to_string();
        assert!(error.ends_with("b: it is read-only; make it writable first"), "{error}");
        assert_eq!(fs::read_to_string(folder.path().join("a")).unwrap(), "old");
        assert_eq!(fs::read_to_string(&read_only).unwrap(), "old");
    }

    #[cfg(unix)]
    #[test]
    fn owner_stays_where_it_can_be_given() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "old").unwrap();
        // Only the superuser gives files away; for others the owner is their own, and stays.
        drop(chown(&path, Some(12_345), Some(12_346)));
        let before = fs::metadata(&path).unwrap();
        all(&[change(folder.path(), "a", Some("new"))]).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn file_beside_is_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("missing");
        let error = beside(&missing.join("a"), &missing, b"", &missing).unwrap_err().to_string();
        assert_eq!(error, format!("{}: entity not found", missing.join("a").display()));
    }
}
