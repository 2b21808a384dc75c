//! The entries that result from notes. The beginning of each test notes events; a line of the recording is shown by
//! its kind and its texts.

use std::path::Path;

use expect_test::{Expect, expect};

use super::*;
use crate::document::position::{Encoding, position_at};
use crate::document::{Change, Document, DocumentId, Splice};
use crate::lock::Mutex;
use crate::privacy::{ModelAccess, Verdict};
use crate::record::note::document_number;
use crate::record::ring;

/// Assembled here, so that this file contains no key.
fn key() -> String {
    format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
}

/// Waits until all is written, or the thread has ended.
fn finish(recorder: &Recorder) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(recorder.flush());
}

/// A file being edited, and its recorder.
struct Desk {
    recorder: Recorder,
    folder: tempfile::TempDir,
    document: Arc<Document>,
    access: ModelAccess,
}

impl Desk {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("recording");
        let recorder =
            Recorder::start(place, String::new(), &[], Readers::default(), |why| panic!("{why}")).unwrap();
        let document = Arc::new(Document::new(DocumentId::new("file:///a.rs"), "rust", 1, text));
        Self { recorder, folder, document, access: ModelAccess::settled(Verdict::Open) }
    }

    fn id(&self) -> u64 {
        document_number(self.document.id())
    }

    fn text(&self, change: Option<(u64, Vec<Splice>)>) {
        let (document, access) = (Arc::clone(&self.document), self.access.clone());
        self.recorder.note(Note::Text {
            document,
            path: "a.rs".into(),
            language: "rust".into(),
            access,
            change,
        });
    }

    /// Replaces the first `old` by `new`.
    fn replace(&mut self, old: &str, new: &str) {
        let before = Arc::clone(&self.document);
        let start = before.text().to_string().find(old).unwrap();
        let position = |byte| position_at(before.text(), byte, Encoding::Utf8);
        let range = Some(position(start)..position(start + old.len()));
        let change = Change { range, text: new.to_owned() };
        let (document, splices) = before.edited(&[change], Encoding::Utf8, before.version() + 1).unwrap();
        self.document = Arc::new(document);
        self.text(Some((before.revision(), splices)));
    }

    /// The recording's entries without the header, once all is written.
    fn written(self) -> Vec<Event> {
        finish(&self.recorder);
        let mut events = Vec::new();
        for file in ring::files(&self.folder.path().join("recording")).unwrap() {
            ring::read(&file.path, |entry| events.push(entry.event)).unwrap();
        }
        events.retain(|event| !matches!(event, Event::Header { .. }));
        events
    }

    fn check(self, expect: Expect) {
        let line = |event: &Event| match event {
            Event::SetContent { content, .. } => format!("setContent {content:?}\n"),
            Event::Changed { edit, v, .. } => format!("changed {v} {edit:?}\n"),
            Event::Shown { edit, .. } => format!("shown {edit:?}\n"),
            other => format!("{}\n", other.kind()),
        };
        let written: String = self.written().iter().map(line).collect();
        expect.assert_eq(&written.replace(&key(), "THE KEY"));
    }
}

