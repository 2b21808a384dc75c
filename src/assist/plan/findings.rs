//! What is wrong with the changes of several files taken together. All of it is told, and none of it blocks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::overlay;
use super::project::Project;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::reply::Flag;
use crate::edit::{Edit, EditSet, guard};
use crate::grammar::{self, Grammar, Modules};
use crate::text::printable;
use crate::workspace::{Definition, FileSymbols, Kind, Place, Workspace};

/// Findings that are told at most.
const MOST_FINDINGS: usize = 50;
/// Uses of one definition that are told at most.
const MOST_USES: usize = 5;
/// What the path of an import begins with that leads to the project's own files.
const OWN_PREFIXES: [&str; 6] = ["./", "../", ".", "crate::", "self::", "super::"];

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, below the root, as it is named afterwards.
    pub path: String,
    /// The line afterwards, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It has more syntax errors than before, or a new file has any.
    Syntax,
    /// It calls what is known nowhere.
    UnknownNames(Vec<String>),
    /// An import leads nowhere.
    LostImport(String),
    /// It uses what is gone.
    Gone(String),
    /// It uses what looks different now, and was not changed.
    OldSignature {
        /// The name.
        name: String,
        /// The definition's head now.
        now: String,
    },
}

impl Problem {
    /// A stable name for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::UnknownNames(_) => "unknown-names",
            Self::LostImport(_) => "lost-import",
            Self::Gone(_) => "gone",
            Self::OldSignature { .. } => "old-signature",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("it has syntax errors"),
            Self::UnknownNames(names) => {
                write!(f, "it calls `{}`, known nowhere", printable(&names.join("`, `")))
            }
            Self::LostImport(path) => write!(f, "the import of `{}` leads nowhere", printable(path)),
            Self::Gone(name) => write!(f, "it uses `{}`, which is gone", printable(name)),
            Self::OldSignature { name, now } => {
                write!(f, "it uses `{}` as before, which is now `{}`", printable(name), printable(now))
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line}: {}", printable(&self.path), self.problem)
    }
}

/// Checks a set as if it were applied. It reads files and parses.
pub(super) fn findings(project: &Project, set: &EditSet) -> Vec<Finding> {
    let after = project.workspace.changed(&overlay::changes(project, set));
    let check = Check { project, set, before: &project.workspace, after: &after };
    let mut findings = check.syntax();
    findings.extend(check.unknown_names());
    findings.extend(check.lost_imports());
    findings.extend(check.uses());
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings.dedup();
    findings.truncate(MOST_FINDINGS);
    findings
}

struct Check<'a> {
    project: &'a Project,
    set: &'a EditSet,
    before: &'a Workspace,
    after: &'a Workspace,
}

