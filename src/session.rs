//! What is open now: files, the ghost text on screen, running jobs.
//!
//! A plain value behind one lock. Its methods take microseconds: no parse, no prompt, no I/O. Whoever needs more
//! takes a [`Snapshot`] and lets go.

pub mod decisions;
mod file;
pub mod ghost;
mod history;
pub mod next_edit;
mod places;
mod problems;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::AbortHandle;

use crate::config::{Scoped, Settings};
use crate::document::position::Encoding;
use crate::document::{Change, Document, DocumentId, OutOfSync, Splice};
use crate::edit::{Edit, rebase};
use crate::job::Reason;
use crate::privacy::{Clearance, Verdict};
use crate::snapshot::{Problem, Snapshot, Step};
pub use decisions::Decision;
use decisions::Decisions;
use file::Identity;
pub use file::{Place, Tracked};
use ghost::User;
use history::History;
use next_edit::NextEdit;

/// Bytes of text of all the files that keep a tree, except that the one in use always may. People work on a few
/// files at a time and leave many open; a tree takes some 27 bytes for each of these.
const TREE_BUDGET: usize = 96 * 1024;

/// Everything that is open in one editor.
#[derive(Debug)]
pub struct Session {
    files: HashMap<DocumentId, File>,
    /// The files that may have a tree, the one parsed last first.
    with_trees: VecDeque<DocumentId>,
    folders: Vec<PathBuf>,
    encoding: Encoding,
    settings: Scoped,
    history: History,
    /// The last decisions, for who wonders.
    decisions: Decisions,
    user: User,
    /// The files that turned out to be none for models since the user worked in them.
    withheld: HashSet<DocumentId>,
}

/// What is known of one open file.
#[derive(Debug)]
enum File {
    Tracked(Box<Tracked>),
    /// A change did not fit; nothing is answered until the whole text comes again.
    Lost(Identity),
    /// Larger than the limit.
    Declined(Identity),
}

/// What [`Session::open`] or [`Session::change`] did, where there is something to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sync {
    /// The file is followed.
    Following,
    /// The file is followed again, after it was lost or declined.
    Regained,
    /// The file is too large, which was not known before this call: `bytes` of it.
    NewlyDeclined {
        /// The file's size.
        bytes: usize,
    },
    /// A change did not fit: the file has just been forgotten.
    NewlyLost(OutOfSync),
    /// The file is not open, or not followed, and that has been said.
    Ignored,
    /// A change for a file that was never opened.
    NotOpen,
}

impl Session {
    /// An empty session.
    pub fn new(encoding: Encoding, folders: Vec<PathBuf>, settings: impl Into<Scoped>) -> Self {
        let settings = settings.into();
        Self {
            files: HashMap::new(),
            with_trees: VecDeque::new(),
            folders,
            encoding,
            settings,
            history: History::default(),
            decisions: Decisions::default(),
            user: User::default(),
            withheld: HashSet::new(),
        }
    }

    /// The workspace folders.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Adds and removes workspace folders. Files that are open keep the path they are shown by.
    pub fn change_folders(&mut self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        self.folders.retain(|folder| !removed.contains(folder) && !added.contains(folder));
        self.folders.extend(added);
    }

    /// What the editor's columns count.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The settings now in force, apart from what a project says of its own files.
    pub fn settings(&self) -> &Arc<Settings> {
        self.settings.everywhere()
    }

    /// All settings in force.
    pub fn scoped(&self) -> &Scoped {
        &self.settings
    }

    /// Puts new settings in force, for what begins from now on.
    pub fn set_settings(&mut self, settings: Scoped) {
        self.settings = settings;
    }

    /// Follows a file from its whole text.
    pub fn open(
        &mut self,
        id: DocumentId,
        language_id: &str,
        version: i32,
        text: &str,
        place: impl Into<Place>,
    ) -> Sync {
        let place = place.into();
        self.history.forget_places(&id);
        if text.len() > self.settings().max_file_bytes {
            let identity = Identity { place, language_id: language_id.into() };
            self.files.insert(id, File::Declined(identity));
            return Sync::NewlyDeclined { bytes: text.len() };
        }
        let document = Document::new(id.clone(), language_id, version, text);
        let tracked = Tracked::new(document, language_id, place);
        self.files.insert(id, File::Tracked(Box::new(tracked)));
        Sync::Following
    }

