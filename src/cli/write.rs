//! Writes files: each one whole, and of several all or none, whatever ends the process.
//!
//! 1. A [journal] is kept of what is to be done.
//! 2. The new texts are written beside their places. A signal that comes until then gives the write up.
//! 3. Each old file gets a second name, and the new one its place.
//! 4. The journal says that it is done; the second names go, and then the journal.
//!
//! What fails before the fourth step is undone: by the process itself, or where that was killed, by the next
//! command that may write ([`recover`]). The old file is the same one then, since it was only renamed.

mod journal;
mod moment;
mod place;
mod signals;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::rc::Rc;

use anyhow::Context as _;

use super::limits::FILE_BYTES;
use super::terminal;
use crate::disk::Unreadable;
use crate::edit::EditSet;
use crate::edit::edit_set::{self, FileEdit, Revision};
use crate::text::hash::{fnv64, fnv64_add};
use crate::text::words::counted;
use crate::workspace::Folder;
use journal::{Journal, Record, Step};
use moment::moment;
pub(super) use place::Place;
use place::{Dir, Folders, Identity};
use signals::Held;

/// Files up to which each is brought to the disk by itself.
///
/// Beyond it all of the file system is, once: a call for each file of many takes milliseconds.
const FEW: usize = 16;

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) place: Place,
    /// Its text afterwards; none if it is to go.
    pub(super) text: Option<String>,
    /// The state that it must still be in; none if nothing may be there.
    pub(super) base: Option<Revision>,
    /// The file whose owner and permissions a new file gets.
    pub(super) like: Option<Place>,
}

/// Carries all changes out. After an error the files are as they were.
pub(super) fn all(changes: &[Change]) -> io::Result<()> {
    let signals = Held::new()?;
    let mut write = Writing::begin(changes)?;
    let written = write.stage(&signals).and_then(|()| write.put());
    match written {
        Ok(()) => write.finish(),
        Err(error) => return Err(write.undo(error)),
    }
    Ok(())
}

/// Carries a set of edits out below a folder; returns how many files changed.
pub(super) fn edit_set(folder: &Folder, set: &EditSet) -> anyhow::Result<usize> {
    let changed: Vec<&FileEdit> = set.files().iter().filter(|file| !file.is_unchanged()).collect();
    let mut changes = Vec::with_capacity(changed.len());
    for file in &changed {
        let place = Place::below(folder.root(), &file.path);
        let text = file.new_text().map(Cow::into_owned);
        match &file.change {
            edit_set::Change::Create { .. } => changes.push(Change { place, text, base: None, like: None }),
            edit_set::Change::Edit { base, .. } | edit_set::Change::Delete { base } => {
                changes.push(Change { place, text, base: Some(base.revision), like: None });
            }
            edit_set::Change::Rename { base, to, .. } => {
                let (to, like) = (Place::below(folder.root(), to), Some(place.clone()));
                changes.push(Change { place: to, text, base: None, like });
                changes.push(Change { place, text: None, base: Some(base.revision), like: None });
            }
        }
    }
    all(&changes).context("nothing was written")?;
    Ok(changed.len())
}

/// Undoes the writes that were cut off, and says so.
pub(super) fn recover() {
    let recovered = journal::each_left(|record, is_done| {
        // Its disk may come back.
        let is_there = record.steps.first().is_some_and(|step| step.place.root().is_dir());
        if !is_there {
            return false;
        }
        if is_done {
            return clean(&mut Folders::default(), record).is_ok();
        }
        let lost = undo(&mut Folders::default(), record, record.steps.len());
        let root = record.steps.first().map(|step| step.place.root().display().to_string());
        let (files, root) = (record.steps.len(), root.unwrap_or_default());
        let files = counted(files, "file");
        terminal::say(format_args!("a write of {files} in {root} was cut off; it has been undone"));
        for lost in &lost {
            terminal::say(format_args!("but not in {lost}"));
        }
        lost.iter().all(|it| it.kind() == io::ErrorKind::Other)
    });
    if let Err(error) = recovered {
        tracing::warn!(%error, "writes that were cut off cannot be looked for");
    }
}

/// A write that goes on.
struct Writing<'a> {
    changes: &'a [Change],
    record: Record,
    /// None where there is no state folder: a write that is killed is not undone then.
    journal: Option<Journal>,
    open: Folders,
    /// What was found in each place, as far as it was looked at.
    known: Vec<Option<Identity>>,
    /// The changes that were begun to be put in their places.
    begun: usize,
    /// A folder of each file system that is written.
    devices: BTreeMap<u64, Rc<Dir>>,
}

