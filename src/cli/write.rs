//! Writes files atomically: each file completely, and several files all or none, even if the process is killed.
//!
//! 1. A [journal] records the planned changes.
//! 2. The new texts are written to temporary files beside their targets, and the journal records the identities of
//!    these files. A signal that arrives before the end of this step aborts the write.
//! 3. Each old file gets a second name, and the new file is renamed to the target.
//! 4. The journal is marked as done. The second names are removed, and then the journal.
//!
//! A failure before the fourth step is [undone](undo): by the process itself, or if that was killed, at the next
//! start or write of another process ([`recover`]). This restores the original file, since it was only renamed.

mod journal;
mod signals;
mod target;
mod test_signal;
mod undo;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;

use anyhow::Context as _;

use super::limits::FILE_BYTES;
use crate::disk::Unreadable;
use crate::edit::EditSet;
use crate::edit::edit_set::{self, FileEdit, Revision};
use crate::text::hash::fnv64;
use crate::text::random::random_id;
use crate::workspace::Folder;
use journal::{Journal, Record, Step};
use signals::SignalGuard;
pub(super) use target::WriteTarget;
use target::{Dir, Folders, Identity};
use test_signal::inject_test_signal;
pub(super) use undo::recover;

/// The maximum number of files that are synced individually.
///
/// With more, the whole file system is synced once, since each call takes milliseconds.
const FEW: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) place: WriteTarget,
    /// The new text; `None` to delete the file.
    pub(super) text: Option<String>,
    /// The revision that the file must still have; `None` if it must not exist.
    pub(super) base: Option<Revision>,
    /// The file from which a new file takes its owner and permissions.
    pub(super) like: Option<WriteTarget>,
}

impl Change {
    /// The new text of a file that the user named, and whose text is `old`; `None` if it does not exist.
    pub(super) fn of_file(path: &Path, old: Option<&str>, new: String) -> io::Result<Self> {
        let base = old.map(|old| Revision::of_bytes(old.as_bytes()));
        Ok(Self { place: WriteTarget::named(path)?, text: Some(new), base, like: None })
    }
}

/// Carries out all changes. After an error all files are unchanged.
pub(super) fn all(changes: &[Change]) -> io::Result<()> {
    if recover() {
        // The changes may be based on the half-written state.
        return Err(io::Error::other("a write that was cut off has just been undone; try again"));
    }
    let signals = SignalGuard::new()?;
    let mut write = Writing::begin(changes)?;
    let written = write.stage(&signals).and_then(|()| write.commit());
    match written {
        Ok(()) => write.finish(),
        Err(error) => return Err(write.undo(error)),
    }
    Ok(())
}

/// Carries out a set of edits below a folder; returns the number of changed files.
pub(super) fn edit_set(folder: &Folder, set: &EditSet) -> anyhow::Result<usize> {
    let changed: Vec<&FileEdit> = set.files().iter().filter(|file| !file.is_unchanged()).collect();
    let mut changes = Vec::with_capacity(changed.len());
    for file in &changed {
        let place = WriteTarget::below(folder.root(), &file.path);
        let text = file.new_text().map(Cow::into_owned);
        match &file.change {
            edit_set::Change::Create { .. } => changes.push(Change { place, text, base: None, like: None }),
            edit_set::Change::Edit { base, .. } | edit_set::Change::Delete { base } => {
                changes.push(Change { place, text, base: Some(base.revision), like: None });
            }
            edit_set::Change::Rename { base, to, .. } => {
                let (to, like) = (WriteTarget::below(folder.root(), to), Some(place.clone()));
                changes.push(Change { place: to, text, base: None, like });
                changes.push(Change { place, text: None, base: Some(base.revision), like: None });
            }
        }
    }
    all(&changes).context("nothing was written")?;
    Ok(changed.len())
}

/// A write in progress.
struct Writing<'a> {
    changes: &'a [Change],
    record: Record,
    /// `None` if there is no state folder; a killed write is not undone then.
    journal: Option<Journal>,
    open: Folders,
    /// The identities of the existing files, for the changes staged so far.
    known: Vec<Option<Identity>>,
    /// A folder on each file system that is written to, by device number.
    devices: BTreeMap<u64, Rc<Dir>>,
}

