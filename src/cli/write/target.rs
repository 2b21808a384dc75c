//! The location of a file to write: a trusted root folder, and the path below it.
//!
//! No component of the path may be a symbolic link. The path is resolved component by component through folder
//! handles, so that replacing a folder by a link in the meantime has no effect.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::test_signal::inject_test_signal;
use crate::disk::{self, Unreadable};

/// A file below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::cli) struct WriteTarget {
    root: OsString,
    below: OsString,
}

impl WriteTarget {
    /// The file at a real path below a folder.
    pub(in crate::cli) fn below(root: &Path, real: &str) -> Self {
        Self { root: root.into(), below: real.into() }
    }

    /// The file that the user named. Symbolic links are resolved.
    pub(in crate::cli) fn named(path: &Path) -> io::Result<Self> {
        let path = std::path::absolute(path)?;
        let path = fs::canonicalize(&path).unwrap_or(path);
        for folder in path.ancestors().skip(1) {
            if let (Ok(root), Ok(below)) = (fs::canonicalize(folder), path.strip_prefix(folder)) {
                return Ok(Self { root: root.into(), below: below.into() });
            }
        }
        Err(io::ErrorKind::NotFound.into())
    }

    /// The path, for messages.
    pub(super) fn path(&self) -> PathBuf {
        Path::new(&self.root).join(&self.below)
    }

    /// Adds the path to an error's message.
    pub(super) fn error_with_path(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path().display()))
    }

    /// The root folder.
    pub(super) fn root(&self) -> &Path {
        Path::new(&self.root)
    }

    /// The folders between the root and the file, outermost first.
    pub(super) fn folders(&self) -> impl Iterator<Item = Self> {
        let folders: Vec<&Path> = Path::new(&self.below).ancestors().skip(1).collect();
        let folders = folders.into_iter().rev().filter(|it| !it.as_os_str().is_empty());
        folders.map(move |below| Self { root: self.root.clone(), below: below.into() })
    }

    /// Opens the folder that contains the file.
    fn folder(&self) -> io::Result<Dir> {
        let mut folder = Dir::root(self.root())?;
        for part in Path::new(&self.below).parent().into_iter().flat_map(Path::components) {
            match part {
                Component::Normal(name) => folder = folder.folder(name)?,
                _ => return Err(io::ErrorKind::InvalidInput.into()),
            }
        }
        Ok(folder)
    }

    /// The file's name in its folder.
    pub(super) fn name(&self) -> io::Result<&OsStr> {
        Path::new(&self.below).file_name().ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// The folders of a write, kept open until it ends.
///
/// Beyond a maximum, folders are opened for each access, since a process may have only few open files.
#[derive(Debug, Default)]
pub(super) struct Folders(HashMap<PathBuf, Rc<Dir>>);

impl Folders {
    const MOST: usize = 64;

    /// The folder that contains a file.
    pub(super) fn of(&mut self, place: &WriteTarget) -> io::Result<Rc<Dir>> {
        let path = place.path();
        let path = path.parent().unwrap_or(place.root());
        if let Some(dir) = self.0.get(path) {
            return Ok(Rc::clone(dir));
        }
        let dir = Rc::new(place.folder()?);
        if self.0.len() < Self::MOST {
            self.0.insert(path.to_owned(), Rc::clone(&dir));
        }
        Ok(dir)
    }
}

/// Identifies a file that was read or written, independent of its name in its folder.
///
/// The device number is not included, since it may change after a restart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity([u64; 3], Option<std::time::SystemTime>);

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt as _;
            [metadata.ino(), metadata.mode().into()]
        };
        #[cfg(not(unix))]
        let number = [0; 2];
        Self([number[0], number[1], metadata.len()], metadata.modified().ok())
    }
}

/// An open folder. Operations apply to this folder even if its path leads elsewhere by now.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct Dir(File);

