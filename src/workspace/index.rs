//! The index of a workspace: its files, and which of them use or define a name.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::FileFacts;
use super::names::{self, Counts, HashOfHash};
use super::symbols::{Definition, FileSymbols, StoredDefinition};
use crate::grammar::Grammar;
use crate::text::hash::Fnv32;

/// The files of a workspace, by their paths, their folders and the names in them.
#[derive(Clone, Default)]
pub(super) struct Index {
    pub(super) ids: HashMap<Arc<Path>, u32>,
    /// Indexed by the numbers in `ids`; a number is reused once its file is gone.
    pub(super) files: Vec<Option<File>>,
    free: Vec<u32>,
    /// The number of files with a name, per language family.
    pub(super) families: HashMap<&'static str, Counts>,
    /// The files that define a name, by its hash.
    pub(super) defining: HashMap<u32, Vec<u32>, BuildHasherDefault<HashOfHash>>,
    pub(super) folders: HashMap<PathBuf, Vec<u32>>,
}

#[derive(Clone)]
pub(super) struct File {
    pub(super) path: Arc<Path>,
    pub(super) grammar: &'static Grammar,
    pub(super) facts: FileFacts,
    /// The digest of the stamp on disk; `None` for an editor's text.
    pub(super) stamp: Option<u64>,
}

/// A definition and its file.
#[derive(Debug, Clone)]
pub struct FileDefinition {
    path: Arc<Path>,
    symbols: Arc<FileSymbols>,
    stored: StoredDefinition,
}

impl FileDefinition {
    pub(super) fn new(path: &Arc<Path>, symbols: &Arc<FileSymbols>, stored: StoredDefinition) -> Self {
        Self { path: Arc::clone(path), symbols: Arc::clone(symbols), stored }
    }

    /// The file.
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// The definition.
    pub fn definition(&self) -> Definition<'_> {
        self.symbols.read(&self.stored)
    }

    /// The sort key: the path, then the start.
    pub(super) fn order(&self) -> (&Path, u32) {
        (&self.path, self.stored.start)
    }

    /// The enclosing definition.
    pub fn parent(&self) -> Option<Definition<'_>> {
        self.symbols.definition(self.definition().parent?)
    }
}

impl File {
    fn places(&self, name: &str) -> impl Iterator<Item = FileDefinition> {
        let symbols = &self.facts.symbols;
        let named = symbols.definitions.iter().filter(move |it| symbols.read(it).name == name);
        named.map(|stored| self.place(*stored))
    }

    pub(super) fn place(&self, stored: StoredDefinition) -> FileDefinition {
        FileDefinition::new(&self.path, &self.facts.symbols, stored)
    }

    /// The size of its heap memory, in bytes.
    fn size(&self) -> usize {
        // The counts of an `Arc` take two words.
        self.path.as_os_str().len() + 32 + size_of_val::<[_]>(&self.facts.names) + self.facts.symbols.size()
    }
}

impl Index {
    /// The file with a number.
    pub(super) fn file(&self, id: u32) -> Option<&File> {
        self.files.get(id as usize)?.as_ref()
    }

    pub(super) fn by_path(&self, path: &Path) -> Option<&File> {
        self.file(*self.ids.get(path)?)
    }

    /// The definitions of a name in files of a language family, in any order.
    pub(super) fn definitions(&self, family: &str, name: &str) -> Vec<FileDefinition> {
        let ids = self.defining.get(&Fnv32::of(name)).into_iter().flatten();
        let files = ids.filter_map(|id| self.file(*id)).filter(|file| file.grammar.family() == family);
        files.flat_map(|file| file.places(name)).collect()
    }

    /// The number of files, and the approximate memory in bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        let files = self.files.iter().flatten().map(File::size).sum::<usize>();
        // A slot has key, value and a control byte; tables are between half and seven eighths full.
        let names = self.families.values().map(|names| names.capacity() * 9 * 8 / 7).sum::<usize>();
        let lists = self.defining.values().map(|ids| ids.capacity() * 4 + 16).sum::<usize>();
        let defining = self.defining.capacity() * 33 * 8 / 7 + lists;
        let folders = self.folders.iter().map(|(path, ids)| path.as_os_str().len() + 96 + ids.capacity() * 4);
        let places = self.ids.capacity() * 21 * 8 / 7 + self.files.capacity() * size_of::<Option<File>>();
        (self.ids.len(), files + names + defining + folders.sum::<usize>() + places)
    }

    /// Adds a file, replacing its earlier facts.
    pub(super) fn put(
        &mut self,
        path: Arc<Path>,
        grammar: &'static Grammar,
        facts: FileFacts,
        stamp: Option<u64>,
    ) {
        self.forget(&path);
        names::add(self.families.entry(grammar.family()).or_default(), &facts.names);
        let id = self.free.pop().unwrap_or_else(|| {
            self.files.push(None);
            u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
        });
        for name in defined(&facts) {
            self.defining.entry(name).or_default().push(id);
        }
        if let Some(folder) = path.parent() {
            self.folders.entry(folder.to_owned()).or_default().push(id);
        }
        self.ids.insert(Arc::clone(&path), id);
        if let Some(slot) = self.files.get_mut(id as usize) {
            *slot = Some(File { path, grammar, facts, stamp });
        }
    }

    /// Removes a file.
    pub(super) fn forget(&mut self, path: &Path) {
        let Some(id) = self.ids.remove(path) else { return };
        let Some(file) = self.files.get_mut(id as usize).and_then(Option::take) else { return };
        self.free.push(id);
        if let Some(names) = self.families.get_mut(file.grammar.family()) {
            names::remove(names, &file.facts.names);
        }
        for name in defined(&file.facts) {
            if let Some(ids) = self.defining.get_mut(&name) {
                ids.retain(|it| *it != id);
                if ids.is_empty() {
                    self.defining.remove(&name);
                }
            }
        }
        if let Some(folder) = path.parent()
            && let Some(ids) = self.folders.get_mut(folder)
        {
            ids.retain(|it| *it != id);
            if ids.is_empty() {
                self.folders.remove(folder);
            }
        }
    }
}

/// The hashes of the names that a file defines, without duplicates.
fn defined(facts: &FileFacts) -> Vec<u32> {
    let mut names: Vec<u32> = facts.symbols.definitions().map(|it| Fnv32::of(it.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}
