//! Reads one file, within bounds.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::SystemTime;

use super::Stuck;
use super::look::{self, Links, waits};

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file does not exist.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder.
    #[error("it is a folder")]
    Folder,
    /// The path is a pipe, a socket, a device, or a link that must not be followed.
    #[error("it is no regular file")]
    NotRegular,
    /// The file is larger than this many bytes.
    #[error("it has more than {0} bytes")]
    TooLarge(u64),
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The file's disk does not answer.
    #[error(transparent)]
    Stuck(#[from] Stuck),
    /// The system returned another error.
    #[error(transparent)]
    Failed(io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            io::ErrorKind::IsADirectory => Self::Folder,
            _ => Self::Failed(error),
        }
    }
}

/// Reads a whole file of at most `limit` bytes.
///
/// Neither blocks on a special file nor reads more than `limit` into memory: devices are not opened, pipes are
/// not waited for, the open file is checked again before the read, and the read stops at `limit` whatever
/// length the file system reports. A disk that does not answer does block the caller; see
/// [`Readers`](super::Readers).
///
/// # Errors
///
/// See [`Unreadable`].
pub fn bytes(path: &Path, limit: u64, links: Links) -> Result<Vec<u8>, Unreadable> {
    // Opening a device may have effects. A file swapped in meanwhile is checked after opening.
    regular(&look::metadata(path, links)?)?;
    bytes_of(open(path, links)?, limit)
}

/// Like [`bytes`], for an open file.
///
/// # Errors
///
/// See [`Unreadable`].
pub fn bytes_of(file: File, limit: u64) -> Result<Vec<u8>, Unreadable> {
    waits();
    let metadata = file.metadata()?;
    regular(&metadata)?;
    if metadata.len() > limit {
        return Err(Unreadable::TooLarge(limit));
    }
    // One byte more, so that the final read, which detects the end, does not reallocate.
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default() + 1);
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(Unreadable::TooLarge(limit)) } else { Ok(bytes) }
}

/// Like [`bytes`], for UTF-8 text.
///
/// # Errors
///
/// See [`Unreadable`].
pub fn text(path: &Path, limit: u64, links: Links) -> Result<String, Unreadable> {
    String::from_utf8(bytes(path, limit, links)?).map_err(|_| Unreadable::NotText)
}

fn regular(metadata: &fs::Metadata) -> Result<(), Unreadable> {
    match metadata {
        it if it.is_file() => Ok(()),
        it if it.is_dir() => Err(Unreadable::Folder),
        _ => Err(Unreadable::NotRegular),
    }
}

/// Opens a file without blocking on the other end of a pipe.
#[cfg(unix)]
fn open(path: &Path, links: Links) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};

    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links == Links::Refuse {
        flags |= OFlags::NOFOLLOW;
    }
    Ok(open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path, _: Links) -> io::Result<File> {
    File::open(path)
}

/// The metadata by which a changed file is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    /// On Unix: device, inode, and change time in seconds and nanoseconds. Elsewhere zeros.
    identity: [i64; 4],
}

impl Stamp {
    /// The stamp from a file's metadata.
    pub fn of(metadata: &fs::Metadata) -> Self {
        Self { modified: metadata.modified().ok(), length: metadata.len(), identity: identity(metadata) }
    }

    /// The size of the file, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The modification time.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// A hash of the stamp, the same in every process.
    pub fn digest(&self) -> u64 {
        let modified = self.modified.and_then(|it| it.duration_since(SystemTime::UNIX_EPOCH).ok());
        let nanoseconds = modified.map_or(0, |it| it.as_nanos() as u64);
        let parts = [nanoseconds, self.length].into_iter().chain(self.identity.map(i64::cast_unsigned));
        parts.fold(0xcbf2_9ce4_8422_2325, |digest: u64, part| {
            (digest ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
        })
    }
}

/// The stamp of the file at `path`, with links followed; `None` if it does not exist.
///
/// Blocks on the disk.
///
/// # Errors
///
/// Fails if the existence of the file cannot be determined.
pub fn stamp(path: &Path) -> Result<Option<Stamp>, Unreadable> {
    match look::metadata(path, Links::Follow).map_err(Unreadable::from) {
        Ok(it) => Ok(Some(Stamp::of(&it))),
        Err(Unreadable::Missing) => Ok(None),
        Err(why) => Err(why),
    }
}

#[cfg(unix)]
fn identity(metadata: &fs::Metadata) -> [i64; 4] {
    use std::os::unix::fs::MetadataExt as _;

    [metadata.dev().cast_signed(), metadata.ino().cast_signed(), metadata.ctime(), metadata.ctime_nsec()]
}

#[cfg(not(unix))]
fn identity(_: &fs::Metadata) -> [i64; 4] {
    [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads `name` in a folder that has a file of each kind.
    fn check(name: &str, links: Links, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("short"), "short").unwrap();
        fs::write(folder.path().join("long"), "longer than that").unwrap();
        fs::write(folder.path().join("binary"), b"\xff").unwrap();
        fs::create_dir(folder.path().join("folder")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;

            crate::disk::pipe(folder.path().join("pipe"));
            symlink("short", folder.path().join("link")).unwrap();
            symlink("/dev/zero", folder.path().join("endless")).unwrap();
            symlink("loop", folder.path().join("loop")).unwrap();
        }
        let read = text(&folder.path().join(name), 10, links).map_err(|it| it.to_string());
        assert_eq!(read.as_deref().unwrap_or_else(|why| why), expected, "{name}, {links:?}");
    }

    #[test]
    fn takes_what_is_a_file_of_reasonable_size() {
        for links in [Links::Follow, Links::Refuse] {
            check("short", links, "short");
            check("long", links, "it has more than 10 bytes");
            check("binary", links, "it is not UTF-8 text");
            check("folder", links, "it is a folder");
            check("none", links, "there is no such file");
            check("short/none", links, "there is no such file");
        }
    }

    #[cfg(unix)]
    #[test]
    fn is_kept_by_no_pipe_and_no_device() {
        for links in [Links::Follow, Links::Refuse] {
            check("pipe", links, "it is no regular file");
            check("endless", links, "it is no regular file");
        }
        check("link", Links::Follow, "short");
        check("link", Links::Refuse, "it is no regular file");
        check("loop", Links::Refuse, "it is no regular file");
    }

    #[test]
    fn a_stamp_tells_another_file_of_the_same_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let stamp = || stamp(&path).unwrap();
        assert_eq!(stamp(), None);
        fs::write(&path, "one").unwrap();
        let before = stamp();
        assert_eq!(stamp(), before);
        fs::write(folder.path().join("b"), "two").unwrap();
        fs::rename(folder.path().join("b"), &path).unwrap();
        assert_ne!(stamp(), before);
    }
}