#[test]
fn edits_are_written_in_utf16_units() {
    let mut desk = Desk::new("// 𝄞 a\nb\n");
    desk.text(None);
    desk.replace("a", "猫a");
    desk.replace("b", "");
    desk.recorder.event(Event::Saved { id: desk.id() });
    desk.check(expect![[r#"
        documentEncountered
        setContent "// 𝄞 a\nb\n"
        changed 2 [(6, 7, "猫a")]
        changed 3 [(9, 10, "")]
        saved
    "#]]);
}

#[test]
fn keys_are_covered_whether_they_stood_there_or_are_typed() {
    let mut desk = Desk::new(&format!("a = \"{}\"\nb = \"Q\"\n", key()));
    desk.text(None);
    // Typed piece by piece.
    let whole = key();
    desk.replace("Q", &format!("{}Q", &whole[..9]));
    desk.replace("Q", &format!("{}Q", &whole[9..20]));
    desk.replace("Q", &whole[20..]);
    desk.check(expect![[r#"
        documentEncountered
        setContent "a = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"\nb = \"Q\"\n"
        changed 2 [(53, 54, "xxxxxxxxxx")]
        changed 3 [(62, 63, "xxxxxxxxxxxx")]
        changed 4 [(73, 74, "xxxxxxxxxxxxxxxxxxxxx")]
    "#]]);
}

#[test]
fn suggestion_with_a_key_is_covered() {
    let desk = Desk::new("a = \"\"\nb = 1\n");
    desk.text(None);
    let shown = |at: usize, text: String| Event::Shown {
        id: desk.id(),
        suggestion: 1,
        job: "completion".to_owned(),
        edit: vec![(at, at, text)],
        gear: "fast".to_owned(),
        model: None,
    };
    desk.recorder.event(shown(5, key()));
    desk.recorder.event(shown(12, " + 2".to_owned()));
    desk.check(expect![[r#"
        documentEncountered
        setContent "a = \"\"\nb = 1\n"
        shown [(5, 5, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")]
        shown [(12, 12, " + 2")]
    "#]]);
}

#[test]
fn withheld_file_is_not_written_and_begins_once_it_may_be_seen() {
    let mut desk = Desk::new("one\n");
    desk.access = ModelAccess::settled(Verdict::Secret("by its name".into()));
    desk.text(None);
    desk.replace("one", "two");
    desk.recorder.event(Event::Saved { id: desk.id() });
    desk.recorder.event(Event::BranchChanged);
    desk.access = ModelAccess::settled(Verdict::Open);
    desk.replace("two", "three");
    desk.check(expect![[r#"
        branchChanged
        documentEncountered
        setContent "three\n"
    "#]]);
}

#[test]
fn missed_change_begins_the_text_anew() {
    let mut desk = Desk::new("one\n");
    desk.text(None);
    let unknown = desk.document.revision() + 1_000_000;
    desk.text(Some((unknown, Vec::new())));
    desk.replace("one", "two");
    desk.check(expect![[r#"
        documentEncountered
        setContent "one\n"
        documentEncountered
        setContent "one\n"
        changed 3 [(0, 3, "two")]
    "#]]);
}

#[test]
fn full_file_is_followed_by_one_that_stands_alone() {
    let mut desk = Desk::new("one\n");
    desk.text(None);
    let long = "two ".repeat(usize::try_from(ring::FILE_BYTES).unwrap() / 4);
    desk.replace("one", &long);
    desk.replace(&long, "2");
    desk.recorder.event(Event::Saved { id: desk.id() });
    desk.replace("2", "3");
    let Desk { recorder, folder, .. } = desk;
    finish(&recorder);
    let files = ring::files(&folder.path().join("recording")).unwrap();
    let kinds = |path: &Path| {
        let mut kinds = Vec::new();
        ring::read(path, |entry| kinds.push(entry.event.kind())).unwrap();
        kinds
    };
    let kinds: Vec<_> = files.iter().map(|file| kinds(&file.path)).collect();
    let begins = ["header", "documentEncountered", "setContent"];
    assert_eq!(kinds[0], [&begins[..], &["changed", "changed", "saved"]].concat());
    assert_eq!(kinds[1], [&begins[..], &["changed"]].concat());
}

#[test]
fn disk_that_refuses_is_said_once_and_nothing_waits() {
    let folder = tempfile::tempdir().unwrap();
    // A file is in the way of the folder.
    let place = folder.path().join("recording");
    std::fs::write(&place, "").unwrap();
    let said = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&said);
    let on_trouble = move |why: String| heard.lock().push(why);
    let recorder = Recorder::start(place, String::new(), &[], Readers::default(), on_trouble).unwrap();
    for _ in 0..5_000 {
        recorder.event(Event::BranchChanged);
    }
    finish(&recorder);
    let has_ended = || {
        thread::sleep(FULL_WAIT);
        !recorder.is_running()
    };
    assert!((0..10_000).any(|_| has_ended()));
    let said = said.lock();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("the recording ends here, since it cannot be written: "), "{said:?}");
}

#[test]
fn other_branch_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let git = folder.path().join("work/.git");
    std::fs::create_dir_all(&git).unwrap();
    let place = folder.path().join("recording");
    let workspace = [folder.path().join("work")];
    let recorder =
        Recorder::start(place.clone(), String::new(), &workspace, Readers::default(), |why| panic!("{why}"))
            .unwrap();
    let document = Arc::new(Document::new(DocumentId::new("file:///a.rs"), "rust", 1, "a"));
    let id = document_number(document.id());
    let access = ModelAccess::settled(Verdict::Open);
    recorder.note(Note::Text { document, path: "a".into(), language: "rust".into(), access, change: None });
    let kinds = || {
        let mut kinds = Vec::new();
        for file in ring::files(&place).unwrap() {
            ring::read(&file.path, |entry| kinds.push(entry.event.kind())).unwrap();
        }
        kinds
    };
    for (saves, branch) in ["main", "main", "other"].into_iter().enumerate() {
        std::fs::write(git.join("HEAD"), format!("ref: refs/heads/{branch}\n")).unwrap();
        recorder.event(Event::Saved { id });
        while kinds().iter().filter(|it| **it == "saved").count() <= saves {
            thread::sleep(Duration::from_millis(2));
        }
    }
    finish(&recorder);
    assert_eq!(kinds()[3..], ["saved", "saved", "branchChanged", "saved"]);
}
