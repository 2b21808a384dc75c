//! The index of a workspace: its files, and which of them use or define a name.
//!
//! Workspaces of the same folder share a [`Layer`] of its files as they are on disk. Each has a layer of its own for what
//! differs: texts that are open in its editor, and files that have changed since. A file of a shared layer is seen only
//! once a walk with the workspace's own rules has found it.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::FileFacts;
use super::names::{self, Counts, HashOfHash};
use super::symbols::{Definition, FileSymbols, StoredDefinition};
use crate::grammar::Grammar;
use crate::text::hash::Fnv32;

/// The bits of a file's number that count the files of one layer; the others are the layer's.
const LAYER_BITS: u32 = 24;

/// The files of a workspace.
#[derive(Clone, Default)]
pub(super) struct Index {
    own: Layer,
    shared: Vec<SharedLayer>,
}

/// Files by their paths, their folders and the names in them.
#[derive(Clone, Default)]
pub(super) struct Layer {
    ids: HashMap<Arc<Path>, u32>,
    /// Indexed by the numbers in `ids`; a number is reused once its file is gone.
    files: Vec<Option<File>>,
    free: Vec<u32>,
    /// The number of files with a name, per language family.
    families: HashMap<&'static str, Counts>,
    /// The files that define a name, by its hash.
    defining: HashMap<u32, Vec<u32>, BuildHasherDefault<HashOfHash>>,
    folders: HashMap<PathBuf, Vec<u32>>,
}

/// A layer of several workspaces, as one of them sees it.
#[derive(Clone)]
struct SharedLayer {
    layer: Arc<Layer>,
    /// The files that this workspace does not see, and the numbers of those with a name.
    hidden: HashSet<u32>,
    hidden_names: HashMap<&'static str, Counts>,
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
    /// The layers with their numbers, and what is hidden of each.
    fn layers(&self) -> impl Iterator<Item = (u32, &Layer, Option<&SharedLayer>)> {
        let shared = self.shared.iter().map(|it| (&*it.layer, Some(it)));
        std::iter::once((&self.own, None)).chain(shared).zip(0..).map(|((layer, it), at)| (at, layer, it))
    }

    /// The numbers of the files that `pick` finds in the layers.
    fn picked<'a, I: Iterator<Item = u32>>(
        &'a self,
        pick: impl Fn(&'a Layer) -> I,
    ) -> impl Iterator<Item = u32> {
        self.layers().flat_map(move |(at, layer, shared)| {
            let is_seen = move |id: &u32| shared.is_none_or(|it| !it.hidden.contains(id));
            pick(layer).filter(is_seen).map(move |id| at << LAYER_BITS | id)
        })
    }

    /// The numbers of all files.
    pub(super) fn ids(&self) -> Vec<u32> {
        self.picked(|layer| layer.ids.values().copied()).collect()
    }

    /// All files.
    pub(super) fn files(&self) -> impl Iterator<Item = &File> {
        self.picked(|layer| 0..layer.files.len() as u32).filter_map(|id| self.file(id))
    }

    /// The file with a number.
    pub(super) fn file(&self, id: u32) -> Option<&File> {
        let own = id & ((1 << LAYER_BITS) - 1);
        match (id >> LAYER_BITS) as usize {
            0 => self.own.file(own),
            at => self.shared.get(at - 1).filter(|it| !it.hidden.contains(&own))?.layer.file(own),
        }
    }

    /// The number of the file at a path.
    pub(super) fn id(&self, path: &Path) -> Option<u32> {
        self.picked(|layer| layer.ids.get(path).copied().into_iter()).next()
    }

    pub(super) fn by_path(&self, path: &Path) -> Option<&File> {
        self.file(self.id(path)?)
    }

    /// The files that define a name.
    pub(super) fn defining(&self, name: &str) -> Vec<u32> {
        let hash = Fnv32::of(name);
        self.picked(|layer| layer.defining.get(&hash).into_iter().flatten().copied()).collect()
    }

    /// The files of a folder; empty if it has none.
    pub(super) fn in_folder(&self, folder: &Path) -> Vec<u32> {
        self.picked(|layer| layer.folders.get(folder).into_iter().flatten().copied()).collect()
    }

    /// The folders of files, and maybe of some that are not seen.
    pub(super) fn folders(&self) -> impl Iterator<Item = &PathBuf> {
        self.layers().flat_map(|(_, layer, _)| layer.folders.keys())
    }

    /// The number of files of a language family with a name, by its hash.
    pub(super) fn count(&self, family: &str, name: u32) -> u32 {
        let of =
            |families: &HashMap<&str, Counts>| families.get(family).and_then(|it| it.get(&name)).copied();
        let seen = self.layers().map(|(_, layer, shared)| {
            let hidden = shared.and_then(|it| of(&it.hidden_names)).unwrap_or(0);
            of(&layer.families).unwrap_or(0).saturating_sub(hidden)
        });
        seen.sum()
    }