impl<'a> Writing<'a> {
    fn begin(changes: &'a [Change]) -> io::Result<Self> {
        let (mut folders, mut seen) = (Vec::new(), HashSet::new());
        let mut open = Folders::default();
        for folder in changes.iter().flat_map(|change| change.place.folders()) {
            let is_new = seen.insert(folder.clone());
            if is_new && is_missing(&mut open, &folder).map_err(|it| folder.error_with_path(&it))? {
                folders.push(folder);
            }
        }
        let step = |change: &Change| Step {
            place: change.place.clone(),
            was_there: change.base.is_some(),
            new: change.text.as_deref().map(fnv64),
        };
        // Unpredictable, so that the temporary names cannot be occupied in advance.
        let id = random_id();
        let record = Record { id, steps: changes.iter().map(step).collect(), folders, staged: Vec::new() };
        let journal = Journal::begin(&record)
            .inspect_err(|error| tracing::warn!(%error, "no journal: a write that is killed stays as it is"))
            .ok();
        Ok(Self { changes, record, journal, open, known: Vec::new(), devices: BTreeMap::new() })
    }

    fn is_batch(&self) -> bool {
        cfg!(target_os = "linux") && self.changes.len() > FEW
    }

    /// Writes all new texts to temporary files, so that most failures occur before any file is replaced.
    fn stage(&mut self, signals: &SignalGuard) -> io::Result<()> {
        for folder in &self.record.folders {
            signals.check()?;
            let made = self.open.of(folder).and_then(|it| it.make_folder(folder.name()?));
            match made {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(folder.error_with_path(&error));
                }
                _ => {}
            }
        }
        for (number, change) in self.changes.iter().enumerate() {
            signals.check()?;
            let staged = self.stage_one(number, change);
            let [known, staged] = staged.map_err(|error| change.place.error_with_path(&error))?;
            self.known.push(known);
            self.record.staged.push(staged);
        }
        self.sync_batch()?;
        if let Some(journal) = &mut self.journal {
            // A single file is replaced atomically: its journal is only needed to remove the temporary files.
            journal.staged(&self.record, self.changes.len() > 1)?;
        }
        signals.check()
    }

    /// Stages one change; returns the identities of the existing file and of its replacement.
    fn stage_one(&mut self, number: usize, change: &Change) -> io::Result<[Option<Identity>; 2]> {
        let (dir, name) = (self.open.of(&change.place)?, change.place.name()?);
        if self.is_batch() {
            self.devices.entry(dir.device()?).or_insert_with(|| Rc::clone(&dir));
        }
        let found = match dir.read(name, FILE_BYTES) {
            Ok(found) => Some(found),
            Err(Unreadable::Missing) => None,
            Err(error) => return Err(io::Error::other(error)),
        };
        if found.as_ref().map(|(bytes, _)| Revision::of_bytes(bytes)) != change.base {
            return Err(changed_meanwhile());
        }
        let known = found.map(|(_, metadata)| metadata);
        let Some(text) = &change.text else {
            let known = known.as_ref().map(Identity::of);
            return if known.is_some() { Ok([known, None]) } else { Err(missing()) };
        };
        if known.as_ref().is_some_and(|it| it.permissions().readonly()) {
            let why = "it is read-only; make it writable first";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let new = self.record.new_name(number);
        let like = match &change.like {
            Some(like) => self.open.of(like)?.metadata(like.name()?)?,
            None => known.clone(),
        };
        // The text of a private file is never in one that others can open.
        let mut file = dir.create(&new, like.is_some())?;
        inject_test_signal();
        file.write_all(text.as_bytes())?;
        if let Some(like) = like {
            // Before the permissions, since `chown` clears some of them.
            set_owner(&file, &like);
            file.set_permissions(like.permissions())?;
        }
        if !self.is_batch() {
            file.sync_all()?;
        }
        // Some systems update the times of a file when it is closed.
        drop(file);
        Ok([known, dir.metadata(&new)?].map(|it| it.as_ref().map(Identity::of)))
    }

    /// Moves all staged files to their targets.
    fn commit(&mut self) -> io::Result<()> {
        for (number, (change, known)) in self.changes.iter().zip(&self.known).enumerate() {
            let put = self
                .open
                .of(&change.place)
                .and_then(|dir| put_one(&dir, &self.record, number, change, *known));
            put.map_err(|error| change.place.error_with_path(&error))?;
        }
        if self.changes.len() > 1 {
            self.sync_batch()?;
            if !self.is_batch() {
                self.changes.iter().try_for_each(|change| self.open.of(&change.place)?.sync())?;
            }
        }
        match &mut self.journal {
            Some(journal) => journal.done(self.changes.len() > 1),
            None => Ok(()),
        }
    }

    fn sync_batch(&self) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        self.devices.values().try_for_each(|dir| dir.sync_all())?;
        Ok(())
    }

    /// Removes the temporary files. If that fails, the journal stays and the next start tries again.
    fn finish(mut self) {
        match (undo::clean(&mut self.open, &self.record), self.journal) {
            (Ok(()), Some(journal)) => journal.end(),
            (Ok(()), None) => {}
            (Err(error), _) => tracing::warn!(%error, "something is left beside the files"),
        }
    }

    /// Undoes the write; returns the error, extended by what could not be undone.
    fn undo(mut self, error: io::Error) -> io::Error {
        let lost = undo::undo(&mut self.open, &self.record);
        match self.journal {
            Some(journal) if undo::is_final(&lost) => journal.end(),
            // The next start tries again.
            _ => {}
        }
        let lost: Vec<String> = lost.iter().map(ToString::to_string).collect();
        match lost.as_slice() {
            [] => error,
            lost => io::Error::other(format!("{error}; and could not take back {}", lost.join(", "))),
        }
    }
}

