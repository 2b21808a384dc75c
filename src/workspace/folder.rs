//! A folder on disk, as the file tree that an edit plan is made for.

use std::fs::{DirEntry, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::disk::{self, Links, Unreadable};
use crate::edit::Refusal;
use crate::edit::edit_set::{Base, Revision};
use crate::edit::plan::{Entry, Files, Identity, Kind};
use crate::text::folders::place;

/// The files below a folder. Each access blocks on the disk.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
    /// Maximum size of a file that is read, in bytes.
    limit: u64,
}

/// Why an access to a folder's files failed.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A rule for edits forbids it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The system refused access.
    #[error("cannot look at {}", .0.display())]
    NoLook(PathBuf, #[source] io::Error),
    /// The file cannot be read.
    #[error("cannot read {}", .0.display())]
    NotRead(PathBuf, #[source] Unreadable),
}

impl Folder {
    /// The files below `root`, each limited to `limit` bytes.
    ///
    /// # Errors
    ///
    /// Fails if `root` is not a readable folder.
    pub fn new(root: &Path, limit: u64) -> io::Result<Self> {
        let root = disk::real(root)?;
        disk::entries(&root)?;
        Ok(Self { root, limit })
    }

    /// The folder's path, with links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The absolute path of a resolved path below the folder.
    pub fn place(&self, real: &str) -> PathBuf {
        place(&self.root, real)
    }
}

/// Reads a text file of at most `limit` bytes, following links.
///
/// # Errors
///
/// [`Refusal::NotText`], [`Refusal::TooLarge`], and failures to read.
pub fn read_text(file: &Path, limit: u64) -> Result<String, FolderError> {
    match disk::text(file, limit, Links::Follow) {
        Ok(text) if !text.contains('\0') => Ok(text),
        Ok(_) | Err(Unreadable::NotText) => Err(Refusal::NotText { what: "the file" }.into()),
        Err(Unreadable::TooLarge(limit)) => {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            Err(Refusal::TooLarge { what: "the file has more bytes", limit }.into())
        }
        Err(why) => Err(FolderError::NotRead(file.to_owned(), why)),
    }
}

impl Files for Folder {
    type Error = FolderError;

    fn root_path(&self) -> &str {
        self.root.to_str().unwrap_or_default()
    }

    fn entry(&self, path: &str) -> Result<Option<Entry>, FolderError> {
        let outside = || Refusal::OutsideRoot { path: path.to_owned() };
        let place = self.place(path);
        let found = match disk::metadata(&place, Links::Refuse) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(FolderError::NoLook(place, error)),
        };
        // A dangling link counts as leading outside: writing through it would create a file there.
        let real = disk::real(&place).map_err(|_| outside())?;
        let metadata = disk::metadata(&real, Links::Follow).map_err(|_| outside())?;
        let below = real.strip_prefix(&self.root).ok().and_then(Path::to_str).ok_or_else(outside)?;
        let kind = match metadata.file_type() {
            kind if kind.is_file() => Kind::File,
            kind if kind.is_dir() => Kind::Folder,
            _ => Kind::Other,
        };
        let identity = identity(&real, &metadata);
        let real = below.replace(std::path::MAIN_SEPARATOR, "/");
        Ok(Some(Entry { real, kind, identity, is_link: found.is_symlink() }))
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, FolderError> {
        let place = self.place(folder);
        let failed = |error| FolderError::NoLook(place.clone(), error);
        // A name that is not UTF-8 cannot belong to a planned file.
        let name =
            |entry: io::Result<DirEntry>| entry.map(|it| it.file_name().into_string().ok()).transpose();
        disk::entries(&place).map_err(failed)?.filter_map(name).collect::<io::Result<_>>().map_err(failed)
    }

    fn open(&self, entry: &Entry) -> Result<Base, FolderError> {
        let text = read_text(&self.place(&entry.real), self.limit)?;
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}

#[cfg(unix)]
fn identity(_: &Path, metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Identity(metadata.dev(), metadata.ino())
}

/// A resolved path is spelled as on disk.
///
/// Hard links count as separate files: each name gets its own text when written.
#[cfg(not(unix))]
fn identity(real: &Path, _: &Metadata) -> Identity {
    Identity(0, crate::text::hash::in_process(real))
}