#[cfg(unix)]
impl Dir {
    fn root(path: &Path) -> io::Result<Self> {
        use rustix::fs::{Mode, OFlags, open};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(File::from(open(path, flags, Mode::empty())?)))
    }

    fn openat(&self, name: &OsStr, flags: rustix::fs::OFlags, mode: u32) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(File::from(openat(&self.0, name, flags, Mode::from_raw_mode(mode))?))
    }

    /// Opens a folder in this one. Symbolic links are refused.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        use rustix::fs::OFlags;
        self.openat(name, OFlags::RDONLY | OFlags::DIRECTORY, 0).map(Self)
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::mkdirat(&self.0, name, rustix::fs::Mode::from_raw_mode(0o777))?)
    }

    /// Creates a file for writing, which must not exist. A private one is the user's alone for now.
    pub(super) fn create(&self, name: &OsStr, is_private: bool) -> io::Result<File> {
        use rustix::fs::OFlags;
        inject_test_signal();
        let mode = if is_private { 0o600 } else { 0o666 };
        self.openat(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode)
    }

    /// Opens a regular file for reading.
    pub(super) fn open(&self, name: &OsStr) -> Result<File, Unreadable> {
        use rustix::fs::{AtFlags, FileType, OFlags, statat};
        // Checked first, since opening a device may have side effects.
        let found = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => Ok(self.openat(name, OFlags::RDONLY, 0)?),
            FileType::Directory => Err(Unreadable::Folder),
            _ => Err(Unreadable::NotRegular),
        }
    }

    /// Renames a file, replacing an existing one.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Creates a hard link, whose name must not exist.
    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::linkat(&self.0, from, &self.0, to, rustix::fs::AtFlags::empty())?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::empty())?)
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::REMOVEDIR)?)
    }

    /// Syncs the folder's entries to the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// The number of the device that the folder is on.
    pub(super) fn device(&self) -> io::Result<u64> {
        Ok(std::os::unix::fs::MetadataExt::dev(&self.0.metadata()?))
    }

    /// Syncs the folder's whole file system to the disk.
    #[cfg(target_os = "linux")]
    pub(super) fn sync_all(&self) -> io::Result<()> {
        inject_test_signal();
        Ok(rustix::fs::syncfs(&self.0)?)
    }
}

/// A folder by its path, since the standard library has no operations relative to handles.
#[cfg(not(unix))]
#[derive(Debug)]
pub(super) struct Dir(PathBuf);

#[cfg(not(unix))]
impl Dir {
    fn root(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|_| Self(path.to_owned()))
    }

    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        let path = self.0.join(name);
        // Symbolic links and junctions do not count as folders here.
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(Self(path)),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn create(&self, name: &OsStr, _is_private: bool) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    pub(super) fn open(&self, name: &OsStr) -> Result<File, Unreadable> {
        let path = self.0.join(name);
        match fs::symlink_metadata(&path)? {
            it if it.is_file() => Ok(File::open(path)?),
            it if it.is_dir() => Err(Unreadable::Folder),
            _ => Err(Unreadable::NotRegular),
        }
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Does nothing: a folder cannot be synced on this system.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn device(&self) -> io::Result<u64> {
        Ok(0)
    }
}

impl Dir {
    /// Reads a regular file and its metadata.
    pub(super) fn read(&self, name: &OsStr, limit: u64) -> Result<(Vec<u8>, Metadata), Unreadable> {
        let file = self.open(name)?;
        let metadata = file.metadata()?;
        Ok((disk::bytes_of(file, limit)?, metadata))
    }

    /// The metadata of a regular file; `None` if it does not exist.
    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match self.open(name) {
            Ok(file) => file.metadata().map(Some),
            Err(Unreadable::Missing) => Ok(None),
            Err(Unreadable::Failed(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Removes a file if it exists.
    pub(super) fn remove_if_there(&self, name: &OsStr) -> io::Result<()> {
        match self.remove(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
