//! What is known of a workspace: its index, and what the editor has open.

use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ropey::Rope;

use super::file::FileFacts;
use super::index::{FileDefinition, Index};
use super::listing::MOST_FILE_BYTES;
use super::symbols::FileSymbols;
use crate::disk::{self, Links, Unreadable};
use crate::document::Document;
use crate::grammar::Grammar;
use crate::text::hash::Fnv32;

/// With fewer names than this the index is not used: in a workspace of ten files, half of
/// all honest functions call something for the first time.
const FEW_NAMES: usize = 4_000;

/// What is known of a workspace.
///
/// Shared between requests; its lock is held for one look-up or one file.
#[derive(Default)]
pub struct Workspace(Mutex<State>);

#[derive(Clone, Default)]
struct State {
    index: Index,
    /// What the editor has open.
    open: HashMap<PathBuf, OpenText>,
    /// Walks that are still to see all of their folders, of those that were begun; `None` before any was.
    missing: Option<usize>,
    /// The number of the walk that was begun last.
    walk: u64,
}

/// The index, as long as the workspace is locked for it.
pub(super) struct IndexGuard<'a>(MutexGuard<'a, State>);

impl Deref for IndexGuard<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        &self.0.index
    }
}

/// A text as the editor has it.
#[derive(Clone)]
struct OpenText {
    /// It grows with the versions, also when the editor's number does not.
    ///
    /// `None` until a newer walk's rules let the file in again.
    revision: Option<u64>,
    text: Rope,
}

impl Workspace {
    /// Takes in a file's text, in the place of what was known of it.
    pub fn put(&self, path: &Path, grammar: &'static Grammar, text: &str) {
        let facts = FileFacts::of(grammar, text);
        self.state().index.put(path.into(), grammar, facts, None);
    }

    /// Takes in what a walk found on disk.
    ///
    /// It does not where there is a newer walk, or the editor has the file open.
    pub(super) fn put_from_disk(
        &self,
        walk: u64,
        path: &Arc<Path>,
        grammar: &'static Grammar,
        facts: FileFacts,
        stamp: u64,
    ) {
        let mut state = self.state();
        if state.walk == walk && !state.open.contains_key(&**path) {
            state.index.put(Arc::clone(path), grammar, facts, Some(stamp));
        }
    }

    /// Takes in a file as the editor has it, until [`Workspace::close`].
    ///
    /// An older version than the known one changes nothing. Nor does a file that is not to be taken in any more by
    /// then: it was closed, or is judged anew. That is asked under the lock, so that a close that comes after it
    /// finds the file taken in.
    pub fn open(&self, path: &Path, document: &Document, is_over: impl Fn() -> bool) {
        let Some(grammar) = document.grammar() else { return };
        let is_stale = |state: &State| {
            is_over() || state.open.get(path).is_some_and(|open| open.revision >= Some(document.revision()))
        };
        if is_stale(&self.state()) {
            return;
        }
        let text = document.text().to_string();
        let facts = match (document.tree().is_some(), document.keeps_tree()) {
            // One of an earlier version takes little to be brought up to this one.
            (true, _) => FileFacts::of_tree(grammar, document.syntax(), &text),
            // A tree that is only made for this is not kept.
            (false, true) => FileFacts::of(grammar, &text),
            // Of a file whose tree would take more memory than it is worth, the names are known.
            (false, false) => FileFacts::of_tree(grammar, None, &text),
        };
        let mut state = self.state();
        if !is_stale(&state) {
            state.index.put(path.into(), grammar, facts, None);
            let open = OpenText { revision: Some(document.revision()), text: document.text().clone() };
            state.open.insert(path.to_owned(), open);
        }
    }

    /// The editor has closed a file.
    ///
    /// What was known of it stays until it is [read](Self::read_again).
    pub fn close(&self, path: &Path) {
        self.state().open.remove(path);
    }

