use std::fs;

use super::*;
use crate::edit::Refusal;
use crate::workspace::FolderError;

/// Plans a reply in a folder that holds `a.txt`; returns the diff or the refusal's code.
fn diff_of(reply: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    let disk = Folder::new(folder.path(), FILE_BYTES).unwrap();
    match plan_below(&disk, &Scoped::default(), reply, ("", false)) {
        Ok(set) => effects(&set).iter().map(Effect::unified).collect(),
        Err(failure) => code(&failure),
    }
}

fn code(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => format!("refused: {}", refusal.code()),
        Failure::Usage(reason) => reason.clone(),
        Failure::Failed(error) => error.to_string(),
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
fn replies_that_are_refused() {
    assert_eq!(diff_of("--- a/a.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-three\n"), "refused: not-found");
    let half = patch("*** Update File: a.txt\n@@\n-no\n+b\n*** Add File: c.txt\n+c");
    assert_eq!(diff_of(&half), "refused: not-found");
    assert_eq!(diff_of("Nothing to do."), "refused: prose");
    assert_eq!(diff_of(""), "refused: empty");
}

#[cfg(unix)]
mod on_unix {
    use std::collections::BTreeMap;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use proptest::prelude::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::edit::plan::Files as _;

    #[test]
    fn pipes_and_devices_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        mknodat(CWD, folder.path().join("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        symlink("/dev/zero", folder.path().join("zero")).unwrap();
        fs::write(folder.path().join("a"), "one\n").unwrap();
        let disk = Folder::new(folder.path(), FILE_BYTES).unwrap();
        let check = |body: &str, expected: &str| {
            let planned = plan_below(&disk, &Scoped::default(), &patch(body), ("", false));
            assert_eq!(planned.map_err(|failure| code(&failure)), Err(expected.to_owned()), "{body}");
        };
        for (path, expected) in [("pipe", "refused: protected"), ("zero", "refused: outside-root")] {
            check(&format!("*** Update File: {path}\n@@\n-one\n+two"), expected);
            check(&format!("*** Delete File: {path}"), expected);
            check(&format!("*** Update File: {path}\n*** Move to: b\n@@\n-one\n+two"), expected);
        }
        check("*** Add File: pipe\n+x", "refused: file-operation");
        check("*** Update File: a\n*** Move to: pipe\n@@\n-one\n+two", "refused: file-operation");
        // The walk that collects names encounters the pipe, too.
        names_of(disk.root(), &Scoped::default());
    }

    #[test]
    fn names_that_lead_to_one_file_are_one() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("d")).unwrap();
        fs::write(folder.path().join("d/a"), "one\n").unwrap();
        fs::hard_link(folder.path().join("d/a"), folder.path().join("hard")).unwrap();
        symlink("d", folder.path().join("folder")).unwrap();
        symlink("d/a", folder.path().join("link")).unwrap();
        symlink("nowhere", folder.path().join("dangling")).unwrap();
        let disk = Folder::new(folder.path(), FILE_BYTES).unwrap();
        let entry = |path| disk.entry(path).map_err(|failure| code(&failure.into())).unwrap().unwrap();
        for (path, real, is_link) in [
            ("d/a", "d/a", false),
            ("folder/a", "d/a", false),
            ("link", "d/a", true),
            ("hard", "hard", false),
        ] {
            assert_eq!(entry(path).identity, entry("d/a").identity, "{path}");
            assert_eq!((entry(path).real.as_str(), entry(path).is_link), (real, is_link), "{path}");
        }
        assert!(matches!(disk.entry("dangling"), Err(FolderError::Refused(Refusal::OutsideRoot { .. }))));
        assert!(matches!(disk.entry("d/a/b"), Ok(None)));
    }

    /// An entry of a random tree.
    #[derive(Debug, Clone)]
    enum Node {
        File,
        Pipe,
        Link(&'static str),
        Hard(&'static str),
    }

    /// A change that a random reply asks for.
    #[derive(Debug, Clone)]
    enum Wish {
        Update(&'static str),
        Replace(&'static str),
        Write(&'static str),
        Add(&'static str),
        Delete(&'static str),
        Move(&'static str, &'static str),
        Rename(&'static str, &'static str),
    }

    const PATHS: [&str; 14] =
        ["a", "b", "c", "d/a", "d/b", "e/a", "e/b", "n/x", "hooks", "hooks/pre", "cfg", "out", "out/x", "d"];
    const TARGETS: [&str; 12] = [
        "a",
        "b",
        "d",
        "d/a",
        "e",
        ".git",
        ".git/config",
        ".git/hooks",
        "../outside",
        "../outside/x",
        "nowhere",
        "c",
    ];
    const ODD: [&str; 8] = [
        "./a",
        ".git/config",
        ".GIT/hooks/new",
        "../outside/x",
        "../outside/new",
        "d/../a",
        ".git./x",
        "e//a",
    ];

    fn path() -> impl Strategy<Value = &'static str> {
        prop_oneof![6 => prop::sample::select(&PATHS[..]), 1 => prop::sample::select(&ODD[..])]
    }

    fn node() -> impl Strategy<Value = (&'static str, Node)> {
        let target = || prop::sample::select(&TARGETS[..]);
        let node = prop_oneof![
            4 => Just(Node::File),
            1 => Just(Node::Pipe),
            3 => target().prop_map(Node::Link),
            1 => target().prop_map(Node::Hard),
        ];
        (prop::sample::select(&PATHS[..]), node)
    }

    fn wish() -> impl Strategy<Value = Wish> {
        prop_oneof![
            3 => path().prop_map(Wish::Update),
            2 => path().prop_map(Wish::Replace),
            2 => path().prop_map(Wish::Write),
            2 => path().prop_map(Wish::Add),
            1 => path().prop_map(Wish::Delete),
            1 => (path(), path()).prop_map(|(from, to)| Wish::Move(from, to)),
            1 => (path(), path()).prop_map(|(from, to)| Wish::Rename(from, to)),
        ]
    }

    const TEXT: &str = "first\nline\nlast\n";

    /// One reply with all wishes; the n-th writes its number into the file.
    fn reply(wishes: &[Wish]) -> String {
        let sections = wishes.iter().enumerate().map(|(n, wish)| match wish {
            Wish::Update(path) => patch(&format!("*** Update File: {path}\n@@\n-line\n+by {n}")),
            Wish::Replace(path) => {
                format!("{path}\n<<<<<<< SEARCH\nline\n=======\nby {n}\n>>>>>>> REPLACE\n")
            }
            Wish::Write(path) => format!("`{path}`\n```\nfirst\nby {n}\nlast\n```\n"),
            Wish::Add(path) => patch(&format!("*** Add File: {path}\n+by {n}")),
            Wish::Delete(path) => patch(&format!("*** Delete File: {path}")),
            Wish::Move(from, to) => {
                patch(&format!("*** Update File: {from}\n*** Move to: {to}\n@@\n-line\n+by {n}"))
            }
            Wish::Rename(from, to) => format!(
                "```diff\ndiff --git a/{from} b/{to}\nsimilarity index 80%\nrename from {from}\nrename to {to}\n\
                 --- a/{from}\n+++ b/{to}\n@@ -2 +2 @@\n-line\n+by {n}\n```\n"
            ),
        });
        sections.collect()
    }

    /// All entries below a folder, without following links.
    fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = path.symlink_metadata().unwrap().file_type();
                let what = match kind {
                    _ if kind.is_dir() => {
                        folders.push(path);
                        continue;
                    }
                    _ if kind.is_file() => fs::read_to_string(&path).unwrap(),
                    _ if kind.is_symlink() => format!("-> {}", path.read_link().unwrap().display()),
                    _ => "pipe".to_owned(),
                };
                found.insert(path, what);
            }
        }
        found
    }

    /// Creates the nodes that do not conflict, applies the reply, and compares the trees before and after.
    fn check_tree(nodes: &[(&'static str, Node)], wishes: &[Wish]) {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
        for folder in [&root.join(".git/hooks"), &root.join("d"), &root.join("e"), &outside] {
            fs::create_dir_all(folder).unwrap();
        }
        for file in [".git/config", ".git/hooks/pre", "../outside/x"] {
            fs::write(root.join(file), TEXT).unwrap();
        }
        for (path, node) in nodes {
            let place = root.join(path);
            // Nodes whose path exists or has a file as an ancestor are skipped.
            _ = match node {
                Node::File if place.symlink_metadata().is_err() => fs::write(&place, TEXT),
                Node::File => Ok(()),
                Node::Pipe => mknodat(CWD, &place, FileType::Fifo, Mode::RWXU, 0).map_err(Into::into),
                Node::Link(to) => {
                    let up = "../".repeat(path.matches('/').count());
                    symlink(format!("{up}{to}"), &place)
                }
                Node::Hard(to) => fs::hard_link(root.join(to), &place),
            };
        }
        // Taken after setup, which may have created files through links that lead out.
        let before = contents(folder.path());
        let disk = Folder::new(&root, FILE_BYTES).unwrap();
        let reply = reply(wishes);
        let outcome = plan_below(&disk, &Scoped::default(), &reply, ("", false))
            .and_then(|set| Ok(write::edit_set(&disk, &set)?));
        let after = contents(folder.path());
        let is_own = |path: &Path| path.starts_with(&root) && !path.starts_with(root.join(".git"));
        let all: Vec<&PathBuf> = before.keys().chain(after.keys()).collect();
        let changed: Vec<&PathBuf> =
            all.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
        for path in &changed {
            assert!(is_own(path), "changed: {}", path.display());
        }
        let Ok(count) = outcome else {
            assert!(changed.is_empty(), "refused, but changed: {changed:?}");
            return;
        };
        // A file that takes the place of a renamed one is written and its old place deleted.
        assert!(count >= wishes.len(), "{count} files for {} wishes", wishes.len());
        let text = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_default();
        let is_gone = |path: &str| root.join(path).symlink_metadata().is_err();
        let is_taken = |path: &str| {
            wishes.iter().any(|wish| match wish {
                Wish::Move(_, to) | Wish::Rename(_, to) | Wish::Add(to) | Wish::Write(to) => *to == path,
                Wish::Update(_) | Wish::Replace(_) | Wish::Delete(_) => false,
            })
        };
        for (n, wish) in wishes.iter().enumerate() {
            let edited = format!("first\nby {n}\nlast\n");
            match wish {
                Wish::Update(path) | Wish::Replace(path) | Wish::Write(path) => {
                    assert_eq!(text(path), edited, "{path}");
                }
                Wish::Move(from, to) | Wish::Rename(from, to) if from == to => {
                    assert_eq!(text(to), edited, "{to}");
                }
                Wish::Add(path) => assert_eq!(text(path), format!("by {n}\n"), "{path}"),
                Wish::Delete(path) => assert!(is_gone(path), "{path}"),
                Wish::Move(from, to) | Wish::Rename(from, to) => {
                    assert!(is_gone(from) || is_taken(from), "{from}");
                    assert_eq!(text(to), edited, "{to}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, ..crate::properties::config() })]
        #[test]
        fn no_reply_reaches_outside_or_loses_an_edit(
            nodes in prop::collection::vec(node(), 0..12),
            wishes in prop::collection::vec(wish(), 1..4),
        ) {
            check_tree(&nodes, &wishes);
        }
    }
}
