//! A reply about several files below one folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde_json::json;
use similar::TextDiff;

use super::{
    Arguments, Failure, UNPRINTED, flags_report, names_of, read_file, read_reply, terminal, unknown_names, write,
};
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag, Operation};
use crate::edit::{Refusal, apply, diff};
use crate::grammar;

/// What becomes of a path.
#[derive(Default)]
struct Planned {
    old: Option<String>,
    new: Option<String>,
    /// What is to be said of the change.
    flags: Vec<Flag>,
}

/// Applies the reply on standard input to the files below `root`: all of it or nothing.
pub(super) fn run(root: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let root = fs::canonicalize(root).with_context(|| format!("cannot open {}", root.display()))?;
    let reply = read_reply()?;
    let mut plan = plan(&root, &reply, arguments.allow_invisible)?;
    flag_unknown_names(&root, &mut plan);
    let diff: String = plan.iter().map(|(path, planned)| unified(path, planned)).collect();
    if arguments.json {
        let files: Vec<_> = plan
            .iter()
            .map(|(path, planned)| {
                let flags = flags_report(&planned.flags);
                json!({ "path": path, "operation": operation(planned), "flags": flags })
            })
            .collect();
        let report = json!({ "status": "applied", "files": files, "diff": diff });
        terminal::json(&report, false).context(UNPRINTED)?;
    } else {
        for (path, flag) in plan.iter().flat_map(|(path, it)| it.flags.iter().map(move |flag| (path, flag))) {
            terminal::say(format_args!("{path}: {flag}"));
        }
        if !arguments.write {
            terminal::exact(&diff).context(UNPRINTED)?;
        }
    }
    if arguments.write {
        let changes: Vec<write::Change> = plan
            .into_iter()
            .filter(|(_, planned)| planned.old != planned.new)
            .map(|(path, planned)| write::Change { path: root.join(path), text: planned.new })
            .collect();
        write::all(&changes).context("nothing was written")?;
    }
    Ok(())
}

/// Works out each file's text before anything is touched.
fn plan(root: &Path, reply: &str, allow_invisible: bool) -> Result<BTreeMap<String, Planned>, Failure> {
    let mut plan: BTreeMap<String, Planned> = BTreeMap::new();
    for change in reply::files(reply)? {
        let path = confined(root, &change.path)?;
        let place = root.join(&path);
        let operation = |detail: String| Failure::from(Refusal::FileOperation { detail });
        if plan.contains_key(&path) {
            return Err(Refusal::Malformed { detail: format!("it speaks of `{path}` twice") }.into());
        }
        let exists = place.symlink_metadata().is_ok();
        match change.operation {
            Operation::Create(text) => {
                if exists {
                    return Err(operation(format!("create `{path}`, which is there already")));
                }
                if let Some(file) = file_above(root, &path, &plan) {
                    return Err(operation(format!("create `{path}` below the file `{file}`")));
                }
                guard::check_new(&text, allow_invisible)?;
                plan.insert(path, Planned { new: Some(text), ..Planned::default() });
            }
            Operation::Delete(shown) => {
                if !exists {
                    return Err(Refusal::OtherFile { path }.into());
                }
                let old = read_file(&place)?;
                shown.place(&old)?;
                plan.insert(path, Planned { old: Some(old), ..Planned::default() });
            }
            Operation::Edit { blocks, move_to } => {
                if !exists {
                    return Err(Refusal::OtherFile { path }.into());
                }
                let old = read_file(&place)?;
                let grammar = grammar::by_path(&place);
                let edits = blocks.place(&old)?;
                let checks = Checks {
                    before: &old,
                    grammar,
                    blanks_count: true,
                    allow_invisible,
                    ..Checks::default()
                };
                let flags = guard::check(&checks, &edits)?;
                let new = apply(&old, &edits);
                match move_to.map(|to| confined(root, &to)).transpose()?.filter(|to| *to != path) {
                    Some(to) => {
                        if root.join(&to).symlink_metadata().is_ok() || plan.contains_key(&to) {
                            return Err(operation(format!("move `{path}` over `{to}`")));
                        }
                        if let Some(file) = file_above(root, &to, &plan) {
                            return Err(operation(format!("move `{path}` below the file `{file}`")));
                        }
                        plan.insert(path, Planned { old: Some(old), ..Planned::default() });
                        plan.insert(to, Planned { old: None, new: Some(new), flags });
                    }
                    None => _ = plan.insert(path, Planned { old: Some(old), new: Some(new), flags }),
                }
            }
        }
    }
    Ok(plan)
}

/// Flags calls of what neither the folder's code nor another file of the reply has.
fn flag_unknown_names(root: &Path, plan: &mut BTreeMap<String, Planned>) {
    if plan.values().all(|it| it.old.is_none() || it.new.is_none()) {
        return;
    }
    let index = names_of(root);
    let found: Vec<(String, Flag)> = plan
        .iter()
        .filter_map(|(path, planned)| {
            let (old, new) = planned.old.as_deref().zip(planned.new.as_deref())?;
            let grammar = grammar::by_path(Path::new(path))?;
            let others =
                || plan.iter().filter(|(other, _)| *other != path).filter_map(|(_, it)| it.new.as_deref());
            let known = |name: &str| index.knows(grammar, name) || others().any(|text| text.contains(name));
            let flag = unknown_names(&index, grammar, old, &diff::minimal(old, new), &known)?;
            Some((path.clone(), flag))
        })
        .collect();
    for (path, flag) in found {
        if let Some(planned) = plan.get_mut(&path) {
            planned.flags.push(flag);
        }
    }
}