    /// The files that are open, each with its path on this machine if it has one.
    pub fn places(&self) -> Vec<(DocumentId, Option<PathBuf>)> {
        let place = |(id, file): (&DocumentId, &File)| match file {
            File::Tracked(tracked) => (id.clone(), tracked.file().map(Path::to_owned)),
            File::Lost(identity) | File::Declined(identity) => (id.clone(), identity.place.file.clone()),
        };
        self.files.iter().map(place).collect()
    }

    /// Whether a model may be shown a file that is open, as far as that is known.
    pub fn clearance(&self, id: &DocumentId) -> Option<&Clearance> {
        match self.files.get(id)? {
            File::Tracked(tracked) => Some(tracked.clearance()),
            File::Lost(identity) | File::Declined(identity) => Some(&identity.place.clearance),
        }
    }

    /// Notes whether a model may be shown a file that is open. What it may not be shown it is not reminded of either.
    pub fn clear(&mut self, id: &DocumentId, clearance: Clearance) {
        if clearance.known().is_some_and(|it| *it != Verdict::Open) {
            self.withheld.insert(id.clone());
        } else {
            self.withheld.remove(id);
        }
        match self.files.get_mut(id) {
            Some(File::Tracked(tracked)) => tracked.set_clearance(clearance),
            Some(File::Lost(identity) | File::Declined(identity)) => identity.place.clearance = clearance,
            None => {}
        }
    }

    /// Applies an editor's changes, in order.
    ///
    /// `version` is the editor's number for the result; without one, the last is counted on. `now` is when they came.
    pub fn change(
        &mut self,
        id: &DocumentId,
        version: Option<i32>,
        changes: &[Change],
        now: Instant,
    ) -> Sync {
        let limit = self.settings().max_file_bytes;
        // What followed from the text before may no longer follow.
        if let Some(other) = self.tracked_mut(id).and_then(|it| it.next_edits.elsewhere.take())
            && let Some(other) = self.tracked_mut(&other)
        {
            other.next_edits.clear();
        }
        let Some(file) = self.files.get_mut(id) else { return Sync::NotOpen };
        match file {
            File::Tracked(tracked) => match tracked.change(changes, self.encoding, version, now) {
                Ok((before, is_key)) => {
                    if is_key {
                        self.user.pace.key(now);
                    }
                    if let Some(splices) = tracked.changes_since(before.revision()) {
                        self.history.record(&before, tracked.document(), tracked.path(), &splices, now);
                    }
                    let bytes = tracked.document().text().len_bytes();
                    if bytes <= limit {
                        return Sync::Following;
                    }
                    *file = File::Declined(tracked.identity());
                    Sync::NewlyDeclined { bytes }
                }
                Err(out_of_sync) => {
                    *file = File::Lost(tracked.identity());
                    self.history.forget_places(id);
                    Sync::NewlyLost(out_of_sync)
                }
            },
            File::Lost(identity) | File::Declined(identity) => {
                // A change of the whole text brings a file back, unless that is too large.
                let Some(whole) = changes.iter().rposition(|change| change.range.is_none()) else {
                    return Sync::Ignored;
                };
                let Identity { place, language_id } = identity.clone();
                let text = &changes[whole].text;
                let sync = self.open(id.clone(), &language_id, version.unwrap_or(0), text, place);
                if let Some(tracked) = self.tracked_mut(id) {
                    tracked.touch(now);
                }
                match (sync, &changes[whole + 1..]) {
                    (Sync::Following, []) => Sync::Regained,
                    (Sync::Following, rest) => match self.change(id, version, rest, now) {
                        Sync::Following => Sync::Regained,
                        sync => sync,
                    },
                    (sync, _) => sync,
                }
            }
        }
    }

