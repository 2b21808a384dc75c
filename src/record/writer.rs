//! The thread that writes the recording.
//!
//! It holds back changes in a line until one is made elsewhere or ten seconds are quiet: only then is it known
//! whether the text was a key. Text that touches a key is masked.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime};

use ropey::Rope;

use super::entry::{DOCUMENT_TYPE, Entry, Event, PROGRAM, Replacement, VERSION};
use super::mask::{cover_shown, covered, masked, touches_secret};
use super::note::{Clock, Note, document_number, utf16_span};
use super::ring::Ring;
use crate::disk::{self, Links, Readers};
use crate::document::{Document, Splice};
use crate::privacy::{ModelAccess, TextKind};

/// The quiet time after which held-back entries are written.
const QUIET: Duration = Duration::from_secs(10);
/// The maximum number of entries held back.
const HELD_ENTRIES: usize = 500;
/// The time limit for reading a repository's HEAD.
const HEAD_TIMEOUT: Duration = Duration::from_millis(200);
/// Bytes of the HEAD file that are read at most.
const HEAD_BYTES: u64 = 4 * 1024;

/// The text of a file as the thread knows it.
struct Text {
    text: Rope,
    revision: u64,
    v: u64,
    path: Arc<str>,
    language: Box<str>,
    access: ModelAccess,
    /// Whether the recording contains the text.
    is_written: bool,
}

impl Text {
    fn kind(&self) -> TextKind {
        TextKind::of(&self.path, &self.language)
    }

    fn is_open(&self) -> bool {
        self.access.is_open() && !self.access.is_revoked()
    }

    /// The entries that a reader needs first.
    fn beginning(&self, id: u64) -> [Event; 2] {
        let content = masked(self.text.to_string(), self.kind());
        let language = self.language.to_string();
        [
            Event::DocumentEncountered { id, relative_path: self.path.to_string(), language },
            Event::SetContent { id, v: self.v, content },
        ]
    }
}

/// The thread's state.
pub(super) struct Writer {
    waiting: Receiver<(u64, Note)>,
    lost: Arc<AtomicU64>,
    clock: Clock,
    /// The time of the last note.
    last: u64,
    ring: Ring,
    uuid: String,
    root_uri: String,
    workspace: Vec<PathBuf>,
    /// The target of each workspace folder's HEAD at the last check.
    heads: Vec<Option<String>>,
    readers: Readers,
    texts: HashMap<u64, Text>,
    held: Vec<Entry>,
    /// The ranges changed by the held-back entries, in bytes of the current texts.
    hulls: HashMap<u64, Range<usize>>,
    /// `None` once a write failure has been reported.
    on_trouble: Option<Box<dyn FnOnce(String) + Send>>,
}

impl Writer {
    /// Writes the notes from `waiting` to files named `uuid` below a folder.
    pub(super) fn new(
        (waiting, lost, clock): (Receiver<(u64, Note)>, Arc<AtomicU64>, Clock),
        (folder, uuid, root_uri): (PathBuf, String, String),
        (workspace, readers): (&[PathBuf], Readers),
        on_trouble: Box<dyn FnOnce(String) + Send>,
    ) -> Self {
        Self {
            waiting,
            lost,
            clock,
            last: 0,
            ring: Ring::new(folder, uuid.clone()),
            uuid,
            root_uri,
            workspace: workspace.to_vec(),
            heads: Vec::new(),
            readers,
            texts: HashMap::new(),
            held: Vec::new(),
            hulls: HashMap::new(),
            on_trouble: Some(on_trouble),
        }
    }

    /// Writes until the senders are gone or writing fails.
    pub(super) fn run(mut self) {
        while self.on_trouble.is_some() {
            // The thread sleeps while there is nothing to write.
            let next = match self.held.is_empty() {
                true => self.waiting.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => self.waiting.recv_timeout(QUIET),
            };
            match next {
                Ok((time, note)) => self.take(time, note),
                Err(RecvTimeoutError::Timeout) => self.flush(),
                Err(RecvTimeoutError::Disconnected) => return self.flush(),
            }
        }
    }

