//! Searches for the candidate definitions of a name.
//!
//! The order is: scope, imports, folder, name alone.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::mention::{Mention, Resolved, Why};
use crate::grammar::Modules;
use crate::text::ident;
use crate::workspace::index::{File, Index};
use crate::workspace::symbols::Definition;

/// Maximum number of definitions returned.
const MOST: usize = 32;

/// A type's name without parameters and module path.
fn bare(name: &str) -> &str {
    let name = name.split(['<', '[', '(']).next().unwrap_or_default().trim();
    name.rsplit([':', '.', '&', '*', ' ']).next().unwrap_or_default()
}

/// Whether a definition is a member of the type named `of`.
fn is_of(definition: &Definition<'_>, parent: Option<&Definition<'_>>, of: &str) -> bool {
    match parent {
        Some(parent) => parent.kind.is_type() && bare(parent.name) == of,
        // Some languages put the type in the method's head.
        None => {
            let head = definition.signature.split(definition.name).next().unwrap_or_default();
            definition.kind.is_member()
                && head.split(|it| !ident::is_part_or_dollar(it)).any(|word| word == of)
        }
    }
}

/// Filters the definitions of a name.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    /// Definitions that are not members.
    Free,
    /// Members of any type.
    Member,
    /// Members of this type.
    Of(&'a str),
    Any,
}

/// Collects the candidate definitions for a mention.
pub(super) struct Search<'a> {
    index: &'a Index,
    mention: Mention<'a>,
    /// Each with its index in the file's definitions.
    found: Vec<(&'a File, usize, Why)>,
    seen: HashSet<(u32, usize)>,
}

impl<'a> Search<'a> {
    pub(super) fn new(index: &'a Index, mention: Mention<'a>) -> Self {
        Self { index, mention, found: Vec::new(), seen: HashSet::new() }
    }

    /// The candidates, likeliest first.
    pub(super) fn found(self) -> Vec<Resolved> {
        let place = |file: &File, at: usize| file.place(file.facts.symbols.definitions[at]);
        self.found.into_iter().map(|(file, at, why)| Resolved { place: place(file, at), why }).collect()
    }

    /// The file of the mention, if it is indexed.
    fn own(&self) -> Option<(u32, &'a File)> {
        let id = self.index.id(self.mention.path)?;
        Some((id, self.index.file(id)?))
    }

    /// Adds the definitions of a name in a file; returns whether there were any.
    fn add(&mut self, id: u32, name: &str, wanted: Wanted<'_>, why: &Why) -> bool {
        let Some(file) = self.index.file(id) else { return false };
        let symbols = &file.facts.symbols;
        let mut any = false;
        for (at, definition) in symbols.definitions().enumerate().filter(|(_, it)| it.name == name) {
            let parent = definition.parent.and_then(|at| symbols.definition(at));
            let is_free = !definition.kind.is_member()
                && parent.as_ref().is_none_or(|it| !it.kind.is_type() || definition.kind.is_type());
            let is_wanted = match wanted {
                Wanted::Free => is_free,
                Wanted::Member => !is_free,
                Wanted::Of(of) => is_of(&definition, parent.as_ref(), of),
                Wanted::Any => true,
            };
            if is_wanted {
                any = true;
                if self.found.len() < MOST && self.seen.insert((id, at)) {
                    self.found.push((file, at, why.clone()));
                }
            }
        }
        any
    }

    /// Searches for a name without a qualifier.
    pub(super) fn unqualified(&mut self, name: &str) {
        if let Some((id, file)) = self.own() {
            let before = self.found.len();
            self.add(id, name, Wanted::Any, &Why::Scope);
            // Enclosing definitions first, innermost before outer; members need a receiver.
            let symbols = &file.facts.symbols;
            let at = self.mention.at;
            self.found[before..].sort_by_key(|(_, index, _)| {
                let definition = symbols.definition(*index);
                let parent = definition.and_then(|it| it.parent).and_then(|it| symbols.definition(it));
                let around = parent.filter(|it| it.range().contains(&at)).map(|it| it.end - it.start);
                (definition.is_some_and(|it| it.kind.is_member()), around.unwrap_or(usize::MAX))
            });
        }
        self.imports(name);
        for id in self.neighbors() {
            self.add(id, name, Wanted::Free, &Why::SameFolder);
        }
        self.everywhere(name, Wanted::Free);
        self.everywhere(name, Wanted::Any);
    }

