//! A folder on disk as the files that a plan is made for.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::failure::Failure;
use super::input::read_file;
use crate::edit::Refusal;
use crate::edit::edit_set::{Base, Revision};
use crate::edit::plan::{Entry, Files, Identity, Kind};

/// The files below a folder.
pub(super) struct Disk {
    root: PathBuf,
}

impl Disk {
    /// The files below `root`.
    ///
    /// # Errors
    ///
    /// When it is no folder that can be looked into.
    pub(super) fn new(root: &Path) -> anyhow::Result<Self> {
        let failed = || format!("cannot open {}", root.display());
        let root = fs::canonicalize(root).with_context(failed)?;
        fs::read_dir(&root).with_context(failed)?;
        Ok(Self { root })
    }

    /// The folder, links followed.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Where a real path below the folder is.
    pub(super) fn place(&self, real: &str) -> PathBuf {
        if real.is_empty() { self.root.clone() } else { self.root.join(real) }
    }
}

impl Files for Disk {
    type Error = Failure;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Failure> {
        let outside = || Refusal::OutsideRoot { path: path.to_owned() };
        let place = self.place(path);
        let found = match fs::symlink_metadata(&place) {
            Ok(found) => found,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => {
                let error = anyhow::Error::new(error).context(format!("cannot look at {}", place.display()));
                return Err(Failure::Failed(error));
            }
        };
        // A link that leads nowhere leads out, too: what is written through it would make a file there.
        let real = fs::canonicalize(&place).map_err(|_| outside())?;
        let metadata = fs::metadata(&real).map_err(|_| outside())?;
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

    fn open(&self, entry: &Entry) -> Result<Base, Failure> {
        let text = read_file(&self.place(&entry.real))?;
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}

#[cfg(unix)]
fn identity(_: &Path, metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    Identity(metadata.dev(), metadata.ino())
}

/// A real path is spelled as the disk spells it.
///
/// Hard links count as files of their own: each name gets its own text when it is written.
#[cfg(not(unix))]
fn identity(real: &Path, _: &fs::Metadata) -> Identity {
    Identity(0, crate::text::hash::in_process(real))
}
