//! Resolves imports to files, by the conventions of each language.
//!
//! Only the paths of indexed files are consulted.

use std::path::{Component, Path, PathBuf};

use super::index::Index;
use crate::grammar::{self, Grammar, Modules};

/// Maximum number of parent folders tried as the root of a path.
const MOST_LEVELS: usize = 24;

/// The target of an import path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Module {
    /// One file, or the files of a folder.
    pub(super) files: Vec<u32>,
    /// The rest of the path after the file: a type or a module within.
    pub(super) rest: Vec<String>,
}

impl Module {
    fn whole(file: u32) -> Self {
        Self { files: vec![file], rest: Vec::new() }
    }

    fn is_whole(&self) -> bool {
        !self.files.is_empty() && self.rest.is_empty()
    }
}

impl Index {
    /// Resolves `path` as written in the file `from`.
    pub(super) fn module(&self, grammar: &'static Grammar, from: &Path, path: &str) -> Module {
        match grammar.facts().modules {
            None => Module::default(),
            Some(Modules::Rust) => self.rust(from, path),
            Some(Modules::Python) => self.python(from, path),
            Some(Modules::Javascript) => self.script(grammar, from, path),
            Some(Modules::Go) => self.folder_by_suffix(grammar, from, path, '/'),
            Some(Modules::C) => self.header(from, path),
            Some(Modules::Java) => self.java(grammar, from, path),
        }
    }

    /// The files of a module within the module `path`, such as `a.b` for `from a import b`.
    pub(super) fn module_within(
        &self,
        grammar: &'static Grammar,
        from: &Path,
        path: &str,
        name: &str,
    ) -> Module {
        let joint = match grammar.facts().modules {
            Some(Modules::Rust) if path.is_empty() => "",
            Some(Modules::Rust) => "::",
            Some(Modules::Python) if path.is_empty() || path.ends_with('.') => "",
            Some(Modules::Python | Modules::Java) => ".",
            _ => return Module::default(),
        };
        let module = self.module(grammar, from, &format!("{path}{joint}{name}"));
        if module.is_whole() { module } else { Module::default() }
    }

    fn first(&self, paths: impl IntoIterator<Item = PathBuf>) -> Option<u32> {
        paths.into_iter().find_map(|path| self.id(&path))
    }

    fn rust(&self, from: &Path, path: &str) -> Module {
        let mut parts: Vec<&str> = path.split("::").map(str::trim).filter(|it| !it.is_empty()).collect();
        let parent = from.parent().unwrap_or(from);
        let is_root = |stem: &str| ["mod", "lib", "main"].contains(&stem);
        let stem = from.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
        let own = if is_root(stem) { parent.to_owned() } else { parent.join(stem) };
        let file_of = |folder: &Path| {
            let beside = folder.with_extension("rs");
            let within = ["mod.rs", "lib.rs", "main.rs"].map(|name| folder.join(name));
            self.first([beside].into_iter().chain(within))
        };
        let child = |folder: &Path, name: &str| {
            self.first([folder.join(name).with_extension("rs"), folder.join(name).join("mod.rs")])
        };
        let (mut folder, mut file) = match parts.first().copied() {
            Some("crate") => match self.crate_root(from) {
                Some((folder, file)) => (folder.to_owned(), file),
                None => return Module::default(),
            },
            Some("self") => (own, self.id(from)),
            Some("super") => match own.parent() {
                Some(above) => (above.to_owned(), file_of(above)),
                None => return Module::default(),
            },
            Some(name) if child(&own, name).is_some() => {
                parts.insert(0, "self");
                (own, self.id(from))
            }
            Some(name) => match self.crate_named(name) {
                Some((folder, file)) => (folder, Some(file)),
                None => return Module::default(),
            },
            None => return Module::default(),
        };
        let mut parts = parts.into_iter().skip(1).peekable();
        while let Some(part) = parts.peek() {
            if *part == "super" {
                let Some(above) = folder.parent() else { break };
                (file, folder) = (file_of(above), above.to_owned());
            } else if let Some(found) = child(&folder, part) {
                (file, folder) = (Some(found), folder.join(part));
            } else {
                break;
            }
            parts.next();
        }
        match file {
            Some(file) => Module { files: vec![file], rest: parts.map(str::to_owned).collect() },
            None => Module::default(),
        }
    }

