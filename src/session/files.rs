//! The open files by their ids, tracked or not.

use std::collections::HashMap;

use super::tracked::{FileInfo, Identity, Tracked};
use crate::document::DocumentId;
use crate::job::Reason;

/// The open files.
#[derive(Debug, Default)]
pub(super) struct Files(HashMap<DocumentId, File>);

/// The state of one open file.
#[derive(Debug)]
pub(super) enum File {
    Tracked(Box<Tracked>),
    /// A change did not fit; requests get no answer until the whole text arrives.
    OutOfSync(Identity),
    /// Larger than `max_file_bytes`.
    TooLarge(Identity),
    /// The JSON of a notebook, which is edited through its cells.
    Notebook(Identity),
}

impl File {
    pub(super) fn info(&self) -> &FileInfo {
        match self {
            Self::Tracked(tracked) => tracked.info(),
            Self::OutOfSync(identity) | Self::TooLarge(identity) | Self::Notebook(identity) => &identity.info,
        }
    }

    pub(super) fn info_mut(&mut self) -> &mut FileInfo {
        match self {
            Self::Tracked(tracked) => tracked.info_mut(),
            Self::OutOfSync(identity) | Self::TooLarge(identity) | Self::Notebook(identity) => {
                &mut identity.info
            }
        }
    }
}

impl Files {
    pub(super) fn get(&self, id: &DocumentId) -> Option<&File> {
        self.0.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &DocumentId) -> Option<&mut File> {
        self.0.get_mut(id)
    }

    pub(super) fn insert(&mut self, id: DocumentId, file: File) {
        self.0.insert(id, file);
    }

    /// Removes a file. False if it was not open.
    pub(super) fn remove(&mut self, id: &DocumentId) -> bool {
        self.0.remove(id).is_some()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&DocumentId, &File)> {
        self.0.iter()
    }

    pub(super) fn iter_tracked(&self) -> impl Iterator<Item = (&DocumentId, &Tracked)> {
        self.0.iter().filter_map(|(id, file)| match file {
            File::Tracked(tracked) => Some((id, &**tracked)),
            File::OutOfSync(_) | File::TooLarge(_) | File::Notebook(_) => None,
        })
    }

    pub(super) fn iter_tracked_mut(&mut self) -> impl Iterator<Item = (&DocumentId, &mut Tracked)> {
        self.0.iter_mut().filter_map(|(id, file)| match file {
            File::Tracked(tracked) => Some((id, &mut **tracked)),
            File::OutOfSync(_) | File::TooLarge(_) | File::Notebook(_) => None,
        })
    }

    /// A tracked file, or the reason why it is not tracked.
    pub(super) fn tracked(&self, id: &DocumentId) -> Result<&Tracked, Reason> {
        match self.0.get(id) {
            Some(File::Tracked(tracked)) => Ok(tracked),
            other => Err(untracked(other)),
        }
    }

    /// A tracked file to be changed, or the reason why it is not tracked.
    pub(super) fn tracked_mut(&mut self, id: &DocumentId) -> Result<&mut Tracked, Reason> {
        match self.0.get_mut(id) {
            Some(File::Tracked(tracked)) => Ok(tracked),
            other => Err(untracked(other.as_deref())),
        }
    }
}

/// The reason why a file is not tracked.
fn untracked(file: Option<&File>) -> Reason {
    match file {
        Some(File::OutOfSync(_)) => Reason::OutOfSync,
        Some(File::TooLarge(_)) => Reason::TooLarge,
        Some(File::Notebook(_)) => Reason::NotebookFile,
        Some(File::Tracked(_)) | None => Reason::NotOpen,
    }
}
