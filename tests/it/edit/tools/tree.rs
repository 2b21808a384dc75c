//! A folder in memory.

use std::collections::{BTreeMap, BTreeSet};

use similar::TextDiff;
use tandem::edit::Refusal;
use tandem::edit::edit_set::{Base, Revision};
use tandem::edit::plan::{Entry, Files, Identity, Kind};

/// The texts by path.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tree(pub(super) BTreeMap<String, String>);

impl Tree {
    /// The same folder, with these files added or replaced.
    pub(super) fn with(&self, files: &[(&str, &str)]) -> Self {
        let more = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self(self.0.clone().into_iter().chain(more).collect())
    }

    /// The differences from another folder, for display.
    pub(super) fn changes(&self, before: &Self) -> String {
        let mut text = String::new();
        let paths = self.0.keys().chain(before.0.keys().filter(|path| !self.0.contains_key(*path)));
        for path in paths {
            let (old, new) = (before.0.get(path), self.0.get(path));
            if old != new {
                let name = |side: Option<&String>| {
                    if side.is_some() { path.clone() } else { "/dev/null".to_owned() }
                };
                let empty = String::new();
                let diff =
                    TextDiff::from_lines(old.unwrap_or(&empty).as_str(), new.unwrap_or(&empty).as_str());
                text += &diff.unified_diff().context_radius(2).header(&name(old), &name(new)).to_string();
            }
        }
        text
    }
}

impl Files for Tree {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let below = format!("{path}/");
        let is_folder = path.is_empty() || self.0.keys().any(|it| it.starts_with(&below));
        let kind = match (self.0.contains_key(path), is_folder) {
            (true, _) => Kind::File,
            (_, true) => Kind::Folder,
            _ => return Ok(None),
        };
        let number = self.0.range(..path.to_owned()).count() as u64;
        let identity = Identity(u64::from(is_folder), number);
        Ok(Some(Entry { real: path.to_owned(), kind, identity, is_link: false }))
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, Refusal> {
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let names = self.0.keys().filter_map(|path| path.strip_prefix(&below)?.split('/').next());
        let names: BTreeSet<&str> = names.collect();
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        let text = self.0[&entry.real].clone();
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}
