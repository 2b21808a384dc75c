//! Files with changes that git does not have yet.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, bail};

/// Those of the paths below `root` that have uncommitted changes, or that git does not track; none outside of a
/// repository.
///
/// # Errors
///
/// Git does not answer.
pub(super) fn of(root: &Path, paths: &[&str]) -> anyhow::Result<Vec<String>> {
    if paths.is_empty() || !root.ancestors().any(|folder| folder.join(".git").exists()) {
        return Ok(Vec::new());
    }
    let output = Command::new("git")
        // What the repository's own configuration could make git run is off.
        .args(["--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"])
        .args(["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--"])
        .args(paths)
        .current_dir(root)
        .output()
        .context("git cannot be run, which tells whether files have uncommitted changes")?;
    if !output.status.success() {
        bail!(
            "git does not tell which files have changes: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let listed = String::from_utf8_lossy(&output.stdout);
    // Each entry is two letters, a blank and a path.
    Ok(listed.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned).collect())
}