impl Check<'_> {
    fn syntax(&self) -> Vec<Finding> {
        let broken = self.set.files().iter().filter(|file| file.flags.contains(&Flag::Syntax));
        let paths = broken.filter_map(FileEdit::new_path);
        paths.map(|path| Finding { path: path.to_owned(), line: None, problem: Problem::Syntax }).collect()
    }

    /// Calls of what neither the project nor another file of the set has.
    fn unknown_names(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files() {
            let Some(path) = file.new_path() else { continue };
            let Some(grammar) = grammar::by_path(Path::new(path)) else { continue };
            if !self.after.speaks_for(grammar) {
                continue;
            }
            let whole;
            let (text, edits) = match &file.change {
                Change::Create { text } => {
                    whole = [Edit::new(0..0, text.as_str())];
                    ("", whole.as_slice())
                }
                Change::Edit { base, edits } | Change::Rename { base, edits, .. } => {
                    (base.text.as_str(), edits.as_slice())
                }
                Change::Delete { .. } => continue,
            };
            let elsewhere = |name: &str| {
                let mut others = self.set.files().iter().filter(|other| other.path != file.path);
                others.any(|other| other.new_text().is_some_and(|text| text.contains(name)))
            };
            let known = |name: &str| self.before.knows(grammar, name) || elsewhere(name);
            let names = guard::unknown_names(grammar, text, edits, None, &known);
            if !names.is_empty() {
                let problem = Problem::UnknownNames(names);
                findings.push(Finding { path: path.to_owned(), line: None, problem });
            }
        }
        findings
    }

    /// Imports of files that are gone, and new imports of the project's own that lead to no file.
    fn lost_imports(&self) -> Vec<Finding> {
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
            let is_old = |import: &crate::workspace::Import<'_>| {
                old.imports().any(|it| (it.path, it.original) == (import.path, import.original))
            };
            for import in symbols.imports().filter(|import| !is_old(import)) {
                let is_own = OWN_PREFIXES.iter().any(|prefix| import.path.starts_with(prefix));
                if is_own && self.leads_nowhere(&path, &import) {
                    findings.push(self.lost_import(&path, &import));
                }
            }
        }
        findings
    }

    /// Whether an import leads to no file, or to no name that any file has.
    fn leads_nowhere(&self, path: &Path, import: &crate::workspace::Import<'_>) -> bool {
        if self.after.imported(path, import).is_empty() {
            return true;
        }
        let Some(grammar) = grammar::by_path(path) else { return false };
        let name = import.original;
        let is_module = |path: &Arc<Path>| path.file_stem().is_some_and(|stem| stem == name);
        // Where names are made by macros, what is named like a file or is defined anywhere will do.
        !name.is_empty()
            && import.path.contains("::")
            && self.after.definitions(grammar, name).is_empty()
            && !self.after.paths().iter().any(is_module)
    }

    /// Imports that led to a file which is gone, in the files that have them still.
    fn imports_of_gone(&self, gone: &Path) -> Vec<Finding> {
        let mut findings = Vec::new();
        for importer in self.before.importers(gone) {
            let Some(path) = self.afterwards(&importer) else { continue };
            let (Some(old), Some(new)) = (self.before.symbols(&importer), self.after.symbols(&path)) else {
                continue;
            };
            let led_there = |import: &crate::workspace::Import<'_>| {
                self.before.imported(&importer, import).iter().any(|it| **it == *gone)
            };
            for import in old.imports().filter(led_there) {
                let is_same = |it: &crate::workspace::Import<'_>| {
                    (it.path, it.name, it.original) == (import.path, import.name, import.original)
                };
                let Some(left) = new.imports().find(is_same) else { continue };
                // What was moved may be found under the same name, as `a.rs` in `a/mod.rs`.
                let leads_to_new = self.after.imported(&path, &left).iter().any(|it| self.is_new(it));
                if !leads_to_new {
                    findings.push(self.lost_import(&path, &left));
                }
            }
        }
        findings
    }

    /// Modules that are declared still, and whose file is gone: `mod a;`.
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
        let declares = |place: &Place| {
            let definition = place.definition();
            let roots = ["lib.rs", "main.rs", "mod.rs"].map(|root| folder.join(root));
            let is_above =
                roots.iter().chain([&folder.with_extension("rs")]).any(|it| **it == **place.path());
            let text = self.after.text(place.path()).unwrap_or_default();
            let declaration = text.get(definition.range()).unwrap_or_default();
            definition.kind == Kind::Module && is_above && declaration.trim_end().ends_with(';')
        };
        let declarations = self.after.definitions(grammar, &name).into_iter().filter(declares);
        declarations
            .map(|place| Finding {
                path: self.project.shown(place.path()),
                line: Some(place.definition().line + 1),
                problem: Problem::LostImport(name.clone()),
            })
            .collect()
    }

    /// Where a file is afterwards; `None` if it is gone.
    fn afterwards(&self, path: &Path) -> Option<PathBuf> {
        let file = self.set.files().iter().find(|file| self.project.place(&file.path) == *path);
        match file {
            Some(file) => file.new_path().map(|path| self.project.place(path)),
            None => Some(path.to_owned()),
        }
    }

    /// Whether a file was not there before.
    fn is_new(&self, path: &Path) -> bool {
        self.before.symbols(path).is_none()
    }

    fn lost_import(&self, path: &Path, import: &crate::workspace::Import<'_>) -> Finding {
        let what = match (import.path, import.original) {
            (path, "") => path.to_owned(),
            ("", name) => name.to_owned(),
            (path, name) if path.contains("::") => format!("{path}::{name}"),
            (path, name) => format!("{name} from {path}"),
        };
        let line = self.after.text(path).ok().map(|text| line_of(&text, import.start));
        Finding { path: self.project.shown(path), line, problem: Problem::LostImport(what) }
    }

    /// Uses of definitions that are gone, or look different now, as far as a name has one definition alone.
    fn uses(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files() {
            let Some(grammar) = grammar::by_path(Path::new(&file.path)) else { continue };
            let Some(old) = self.before.symbols(&self.project.place(&file.path)) else { continue };
            let new = file.new_path().and_then(|path| self.after.symbols(&self.project.place(path)));
            for definition in old.definitions() {
                let is_named = definition.kind.is_callable() || definition.kind.is_type();
                if !is_named
                    || definition.kind == Kind::Implementation
                    || self.before.definitions(grammar, definition.name).len() > 1
                {
                    continue;
                }
                match new.as_deref().and_then(|new| same(new, &definition)) {
                    Some(now) if head(&now) == head(&definition) => {}
                    Some(now) => findings.extend(self.old_uses(grammar, &definition, now.signature)),
                    None if self.after.definitions(grammar, definition.name).is_empty() => {
                        findings.extend(self.uses_of_gone(grammar, &definition));
                    }
                    None => {}
                }
            }
        }
        findings
    }

    /// Uses of what is gone, wherever they are.
    fn uses_of_gone(&self, grammar: &'static Grammar, definition: &Definition<'_>) -> Vec<Finding> {
        let uses = self.after.references(grammar, definition.name, &|| false);
        let finding = |it: &crate::workspace::Reference| Finding {
            path: self.project.shown(&it.path),
            line: Some(it.line + 1),
            problem: Problem::Gone(definition.name.to_owned()),
        };
        uses.iter().take(MOST_USES).map(finding).collect()
    }

    /// Uses of what looks different now, in files that the set leaves as they are.
    fn old_uses(&self, grammar: &'static Grammar, definition: &Definition<'_>, now: &str) -> Vec<Finding> {
        let uses = self.after.references(grammar, definition.name, &|| false);
        let is_left = |path: &Path| {
            let shown = self.project.shown(path);
            self.set.files().iter().all(|file| file.path != shown && file.new_path() != Some(&shown))
        };
        let finding = |it: &crate::workspace::Reference| Finding {
            path: self.project.shown(&it.path),
            line: Some(it.line + 1),
            problem: Problem::OldSignature { name: definition.name.to_owned(), now: now.to_owned() },
        };
        uses.iter().filter(|it| is_left(&it.path)).take(MOST_USES).map(finding).collect()
    }
}