    /// Adds the definitions that the file's imports give for a name.
    fn imports(&mut self, name: &str) {
        let Some((_, file)) = self.own() else { return };
        let symbols = &file.facts.symbols;
        for import in symbols.imports().filter(|it| it.name == name) {
            self.from(file, import.path, import.original, true);
        }
        // An import that names only a module may bring in all of it.
        for import in symbols.imports().filter(|it| it.name.is_empty()) {
            self.from(file, import.path, name, true);
        }
    }

    /// Adds the definitions of a name in the module that `path` names in a file.
    fn from(&mut self, file: &'a File, path: &str, name: &str, may_pass_on: bool) -> bool {
        let module = self.index.module(file.grammar, &file.path, path);
        let mut any = false;
        for id in &module.files {
            any |= match module.rest.last() {
                None => self.add(*id, name, Wanted::Free, &Why::Import),
                // A member of a type, as in `use a::Type::Variant`, or the item itself, as in `use a::b as c`.
                Some(last) => {
                    self.add(*id, name, Wanted::Of(last), &Why::Import)
                        || self.add(*id, last, Wanted::Free, &Why::Import)
                }
            };
        }
        if any || !may_pass_on {
            return any;
        }
        for id in module.files {
            any |= self.passed_on(id, name);
        }
        any
    }

