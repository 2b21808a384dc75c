//! Unqualified names in a changed file that are no longer, or not yet, declared.
//!
//! Only names whose declaration the change removed, or whose use it added, are checked. Names that were
//! undeclared before the change are ignored.

use std::path::Path;

use super::names::Names;
use super::{Check, Finding, Parsed, Problem};
use crate::grammar::{Grammar, Modules};

/// Limit on the reported names of one file.
const MOST_NAMES: usize = 8;
/// Limit on the other files that are searched to see whether a name is a global of the project.
const MOST_FILES: usize = 30;

/// A name that a file uses unqualified.
#[derive(Clone, Copy)]
struct Free<'a> {
    grammar: &'static Grammar,
    path: &'a Path,
    old_path: &'a Path,
    name: &'a str,
    /// Whether the file declared or imported it before.
    is_lost: bool,
    /// Whether the file imported it before.
    was_imported: bool,
    /// Whether it occurs only among the tokens of a macro or at the start of a path.
    is_loose: bool,
}

impl Check<'_> {
    /// Names that nothing declares, in languages whose files declare the names that they use.
    pub(super) fn undefined(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files().iter().filter(|file| !file.is_unchanged()) {
            let Some((path, text)) = file.new_path().zip(file.new_text()) else { continue };
            let Some(new) = Parsed::new(Path::new(path), &text).filter(Parsed::is_sound) else { continue };
            let names = new.names();
            if names.is_open {
                continue;
            }
            let old = file.old_text().map(|text| Parsed::new(Path::new(&file.path), text));
            // If the old text could not be parsed in time, its undeclared names are unknown.
            if matches!(old, Some(None)) {
                continue;
            }
            let old = old.flatten();
            let none = Names::default();
            let old = old.as_ref().map_or(&none, Parsed::names);
            let (place, old_path) = (self.project.place(path), self.project.place(&file.path));
            let undefined =
                names.free().filter(|(name, ..)| !old.is_free(name)).filter(|(name, _, is_loose)| {
                    self.is_undefined(Free {
                        grammar: new.grammar,
                        path: &place,
                        old_path: &old_path,
                        name,
                        // A name that now begins a path, but did not before, may be a crate.
                        is_lost: old.has(name) && (!*is_loose || old.is_loose(name)),
                        was_imported: old.imports(name),
                        is_loose: *is_loose,
                    })
                });
            findings.extend(undefined.take(MOST_NAMES).map(|(name, line, _)| Finding {
                path: path.to_owned(),
                line: Some(line + 1),
                problem: Problem::Undefined { name: name.to_owned(), was_imported: old.imports(name) },
            }));
        }
        findings
    }

    fn is_undefined(&self, free: Free<'_>) -> bool {
        let Free { grammar, path, name, is_lost, was_imported, is_loose, .. } = free;
        let is_special = name.trim_matches('_').is_empty() || name.starts_with("__") && name.ends_with("__");
        let is_left_to_others = match grammar.has_global(name) {
            Some(is_global) => is_global || is_loose && !is_lost,
            // Inherited names and those of the same package need no import.
            None => !was_imported || self.is_defined_in_reach(free),
        };
        // A path may begin with a crate, whether or not the whole crate is imported.
        let is_crate = || {
            let symbols = self.after.symbols(path);
            symbols.is_some_and(|it| it.imports().any(|it| it.path.split("::").next() == Some(name)))
        };
        if is_special || is_left_to_others || is_loose && is_crate() {
            return false;
        }
        if grammar.facts().folder_packages && self.has_in_folder(grammar, path, name) {
            return false;
        }
        is_lost || !self.may_be_global(free)
    }

    /// Whether the project defines a name elsewhere than in the package that the file imported it from.
    ///
    /// An import from the file's own package was superfluous.
    fn is_defined_in_reach(&self, Free { grammar, path, old_path, name, .. }: Free<'_>) -> bool {
        let old = self.before.symbols(old_path).unwrap_or_default();
        let packages = old.imports().filter(|it| it.name == name).map(|it| it.path.replace('.', "/"));
        let folder = |path: &Path| path.parent().unwrap_or(path).to_owned();
        let others: Vec<String> = packages.filter(|package| !folder(path).ends_with(package)).collect();
        let is_in_others = |it: &Path| others.iter().any(|package| folder(it).ends_with(package));
        self.after.definitions(grammar, name).iter().any(|it| !is_in_others(it.path()))
    }

    /// Whether another file of the folder declares a name.
    fn has_in_folder(&self, grammar: &'static Grammar, path: &Path, name: &str) -> bool {
        let is_beside = |it: &Path| it != path && it.parent() == path.parent();
        // Names of one or two characters are found by their definitions only.
        if self.after.definitions(grammar, name).iter().any(|it| is_beside(it.path())) {
            return true;
        }
        let files = self.after.files_with(grammar, name);
        let mut beside = files.iter().filter(|(it, _)| is_beside(it));
        beside.any(|(it, _)| self.parsed(self.after, it).is_some_and(|it| it.names().has(name)))
    }

    /// Whether a name that is new in a file may come from elsewhere: other files use it without a declaration,
    /// or it is declared globally.
    fn may_be_global(&self, free: Free<'_>) -> bool {
        let Free { grammar, old_path, name, .. } = free;
        let definitions = self.after.definitions(grammar, name);
        let is_ambient = |path: &Path| path.to_string_lossy().ends_with(".d.ts");
        if definitions.iter().any(|it| is_ambient(it.path())) {
            return true;
        }
        // The classes and types of a host environment are too many to list.
        let is_host = grammar.facts().modules == Some(Modules::Javascript)
            && (name.starts_with(char::is_uppercase) || grammar.has_in_library(name));
        if is_host && definitions.is_empty() {
            return true;
        }
        let files = self.before.files_with(grammar, name);
        let mut others = files.iter().filter(|(path, _)| **path != *old_path).take(MOST_FILES);
        others.any(|(path, _)| self.parsed(self.before, path).is_some_and(|it| it.names().is_free(name)))
    }
}