    /// Takes in a file as it is on disk, or forgets it if it is not there. Blocks for the disk.
    ///
    /// Whether it may be read is the caller's matter, who judged it by the rules of a walk. Where there is a newer
    /// one, it takes in what the rules allow by now.
    pub fn read_again(&self, walk: u64, path: &Path) {
        let Some(grammar) = crate::grammar::by_path(path) else { return };
        let is_over = |state: &State| state.walk != walk || state.open.contains_key(path);
        if is_over(&self.state()) {
            return;
        }
        match disk::text(path, MOST_FILE_BYTES, Links::Refuse) {
            Ok(text) if !text.contains('\0') => {
                let facts = FileFacts::of(grammar, &text);
                let mut state = self.state();
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

    /// A copy in which some files have other texts, or none where they are gone.
    ///
    /// It goes on by itself.
    ///
    /// The texts are read as those of open files are.
    pub fn changed(&self, changes: &[(PathBuf, Option<String>)]) -> Self {
        let mut state = self.state().clone();
        for (path, text) in changes {
            state.index.forget(path);
            state.open.remove(path);
            if let Some(text) = text
                && let Some(grammar) = crate::grammar::by_path(path)
            {
                state.index.put(path.as_path().into(), grammar, FileFacts::of(grammar, text), None);
                let open = OpenText { revision: None, text: Rope::from_str(text) };
                state.open.insert(path.clone(), open);
            }
        }
        Self(Mutex::new(state))
    }

    /// The known files, in the order of their paths.
    pub fn paths(&self) -> Vec<Arc<Path>> {
        let mut paths: Vec<Arc<Path>> = self.index().ids.keys().map(Arc::clone).collect();
        paths.sort_unstable();
        paths
    }

    /// Forgets a file.
    pub fn remove(&self, path: &Path) {
        self.state().index.forget(path);
    }

    /// Says that a walk took in all that it was for: only with the last one does a missing name mean anything.
    pub fn complete(&self) {
        let mut state = self.state();
        state.missing = Some(state.missing.unwrap_or(1).saturating_sub(1));
    }

    /// Says that so many walks of this number make the workspace complete, each of other folders.
    pub fn expect_walks(&self, walk: u64, walks: usize) {
        let mut state = self.state();
        if state.walk == walk {
            state.missing = Some(walks);
        }
    }

    /// Starts again with nothing, and gives the number of the walk that is to fill it.
    ///
    /// What the editor has open is to be taken in [again](Self::open), if the rules still allow it.
    pub fn begin(&self) -> u64 {
        let mut state = self.state();
        let before = std::mem::take(&mut *state);
        let unknown = |open: OpenText| OpenText { revision: None, ..open };
        state.open = before.open.into_iter().map(|(path, open)| (path, unknown(open))).collect();
        state.walk = before.walk + 1;
        state.walk
    }

    /// The number of the walk that was begun last.
    pub fn current_walk(&self) -> u64 {
        self.state().walk
    }

    /// Whether this walk is the latest: its folders and rules are the current ones.
    pub fn is_current(&self, walk: u64) -> bool {
        self.state().walk == walk
    }

    /// Whether the index is reliable for a language.
    ///
    /// It must be complete, and large enough that most of what a language's own library offers is used
    /// somewhere in it.
    pub fn is_reliable_for(&self, grammar: &Grammar) -> bool {
        let state = self.state();
        state.missing == Some(0)
            && state.index.families.get(grammar.family()).is_some_and(|names| names.len() >= FEW_NAMES)
    }

    /// Whether some file of the language's family has the name.
    pub fn knows(&self, grammar: &Grammar, name: &str) -> bool {
        let index = self.index();
        index.families.get(grammar.family()).is_some_and(|names| names.contains_key(&Fnv32::of(name)))
    }

    /// Whether some file of the language's family has the name, beside one file.
    pub fn knows_beside(&self, path: Option<&Path>, grammar: &Grammar, name: &str) -> bool {
        let index = self.index();
        let hash = Fnv32::of(name);
        let own = path.and_then(|path| index.by_path(path));
        let is_own = own.is_some_and(|file| file.facts.names.binary_search(&hash).is_ok());
        let files = index.families.get(grammar.family()).and_then(|names| names.get(&hash));
        files.copied().unwrap_or(0) > u32::from(is_own)
    }

    /// The definitions of a name in files of a language's family, in the order of their paths.
    pub fn definitions(&self, grammar: &Grammar, name: &str) -> Vec<FileDefinition> {
        let mut places = self.index().definitions(grammar.family(), name);
        places.sort_by(|a, b| a.order().cmp(&b.order()));
        places
    }

    /// Whether it is known which file is the root of a Rust file's crate.
    pub fn knows_crate_root(&self, path: &Path) -> bool {
        self.index().crate_root(path).is_some_and(|(_, root)| root.is_some())
    }

    /// What a file defines and imports; `None` for a file that is not known.
    pub fn symbols(&self, path: &Path) -> Option<Arc<FileSymbols>> {
        let index = self.index();
        index.by_path(path).map(|file| Arc::clone(&file.facts.symbols))
    }

    /// The text of a file: what the editor has open, else what is on disk. Blocks for the disk.
    ///
    /// Whether a file may be read was decided when it was taken in, so others are not.
    ///
    /// # Errors
    ///
    /// See [`Unreadable`].
    pub fn text(&self, path: &Path) -> Result<String, Unreadable> {
        let rope = {
            let state = self.state();
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

    /// How many files were taken in, and about how many bytes the index takes.
    pub fn size(&self) -> (usize, usize) {
        self.index().size()
    }

    /// What is known of a file, with the digest of its stamp.
    pub(super) fn facts(&self, path: &Path) -> Option<(FileFacts, Option<u64>)> {
        let index = self.index();
        index.by_path(path).map(|file| (file.facts.clone(), file.stamp))
    }

    /// Locks the workspace to look things up.
    pub(super) fn index(&self) -> IndexGuard<'_> {
        IndexGuard(self.state())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workspace").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
