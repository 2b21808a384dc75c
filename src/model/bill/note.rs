//! The note of which days were delivered, in the user's state folder.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::disk::{self, Links};
use crate::model::usage::KEPT_DAYS;
use crate::text::random::random_id;

/// The wait after a delivery that failed; it doubles with each further failure.
const AGAIN_FIRST: Duration = Duration::from_secs(5 * 60);
/// The longest such wait.
const AGAIN_MOST: Duration = Duration::from_secs(6 * 60 * 60);
/// Bytes of the note at most: a hundred times a usual one.
const NOTE_BYTES: u64 = 64 << 10;
/// The time after a day in which other servers may still write down its last usage.
const DAY_SETTLES: u64 = 10 * 60;
const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// The note, which one process at a time has.
#[derive(Debug)]
pub(super) struct BillNote {
    path: PathBuf,
    content: BillProgress,
    /// Held as long as the note may be written. The system frees it with the process.
    _lock: File,
}

/// What was delivered to each place.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct BillProgress {
    /// A random name of this state folder.
    id: String,
    /// By the name of the setting.
    pub(super) places: BTreeMap<String, PlaceProgress>,
}

/// What was delivered to one place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PlaceProgress {
    /// The last day that was delivered.
    delivered: u64,
    /// Attempts that failed since.
    failures: u32,
    /// The time before which there is no other attempt, in seconds since 1970.
    again: u64,
    /// Why the last attempt failed.
    pub(super) trouble: Option<String>,
}

impl PlaceProgress {
    /// Nothing of the time before the place was known is delivered.
    fn since(now: u64) -> Self {
        Self { delivered: (now / SECONDS_A_DAY).saturating_sub(1), ..Self::default() }
    }

    /// The days to deliver now.
    pub(super) fn due(&self, now: u64) -> Range<u64> {
        let end = now.saturating_sub(DAY_SETTLES) / SECONDS_A_DAY;
        let is_early = now < self.again && self.again - now <= AGAIN_MOST.as_secs();
        let first = match self.delivered >= now / SECONDS_A_DAY {
            // A clock that was set back must not stop the deliveries.
            true => end.saturating_sub(1),
            false => (self.delivered + 1).max(end.saturating_sub(KEPT_DAYS)),
        };
        if is_early { end..end } else { first..end }
    }

    /// Counts an attempt, which has failed until it is known to have succeeded: a process may end in the middle of it.
    ///
    /// Returns why the last one failed.
    pub(super) fn attempt(&mut self, now: u64) -> Option<String> {
        let wait = AGAIN_FIRST.as_secs() << self.failures.min(16);
        self.again = now + wait.min(AGAIN_MOST.as_secs());
        self.failures = self.failures.saturating_add(1);
        self.trouble.clone()
    }

    /// Notes that a day was delivered.
    pub(super) fn succeed(&mut self, day: u64) {
        *self = Self { delivered: day, ..Self::default() };
    }
}

impl BillNote {
    /// Opens the note; `None` if another process has it.
    pub(super) fn open(folder: &Path) -> io::Result<Option<Self>> {
        let lock = folder.join("bill.lock");
        let lock = disk::open_private(&lock, File::options().create(true).write(true).truncate(false))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
        let mut content = progress(folder)?;
        if content.id.is_empty() {
            content.id = random_id();
        }
        Ok(Some(Self { path: path(folder), content, _lock: lock }))
    }

    /// What was delivered to the place of a setting.
    pub(super) fn progress(&mut self, setting: &str, now: u64) -> &mut PlaceProgress {
        self.content.places.entry(setting.to_owned()).or_insert_with(|| PlaceProgress::since(now))
    }

    /// What a receiver knows the lines of a day by, however often they come.
    pub(super) fn key(&self, day: u64) -> String {
        format!("{}-{day}", self.content.id)
    }

    /// Writes the note as a whole.
    pub(super) fn write(&self) -> io::Result<()> {
        let folder = self.path.parent().ok_or(io::ErrorKind::NotFound)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(serde_json::to_string(&self.content)?.as_bytes())?;
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Reads the note; without a file, it is empty. One that cannot be read is an error: without it, days could be
/// delivered twice.
pub(super) fn progress(folder: &Path) -> io::Result<BillProgress> {
    match disk::text(&path(folder), NOTE_BYTES, Links::Refuse) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| unreadable(&error)),
        Err(disk::Unreadable::Missing) => Ok(BillProgress::default()),
        Err(why) => Err(unreadable(&why)),
    }
}

fn unreadable(why: &dyn Display) -> io::Error {
    io::Error::other(format!(
        "`bill.json` in the state folder cannot be read ({why}); delete it, and the bill begins anew today"
    ))
}

fn path(folder: &Path) -> PathBuf {
    folder.join("bill.json")
}