/// The file that would have to be a folder for `path` to be made, be it one that is there or one that is planned.
fn file_above(root: &Path, path: &str, plan: &BTreeMap<String, Planned>) -> Option<String> {
    let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
    let stands = |folder: &&str| plan.contains_key(*folder) || root.join(folder).is_file();
    let below =
        || plan.keys().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/')));
    above.find(stands).or_else(|| below().then_some(path)).map(str::to_owned)
}

/// The path of a reply as one below the root, whatever links lie on the way.
fn confined(root: &Path, path: &str) -> Result<String, Refusal> {
    let outside = || Refusal::OutsideRoot { path: path.to_owned() };
    let below = reply::below_root(path, |path| root.join(path).exists()).ok_or_else(outside)?;
    // The nearest folder that exists must lie below the root once its links are followed.
    let mut place: PathBuf = root.join(&below);
    while place.symlink_metadata().is_err() {
        if !place.pop() {
            return Err(outside());
        }
    }
    let real = fs::canonicalize(&place).map_err(|_| outside())?;
    let hidden = below.split('/').any(|part| part.eq_ignore_ascii_case(".git"));
    if real.starts_with(root) && !hidden { Ok(below) } else { Err(outside()) }
}

fn operation(planned: &Planned) -> &'static str {
    match (&planned.old, &planned.new) {
        (None, _) => "create",
        (Some(_), None) => "delete",
        (Some(old), Some(new)) if old == new => "none",
        (Some(_), Some(_)) => "edit",
    }
}

/// One file's part of the diff.
fn unified(path: &str, planned: &Planned) -> String {
    let (old, new) = (planned.old.as_deref(), planned.new.as_deref());
    if old == new {
        return String::new();
    }
    let name =
        |side: &str, text: Option<&str>| text.map_or("/dev/null".to_owned(), |_| format!("{side}/{path}"));
    let diff = TextDiff::from_lines(old.unwrap_or(""), new.unwrap_or(""));
    diff.unified_diff().header(&name("a", old), &name("b", new)).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plans a reply in a folder that holds `a.txt`; returns the diff or the refusal's code.
    fn diff_of(reply: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::write(root.join("a.txt"), "one\ntwo\n").unwrap();
        match plan(&root, reply, false) {
            Ok(plan) => plan.iter().map(|(path, planned)| unified(path, planned)).collect(),
            Err(Failure::Refused(refusal)) => format!("refused: {}", refusal.code()),
            Err(Failure::Usage(reason)) => reason,
            Err(Failure::Failed(error)) => error.to_string(),
        }
    }

    fn patch(body: &str) -> String {
        format!("*** Begin Patch\n{body}\n*** End Patch\n")
    }

    #[test]
    fn one_diff_of_all_changes() {
        let reply = patch("*** Update File: a.txt\n@@\n-two\n+three\n*** Add File: new/b.txt\n+hi");
        let expected = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n--- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+hi\n";
        assert_eq!(diff_of(&reply), expected);
        let moved = patch("*** Update File: a.txt\n*** Move to: b.txt\n@@\n-two\n+three");
        assert_eq!(diff_of(&moved).matches("/dev/null").count(), 2);
    }

    #[test]
    fn paths_and_operations_that_are_refused() {
        assert_eq!(diff_of(&patch("*** Add File: ../b.txt\n+hi")), "refused: outside-root");
        assert_eq!(diff_of(&patch("*** Add File: /tmp/b.txt\n+hi")), "refused: outside-root");
        assert_eq!(diff_of(&patch("*** Add File: .git/hooks/x\n+hi")), "refused: outside-root");
        assert_eq!(diff_of(&patch("*** Add File: x/.Git/config\n+hi")), "refused: outside-root");
        assert_eq!(diff_of(&patch("*** Add File: a.txt\n+hi")), "refused: file-operation");
        assert_eq!(diff_of(&patch("*** Add File: a.txt/b\n+hi")), "refused: file-operation");
        assert_eq!(
            diff_of(&patch("*** Add File: n\n+hi\n*** Add File: n/m\n+hi")),
            "refused: file-operation"
        );
        assert_eq!(
            diff_of(&patch("*** Add File: n/m\n+hi\n*** Add File: n\n+hi")),
            "refused: file-operation"
        );
        assert_eq!(diff_of(&patch("*** Delete File: b.txt")), "refused: other-file");
        assert_eq!(
            diff_of("--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-three\n"),
            "refused: not-found"
        );
        assert_eq!(diff_of(&patch("*** Update File: b.txt\n@@\n-a\n+b")), "refused: other-file");
        assert_eq!(
            diff_of(&patch("*** Update File: a.txt\n@@\n-no\n+b\n*** Add File: c.txt\n+c")),
            "refused: not-found"
        );
        assert_eq!(diff_of("Nothing to do."), "refused: prose");
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join("link")).unwrap();
        assert!(matches!(confined(&root, "link/x.txt"), Err(Refusal::OutsideRoot { .. })));
        assert!(confined(&root, "new/x.txt").is_ok());
    }
}
