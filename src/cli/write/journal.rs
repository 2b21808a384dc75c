//! The journal of a write, kept in the user's state folder until the write is finished.
//!
//! A journal that no running process has locked belongs to an interrupted write. Journals are not kept in the
//! project: one that came with a clone could cause any file of the project to be replaced.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::target::{Identity, WriteTarget};
use super::test_signal::inject_test_signal;
use crate::disk;
use crate::model::usage;

/// The maximum size of a journal in bytes.
const LONGEST: u64 = 256 << 20;
/// How long to keep a journal whose folder is missing: its disk may be mounted again.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The last line of the journal of a completed write.
const DONE: &[u8] = b"done\n";

/// The information needed to undo a write.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// A unique id, which is part of the names of all temporary files.
    pub(super) id: String,
    pub(super) steps: Vec<Step>,
    /// Folders to create, each after its parent.
    pub(super) folders: Vec<WriteTarget>,
    /// The temporary file of each step; `None` for a deletion. Empty until all are written, and no step is carried out
    /// before that.
    #[serde(skip)]
    pub(super) staged: Vec<Option<Identity>>,
}

impl Record {
    /// The name of a step's temporary file with the new text.
    ///
    /// The existing file is never overwritten in place: it may have another hard link outside the folder that may be
    /// changed.
    pub(super) fn new_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.new", self.id).into()
    }

    /// The second name of a step's old file.
    pub(super) fn old_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.old", self.id).into()
    }
}

/// The change of one file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) place: WriteTarget,
    /// Whether the file existed before.
    pub(super) was_there: bool,
    /// The hash of the new text; `None` if the file is deleted.
    pub(super) new: Option<u64>,
}

/// The journal of a write in progress.
///
/// Its lock is held until this value is dropped or the process ends.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Creates and locks a journal with the planned changes.
    pub(super) fn begin(record: &Record) -> io::Result<Self> {
        let folder = folder().ok_or(io::ErrorKind::NotFound)?;
        disk::private_folder(&folder)?;
        let turn = JournalLock::take(&folder)?;
        let path = folder.join(format!("{}.journal", record.id));
        let mut journal =
            Self { file: disk::open_private(&path, File::options().create_new(true).write(true))?, path };
        let written = journal.file.lock().and_then(|()| {
            drop(turn);
            inject_test_signal();
            journal.write(record)
        });
        match written {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.end();
                Err(error)
            }
        }
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.file.write_all(format!("{}\n", serde_json::to_string(line)?).as_bytes())
    }

    /// Records the temporary files. The steps may be carried out after this.
    pub(super) fn staged(&mut self, record: &Record, is_on_disk: bool) -> io::Result<()> {
        inject_test_signal();
        self.write(&record.staged)?;
        if !is_on_disk {
            return Ok(());
        }
        self.file.sync_all()?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Not every system can open a folder.
        File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
    }

    /// Marks the write as done, so that it is not undone any more. With `is_on_disk` this survives a loss of power.
    pub(super) fn done(&mut self, is_on_disk: bool) -> io::Result<()> {
        inject_test_signal();
        self.file.write_all(DONE)?;
        if is_on_disk { self.file.sync_all() } else { Ok(()) }
    }

    /// Removes the journal of a finished write.
    pub(super) fn end(self) {
        inject_test_signal();
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a journal is left");
        }
    }
}

/// The paths of all journals, of writes in progress and of interrupted ones.
fn all() -> Vec<PathBuf> {
    let entries = folder().map(fs::read_dir).transpose().unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            tracing::warn!(%error, "writes that were cut off cannot be looked for");
        }
        None
    });
    let paths = entries.into_iter().flatten().filter_map(|entry| entry.map(|it| it.path()).ok());
    paths.filter(|path| path.extension().is_some_and(|it| it == "journal")).collect()
}

/// Whether there is any journal.
pub(super) fn is_any() -> bool {
    !all().is_empty()
}

/// Visits the journals of interrupted writes. `recover` gets each record and whether the write was done; the journal
/// is removed if `recover` returns true.
pub(super) fn each_left(mut recover: impl FnMut(&Record, bool) -> bool) -> io::Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    let _turn = JournalLock::take(&folder)?;
    for path in all() {
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_err() {
            // The write is still in progress.
            continue;
        }
        let is_over = match read(&file) {
            // The first line is incomplete, so no file had been written.
            Ok(None) => true,
            Ok(Some((record, is_done))) => recover(&record, is_done) || is_old(&file),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a journal cannot be read");
                is_old(&file)
            }
        };
        if is_over {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// Reads the complete lines of a journal, and whether its write was done.
fn read(journal: &File) -> io::Result<Option<(Record, bool)>> {
    // Uses the same handle, since on some systems a lock prevents reading through others.
    let bytes = disk::bytes_of(journal.try_clone()?, LONGEST).map_err(io::Error::other)?;
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
    let Some(record) = lines.next() else { return Ok(None) };
    let mut record: Record = serde_json::from_slice(record)?;
    if let Some(staged) = lines.next() {
        record.staged = serde_json::from_slice(staged)?;
    }
    Ok(Some((record, lines.next() == Some(DONE))))
}

fn is_old(journal: &File) -> bool {
    let written = journal.metadata().and_then(|it| it.modified());
    written.is_ok_and(|it| SystemTime::now().duration_since(it).is_ok_and(|age| age > KEPT))
}

fn folder() -> Option<PathBuf> {
    usage::default_folder().map(|state| state.join("writes"))
}

/// Serializes the creation and the recovery of journals, so that a new journal is locked before it can be found.
struct JournalLock {
    _lock: File,
}

impl JournalLock {
    fn take(folder: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(folder.join("lock"))?;
        file.lock()?;
        Ok(Self { _lock: file })
    }
}