    /// Counts a file as out of sync, since a change to it could not even be read. True if it was followed.
    pub fn lose(&mut self, id: &DocumentId) -> bool {
        let Some(tracked) = self.tracked_mut(id) else { return false };
        let lost = File::Lost(tracked.identity());
        self.files.insert(id.clone(), lost);
        self.history.forget_places(id);
        true
    }

    /// Forgets a file and stops what runs for it. False if it was not open.
    pub fn close(&mut self, id: &DocumentId) -> bool {
        self.history.forget_places(id);
        self.files.remove(id).is_some()
    }

    /// Counts every file as out of sync. Gives those that were followed.
    pub fn lose_all(&mut self) -> Vec<DocumentId> {
        let followed: Vec<DocumentId> = self
            .files
            .iter()
            .filter(|(_, file)| matches!(file, File::Tracked(_)))
            .map(|(id, _)| id.clone())
            .collect();
        for id in &followed {
            self.lose(id);
        }
        followed
    }

    /// One file at this moment, or why there is none.
    ///
    /// The document of a file that is too large to keep a tree comes without one, and does not give the session one
    /// when it is parsed.
    ///
    /// # Errors
    ///
    /// [`Reason::NotOpen`], [`Reason::OutOfSync`], [`Reason::TooLarge`] or, for a file of secrets, [`Reason::Withheld`].
    pub fn snapshot(&self, id: &DocumentId) -> Result<Snapshot, Reason> {
        let tracked = self.tracked(id)?;
        if let Some(verdict @ Verdict::Secret(_)) = tracked.clearance().known() {
            return Err(Reason::Withheld { code: verdict.code(), why: verdict.to_string() });
        }
        let document = tracked.document();
        Ok(Snapshot {
            clearance: tracked.clearance().clone(),
            document: if document.keeps_tree() {
                Arc::clone(document)
            } else {
                Arc::new(document.without_tree())
            },
            path: tracked.path().clone(),
            outline: tracked.outline().cloned().unwrap_or_else(|| "".into()),
            settings: Arc::clone(self.settings.of(tracked.file())),
        })
    }

    /// The file itself.
    ///
    /// # Errors
    ///
    /// As [`Session::snapshot`].
    pub fn tracked(&self, id: &DocumentId) -> Result<&Tracked, Reason> {
        match self.files.get(id) {
            Some(File::Tracked(tracked)) => Ok(tracked),
            Some(File::Lost(_)) => Err(Reason::OutOfSync),
            Some(File::Declined(_)) => Err(Reason::TooLarge),
            None => Err(Reason::NotOpen),
        }
    }

    /// The other files that are followed, as they are now.
    pub fn others(&self, id: &DocumentId) -> Vec<Arc<Document>> {
        let others = self.files.iter().filter(|(other, _)| *other != id);
        others
            .filter_map(|(_, file)| match file {
                File::Tracked(tracked) => Some(Arc::clone(tracked.document())),
                _ => None,
            })
            .collect()
    }

    /// Registers the job that now runs for a file's ghost text, and stops the one before it.
    pub fn supersede(&mut self, id: &DocumentId, job: AbortHandle) {
        match self.tracked_mut(id) {
            Some(tracked) => tracked.supersede(job),
            None => job.abort(),
        }
    }

    /// The next edit that waits to be shown in a file.
    pub fn next_edit(&self, id: &DocumentId) -> Option<&NextEdit> {
        self.tracked(id).ok()?.next_edits.first()
    }

    /// The other file that what was done in this one leads to, if an edit waits there.
    pub fn next_edit_elsewhere(&self, id: &DocumentId) -> Option<&DocumentId> {
        let other = self.tracked(id).ok()?.next_edits.elsewhere.as_ref()?;
        self.next_edit(other).map(|_| other)
    }

    /// Notes that what was done in a file leads to another one. That ends with the next change to the first.
    pub fn lead_elsewhere(&mut self, from: &DocumentId, to: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(from) {
            tracked.next_edits.elsewhere = Some(to.clone());
        }
    }

