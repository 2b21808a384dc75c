//! Files below a root, wherever they are.

use crate::edit::Refusal;
use crate::edit::edit_set::Base;

/// Distinguishes the files of one [`Files`].
///
/// It is equal for two names of the same file, a hard link's included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub u64, pub u64);

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a socket, a device.
    Other,
}

/// Something that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root once all links are followed.
    ///
    /// Between its parts stands `/`. It is empty for the root itself.
    pub real: String,
    /// What it is.
    pub kind: Kind,
    /// Which file it is.
    pub identity: Identity,
    /// Whether the asked path is itself a link to it.
    pub is_link: bool,
}

/// The files below a root: a folder on disk, or documents that an editor has open.
pub trait Files {
    /// Why a look at the files failed.
    type Error: From<Refusal>;

    /// Looks at what a path below the root leads to; `None` if nothing has that name.
    ///
    /// The empty path is the root.
    ///
    /// # Errors
    ///
    /// [`Refusal::OutsideRoot`] for a path that links lead out of the root or nowhere, and failures to look.
    fn entry(&self, path: &str) -> Result<Option<Entry>, Self::Error>;

    /// The names in a folder, by its real path.
    ///
    /// They are asked for where a new file may differ from one of them in case alone.
    ///
    /// # Errors
    ///
    /// Failures to look.
    fn names(&self, folder: &str) -> Result<Vec<String>, Self::Error>;

    /// Reads a regular file. Another kind is never opened.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotText`], [`Refusal::TooLarge`], and failures to read.
    fn open(&self, entry: &Entry) -> Result<Base, Self::Error>;
}
