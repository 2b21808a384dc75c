//! The files of the recording: each server writes its own, commands read them.
//!
//! A server writes files of at most [`FILE_BYTES`]. When it begins one, it removes the oldest files of all servers
//! until the rest and the new one fit into [`MOST_BYTES`], and all files older than [`MOST_DAYS`].

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::entry::{Entry, Event, READABLE};
use crate::disk::{self, Links};

/// Bytes of all files together.
pub const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// Bytes of one file.
pub const FILE_BYTES: u64 = if cfg!(test) { 8 * 1024 } else { 8 * 1024 * 1024 };
/// Days for which a file is kept.
pub const MOST_DAYS: u64 = 14;
/// The time between two files of the last [`MOST_DAYS`] from which the clock is trusted to tell an age.
const TRUSTED: Duration = Duration::from_secs(60 * 60);
/// Bytes of a line that are read at most: a file's text and its escapes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// The folder of the recording within the user's state folder.
pub fn folder(state: &Path) -> PathBuf {
    state.join("recording")
}

/// The files of a server; the last one grows.
#[derive(Debug)]
pub(super) struct Ring {
    folder: PathBuf,
    /// The prefix that distinguishes this server's files from those of others.
    own: String,
    count: u32,
    file: Option<File>,
    bytes: u64,
}

impl Ring {
    /// Files below `folder`, named by `own`. Nothing is written until there is an entry.
    pub(super) fn new(folder: PathBuf, own: String) -> Self {
        Self { folder, own, count: 0, file: None, bytes: 0 }
    }

    /// Whether the next line begins a new file.
    pub(super) fn is_full(&self) -> bool {
        self.file.is_none() || self.bytes >= FILE_BYTES
    }

    /// Begins a new file.
    pub(super) fn begin(&mut self, now: SystemTime) -> io::Result<()> {
        disk::private_folder(&self.folder)?;
        prune(&self.folder, now, MOST_BYTES - FILE_BYTES)?;
        self.count += 1;
        let path = self.folder.join(format!("{}-{:04}.jsonl", self.own, self.count));
        self.file = Some(disk::open_private(&path, File::options().create_new(true).append(true))?);
        self.bytes = 0;
        Ok(())
    }

    /// Writes lines, atomically as far as the system allows.
    pub(super) fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Err(io::ErrorKind::NotFound.into()) };
        file.write_all(lines)?;
        self.bytes += lines.len() as u64;
        Ok(())
    }
}

/// A file of the recording.
#[derive(Debug, Clone)]
pub struct RecordedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last written.
    pub modified: SystemTime,
}

/// The files of a recording, oldest first; empty if there is no folder.
///
/// # Errors
///
/// The folder cannot be listed.
pub fn files(folder: &Path) -> io::Result<Vec<RecordedFile>> {
    let entries = match disk::entries(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_ours = path.extension().is_some_and(|it| it == "jsonl");
        // A file that another server has just removed is skipped.
        if let Ok(found) = disk::metadata(&path, Links::Refuse)
            && is_ours
            && found.is_file()
        {
            files.push(RecordedFile { path, bytes: found.len(), modified: found.modified()? });
        }
    }
    files.sort_by(|a, b| (a.modified, &a.path).cmp(&(b.modified, &b.path)));
    Ok(files)
}

/// Removes files that are too old, then the oldest files until the rest has at most `most` bytes.
///
/// A clock that jumps ahead makes every file look old. So nothing is too old until the clock has stayed there for
/// [`TRUSTED`], by the times of two files.
///
/// # Errors
///
/// The folder cannot be listed, or a file cannot be removed.
pub fn prune(folder: &Path, now: SystemTime, most: u64) -> io::Result<()> {
    let files = files(folder)?;
    let mut total: u64 = files.iter().map(|file| file.bytes).sum();
    let longest = Duration::from_secs(MOST_DAYS * 24 * 60 * 60);
    // A modification time in the future has no age: the clock was wrong, then or now.
    let age = |file: &RecordedFile| now.duration_since(file.modified).ok();
    let recent = || files.iter().filter_map(age).filter(|age| *age <= longest);
    let is_trusted = recent().max().zip(recent().min()).is_some_and(|(most, least)| most - least >= TRUSTED);
    for file in &files {
        let is_old = is_trusted && age(file).is_some_and(|age| age > longest);
        if is_old || total > most {
            match fs::remove_file(&file.path) {
                // Another server removed it as well.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
            total -= file.bytes;
        }
    }
    Ok(())
}

/// Removes the whole recording. Returns the number of files removed.
///
/// # Errors
///
/// A file cannot be removed.
pub fn delete(folder: &Path) -> io::Result<usize> {
    let files = files(folder)?;
    for file in &files {
        fs::remove_file(&file.path)?;
    }
    Ok(files.len())
}

/// The parts of a file that were not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unread {
    /// Lines that are not entries: truncated, or edited by others.
    pub lines: u64,
    /// Whether the file is of another version, so that none of it was read.
    pub is_other_version: bool,
    /// The bytes beyond [`MOST_BYTES`], which no file of a recorder has.
    pub beyond: u64,
}

