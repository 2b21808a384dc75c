//! The likely definitions of a name at a position, likeliest first, each with its reason.
//!
//! Resolution uses only names and imports: no types are inferred. A receiver such as `order.` is looked up as a
//! module and as a type; if it is neither, any member of that name is a candidate.

mod mention;
mod search;

use std::path::Path;
use std::sync::Arc;

use super::index::{File, Index};
use super::store::Workspace;
use super::symbols::Import;
use crate::document::Document;
use crate::text::{self, ident};
use search::Search;

pub use mention::{Mention, Resolved, Why};

impl Workspace {
    /// The likely definitions of a name, likeliest first.
    pub fn resolve(&self, mention: Mention<'_>) -> Vec<Resolved> {
        let index = self.index();
        let mut search = Search::new(&index, mention);
        match qualifier(mention.before) {
            None => search.unqualified(mention.name),
            Some(qualifier) => search.qualified(qualifier),
        }
        search.found()
    }

    /// Like [`Workspace::resolve`], for the name around a byte of a document.
    pub fn resolve_at(&self, path: &Path, document: &Document, byte: usize) -> Vec<Resolved> {
        let Some(grammar) = document.grammar() else { return Vec::new() };
        let text = document.text();
        let (byte, start) = (byte.min(text.len_bytes()), document.line_start(byte.min(text.len_bytes())));
        let line = document.slice(start..document.next_line_start(byte));
        let at = text::floor_boundary(&line, byte - start);
        let begin = line[..at].trim_end_matches(ident::is_part_or_dollar).len();
        let end = line.len() - line[at..].trim_start_matches(ident::is_part_or_dollar).len();
        let (before, name) = (&line[..begin], &line[begin..end]);
        match name.is_empty() {
            true => Vec::new(),
            false => self.resolve(Mention { path, grammar, before, name, at: start + begin }),
        }
    }

    /// The files that an import of a file refers to.
    ///
    /// Empty if it refers to a file outside the workspace, or to none.
    pub fn imported(&self, path: &Path, import: &Import<'_>) -> Vec<Arc<Path>> {
        let index = self.index();
        let Some(file) = index.by_path(path) else { return Vec::new() };
        let ids = index.imported(file, import);
        ids.into_iter().filter_map(|id| index.file(id)).map(|file| Arc::clone(&file.path)).collect()
    }

    /// The files that import a file, in the order of their paths.
    pub fn importers(&self, path: &Path) -> Vec<Arc<Path>> {
        let index = self.index();
        let Some((id, file)) = index.id(path).and_then(|id| Some((id, index.file(id)?))) else {
            return Vec::new();
        };
        // An import names a file by its own name, or by that of its folder.
        let names: Vec<&str> = path.iter().rev().take(2).filter_map(|part| part.to_str()).collect();
        let stems: Vec<&str> = names.iter().map(|name| name.split('.').next().unwrap_or_default()).collect();
        let mut importers: Vec<Arc<Path>> = index
            .files()
            .filter(|it| it.grammar.family() == file.grammar.family() && !Arc::ptr_eq(&it.path, &file.path))
            .filter(|it| {
                it.facts.symbols.imports().any(|import| {
                    let is_near =
                        stems.iter().any(|stem| import.path.contains(stem) || import.original == *stem);
                    // In `use crate::a`, only `a` names the file.
                    let is_dotted = import.path.trim_matches('.').is_empty();
                    (is_near || is_dotted) && index.imported(it, &import).contains(&id)
                })
            })
            .map(|it| Arc::clone(&it.path))
            .collect();
        importers.sort_unstable();
        importers
    }
}

impl Index {
    /// The files that an import of `file` refers to.
    pub(super) fn imported(&self, file: &File, import: &Import<'_>) -> Vec<u32> {
        let within = self.module_within(file.grammar, &file.path, import.path, import.original);
        if !import.original.is_empty() && !within.files.is_empty() {
            return within.files;
        }
        self.module(file.grammar, &file.path, import.path).files
    }
}

/// The qualifier before a name: `a::b` of `a::b::name`.
///
/// Empty if it is not a chain of names.
fn qualifier(before: &str) -> Option<&str> {
    let before = before.trim_end();
    let chain = ["::", "?.", "->", "."].iter().find_map(|mark| before.strip_suffix(mark))?;
    // A range is not a chain.
    let chain = chain.strip_suffix('!').unwrap_or(chain);
    if chain.ends_with('.') {
        return None;
    }
    let start = chain
        .trim_end_matches(|letter| ident::is_part_or_dollar(letter) || letter == '.' || letter == ':')
        .len();
    Some(chain[start..].trim_start_matches(['.', ':']))
}

#[cfg(test)]
mod tests;
