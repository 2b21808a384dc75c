//! The open files by their ids, tracked or not.

use std::collections::HashMap;

use super::tracked::{FileInfo, Identity, Tracked};
use crate::document::DocumentId;
use crate::job::Reason;

/// The open files.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) by_id: HashMap<DocumentId, File>,
}

/// The state of one open file.
#[derive(Debug)]
pub(super) enum File {
    Tracked(Box<Tracked>),
    /// Not tracked, because:
    ///
    /// * [`Reason::OutOfSync`]: a change did not fit; requests get no answer until the whole text arrives.
    /// * [`Reason::TooLarge`]: larger than `max_file_bytes`.
    /// * [`Reason::NotebookFile`]: the JSON of a notebook, which is edited through its cells.
    Untracked(Reason, Identity),
}

impl File {
    pub(super) fn info(&self) -> &FileInfo {
        match self {
            Self::Tracked(tracked) => &tracked.info,
            Self::Untracked(_, identity) => &identity.info,
        }
    }

    pub(super) fn info_mut(&mut self) -> &mut FileInfo {
        match self {
            Self::Tracked(tracked) => &mut tracked.info,
            Self::Untracked(_, identity) => &mut identity.info,
        }
    }
}

impl Files {
    pub(super) fn iter_tracked(&self) -> impl Iterator<Item = (&DocumentId, &Tracked)> {
        self.by_id.iter().filter_map(|(id, file)| match file {
            File::Tracked(tracked) => Some((id, &**tracked)),
            File::Untracked(..) => None,
        })
    }

    pub(super) fn iter_tracked_mut(&mut self) -> impl Iterator<Item = (&DocumentId, &mut Tracked)> {
        self.by_id.iter_mut().filter_map(|(id, file)| match file {
            File::Tracked(tracked) => Some((id, &mut **tracked)),
            File::Untracked(..) => None,
        })
    }

    /// A tracked file, or the reason why it is not tracked.
    pub(super) fn tracked(&self, id: &DocumentId) -> Result<&Tracked, Reason> {
        match self.by_id.get(id) {
            Some(File::Tracked(tracked)) => Ok(tracked),
            other => Err(untracked(other)),
        }
    }

    /// A tracked file to be changed, or the reason why it is not tracked.
    pub(super) fn tracked_mut(&mut self, id: &DocumentId) -> Result<&mut Tracked, Reason> {
        match self.by_id.get_mut(id) {
            Some(File::Tracked(tracked)) => Ok(tracked),
            other => Err(untracked(other.as_deref())),
        }
    }
}

/// The reason why a file is not tracked.
fn untracked(file: Option<&File>) -> Reason {
    match file {
        Some(File::Untracked(reason, _)) => reason.clone(),
        Some(File::Tracked(_)) | None => Reason::NotOpen,
    }
}
