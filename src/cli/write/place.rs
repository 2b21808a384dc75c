//! Where a file is written: a folder that was judged, and the way below it.
//!
//! No part of the way may be a link. The way is walked by handles of folders, so that a folder which another
//! process replaces by a link meanwhile leads nowhere.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::moment::moment;
use crate::disk::{self, Unreadable};

/// A file below a folder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::cli) struct Place {
    root: OsString,
    below: OsString,
}

impl Place {
    /// A file by its real path below a folder.
    pub(in crate::cli) fn below(root: &Path, real: &str) -> Self {
        Self { root: root.into(), below: real.into() }
    }

    /// A file that the user named. Where that is a link, it is the file behind the link.
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

    /// An error that names it.
    pub(super) fn error_with_path(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.path().display()))
    }

    /// The folder below which it is.
    pub(super) fn root(&self) -> &Path {
        Path::new(&self.root)
    }

    /// The folders on the way to it, the outermost first.
    pub(super) fn folders(&self) -> impl Iterator<Item = Self> {
        let folders: Vec<&Path> = Path::new(&self.below).ancestors().skip(1).collect();
        let folders = folders.into_iter().rev().filter(|it| !it.as_os_str().is_empty());
        folders.map(move |below| Self { root: self.root.clone(), below: below.into() })
    }

    /// The folder that it is in.
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

    /// Its name in that folder.
    pub(super) fn name(&self) -> io::Result<&OsStr> {
        Path::new(&self.below).file_name().ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// The folders of a write, open as long as it goes on.
///
/// Of very many, some are opened anew each time: a process may have few files open.
#[derive(Debug, Default)]
pub(super) struct Folders(HashMap<PathBuf, Rc<Dir>>);

impl Folders {
    const MOST: usize = 64;

    /// The folder that a file is in.
    pub(super) fn of(&mut self, place: &Place) -> io::Result<Rc<Dir>> {
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

/// By what a file is known to be the one that was read or written, under whatever name in its folder.
///
/// The number of its device is left out, which may be another one after a restart.
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

/// A folder that is open: what is done below it is done in that folder, whatever its path leads to by now.
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

    fn openat(&self, name: &OsStr, flags: rustix::fs::OFlags) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        Ok(File::from(openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?))
    }

    /// A folder in it. A link is none.
    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        use rustix::fs::OFlags;
        self.openat(name, OFlags::RDONLY | OFlags::DIRECTORY).map(Self)
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        moment();
        Ok(rustix::fs::mkdirat(&self.0, name, rustix::fs::Mode::from_raw_mode(0o777))?)
    }

    /// A new file, to be written.
    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
        use rustix::fs::OFlags;
        moment();
        self.openat(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
    }

    /// A regular file in it, to be read.
    pub(super) fn open(&self, name: &OsStr) -> Result<File, Unreadable> {
        use rustix::fs::{AtFlags, FileType, OFlags, statat};
        // A device may act when it is opened.
        let found = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io::Error::from)?;
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile => Ok(self.openat(name, OFlags::RDONLY)?),
            FileType::Directory => Err(Unreadable::Folder),
            _ => Err(Unreadable::NotRegular),
        }
    }

    /// Gives a file another name. What had that name is replaced.
    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        moment();
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Gives a file a second name, which nothing may have yet.
    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        moment();
        Ok(rustix::fs::linkat(&self.0, from, &self.0, to, rustix::fs::AtFlags::empty())?)
    }

    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        moment();
        Ok(rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::empty())?)
    }

    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        moment();
        Ok(rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::REMOVEDIR)?)
    }

    /// Has the names in it on the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        moment();
        Ok(rustix::fs::fsync(&self.0)?)
    }

    /// The file system that it is on.
    pub(super) fn device(&self) -> io::Result<u64> {
        Ok(std::os::unix::fs::MetadataExt::dev(&self.0.metadata()?))
    }

    /// Has all that was written to its file system on the disk.
    #[cfg(target_os = "linux")]
    pub(super) fn sync_all(&self) -> io::Result<()> {
        moment();
        Ok(rustix::fs::syncfs(&self.0)?)
    }
}

/// A folder by its path: there are no calls by handles in the standard library.
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
        // A link and a junction are no folder here.
        match fs::symlink_metadata(&path)?.is_dir() {
            true => Ok(Self(path)),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn make_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(super) fn create(&self, name: &OsStr) -> io::Result<File> {
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

    /// Names are on the disk as the system sees fit: a folder cannot be synced here.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn device(&self) -> io::Result<u64> {
        Ok(0)
    }
}

impl Dir {
    /// A regular file in it, and what is known of it.
    pub(super) fn read(&self, name: &OsStr, limit: u64) -> Result<(Vec<u8>, Metadata), Unreadable> {
        let file = self.open(name)?;
        let metadata = file.metadata()?;
        Ok((disk::bytes_of(file, limit)?, metadata))
    }

    /// What is known of a regular file; `None` if there is none.
    pub(super) fn metadata(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match self.open(name) {
            Ok(file) => file.metadata().map(Some),
            Err(Unreadable::Missing) => Ok(None),
            Err(Unreadable::Failed(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Removes a file that may be gone.
    pub(super) fn remove_if_there(&self, name: &OsStr) -> io::Result<()> {
        match self.remove(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
