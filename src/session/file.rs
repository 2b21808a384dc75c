//! One file that is followed: its current version, how it came about, what is on screen in it.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use super::ghost::{LastChange, Shelf, Trail};
use super::next_edit::NextEdits;
use super::places::Places;
use super::problems::Problems;
use crate::document::position::{Encoding, Position};
use crate::document::{Change, Document, OutOfSync, Splice};
use crate::privacy::Clearance;

/// How many changes are remembered, so that a tree or an edit made for an earlier version can be carried forward.
/// At ten keys a second that is over three minutes, longer than any deadline.
const REMEMBERED: usize = 2_048;
/// Bytes of inserted text remembered; a file reformatted as a whole counts once and is then forgotten.
const REMEMBERED_BYTES: usize = 256 * 1024;

/// What outlives the loss of a file's text.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) place: Place,
    pub(super) language_id: Box<str>,
}

/// Where a file is.
#[derive(Debug, Clone)]
pub struct Place {
    /// How it is shown, to the user and to a model.
    pub shown: Arc<str>,
    /// Its path on this machine, if it has one.
    pub file: Option<PathBuf>,
    /// Whether a model may be shown it.
    pub clearance: Clearance,
}

impl From<&str> for Place {
    fn from(shown: &str) -> Self {
        Self { shown: shown.into(), file: None, clearance: Clearance::default() }
    }
}

/// One open file.
#[derive(Debug)]
pub struct Tracked {
    document: Arc<Document>,
    place: Place,
    language_id: Box<str>,
    outline: Option<Arc<str>>,
    outline_is_old: bool,
    history: History,
    places: Places,
    pub(super) next_edits: NextEdits,
    pub(super) problems: Problems,
    /// The search for a next edit that runs.
    searching: Option<AbortHandle>,
    shelf: Shelf,
    trail: Trail,
    running: Option<AbortHandle>,
    parsing: bool,
}

impl Tracked {
    pub(super) fn new(document: Document, language_id: &str, place: Place) -> Self {
        Self {
            places: Places::new(document.version()),
            document: Arc::new(document),
            place,
            language_id: language_id.into(),
            outline: None,
            outline_is_old: false,
            history: History::default(),
            next_edits: NextEdits::default(),
            problems: Problems::default(),
            searching: None,
            shelf: Shelf::default(),
            trail: Trail::default(),
            running: None,
            parsing: false,
        }
    }

    /// The current version.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// How the file is shown.
    pub fn path(&self) -> &Arc<str> {
        &self.place.shown
    }

    /// Its path on this machine, if it has one.
    pub fn file(&self) -> Option<&Path> {
        self.place.file.as_deref()
    }

    /// The editor's word for the file's language.
    pub fn language_id(&self) -> &str {
        &self.language_id
    }

    /// Whether a model may be shown it.
    pub fn clearance(&self) -> &Clearance {
        &self.place.clearance
    }

    pub(super) fn set_clearance(&mut self, clearance: Clearance) {
        self.place.clearance = clearance;
    }

    /// The outline of an earlier version, once there was a parse.
    pub fn outline(&self) -> Option<&Arc<str>> {
        self.outline.as_ref()
    }

    pub(super) fn identity(&self) -> Identity {
        Identity { place: self.place.clone(), language_id: self.language_id.clone() }
    }

    /// Makes the changes; gives the version before them, and whether they were a key.
    pub(super) fn change(
        &mut self,
        changes: &[Change],
        encoding: Encoding,
        version: Option<i32>,
        now: Instant,
    ) -> Result<(Arc<Document>, bool), OutOfSync> {
        let version = version.unwrap_or_else(|| self.document.version().saturating_add(1));
        let (document, splices) = self.document.edited(changes, encoding, version)?;
        for splice in &splices {
            self.next_edits.advance(splice);
            self.problems.advance(splice);
        }
        self.shelf.advance(&splices, &document);
        let is_key = self.trail.follow(&self.document, &document, &splices, now);
        self.history.push(self.document.revision(), splices);
        self.places.push(version, changes, encoding);
        Ok((std::mem::replace(&mut self.document, Arc::new(document)), is_key))
    }

    pub(super) fn supersede(&mut self, job: AbortHandle) {
        if let Some(older) = self.running.replace(job) {
            older.abort();
        }
    }

