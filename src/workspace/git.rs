//! Asks git about the files of a folder.
//!
//! A repository comes with the code that is worked on, so its own configuration is hostile: a filter, a
//! driver, a remote with a helper or a monitor of its files is a program that it could have run, and a path
//! in it may lead anywhere.
//!
//! * **No configuration of a repository is in force.** git is not told to leave out the keys that name
//!   programs, which are many and become more: it is given a folder of its own ([`Repository`]), with a copy
//!   of the index and the refs, and with the few settings that say how files are compared. No filter, lazy
//!   fetch, hook, monitor, external diff, pager, alias or replacement of an object can be named there.
//! * **The work tree is the folder that was asked about.** One that leads elsewhere is refused, and so is a
//!   `.git` that leads to a repository which does not lead back. No name from an index leaves the folder.
//! * **An answer is in bounds.** What is copied is read as a hostile file is ([`disk`](crate::disk)). git has
//!   ten seconds for one question, and is then killed with all that it started.
//! * **A file is asked about where it lives**: in the innermost repository, and once links are followed.
//!
//! [`program`] alone starts it. The crate `gix`, which runs nothing either, reads in this process: an object
//! or an index made to need much time or memory would take the server with it, where a process is killed. For
//! the same questions it adds 72 crates, almost 5 MB and minutes of compilation; git takes some 20 ms more
//! for its folder than for the bare question.

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

/// A file that has work which no commit has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uncommitted {
    /// The path that was asked about.
    pub path: String,
    /// The filter of the file, which is not run: what git keeps of it cannot be compared with.
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

/// Those of the paths below `root` that have uncommitted changes, or are on disk and not tracked.
///
/// What is outside of any repository has none. It waits for git.
///
/// # Errors
///
/// Git does not answer.
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
        // Of a file whose place a folder has taken, what is in the folder is named.
        let changed: HashSet<&str> = changed.iter().flat_map(|name| with_folders(name)).collect();
        for file in files.iter().filter(|file| changed.contains(file.name.as_str())) {
            found.insert(file.at, filters.get(&file.name).cloned());
        }
    }
    let path = |at: usize| paths.get(at).copied().unwrap_or_default().to_owned();
    Ok(found.into_iter().map(|(at, filter)| Uncommitted { path: path(at), filter }).collect())
}

/// Those of the paths below `root` that are on disk and that git does not track.
///
/// There are none outside of a repository. It waits for git.
///
/// # Errors
///
/// Git does not answer.
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

/// What differs between two states.
#[derive(Debug, Default)]
pub struct Changes {
    /// The paths that may be shown.
    pub paths: Vec<String>,
    /// How they differ, as a unified diff.
    pub diff: String,
    /// The paths that may not be shown, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// What differs in the repository at `root`; `withheld` is why a path may not be shown, if it may not.
///
/// It waits for git.
///
/// # Errors
///
/// Git does not answer, or knows no such revision.
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
    // git takes the path of a file for that of a folder, too: where one became the other, the diff of the
    // file would have what is in the folder.
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

/// The subjects of the last commits in the repository at `root`, the newest first; merges have none.
///
/// It waits for git.
///
/// # Errors
///
/// Git does not answer, or there is no commit.
pub fn subjects(root: &Path, most: usize) -> Result<Vec<String>, GitError> {
    let subjects = Repository::open(root, Logs::LeftOut)?.subjects(most)?;
    Ok(subjects.lines().map(str::trim).filter(|it| !it.is_empty()).map(str::to_owned).collect())
}

/// The repository's folder around a folder, if there is one.
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| disk::is_there(&folder.join(".git")))
}

/// A file as its repository names it.
struct GitFile {
    /// The path that was asked about, by its number.
    at: usize,
    place: PathBuf,
    /// Below the folder of the repository.
    name: String,
}

impl GitFile {
    fn is_there(&self) -> bool {
        disk::metadata(&self.place, Links::Refuse).is_ok()
    }
}

/// The files by the repositories that they live in: under their own names, and where links lead.
fn by_repository(root: &Path, paths: &[&str]) -> BTreeMap<PathBuf, Vec<GitFile>> {
    let mut repositories: BTreeMap<PathBuf, Vec<GitFile>> = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let path = root.join(path);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
        let (named, real) = (real(folder).join(name), real(&path));
        let is_link = named != real;
        for place in [Some(named), is_link.then_some(real)].into_iter().flatten() {
            let Some(folder) = place.parent().and_then(repository) else { continue };
            // A name that is no UTF-8 is found nowhere in what git lists, so it counts as not tracked.
            let name = place.strip_prefix(folder).unwrap_or(&place).to_string_lossy();
            let name = name.replace(std::path::MAIN_SEPARATOR, "/");
            repositories.entry(folder.to_owned()).or_default().push(GitFile { at, place, name });
        }
    }
    repositories
}

/// A path with the links followed that are on its way; what is not there yet is kept as it is.
fn real(path: &Path) -> PathBuf {
    for folder in path.ancestors() {
        if let Ok(real) = disk::real(folder) {
            let rest = path.strip_prefix(folder).unwrap_or(Path::new(""));
            return real.components().chain(rest.components()).collect();
        }
    }
    path.to_owned()
}

/// Whether a name of an index or a tree is a path below its folder, and not in `.git`.
fn is_below(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(
        |part| matches!(part, Component::Normal(part) if part.to_str().is_some_and(|it| !is_git_folder(it))),
    )
}

/// A name, and the folders that it is in.
fn with_folders(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(name), |name| Some(name.rsplit_once('/')?.0))
}

#[cfg(test)]
mod tests;
