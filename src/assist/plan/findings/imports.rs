//! Imports and declarations that lead nowhere.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Check, Finding, Parsed, Problem};
use crate::edit::edit_set::FileEdit;
use crate::grammar::{self, Modules, QueryKind};
use crate::workspace::{FileDefinition, Import, Kind};

/// Prefixes of import paths that lead to the project's own files.
const OWN_PREFIXES: [&str; 6] = ["./", "../", ".", "crate::", "self::", "super::"];

impl Check<'_> {
    /// Imports of files that are gone, and new imports within the project that lead to no file.
    pub(super) fn lost_imports(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files().iter().filter(|file| file.new_path() != Some(&file.path)) {
            let gone = self.project.place(&file.path);
            if file.old_text().is_some() {
                findings.extend(self.imports_of_gone(&gone));
                findings.extend(self.declarations_of_gone(&gone));
            }
        }
        for file in self.set.files() {
            let Some(path) = file.new_path().map(|path| self.project.place(path)) else { continue };
            let Some(symbols) = self.after.symbols(&path) else { continue };
            let old = self.before.symbols(&self.project.place(&file.path)).unwrap_or_default();
            let is_old = |import: &Import<'_>| {
                old.imports().any(|it| (it.path, it.original) == (import.path, import.original))
            };
            for import in symbols.imports().filter(|import| !is_old(import)) {
                let is_own = OWN_PREFIXES.iter().any(|prefix| import.path.starts_with(prefix));
                if is_own && self.leads_nowhere(&path, &import) || self.is_lacking(&path, &import) {
                    findings.push(self.lost_import(&path, &import));
                }
            }
        }
        for file in self.set.files().iter().filter(|file| file.new_path() == Some(&file.path)) {
            findings.extend(self.imports_of_lost_names(file));
        }
        findings.extend(self.missing_members());
        findings
    }

    /// New uses in changed files of names that a package of the project does not have.
    ///
    /// A package of another project may have the same name, so another member of it must be found there.
    fn missing_members(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files().iter().filter(|file| !file.is_unchanged()) {
            let Some(path) = file.new_path().map(|path| self.project.place(path)) else { continue };
            let Some(new) = self.parsed(self.after, &path).filter(|it| it.is_sound()) else { continue };
            let old = self.parsed(self.before, &self.project.place(&file.path));
            let (names, symbols) = (new.names(), self.after.symbols(&path).unwrap_or_default());
            let of_package = |package: &str| {
                let mut imports = symbols.imports();
                let import = imports.find(|it| {
                    let is_last = it.path.rsplit('/').next() == Some(package);
                    it.name == package || it.name.is_empty() && is_last
                });
                import.map(|import| self.after.imported(&path, &import)).unwrap_or_default()
            };
            let has = |files: &[Arc<Path>], name: &str| {
                files.iter().any(|it| self.parsed(self.after, it).is_some_and(|it| it.names().has(name)))
            };
            for (package, name, line) in names.members() {
                let is_old = old.as_ref().is_some_and(|old| old.names().uses_member(package, name));
                if is_old || names.declares(package) || !names.imports(package) {
                    continue;
                }
                let files = of_package(package);
                let mut others = names.members().filter(|other| other.0 == package && other.1 != name);
                if !files.is_empty() && !has(&files, name) && others.any(|other| has(&files, other.1)) {
                    let problem = Problem::LostImport(format!("{package}.{name}"));
                    findings.push(self.finding(&path, Some(line), problem));
                }
            }
        }
        findings
    }

    /// Whether an import lists a name that the imported file does not have.
    ///
    /// False for files that create names at runtime or re-export those of another file.
    fn is_lacking(&self, path: &Path, import: &Import<'_>) -> bool {
        let [place] = &self.after.imported(path, import)[..] else { return false };
        let is_module = place.file_stem().is_some_and(|stem| stem == import.original);
        let is_folder = place.parent().and_then(Path::file_name).is_some_and(|it| it == import.original);
        let (Some(importer), Some(imported)) =
            (self.parsed(self.after, path), self.parsed(self.after, place))
        else {
            return false;
        };
        let facts = importer.grammar.facts();
        let is_listed = matches!(facts.modules, Some(Modules::Python | Modules::Javascript))
            && importer.grammar.family() == imported.grammar.family()
            && is_listed(&importer, import);
        let is_made = ["__getattr__", "globals(", "sys.modules", "module.exports", "export =", "exports."]
            .iter()
            .any(|it| imported.text.contains(it));
        let names = imported.names();
        is_listed
            && !is_module
            && !is_folder
            && !is_made
            && imported.is_sound()
            && !names.is_open
            && !names.exports_name(import.original)
    }

    /// Imports of names that a file of the set no longer has.
    fn imports_of_lost_names(&self, file: &FileEdit) -> Vec<Finding> {
        let place = self.project.place(&file.path);
        let (Some(old), Some(new)) = (self.parsed(self.before, &place), self.parsed(self.after, &place))
        else {
            return Vec::new();
        };
        if old.names().exported_names().all(|name| new.names().exports_name(name)) {
            return Vec::new();
        }
        let mut findings = Vec::new();
        for importer in self.before.importers(&place) {
            let Some(path) = self.afterwards(&importer) else { continue };
            let Some(symbols) = self.after.symbols(&path) else { continue };
            let is_lost = |import: &Import<'_>| {
                old.names().exports_name(import.original)
                    && !new.names().exports_name(import.original)
                    && self.after.imported(&path, import).iter().any(|it| **it == *place)
            };
            let lost = symbols.imports().filter(|import| is_lost(import) && self.is_lacking(&path, import));
            findings.extend(lost.map(|import| self.lost_import(&path, &import)));
        }
        findings
    }

    /// Whether an import leads to no file, or to a name that no file has.
    fn leads_nowhere(&self, path: &Path, import: &Import<'_>) -> bool {
        if self.after.imported(path, import).is_empty() {
            let is_of_crate = import.path.split("::").next() == Some("crate");
            return !is_of_crate || self.after.knows_crate_root(path);
        }
        let Some(grammar) = grammar::by_path(path) else { return false };
        let name = import.original;
        let is_module = |path: &Arc<Path>| path.file_stem().is_some_and(|stem| stem == name);
        // Since macros may create names, any file with this name and any definition of it suffices.
        !name.is_empty()
            && import.path.contains("::")
            && self.after.definitions(grammar, name).is_empty()
            && !self.after.paths().iter().any(is_module)
    }

    /// Remaining imports that led to a file which is gone.
    fn imports_of_gone(&self, gone: &Path) -> Vec<Finding> {
        let mut findings = Vec::new();
        for importer in self.before.importers(gone) {
            let Some(path) = self.afterwards(&importer) else { continue };
            let (Some(old), Some(new)) = (self.before.symbols(&importer), self.after.symbols(&path)) else {
                continue;
            };
            let led_there =
                |import: &Import<'_>| self.before.imported(&importer, import).iter().any(|it| **it == *gone);
            for import in old.imports().filter(led_there) {
                let is_same = |it: &Import<'_>| {
                    (it.path, it.name, it.original) == (import.path, import.name, import.original)
                };
                let Some(left) = new.imports().find(is_same) else { continue };
                // A moved file may be found under the same name, as `a.rs` in `a/mod.rs`, and a package may
                // have other files.
                let now = self.after.imported(&path, &left);
                let is_folder = self.before.imported(&importer, &import).len() > 1;
                if !now.iter().any(|it| is_folder || self.is_new(it)) {
                    findings.push(self.lost_import(&path, &left));
                }
            }
        }
        findings
    }

    /// Remaining declarations of modules whose file is gone: `mod a;`.
    fn declarations_of_gone(&self, gone: &Path) -> Vec<Finding> {
        let Some(grammar) = grammar::by_path(gone) else { return Vec::new() };
        if grammar.facts().modules != Some(Modules::Rust) {
            return Vec::new();
        }
        let stem = |path: &Path| path.file_stem().and_then(|it| it.to_str()).map(str::to_owned);
        // `a/mod.rs` is declared where `a.rs` would be.
        let place = match (stem(gone), gone.parent()) {
            (Some(name), Some(folder)) if name == "mod" => folder.with_extension("rs"),
            _ => gone.to_owned(),
        };
        let (Some(name), Some(folder)) = (stem(&place), place.parent()) else { return Vec::new() };
        let files = [place.clone(), place.with_extension("").join("mod.rs")];
        if files.iter().any(|file| self.after.symbols(file).is_some()) {
            return Vec::new();
        }
        let declares = |place: &FileDefinition| {
            let definition = place.definition();
            let roots = ["lib.rs", "main.rs", "mod.rs"].map(|root| folder.join(root));
            let is_above =
                roots.iter().chain([&folder.with_extension("rs")]).any(|it| **it == **place.path());
            let text = self.after.text(place.path()).unwrap_or_default();
            let declaration = text.get(definition.range()).unwrap_or_default();
            definition.kind == Kind::Module && is_above && declaration.trim_end().ends_with(';')
        };
        let declarations = self.after.definitions(grammar, &name).into_iter().filter(declares);
        let lost = |place: FileDefinition| {
            let line = place.definition().line;
            self.finding(place.path(), Some(line), Problem::LostImport(name.clone()))
        };
        declarations.map(lost).collect()
    }

    /// The new path of a file; `None` if it is gone.
    fn afterwards(&self, path: &Path) -> Option<PathBuf> {
        let file = self.set.files().iter().find(|file| self.project.place(&file.path) == *path);
        match file {
            Some(file) => file.new_path().map(|path| self.project.place(path)),
            None => Some(path.to_owned()),
        }
    }

    /// Whether a file did not exist before.
    fn is_new(&self, path: &Path) -> bool {
        self.before.symbols(path).is_none()
    }

    fn lost_import(&self, path: &Path, import: &Import<'_>) -> Finding {
        let what = match (import.path, import.original) {
            (path, "") => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) if path.contains("::") => format!("{path}::{name}"),
            (path, name) => format!("{name} from {path}"),
        };
        let line = self.after.text(path).ok().map(|text| line_of(&text, import.start));
        self.finding(path, line, Problem::LostImport(what))
    }
}

/// Whether an import names one item of a module, and is not within a `try`.
fn is_listed(importer: &Parsed, import: &Import<'_>) -> bool {
    let root = importer.tree.root_node();
    let text = importer.text.as_str();
    let around = root.descendant_for_byte_range(import.start, import.start);
    let mut around = std::iter::successors(around, tree_sitter::Node::parent);
    let is_tried = around.any(|it| it.kind() == "try_statement");
    let found =
        importer.grammar.matches(QueryKind::Imports, root, import.start..import.start + 1, text.as_bytes());
    let named = found.iter().filter(|it| it.node.start_byte() == import.start).filter_map(|it| it.name);
    let mut named = named.filter(|it| &text[it.byte_range()] == import.name).filter_map(|it| it.parent());
    let is_python = importer.grammar.facts().modules == Some(Modules::Python);
    !is_tried && named.any(|it| is_python && !import.path.is_empty() || it.kind() == "import_specifier")
}

/// The line of a byte, from 0.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |before| before.matches('\n').count())
}
