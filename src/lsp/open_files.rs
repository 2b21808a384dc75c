//! The files of a workspace folder as the editor had them when a request came in.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::convert;
use super::session_lock::SessionLock;
use crate::document::Document;
use crate::edit::edit_set::{Base, Change, FileEdit, Revision};
use crate::edit::plan::{Entry, Files};
use crate::edit::{Edit, Refusal, rebase};
use crate::job::Reason;
use crate::session::Session;
use crate::workspace::{Folder, FolderError};

/// Files below a folder: those that were open are read as they were then, the rest from disk.
#[derive(Debug)]
pub(super) struct OpenFiles {
    /// The folder as the editor names it.
    root: PathBuf,
    disk: Folder,
    /// What was open, by its path; `None` where the server had lost track of the text.
    open: HashMap<PathBuf, Option<Arc<Document>>>,
}

impl OpenFiles {
    /// The files of this moment.
    pub(super) fn new(session: &Session, root: &Path, disk: Folder) -> Self {
        let open = session.paths().into_iter().filter_map(|(id, path)| {
            let document = session.tracked(&id).ok().map(|tracked| Arc::clone(tracked.document()));
            Some((path?, document))
        });
        Self { root: root.to_owned(), disk, open: open.collect() }
    }

    /// What was open at a real path below the folder, under whichever of the folder's names.
    fn opened(&self, real: &str) -> Option<&Option<Arc<Document>>> {
        self.open.get(&self.root.join(real)).or_else(|| self.open.get(&self.disk.place(real)))
    }

    /// How the editor names the file at a path below the folder.
    pub(super) fn uri(&self, path: &str) -> Option<String> {
        match self.opened(path) {
            Some(Some(document)) => Some(document.id().as_str().to_owned()),
            _ => convert::file_uri(&self.root.join(path)),
        }
    }

    /// Whether a file was open.
    pub(super) fn is_open(&self, path: &str) -> bool {
        self.opened(path).is_some()
    }

    /// A change as one of the text that the editor has now: rebased over what was typed since.
    ///
    /// # Errors
    ///
    /// What was typed is in its way, or the file was opened or closed meanwhile.
    pub(super) fn rebased(&self, session: &SessionLock, file: FileEdit) -> Result<FileEdit, Reason> {
        let changed = || Refusal::Changed { path: file.path.clone() };
        let Some(Some(document)) = self.opened(&file.path) else {
            let path = self.root.join(&file.path);
            let is_open_now = session.lock().paths().iter().any(|(_, it)| it.as_deref() == Some(&path));
            return if is_open_now { Err(changed().into()) } else { Ok(file) };
        };
        let (current, since) = {
            let session = session.lock();
            let tracked = session.tracked(document.id()).map_err(|reason| match reason {
                Reason::NotOpen => changed().into(),
                reason => reason,
            })?;
            let since = tracked.changes_since(document).ok_or_else(changed)?;
            (Arc::clone(tracked.document()), since)
        };
        if since.is_empty() {
            return Ok(file);
        }
        let base = Base { text: current.text().to_string(), revision: Revision::Version(current.version()) };
        let over = |mut edits: Vec<Edit>| -> Result<Vec<Edit>, Refusal> {
            for splice in since {
                edits = rebase::over(&edits, &[convert::to_edit(splice)])?;
            }
            Ok(edits)
        };
        let change = match file.change {
            Change::Edit { edits, .. } => Change::Edit { base, edits: over(edits)? },
            Change::Rename { edits, to, .. } => Change::Rename { base, edits: over(edits)?, to },
            // What was typed would go with the file.
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
