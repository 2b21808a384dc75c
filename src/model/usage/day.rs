//! The usage of the current day, across restarts and concurrent servers.
//!
//! Each server writes its own small file, as a whole and by renaming, so that no two servers write
//! the same file. The day's usage is the sum of all its files. They are in the user's state folder,
//! contain only numbers, and are removed after a week. Days are in UTC, as on providers' bills.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Tally;
use crate::disk::{self, Links};

/// Days for which files are kept.
const KEPT: u64 = 7;
/// Maximum number of bytes read of a file, which contains a few numbers.
const LONGEST: u64 = 64 * 1024;
const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// The day's files, as seen by one server.
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
    pub(super) fn write(&self, day: u64, own: &Tally) -> io::Result<()> {
        disk::private_folder(&self.folder)?;
        // Temporary files are readable only by the user.
        let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
        file.write_all(serde_json::to_string(own)?.as_bytes())?;
        file.persist(self.folder.join(format!("{day}.{}.json", self.own)))?;
        Ok(())
    }

    /// Returns the usage of other servers on a day, and removes old files. Unreadable files are
    /// skipped: they may have just been removed.
    pub(super) fn others(&self, day: u64) -> Tally {
        let mut sum = Tally::default();
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return sum };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some((date, owner)) = name.to_str().and_then(|it| it.strip_suffix(".json")?.split_once('.'))
            else {
                continue;
            };
            let Ok(date) = date.parse::<u64>() else { continue };
            if date + KEPT < day {
                if let Err(error) = std::fs::remove_file(entry.path()) {
                    tracing::debug!(%error, "an old count stays");
                }
            } else if date == day && owner != self.own {
                match disk::bytes(&entry.path(), LONGEST, Links::Refuse)
                    .map(|it| serde_json::from_slice::<Tally>(&it))
                {
                    Ok(Ok(tally)) => sum.add(&tally),
                    Ok(Err(error)) => tracing::warn!(%error, "a count of another server cannot be read"),
                    Err(why) => tracing::debug!(%why, "a count of another server is not read"),
                }
            }
        }
        sum
    }
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
        a.write(8, &spent(8.0)).unwrap();
        a.write(9, &spent(1.0)).unwrap();
        a.write(9, &spent(2.0)).unwrap();
        b.write(9, &spent(4.0)).unwrap();
        std::fs::write(folder.path().join("usage/9.c.json"), "half a fi").unwrap();
        assert_eq!(a.others(9), spent(4.0));
        assert_eq!(b.others(9), spent(2.0), "its newest count alone");
        let restarted = DayFiles::new(folder.path());
        assert_eq!(restarted.others(9).dollars, 6.0);
        assert_eq!(restarted.others(8 + KEPT + 1), Tally::default());
        let left = std::fs::read_dir(folder.path().join("usage")).unwrap().count();
        assert_eq!(left, 3, "the eighth is long past");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_count_keeps_no_server() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let files = DayFiles::new(folder.path());
        files.write(9, &Tally { requests: 1, ..Tally::default() }).unwrap();
        let path = |name: &str| folder.path().join("usage").join(name);
        disk::pipe(path("9.pipe.json"));
        symlink("/dev/zero", path("9.endless.json")).unwrap();
        std::fs::write(path("9.large.json"), vec![b' '; LONGEST as usize + 1]).unwrap();
        assert_eq!(DayFiles::new(folder.path()).others(9).requests, 1);
    }
}
