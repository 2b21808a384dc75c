//! Keeps the files of a session in sync with the editor: open, change and close.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::Session;
use super::files::File;
use super::next_edit::UnopenedEdits;
use super::tracked::{FileInfo, Identity, Tracked};
use crate::document::{Change, Document, DocumentId, OutOfSync};
use crate::job::Reason;

/// The result of [`Session::open`] or [`Session::change`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyncOutcome {
    /// The file is tracked.
    Tracked,
    /// The file is tracked again, after it was out of sync or too large.
    Regained,
    /// The file has just become too large.
    TooLarge {
        /// The file's size.
        bytes: usize,
    },
    /// A change did not fit: the file's text has just been dropped.
    OutOfSync(OutOfSync),
    /// The file is a notebook's JSON, or it was already reported as too large or out of sync.
    Ignored,
    /// The file was never opened.
    NotOpen,
}

impl Session {
    /// Tracks a file from its whole text.
    pub fn open(
        &mut self,
        id: DocumentId,
        language_id: &str,
        version: i32,
        text: &str,
        info: impl Into<FileInfo>,
    ) -> SyncOutcome {
        let info = info.into();
        self.recent_edits.forget_places(&id);
        self.closed.remove(&id);
        if let Some(before) = self.access(&id)
            && !before.is_same(&info.access)
        {
            before.revoke();
        }
        let untracked = match text.len() {
            _ if id.is_notebook_file() => Some((Reason::NotebookFile, SyncOutcome::Ignored)),
            bytes if bytes > self.settings().max_file_bytes => {
                Some((Reason::TooLarge, SyncOutcome::TooLarge { bytes }))
            }
            _ => None,
        };
        if let Some((reason, outcome)) = untracked {
            let identity = Identity { info, language_id: language_id.into() };
            self.files.by_id.insert(id, File::Untracked(reason, identity));
            return outcome;
        }
        let document = Document::new(id.clone(), language_id, version, text);
        let document = match &info.notebook {
            Some(notebook) => document.in_notebook(notebook, language_id),
            None => document,
        };
        let tracked = Tracked::new(document, language_id, info);
        self.files.by_id.insert(id.clone(), File::Tracked(Box::new(tracked)));
        self.adopt_unopened(&id);
        SyncOutcome::Tracked
    }

    /// Queues the next edits that were offered for a file when it is opened.
    ///
    /// They are adopted only if the opened text is the text on disk.
    fn adopt_unopened(&mut self, id: &DocumentId) {
        let Ok(tracked) = self.tracked(id) else { return };
        let (document, path) = (Arc::clone(tracked.document()), tracked.path_on_disk().map(Path::to_owned));
        let mut adopted = Vec::new();
        for (origin, tracked) in self.files.iter_tracked_mut() {
            let is_offered = |it: &UnopenedEdits| Some(&it.path) == path.as_ref();
            if !tracked.unopened_edits().is_some_and(is_offered) {
                continue;
            }
            let offered = tracked.unopened.offered.take();
            adopted.extend(offered.filter(|it| it.document.text() == document.text()).map(|it| it.edits));
            if origin != id {
                tracked.next_edits().lead_to(id);
            }
        }
        if let Some(mut edits) = self.next_edits(id) {
            edits.queue(&document, adopted.into_iter().flatten().collect(), false);
        }
    }

