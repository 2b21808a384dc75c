//! The input of a step: its file, and the parts of other files that it may rely on.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::overview::{cut, outline};
use super::project::Project;
use super::step::StepInput;
use super::steps::Step;
use crate::edit::edit_set::{Base, FileEdit};
use crate::grammar::{self, Grammar, QueryKind};
use crate::job::{Job, Reason};
use crate::text::ident;
use crate::workspace::{Definition, Kind, Workspace};

/// Limit on the bytes of other files that a step is shown.
const AROUND_BYTES: usize = 12 * 1024;
/// Limit on the bytes of the outline of one file that it depends on.
const ONE_OUTLINE: usize = 6 * 1024;
/// Limit on the other files from which a step is shown lines.
const MOST_FILES: usize = 24;
/// Limit on the lines of each.
const MOST_LINES: usize = 12;

/// The data from which a step's input is made, off the async thread.
pub(super) struct StepInputBuilder {
    pub(super) step: Step,
    pub(super) base: Option<Base>,
    pub(super) goal: Arc<str>,
    /// The changes that the step depends on.
    pub(super) before: Vec<FileEdit>,
}

impl StepInputBuilder {
    pub(super) async fn input(self, project: &Project) -> Result<StepInput, Reason> {
        let Self { step, base, goal, before } = self;
        if !step.needs_model() {
            return Ok(StepInput { step, base, goal, around: "".into() });
        }
        let shown = step.clone();
        let text = base.as_ref().map(|base| base.text.clone());
        let around = move |project: &Project| around(project, &shown, text.as_deref(), &before);
        let around = project.reading(Job::Step, around).await?;
        Ok(StepInput { step, base, goal, around: around.into() })
    }
}

/// The parts of other files that a step may rely on.
///
/// These are outlines of the files of earlier steps, after their changes; definitions that its intent names;
/// definitions that its file imports and uses; and lines of other files that use its file's definitions.
fn around(project: &Project, step: &Step, text: Option<&str>, before: &[FileEdit]) -> String {
    let mut shown = String::new();
    for file in before {
        let Some(path) = file.new_path() else {
            shown.push_str(&format!("{} is gone\n", file.path));
            continue;
        };
        shown.push_str(path);
        shown.push('\n');
        let place = project.place(path);
        let scratch = Workspace::default().changed(&[(place.clone(), file.new_text().map(Into::into))]);
        if let Some(symbols) = scratch.symbols(&place) {
            shown.push_str(&outline(&symbols, ONE_OUTLINE));
        }
    }
    let own = project.place(&step.path);
    if let Some(grammar) = grammar::by_path(&own) {
        let mut seen: HashSet<String> = HashSet::new();
        for name in ident::words(&step.intent).filter(|name| name.len() > 2) {
            let places = project.workspace.definitions(grammar, name);
            for place in places.iter().filter(|place| **place.path() != *own).take(2) {
                let line = signature(project, place.path(), &place.definition());
                if seen.insert(line.clone()) {
                    shown.push_str(&line);
                }
            }
        }
        if let Some(text) = text {
            for line in imported(project, &own, text).into_iter().filter(|line| seen.insert(line.clone())) {
                shown.push_str(&line);
            }
            for line in callers(project, grammar, &own) {
                shown.push_str(&line);
            }
        }
    }
    cut(&shown, AROUND_BYTES).to_owned()
}

fn signature(project: &Project, path: &Path, definition: &Definition<'_>) -> String {
    format!("{}: {}\n", project.shown(path), definition.signature)
}

/// The signatures of definitions that a file imports from the project and uses.
fn imported(project: &Project, own: &Path, text: &str) -> Vec<String> {
    let Some(symbols) = project.workspace.symbols(own) else { return Vec::new() };
    let words: HashSet<&str> = ident::words(text).collect();
    let mut files: Vec<Arc<Path>> =
        symbols.imports().flat_map(|import| project.workspace.imported(own, &import)).collect();
    files.sort_unstable();
    files.dedup();
    let mut lines = Vec::new();
    for file in files.iter().filter(|file| ***file != *own).take(MOST_FILES) {
        let Some(symbols) = project.workspace.symbols(file) else { continue };
        let used = symbols.definitions().filter(|it| words.contains(it.name) && it.kind != Kind::Field);
        lines.extend(used.take(MOST_LINES).map(|it| signature(project, file, &it)));
    }
    lines
}