    /// The other files that are followed, the one changed last first, at most so many. None of them is a file that
    /// no model may be shown, for all that is known.
    pub fn elsewhere(&self, id: &DocumentId, most: usize) -> Vec<Snapshot> {
        let mut others: Vec<(&DocumentId, &Tracked)> = self
            .files
            .iter()
            .filter_map(|(other, file)| match file {
                File::Tracked(tracked) if other != id => Some((other, &**tracked)),
                _ => None,
            })
            .collect();
        others.sort_by_key(|(id, tracked)| (std::cmp::Reverse(tracked.last_change().1), id.as_str()));
        let shown = others.into_iter().filter(|(_, tracked)| {
            tracked.clearance().known().is_none_or(|verdict| *verdict == Verdict::Open)
        });
        let snapshots = shown.filter_map(|(id, _)| self.snapshot(id).ok()).map(|snapshot| {
            // A tree that is made in passing is not kept.
            let document = match snapshot.document.tree() {
                Some(_) => snapshot.document,
                None => Arc::new(snapshot.document.without_tree()),
            };
            Snapshot { document, ..snapshot }
        });
        snapshots.take(most).collect()
    }

    /// Puts next edits that were made for `document` in the place of those that wait, or behind them if `more`. They
    /// are carried over what was typed since; those that meet it, and those that the user rejected before, are left out.
    pub fn offer_next_edits(&mut self, document: &Document, edits: Vec<NextEdit>, more: bool) {
        let Some(since) = self.changes_since(document) else { return };
        let Some(tracked) = self.tracked_mut(document.id()) else { return };
        let current = edits.into_iter().filter_map(|mut next| {
            for splice in &since {
                let typed = Edit::new(splice.span.clone(), splice.text.clone());
                next.edit = rebase::over(&[next.edit], &[typed]).ok()?.pop()?;
            }
            Some(next)
        });
        let current: Vec<NextEdit> = current.collect();
        if more {
            for next in current {
                tracked.next_edits.add(next);
            }
        } else {
            tracked.next_edits.replace(current);
        }
    }

    /// Whether the user dismissed a suggestion a moment ago.
    pub fn is_cooling_down(&self, now: Instant) -> bool {
        self.user.mood.since_rejection(now).is_some_and(|since| since < next_edit::COOL_DOWN)
    }

    /// Notes that nothing is to be suggested for this version, with the cursor on this line.
    pub fn note_no_next_edit(&mut self, document: &Document, line: usize) {
        if let Some(tracked) = self.tracked_mut(document.id()) {
            tracked.next_edits.note_nothing(document.revision(), line);
        }
    }

    /// Whether that was noted.
    pub fn knows_no_next_edit(&self, document: &Document, line: usize) -> bool {
        self.tracked(document.id())
            .is_ok_and(|tracked| tracked.next_edits.knows_nothing(document.revision(), line))
    }

    /// Registers the search for a next edit that is now to be made for a file, and stops the one before it. Gives how
    /// long it has to wait, since another began a moment ago.
    pub fn search(&mut self, id: &DocumentId, job: AbortHandle, now: Instant) -> Duration {
        match self.tracked_mut(id) {
            Some(tracked) => tracked.search(job, now),
            None => {
                job.abort();
                Duration::ZERO
            }
        }
    }

    /// Counts the search as begun. False, and it need not be made, if the file has moved on.
    pub fn begin_search(&mut self, document: &Document, now: Instant) -> bool {
        let tracked = self.tracked_mut(document.id());
        let tracked = tracked.filter(|it| it.document().revision() == document.revision());
        tracked.map(|tracked| tracked.next_edits.note_search(now)).is_some()
    }

