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

/// A file beside `path` with its new text, and with the permissions of `like`, or those that
/// a new file gets.
fn beside(path: &Path, folder: &Path, text: &[u8], like: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tandem");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(|error| named(path, &error))?;
    file.write_all(text).and_then(|()| file.as_file().sync_all()).map_err(|error| named(path, &error))?;
    if let Ok(known) = fs::metadata(like) {
        fs::set_permissions(file.path(), known.permissions()).map_err(|error| named(path, &error))?;
    }
    Ok(file)
}

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
}