/// The lines of other files that call a file's definitions, or use them as types.
fn callers(project: &Project, grammar: &'static Grammar, own: &Path) -> Vec<String> {
    let workspace = &project.workspace;
    let Some(symbols) = workspace.symbols(own) else { return Vec::new() };
    let names: HashSet<&str> =
        symbols.definitions().filter(|it| it.kind != Kind::Field).map(|it| it.name).collect();
    let mut files = workspace.importers(own);
    if grammar.facts().folder_packages {
        let beside = workspace.paths().into_iter().filter(|it| it.parent() == own.parent() && **it != *own);
        files.extend(beside);
    }
    let mut lines = Vec::new();
    for file in files.iter().take(MOST_FILES) {
        let Some((grammar, other)) = grammar::by_path(file).zip(workspace.text(file).ok()) else { continue };
        let Some(tree) = grammar.parse_str(&other) else { continue };
        let uses = grammar.matches(QueryKind::References, tree.root_node(), 0..other.len(), other.as_bytes());
        let rows = uses.iter().filter_map(|it| it.name).filter(|it| names.contains(&other[it.byte_range()]));
        let rows: BTreeSet<usize> = rows.map(|it| it.start_position().row).collect();
        let all: Vec<&str> = other.lines().collect();
        lines.extend(rows.into_iter().take(MOST_LINES).filter_map(|row| {
            Some(format!("{}:{}: {}\n", project.shown(file), row + 1, all.get(row)?.trim()))
        }));
    }
    lines
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::assist::plan::steps::Action;
    use crate::workspace::Folder;

    /// Checks what the step `1. edit path: intent` may rely on, in a project of these files.
    fn check(files: &[(&str, &str)], path: &str, intent: &str, expect: Expect) {
        let folder = tempfile::tempdir().unwrap();
        let disk = Folder::new(folder.path(), 1 << 20).unwrap();
        let root = disk.root().to_owned();
        let texts = files.iter().map(|(path, text)| (root.join(path), Some((*text).to_owned())));
        let project = Project::open(disk, Workspace::default().changed(&texts.collect::<Vec<_>>()));
        let (path, intent) = (path.to_owned(), intent.to_owned());
        let text = files.iter().find(|file| file.0 == path).map(|file| file.1);
        let step = Step { number: 1, path, action: Action::Edit, intent, tag: None, after: Vec::new() };
        expect.assert_eq(&around(&project, &step, text, &[]));
    }

    #[test]
    fn step_sees_what_its_file_imports_and_who_calls_it() {
        let files = [
            ("shop/tax.py", "def with_tax(cents):\n    return cents\n\n\ndef unused():\n    pass\n"),
            (
                "shop/price.py",
                "from shop.tax import with_tax\n\n\ndef price_of(item):\n    return with_tax(item)\n",
            ),
            ("shop/cart.py", "from shop.price import price_of\n\n\ndef total():\n    return price_of(2)\n"),
            ("shop/other.py", "def other():\n    return 1\n"),
        ];
        check(
            &files,
            "shop/price.py",
            "make it whole",
            expect![[r#"
                shop/tax.py: def with_tax(cents):
                shop/cart.py:5: return price_of(2)
            "#]],
        );
        check(
            &files,
            "shop/other.py",
            "as `price_of` does",
            expect![[r#"
                shop/price.py: def price_of(item):
            "#]],
        );
        let go = [
            ("price/price.go", "package price\n\nfunc Of() int { return three() }\n"),
            ("price/three.go", "package price\n\nfunc three() int { return 3 }\n"),
            (
                "cart/cart.go",
                "package cart\n\nimport \"a.b/price\"\n\nfunc Total() int { return price.Of() }\n",
            ),
        ];
        check(
            &go,
            "price/price.go",
            "be quick",
            expect![[r#"
                cart/cart.go:5: func Total() int { return price.Of() }
            "#]],
        );
    }
}
