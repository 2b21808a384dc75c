//! Tests of plans: a reply in, the operations on the files of a folder out.

mod memory;

use super::*;
use crate::edit::Edit;
use crate::edit::edit_set::{Base, Revision};
use crate::privacy::PathRules;
use memory::Memory;

/// Plans a reply, and checks the change of each file, or the refusal.
#[track_caller]
fn check(files: &[&str], reply: &str, expected: &str) {
    let rules = PathRules::default();
    let shown = match plan(
        reply,
        &Memory::new(files),
        Permissions { access: &|path| rules.verdict(path), instruction: "", allow_invisible: false },
    ) {
        Ok(set) => set
            .files()
            .iter()
            .map(|file| match &file.change {
                Change::Create { text } => format!("create {}: {text:?}", file.path),
                Change::Edit { .. } => format!("edit {}: {:?}", file.path, file.new_text().unwrap()),
                Change::Rename { to, .. } => format!("move {} to {to}", file.path),
                Change::Delete { .. } => format!("delete {}", file.path),
            })
            .collect::<Vec<_>>()
            .join("; "),
        Err(refusal) => format!("{}: {refusal}", refusal.code()),
    };
    assert_eq!(shown, expected);
}

fn patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch\n")
}

/// A patch that changes a line of a file.
fn update(path: &str) -> String {
    format!("*** Update File: {path}\n@@\n-one\n+1")
}