    /// Adds the definitions of a name that a file imports: one level of re-exports.
    fn passed_on(&mut self, id: u32, name: &str) -> bool {
        let Some(file) = self.index.file(id) else { return false };
        let before = self.found.len();
        for import in file.facts.symbols.imports() {
            if import.name == name {
                self.from(file, import.path, import.original, false);
            } else if import.name.is_empty() {
                self.from(file, import.path, name, false);
            }
        }
        for (_, _, why) in &mut self.found[before..] {
            *why = Why::ReExport(Arc::clone(&file.path));
        }
        // Importers choose the name of a default export.
        let symbols = &file.facts.symbols;
        let is_default = |it: &(usize, Definition<'_>)| it.1.signature.starts_with("export default");
        let mention = self.mention;
        let is_imported_by_default = self.own().is_some_and(|(_, own)| {
            own.facts.symbols.imports().any(|it| it.name == mention.name && it.original == mention.name)
        });
        if self.found.len() == before
            && is_imported_by_default
            && let Some((at, _)) = symbols.definitions().enumerate().find(is_default)
            && self.seen.insert((id, at))
        {
            self.found.push((file, at, Why::Import));
        }
        self.found.len() > before
    }

    /// Searches for a name after a qualifier; an empty qualifier is not a chain of names.
    pub(super) fn qualified(&mut self, qualifier: &str) {
        let name = self.mention.name;
        let last = qualifier.rsplit(['.', ':']).next().unwrap_or_default();
        if ["self", "this", "Self", "cls", "super"].contains(&qualifier)
            && let Some((_, own)) = self.own()
            && let Some(around) = around(own, self.mention.at)
        {
            self.of_type(around, name);
        } else if !qualifier.is_empty() {
            self.of_module(qualifier, name);
            if self.found.is_empty() {
                self.of_type(last, name);
            }
        }
        if !self.found.is_empty() {
            return;
        }
        for wanted in [Wanted::Member, Wanted::Any] {
            if let Some((id, file)) = self.own() {
                self.add(id, name, wanted, &Why::Scope);
                for import in file.facts.symbols.imports() {
                    for id in self.index.imported(file, &import) {
                        self.add(id, name, wanted, &Why::Import);
                    }
                }
            }
            for id in self.neighbors() {
                self.add(id, name, wanted, &Why::SameFolder);
            }
            self.everywhere(name, wanted);
            if !self.found.is_empty() {
                return;
            }
        }
    }

    /// Resolves the qualifier as a module: by its own path, or by an import of its first part.
    fn of_module(&mut self, qualifier: &str, name: &str) {
        let Some((_, file)) = self.own() else { return };
        let mut modules = Vec::new();
        let joint = if qualifier.contains("::") { "::" } else { "." };
        let (first, rest) = qualifier.split_once(joint).unwrap_or((qualifier, ""));
        for import in file.facts.symbols.imports() {
            let is_bound = import.name == first;
            // `import a.b` and Go's imports are named by their path, or its end.
            let is_named = import.name.is_empty()
                && (import.path == qualifier || import.path.rsplit('/').next() == Some(qualifier));
            if is_bound || is_named {
                let within = self.index.module_within(file.grammar, &file.path, import.path, import.original);
                let module = match is_bound && !within.files.is_empty() {
                    true => within,
                    false => self.index.module(file.grammar, &file.path, import.path),
                };
                let behind = if is_bound { rest } else { "" };
                modules.push((module, behind));
            }
        }
        if matches!(first, "crate" | "self" | "super") || file.grammar.facts().modules == Some(Modules::Rust)
        {
            modules.push((self.index.module(file.grammar, &file.path, qualifier), ""));
        }
        for (module, behind) in modules {
            let of = module.rest.last().map(String::as_str).or(behind.rsplit([':', '.']).next());
            for id in module.files {
                let any = match of.filter(|it| !it.is_empty()) {
                    Some(of) => self.add(id, name, Wanted::Of(of), &Why::Import),
                    None => self.add(id, name, Wanted::Free, &Why::Import),
                };
                if !any && of.is_none_or(str::is_empty) {
                    self.passed_on(id, name);
                }
            }
        }
    }

    /// The members of a known type: in the files of its definitions, and elsewhere.
    fn of_type(&mut self, of: &str, name: &str) {
        let mention = Mention { name: of, before: "", ..self.mention };
        let mut types = Search::new(self.index, mention);
        types.unqualified(of);
        types
            .found
            .retain(|(file, at, _)| file.facts.symbols.definition(*at).is_some_and(|it| it.kind.is_type()));
        // A variable, or a type from elsewhere.
        if types.found.is_empty() {
            return;
        }
        for (file, _, why) in types.found {
            if let Some(id) = self.index.id(&file.path) {
                self.add(id, name, Wanted::Of(of), &why);
            }
        }
        self.everywhere(name, Wanted::Of(of));
    }

    /// The other files of the folder.
    fn neighbors(&self) -> Vec<u32> {
        let ids = self.mention.path.parent().map(|folder| self.index.in_folder(folder));
        let mut ids = self.index.of_family(self.mention.grammar, ids.unwrap_or_default());
        ids.retain(|id| self.index.file(*id).is_some_and(|file| &*file.path != self.mention.path));
        ids.sort_by_key(|id| self.index.file(*id).map(|file| &file.path));
        ids
    }

    /// All other files that define the name, nearest first.
    fn everywhere(&mut self, name: &str, wanted: Wanted<'_>) {
        let ids = self.index.of_family(self.mention.grammar, self.index.defining(name));
        let own: Vec<_> = self.mention.path.iter().collect();
        let mut files: Vec<(usize, &Path, u32)> = ids
            .into_iter()
            .filter_map(|id| {
                let path = &*self.index.file(id)?.path;
                let shared = path.iter().zip(&own).take_while(|(a, b)| a == *b).count();
                Some((own.len() - shared, path, id))
            })
            .collect();
        files.sort_unstable();
        for (_, _, id) in files {
            if self.found.len() >= MOST {
                return;
            }
            self.add(id, name, wanted, &Why::Workspace);
        }
    }
}

/// The name of the type that encloses a position.
fn around(file: &File, at: usize) -> Option<&str> {
    let symbols = &file.facts.symbols;
    let innermost = symbols.enclosing(at)?;
    let mut ways = std::iter::successors(Some(innermost), |at| symbols.definition(*at)?.parent);
    let found = ways.find_map(|at| symbols.definition(at).filter(|it| it.kind.is_type()));
    found.map(|it| bare(it.name))
}
