//! The usage of each day, across restarts and concurrent servers.
//!
//! Each server writes its own small file, as a whole and by renaming, so that no two servers write
//! the same file. A day's usage is the sum of all its files. They are in the user's state folder,
//! contain only numbers and the names of jobs and models, and are removed after a month, so that a bill can be made of
//! them. Days are in UTC, as on providers' bills.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::Tally;
use crate::disk::{self, Links};
use crate::model::identity;

/// Days for which files are kept.
pub const KEPT_DAYS: u64 = 31;
/// Maximum number of bytes read of a file: more than one with [`PARTS`] parts has.
const LONGEST: u64 = 256 * 1024;
/// Parts of a day's usage, at most. Few users have twenty.
const PARTS: usize = 256;
/// Characters of a model's name, at most.
const MODEL_CHARACTERS: usize = 120;
/// What further models are counted as.
const OTHER: &str = "other";
const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// A day's usage: the sum, and its parts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DayUsage {
    /// The usage of all jobs and models.
    #[serde(flatten)]
    pub sum: Tally,
    /// The usage by job, and by model as its settings name it.
    pub jobs: BTreeMap<String, BTreeMap<String, Tally>>,
}

impl DayUsage {
    /// Adds to the sum, and to the part of a job and a model.
    pub(super) fn add(&mut self, part: Option<(&str, &str)>, tally: &Tally) {
        self.sum.add(tally);
        let Some((job, model)) = part else { return };
        // The settings may name a model by its path.
        let model = identity::shown(model.trim_end_matches(['/', '\\']));
        let model: String = model.chars().take(MODEL_CHARACTERS).collect();
        let parts: usize = self.jobs.values().map(BTreeMap::len).sum();
        let models = self.jobs.entry(job.to_owned()).or_default();
        let model = if parts < PARTS || models.contains_key(&model) { model } else { OTHER.to_owned() };
        models.entry(model).or_default().add(tally);
    }

    fn add_all(&mut self, other: &Self) {
        self.sum.add(&other.sum);
        for (job, models) in &other.jobs {
            let own = self.jobs.entry(job.clone()).or_default();
            models.iter().for_each(|(model, tally)| own.entry(model.clone()).or_default().add(tally));
        }
    }
}

/// The files of all days, as seen by one server.
#[derive(Debug, Clone)]
pub struct DayFiles {
    folder: PathBuf,
    /// Distinguishes this server's files from those of others.
    own: String,
}

/// The state folder: `TANDEM_STATE`, else `tandem` in `XDG_STATE_HOME` or `~/.local/state`
/// (`%LOCALAPPDATA%` where there is no `HOME`).
pub fn default_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("TANDEM_STATE") {
        return Some(folder.into());
    }
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local").join("state"));
    let local = || std::env::var_os("LOCALAPPDATA").map(PathBuf::from);
    Some(state.or_else(home).or_else(local)?.join("tandem"))
}

/// The number of the current day since 1970.
pub fn today() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / SECONDS_A_DAY
}

impl DayFiles {
    /// Files in this folder. Nothing is written before there is something to count.
    pub fn new(folder: &Path) -> Self {
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        Self { folder: folder.join("usage"), own: format!("{}-{started:x}", std::process::id()) }
    }

    /// Writes this server's usage on a day.
    pub(super) fn write(&self, day: u64, own: &DayUsage) -> io::Result<()> {
        disk::private_folder(&self.folder)?;
        // Temporary files are readable only by the user.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(serde_json::to_string(own)?.as_bytes())?;
        file.persist(self.folder.join(format!("{day}.{}.json", self.own)))?;
        Ok(())
    }

