//! Finds the uses of a name.
//!
//! The name hashes narrow down the files, which are then read and parsed on demand.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::store::Workspace;
use crate::grammar::{Grammar, QueryKind};
use crate::text::hash::Fnv32;

/// Maximum number of files read per query.
const MOST_FILES: usize = 400;
/// Base time limit for parsing one file, to which the time per byte is added.
const PARSE_TIME: Duration = Duration::from_millis(200);

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The file.
    pub path: Arc<Path>,
    /// The byte range of the name.
    pub range: Range<usize>,
    /// Its line, from 0.
    pub line: usize,
}

impl Workspace {
    /// The calls of a name and its uses as a type, in files of a language's family.
    ///
    /// They are in the order of their paths.
    ///
    /// Empty for a language without `references.scm`. Blocks on the disk, and stops once `cancelled` returns true.
    pub fn references(
        &self,
        grammar: &'static Grammar,
        name: &str,
        cancelled: &dyn Fn() -> bool,
    ) -> Vec<Reference> {
        let mut found = Vec::new();
        for (path, grammar) in self.files_with(grammar, name) {
            if cancelled() {
                break;
            }
            match self.text(&path) {
                // Hashes may collide.
                Ok(text) if text.contains(name) => found.extend(references_in(grammar, &path, &text, name)),
                Ok(_) => {}
                Err(why) => tracing::debug!(path = %path.display(), %why, "not read for references"),
            }
        }
        found
    }

    /// The files of a language's family that have a name, at most 400.
    ///
    /// They are in the order of their paths.
    ///
    /// Names are matched by their hashes, so a few files may not have the name.
    pub fn files_with(&self, grammar: &Grammar, name: &str) -> Vec<(Arc<Path>, &'static Grammar)> {
        let hash = Fnv32::of(name);
        let index = self.index();
        let mut files: Vec<_> = index
            .files()
            .filter(|file| file.grammar.family() == grammar.family())
            .filter(|file| file.facts.names.binary_search(&hash).is_ok())
            .map(|file| (Arc::clone(&file.path), file.grammar))
            .collect();
        files.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        files.truncate(MOST_FILES);
        files
    }
}

/// Like [`Workspace::references`], in one text.
pub fn references_in(grammar: &'static Grammar, path: &Arc<Path>, text: &str, name: &str) -> Vec<Reference> {
    let Some(tree) = grammar.parse_within(text, PARSE_TIME) else { return Vec::new() };
    let matches = grammar.matches(QueryKind::References, tree.root_node(), 0..text.len(), text.as_bytes());
    let names = matches.into_iter().filter_map(|found| found.name);
    names
        .filter(|node| text.get(node.byte_range()) == Some(name))
        .map(|node| Reference {
            path: Arc::clone(path),
            range: node.byte_range(),
            line: node.start_position().row,
        })
        .collect()
}
