//! Recorded sessions with their prompts and answers, stored below the state folder.
//!
//! A session is a JSON Lines file: its folder, then each turn. It is created with the first turn and readable by the
//! user only. It holds the messages of the user and the agent, without the diffs.

use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::disk;
use crate::model::usage;
use crate::text::Day;

/// The maximum number of sessions; the oldest are removed first.
const KEPT: usize = 100;
/// The size in bytes of a session's file at which no more turns are added.
const LONGEST: u64 = 1024 * 1024;
/// The maximum number of characters of a title.
const TITLE: usize = 80;

/// The first line of a session's file.
#[derive(Serialize, Deserialize)]
struct Head {
    cwd: PathBuf,
}

/// The prompt and the answer of a turn.
#[derive(Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) prompt: String,
    pub(super) answer: String,
}

/// A recorded session.
pub(super) struct Recorded {
    pub(super) cwd: PathBuf,
    pub(super) turns: Vec<Exchange>,
}

/// The folder of the sessions' files.
pub(super) fn folder() -> Option<PathBuf> {
    usage::default_folder().map(|state| state.join("sessions"))
}

pub(super) fn add(folder: &Path, id: &str, cwd: &Path, turn: &Exchange) -> io::Result<()> {
    let path = file_of(folder, id)?;
    let is_new = !path.exists();
    let mut file = disk::open_private(&path, File::options().append(true).create(true))?;
    if file.metadata()?.len() > LONGEST {
        return Ok(());
    }
    let mut lines = String::new();
    if is_new {
        lines += &(serde_json::to_string(&Head { cwd: cwd.to_owned() })? + "\n");
    }
    lines += &(serde_json::to_string(turn)? + "\n");
    file.write_all(lines.as_bytes())?;
    if is_new { remove_oldest(folder) } else { Ok(()) }
}

/// Reads a session.
pub(super) fn read(folder: &Path, id: &str) -> io::Result<Recorded> {
    let (cwd, turns) = open(folder, id)?;
    Ok(Recorded { cwd, turns: turns.collect() })
}

/// The folder of a session, and its turns, which are read lazily.
fn open(folder: &Path, id: &str) -> io::Result<(PathBuf, impl Iterator<Item = Exchange>)> {
    let mut lines = BufReader::new(File::open(file_of(folder, id)?)?).lines();
    let head: Head = serde_json::from_str(&lines.next().unwrap_or_else(|| Ok(String::new()))?)?;
    // Reading stops at a line that was truncated by a crash.
    Ok((head.cwd, lines.map_while(|line| serde_json::from_str(&line.ok()?).ok())))
}

/// Removes a session if it exists.
pub(super) fn remove(folder: &Path, id: &str) -> io::Result<()> {
    match fs::remove_file(file_of(folder, id)?) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The sessions in the format of `session/list`, newest first: all of them, or those of a folder.
pub(super) fn list(folder: &Path, cwd: Option<&Path>) -> io::Result<Vec<Value>> {
    let sessions = newest_first(folder)?.into_iter().filter_map(|(changed, id)| {
        let (own_cwd, mut turns) = open(folder, &id).ok()?;
        let title = title(&turns.next()?.prompt);
        let is_meant = cwd.is_none_or(|cwd| cwd == own_cwd);
        is_meant.then(
            || json!({ "sessionId": id, "cwd": own_cwd, "title": title, "updatedAt": timestamp(changed) }),
        )
    });
    Ok(sessions.collect())
}

fn title(prompt: &str) -> String {
    prompt.lines().next().unwrap_or_default().chars().take(TITLE).collect()
}

fn remove_oldest(folder: &Path) -> io::Result<()> {
    newest_first(folder)?.iter().skip(KEPT).try_for_each(|(_, id)| remove(folder, id))
}

/// The modification time and id of each session.
fn newest_first(folder: &Path) -> io::Result<Vec<(SystemTime, String)>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if let Some(id) = entry.file_name().to_str().and_then(|name| name.strip_suffix(".jsonl")) {
            found.push((entry.metadata()?.modified()?, id.to_owned()));
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    Ok(found)
}

/// The file of a session. Its id must not lead out of the folder.
fn file_of(folder: &Path, id: &str) -> io::Result<PathBuf> {
    let is_name = !id.is_empty() && id.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-');
    match is_name {
        true => Ok(folder.join(format!("{id}.jsonl"))),
        false => Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no session `{id}`"))),
    }
}

/// Formats a time as ISO 8601.
fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let [hour, minute, second] = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60];
    format!("{}T{hour:02}:{minute:02}:{second:02}Z", Day(seconds / 86_400))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn time_is_written_as_iso_8601() {
        let check = |seconds: u64, expected: &str| {
            assert_eq!(timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        };
        check(0, "1970-01-01T00:00:00Z");
        check(784_111_777, "1994-11-06T08:49:37Z");
    }

    #[test]
    fn oldest_sessions_go_and_cut_lines_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("sessions");
        let turn = |prompt: &str| Exchange { prompt: prompt.to_owned(), answer: String::new() };
        for number in 0..KEPT + 2 {
            add(&folder, &format!("s-{number}"), Path::new("/x"), &turn("first\nline")).unwrap();
        }
        assert_eq!(list(&folder, None).unwrap().len(), KEPT);
        assert_eq!(list(&folder, Some(Path::new("/y"))).unwrap(), Vec::<Value>::new());
        let last = format!("s-{}", KEPT + 1);
        add(&folder, &last, Path::new("/x"), &turn("second")).unwrap();
        let path = folder.join(format!("{last}.jsonl"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 3]).unwrap();
        let read = read(&folder, &last).unwrap();
        assert_eq!((read.cwd.as_path(), read.turns.len()), (Path::new("/x"), 1));
        assert_eq!(list(&folder, None).unwrap()[0]["title"], "first");
    }

    #[test]
    fn id_stays_within_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        for id in ["", "../x", "a/b", ".", "a.jsonl"] {
            assert!(read(folder.path(), id).is_err(), "{id}");
            assert!(remove(folder.path(), id).is_err(), "{id}");
        }
        remove(folder.path(), "gone").unwrap();
    }
}
