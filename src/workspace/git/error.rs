//! Errors of git queries.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::disk::Unreadable;

/// Why git gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git is not installed, or cannot be started.
    #[error("git cannot be run: {0}")]
    NotRun(#[source] io::Error),
    /// Git failed, with this message.
    #[error("git fails: {0}")]
    Failed(String),
    /// Git took too long.
    #[error("git does not answer within {} s", .0.as_secs())]
    Slow(Duration),
    /// Git printed too much.
    #[error("the answer of git has more than {} MB", .0 >> 20)]
    TooLong(u64),
    /// A file of the repository other than its objects cannot be read.
    #[error("{} of the repository cannot be read: {why}", path.display())]
    NotRead {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: Unreadable,
    },
    /// The index and refs cannot be copied.
    #[error("the repository's index and refs cannot be copied: {0}")]
    NotCopied(#[source] io::Error),
    /// `.git` is a link or a file, and the repository does not refer back to this folder.
    #[error(
        "`.git` leads to {}, which does not lead back; `git worktree repair` or `core.worktree` mends that",
        .0.display()
    )]
    NoWayBack(PathBuf),
    /// The repository's work tree is another folder.
    #[error("`core.worktree` of the repository leads to {}, which is another folder", .0.display())]
    OtherWorkTree(PathBuf),
    /// The compared objects could belong to another repository.
    #[error(
        "{} leads to objects of another repository; `git repack -ad` and its removal leave this one its own",
        .0.display()
    )]
    OtherObjects(PathBuf),
}
