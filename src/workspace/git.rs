//! Queries git about the files of a folder.
//!
//! A repository comes with the code, so its configuration is untrusted: a filter, a driver, a remote with a
//! helper or a file system monitor is a program that git could run, and a path in it may lead anywhere.
//!
//! * **No configuration of a repository applies.** Excluding the keys that name programs would not do, since
//!   they are many and more are added: git gets a private folder ([`Repository`]), with a copy of the index and
//!   the refs, and with the few settings that determine how files are compared. No filter, lazy fetch, hook,
//!   monitor, external diff, pager, alias or replacement object can be set there.
//! * **The work tree is the requested folder.** A work tree elsewhere is refused, and so is a `.git` that leads
//!   to a repository which does not refer back. No name from an index leaves the folder.
//! * **Queries are bounded.** Copied files are read like any untrusted file ([`disk`](crate::disk)). git has
//!   ten seconds per query, and is then killed with its child processes.
//! * **A file is looked up where it lives**: in the innermost repository, and with links resolved.
//!
//! Only [`program`] starts git. The crate `gix`, which runs no programs either, would read in this process: an
//! object or an index crafted to need much time or memory would take the server down, whereas a process is
//! killed. For the same queries it adds 72 crates, almost 5 MB and minutes of compilation; the private folder
//! costs git some 20 ms more per query.

mod error;
mod history;
mod program;
mod repository;
mod settings;

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::{Component, Path, PathBuf};

pub use error::GitError;
pub use history::{ChangedText, Commit, history};
pub use repository::Compared;
use repository::{Logs, Repository};

use crate::disk::{self, Links};
use crate::edit::plan::is_git_folder;

/// A file with uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncommitted {
    /// The requested path.
    pub path: String,
    /// The file's filter, which is not run, so that git's version of the file cannot be compared.
    pub filter: Option<String>,
}

impl fmt::Display for Uncommitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match &self.filter {
            Some(filter) => write!(f, " (its filter `{filter}` is not run, so it counts as changed)"),
            None => Ok(()),
        }
    }
}

/// The paths below `root`, among `paths`, that have uncommitted changes, or are on disk and untracked.
///
/// Files outside of any repository have none. Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer.
pub fn uncommitted(root: &Path, paths: &[&str]) -> Result<Vec<Uncommitted>, GitError> {
    let mut found = BTreeMap::new();
    for (repository, files) in by_repository(root, paths) {
        let repository = Repository::open(&repository, Logs::LeftOut)?;
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let tracked = repository.tracked(&names)?;
        let is_lost = |file: &&GitFile| file.is_there() && !tracked.contains_key(&file.name);
        for file in files.iter().filter(is_lost) {
            found.insert(file.at, None);
        }
        let hidden = |file: &&GitFile| file.is_there() && tracked.get(&file.name) == Some(&true);
        let hidden: Vec<&str> = files.iter().filter(hidden).map(|file| file.name.as_str()).collect();
        repository.unhide(&hidden)?;
        let changed = repository.changed_since_commit(&names)?;
        let filters = repository.filters(changed.iter().map(String::as_str))?;
        // If a folder has replaced a file, git lists the paths in the folder.
        let changed: HashSet<&str> = changed.iter().flat_map(|name| with_folders(name)).collect();
        for file in files.iter().filter(|file| changed.contains(file.name.as_str())) {
            found.insert(file.at, filters.get(&file.name).cloned());
        }
    }
    let path = |at: usize| paths.get(at).copied().unwrap_or_default().to_owned();
    Ok(found.into_iter().map(|(at, filter)| Uncommitted { path: path(at), filter }).collect())
}

/// The paths below `root`, among `paths`, that are on disk and not tracked by git.
///
/// Files outside of a repository do not count. Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer.
pub fn untracked(root: &Path, paths: &[&str]) -> Result<HashSet<String>, GitError> {
    let mut found = HashSet::new();
    for (repository, files) in by_repository(root, paths) {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let tracked = Repository::open(&repository, Logs::LeftOut)?.tracked(&names)?;
        let lost = files.iter().filter(|file| file.is_there() && !tracked.contains_key(&file.name));
        found.extend(lost.filter_map(|file| paths.get(file.at)).map(|path| (*path).to_owned()));
    }
    Ok(found)
}