    /// Applies an editor's changes, in order.
    ///
    /// `version` is the editor's number for the result; without it the last version is incremented. `now` is
    /// when the changes arrived.
    pub fn change(
        &mut self,
        id: &DocumentId,
        version: Option<i32>,
        changes: &[Change],
        now: Instant,
    ) -> SyncOutcome {
        self.drop_edits_in_other_file(id);
        match self.files.by_id.get(id) {
            None => SyncOutcome::NotOpen,
            Some(File::Untracked(Reason::NotebookFile, _)) => SyncOutcome::Ignored,
            Some(File::Tracked(_)) => self.change_tracked(id, version, changes, now),
            Some(File::Untracked(_, identity)) => {
                // A change of the whole text brings a file back, unless the text is too large.
                let Some(whole) = changes.iter().rposition(|change| change.range.is_none()) else {
                    return SyncOutcome::Ignored;
                };
                let Identity { info, language_id } = identity.clone();
                let text = &changes[whole].text;
                let opened = self.open(id.clone(), &language_id, version.unwrap_or(0), text, info);
                if let Ok(tracked) = self.files.tracked_mut(id) {
                    tracked.mark_typed(now);
                }
                match (opened, &changes[whole + 1..]) {
                    (SyncOutcome::Tracked, []) => SyncOutcome::Regained,
                    (SyncOutcome::Tracked, rest) => match self.change_tracked(id, version, rest, now) {
                        SyncOutcome::Tracked => SyncOutcome::Regained,
                        outcome => outcome,
                    },
                    (outcome, _) => outcome,
                }
            }
        }
    }

    fn change_tracked(
        &mut self,
        id: &DocumentId,
        version: Option<i32>,
        changes: &[Change],
        now: Instant,
    ) -> SyncOutcome {
        let limit = self.settings().max_file_bytes;
        let Ok(tracked) = self.files.tracked_mut(id) else { return SyncOutcome::NotOpen };
        let (before, is_key) = match tracked.change(changes, self.encoding, version, now) {
            Ok(changed) => changed,
            Err(out_of_sync) => {
                self.mark_out_of_sync(id);
                return SyncOutcome::OutOfSync(out_of_sync);
            }
        };
        if is_key {
            self.user.typing.record_key(now);
        }
        match tracked.changes_since(&before) {
            Some(splices) => {
                self.recent_edits.record(&before, tracked.document(), tracked.path(), &splices, now);
            }
            // The change log overflowed: earlier edits refer to a text that is no longer available.
            None => self.recent_edits.forget_places(id),
        }
        let bytes = tracked.document().text().len_bytes();
        if bytes <= limit {
            return SyncOutcome::Tracked;
        }
        let identity = tracked.identity();
        self.files.by_id.insert(id.clone(), File::Untracked(Reason::TooLarge, identity));
        SyncOutcome::TooLarge { bytes }
    }

    /// Drops the queued next edits in the file that edits in this one led to.
    fn drop_edits_in_other_file(&mut self, id: &DocumentId) {
        let led_to =
            self.files.tracked_mut(id).ok().and_then(|tracked| tracked.next_edits().other_file.take());
        if let Some(mut edits) = led_to.and_then(|other| self.next_edits(&other)) {
            edits.clear();
        }
    }

    /// Marks a file as out of sync, for example after a change that could not be decoded.
    ///
    /// Returns true if it was tracked.
    pub fn mark_out_of_sync(&mut self, id: &DocumentId) -> bool {
        let Ok(tracked) = self.files.tracked(id) else { return false };
        let identity = tracked.identity();
        self.files.by_id.insert(id.clone(), File::Untracked(Reason::OutOfSync, identity));
        self.recent_edits.forget_places(id);
        true
    }

    /// Marks every tracked file as out of sync and returns them.
    pub fn mark_all_out_of_sync(&mut self) -> Vec<DocumentId> {
        let tracked: Vec<DocumentId> = self.files.iter_tracked().map(|(id, _)| id.clone()).collect();
        for id in &tracked {
            self.mark_out_of_sync(id);
        }
        tracked
    }

    /// Forgets a file and stops its running work. Returns false if it was not open.
    pub fn close(&mut self, id: &DocumentId) -> bool {
        self.recent_edits.forget_places(id);
        if let Some(access) = self.access(id).cloned() {
            access.revoke();
            self.closed.push(id, access, |id| self.recent_edits.has_edit_in(id));
        }
        self.files.by_id.remove(id).is_some()
    }
}