impl<'a> Writing<'a> {
    fn begin(changes: &'a [Change]) -> io::Result<Self> {
        let (mut folders, mut seen) = (Vec::new(), HashSet::new());
        let mut open = Folders::default();
        for folder in changes.iter().flat_map(|change| change.place.folders()) {
            let is_new = seen.insert(folder.clone());
            if is_new && is_missing(&mut open, &folder).map_err(|it| named(&folder, &it))? {
                folders.push(folder);
            }
        }
        let step = |change: &Change| Step {
            place: change.place.clone(),
            was_there: change.base.is_some(),
            new: change.text.as_deref().map(fnv64),
        };
        // Not to be guessed, so that nothing is there before.
        let id = format!("{:016x}", RandomState::new().hash_one(std::process::id()));
        let record = Record { id, steps: changes.iter().map(step).collect(), folders };
        let journal = Journal::begin(&record)
            .inspect_err(|error| tracing::warn!(%error, "no journal: a write that is killed stays as it is"))
            .ok();
        Ok(Self { changes, record, journal, open, known: Vec::new(), begun: 0, devices: BTreeMap::new() })
    }

    fn is_batch(&self) -> bool {
        cfg!(target_os = "linux") && self.changes.len() > FEW
    }

    /// Writes all new texts beside their places: whatever can fail, fails here.
    fn stage(&mut self, signals: &Held) -> io::Result<()> {
        for folder in &self.record.folders {
            signals.check()?;
            let made = self.open.of(folder).and_then(|it| it.make_folder(folder.name()?));
            match made {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(named(folder, &error));
                }
                _ => {}
            }
        }
        for (number, change) in self.changes.iter().enumerate() {
            signals.check()?;
            let known = self.stage_one(number, change).map_err(|error| named(&change.place, &error))?;
            self.known.push(known);
        }
        self.sync_batch()?;
        // A single file is replaced at once: its journal is there to remove what is left beside it.
        if let (Some(journal), 2..) = (&self.journal, self.changes.len()) {
            journal.sync()?;
        }
        signals.check()
    }

    fn stage_one(&mut self, number: usize, change: &Change) -> io::Result<Option<Identity>> {
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
            return if known.is_some() { Ok(known.as_ref().map(Identity::of)) } else { Err(missing()) };
        };
        if known.as_ref().is_some_and(|it| it.permissions().readonly()) {
            let why = "it is read-only; make it writable first";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let mut file = dir.create(&self.record.new_name(number))?;
        moment();
        file.write_all(text.as_bytes())?;
        let like = match &change.like {
            Some(like) => self.open.of(like)?.metadata(like.name()?)?,
            None => known.clone(),
        };
        if let Some(like) = like {
            // Before the permissions, of which another owner takes some away.
            give(&file, &like);
            file.set_permissions(like.permissions())?;
        }
        if !self.is_batch() {
            file.sync_all()?;
        }
        Ok(known.as_ref().map(Identity::of))
    }

    /// Puts all new texts in their places.
    fn put(&mut self) -> io::Result<()> {
        for (number, (change, known)) in self.changes.iter().zip(&self.known).enumerate() {
            self.begun = number + 1;
            let put = self
                .open
                .of(&change.place)
                .and_then(|dir| put_one(&dir, &self.record, number, change, *known));
            put.map_err(|error| named(&change.place, &error))?;
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

    /// Removes what is left beside the files. What cannot be is the next start's.
    fn finish(mut self) {
        match (clean(&mut self.open, &self.record), self.journal) {
            (Ok(()), Some(journal)) => journal.end(),
            (Ok(()), None) => {}
            (Err(error), _) => tracing::warn!(%error, "something is left beside the files"),
        }
    }

    /// Takes back what was done; returns the error, with what could not be.
    fn undo(mut self, error: io::Error) -> io::Error {
        let lost = undo(&mut self.open, &self.record, self.begun);
        match self.journal {
            Some(journal) if lost.is_empty() => journal.end(),
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

fn is_missing(open: &mut Folders, folder: &Place) -> io::Result<bool> {
    match open.of(folder).and_then(|it| it.folder(folder.name()?)) {
        Ok(_) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

impl Record {
    /// The name of a step's new text before it has its place.
    ///
    /// The text is never written into the file there: another name of that file may lie outside of what may
    /// be changed.
    fn new_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.new", self.id).into()
    }

    /// The second name of a step's old file.
    fn old_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.old", self.id).into()
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
            // Not every file system has links.
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

/// Undoes a write of which the first `begun` steps may have been put in their places.
///
/// What others have changed since is left. Returns what could not be undone, and why: of the kind
/// [`io::ErrorKind::Other`] where another attempt would not help.
fn undo(open: &mut Folders, record: &Record, begun: usize) -> Vec<io::Error> {
    let mut lost = Vec::new();
    for (number, step) in record.steps.iter().enumerate().rev() {
        let dir = open.of(&step.place);
        match dir.and_then(|dir| undo_one(&dir, record, number, step, number < begun)) {
            // Its folder is gone, and with it all that was to be undone.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => lost.push(named(&step.place, &error)),
            Ok(()) => {}
        }
    }
    for folder in record.folders.iter().rev() {
        // One that holds something by now stays.
        _ = open.of(folder).and_then(|it| it.remove_folder(folder.name()?));
    }
    lost
}

fn undo_one(dir: &Dir, record: &Record, number: usize, step: &Step, is_begun: bool) -> io::Result<()> {
    let name = step.place.name()?;
    let (new, old) = (record.new_name(number), record.old_name(number));
    let identity = |name: &OsStr| Ok::<_, io::Error>(dir.metadata(name)?.as_ref().map(Identity::of));
    if is_begun {
        match (identity(name)?, identity(&old)?) {
            (None, Some(_)) => dir.rename(&old, name)?,
            (Some(found), Some(aside)) if found == aside => dir.remove(&old)?,
            (Some(_), Some(_)) if is_written(dir, step)? => dir.rename(&old, name)?,
            (Some(_), Some(_)) => {
                dir.remove_if_there(&new)?;
                let old = old.to_string_lossy();
                return Err(io::Error::other(format!("it was changed since; what it was is in {old}")));
            }
            (found @ Some(_), None) if !step.was_there => {
                let staged = identity(&new)?;
                if staged == found || staged.is_none() && is_written(dir, step)? {
                    dir.remove(name)?;
                }
            }
            (_, None) => {}
        }
    }
    dir.remove_if_there(&new)
}

/// Whether a step's place has the new text.
fn is_written(dir: &Dir, step: &Step) -> io::Result<bool> {
    let (bytes, _) = dir.read(step.place.name()?, FILE_BYTES).map_err(io::Error::other)?;
    let hash = bytes.iter().fold(fnv64(""), |hash, byte| fnv64_add(hash, *byte));
    Ok(step.new == Some(hash))
}

/// Removes the names beside the files after a write.
fn clean(open: &mut Folders, record: &Record) -> io::Result<()> {
    for (number, step) in record.steps.iter().enumerate() {
        let beside = if step.was_there { record.old_name(number) } else { record.new_name(number) };
        match open.of(&step.place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            dir => dir?.remove_if_there(&beside)?,
        }
    }
    Ok(())
}

/// Gives a file to the owner of another one, where that can be done: the superuser alone gives files away.
#[cfg(unix)]
fn give(file: &File, like: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    if let Err(error) = fchown(file, Some(like.uid()), Some(like.gid())) {
        tracing::debug!(%error, "the owner is another one");
    }
}

#[cfg(not(unix))]
fn give(_file: &File, _like: &fs::Metadata) {}

fn changed_meanwhile() -> io::Error {
    io::Error::other("it was changed meanwhile; try again")
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn named(place: &Place, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", place.path().display()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A change of a file as it is now.
    fn change(folder: &Path, name: &str, text: Option<&str>) -> Change {
        let base = fs::read(folder.join(name)).ok().map(|bytes| Revision::of_bytes(&bytes));
        let place = Place::named(&folder.join(name)).unwrap();
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
        let moved = Change {
            like: Some(Place::named(&script).unwrap()),
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
        // Only the superuser gives files away; for others the owner is their own, and stays.
        drop(chown(&path, Some(12_345), Some(12_346)));
        let before = fs::metadata(&path).unwrap();
        all(&[change(folder.path(), "a", Some("new"))]).unwrap();
        let after = fs::metadata(&path).unwrap();
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
