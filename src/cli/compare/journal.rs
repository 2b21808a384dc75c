//! Persists the answers of a comparison as they arrive, so that it can resume after a kill and pay for none twice.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::time::SystemTime;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::compare::result::Answer;
use crate::disk;
use crate::record::ring;

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    key: String,
    /// `None` before the requests are sent. Without a later line they may have been paid for, and are not repeated.
    answers: Option<[Answer; 2]>,
}

/// The answers so far, and the file to which further ones are appended.
#[derive(Debug)]
pub(super) struct AnswerJournal {
    file: File,
    known: HashMap<String, Option<[Answer; 2]>>,
}

impl AnswerJournal {
    /// Opens the journal of this name in a folder, with permissions for the user only; `again` truncates it.
    pub(super) fn open(folder: &Path, name: &str, again: bool) -> anyhow::Result<Self> {
        let path = folder.join(format!("{name}.jsonl"));
        let cannot = || format!("cannot keep the answers in {}", path.display());
        // Replies are code: they are kept no longer than a recording, and take no more room.
        ring::prune(folder, SystemTime::now(), ring::MOST_BYTES).with_context(cannot)?;
        let mut options = File::options();
        options.create(true).read(true).append(true);
        let file = disk::open_private(&path, &mut options).with_context(cannot)?;
        if again {
            file.set_len(0).with_context(cannot)?;
        }
        let mut known = HashMap::new();
        let mut is_cut = false;
        for line in BufReader::new(&file).lines() {
            let line = line.with_context(cannot)?;
            // A truncated line was an answer; the line before it marks its position as asked.
            is_cut = match serde_json::from_str::<Line>(&line) {
                Ok(Line { key, answers }) => {
                    known.insert(key, answers);
                    false
                }
                Err(_) => true,
            };
        }
        let mut journal = Self { file, known };
        if is_cut {
            journal.file.write_all(b"\n").with_context(cannot)?;
        }
        Ok(journal)
    }

    /// Whether the models have not been asked at a position yet.
    pub(super) fn is_open(&self, key: &str) -> bool {
        !self.known.contains_key(key)
    }

    /// Both answers at a position, if they are known.
    pub(super) fn answers(&self, key: &str) -> Option<[Answer; 2]> {
        self.known.get(key)?.clone()
    }

    /// Records that the models are about to be asked at a position.
    pub(super) fn asks(&mut self, key: &str) -> anyhow::Result<()> {
        self.write(Line { key: key.to_owned(), answers: None })
    }

    /// Records both answers at a position.
    pub(super) fn answered(&mut self, key: &str, answers: [Answer; 2]) -> anyhow::Result<()> {
        self.write(Line { key: key.to_owned(), answers: Some(answers) })
    }

    fn write(&mut self, line: Line) -> anyhow::Result<()> {
        let text = serde_json::to_string(&line)? + "\n";
        self.file
            .write_all(text.as_bytes())
            .context("the answer cannot be kept, so nothing more is asked")?;
        self.known.insert(line.key, line.answers);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_as_long_as_a_recording() {
        let folder = tempfile::tempdir().unwrap();
        let hour = std::time::Duration::from_secs(60 * 60);
        let ages = [("old", hour * 24 * 15), ("recent", hour * 2), ("last", hour / 2)];
        let [old, ..] = ages.map(|(name, age)| {
            let path = folder.path().join(name).with_extension("jsonl");
            File::create(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
            path
        });
        AnswerJournal::open(folder.path(), "new", false).unwrap();
        assert!(!old.exists() && folder.path().join("new.jsonl").exists());
    }

    #[test]
    fn what_was_asked_is_not_asked_again_and_a_cut_line_loses_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let open = |again| AnswerJournal::open(folder.path(), "x", again).unwrap();
        let answers = [Answer { kept: 1, ..Answer::default() }, Answer::default()];
        let mut journal = open(false);
        journal.asks("one").unwrap();
        journal.answered("one", answers.clone()).unwrap();
        journal.asks("two").unwrap();
        journal.file.write_all(b"{\"key\":\"two\",\"ans").unwrap();
        let mut journal = open(false);
        assert_eq!(journal.answers("one"), Some(answers.clone()));
        assert_eq!((journal.is_open("two"), journal.answers("two")), (false, None));
        journal.answered("three", answers.clone()).unwrap();
        assert_eq!(open(false).answers("three"), Some(answers));
        assert!(open(true).is_open("one"));
    }
}