    /// Whether a language family has at least this many different names.
    pub(super) fn has_names(&self, family: &str, least: usize) -> bool {
        let of = |families: &HashMap<&str, Counts>| families.get(family).map_or(0, HashMap::len);
        self.layers().any(|(_, layer, shared)| {
            of(&layer.families).saturating_sub(shared.map_or(0, |it| of(&it.hidden_names))) >= least
        })
    }

    /// The definitions of a name in files of a language family, in any order.
    pub(super) fn definitions(&self, family: &str, name: &str) -> Vec<FileDefinition> {
        let files = self.defining(name).into_iter().filter_map(|id| self.file(id));
        files.filter(|file| file.grammar.family() == family).flat_map(|file| file.places(name)).collect()
    }

    /// The number of files, and the approximate memory in bytes, with that of shared layers.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.ids().len(), self.layers().map(|(_, layer, _)| layer.size()).sum())
    }

    /// The layers that are shared.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Arc<Layer>> {
        self.shared.iter().map(|it| &it.layer)
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
        self.own.put(File { path, grammar, facts, stamp });
    }

    /// Removes a file.
    pub(super) fn forget(&mut self, path: &Path) {
        self.own.forget(path);
        self.shared.iter_mut().for_each(|it| it.hide(path));
    }

    /// Sees the files of a layer that `is_seen` admits, from now on in place of the workspace's own entries for them.
    ///
    /// The layer takes the place of an earlier one of the same folder. Returns what is left of the own layer, to be
    /// dropped.
    pub(super) fn share(
        &mut self,
        layer: &Arc<Layer>,
        earlier: Option<&Arc<Layer>>,
        is_seen: impl Fn(&Self, &File) -> bool,
    ) -> Layer {
        let mut shared =
            SharedLayer { layer: Arc::clone(layer), hidden: HashSet::new(), hidden_names: HashMap::new() };
        layer.files().filter(|file| !is_seen(self, file)).for_each(|file| shared.hide(&file.path));
        let mut own = std::mem::take(&mut self.own);
        for file in std::mem::take(&mut own.files).into_iter().flatten() {
            if shared.id(&file.path).is_none() {
                self.own.put(file);
            }
        }
        match self.shared.iter_mut().find(|it| earlier.is_some_and(|earlier| Arc::ptr_eq(&it.layer, earlier)))
        {
            Some(it) => *it = shared,
            None => self.shared.push(shared),
        }
        own
    }
}

impl SharedLayer {
    /// The number in the layer of a file that is seen.
    fn id(&self, path: &Path) -> Option<u32> {
        self.layer.ids.get(path).copied().filter(|id| !self.hidden.contains(id))
    }

    fn hide(&mut self, path: &Path) {
        if let Some(id) = self.id(path)
            && let Some(file) = self.layer.file(id)
        {
            self.hidden.insert(id);
            names::add(self.hidden_names.entry(file.grammar.family()).or_default(), &file.facts.names);
        }
    }
}

impl Layer {
    /// A layer of these files.
    pub(super) fn of(files: impl Iterator<Item = File>) -> Self {
        let mut layer = Self::default();
        files.for_each(|file| layer.put(file));
        layer
    }

    fn file(&self, id: u32) -> Option<&File> {
        self.files.get(id as usize)?.as_ref()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter().flatten()
    }

    pub(super) fn by_path(&self, path: &Path) -> Option<&File> {
        self.file(*self.ids.get(path)?)
    }

    /// The approximate memory in bytes.
    fn size(&self) -> usize {
        let files = self.files().map(File::size).sum::<usize>();
        // A slot has key, value and a control byte; tables are between half and seven eighths full.
        let names = self.families.values().map(|names| names.capacity() * 9 * 8 / 7).sum::<usize>();
        let lists = self.defining.values().map(|ids| ids.capacity() * 4 + 16).sum::<usize>();
        let defining = self.defining.capacity() * 33 * 8 / 7 + lists;
        let folders = self.folders.iter().map(|(path, ids)| path.as_os_str().len() + 96 + ids.capacity() * 4);
        let places = self.ids.capacity() * 21 * 8 / 7 + self.files.capacity() * size_of::<Option<File>>();
        files + names + defining + folders.sum::<usize>() + places
    }

    /// Adds a file whose path is new.
    pub(super) fn put(&mut self, file: File) {
        names::add(self.families.entry(file.grammar.family()).or_default(), &file.facts.names);
        let id = self.free.pop().unwrap_or_else(|| {
            self.files.push(None);
            u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX)
        });
        for name in defined(&file.facts) {
            self.defining.entry(name).or_default().push(id);
        }
        if let Some(folder) = file.path.parent() {
            self.folders.entry(folder.to_owned()).or_default().push(id);
        }
        self.ids.insert(Arc::clone(&file.path), id);
        if let Some(slot) = self.files.get_mut(id as usize) {
            *slot = Some(file);
        }
    }

    fn forget(&mut self, path: &Path) {
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
