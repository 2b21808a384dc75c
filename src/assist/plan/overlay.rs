//! A project as it would be after a set of edits.

use std::path::PathBuf;
use std::sync::Arc;

use super::project::{Project, ProjectFiles};
use crate::edit::EditSet;
use crate::edit::edit_set::{Base, FileEdit, Revision};
use crate::edit::plan::{Entry, Files, Identity, Kind};
use crate::workspace::{FolderError, Workspace};

/// The new texts of the files of a set, by absolute path.
///
/// `None` for a file that is deleted or moved away.
pub(super) fn changes(project: &Project, set: &EditSet) -> Vec<(PathBuf, Option<String>)> {
    let mut changes: Vec<(PathBuf, Option<String>)> = Vec::new();
    for file in set.files() {
        let new_path = file.new_path();
        if new_path != Some(&file.path) {
            changes.push((project.place(&file.path), None));
        }
        if let (Some(path), Some(text)) = (new_path, file.new_text()) {
            changes.push((project.place(path), Some(text.into_owned())));
        }
    }
    changes
}

/// The project after a set of edits. Reads files and parses.
pub(super) fn after(project: &Project, set: &EditSet) -> Project {
    let workspace: Workspace = project.workspace.changed(&changes(project, set));
    let files = Overlay { below: Arc::clone(&project.files), set: set.clone() };
    Project { files: Arc::new(files), workspace: Arc::new(workspace), ..project.clone() }
}

struct Overlay {
    below: Arc<ProjectFiles>,
    set: EditSet,
}

impl Overlay {
    /// The index of the file that the set creates at a path or moves there.
    fn created_at(&self, path: &str) -> Option<usize> {
        self.set.files().iter().position(|file| {
            file.new_path() == Some(path) && (file.path != path || file.old_text().is_none())
        })
    }

    /// Whether the set deletes the file at a real path or moves it away.
    fn is_gone(&self, real: &str) -> bool {
        self.set.files().iter().any(|file| file.path == real && file.new_path() != Some(real))
    }

    /// The file at a path after the set, if the set changes it.
    fn changed(&self, real: &str) -> Option<&FileEdit> {
        self.set.files().iter().find(|file| file.new_path() == Some(real))
    }

    /// The paths below a folder, relative to it, at which the set creates files.
    fn created_below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a str> {
        let paths = self.set.files().iter().filter_map(FileEdit::new_path);
        paths.filter(|path| self.created_at(path).is_some()).filter_map(move |path| match folder {
            "" => Some(path),
            folder => path.strip_prefix(folder)?.strip_prefix('/'),
        })
    }
}

impl Files for Overlay {
    type Error = FolderError;

    fn root_path(&self) -> &str {
        self.below.root_path()
    }

    fn entry(&self, path: &str) -> Result<Option<Entry>, FolderError> {
        // No file on disk has these numbers.
        let new = |kind, number| Entry {
            real: path.to_owned(),
            kind,
            identity: Identity(u64::MAX, number),
            is_link: false,
        };
        if let Some(number) = self.created_at(path) {
            return Ok(Some(new(Kind::File, number as u64)));
        }
        match self.below.entry(path)? {
            Some(entry) if self.is_gone(&entry.real) => Ok(None),
            None if self.created_below(path).next().is_some() => Ok(Some(new(Kind::Folder, u64::MAX))),
            entry => Ok(entry),
        }
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, FolderError> {
        let mut names = match self.below.entry(folder)? {
            Some(entry) if entry.kind == Kind::Folder => self.below.names(folder)?,
            _ => Vec::new(),
        };
        let at = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        names.retain(|name| !self.is_gone(&at(name)));
        names.extend(self.created_below(folder).filter_map(|path| path.split('/').next()).map(str::to_owned));
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn open(&self, entry: &Entry) -> Result<Base, FolderError> {
        match self.changed(&entry.real).and_then(FileEdit::new_text) {
            Some(text) => Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text: text.into_owned() }),
            None => self.below.open(entry),
        }
    }
}
