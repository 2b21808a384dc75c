//! Many files: replies about them, sets of edits, and the index of a workspace.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use tandem::edit::edit_set::{Base, Revision};
use tandem::edit::effect::effects;
use tandem::edit::plan::{self, Entry, Files, Identity, Kind, Permissions};
use tandem::edit::{EditSet, Refusal, diff};
use tandem::grammar;
use tandem::privacy::Verdict;
use tandem::workspace::Workspace;

use super::Case;
use crate::Prepared;
use crate::text::{assignments, changed};

/// Files in memory.
struct Memory(BTreeMap<String, String>);

impl Files for Memory {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let below = format!("{path}/");
        let is_folder = path.is_empty()
            || self.0.range(below.clone()..).next().is_some_and(|(it, _)| it.starts_with(&below));
        let kind = if self.0.contains_key(path) { Kind::File } else { Kind::Folder };
        let is_there = kind == Kind::File || is_folder;
        let identity = Identity(0, path.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte)));
        Ok(is_there.then(|| Entry { real: path.to_owned(), kind, identity, is_link: false }))
    }

    fn names(&self, _: &str) -> Result<Vec<String>, Refusal> {
        Ok(Vec::new())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        let text = self.0[&entry.real].clone();
        Ok(Base { revision: Revision::of_bytes(text.as_bytes()), text })
    }
}

fn memory(files: usize) -> Memory {
    let file = |n: usize| (format!("src/part_{}/file_{n}.py", n % 7), format!("name = {n}\nvalue = {n}\n"));
    Memory((0..files).map(file).collect())
}

fn planned(files: &Memory, reply: &str) -> Result<EditSet, Refusal> {
    let permissions = Permissions { access: &|_| Verdict::Open, instruction: "", allow_invisible: false };
    plan::plan(reply, files, permissions)
}

/// Plans a reply that changes each file in one place.
fn of_files(count: usize, begin: &str, change: fn(&str, &str) -> String, end: &str) -> Prepared {
    let files = memory(count);
    let changes: String = files.0.keys().map(|path| change(path, &path[path.len() - 4..])).collect();
    let reply = format!("{begin}{changes}{end}");
    Box::new(move || _ = black_box(planned(&files, &reply)))
}

fn workspace(files: usize) -> Workspace {
    let workspace = Workspace::default();
    let python = grammar::by_language_id("python").unwrap();
    for n in 0..files {
        let text = format!(
            "from part.file_{} import load_{}\n\nclass Page_{n}:\n    def load_{n}(self):\n        return load()\n",
            (n + 1) % files,
            (n + 1) % files
        );
        workspace.put(Path::new(&format!("/w/part/file_{n}.py")), python, &text);
    }
    workspace.complete();
    workspace
}

