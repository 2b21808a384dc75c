//! What is wrong with the changes of several files taken together.
//!
//! All of it is told, and none of it blocks.

mod imports;

use std::path::Path;

use super::finding::{Finding, Problem};
use super::overlay;
use super::project::Project;
use crate::assist::changed_definitions::changed_definitions;
use crate::edit::edit_set::{Change, FileEdit};
use crate::edit::reply::Flag;
use crate::edit::{Edit, EditSet, guard};
use crate::grammar::{self, Grammar};
use crate::workspace::{Definition, Reference, Workspace};

/// Findings that are told at most.
const MOST_FINDINGS: usize = 50;
/// Uses of one definition that are told at most.
const MOST_USES: usize = 5;

/// Checks a set as if it were applied. It reads files and parses.
pub(super) fn findings(project: &Project, set: &EditSet) -> Vec<Finding> {
    check(project, set, false)
}

/// As [`findings`], with the names of which too little code is known to tell whether they are wrong.
///
/// A model that is told of them would look for mistakes where there are none.
pub(super) fn findings_and_doubts(project: &Project, set: &EditSet) -> Vec<Finding> {
    check(project, set, true)
}

fn check(project: &Project, set: &EditSet, with_doubts: bool) -> Vec<Finding> {
    let after = project.workspace.changed(&overlay::changes(project, set));
    let check = Check { project, set, before: &project.workspace, after: &after };
    let mut findings = check.syntax();
    findings.extend(check.unknown_names(with_doubts));
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
    fn unknown_names(&self, with_doubts: bool) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files() {
            let Some(path) = file.new_path() else { continue };
            let Some(grammar) = grammar::by_path(Path::new(path)) else { continue };
            let is_reliable = self.after.is_reliable_for(grammar);
            if !is_reliable && !with_doubts {
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
                let problem =
                    if is_reliable { Problem::UnknownNames(names) } else { Problem::UncheckedNames(names) };
                findings.push(Finding { path: path.to_owned(), line: None, problem });
            }
        }
        findings
    }

    /// Uses of definitions that are gone, or look different now.
    ///
    /// They are found as far as a name has one definition alone.
    fn uses(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for file in self.set.files() {
            let Some(grammar) = grammar::by_path(Path::new(&file.path)) else { continue };
            let Some(old) = self.before.symbols(&self.project.place(&file.path)) else { continue };
            let new = file.new_path().and_then(|path| self.after.symbols(&self.project.place(path)));
            for (definition, now) in changed_definitions(&old, new.as_deref()) {
                if self.before.definitions(grammar, definition.name).len() > 1 {
                    continue;
                }
                match now {
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
        let finding = |it: &Reference| Finding {
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
        let finding = |it: &Reference| Finding {
            path: self.project.shown(&it.path),
            line: Some(it.line + 1),
            problem: Problem::OldSignature { name: definition.name.to_owned(), now: now.to_owned() },
        };
        uses.iter().filter(|it| is_left(&it.path)).take(MOST_USES).map(finding).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
            permission: Arc::new(crate::assist::plan::NeverRun),
        };
        let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
        let set = project.with_permissions(|permissions| plan::plan(&patch, &*project.files, permissions));
        let shown: String =
            findings_and_doubts(&project, &set.unwrap()).iter().map(|it| format!("{it}\n")).collect();
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
    fn caller_in_the_arguments_of_a_macro_is_told() {
        let uses = "use crate::shape::area;\n\n#[cfg(area(1))]\nfn draw() {\n    println!(\"area(1) {}\", area(2));\n    \
            assert_eq!(Some(crate::shape::area(2)), all(&[area]));\n    vec![[area(3)]];\n}\n";
        let files = format!(
            "//- src/shape.rs\npub fn area(width: u32) -> u32 {{\n    width\n}}\n//- src/page.rs\n{uses}"
        );
        check(
            &files,
            "*** Update File: src/shape.rs\n@@\n-pub fn area(width: u32) -> u32 {\n\
                +pub fn area(width: u32, height: u32) -> u32 {\n",
            expect![[r#"
                src/page.rs:5: it uses `area` as before, which is now `pub fn area(width: u32, height: u32) -> u32`
                src/page.rs:6: it uses `area` as before, which is now `pub fn area(width: u32, height: u32) -> u32`
                src/page.rs:7: it uses `area` as before, which is now `pub fn area(width: u32, height: u32) -> u32`
            "#]],
        );
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
    fn name_that_no_file_of_a_small_project_has_is_told_as_a_doubt() {
        let call = "*** Update File: src/page.rs\n@@\n-    area(2)\n+    volume(2)\n";
        check(
            RUST,
            call,
            expect![[r#"
            src/page.rs: it calls `volume`, found in no file; too little code is known to tell whether that is wrong
        "#]],
        );
        let defined = "*** Update File: src/shape.rs\n@@\n+pub fn volume(width: u32) -> u32 {\n+    width\n+}\n+\n pub fn area";
        check(RUST, &format!("{call}{defined}(width: u32) -> u32 {{\n"), expect![""]);
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
