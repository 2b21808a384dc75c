//! Abstract access to the files below a root.

use crate::edit::Refusal;
use crate::edit::edit_set::Base;

/// Distinguishes the files of one [`Files`].
///
/// It is equal for all names of the same file, including hard links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity(pub u64, pub u64);

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A pipe, a socket, a device.
    Other,
}

/// An existing file, folder or other entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path below the root after all links are followed.
    ///
    /// The separator is `/`. The path is empty for the root itself.
    pub real: String,
    /// Its kind.
    pub kind: Kind,
    /// Its identity, which all its names share.
    pub identity: Identity,
    /// Whether the requested path is itself a link to it.
    pub is_link: bool,
}

/// The files below a root: a folder on disk, or documents that an editor has open.
pub trait Files {
    /// The error of a failed access.
    type Error: From<Refusal>;

    /// The absolute path of the root, with which a path in a reply may begin; empty if it is not known.
    fn root_path(&self) -> &str {
        ""
    }

    /// Looks up a path below the root; `None` if nothing has that name.
    ///
    /// The empty path is the root.
    ///
    /// # Errors
    ///
    /// [`Refusal::OutsideRoot`] for a path whose links lead out of the root or nowhere, and failed lookups.
    fn entry(&self, path: &str) -> Result<Option<Entry>, Self::Error>;

    /// The names in a folder, which is given by its real path.
    ///
    /// They are requested where a new file's name may differ from an existing one in case alone.
    ///
    /// # Errors
    ///
    /// Failed lookups.
    fn names(&self, folder: &str) -> Result<Vec<String>, Self::Error>;

    /// Reads a regular file. Entries of other kinds are never opened.
    ///
    /// # Errors
    ///
    /// [`Refusal::NotText`], [`Refusal::TooLarge`], and failures to read.
    fn open(&self, entry: &Entry) -> Result<Base, Self::Error>;
}