/// The definition of the same kind and name, if there is one.
fn same<'a>(symbols: &'a FileSymbols, definition: &Definition<'_>) -> Option<Definition<'a>> {
    symbols.definitions().find(|it| it.name == definition.name && it.kind == definition.kind)
}

/// What callers see of a definition: its head from its name on, without regard to blanks. A type is seen by its name.
fn head(definition: &Definition<'_>) -> String {
    if definition.kind.is_type() {
        return definition.name.to_owned();
    }
    let start = definition.signature.find(definition.name).unwrap_or(0);
    definition.signature[start..].split_whitespace().collect()
}

/// The line of a byte, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::config::Scoped;
    use crate::edit::plan;
    use crate::privacy::Verdict;
    use crate::workspace::{Folder, Scope, walk};

    /// The findings of a patch to these files, which are separated by `//- path` lines.
    fn check(files: &str, patch: &str, expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        for file in files.split("//- ").skip(1) {
            let (path, text) = file.split_once('\n').unwrap();
            let place = folder.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        let disk = Folder::new(folder.path(), 1 << 20).unwrap();
        let root = disk.root().to_owned();
        let workspace = Workspace::default();
        let roots = [root.clone()];
        walk(
            &workspace,
            Scope { roots: &roots, denied: &|_| false, cancelled: &|| false, is_background: false },
            None,
        );
        let project = Project {
            root,
            files: Arc::new(disk),
            workspace: Arc::new(workspace),
            settings: Scoped::default(),
            access: Arc::new(|_| Verdict::Open),
        };
        let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
        let set = project.with_permissions(|permissions| plan::plan(&patch, &*project.files, permissions));
        let shown: String = findings(&project, &set.unwrap()).iter().map(|it| format!("{it}\n")).collect();
        expect.assert_eq(&shown);
    }

    const RUST: &str = "//- src/lib.rs\nmod shape;\nmod page;\n\
        //- src/shape.rs\npub fn area(width: u32) -> u32 {\n    width\n}\n\
        //- src/page.rs\nuse crate::shape::area;\n\nfn draw() -> u32 {\n    area(2)\n}\n";

    #[test]
    fn caller_of_a_changed_signature_is_told_if_it_was_left() {
        let signature = "*** Update File: src/shape.rs\n@@\n-pub fn area(width: u32) -> u32 {\n\
            +pub fn area(width: u32, height: u32) -> u32 {\n";
        check(
            RUST,
            signature,
            expect![[r#"
                src/page.rs:4: it uses `area` as before, which is now `pub fn area(width: u32, height: u32) -> u32`
            "#]],
        );
        let caller = "*** Update File: src/page.rs\n@@\n-    area(2)\n+    area(2, 3)\n";
        check(RUST, &format!("{signature}{caller}"), expect![""]);
        let body = "*** Update File: src/shape.rs\n@@\n-    width\n+    width * width\n";
        check(RUST, body, expect![""]);
    }

    #[test]
    fn import_and_use_of_what_is_gone_are_told() {
        check(
            RUST,
            "*** Delete File: src/shape.rs\n",
            expect![[r#"
                src/lib.rs:1: the import of `shape` leads nowhere
                src/page.rs:1: the import of `crate::shape::area` leads nowhere
                src/page.rs:4: it uses `area`, which is gone
            "#]],
        );
        check(
            RUST,
            "*** Update File: src/shape.rs\n*** Move to: src/form.rs\n",
            expect![[r#"
                src/lib.rs:1: the import of `shape` leads nowhere
                src/page.rs:1: the import of `crate::shape::area` leads nowhere
            "#]],
        );
        let moved = "*** Update File: src/lib.rs\n@@\n-mod shape;\n+mod form;\n*** Update File: src/shape.rs\n*** Move to: src/form.rs\n\
            *** Update File: src/page.rs\n@@\n-use crate::shape::area;\n+use crate::form::area;\n";
        check(RUST, moved, expect![""]);
        check(RUST, "*** Update File: src/shape.rs\n*** Move to: src/shape/mod.rs\n", expect![""]);
    }

    #[test]
    fn new_import_that_leads_nowhere_is_told() {
        let script = "//- src/a.ts\nexport function a() {}\n//- src/b.ts\nimport { a } from './a';\na();\n";
        check(
            script,
            "*** Update File: src/b.ts\n@@\n-import { a } from './a';\n+import { a } from './aa';\n",
            expect![[r#"
                src/b.ts:1: the import of `a from ./aa` leads nowhere
            "#]],
        );
        check(
            script,
            "*** Add File: src/aa.ts\n+export function a() {}\n\
             *** Update File: src/b.ts\n@@\n-import { a } from './a';\n+import { a } from './aa';\n",
            expect![""],
        );
        check(
            RUST,
            "*** Update File: src/page.rs\n@@\n-use crate::shape::area;\n+use crate::shape::volume;\n",
            expect![[r#"
                src/page.rs:1: the import of `crate::shape::volume` leads nowhere
            "#]],
        );
    }

    #[test]
    fn new_file_with_syntax_errors_is_told() {
        check(
            RUST,
            "*** Add File: src/new.rs\n+pub fn new( {\n",
            expect![[r#"
                src/new.rs: it has syntax errors
            "#]],
        );
    }
}
