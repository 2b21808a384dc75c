//! The state of a workspace: its index, and the texts that are open in the editor.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, MutexGuard};

use ropey::Rope;

use super::file::FileFacts;
use super::index::{File, FileDefinition, Index, Layer};
use super::listing::{Listed, MOST_FILE_BYTES};
use super::shared::SharedIndexes;
use super::symbols::FileSymbols;
use crate::disk::{self, Links, Unreadable};
use crate::document::Document;
use crate::grammar::Grammar;
use crate::lock::Mutex;
use crate::text::hash::Fnv32;

/// With fewer names than this the index is not reliable: in a workspace of ten files, half of all sound
/// functions call something for the first time.
const FEW_NAMES: usize = 4_000;

/// The index of a workspace.
///
/// Shared between requests; its lock is held for one lookup or one file.
#[derive(Default)]
pub struct Workspace {
    state: Mutex<State>,
    /// What walks find and leave for other workspaces of the same folders, if there may be any.
    pub(super) shared: Option<SharedIndexes>,
}

#[derive(Clone, Default)]
struct State {
    index: Index,
    /// The texts open in the editor.
    open: HashMap<PathBuf, OpenText>,
    /// The number of started walks that are not complete; `None` before the first walk.
    missing: Option<usize>,
    /// The number of the latest walk.
    walk: u64,
    /// What was shared before the latest walk, until that is complete.
    before: Vec<Arc<Layer>>,
}

pub(super) struct IndexGuard<'a>(MutexGuard<'a, State>);

impl Deref for IndexGuard<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0.index
    }
}

#[derive(Clone)]
struct OpenText {
    /// Increases with each version, even if the editor's number does not.
    ///
    /// `None` until the rules of a newer walk admit the file again.
    revision: Option<u64>,
    text: Rope,
    /// Whether its facts serve the next version.
    is_sound: bool,
}

impl Workspace {
    /// A workspace that shares the files on disk with others.
    pub fn sharing(shared: SharedIndexes) -> Self {
        Self { shared: Some(shared), ..Self::default() }
    }

    /// Indexes a file's text, replacing its earlier facts.
    pub fn put(&self, path: &Path, grammar: &'static Grammar, text: &str) {
        let facts = FileFacts::of(grammar, text);
        self.state.lock().index.put(path.into(), grammar, facts, None);
    }