    /// Returns the usage of other servers on a day, and removes old files.
    ///
    /// A clock that jumps ahead makes every file look old. So nothing is too old until there are files of two days that
    /// are not.
    pub(super) fn others(&self, day: u64) -> Tally {
        let mut sum = Tally::default();
        let all: Vec<_> = self.all().collect();
        let is_old = |date: u64| date + KEPT_DAYS < day;
        let recent: BTreeSet<u64> =
            all.iter().map(|(date, ..)| *date).filter(|date| !is_old(*date)).collect();
        for (date, owner, path) in all {
            if is_old(date) && recent.len() > 1 {
                if let Err(error) = std::fs::remove_file(path) {
                    tracing::debug!(%error, "an old count stays");
                }
            } else if date == day && owner != self.own {
                sum.add(&read(&path).sum);
            }
        }
        sum
    }

    /// The usage of all servers on a day, as far as it is written.
    pub fn of(&self, day: u64) -> DayUsage {
        let mut usage = DayUsage::default();
        let own_day = self.all().filter(|(date, ..)| *date == day);
        own_day.for_each(|(.., path)| usage.add_all(&read(&path)));
        usage
    }

    /// All files: each with its day and the server that wrote it.
    fn all(&self) -> impl Iterator<Item = (u64, String, PathBuf)> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| {
            let name = entry.file_name();
            let (date, owner) = name.to_str()?.strip_suffix(".json")?.split_once('.')?;
            Some((date.parse().ok()?, owner.to_owned(), entry.path()))
        })
    }
}

/// Reads a file. An unreadable one is skipped: it may have just been removed.
fn read(path: &Path) -> DayUsage {
    match disk::bytes(path, LONGEST, Links::Refuse).map(|it| serde_json::from_slice(&it)) {
        Ok(Ok(usage)) => return usage,
        Ok(Err(error)) => tracing::warn!(%error, "a count of another server cannot be read"),
        Err(why) => tracing::debug!(%why, "a count of another server is not read"),
    }
    DayUsage::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_share_a_day_and_not_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|own| DayFiles { own: own.to_owned(), ..DayFiles::new(folder.path()) });
        assert_eq!(a.others(9), Tally::default(), "nothing is there, not even the folder");
        let spent = |dollars| Tally { requests: 1, dollars, ..Tally::default() };
        let day = |dollars| {
            let mut day = DayUsage::default();
            day.add(Some(("completion", "/models/m.gguf")), &spent(dollars));
            day
        };
        a.write(8, &day(8.0)).unwrap();
        a.write(9, &day(1.0)).unwrap();
        a.write(9, &day(2.0)).unwrap();
        b.write(9, &day(4.0)).unwrap();
        std::fs::write(folder.path().join("usage/9.c.json"), "half a fi").unwrap();
        assert_eq!(a.others(9), spent(4.0));
        assert_eq!(b.others(9), spent(2.0), "its newest count alone");
        let restarted = DayFiles::new(folder.path());
        assert_eq!(restarted.others(9).dollars, 6.0);
        let both = Tally { requests: 2, ..spent(6.0) };
        assert_eq!(restarted.of(9).jobs["completion"]["m.gguf"], both, "without the path of the model");
        restarted.others(1_000_000);
        assert_eq!(restarted.of(8).sum.dollars, 8.0, "a clock that jumps ahead removes nothing");
        assert_eq!(restarted.others(8 + KEPT_DAYS + 1), Tally::default());
        a.write(8 + KEPT_DAYS + 1, &day(1.0)).unwrap();
        assert_eq!(restarted.others(8 + KEPT_DAYS + 1), spent(1.0));
        let left = std::fs::read_dir(folder.path().join("usage")).unwrap().count();
        assert_eq!(left, 4, "the eighth is long past");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_count_keeps_no_server() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let files = DayFiles::new(folder.path());
        let sum = Tally { requests: 1, ..Tally::default() };
        files.write(9, &DayUsage { sum, ..DayUsage::default() }).unwrap();
        let path = |name: &str| folder.path().join("usage").join(name);
        disk::pipe(path("9.pipe.json"));
        symlink("/dev/zero", path("9.endless.json")).unwrap();
        std::fs::write(path("9.large.json"), vec![b' '; LONGEST as usize + 1]).unwrap();
        assert_eq!(DayFiles::new(folder.path()).others(9).requests, 1);
    }
}