fn is_missing(open: &mut Folders, folder: &WriteTarget) -> io::Result<bool> {
    match open.of(folder).and_then(|it| it.folder(folder.name()?)) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn put_one(
    dir: &Dir,
    record: &Record,
    number: usize,
    change: &Change,
    known: Option<Identity>,
) -> io::Result<()> {
    let name = change.place.name()?;
    let (new, old) = (record.new_name(number), record.old_name(number));
    let Some(known) = known else {
        return match dir.link(&new, name) {
            // Not every file system supports hard links.
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => match dir.metadata(name)? {
                None => dir.rename(&new, name),
                Some(_) => Err(changed_meanwhile()),
            },
            Err(_) => Err(changed_meanwhile()),
            Ok(()) => Ok(()),
        };
    };
    let is_linked = change.text.is_some() && dir.link(name, &old).is_ok();
    if !is_linked {
        dir.rename(name, &old)?;
    }
    if dir.metadata(&old)?.as_ref().map(Identity::of) != Some(known) {
        return Err(changed_meanwhile());
    }
    if change.text.is_some() { dir.rename(&new, name) } else { Ok(()) }
}

/// Sets the owner of a file to that of another one, if permitted: only the superuser may do so.
#[cfg(unix)]
fn set_owner(file: &File, like: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    if let Err(error) = fchown(file, Some(like.uid()), Some(like.gid())) {
        tracing::debug!(%error, "the owner is another one");
    }
}

#[cfg(not(unix))]
fn set_owner(_file: &File, _like: &fs::Metadata) {}

fn changed_meanwhile() -> io::Error {
    io::Error::other("it was changed meanwhile; try again")
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change based on the current revision of a file.
    fn change(folder: &Path, name: &str, text: Option<&str>) -> Change {
        let base = fs::read(folder.join(name)).ok().map(|bytes| Revision::of_bytes(&bytes));
        let place = WriteTarget::named(&folder.join(name)).unwrap();
        Change { place, text: text.map(str::to_owned), base, like: None }
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
        // The last change fails, since the file to delete does not exist.
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
        let moved = Change {
            like: Some(WriteTarget::named(&script).unwrap()),
            ..change(folder.path(), "moved", Some("new"))
        };
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
        // Only the superuser can change the owner; for others this does nothing.
        drop(chown(&path, Some(12_345), Some(12_346)));
        let before = fs::metadata(&path).unwrap();
        all(&[change(folder.path(), "a", Some("new"))]).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
