//! The tree of a commit's parent, in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;

use tandem::edit::Refusal;
use tandem::edit::edit_set::{Base, Revision};
use tandem::edit::plan::{Entry, Files, Identity, Kind};

use super::git::{Commit, Repository};

pub(crate) struct Tree<'a> {
    repository: &'a Repository,
    hash: &'a str,
    /// The paths, sorted, with their modes.
    paths: BTreeMap<String, String>,
    texts: RefCell<BTreeMap<String, Option<String>>>,
}

impl<'a> Tree<'a> {
    pub(crate) fn of(repository: &'a Repository, commit: &'a Commit) -> Self {
        let texts = commit.files.iter().filter_map(|file| file.old.clone());
        Self {
            repository,
            hash: &commit.hash,
            paths: parent_paths(repository, &commit.hash),
            texts: RefCell::new(texts.map(|(path, text)| (path, Some(text))).collect()),
        }
    }

    /// The same tree with other texts for some files.
    pub(crate) fn with(&self, changed: Vec<(String, String)>) -> Self {
        let mut texts = self.texts.borrow().clone();
        texts.extend(changed.into_iter().map(|(path, text)| (path, Some(text))));
        let (repository, hash, paths) = (self.repository, self.hash, self.paths.clone());
        Self { repository, hash, paths, texts: RefCell::new(texts) }
    }

    /// A file's text; `None` if it is missing or binary.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        if !self.paths.contains_key(path) {
            return None;
        }
        let load = || self.repository.text(&format!("{}^:{path}", self.hash));
        self.texts.borrow_mut().entry(path.to_owned()).or_insert_with(load).clone()
    }
}

impl Files for Tree<'_> {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let below = format!("{path}/");
        let is_folder = path.is_empty()
            || self.paths.range(below.clone()..).next().is_some_and(|(it, _)| it.starts_with(&below));
        let kind = match self.paths.get(path).map(|mode| mode.starts_with("100")) {
            Some(true) => Kind::File,
            Some(false) => Kind::Other,
            None if is_folder => Kind::Folder,
            None => return Ok(None),
        };
        let number = self.paths.range(..path.to_owned()).count() as u64;
        let identity = Identity(u64::from(is_folder), number);
        Ok(Some(Entry { real: path.to_owned(), kind, identity, is_link: false }))
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, Refusal> {
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let paths = self.paths.keys().filter_map(|path| path.strip_prefix(&below));
        Ok(paths.filter_map(|path| path.split('/').next().map(str::to_owned)).collect())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        let text = self.text(&entry.real).ok_or(Refusal::NotText { what: "the file" })?;
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}

/// The paths of a commit's parent, with their modes.
fn parent_paths(repository: &Repository, hash: &str) -> BTreeMap<String, String> {
    let listed = repository.git(&["ls-tree", "-r", "-z", &format!("{hash}^")]);
    let entries = listed.split('\0').filter_map(|entry| entry.split_once('\t'));
    entries.map(|(head, path)| (path.to_owned(), head[..6].to_owned())).collect()
}