    fn take(&mut self, time: u64, note: Note) {
        // Senders take the time before the queue decides the order of their notes.
        let time = self.last.max(time);
        self.last = time;
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            self.held.push(Entry { time, event: Event::Lost { notes: lost } });
        }
        match note {
            Note::Text { document, path, language, access, change } => {
                self.text(time, &document, change, (path, language, access));
            }
            Note::Event(event) => self.event(time, event),
            Note::Request(document, mut event) => {
                if let Event::Requested { id, inputs: Some(inputs), .. } = &mut event
                    && let Some(text) = self.texts.get(id)
                    && text.revision != document.revision()
                {
                    inputs.edit.extend(difference(&text.text, document.text()));
                }
                self.event(time, event);
            }
            Note::Flush(done) => {
                self.flush();
                // The requester may have stopped waiting.
                done.send(()).ok();
            }
        }
        if self.held.len() >= HELD_ENTRIES {
            self.flush();
        }
    }

    fn text(
        &mut self,
        time: u64,
        document: &Document,
        change: Option<(u64, Vec<Splice>)>,
        (path, language, access): (Arc<str>, Box<str>, ModelAccess),
    ) {
        let id = document_number(document.id());
        let known = self.texts.remove(&id);
        let goes_on = known.as_ref().is_some_and(|it| {
            it.is_written && change.as_ref().is_some_and(|(before, _)| *before == it.revision)
        });
        let v = known.as_ref().map_or(0, |it| it.v);
        let revision = document.revision();
        let mut text =
            Text { text: document.text().clone(), revision, v, path, language, access, is_written: false };
        if !text.is_open() {
            self.texts.insert(id, text);
            return;
        }
        text.is_written = true;
        match (known, change) {
            (Some(Text { text: mut before, .. }), Some((_, splices))) if goes_on => {
                if self.leaves_line(id, &before, &splices) {
                    self.flush();
                }
                for splice in splices {
                    let (start, end) = utf16_span(&before, &splice.span);
                    let chars = before.byte_to_char(splice.span.start)..before.byte_to_char(splice.span.end);
                    before.remove(chars.clone());
                    before.insert(chars.start, &splice.text);
                    text.v += 1;
                    self.widen(id, &splice);
                    let edit = vec![(start, end, splice.text)];
                    self.held.push(Entry { time, event: Event::Changed { id, edit, v: text.v } });
                }
            }
            _ => {
                self.hulls.remove(&id);
                text.v += 1;
                self.held.extend(text.beginning(id).map(|event| Entry { time, event }));
            }
        }
        self.texts.insert(id, text);
    }

    /// Whether a change is outside the lines of the held-back changes.
    fn leaves_line(&self, id: u64, before: &Rope, splices: &[Splice]) -> bool {
        let Some(hull) = self.hulls.get(&id) else { return !self.hulls.is_empty() };
        let line = |byte: usize| before.byte_to_line(byte.min(before.len_bytes()));
        let lines = line(hull.start)..=line(hull.end);
        !splices.first().is_some_and(|it| lines.contains(&line(it.span.start)))
    }

    fn widen(&mut self, id: u64, splice: &Splice) {
        let Range { start, end } = splice.span;
        let hull = self.hulls.entry(id).or_insert(start..end);
        hull.start = hull.start.min(start);
        hull.end = hull.end.max(end) - (end - start) + splice.text.len();
    }

    fn event(&mut self, time: u64, mut event: Event) {
        if let Some(id) = event.document() {
            let Some(text) = self.texts.get_mut(&id) else { return };
            let is_closed = matches!(event, Event::Closed { .. });
            if !text.is_written && !is_closed {
                if !text.is_open() {
                    return;
                }
                text.is_written = true;
                self.held.extend(text.beginning(id).map(|event| Entry { time, event }));
            }
            match &mut event {
                Event::Shown { edit, .. } => {
                    edit.iter_mut().for_each(|edit| cover_shown(&text.text, text.kind(), edit));
                }
                Event::Requested { inputs: Some(inputs), .. } => {
                    inputs.edit.iter_mut().for_each(|edit| cover_shown(&text.text, text.kind(), edit));
                }
                _ => {}
            }
            if is_closed {
                self.held.push(Entry { time, event });
                self.flush();
                self.texts.remove(&id);
                return;
            }
        }
        let is_save = matches!(event, Event::Saved { .. });
        self.held.push(Entry { time, event });
        if is_save {
            self.flush();
        }
    }

    /// Writes the held-back entries.
    fn flush(&mut self) {
        for (id, hull) in std::mem::take(&mut self.hulls) {
            if !self.texts.get(&id).is_some_and(|it| touches_secret(&it.text, it.kind(), &hull)) {
                continue;
            }
            for entry in &mut self.held {
                if let Event::Changed { id: other, edit, .. } = &mut entry.event
                    && *other == id
                {
                    edit.iter_mut().for_each(|(_, _, text)| *text = covered(text));
                }
            }
        }
        let mut held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        if self.branch_changed() {
            // The branch changed before the changes that it caused.
            held.insert(0, Entry { time: held[0].time, event: Event::BranchChanged });
        }
        if let Err(error) = self.write(&held)
            && let Some(on_trouble) = self.on_trouble.take()
        {
            on_trouble(format!("the recording ends here, since it cannot be written: {error}"));
        }
    }

    fn write(&mut self, entries: &[Entry]) -> io::Result<()> {
        let time = |entry: Option<&Entry>| entry.map_or_else(|| self.clock.now(), |it| it.time);
        let (first, last) = (time(entries.first()), time(entries.last()));
        if self.ring.is_full() {
            self.begin(first, &[])?;
        }
        self.ring.write(&lines(entries)?)?;
        if self.ring.is_full() {
            // Nothing is held back now, so the next file can begin with the current texts.
            let written = self.texts.iter().filter(|(_, text)| text.is_written);
            let texts: Vec<Event> = written.flat_map(|(id, text)| text.beginning(*id)).collect();
            self.begin(last, &texts)?;
        }
        Ok(())
    }

    /// Begins a file with the entries that a reader needs first.
    fn begin(&mut self, time: u64, texts: &[Event]) -> io::Result<()> {
        self.ring.begin(SystemTime::now())?;
        let header = Event::Header {
            document_type: DOCUMENT_TYPE.to_owned(),
            repo_root_uri: self.root_uri.clone(),
            uuid: self.uuid.clone(),
            tandem: VERSION,
            program: PROGRAM.to_owned(),
        };
        let entry = |event| Entry { time, event };
        let entries: Vec<Entry> = std::iter::once(header).chain(texts.iter().cloned()).map(entry).collect();
        self.ring.write(&lines(&entries)?)
    }

    /// Whether the HEAD of a workspace folder has changed since the last check.
    fn branch_changed(&mut self) -> bool {
        let look = |folder: &PathBuf| {
            let (lane, folder) = (folder.clone(), folder.clone());
            // A disk that does not respond yields no information about the branch.
            self.readers.within(&lane, HEAD_TIMEOUT, move || head(&folder)).ok().flatten()
        };
        let heads: Vec<Option<String>> = self.workspace.iter().map(look).collect();
        let has_moved = self
            .heads
            .iter()
            .zip(&heads)
            .any(|(before, now)| before.is_some() && now.is_some() && before != now);
        self.heads = heads;
        has_moved
    }
}

