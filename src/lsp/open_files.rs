//! The files of a workspace folder as the editor had them when a request arrived.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::convert;
use super::session_lock::SessionLock;
use crate::document::Document;
use crate::edit::edit_set::{Base, Change, FileEdit, Revision};
use crate::edit::plan::{Entry, Files};
use crate::edit::{Edit, EditSet, Refusal, diff, rebase};
use crate::job::Reason;
use crate::session::Session;
use crate::text::words::slashed;
use crate::workspace::{Folder, FolderError};

/// Files below a folder: open files as they were at that time, the rest from disk.
#[derive(Debug, Clone)]
pub(super) struct OpenFiles {
    /// The folder as the editor names it.
    root: PathBuf,
    disk: Folder,
    /// The open files by path; `None` for a file whose text was out of sync.
    open: HashMap<PathBuf, Option<Arc<Document>>>,
}

impl OpenFiles {
    /// The files as they are now.
    pub(super) fn new(session: &Session, root: &Path, disk: Folder) -> Self {
        let open = session.paths().into_iter().filter_map(|(id, path)| {
            let document = session.tracked(&id).ok().map(|tracked| Arc::clone(tracked.document()));
            Some((path?, document))
        });
        Self { root: root.to_owned(), disk, open: open.collect() }
    }

    /// The open file at a real path below the folder, under either of the folder's names.
    fn opened(&self, real: &str) -> Option<&Option<Arc<Document>>> {
        self.open.get(&self.root.join(real)).or_else(|| self.open.get(&self.disk.place(real)))
    }

    /// The editor's URI of the file at a path below the folder.
    pub(super) fn uri(&self, path: &str) -> Option<String> {
        match self.opened(path) {
            Some(Some(document)) => Some(document.id().as_str().to_owned()),
            _ => convert::file_uri(&self.root.join(path)),
        }
    }

    /// The path below the folder of an editor's URI, under either of the folder's names.
    pub(super) fn path(&self, uri: &str) -> Option<String> {
        let path = convert::file_path(uri)?;
        let below = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(self.disk.root())).ok()?;
        Some(slashed(below))
    }

    /// Whether a file was open.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.opened(path).is_some()
    }

    /// Rebases the changes onto the current texts of the files. Returns them with the current files.
    ///
    /// A file that was opened, closed or edited meanwhile is compared by its text: the change is rebased over
    /// the difference. Blocks on the disk. It is an error if a difference conflicts with a change, or if the file is
    /// gone or was written by another program.
    pub(super) fn rebased(&self, session: &SessionLock, set: EditSet) -> Result<(Self, EditSet), Reason> {
        let (now, typed) = {
            let session = session.lock();
            let typed = |file: &FileEdit| -> Option<Vec<Edit>> {
                let document = self.opened(&file.path)?.as_ref()?;
                let tracked = session.tracked(document.id()).ok()?;
                Some(tracked.changes_since(document)?.iter().map(Edit::from).collect())
            };
            let typed: Vec<Option<Vec<Edit>>> = set.files().iter().map(typed).collect();
            (Self::new(&session, &self.root, self.disk.clone()), typed)
        };
        let mut typed = typed.into_iter();
        let set = set.map(|file| now.moved(file, typed.next().flatten()))?;
        Ok((now, set))
    }

    /// Rebases a change onto the file's current text; `typed` leads there, one edit after the other.
    fn moved(&self, file: FileEdit, typed: Option<Vec<Edit>>) -> Result<FileEdit, Reason> {
        let changed = || Reason::from(Refusal::Changed { path: file.path.clone() });
        let Some(base) = file.change.base() else {
            return if self.is_open(&file.path) { Err(changed()) } else { Ok(file) };
        };
        let entry = self.disk.entry(&file.path).ok().flatten().ok_or_else(changed)?;
        let now = self.open(&entry).map_err(|error| match error {
            FolderError::Refused(refusal) => refusal.into(),
            _ => changed(),
        })?;
        if now.text == base.text {
            return Ok(file.on(now));
        }
        let is_on_disk = |it: &Base| matches!(it.revision, Revision::Hash(_));
        // Changes on disk by other programs were not made in this editor.
        if is_on_disk(base) && is_on_disk(&now) {
            return Err(changed());
        }
        let steps: Vec<Vec<Edit>> = match typed {
            Some(typed) => typed.into_iter().map(|edit| vec![edit]).collect(),
            None => vec![diff::minimal(&base.text, &now.text)],
        };
        let over = |edits: Vec<Edit>| {
            rebase::over_all(edits, steps.iter().map(Vec::as_slice)).map_err(Refusal::from)
        };
        let change = match file.change {
            Change::Edit { edits, .. } => Change::Edit { base: now, edits: over(edits)? },
            Change::Rename { edits, to, .. } => Change::Rename { base: now, edits: over(edits)?, to },
            // The typed text would be lost with the file.
            Change::Create { .. } | Change::Delete { .. } => {
                return Err(Refusal::Changed { path: file.path }.into());
            }
        };
        Ok(FileEdit { change, ..file })
    }
}

impl Files for OpenFiles {
    type Error = FolderError;

    fn entry(&self, path: &str) -> Result<Option<Entry>, FolderError> {
        self.disk.entry(path)
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, FolderError> {
        self.disk.names(folder)
    }

    fn open(&self, entry: &Entry) -> Result<Base, FolderError> {
        match self.opened(&entry.real) {
            Some(Some(document)) => Ok(Base {
                text: document.text().to_string(),
                revision: Revision::Version(document.version()),
            }),
            Some(None) => {
                let why = "the server lost track of it; close and open it again".to_owned();
                Err(Refusal::Protected { path: entry.real.clone(), why }.into())
            }
            None => self.disk.open(entry),
        }
    }
}
