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
mod trees;

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::AbortHandle;

use crate::config::{Scoped, Settings};
use crate::document::position::Encoding;
use crate::document::{Change, Document, DocumentId, OutOfSync, Splice};
use crate::job::Reason;
use crate::privacy::{Clearance, Verdict};
use crate::snapshot::{Problem, Snapshot, Step};
pub use decisions::Decision;
use decisions::Decisions;
use file::Identity;
pub use file::{Place, Tracked};
use ghost::User;
use history::History;

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

    /// Puts a verdict in the place of the clearance that waited for it. False if another one is in force by now: the rules
    /// may have changed meanwhile.
    pub fn settle(&mut self, id: &DocumentId, judged: &Clearance, verdict: Verdict) -> bool {
        let is_in_force = self.clearance(id).is_none_or(|current| current.is_same(judged));
        if is_in_force {
            self.clear(id, Clearance::settled(verdict));
        }
        is_in_force
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
                    match tracked.changes_since(before.revision()) {
                        Some(splices) => {
                            self.history.record(&before, tracked.document(), tracked.path(), &splices, now);
                        }
                        // Too much to be remembered: its steps are of a text that is gone.
                        None => self.history.forget_places(id),
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
        let was_open = self.files.remove(id).is_some();
        // Of the others there is nothing to be kept from a model.
        self.withheld.retain(|id| self.files.contains_key(id) || self.history.tells_of(id));
        was_open
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
