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

/// Those of the paths below `root` that have uncommitted changes, or that git does not track; none outside of a
/// repository. It waits for git.
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

/// Those of the paths below `root` that git does not track; none outside of a repository. It waits for git.
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

/// What is staged in the repository around `root`, as a unified diff with the text as it is. It waits for git.
///
/// # Errors
///
/// Git does not answer.
pub fn staged_diff(root: &Path) -> Result<String, GitError> {
    diff(root, &["--cached"])
}

/// What a revision or a range of them changed, as git has it for `git diff REVISION`. It waits for git.
///
/// # Errors
///
/// Git does not answer, or knows no such revision.
pub fn diff_of(root: &Path, revision: &str) -> Result<String, GitError> {
    diff(root, &["--end-of-options", revision])
}

fn diff(root: &Path, what: &[&str]) -> Result<String, GitError> {
    let plain =
        ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/"];
    git(root, &[&plain, what, &["--"]].concat())
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
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
