//! Finds the files that are most relevant to a text.
//!
//! These are the files that share its rare names, those that it imports, and those beside it.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use super::index::File;
use super::store::Workspace;
use crate::grammar::Grammar;

/// Files that are processed per lock.
const FILES_AT_ONCE: usize = 256;

impl Workspace {
    /// The number of files of a language's family with each name, given the names' hashes.
    pub fn spread(&self, grammar: &Grammar, names: &[u32]) -> Vec<u32> {
        let index = self.index();
        names.iter().map(|name| index.count(grammar.family(), *name)).collect()
    }

    /// The files of a language's family that share most with a text, nearest first.
    ///
    /// `names` are the hashes of the text's names, with their weights. `from` is left out.
    pub fn nearest(
        &self,
        from: &Path,
        grammar: &Grammar,
        names: &[(u32, f32)],
        most: usize,
    ) -> Vec<(Arc<Path>, f32)> {
        let mut found: Vec<(Arc<Path>, f32)> = Vec::new();
        self.each_file(|file| {
            if file.grammar.family() != grammar.family() || &*file.path == from {
                return;
            }
            let own = &file.facts.names;
            let shared: f32 =
                names.iter().filter(|(name, _)| own.binary_search(name).is_ok()).map(|it| it.1).sum();
            if shared > 0.0 {
                // A long file shares names with any text.
                found.push((Arc::clone(&file.path), shared / (own.len() as f32 + 60.0).sqrt()));
            }
        });
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found.truncate(most);
        found
    }

    /// The files of a language that are nearest to a file in the tree of folders, nearest first.
    pub fn beside(&self, from: &Path, grammar: &Grammar, most: usize) -> Vec<Arc<Path>> {
        let mut paths: Vec<Arc<Path>> = Vec::new();
        self.each_file(|file| {
            if file.grammar.id() == grammar.id() && &*file.path != from {
                paths.push(Arc::clone(&file.path));
            }
        });
        let shared =
            |path: &Path| path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
        paths.sort_by_cached_key(|it| (Reverse(shared(it)), it.components().count(), Arc::clone(it)));
        paths.truncate(most);
        paths
    }

    /// Visits the files of the index. A key that is typed meanwhile waits for a few of them at most.
    fn each_file(&self, mut visit: impl FnMut(&File)) {
        let ids = self.index().ids();
        for ids in ids.chunks(FILES_AT_ONCE) {
            let index = self.index();
            ids.iter().filter_map(|id| index.file(*id)).for_each(&mut visit);
        }
    }

    /// The files that a file imports, in the order of its imports.
    pub fn imported_files(&self, path: &Path) -> Vec<Arc<Path>> {
        let index = self.index();
        let Some(file) = index.by_path(path) else { return Vec::new() };
        let mut found: Vec<Arc<Path>> = Vec::new();
        for import in file.facts.symbols.imports() {
            for id in index.imported(file, &import) {
                if let Some(it) = index.file(id).filter(|it| *it.path != *path)
                    && !found.contains(&it.path)
                {
                    found.push(Arc::clone(&it.path));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar;

    #[test]
    fn files_in_the_same_folder_are_nearest() {
        let workspace = Workspace::default();
        let rust = grammar::by_language_id("rust").unwrap();
        for path in ["a/b/c/deep.rs", "z.rs", "a/b/two.rs", "a/one.rs", "a/b/own.rs", "a/b/three.rs"] {
            workspace.put(Path::new(path), rust, "fn f() {}\n");
        }
        let python = grammar::by_language_id("python").unwrap();
        workspace.put(Path::new("a/b/other.py"), python, "def f(): pass\n");
        let found = workspace.beside(Path::new("a/b/own.rs"), rust, 4);
        let names: Vec<&str> = found.iter().filter_map(|it| it.to_str()).collect();
        assert_eq!(names, ["a/b/three.rs", "a/b/two.rs", "a/b/c/deep.rs", "a/one.rs"]);
    }
}
