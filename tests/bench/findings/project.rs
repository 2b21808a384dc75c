//! The project as it was before each commit, kept in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tandem::assist::plan::Project;
use tandem::config::Scoped;
use tandem::grammar;
use tandem::privacy::Verdict;
use tandem::workspace::{Folder, Workspace};

use crate::git::Repository;

/// The hash of git's empty tree.
const EMPTY: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// A workspace that moves from one commit's parent to the next by applying the difference.
pub(crate) struct History<'a> {
    repository: &'a Repository,
    /// No file below it is read: all texts are added as open files.
    root: tempfile::TempDir,
    at: String,
    workspace: Arc<Workspace>,
}

impl<'a> History<'a> {
    pub(crate) fn new(repository: &'a Repository) -> Self {
        let root = tempfile::tempdir().unwrap();
        Self { repository, root, at: EMPTY.to_owned(), workspace: Arc::default() }
    }

    /// The project as it was before the commit.
    pub(crate) fn before(&mut self, commit: &str) -> Project {
        let folder = Folder::new(self.root.path(), 1 << 20).unwrap();
        let root = folder.root().to_owned();
        let parent = format!("{commit}^");
        let raw = self.repository.git(&["diff-tree", "-r", "--raw", "-z", "--no-renames", &self.at, &parent]);
        let mut fields = raw.split('\0').filter(|field| !field.is_empty());
        let mut changes: Vec<(PathBuf, Option<String>)> = Vec::new();
        while let (Some(head), Some(path)) = (fields.next(), fields.next()) {
            let head: Vec<&str> = head.split(' ').collect();
            let is_file = head[1].starts_with("100") && grammar::by_path(Path::new(path)).is_some();
            changes.push((root.join(path), if is_file { self.repository.text(head[3]) } else { None }));
        }
        self.workspace = Arc::new(self.workspace.changed(&changes));
        self.workspace.complete();
        self.at = parent;
        Project {
            root,
            files: Arc::new(folder),
            workspace: Arc::clone(&self.workspace),
            settings: Scoped::default(),
            access: Arc::new(|_| Verdict::Open),
            permission: Arc::new(tandem::assist::plan::NeverRun),
            readers: tandem::disk::Readers::default(),
        }
    }
}
