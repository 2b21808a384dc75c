//! The names that a workspace uses, per language: enough to recognise an unknown name.
//!
//! Names are kept as hashes of 32 bits, a sorted list for each file and one count for the whole, so that a
//! file can be taken in again after each save. Of 100,000 names a made-up one hits one by chance every
//! 40,000th time.

pub mod walk;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::grammar::Grammar;
use crate::text::hash::Fnv32;
use crate::text::ident;

/// With fewer names than this the index is not used: in a workspace of ten files, half of
/// all honest functions call something for the first time.
const FEW_NAMES: usize = 4_000;

/// The names of a workspace.
///
/// Shared between requests; its lock is held for one look-up or one file.
#[derive(Debug, Default)]
pub struct Index(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    files: HashMap<PathBuf, (&'static str, Box<[u32]>)>,
    /// How many files of each family of languages have a name.
    families: HashMap<&'static str, HashMap<u32, u32>>,
    complete: bool,
    /// The number of the walk that was begun last.
    walk: u64,
}

impl Index {
    /// Takes in a file's text, in the place of what was known of it.
    pub fn put(&self, path: &Path, grammar: &Grammar, text: &str) {
        let hashes: HashSet<u32> = words(text).map(Fnv32::of).collect();
        let mut hashes: Box<[u32]> = hashes.into_iter().collect();
        hashes.sort_unstable();
        let family = grammar.family();
        let mut state = self.state();
        state.forget(path);
        let names = state.families.entry(family).or_default();
        for hash in &hashes {
            *names.entry(*hash).or_default() += 1;
        }
        state.files.insert(path.to_owned(), (family, hashes));
    }

    /// Forgets a file.
    pub fn remove(&self, path: &Path) {
        self.state().forget(path);
    }

    /// Says that the whole workspace was taken in: only then does a missing name mean anything.
    pub fn complete(&self) {
        self.state().complete = true;
    }

    /// Starts again with nothing, and gives the number of the walk that is to fill it.
    pub fn begin(&self) -> u64 {
        let mut state = self.state();
        let walk = state.walk + 1;
        *state = State { walk, ..State::default() };
        walk
    }

    /// Whether this walk is the latest: its folders and rules are the current ones.
    pub fn is_current(&self, walk: u64) -> bool {
        self.state().walk == walk
    }

    /// Whether the index is reliable for a language.
    ///
    /// It must be complete, and large enough that most of what a language's own library offers is used
    /// somewhere in it.
    pub fn speaks_for(&self, grammar: &Grammar) -> bool {
        let state = self.state();
        state.complete && state.families.get(grammar.family()).is_some_and(|names| names.len() >= FEW_NAMES)
    }

    /// Whether some file of the language's family has the name.
    pub fn knows(&self, grammar: &Grammar, name: &str) -> bool {
        let state = self.state();
        state.families.get(grammar.family()).is_some_and(|names| names.contains_key(&Fnv32::of(name)))
    }

    /// How many files were taken in, and about how many bytes the index takes.
    pub fn size(&self) -> (usize, usize) {
        let state = self.state();
        let files =
            state.files.iter().map(|(path, (_, hashes))| path.as_os_str().len() + 64 + hashes.len() * 4);
        // A slot has key, count and a control byte; tables are between half and seven eighths full.
        let names = state.families.values().map(|names| names.capacity() * 9 * 8 / 7);
        (state.files.len(), files.sum::<usize>() + names.sum::<usize>())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn forget(&mut self, path: &Path) {
        let Some((family, hashes)) = self.files.remove(path) else { return };
        let Some(names) = self.families.get_mut(family) else { return };
        for hash in &hashes {
            if let Some(count) = names.get_mut(hash) {
                *count -= 1;
                if *count == 0 {
                    names.remove(hash);
                }
            }
        }
    }
}

/// The words that can be names, `$` counted.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = ident::words_with_dollars(text).map(|(_, word)| word);
    words.filter(|word| word.len() > 1 && !word.starts_with(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::by_language_id;

    #[test]
    fn names_come_and_go_with_their_files() {
        let (rust, tsx, javascript) = (
            by_language_id("rust").unwrap(),
            by_language_id("typescriptreact").unwrap(),
            by_language_id("javascript").unwrap(),
        );
        let index = Index::default();
        let [a, b, c] = ["a.rs", "b.rs", "c.tsx"].map(Path::new);
        index.put(a, rust, "fn naïve(x1: u8) -> Größe { common() }");
        index.put(b, rust, "common();");
        index.put(c, tsx, "$el.getAll()");
        let knows = |names: &[&str]| names.iter().map(|name| index.knows(rust, name)).collect::<Vec<_>>();
        assert_eq!(knows(&["naïve", "Größe", "x1", "common", "getAll"]), [true, true, true, true, false]);
        assert!(index.knows(javascript, "getAll") && index.knows(javascript, "$el"));
        index.put(a, rust, "other();");
        assert_eq!(knows(&["naïve", "other", "common"]), [false, true, true]);
        index.remove(b);
        assert_eq!(knows(&["common", "other"]), [false, true]);
        index.begin();
        assert_eq!(knows(&["other"]), [false]);
    }

    #[test]
    fn speaks_only_when_it_has_seen_enough() {
        let rust = by_language_id("rust").unwrap();
        let index = Index::default();
        index.put(Path::new("a.rs"), rust, "few names");
        index.complete();
        assert!(!index.speaks_for(rust));
        let many: String = (0..FEW_NAMES).map(|n| format!("name_{n} ")).collect();
        index.begin();
        index.put(Path::new("a.rs"), rust, &many);
        assert!(!index.speaks_for(rust), "more may be to come");
        index.complete();
        assert!(index.speaks_for(rust));
        assert!(!index.speaks_for(by_language_id("go").unwrap()));
    }

    #[test]
    fn two_thousand_files_take_few_bytes() {
        let rust = by_language_id("rust").unwrap();
        let index = Index::default();
        for file in 0..2_000 {
            // Some 400 names a file, 50 of them its own: as in this project's sources.
            let text: String = (0..350)
                .map(|n| format!("name_{} ", (file * 37 + n * 11) % 8_000))
                .chain((0..50).map(|n| format!("own_{file}_{n} ")))
                .collect();
            index.put(Path::new(&format!("src/some/folder/file_{file}.rs")), rust, &text);
        }
        let (files, bytes) = index.size();
        assert_eq!(files, 2_000);
        assert!(bytes < 10_000_000, "{bytes}");
    }
}