    /// Registers the search for a next edit that is to be made, and stops the one before it. Gives how long it has to
    /// wait.
    pub(super) fn search(&mut self, job: AbortHandle, now: Instant) -> Duration {
        if let Some(older) = self.searching.replace(job) {
            older.abort();
        }
        self.next_edits.until_search(now)
    }

    /// The suggestions, with the current version that they are laid against.
    pub(super) fn ghosts(&mut self) -> (Arc<Document>, &mut Shelf) {
        (Arc::clone(&self.document), &mut self.shelf)
    }

    /// Counts the file as changed, by a text that came as a whole.
    pub(super) fn touch(&mut self, now: Instant) {
        self.trail = Trail { last: LastChange::Typed, at: Some(now) };
    }

    /// Whether there is a suggestion that only a sign is to be shown of.
    pub(super) fn indicates(&self) -> bool {
        self.shelf.indicates
    }

    /// What the last change was, and when it came.
    pub(super) fn last_change(&self) -> (LastChange, Option<Instant>) {
        (self.trail.last, self.trail.at)
    }

    pub(super) fn changes_since(&self, revision: u64) -> Option<Vec<Splice>> {
        Some(self.history.since(revision, self.document.revision())?.cloned().collect())
    }

    /// Where a range of the version `version` is now, if its text is still the same.
    pub fn place_now(&self, version: i32, range: Range<Position>) -> Option<Range<Position>> {
        self.places.now(version, self.document.version(), range)
    }

    pub(super) fn begin_parse(&mut self) -> bool {
        let wanted = !self.parsing && !self.document.is_parsed() && self.document.keeps_tree();
        self.parsing |= wanted;
        wanted
    }

    /// Bytes of text that a tree is kept of.
    pub(super) fn bytes_with_tree(&self) -> usize {
        self.document.tree().map_or(0, |_| self.document.text().len_bytes())
    }

    pub(super) fn drop_tree(&mut self) {
        self.document = Arc::new(self.document.without_tree());
    }

    pub(super) fn end_parse(&mut self) {
        self.parsing = false;
    }

    pub(super) fn renew_outline(&mut self) {
        self.outline_is_old = true;
    }

    pub(super) fn is_outlined(&self) -> bool {
        self.outline.is_some() && !self.outline_is_old
    }

    pub(super) fn end_parse_if_current(&mut self, parsed: u64) -> bool {
        let current = self.document.revision() == parsed || self.document.is_parsed();
        self.parsing &= !current;
        current
    }

    pub(super) fn adopt(&mut self, parsed: &Document, outline: Option<String>) {
        if let Some(outline) = outline {
            self.outline = Some(outline.into());
            self.outline_is_old = false;
        }
        if !self.document.is_parsed()
            && let Some(tree) = parsed.tree()
            && let Some(since) = self.history.since(parsed.revision(), self.document.revision())
        {
            self.document = Arc::new(self.document.with_tree(tree, since));
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        for job in [self.running.take(), self.searching.take()].into_iter().flatten() {
            job.abort();
        }
    }
}

/// The last changes, each with the revision it was made to. Revisions only grow.
#[derive(Debug, Default)]
struct History {
    changes: VecDeque<(u64, Vec<Splice>)>,
    bytes: usize,
}

impl History {
    fn push(&mut self, before: u64, splices: Vec<Splice>) {
        self.bytes += size(&splices);
        self.changes.push_back((before, splices));
        while self.changes.len() > REMEMBERED || self.bytes > REMEMBERED_BYTES {
            let Some((_, oldest)) = self.changes.pop_front() else { break };
            self.bytes -= size(&oldest);
        }
    }

    /// The changes from `revision` to the current one, oldest first; `None` if they are not all remembered.
    fn since(&self, revision: u64, current: u64) -> Option<impl Iterator<Item = &Splice>> {
        let first = match self.changes.binary_search_by_key(&revision, |(before, _)| *before) {
            Ok(first) => first,
            Err(_) if revision == current => self.changes.len(),
            Err(_) => return None,
        };
        Some(self.changes.iter().skip(first).flat_map(|(_, splices)| splices))
    }
}

fn size(splices: &[Splice]) -> usize {
    splices.iter().map(|splice| splice.text.len()).sum()
}
