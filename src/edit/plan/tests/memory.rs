//! A folder in memory.

use std::collections::BTreeMap;

use crate::edit::Refusal;
use crate::edit::edit_set::{Base, Revision};
use crate::edit::plan::{Entry, Files, Identity, Kind};

/// Files in memory: `path -> target` lines are links, a path that ends in `|` is a pipe.
pub(super) struct Memory {
    pub(super) texts: BTreeMap<String, String>,
    links: BTreeMap<String, String>,
}

impl Memory {
    pub(super) fn new(files: &[&str]) -> Self {
        let (links, texts): (Vec<&str>, Vec<&str>) = files.iter().partition(|file| file.contains(" -> "));
        let texts = texts.iter().map(|path| ((*path).to_owned(), format!("{path}\none\ntwo\n"))).collect();
        let links = links.iter().filter_map(|link| link.split_once(" -> "));
        Self { texts, links: links.map(|(path, to)| (path.to_owned(), to.to_owned())).collect() }
    }

    fn real(&self, path: &str) -> String {
        let mut real = String::new();
        for part in path.split('/') {
            real = if real.is_empty() { part.to_owned() } else { format!("{real}/{part}") };
            if let Some(to) = self.links.get(&real) {
                real = to.clone();
            }
        }
        real
    }
}

impl Files for Memory {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let real = self.real(path);
        if real.starts_with("..") {
            return Err(Refusal::OutsideRoot { path: path.to_owned() });
        }
        let is_link = self.links.contains_key(path);
        let at = self.texts.keys().position(|it| *it == real);
        let is_folder = real.is_empty() || self.texts.keys().any(|it| it.starts_with(&format!("{real}/")));
        let kind = match at {
            Some(_) if real.ends_with('|') => Kind::Other,
            Some(_) => Kind::File,
            None if is_folder => Kind::Folder,
            None => return Ok(None),
        };
        let identity = Identity(at.map_or(1, |_| 0), at.unwrap_or(real.len()) as u64);
        Ok(Some(Entry { real, kind, identity, is_link }))
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, Refusal> {
        let below = |path: &String| match folder {
            "" => Some(path.clone()),
            folder => path.strip_prefix(folder)?.strip_prefix('/').map(str::to_owned),
        };
        let paths = self.texts.keys().chain(self.links.keys()).filter_map(below);
        Ok(paths.filter_map(|path| path.split('/').next().map(str::to_owned)).collect())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        assert_eq!(entry.kind, Kind::File, "opened: {}", entry.real);
        let text = self.texts[&entry.real].clone();
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}