fn edited(text: String, new: String) -> EditSet {
    let base = Base { revision: Revision::of_bytes(text.as_bytes()), text };
    let edits = diff::minimal(&base.text, &new);
    EditSet::of_file("a.py", base, edits)
}

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new("files: patch", 50, |n| {
            let change =
                |path: &str, _: &str| format!("*** Update File: {path}\n@@\n-name = 1\n+title = 1\n");
            let update = |path: &str, number: usize| change(path, "").replace("= 1", &format!("= {number}"));
            let files = memory(n);
            let number = |text: &String| text[7..text.find('\n').unwrap()].parse().unwrap();
            let changes: String = files.0.iter().map(|(path, text)| update(path, number(text))).collect();
            let reply = format!("*** Begin Patch\n{changes}*** End Patch\n");
            Box::new(move || _ = black_box(planned(&files, &reply).unwrap()))
        }),
        Case::new("files: fences", 50, |n| {
            of_files(
                n,
                "",
                |path, end| format!("`{path}`\n```python\nname = 0\nvalue = '{end}'\n```\n\n"),
                "",
            )
        }),
        Case::new("files: search/replace", 50, |n| {
            let change = |path: &str, end: &str| {
                format!("{path}\n<<<<<<< SEARCH\nvalue = \n=======\nvalue = '{end}'\n>>>>>>> REPLACE\n\n")
            };
            of_files(n, "", change, "")
        }),
        Case::new("files: new ones", 50, |n| {
            let change = |path: &str, end: &str| format!("*** Add File: new/{path}\n+name = '{end}'\n");
            of_files(n, "*** Begin Patch\n", change, "*** End Patch\n")
        }),
        Case::new("files: gone", 50, |n| {
            of_files(
                n,
                "*** Begin Patch\n",
                |path, _| format!("*** Delete File: {path}\n"),
                "*** End Patch\n",
            )
        }),
        Case::new("files: one set after another", 200, |n| {
            let files = memory(n);
            let delete = |files: &Memory| -> EditSet {
                let changes: String =
                    files.0.keys().map(|path| format!("*** Delete File: {path}\n")).collect();
                planned(files, &format!("*** Begin Patch\n{changes}*** End Patch\n")).unwrap()
            };
            let (first, later) = (delete(&files), delete(&files));
            Box::new(move || _ = black_box(first.followed_by(later)))
        }),
        Case::new("files: diff to show", 1_000, |n| {
            let set = edited(assignments(n), changed(&assignments(n), 2));
            Box::new(move || {
                for effect in effects(&set) {
                    black_box((effect.unified(), effect.lines()));
                }
            })
        }),
        Case::new("files: diff of two texts to show", 1_000, |n| {
            let row = |n: usize| format!("row({});\n", n * 7919 % 13);
            let old: String = (0..n).map(row).collect();
            let new: String = (0..n).map(|n| row(n * 31 + n / 7)).collect();
            let set = edited(old, new);
            Box::new(move || {
                for effect in effects(&set) {
                    black_box((effect.unified(), effect.lines()));
                }
            })
        }),
        Case::new("index: files", 50, |n| Box::new(move || _ = black_box(workspace(n)))),
        Case::new("index: definitions of a file", 500, |n| {
            let text: String = (0..n).fold(String::new(), |mut text, n| {
                _ = writeln!(text, "import part_{n}\ndef load_{n}(path):\n    return part_{n}.load(path)");
                text
            });
            Box::new(move || {
                let workspace = Workspace::default();
                workspace.put(Path::new("/w/a.py"), grammar::by_language_id("python").unwrap(), &text);
                black_box(workspace.symbols(Path::new("/w/a.py")));
            })
        }),
        Case::new("index: nested definitions", 100, |n| {
            // Indentation would make the text grow with the square of the depth.
            let text: String =
                (0..n).map(|n| format!("mod a_{n} {{\n")).chain((0..n).map(|_| "}\n".into())).collect();
            Box::new(move || {
                let workspace = Workspace::default();
                workspace.put(Path::new("/w/a.rs"), grammar::by_language_id("rust").unwrap(), &text);
                black_box(workspace.symbols(Path::new("/w/a.rs")));
            })
        }),
        Case::new("index: one name in many files", 50, |n| {
            let workspace = Workspace::default();
            let python = grammar::by_language_id("python").unwrap();
            for n in 0..n {
                let path = format!("/w/file_{n}.py");
                workspace.put(Path::new(&path), python, "def load(path):\n    return path\n");
            }
            Box::new(move || {
                black_box((workspace.definitions(python, "load"), workspace.files_with(python, "load")));
            })
        }),
        Case::new("index: search", 100, |n| {
            let workspace = workspace(n);
            Box::new(move || _ = black_box(workspace.search("where is the page loaded", 20)))
        }),
        Case::new("index: importers", 100, |n| {
            let workspace = workspace(n);
            Box::new(move || _ = black_box(workspace.importers(Path::new("/w/part/file_1.py"))))
        }),
    ]
}
