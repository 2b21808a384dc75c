//! What a write is about to do, kept in the user's state folder until it is over.
//!
//! A journal that no living process holds is that of a write that was cut off. It is not kept in the project:
//! a journal that came with a clone could have any file of the project replaced.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::moment::moment;
use super::place::{Identity, Place};
use crate::disk;
use crate::model::usage;

/// Bytes of a journal that are read at most.
const LONGEST: u64 = 256 << 20;
/// How long a journal is kept whose folder is not there: its disk may come back.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The last line of a write that needs no undoing.
const DONE: &[u8] = b"done\n";

/// What a write does, as far as it takes to undo it.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// In the names of all files that the write makes for itself.
    pub(super) id: String,
    pub(super) steps: Vec<Step>,
    /// Folders that it makes, each after the one that it is in.
    pub(super) folders: Vec<Place>,
    /// What is written beside each place, where its file does not go. Empty until all is: no step is done
    /// before that.
    #[serde(skip)]
    pub(super) staged: Vec<Option<Identity>>,
}

impl Record {
    /// The name of a step's new text before it has its place.
    ///
    /// The text is never written into the file there: another name of that file may lie outside of what may
    /// be changed.
    pub(super) fn new_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.new", self.id).into()
    }

    /// The second name of a step's old file.
    pub(super) fn old_name(&self, step: usize) -> OsString {
        format!(".tandem-{}-{step}.old", self.id).into()
    }
}

/// What becomes of one file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) place: Place,
    /// Whether there is a file before.
    pub(super) was_there: bool,
    /// The hash of the text afterwards; none if the file goes.
    pub(super) new: Option<u64>,
}

/// The journal of a write that goes on.
///
/// Its lock is held as long as this lives, and goes with the process.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Writes down what is about to be done.
    pub(super) fn begin(record: &Record) -> io::Result<Self> {
        let folder = folder().ok_or(io::ErrorKind::NotFound)?;
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(&folder)?;
        let turn = JournalLock::take(&folder)?;
        let path = folder.join(format!("{}.journal", record.id));
        let mut journal = Self { file: File::create_new(&path)?, path };
        let written = journal.file.lock().and_then(|()| {
            drop(turn);
            moment();
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

    /// Notes what is written beside the places. From here on steps may be done.
    pub(super) fn staged(&mut self, record: &Record, is_on_disk: bool) -> io::Result<()> {
        moment();
        self.write(&record.staged)?;
        if !is_on_disk {
            return Ok(());
        }
        self.file.sync_all()?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        // Not every system opens a folder.
        File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
    }

    /// From here on the write is not undone any more, nor after a loss of power if that is on the disk.
    pub(super) fn done(&mut self, is_on_disk: bool) -> io::Result<()> {
        moment();
        self.file.write_all(DONE)?;
        if is_on_disk { self.file.sync_all() } else { Ok(()) }
    }

    /// The write is over, and has left nothing behind.
    pub(super) fn end(self) {
        moment();
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "a journal is left");
        }
    }
}

/// The journals that are there, of writes that go on or were cut off.
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

/// Whether there is a journal at all.
pub(super) fn is_any() -> bool {
    !all().is_empty()
}

/// Takes the journals of writes that were cut off, one after the other. `recover` gets what each was about, and
/// whether it was done; a journal goes once `recover` returns true.
pub(super) fn each_left(mut recover: impl FnMut(&Record, bool) -> bool) -> io::Result<()> {
    let Some(folder) = folder() else { return Ok(()) };
    let _turn = JournalLock::take(&folder)?;
    for path in all() {
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_err() {
            // Its write goes on.
            continue;
        }
        let is_over = match read(&file) {
            // Its first line is cut off: nothing had happened.
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

/// What a journal holds in whole lines, and whether its write was done.
fn read(journal: &File) -> io::Result<Option<(Record, bool)>> {
    // By the same handle: a lock keeps others from reading on some systems.
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

/// Nothing else makes or looks for journals meanwhile: a new one is locked before it is looked for.
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