/// Calls `each` with the entries of a file, in order.
///
/// # Errors
///
/// Reading the file fails.
pub fn read(path: &Path, mut each: impl FnMut(Entry)) -> io::Result<Unread> {
    let file = File::open(path)?;
    let mut unread =
        Unread { beyond: file.metadata()?.len().saturating_sub(MOST_BYTES), ..Unread::default() };
    let mut file = BufReader::new(file.take(MOST_BYTES));
    let mut line = Vec::new();
    let mut has_header = false;
    loop {
        line.clear();
        if file.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(unread);
        }
        match serde_json::from_slice::<Entry>(&line) {
            Ok(Entry { event: Event::Header { tandem, .. }, .. }) if !READABLE.contains(&tandem) => {
                return Ok(Unread { is_other_version: true, ..unread });
            }
            // Without a header, the meaning of the entries is not known.
            Ok(entry) if !has_header && !matches!(entry.event, Event::Header { .. }) => {
                return Ok(Unread { is_other_version: true, ..unread });
            }
            Ok(entry) => {
                has_header = true;
                each(entry);
            }
            Err(_) => unread.lines += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(tandem: u32) -> String {
        let event = Event::Header {
            document_type: "workspaceRecording@1.0".to_owned(),
            repo_root_uri: String::new(),
            uuid: "u".to_owned(),
            tandem,
            program: String::new(),
        };
        serde_json::to_string(&Entry { time: 1, event }).unwrap() + "\n"
    }

    #[test]
    fn cut_and_foreign_lines_are_counted_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let check = |text: &str, kinds: &[&str], expected: Unread| {
            fs::write(&path, text).unwrap();
            let mut read_kinds = Vec::new();
            let unread = read(&path, |entry| read_kinds.push(entry.event.kind())).unwrap();
            assert_eq!((read_kinds.as_slice(), unread), (kinds, expected), "{text}");
        };
        let branch = "{\"time\":2,\"kind\":\"branchChanged\"}\n";
        let own = header(*READABLE.end());
        check(&format!("{own}{branch}"), &["header", "branchChanged"], Unread::default());
        let cut = Unread { lines: 2, ..Unread::default() };
        let odd = "{\"time\":2,\"kind\":\"focused\",\"id\":1}\n{\"time\":2,\"kind\":\"bran";
        check(&format!("{own}{branch}{odd}"), &["header", "branchChanged"], cut);
        let other = Unread { is_other_version: true, ..Unread::default() };
        check(&format!("{}{branch}", header(READABLE.end() + 1)), &[], other);
        check(branch, &[], other);
        check(&format!("{{\n{branch}"), &[], Unread { lines: 1, ..other });
        check("", &[], Unread::default());
    }

    #[test]
    fn file_of_ten_gigabytes_is_read_as_far_as_one_may_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let branch = "{\"time\":2,\"kind\":\"branchChanged\"}\n";
        fs::write(&path, header(*READABLE.end()) + branch).unwrap();
        // What follows is a hole.
        File::options().write(true).open(&path).unwrap().set_len(10 << 30).unwrap();
        let mut kinds = Vec::new();
        let unread = read(&path, |entry| kinds.push(entry.event.kind())).unwrap();
        assert_eq!(kinds, ["header", "branchChanged"]);
        assert_eq!(unread, Unread { lines: 2, beyond: (10 << 30) - MOST_BYTES, ..Unread::default() });
    }

    #[test]
    fn oldest_files_make_room_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let day = Duration::from_secs(24 * 60 * 60);
        for (name, age, bytes) in [("d", 20, 1), ("c", 3, 40), ("b", 2, 40), ("a", 1, 40)] {
            let file = File::create(folder.path().join(format!("{name}.jsonl"))).unwrap();
            file.set_len(bytes).unwrap();
            file.set_modified(now - day * age).unwrap();
        }
        fs::write(folder.path().join("note.txt"), "mine").unwrap();
        prune(folder.path(), now, 100).unwrap();
        let names = |files: Vec<RecordedFile>| -> Vec<String> {
            files.iter().map(|it| it.path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(files(folder.path()).unwrap()), ["b", "a"]);
        assert_eq!(delete(folder.path()).unwrap(), 2);
        assert!(folder.path().join("note.txt").exists());
        assert_eq!(files(&folder.path().join("none")).unwrap().len(), 0);
    }

    #[test]
    fn clock_that_jumps_ahead_removes_nothing_until_it_stays_there() {
        let folder = tempfile::tempdir().unwrap();
        let (now, hour) = (SystemTime::now(), Duration::from_secs(60 * 60));
        let write = |name: &str, modified: SystemTime| {
            File::create(folder.path().join(name)).unwrap().set_modified(modified).unwrap();
        };
        let check = |now: SystemTime, expected: usize| {
            prune(folder.path(), now, 100).unwrap();
            assert_eq!(files(folder.path()).unwrap().len(), expected);
        };
        write("a.jsonl", now - hour * 30);
        write("b.jsonl", now);
        let jumped = now + hour * 24 * 20;
        check(jumped, 2);
        write("c.jsonl", jumped);
        check(jumped + hour / 2, 3);
        // The clock was corrected.
        check(now + hour, 3);
        write("d.jsonl", jumped + hour);
        check(jumped + hour * 2, 2);
    }

    #[test]
    fn two_servers_never_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut rings = ["1-7", "1-8"].map(|own| Ring::new(folder.path().join("r"), own.to_owned()));
        for ring in &mut rings {
            assert!(ring.is_full());
            ring.begin(SystemTime::now()).unwrap();
            ring.write(b"x\n").unwrap();
        }
        assert_eq!(files(&folder.path().join("r")).unwrap().len(), 2);
    }
}