#[test]
fn every_operation_is_planned() {
    check(&["a"], &patch(&update("a")), r#"edit a: "a\n1\ntwo\n""#);
    check(&["a"], &patch("*** Add File: n/b\n+x"), r#"create n/b: "x\n""#);
    check(&["a"], &patch("*** Delete File: a"), "delete a");
    check(&["a"], &patch("*** Update File: a\n*** Move to: b\n@@\n-one\n+1"), "move a to b");
    check(&["l -> d", "d/a"], &patch(&update("l/a")), r#"edit d/a: "d/a\n1\ntwo\n""#);
    check(&["l -> d", "d/a"], &patch("*** Add File: l/b/c\n+x"), r#"create d/b/c: "x\n""#);
}

#[test]
fn operations_that_do_not_fit_are_refused() {
    let refused = |files: &[&str], body: &str, expected: &str| check(files, &patch(body), expected);
    let what = |detail| format!("file-operation: the reply would {detail}, where an edit was asked for");
    refused(&["a"], "*** Add File: a\n+x", &what("create `a`, which is there already"));
    refused(&["a"], "*** Add File: a/b\n+x", &what("make `a/b` below the file `a`"));
    refused(
        &[],
        "*** Add File: n\n+x\n*** Add File: n/m\n+x",
        &what("make one of `n` and `n/m` below the other"),
    );
    refused(
        &[],
        "*** Add File: n/m\n+x\n*** Add File: n\n+x",
        &what("make one of `n/m` and `n` below the other"),
    );
    refused(&["a"], &update("b"), "no-file: there is no file `b`");
    refused(&["a"], "*** Delete File: b", "no-file: there is no file `b`");
    refused(&["d/a"], &update("d"), &what("change `d`, which is a folder"));
    refused(&["a", "b"], "*** Update File: a\n*** Move to: b\n@@\n-one\n+1", &what("move `a` over `b`"));
    refused(&["a", "l -> a"], "*** Delete File: l", &what("delete `l`, which is a link"));
    refused(
        &["a", "l -> a"],
        "*** Update File: l\n*** Move to: b\n@@\n-one\n+1",
        &what("move `l`, which is a link"),
    );
}

#[test]
fn places_that_no_reply_may_change() {
    let protected = |path, why| format!("protected: `{path}` is not changed: {why}");
    let git = |path| protected(path, "it belongs to version control");
    let rule = |path| protected(path, "it says what models may see");
    let outside = |path| format!("outside-root: the path `{path}` leads out of the workspace");
    let tree = [
        "a",
        ".git/config",
        ".git/hooks/x",
        ".tandemignore",
        "d/.TANDEM.toml",
        "cfg -> .git/config",
        "hooks -> .git/hooks",
        "out -> ../o",
        "d/.env",
        "e -> d/.env",
        "p|",
        "l -> p|",
    ];
    let operations = |path: &str| {
        [
            update(path),
            format!("*** Delete File: {path}"),
            format!("*** Update File: {path}\n*** Move to: new\n@@\n-one\n+1"),
        ]
    };
    for (path, expected) in [
        (".git/config", git(".git/config")),
        ("cfg", git("cfg")),
        ("hooks/x", git("hooks/x")),
        (".tandemignore", rule(".tandemignore")),
        ("d/.TANDEM.toml", rule("d/.TANDEM.toml")),
        ("out", outside("out")),
        ("out/x", outside("out/x")),
        ("d/.env", protected("d/.env", "files called `.env` hold secrets")),
        ("e", protected("e", "files called `.env` hold secrets")),
    ] {
        for body in operations(path) {
            check(&tree, &patch(&body), &expected);
        }
        check(&tree, &patch(&format!("*** Update File: a\n*** Move to: {path}\n@@\n-one\n+1")), &expected);
    }
    check(&tree, &patch(&update("p|")), &protected("p|", "it is not a regular file"));
    check(&tree, &patch(&update("l")), &protected("l", "it is not a regular file"));
    check(&tree, &patch("*** Delete File: p|"), &protected("p|", "it is not a regular file"));
    for path in [
        "hooks/pre-commit",
        ".git./x",
        ".git /x",
        "x/.GIT/y",
        ".g\u{200c}it/x",
        ".git::$INDEX_ALLOCATION/x",
        "git~1/x",
    ] {
        check(&tree, &patch(&format!("*** Add File: {path}\n+x")), &git(path));
    }
    check(&tree, &patch("*** Add File: d/.aiignore\n+!x"), &rule("d/.aiignore"));
    for path in ["../x", "/etc/passwd", "n/../../x", "~/x", "out/new"] {
        check(&tree, &patch(&format!("*** Add File: {path}\n+x")), &outside(path));
    }
    check(
        &tree,
        &patch("*** Add File: certs/server.pem\n+x"),
        &protected("certs/server.pem", "files called `*.pem` hold secrets"),
    );
    let rename = "diff --git a/a b/hooks/y\nsimilarity index 100%\nrename from a\nrename to hooks/y\n";
    check(&tree, rename, &git("hooks/y"));
}

#[test]
fn copies_begin_as_another_file() {
    let copy = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 90%\ncopy from {from}\ncopy to {to}\n")
    };
    let hunk = "--- a/a\n+++ b/b\n@@ -1,3 +1,3 @@\n a\n-one\n+1\n two\n";
    check(&["a"], &(copy("a", "b") + hunk), r#"create b: "a\n1\ntwo\n""#);
    check(&["a"], &copy("a", "b").replace("90", "100"), r#"create b: "a\none\ntwo\n""#);
    // The copy is made from the original file.
    let both =
        copy("a", "b") + hunk + "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,3 +1,3 @@\n a\n one\n-two\n+2\n";
    check(&["a"], &both, r#"edit a: "a\none\n2\n"; create b: "a\n1\ntwo\n""#);
    check(&["a"], &(copy("c", "b") + hunk), "no-file: there is no file `c`");
    check(
        &["a", "b"],
        &(copy("a", "b") + hunk),
        "file-operation: the reply would create `b`, which is there already, where an edit was asked for",
    );
    let secret = "protected: `.env` is not changed: files called `.env` hold secrets";
    check(&[".env"], &(copy(".env", "b") + hunk), secret);
}

#[test]
fn files_that_move_to_each_others_places() {
    let rename = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
    };
    let moved = |pairs: &[(&str, &str)]| pairs.iter().map(|(from, to)| rename(from, to)).collect::<String>();
    let text = |path: &str| format!("{:?}", format!("{path}\none\ntwo\n"));
    let (a, b, c) = (text("a"), text("b"), text("c"));
    check(&["a", "b"], &moved(&[("a", "b"), ("b", "a")]), &format!("edit a: {b}; edit b: {a}"));
    let ring = moved(&[("a", "b"), ("b", "c"), ("c", "a")]);
    check(&["a", "b", "c"], &ring, &format!("edit a: {c}; edit b: {a}; edit c: {b}"));
    let chain = format!("delete a; edit b: {a}; create c: {b}");
    check(&["a", "b"], &moved(&[("a", "b"), ("b", "c")]), &chain);
    check(&["a", "b"], &moved(&[("b", "c"), ("a", "b")]), &chain);
    check(&["a", "b"], &moved(&[("a", "c")]), "move a to c");
    let refused = |reply: &str, detail: &str| check(&["a", "b", "c"], reply, detail);
    let over = "file-operation: the reply would move `a` over `b`, where an edit was asked for";
    refused(&moved(&[("a", "b")]), over);
    let twice = "malformed: the reply cannot be read: it wants two things of `b`";
    refused(&moved(&[("a", "b"), ("b", "d"), ("c", "b")]), twice);
}

#[test]
fn new_names_can_be_read() {
    let unseen = ['\u{1b}', '\u{202e}', '\u{200b}', '\u{7f}', '\u{9b}', '\u{2066}', '\u{feff}'];
    let blanks = ['\u{a0}', '\u{2003}', '\u{202f}', '\u{2800}', '\u{3000}', '\u{fe0f}'];
    for sign in unseen.into_iter().chain(blanks) {
        let is_blank = sign.is_whitespace();
        let why = format!(
            "invisible-characters: the edit would add U+{:04X}, which cannot be seen; \
             `allow_invisible_characters` lets such edits pass",
            u32::from(sign)
        );
        let name = format!("n/x{sign}[2J.py");
        check(&["a"], &patch(&format!("*** Add File: {name}\n+x")), &why);
        if is_blank {
            // In the other formats this is not a name.
            continue;
        }
        check(&["a"], &format!("{name}\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n"), &why);
        let rename = format!("diff --git a/a b/n\nsimilarity index 100%\nrename from a\nrename to {name}\n");
        check(&["a"], &rename, &why);
    }
    // An existing name is the user's own.
    let expected = format!("edit x\u{200b}: {:?}", "x\u{200b}\n1\ntwo\n");
    check(&["x\u{200b}"], &patch(&update("x\u{200b}")), &expected);
    check(&[], &patch("*** Add File: ä⚠️.txt\n+x"), r#"create ä⚠️.txt: "x\n""#);
}

#[test]
fn one_file_under_two_names_is_a_conflict() {
    let twice = |first, second| {
        format!("malformed: the reply cannot be read: `{first}` and `{second}` are the same file")
    };
    let both = |first: &str, second: &str| patch(&format!("{}\n{}", update(first), update(second)));
    check(&["a", "l -> a"], &both("a", "l"), &twice("a", "l"));
    check(&["a", "l -> a"], &both("a", "./a"), &twice("a", "./a"));
    check(&["d/a", "l -> d"], &both("d/a", "l/a"), &twice("d/a", "l/a"));
    let new = |first, second| patch(&format!("*** Add File: {first}\n+x\n*** Add File: {second}\n+y"));
    check(&["d/a", "l -> d"], &new("d/n", "l/n"), &twice("d/n", "l/n"));
    check(&["a"], &new("N.txt", "n.txt"), &twice("N.txt", "n.txt"));
    let moved =
        "*** Update File: a\n*** Move to: c\n@@\n-one\n+1\n*** Update File: b\n*** Move to: c\n@@\n-one\n+1";
    check(&["a", "b"], &patch(moved), "malformed: the reply cannot be read: it wants two things of `c`");
}

#[test]
fn whole_files_between_fences() {
    let kept = "a\none\nthree\n";
    let reply = format!("Here:\n\na\n```\n{kept}```\n\n**`n/b.py`**:\n```python\nx = 1\n```\nDone.\n");
    let expected = r#"edit a: "a\none\nthree\n"; create n/b.py: "x = 1\n""#;
    check(&["a"], &reply, expected);
    let reply =
        format!("```text a\n{kept}```\n```python:n/b.py\nx = 1\n```\nRun it:\n```sh\npython n/b.py\n```\n");
    check(&["a"], &reply, expected);
    check(&[], ".editorconfig\n```\nroot = true\n```\n", r#"create .editorconfig: "root = true\n""#);
    let named = |expected| format!("malformed: the reply cannot be read: {expected}");
    let nameless = named("a block of code does not say which file it is for");
    check(&["a"], &format!("a\n```\n{kept}```\nand\n```\nx\n```\n"), &nameless);
    check(&["a"], "So:\n```\nx\n```\n", &nameless);
    let twice = |text: &str| format!("a\n```\n{kept}```\na\n```\n{text}```\n");
    check(&["a"], &twice(kept), r#"edit a: "a\none\nthree\n""#);
    check(&["a"], &twice("a\nthree\n"), &named("it wants two different things of `a`"));
    check(&["a"], &format!("a\n```\n{kept}"), "truncated: the reply was cut off inside a code fence");
    check(
        &["a"],
        "a\n```\nother\n```\n",
        "too-much-removed: the reply keeps only 0 of 3 lines that are not blank, so it may be a part of the text",
    );
    check(&["a"], "a\n```\na\none\none\ntwo\n```\n", r#"edit a: "a\none\none\ntwo\n""#);
    // A line that moves to another file is not lost.
    let rest = "a_long_name.txt\n```\none\n```\n";
    let moved = "b.txt\n```\na_long_name.txt\ntwo\n```\n";
    check(
        &["a_long_name.txt"],
        &[rest, moved].concat(),
        r#"edit a_long_name.txt: "one\n"; create b.txt: "a_long_name.txt\ntwo\n""#,
    );
    check(
        &["a_long_name.txt"],
        rest,
        "too-much-removed: the reply keeps only 1 of 3 lines that are not blank, so it may be a part of the text",
    );
    let readme = "# R\n\n```sh\nls\n```\n\nend\n";
    check(&["a"], &format!("R.md\n```markdown\n{readme}```\n"), &format!("create R.md: {readme:?}"));
    let bare = "# R\n\n```\nls\n```\n\nend\n";
    check(&["a"], &format!("R.md\n````markdown\n{bare}````\n"), &format!("create R.md: {bare:?}"));
    check(&["a"], &format!("R.md\n```markdown\n{bare}```\n"), &nameless);
}

#[test]
fn code_without_a_file_is_a_quote_or_refused() {
    let with = |code: &str| format!("It was:\n```\n{code}```\n{}", patch(&update("a")));
    let edited = r#"edit a: "a\n1\ntwo\n""#;
    check(&["a"], &with("one\ntwo\n"), edited);
    check(&["a"], &with("  1\n\n  two\n"), edited);
    let nameless = "malformed: the reply cannot be read: a block of code does not say which file it is for";
    check(&["a"], &with("one\nthree\n"), nameless);
}

#[test]
fn search_and_replace_below_any_path_that_is_there() {
    let block = "<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n";
    for path in ["CHANGES", "setup.cfg", "Makefile", "docs/a b (c)"] {
        let expected = format!("edit {path}: {:?}", format!("{path}\n1\ntwo\n"));
        for reply in [
            format!("{path}\n{block}"),
            format!("### {path}\n\nThe number:\n\n```\n{block}```\n"),
            format!("```\n{path}\n{block}```\n"),
            format!("**{path}**\n```text\n{block}```\n"),
        ] {
            check(&[path], &reply, &expected);
        }
    }
    let two = format!("CHANGES\n{block}\nMakefile\n{block}");
    check(
        &["CHANGES", "Makefile"],
        &two,
        r#"edit CHANGES: "CHANGES\n1\ntwo\n"; edit Makefile: "Makefile\n1\ntwo\n""#,
    );
    let unnamed = "malformed: the reply cannot be read: a change does not say which file it is for";
    check(&["CHANGES"], block, unnamed);
    check(&["CHANGES"], &format!("None of these\n{block}"), unnamed);
}

#[test]
fn an_empty_search_makes_a_file_only_where_none_is() {
    let block = "<<<<<<< SEARCH\n=======\nx\ny\n>>>>>>> REPLACE\n";
    check(&["a"], &format!("n/b.txt\n{block}"), r#"create n/b.txt: "x\ny\n""#);
    check(
        &["b.txt"],
        &format!("b.txt\n{block}"),
        "no-old-text: block 1 does not say which lines it replaces, and the file is not empty",
    );
    let second = "<<<<<<< SEARCH\nx\n=======\nz\n>>>>>>> REPLACE\n";
    check(&["a"], &format!("n/b.txt\n{block}{second}"), "no-file: there is no file `n/b.txt`");
}

#[test]
fn replies_without_a_change() {
    check(&["a"], "", "empty: the reply is empty");
    check(&["a"], " \n", "empty: the reply is empty");
    check(&["a"], "Nothing to do.", "prose: the reply is prose, not code");
    check(&["a"], "NO_EDITS", "");
}

#[test]
fn name_that_differs_in_case_alone_is_refused() {
    let refused = |body: &str, expected: &str| check(&["src/a", "README"], &patch(body), expected);
    let what = |detail| format!("file-operation: the reply would {detail}, where an edit was asked for");
    refused("*** Add File: src/A\n+x", &what("make `src/A` beside `src/a`, which differs in case alone"));
    refused("*** Add File: Src/b\n+x", &what("make `Src/b` beside `src`, which differs in case alone"));
    let to_readme = "*** Update File: src/a\n*** Move to: Readme\n@@\n-one\n+1";
    refused(to_readme, &what("make `Readme` beside `README`, which differs in case alone"));
    refused("*** Update File: src/a\n*** Move to: src/A\n@@\n-one\n+1", "move src/a to src/A");
}

/// Combines changes that were made from the text on disk, or from an older one.
#[track_caller]
fn check_assembled(changes: &[(&str, &str)], expected: &str) {
    let memory = Memory::new(&["a", "b", "l -> b"]);
    let rules = PathRules::default();
    let change = |(path, what): &(&str, &str)| {
        let old = memory.texts.get(*path).cloned().unwrap_or_default();
        let base = |text: String| Base { revision: Revision::of_bytes(text.as_bytes()), text };
        let edits = vec![Edit::new(0..1, "X")];
        let change = match what.split_once(' ').unwrap_or((what, "")) {
            ("create", text) => Change::Create { text: text.to_owned() },
            ("edit", "") => Change::Edit { base: base(old), edits },
            ("edit", older) => Change::Edit { base: base(older.to_owned()), edits },
            ("move", to) => Change::Rename { base: base(old), edits, to: to.to_owned() },
            _ => Change::Delete { base: base(old) },
        };
        FileEdit { path: (*path).to_owned(), change, flags: Vec::new() }
    };
    let permissions =
        Permissions { access: &|path| rules.verdict(path), instruction: "", allow_invisible: false };
    let shown = match assemble(changes.iter().map(change).collect(), &memory, permissions) {
        Ok(set) => {
            set.files().iter().map(|file| format!("{} -> {:?};", file.path, file.new_path())).collect()
        }
        Err(refusal) => format!("{}: {refusal}", refusal.code()),
    };
    assert_eq!(shown, expected);
}

#[test]
fn changes_are_put_together_if_nothing_changed_meanwhile() {
    check_assembled(
        &[("b", "edit"), ("n", "create x"), ("a", "move c")],
        r#"a -> Some("c");b -> Some("b");n -> Some("n");"#,
    );
    check_assembled(&[("a", "delete")], "a -> None;");
    let changed = "changed: `a` was changed meanwhile; nothing of it is applied, try again";
    check_assembled(&[("b", "edit"), ("a", "edit older")], changed);
    check_assembled(&[("gone", "edit")], &changed.replace("`a`", "`gone`"));
    let there =
        "file-operation: the reply would create `a`, which is there already, where an edit was asked for";
    check_assembled(&[("a", "create x")], there);
    check_assembled(
        &[("b", "edit"), ("l", "edit")],
        "malformed: the reply cannot be read: `b` and `l` are the same file",
    );
    check_assembled(&[("../x", "create x")], "outside-root: the path `../x` leads out of the workspace");
    check_assembled(
        &[(".git/hooks/x", "create x")],
        "protected: `.git/hooks/x` is not changed: it belongs to version control",
    );
}

/// A JSON list marks its end, so a reply that was cut off inside it is never treated as a shorter one.
#[test]
fn json_cut_anywhere_is_refused() {
    let entry = |path: &str, from: &str, to: &str| {
        format!("{{\"new_string\":\"{to}\\n\",\"old_string\":\"{from}\\n\",\"path\":\"{path}\"}},\n")
    };
    let list = [
        entry("a.rst", "one", "``one`` is parsed as a set. :pr:`3134`"),
        entry("b.py", "one", "if (\\n    one is not None\\n) or two is None:\\n    pass"),
        entry("c.py", "one", "if \\\"one\\\" in parse(get(\\\"TWO\\\")):"),
        entry("c.py", "two", "    environ[\\\"a.b\\\"] = True"),
    ];
    let rules = PathRules::default();
    let access = |path: &str| rules.verdict(path);
    for (before, after) in [("```json\n[\n", "]\n```\n"), ("[\n", "]\n"), ("Here.\n\n```json\n[", "]\n```\n")]
    {
        let whole = format!("{before}{}{after}", list.concat());
        let files = Memory::new(&["a.rst", "b.py", "c.py"]);
        let read = |reply: &str| {
            plan(reply, &files, Permissions { access: &access, instruction: "", allow_invisible: false })
        };
        assert_eq!(read(&whole).unwrap().files().len(), 3);
        for end in before.len()..whole.len() - after.len() + 1 {
            let outcome = read(&whole[..end]);
            assert!(outcome.is_err(), "cut to {:?}: {outcome:?}", &whole[..end]);
        }
    }
}
