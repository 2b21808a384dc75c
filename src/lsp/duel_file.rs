//! The file of a duel's entries, which outlives the server and is shared by all servers of a user.
//!
//! Each entry is one line, appended with a single write. So concurrent servers lose none of each other's
//! entries, and all read the same order. A line also begins with a line break, so that an entry cut off by a
//! kill or a full disk does not corrupt the next.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::compare::duel::{Duel, Entry};
use crate::compare::trial::Trial;
use crate::disk;
use crate::text::hash::fnv64;

/// The maximum number of bytes read: several times the size of the pairs after which a duel ends.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The file of one duel, as one server sees it.
#[derive(Debug)]
pub(crate) struct DuelFile {
    path: PathBuf,
    /// The number of bytes read so far.
    read: u64,
}

impl DuelFile {
    /// The file of a duel in the user's state folder, named after the identity of its models.
    pub(crate) fn new(state: &Path, trial: &Trial) -> Self {
        let name = format!("{:016x}.jsonl", fnv64(&trial.identity()));
        Self { path: state.join("duel").join(name), read: 0 }
    }

    pub(super) fn append(&self, entry: &Entry) -> io::Result<()> {
        let line = serde_json::to_string(entry)?;
        let mut file = disk::open_private(&self.path, File::options().create(true).append(true))?;
        file.write_all(format!("\n{line}\n").as_bytes())
    }

    /// Adds the new entries to a duel. If the file was removed, the duel starts again.
    pub(crate) fn read(&mut self, duel: &mut Duel) -> io::Result<()> {
        let mut file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            file => Some(file?),
        };
        let length = file.as_ref().map_or(Ok(0), |file| file.metadata().map(|it| it.len()))?;
        if length < self.read {
            (*duel, self.read) = (Duel::default(), 0);
        }
        let Some(file) = &mut file else { return Ok(()) };
        file.seek(SeekFrom::Start(self.read))?;
        let mut news = Vec::new();
        file.take(MOST_BYTES.saturating_sub(self.read)).read_to_end(&mut news)?;
        // The end of the last line may not be written yet.
        news.truncate(news.iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1));
        self.read += news.len() as u64;
        for line in news.split(|it| *it == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(entry) => duel.record(&entry),
                Err(error) => tracing::debug!(%error, "a line of a duel is passed over"),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::duel::End;
    use crate::config::{Canary, Endpoint, Role, Settings};

    const VOID: Entry = Entry::Void { dollars: 0.25 };

    #[test]
    fn two_servers_share_a_duel_and_a_cut_line_loses_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let settings = |canary: &str| {
            let role = |model: &str| Role {
                candidates: vec![Endpoint { model: model.to_owned(), ..Endpoint::default() }],
                ..Role::default()
            };
            let (share, max_refused, max_p95, dollars) = (0.1, 0.2, None, 1.0);
            let canary = Canary { role: role(canary), share, max_refused, max_p95, dollars };
            Settings { fast: role("a"), canary: Some(canary), ..Settings::default() }
        };
        let file = |canary| DuelFile::new(folder.path(), &Trial::of(&settings(canary)).unwrap());
        let open = || (file("b"), Duel::default());
        let [(mut one, mut seen_by_one), (mut other, mut seen_by_other)] = [open(), open()];
        one.read(&mut seen_by_one).unwrap();
        one.append(&VOID).unwrap();
        File::options().append(true).open(&one.path).unwrap().write_all(b"{\"kind\":\"vo").unwrap();
        other.append(&VOID).unwrap();
        let ended = Entry::Ended { end: End::Spent, why: "w".to_owned() };
        one.append(&ended).unwrap();
        other.append(&Entry::Ended { end: End::Worse, why: "later".to_owned() }).unwrap();
        for (file, duel) in [(&mut one, &mut seen_by_one), (&mut other, &mut seen_by_other)] {
            file.read(duel).unwrap();
            file.read(duel).unwrap();
            assert_eq!((duel.dollars(), duel.ended()), (0.5, Some(End::Spent)));
        }
        let (mut elsewhere, mut duel) = (file("c"), Duel::default());
        elsewhere.read(&mut duel).unwrap();
        assert_eq!(duel.dollars(), 0.0);
        std::fs::remove_file(&one.path).unwrap();
        one.read(&mut seen_by_one).unwrap();
        assert_eq!(seen_by_one.ended(), None, "it was removed to begin anew");
    }
}
