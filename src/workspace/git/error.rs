//! Why git gives no answer.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::disk::Unreadable;

/// Why git gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It is not installed, or cannot be started.
    #[error("git cannot be run: {0}")]
    NotRun(#[source] io::Error),
    /// It failed, with this message.
    #[error("git fails: {0}")]
    Failed(String),
    /// It took too long.
    #[error("git does not answer within {} s", .0.as_secs())]
    Slow(Duration),
    /// It printed too much.
    #[error("the answer of git has more than {} MB", .0 >> 20)]
    TooLong(u64),
    /// What git keeps beside the objects cannot be read.
    #[error("{} of the repository cannot be read: {why}", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// Why.
        why: Unreadable,
    },
    /// There is no room for a copy of it.
    #[error("the repository's index and refs cannot be copied: {0}")]
    NotCopied(#[source] io::Error),
    /// `.git` is a link or a file, and the repository knows nothing of this folder.
    #[error(
        "`.git` leads to {}, which does not lead back; `git worktree repair` or `core.worktree` mends that",
        .0.display()
    )]
    NoWayBack(PathBuf),
    /// The files of the repository are those of another folder.
    #[error("`core.worktree` of the repository leads to {}, which is another folder", .0.display())]
    OtherWorkTree(PathBuf),
    /// What is compared could be of another repository.
    #[error(
        "{} leads to objects of another repository; `git repack -ad` and its removal leave this one its own",
        .0.display()
    )]
    OtherObjects(PathBuf),
}
