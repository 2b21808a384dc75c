//! Asks git about the files of a folder.
//!
//! What a repository's own configuration could make git run is off: it came with the code.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

/// Why git tells nothing.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It is not installed, or cannot be started.
    #[error("git cannot be run: {0}")]
    NotRun(#[source] io::Error),
    /// It failed, with this message.
    #[error("git fails: {0}")]
    Failed(String),
}

/// Those of the paths below `root` that have uncommitted changes, or that git does not track.
///
/// There are none outside of a repository. It waits for git.
///
/// # Errors
///
/// Git does not answer.
pub fn uncommitted(root: &Path, paths: &[&str]) -> Result<Vec<String>, GitError> {
    if paths.is_empty() || !is_in_repository(root) {
        return Ok(Vec::new());
    }
    let status = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--"];
    let listed = git(root, &[&status, paths].concat())?;
    // Each entry is two letters, a blank and a path.
    Ok(listed.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned).collect())
}

/// Those of the paths below `root` that git does not track; none outside of a repository.
///
/// It waits for git.
///
/// # Errors
///
/// Git does not answer.
pub fn untracked(root: &Path, paths: &[&str]) -> Result<HashSet<String>, GitError> {
    if paths.is_empty() || !is_in_repository(root) {
        return Ok(HashSet::new());
    }
    let listed = git(root, &[&["ls-files", "-z", "--"], paths].concat())?;
    let tracked: HashSet<&str> = listed.split('\0').collect();
    Ok(paths.iter().filter(|path| !tracked.contains(*path)).map(|path| (*path).to_owned()).collect())
}

/// Two states of the files of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared<'a> {
    /// The last commit, and what is staged.
    Staged,
    /// A revision, and the files as they are on disk.
    Since(&'a str),
}

impl Compared<'_> {
    fn arguments(&self) -> Vec<&str> {
        match self {
            Self::Staged => vec!["--cached"],
            Self::Since(revision) => vec!["--end-of-options", revision],
        }
    }
}

/// The repository's folder around a folder, if there is one.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The paths below `root` that differ. It waits for git.
///
/// # Errors
///
/// Git does not answer, or knows no such revision.
pub fn changed_paths(root: &Path, compared: Compared<'_>) -> Result<Vec<String>, GitError> {
    let plain = ["diff", "--no-ext-diff", "--no-renames", "--relative", "--name-only", "-z"];
    let listed = git(root, &[&plain[..], &compared.arguments(), &["--"]].concat())?;
    Ok(listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect())
}

/// How these paths below `root` differ, as a unified diff. It waits for git.
///
/// # Errors
///
/// As for [`changed_paths`].
pub fn diff(root: &Path, compared: Compared<'_>, paths: &[&str]) -> Result<String, GitError> {
    if paths.is_empty() {
        return Ok(String::new());
    }
    let plain = ["diff", "--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", "--relative"];
    let sides = ["--src-prefix=a/", "--dst-prefix=b/"];
    git(root, &[&plain[..], &sides, &compared.arguments(), &["--"], paths].concat())
}

fn is_in_repository(root: &Path) -> bool {
    repository(root).is_some()
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, GitError> {
    let output = Command::new("git")
        .args(["--no-optional-locks", "--no-pager", "--literal-pathspecs", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .map_err(GitError::NotRun)?;
    if !output.status.success() {
        return Err(GitError::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