/// The smallest replacement that turns one text into another; `None` if they are equal.
fn difference(old: &Rope, new: &Rope) -> Option<Replacement> {
    let same = |a: (char, char)| a.0 == a.1;
    let start = old.chars().zip(new.chars()).take_while(|it| same(*it)).count();
    let (old_len, new_len) = (old.len_chars(), new.len_chars());
    if start == old_len.max(new_len) {
        return None;
    }
    let [old_end, new_end] = [old, new].map(|text| text.chars_at(text.len_chars()).reversed());
    let most = old_len.min(new_len) - start;
    let end = old_end.zip(new_end).take(most).take_while(|it| same(*it)).count();
    let text = new.slice(start..new_len - end).to_string();
    let unit = |at| old.char_to_utf16_cu(at);
    Some((unit(start), unit(old_len - end), text))
}

/// The content of the HEAD file of the repository in a folder; `None` if it cannot be read.
fn head(folder: &Path) -> Option<String> {
    let dot_git = folder.join(".git");
    let read = |path: &Path| disk::text(path, HEAD_BYTES, Links::Refuse).ok();
    // In a linked work tree, `.git` is a file that names the folder.
    let linked = read(&dot_git).and_then(|it| Some(folder.join(it.strip_prefix("gitdir:")?.trim())));
    read(&linked.unwrap_or(dot_git).join("HEAD"))
}

fn lines(entries: &[Entry]) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut lines, entry)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