    /// The folder of a file's crate, and its root file; `None` for the file where several files of the folder
    /// may be the root.
    pub(super) fn crate_root<'p>(&self, from: &'p Path) -> Option<(&'p Path, Option<u32>)> {
        let root = |folder: &Path| self.first(["lib.rs", "main.rs"].map(|name| folder.join(name)));
        let folders = from.ancestors().skip(1).take(MOST_LEVELS).map(|it| (it, root(it)));
        folders.into_iter().find(|(folder, file)| file.is_some() || self.has_targets(folder))
    }

    /// Whether each file of a folder may be a crate root, as Cargo finds them: tests beside `Cargo.toml`, and
    /// programs in `src/bin`.
    fn has_targets(&self, folder: &Path) -> bool {
        let Some((name, parent)) = folder.file_name().zip(folder.parent()) else { return false };
        match name.to_str() {
            Some("tests" | "benches" | "examples") => {
                self.first(["Cargo.toml", "src/lib.rs", "src/main.rs"].map(|it| parent.join(it))).is_some()
            }
            Some("bin") => parent.ends_with("src"),
            _ => false,
        }
    }

    /// The root of another crate of the workspace, whose folder usually has the crate's name.
    fn crate_named(&self, name: &str) -> Option<(PathBuf, u32)> {
        let is_named = |folder: &&PathBuf| {
            let above = folder.parent().and_then(Path::file_name).and_then(|it| it.to_str());
            folder.ends_with("src") && above.is_some_and(|it| it.replace('-', "_") == name)
        };
        let mut folders: Vec<&PathBuf> = self.folders().filter(is_named).collect();
        folders.sort_unstable_by_key(|it| (it.components().count(), *it));
        folders.into_iter().find_map(|folder| Some((folder.clone(), self.first([folder.join("lib.rs")])?)))
    }

    fn python(&self, from: &Path, path: &str) -> Module {
        let dots = path.bytes().take_while(|byte| *byte == b'.').count();
        let parts: Vec<&str> = path[dots..].split('.').map(str::trim).filter(|it| !it.is_empty()).collect();
        let parent = from.parent().unwrap_or(from);
        let bases: Vec<PathBuf> = match dots {
            0 => parent
                .ancestors()
                .take(MOST_LEVELS)
                .flat_map(|it| [it.to_owned(), it.join("src"), it.join("lib")])
                .collect(),
            dots => parent.ancestors().nth(dots - 1).map(Path::to_owned).into_iter().collect(),
        };
        let file = |folder: &Path, parts: &[&str]| {
            let path = parts.iter().fold(folder.to_owned(), |path, part| path.join(part));
            let package = ["__init__.py", "__init__.pyi"].map(|name| path.join(name));
            let module = ["py", "pyi"].map(|ending| path.with_extension(ending));
            match parts.is_empty() {
                true => self.first(package),
                false => self.first(module.into_iter().chain(package)),
            }
        };
        let least = usize::from(dots == 0);
        for length in (least..=parts.len()).rev() {
            let (known, rest) = parts.split_at(length);
            if let Some(found) = bases.iter().find_map(|base| file(base, known)) {
                return Module { files: vec![found], rest: rest.iter().map(|it| (*it).to_owned()).collect() };
            }
        }
        Module::default()
    }

    fn script(&self, grammar: &Grammar, from: &Path, path: &str) -> Module {
        let parent = from.parent().unwrap_or(from);
        let bases: Vec<PathBuf> = if path.starts_with('.') {
            vec![normal(&parent.join(path))]
        } else {
            // By convention `@/a` starts at the source root, and other projects set their root there.
            let below = path.trim_start_matches("@/").trim_start_matches("~/");
            let customary = parent
                .ancestors()
                .take(MOST_LEVELS)
                .flat_map(|it| [it.join(below), it.join("src").join(below)]);
            self.script_paths(from, path).into_iter().chain(customary).collect()
        };
        let mut endings: Vec<&str> = grammar::all()
            .filter(|it| it.family() == grammar.family())
            .flat_map(|it| it.facts().extensions.iter().map(String::as_str))
            .collect();
        // A TypeScript file is imported with the extension of its compiled file.
        endings.sort_by_key(|ending| !ending.contains("ts"));
        endings.push("d.ts");
        for base in bases {
            let stem = base.extension().filter(|it| endings.iter().any(|ending| it.to_str() == Some(ending)));
            let stem = stem.map(|_| base.with_extension(""));
            let with = |base: &Path, ending: &str| PathBuf::from(format!("{}.{ending}", base.display()));
            let paths = [base.clone()]
                .into_iter()
                .chain(endings.iter().map(|ending| with(&base, ending)))
                .chain(stem.iter().flat_map(|stem| endings.iter().map(|ending| with(stem, ending))))
                .chain(endings.iter().map(|ending| with(&base.join("index"), ending)));
            if let Some(file) = self.first(paths) {
                return Module::whole(file);
            }
        }
        Module::default()
    }

    fn header(&self, from: &Path, path: &str) -> Module {
        let path = path.trim_matches(['<', '>']);
        let parent = from.parent().unwrap_or(from);
        let roots = parent.ancestors().take(MOST_LEVELS);
        let paths =
            roots.flat_map(|it| ["", "include", "src"].map(|below| normal(&it.join(below).join(path))));
        self.first(paths).map(Module::whole).unwrap_or_default()
    }

    fn java(&self, grammar: &Grammar, from: &Path, path: &str) -> Module {
        let file = path.replace('.', "/");
        let parent = from.parent().unwrap_or(from);
        let files = parent
            .ancestors()
            .take(MOST_LEVELS)
            .flat_map(|it| grammar.facts().extensions.iter().map(move |ending| (it, ending)))
            .map(|(it, ending)| it.join(format!("{file}.{ending}")));
        match self.first(files) {
            Some(file) => Module::whole(file),
            None => self.folder_by_suffix(grammar, from, path, '.'),
        }
    }

    /// The files of the nearest folder whose path has the longest common suffix with this path.
    fn folder_by_suffix(&self, grammar: &Grammar, from: &Path, path: &str, separator: char) -> Module {
        let parts: Vec<&str> = path.split(separator).filter(|it| !it.is_empty()).collect();
        for skipped in 0..parts.len() {
            let below: PathBuf = parts[skipped..].iter().collect();
            let folders = from.ancestors().skip(1).take(MOST_LEVELS).map(|it| it.join(&below));
            if let Some(ids) = folders.map(|it| self.in_folder(&it)).find(|ids| !ids.is_empty()) {
                return Module { files: self.of_family(grammar, ids), rest: Vec::new() };
            }
        }
        Module::default()
    }

    /// The files that are of a language's family.
    pub(super) fn of_family(&self, grammar: &Grammar, mut ids: Vec<u32>) -> Vec<u32> {
        let is_one = |id: &u32| self.file(*id).is_some_and(|file| file.grammar.family() == grammar.family());
        ids.retain(is_one);
        ids
    }
}

/// Normalizes `.` and `..` in a path.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}