    /// Puts the problems that other servers found in a file in the place of those that were known.
    pub fn set_problems(&mut self, id: &DocumentId, problems: Vec<Problem>) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.problems.replace(problems);
        }
    }

    /// The problems around a byte of a file: the worst first, then the nearest.
    pub fn problems_near(&self, id: &DocumentId, byte: usize) -> Vec<Problem> {
        let Ok(tracked) = self.tracked(id) else { return Vec::new() };
        let text = tracked.document().text();
        tracked.problems.near(byte, |byte| text.byte_to_line(byte.min(text.len_bytes())))
    }

    /// The changes made to a file since the version `document`; `None` if they are no longer known.
    pub fn changes_since(&self, document: &Document) -> Option<Vec<Splice>> {
        self.tracked(document.id()).ok()?.changes_since(document.revision())
    }

    /// The user's last steps, oldest first: those in the file `id`, and in all other files that a model may be shown.
    pub fn steps(&self, id: &DocumentId) -> Vec<Arc<Step>> {
        let shown = |other: &DocumentId| match self.clearance(other) {
            Some(clearance) => clearance.is_open(),
            None => !self.withheld.contains(other),
        };
        let steps = self.history.steps().into_iter();
        steps.filter(|step| step.document == *id || shown(&step.document)).collect()
    }

    /// Whether the last change of all was an undo or a redo, and made to this file.
    pub fn ends_in_undo(&self, id: &DocumentId) -> bool {
        self.history.ends_in_undo(id)
    }

    /// Whether a parse of the file should be started now: its current version has no tree of its own and none is
    /// being made. Counts it as started.
    pub fn begin_parse(&mut self, id: &DocumentId) -> bool {
        self.tracked_mut(id).is_some_and(Tracked::begin_parse)
    }

    /// Ends the parse begun last if the file is still as it was parsed, the revision `parsed`; true if it is over, or
    /// the file is no longer followed. A tree that was let go of since is not made again until somebody works there.
    pub fn end_parse_if_current(&mut self, id: &DocumentId, parsed: u64) -> bool {
        self.tracked_mut(id).is_none_or(|tracked| tracked.end_parse_if_current(parsed))
    }

    /// The parse begun last is over, whatever it left.
    pub fn end_parse(&mut self, id: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.end_parse();
        }
    }

    /// Gives the file the tree that was parsed of this or an earlier version of it, and the outline if there is a new
    /// one.
    pub fn adopt(&mut self, parsed: &Document, outline: Option<String>) {
        if let Some(tracked) = self.tracked_mut(parsed.id()) {
            tracked.adopt(parsed, outline);
            self.keep_trees(parsed.id());
        }
    }

    /// A job parsed the file's version for itself, and the tree stays with it: it counts among those that are kept.
    pub fn note_parsed(&mut self, id: &DocumentId) {
        self.keep_trees(id);
    }

    /// Keeps the trees of the files that were parsed last, `newest` first among them, as far as [`TREE_BUDGET`] goes.
    /// The others have theirs made again when they are next worked on.
    fn keep_trees(&mut self, newest: &DocumentId) {
        self.with_trees.retain(|id| id != newest);
        self.with_trees.push_front(newest.clone());
        let mut bytes = 0;
        let files = &mut self.files;
        let mut first = true;
        self.with_trees.retain(|id| {
            let Some(File::Tracked(tracked)) = files.get_mut(id) else { return false };
            bytes += tracked.bytes_with_tree();
            let keep = tracked.document().keeps_tree() && (first || bytes <= TREE_BUDGET);
            first = false;
            if !keep {
                tracked.drop_tree();
            }
            keep
        });
    }

    /// Whether the file has an outline that need not be made again.
    pub fn is_outlined(&self, id: &DocumentId) -> bool {
        self.tracked(id).is_ok_and(Tracked::is_outlined)
    }

    /// The next parse makes a new outline; the old one serves until then.
    pub fn renew_outline(&mut self, id: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.renew_outline();
        }
    }

    /// Takes in what came of a request for a file, open or not.
    pub fn decide(&mut self, id: &DocumentId, decision: Decision) {
        self.decisions.push(id, decision);
    }

    /// The newest decisions, at most ten, of one file or of all; the newest first.
    pub fn decisions(&self, id: Option<&DocumentId>) -> Vec<(DocumentId, Decision)> {
        self.decisions.newest(id)
    }

    /// How many files are open, followed or not.
    pub fn open_files(&self) -> usize {
        self.files.len()
    }

    fn tracked_mut(&mut self, id: &DocumentId) -> Option<&mut Tracked> {
        match self.files.get_mut(id) {
            Some(File::Tracked(tracked)) => Some(tracked),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