    /// A workspace of these files, each with its path and its text.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        let workspace = Self::default();
        for (path, text) in files {
            let path = Path::new(path);
            workspace.put(path, crate::grammar::by_path(path).unwrap(), text);
        }
        workspace
    }

    /// Indexes a file found on disk by a walk.
    ///
    /// Does nothing if there is a newer walk, or the editor has the file open.
    pub(super) fn put_from_disk(
        &self,
        walk: u64,
        path: &Arc<Path>,
        grammar: &'static Grammar,
        facts: FileFacts,
        stamp: u64,
    ) {
        let mut state = self.state.lock();
        if state.walk == walk && !state.open.contains_key(&**path) {
            state.index.put(Arc::clone(path), grammar, facts, Some(stamp));
        }
    }

    /// Sees the files of a shared layer that a walk has found, but for those that are known otherwise by now.
    pub(super) fn adopt(&self, walk: u64, layer: &Arc<Layer>, found: &HashSet<Arc<Path>>) {
        let mut state = self.state.lock();
        if state.walk == walk {
            let State { index, open, .. } = &mut *state;
            let is_known = |index: &Index, path: &Path| open.contains_key(path) || index.id(path).is_some();
            index
                .share(layer, None, |index, file| found.contains(&file.path) && !is_known(index, &file.path));
        }
    }

    /// Sees the files of a layer that was made of this workspace's files, as far as they are unchanged.
    pub(super) fn hand_over(&self, walk: u64, layer: &Arc<Layer>, earlier: Option<&Arc<Layer>>) {
        let is_same =
            |index: &Index, file: &File| index.by_path(&file.path).is_some_and(|own| own.stamp == file.stamp);
        let mut state = self.state.lock();
        let replaced = (state.walk == walk).then(|| state.index.share(layer, earlier, is_same));
        drop(state);
        // A table of a project's names takes milliseconds to drop, for which requests need not wait.
        drop(replaced);
    }

    /// Indexes a file as it is in the editor, until [`Workspace::close`].
    ///
    /// An older version than the known one is ignored. So is a file that was closed or is to be judged again
    /// meanwhile, as reported by `is_over`: that is checked under the lock, so that a later close finds the
    /// file indexed.
    pub fn open(&self, path: &Path, document: &Document, is_over: impl Fn() -> bool) {
        let Some(grammar) = document.grammar() else { return };
        let is_stale = |state: &State| {
            is_over() || state.open.get(path).is_some_and(|open| open.revision >= Some(document.revision()))
        };
        if is_stale(&self.state.lock()) {
            return;
        }
        let text = document.text().to_string();
        let (facts, is_sound) = match (document.tree().is_some(), document.keeps_tree()) {
            // An earlier version's tree is cheap to bring up to date.
            (true, _) => {
                let earlier = self.earlier(path, grammar);
                let earlier = earlier.as_ref().map(|(text, facts)| (text.to_string(), facts));
                let earlier = earlier.as_ref().map(|(text, facts)| (&**text, *facts));
                FileFacts::of_tree(grammar, document.syntax(), &text, earlier)
            }
            // A tree that is only parsed for this is not kept.
            (false, true) => (FileFacts::of(grammar, &text), false),
            // A file whose tree takes too much memory is indexed by its names only.
            (false, false) => FileFacts::of_tree(grammar, None, &text, None),
        };
        let mut state = self.state.lock();
        if !is_stale(&state) {
            state.index.put(path.into(), grammar, facts, None);
            let open =
                OpenText { revision: Some(document.revision()), text: document.text().clone(), is_sound };
            state.open.insert(path.to_owned(), open);
        }
    }

    /// The text and the facts of an open file, if they serve its next version.
    fn earlier(&self, path: &Path, grammar: &Grammar) -> Option<(Rope, FileFacts)> {
        let state = self.state.lock();
        let open = state.open.get(path).filter(|open| open.is_sound)?;
        let file = state.index.by_path(path).filter(|file| file.grammar == grammar)?;
        Some((open.text.clone(), file.facts.clone()))
    }

    /// Marks a file as closed in the editor.
    ///
    /// Its facts stay until it is [read](Self::read_again).
    pub fn close(&self, path: &Path) {
        self.state.lock().open.remove(path);
    }

    /// Indexes a file as it is on disk, or removes it if it is gone. Blocks on the disk.
    ///
    /// The caller must check access by the rules of a walk. If there is a newer walk, that walk indexes the
    /// files its own rules allow.
    pub fn read_again(&self, walk: u64, path: &Path) {
        let Some(grammar) = crate::grammar::by_path(path) else { return };
        let is_over = |state: &State| state.walk != walk || state.open.contains_key(path);
        if is_over(&self.state.lock()) {
            return;
        }
        match disk::text(path, MOST_FILE_BYTES, Links::Refuse) {
            Ok(text) if !text.contains('\0') => {
                let facts = FileFacts::of(grammar, &text);
                let mut state = self.state.lock();
                if !is_over(&state) {
                    state.index.put(path.into(), grammar, facts, None);
                }
            }
            Ok(_) => self.remove(path),
            Err(why) => {
                tracing::debug!(path = %path.display(), %why, "not indexed");
                self.remove(path);
            }
        }
    }

    /// A copy in which some files have other texts, or are deleted.
    ///
    /// It is independent of the original.
    ///
    /// The texts are treated like those of open files.
    pub fn changed(&self, changes: &[(PathBuf, Option<String>)]) -> Self {
        let mut state = self.state.lock().clone();
        for (path, text) in changes {
            state.index.forget(path);
            state.open.remove(path);
            if let Some(text) = text
                && let Some(grammar) = crate::grammar::by_path(path)
            {
                state.index.put(path.as_path().into(), grammar, FileFacts::of(grammar, text), None);
                let open = OpenText { revision: None, text: Rope::from_str(text), is_sound: false };
                state.open.insert(path.clone(), open);
            }
        }
        Self { state: Mutex::new(state), shared: None }
    }

    /// The indexed files, in the order of their paths.
    pub fn paths(&self) -> Vec<Arc<Path>> {
        let mut paths: Vec<Arc<Path>> = self.index().files().map(|file| Arc::clone(&file.path)).collect();
        paths.sort_unstable();
        paths
    }

    /// Removes a file.
    pub fn remove(&self, path: &Path) {
        self.state.lock().index.forget(path);
    }

    /// Marks a walk as complete: only after the last walk is a missing name significant.
    pub fn complete(&self) {
        let mut state = self.state.lock();
        state.missing = Some(state.missing.unwrap_or(1).saturating_sub(1));
        if state.missing == Some(0) {
            state.before.clear();
        }
    }

    /// Sets how many walks with this number, each of other folders, make the workspace complete.
    pub fn expect_walks(&self, walk: u64, walks: usize) {
        let mut state = self.state.lock();
        if state.walk == walk {
            state.missing = Some(walks);
        }
    }

    /// Clears the index, and returns the number of the walk that is to fill it.
    ///
    /// Open files must be [opened again](Self::open), if the rules still allow them.
    pub fn begin(&self) -> u64 {
        let mut state = self.state.lock();
        let before = std::mem::take(&mut *state);
        let unknown = |open: OpenText| OpenText { revision: None, ..open };
        state.open = before.open.into_iter().map(|(path, open)| (path, unknown(open))).collect();
        state.before = before.before.into_iter().chain(before.index.shared().cloned()).collect();
        state.walk = before.walk + 1;
        state.walk
    }

    /// The number of the latest walk.
    pub fn current_walk(&self) -> u64 {
        self.state.lock().walk
    }

    /// Whether this walk is the latest: its folders and rules are the current ones.
    pub fn is_current(&self, walk: u64) -> bool {
        self.state.lock().walk == walk
    }

    /// Whether all folders have been walked.
    pub fn is_complete(&self) -> bool {
        self.state.lock().missing == Some(0)
    }

    /// Whether the index is reliable for a language.
    ///
    /// It must be complete, and so large that most of the language's standard library is used somewhere in it.
    pub fn is_reliable_for(&self, grammar: &Grammar) -> bool {
        let state = self.state.lock();
        state.missing == Some(0) && state.index.has_names(grammar.family(), FEW_NAMES)
    }

    /// Whether any file of the language's family has the name.
    pub fn knows(&self, grammar: &Grammar, name: &str) -> bool {
        self.index().count(grammar.family(), Fnv32::of(name)) > 0
    }

    /// Whether any file of the language's family except `path` has the name.
    pub fn knows_beside(&self, path: Option<&Path>, grammar: &Grammar, name: &str) -> bool {
        let index = self.index();
        let hash = Fnv32::of(name);
        let own = path.and_then(|path| index.by_path(path));
        let is_own = own.is_some_and(|file| file.facts.names.binary_search(&hash).is_ok());
        index.count(grammar.family(), hash) > u32::from(is_own)
    }

    /// The definitions of a name in files of a language's family, in the order of their paths.
    pub fn definitions(&self, grammar: &Grammar, name: &str) -> Vec<FileDefinition> {
        let mut places = self.index().definitions(grammar.family(), name);
        places.sort_by(|a, b| a.order().cmp(&b.order()));
        places
    }

    /// Whether the root file of a Rust file's crate is known.
    pub fn knows_crate_root(&self, path: &Path) -> bool {
        self.index().crate_root(path).is_some_and(|(_, root)| root.is_some())
    }

    /// The definitions and imports of a file; `None` for a file that is not indexed.
    pub fn symbols(&self, path: &Path) -> Option<Arc<FileSymbols>> {
        let index = self.index();
        index.by_path(path).map(|file| Arc::clone(&file.facts.symbols))
    }

    /// The text of a file: from the editor if it is open, else from disk. Blocks on the disk.
    ///
    /// Access was checked when a file was indexed, so other files are not read.
    ///
    /// # Errors
    ///
    /// See [`Unreadable`].
    pub fn text(&self, path: &Path) -> Result<String, Unreadable> {
        let rope = {
            let state = self.state.lock();
            if state.index.by_path(path).is_none() {
                return Err(Unreadable::Missing);
            }
            state.open.get(path).map(|open| open.text.clone())
        };
        match rope {
            Some(rope) => Ok(rope.to_string()),
            None => disk::text(path, MOST_FILE_BYTES, Links::Refuse),
        }
    }

    /// The number of indexed files, and the approximate size of the index in bytes.
    pub fn size(&self) -> (usize, usize) {
        self.index().size()
    }

    /// The facts about a file, with the digest of its stamp.
    pub(super) fn facts(&self, path: &Path) -> Option<(FileFacts, Option<u64>)> {
        let index = self.index();
        index.by_path(path).map(|file| (file.facts.clone(), file.stamp))
    }

    /// A file as the index has it, if that is still as it was listed.
    pub(super) fn as_stamped(&self, listed: &Listed) -> Option<File> {
        let index = self.index();
        index.by_path(&listed.path).filter(|file| file.stamp == Some(listed.stamp.digest())).cloned()
    }

    /// Locks the workspace for lookups.
    pub(super) fn index(&self) -> IndexGuard<'_> {
        IndexGuard(self.state.lock())
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
