//! Files that no module declares, and names that a package defines twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{Check, Finding, Problem};
use crate::edit::edit_set::FileEdit;
use crate::grammar::{self, Grammar, Modules};
use crate::text::ident::occurrences;
use crate::workspace::{FileSymbols, Kind};

/// Folders of a package whose files are separate crates.
const CRATE_FOLDERS: [&str; 4] = ["bin", "examples", "tests", "benches"];
/// Parts of a Go file's name that select the systems that it is built for.
const SYSTEMS: [&str; 22] = [
    "windows",
    "linux",
    "darwin",
    "freebsd",
    "netbsd",
    "openbsd",
    "dragonfly",
    "solaris",
    "illumos",
    "aix",
    "plan9",
    "js",
    "wasm",
    "wasip1",
    "android",
    "ios",
    "unix",
    "amd64",
    "386",
    "arm",
    "arm64",
    "appengine",
];

impl Check<'_> {
    /// New Rust files that no `mod` declares, so that they are not compiled.
    pub(super) fn undeclared_modules(&self) -> Vec<Finding> {
        let new = |file: &&FileEdit| file.new_path() != Some(&file.path) || file.old_text().is_none();
        let paths = self.set.files().iter().filter(new).filter_map(FileEdit::new_path);
        let undeclared = paths.filter(|path| self.is_undeclared(path));
        undeclared
            .map(|path| Finding { path: path.to_owned(), line: None, problem: Problem::Undeclared })
            .collect()
    }

    fn is_undeclared(&self, path: &str) -> bool {
        let place = self.project.place(path);
        let is_rust = grammar::by_path(&place).is_some_and(|it| it.facts().modules == Some(Modules::Rust));
        let stem = |path: &Path| path.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
        let (Some(own), Some(folder)) = (stem(&place), place.parent()) else { return false };
        // `a/mod.rs` is declared where `a.rs` would be.
        let (name, above) = match (own.as_str(), folder.parent()) {
            ("mod", Some(above)) => (stem(folder).unwrap_or_default(), above),
            _ => (own, folder),
        };
        let is_root = matches!(name.as_str(), "lib" | "main" | "build" | "mod");
        let is_crate = above.file_name().is_some_and(|it| CRATE_FOLDERS.iter().any(|name| it == *name));
        if !is_rust || is_root || is_crate {
            return false;
        }
        let parents = ["mod.rs", "lib.rs", "main.rs"].map(|root| above.join(root));
        let parents = parents.into_iter().chain([above.with_extension("rs")]);
        let texts: Vec<String> = parents.filter_map(|it| self.after.text(&it).ok()).collect();
        // A macro may declare it, or an attribute may name the file.
        let is_named = |name: &str| texts.iter().any(|text| occurrences(text, name).next().is_some());
        if texts.is_empty() || is_named(&name) {
            return false;
        }
        // If a macro declares all files of a folder, none of them is named.
        let paths = self.before.paths();
        let mut beside = paths.iter().filter(|it| it.parent() == Some(folder) && ***it != *place);
        let is_left_out = |it: &Arc<Path>| {
            let is_rust = grammar::by_path(it).is_some_and(|it| it.facts().modules == Some(Modules::Rust));
            let stem = stem(it).unwrap_or_default();
            is_rust && !matches!(stem.as_str(), "lib" | "main" | "build" | "mod") && !is_named(&stem)
        };
        !beside.any(is_left_out)
    }

    /// Names that both a changed file and another file of its package define.
    pub(super) fn defined_twice(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files().iter().filter(|file| !file.is_unchanged()) {
            let Some(path) = file.new_path().map(|path| self.project.place(path)) else { continue };
            let Some(grammar) = grammar::by_path(&path).filter(|it| it.facts().folder_packages) else {
                continue;
            };
            let (Some(new), Some(package)) = (self.after.symbols(&path), self.package(&path)) else {
                continue;
            };
            let old = self.before.symbols(&self.project.place(&file.path)).unwrap_or_default();
            let before = top(&old);
            for (name, line) in top(&new) {
                let is_free_to_repeat = matches!(name, "init" | "main" | "_");
                if before.contains_key(name) || is_free_to_repeat {
                    continue;
                }
                let other = self.other_of_package(grammar, &path, name, &package);
                let problem = |other| Problem::DefinedTwice { name: name.to_owned(), other };
                findings.extend(other.map(|other| self.finding(&path, Some(line), problem(other))));
            }
        }
        findings
    }

    /// Another file of a package that defines a name at its top level.
    fn other_of_package(
        &self,
        grammar: &'static Grammar,
        path: &Path,
        name: &str,
        package: &str,
    ) -> Option<String> {
        let places = self.after.definitions(grammar, name);
        let mut others =
            places.iter().filter(|it| **it.path() != *path && it.path().parent() == path.parent());
        let other = others.find(|it| {
            let is_top = it.parent().is_none() && is_shared(it.definition().kind);
            is_top && self.package(it.path()).as_deref() == Some(package)
        })?;
        Some(self.project.shown(other.path()))
    }

    /// The name of a file's package; `None` if the file is built for some systems only.
    fn package(&self, path: &Path) -> Option<String> {
        let stem = path.file_stem()?.to_str()?;
        let text = self.after.text(path).ok()?;
        let is_conditional = stem.split('_').skip(1).any(|part| SYSTEMS.contains(&part))
            || text.lines().take_while(|line| !line.starts_with("package ")).any(|line| {
                line.starts_with("//go:build")
                    || line.starts_with("// +build")
                    || line.starts_with("//+build")
            });
        let package = text.lines().find_map(|line| line.strip_prefix("package "))?;
        (!is_conditional).then(|| package.split_whitespace().next().unwrap_or_default().to_owned())
    }
}

/// The names that a file defines at its top level, with their lines from 0.
fn top(symbols: &FileSymbols) -> BTreeMap<&str, usize> {
    let top = symbols.definitions().filter(|it| it.parent.is_none() && is_shared(it.kind));
    top.map(|it| (it.name, it.line)).collect()
}

/// Whether a definition of this kind is shared by all files of a package.
fn is_shared(kind: Kind) -> bool {
    !kind.is_member() && kind != Kind::Implementation
}