/// The differences between two states.
#[derive(Debug, Default)]
pub struct Changes {
    /// The paths that may be shown.
    pub paths: Vec<String>,
    /// The differences as a unified diff.
    pub diff: String,
    /// The paths that may not be shown, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// The differences in the repository at `root`; `withheld` returns why a path may not be shown, if so.
///
/// Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer, or does not know the revision.
pub fn changes(
    root: &Path,
    compared: Compared<'_>,
    mut withheld: impl FnMut(&str) -> Option<String>,
) -> Result<Changes, GitError> {
    let logs = match compared {
        Compared::Since(revision) if revision.contains("@{") => Logs::Copied,
        _ => Logs::LeftOut,
    };
    let repository = Repository::open(root, logs)?;
    repository.has_its_objects()?;
    let mut changes = Changes::default();
    for name in repository.changed(compared)? {
        match String::from_utf8(name) {
            Ok(name) if is_below(&name) => changes.paths.push(name),
            Ok(name) => changes.left_out.push((name, "it is no path of a project".to_owned())),
            Err(error) => {
                let name = String::from_utf8_lossy(error.as_bytes()).into_owned();
                changes.left_out.push((name, "its name is not UTF-8".to_owned()));
            }
        }
    }
    let filters = match compared {
        Compared::Staged => BTreeMap::new(),
        Compared::Since(_) => repository.filters(changes.paths.iter().map(String::as_str))?,
    };
    changes.paths.retain(|path| {
        let filter = || filters.get(path).map(|filter| format!("its filter `{filter}` is not run"));
        let why = withheld(path).or_else(filter);
        changes.left_out.extend(why.clone().map(|why| (path.clone(), why)));
        why.is_none()
    });
    // git also matches a file's path against a folder: where one replaced the other, the diff of the file would
    // include the contents of the folder.
    let folders: HashSet<String> =
        changes.left_out.iter().flat_map(|(name, _)| with_folders(name).skip(1)).map(str::to_owned).collect();
    changes.paths.retain(|path| {
        let is_folder = folders.contains(path);
        if is_folder {
            changes.left_out.push((path.clone(), "so is a file below it".to_owned()));
        }
        !is_folder
    });
    changes.diff = repository.diff(compared, &changes.paths)?;
    Ok(changes)
}

/// The subjects of the last commits in the repository at `root`, newest first, without merges.
///
/// Blocks on git.
///
/// # Errors
///
/// Fails if git does not answer, or there is no commit.
pub fn subjects(root: &Path, most: usize) -> Result<Vec<String>, GitError> {
    let subjects = Repository::open(root, Logs::LeftOut)?.subjects(most)?;
    Ok(subjects.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect())
}

/// The root of the repository that contains a folder, if any.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| disk::is_there(&folder.join(".git")))
}

/// A file with its name in its repository.
struct GitFile {
    /// The index of the requested path.
    at: usize,
    place: PathBuf,
    /// Relative to the repository's root.
    name: String,
}

impl GitFile {
    fn is_there(&self) -> bool {
        disk::metadata(&self.place, Links::Refuse).is_ok()
    }
}

/// Groups files by their repositories: under their own names, and where links lead.
fn by_repository(root: &Path, paths: &[&str]) -> BTreeMap<PathBuf, Vec<GitFile>> {
    let mut repositories: BTreeMap<PathBuf, Vec<GitFile>> = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let path = root.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
        let (named, real) = (real(folder).join(name), real(&path));
        let is_link = named != real;
        for place in [Some(named), is_link.then_some(real)].into_iter().flatten() {
            let Some(folder) = place.parent().and_then(repository) else { continue };
            // A name that is not UTF-8 never matches git's listing, so it counts as untracked.
            let name = place.strip_prefix(folder).unwrap_or(&place).to_string_lossy();
            let name = name.replace(std::path::MAIN_SEPARATOR, "/");
            repositories.entry(folder.to_owned()).or_default().push(GitFile { at, place, name });
        }
    }
    repositories
}

/// Resolves the links in a path; components that do not exist yet are kept.
fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(real) = disk::real(folder) {
            let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
            return real.components().chain(rest.components()).collect();
        }
    }
    path.to_owned()
}

/// Whether a name from an index or a tree is a path below its folder, and not in `.git`.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(
        |part| matches!(part, Component::Normal(part) if part.to_str().is_some_and(|it| !is_git_folder(it))),
    )
}

/// A name, followed by its parent folders.
fn with_folders(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| Some(name.rsplit_once('/')?.0))
}

#[cfg(test)]
mod tests;
