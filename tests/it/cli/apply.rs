//! `tandem apply`, as scripts run it: every byte of output, the exit code, and the resulting files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use expect_test::{Expect, expect};
use ignore::WalkBuilder;
use tempfile::TempDir;

use crate::support::process::output_of;

const TEXT: &[u8] = b"fn area(width: u32) -> u32 {\n    width * width\n}\n";

/// Runs the command in a folder of these files; shows exit code, standard output with its line ends, standard error,
/// and each changed file.
fn run(files: &[(&str, &[u8])], arguments: &[&str], reply: &[u8]) -> String {
    let folder = TempDir::new().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let before = contents(folder.path());
    let output = output_in(folder.path(), arguments, reply);
    let mut shown = format!("exit {}\n{}", output.status.code().unwrap(), visible(&output.stdout));
    shown.push_str(&String::from_utf8(output.stderr).unwrap());
    let after = contents(folder.path());
    for path in before.keys().chain(after.keys().filter(|path| !before.contains_key(*path))) {
        match (before.get(path), after.get(path)) {
            (old, new) if old == new => {}
            (_, Some(new)) => shown.push_str(&format!("{path} is now:\n{}", visible(new))),
            (_, None) => shown.push_str(&format!("{path} is gone\n")),
        }
    }
    shown
}

/// Runs the command in a folder.
fn output_in(folder: &Path, arguments: &[&str], reply: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    output_of(command.arg("apply").args(arguments).current_dir(folder).env_remove("TANDEM_LOG"), reply)
}

#[track_caller]
fn check(files: &[(&str, &[u8])], arguments: &[&str], reply: &[u8], expect: Expect) {
    expect.assert_eq(&run(files, arguments, reply));
}

/// Checks the exit code and the output, without the files.
#[track_caller]
fn check_said(files: &[(&str, &[u8])], arguments: &[&str], reply: &[u8], expect: Expect) {
    let shown = run(files, arguments, reply);
    let is_said = |line: &&str| line.starts_with("exit ") || line.starts_with("tandem: ");
    let said: String = shown.lines().filter(is_said).map(|line| format!("{line}\n")).collect();
    expect.assert_eq(&said);
}

/// The contents of all files below a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = WalkBuilder::new(folder).standard_filters(false).build().map(Result::unwrap);
    let files = entries.filter(|entry| entry.path().is_file());
    files
        .map(|entry| {
            let path = entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            (path, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Text with visible marks and line ends, and a marker where the last line has no end.
fn visible(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(bytes).replace('\u{feff}', "<BOM>").replace('\r', "<CR>");
    if text.ends_with('\n') { text } else { format!("{text}<no line end>\n") }
}

/// A search/replace block.
fn block(search: &str, replace: &str) -> Vec<u8> {
    format!("<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n").into_bytes()
}

#[test]
fn prints_the_text_byte_for_byte() {
    check(
        &[("a.rs", "\u{feff}fn a() {\r\n    one();\r\n}\r\nfn b() {}".as_bytes())],
        &["--file", "a.rs"],
        &block("    one();", "    two();\n    three();"),
        expect![[r#"
            exit 0
            <BOM>fn a() {<CR>
                two();<CR>
                three();<CR>
            }<CR>
            fn b() {}<no line end>
        "#]],
    );
}

#[test]
fn invisible_characters_come_in_only_if_allowed() {
    let (file, root): (&[&str], &[&str]) = (&["--file", "a.txt", "--write"], &["--root", ".", "--write"]);
    let edit = block("one", "o\u{200b}ne");
    let patch = "*** Begin Patch\n*** Add File: b.txt\n+t\u{200b}wo\n*** End Patch\n";
    let refused = || {
        expect![[r#"
            exit 3
            tandem: refused (invisible-characters): the edit would add U+200B, which cannot be seen; `--allow-invisible` lets such edits pass
        "#]]
    };
    check(&[("a.txt", b"one\n")], file, &edit, refused());
    check(&[("a.txt", b"one\n")], root, patch.as_bytes(), refused());
    let changed = expect!["exit 0\ntandem: 1 file written\na.txt is now:\no\u{200b}ne\n"];
    check(&[("a.txt", b"one\n")], &[file, &["--allow-invisible"]].concat(), &edit, changed);
    let added = expect!["exit 0\ntandem: 1 file written\nb.txt is now:\nt\u{200b}wo\n"];
    check(&[("a.txt", b"one\n")], &[root, &["--allow-invisible"]].concat(), patch.as_bytes(), added);
}

#[test]
fn definitions_left_out_are_kept_unless_the_instruction_names_them() {
    let files: &[(&str, &[u8])] =
        &[("a.py", b"A = 1\nB = 2\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n")];
    let reply = b"```python\nA = 1\nB = 2\n\n\ndef one():\n    return 1.0\n```\n";
    let refused = expect![[r#"
        exit 3
        tandem: refused (left-out): the reply leaves out `two`, which nothing asks to remove
    "#]];
    check(files, &["--file", "a.py"], reply, refused);
    let written = expect![
        "exit 0\ntandem: 1 file written\na.py is now:\nA = 1\nB = 2\n\n\ndef one():\n    return 1.0\n"
    ];
    let instruction = ["--file", "a.py", "--write", "--instruction", "two is obsolete"];
    check(files, &instruction, reply, written);
}

#[test]
fn writes_when_told() {
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--write"],
        &block("    width * width", "    width.pow(2)"),
        expect![[r#"
            exit 0
            tandem: 1 file written
            a.rs is now:
            fn area(width: u32) -> u32 {
                width.pow(2)
            }
        "#]],
    );
}

#[test]
fn keeps_to_the_range() {
    let reply = b"```rust\nfn area(side: u32) -> u32 {\n    side * side\n}\n```\n";
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--range", "1-3"],
        reply,
        expect![[r#"
            exit 0
            fn area(side: u32) -> u32 {
                side * side
            }
        "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--range", "2-2"],
        &block("fn area(width: u32) -> u32 {", "fn area(side: u32) -> u32 {"),
        expect![[r#"
            exit 3
            tandem: refused (out-of-scope): line 1 would change, which is outside the asked range
        "#]],
    );
}

#[test]
fn json_has_all_that_is_known() {
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--json"],
        &block("  width * width", "  width.pow(2)"),
        expect![[r#"
            exit 0
            {"edits":[{"end":46,"start":38,"text":".pow(2)"}],"flags":[],"format":"search-replace","level":"indentation","status":"applied"}
        "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--json"],
        &block("    height * height", "    0"),
        expect![[r#"
            exit 3
            {"code":"not-found","reason":"block 1 looks for `height * height`, which is not in the file","status":"refused"}
            tandem: refused (not-found): block 1 looks for `height * height`, which is not in the file
        "#]],
    );
    // Each line occurs in the file, but not consecutively.
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--json"],
        &block("fn area(width: u32) -> u32 {\n}", "x"),
        expect![[r#"
            exit 3
            {"code":"not-found","reason":"block 1 looks for `}` after line 1, where it is not found","status":"refused"}
            tandem: refused (not-found): block 1 looks for `}` after line 1, where it is not found
        "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--json"],
        b"NO_EDITS\n",
        expect![[r#"
        exit 0
        {"edits":[],"flags":[{"code":"unchanged","message":"the reply asks for what is there already: nothing changes"}],"format":"no-edits","level":"exact","status":"unchanged"}
    "#]],
    );
}

/// A source file with enough names for a folder with it to reveal unknown ones.
fn vocabulary() -> Vec<u8> {
    let names = (0..5_000).map(|name| format!("fn name_{name}() {{}}\n"));
    names.collect::<String>().into_bytes()
}

#[test]
fn flags_calls_that_the_folder_does_not_know() {
    let vocabulary = vocabulary();
    let files: &[(&str, &[u8])] = &[("a.rs", TEXT), ("b.rs", &vocabulary)];
    let arguments = ["--file", "a.rs", "--root", ".", "--write"];
    let known = block("    width * width", "    name_7(width)");
    check(
        files,
        &arguments,
        &known,
        expect![[r#"
            exit 0
            tandem: 1 file written
            a.rs is now:
            fn area(width: u32) -> u32 {
                name_7(width)
            }
        "#]],
    );
    let made_up = block("    width * width", "    width.square_exactly()");
    check(
        files,
        &arguments,
        &made_up,
        expect![[r#"
            exit 0
            tandem: uses `square_exactly`, which is not known here
            tandem: 1 file written
            a.rs is now:
            fn area(width: u32) -> u32 {
                width.square_exactly()
            }
        "#]],
    );
    // A few files are not enough to decide, which is reported.
    check(
        &files[..1],
        &arguments,
        &made_up,
        expect![[r#"
            exit 0
            tandem: uses `square_exactly`, found in no file; too little code is known to tell whether that is wrong
            tandem: 1 file written
            a.rs is now:
            fn area(width: u32) -> u32 {
                width.square_exactly()
            }
        "#]],
    );
}

#[test]
fn refuses_what_is_not_certain() {
    let twice = b"fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    let ambiguous = block("    one();", "    two();");
    check(
        &[("a.rs", twice)],
        &["--file", "a.rs", "--write"],
        &ambiguous,
        expect![[r#"
        exit 3
        tandem: refused (ambiguous): block 1 fits in 2 places (lines 2, 6); more context is needed
    "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--write"],
        b"",
        expect![[r#"
        exit 3
        tandem: refused (empty): the reply is empty
    "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--write"],
        &block("    width * width\n}", "    width * (width\n}"),
        expect![[r#"
            exit 3
            tandem: refused (syntax): the result would have 1 syntax error where there were 0
        "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs"],
        b"\xff\xfe",
        expect![[r#"
        exit 3
        tandem: refused (not-text): the reply is not text in UTF-8
    "#]],
    );
    check(
        &[("a.rs", b"\0\x01")],
        &["--file", "a.rs"],
        &ambiguous,
        expect![[r#"
        exit 3
        tandem: refused (not-text): the file is not text in UTF-8
    "#]],
    );
    check(
        &[("a.rs", b"caf\xe9")],
        &["--file", "a.rs"],
        &ambiguous,
        expect![[r#"
        exit 3
        tandem: refused (not-text): the file is not text in UTF-8
    "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs"],
        &vec![b'x'; 17 * 1024 * 1024],
        expect![[r#"
        exit 3
        tandem: refused (too-large): the reply has more bytes than the limit of 16777216
    "#]],
    );
}

#[test]
fn says_what_is_wrong_with_its_arguments() {
    let reply = b"NO_EDITS";
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--range", "2-9"],
        reply,
        expect![[r#"
        exit 2
        tandem: the file has 3 lines, so 2-9 is no range of it
    "#]],
    );
    check(
        &[("a.rs", TEXT)],
        &["--file", "a.rs", "--language", "klingon"],
        reply,
        expect![[r#"
        exit 2
        tandem: no language is called `klingon`
    "#]],
    );
    check(
        &[],
        &["--file", "b.rs"],
        reply,
        expect![[r#"
            exit 1
            tandem: cannot read b.rs: there is no such file
        "#]],
    );
}

const PATCH: &str = "\
*** Begin Patch
*** Update File: src/a.rs
@@ fn area(width: u32) -> u32 {
-    width * width
+    square(width)
*** Add File: src/b.rs
+pub fn square(side: u32) -> u32 {
+    side * side
+}
*** Update File: src/c.rs
*** Move to: src/d.rs
@@
-fn c() {}
+fn d() {}
*** Delete File: src/e.rs
*** End Patch
";

fn project() -> Vec<(&'static str, &'static [u8])> {
    vec![("src/a.rs", TEXT), ("src/c.rs", b"fn c() {}\n"), ("src/e.rs", b"fn e() {}\n")]
}

#[test]
fn changes_several_files_or_none() {
    check(
        &project(),
        &["--root", "."],
        PATCH.as_bytes(),
        expect![[r#"
        exit 0
        --- a/src/a.rs
        +++ b/src/a.rs
        @@ -1,3 +1,3 @@
         fn area(width: u32) -> u32 {
        -    width * width
        +    square(width)
         }
        --- /dev/null
        +++ b/src/b.rs
        @@ -0,0 +1,3 @@
        +pub fn square(side: u32) -> u32 {
        +    side * side
        +}
        --- a/src/c.rs
        +++ /dev/null
        @@ -1 +0,0 @@
        -fn c() {}
        --- /dev/null
        +++ b/src/d.rs
        @@ -0,0 +1 @@
        +fn d() {}
        --- a/src/e.rs
        +++ /dev/null
        @@ -1 +0,0 @@
        -fn e() {}
    "#]],
    );
    check(
        &project(),
        &["--root", ".", "--write"],
        PATCH.as_bytes(),
        expect![[r#"
            exit 0
            tandem: 4 files written
            src/a.rs is now:
            fn area(width: u32) -> u32 {
                square(width)
            }
            src/c.rs is gone
            src/e.rs is gone
            src/b.rs is now:
            pub fn square(side: u32) -> u32 {
                side * side
            }
            src/d.rs is now:
            fn d() {}
        "#]],
    );
    check(
        &project(),
        &["--root", ".", "--json"],
        PATCH.as_bytes(),
        expect![[r#"
        exit 0
        {"diff":"--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n fn area(width: u32) -> u32 {\n-    width * width\n+    square(width)\n }\n--- /dev/null\n+++ b/src/b.rs\n@@ -0,0 +1,3 @@\n+pub fn square(side: u32) -> u32 {\n+    side * side\n+}\n--- a/src/c.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-fn c() {}\n--- /dev/null\n+++ b/src/d.rs\n@@ -0,0 +1 @@\n+fn d() {}\n--- a/src/e.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-fn e() {}\n","files":[{"flags":[],"operation":"edit","path":"src/a.rs"},{"flags":[],"operation":"create","path":"src/b.rs"},{"flags":[],"operation":"delete","path":"src/c.rs"},{"flags":[],"operation":"create","path":"src/d.rs"},{"flags":[],"operation":"delete","path":"src/e.rs"}],"status":"applied"}
    "#]],
    );
    // One file of four does not match, so no file is changed.
    let unfit = PATCH.replace("-fn c() {}", "-fn gone() {}");
    check(
        &project(),
        &["--root", ".", "--write"],
        unfit.as_bytes(),
        expect![[r#"
        exit 3
        tandem: refused (not-found): block 2 looks for `fn gone() {}`, which is not in the file; the nearest is line 1: `fn c() {}`
    "#]],
    );
    // A name that another file of the reply defines is known; a name without a definition is not.
    let vocabulary = vocabulary();
    let mut large = project();
    large.push(("names.rs", &vocabulary));
    check_said(
        &large,
        &["--root", ".", "--write"],
        PATCH.as_bytes(),
        expect![[r#"
            exit 0
            tandem: 4 files written
        "#]],
    );
    let made_up = PATCH.replace("square(width)", "cube(width)");
    check_said(
        &large,
        &["--root", ".", "--write"],
        made_up.as_bytes(),
        expect![[r#"
            exit 0
            tandem: src/a.rs: uses `cube`, which is not known here
            tandem: 4 files written
        "#]],
    );
}

#[test]
fn stays_below_the_root() {
    let check = |path: &str, expect| {
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n");
        check(&[("src/a.rs", TEXT)], &["--root", "src", "--write"], patch.as_bytes(), expect);
    };
    check(
        "../a.rs",
        expect![[r#"
        exit 3
        tandem: refused (outside-root): the path `../a.rs` leads out of the workspace
    "#]],
    );
    check(
        "/etc/passwd",
        expect![[r#"
        exit 3
        tandem: refused (outside-root): the path `/etc/passwd` leads out of the workspace
    "#]],
    );
    check(
        "deep/../../a.rs",
        expect![[r#"
        exit 3
        tandem: refused (outside-root): the path `deep/../../a.rs` leads out of the workspace
    "#]],
    );
    check(
        ".git/config",
        expect![[r#"
            exit 3
            tandem: refused (protected): `.git/config` is not changed: it belongs to version control
        "#]],
    );
}

#[test]
fn replies_without_a_change_end_alike_with_and_without_a_root() {
    let talk = b"I would rename it.\n";
    check(
        &project(),
        &["--file", "src/a.rs"],
        talk,
        expect![[r#"
        exit 3
        tandem: refused (prose): the reply is prose, not code
    "#]],
    );
    check(
        &project(),
        &["--root", "."],
        talk,
        expect![[r#"
        exit 3
        tandem: refused (prose): the reply is prose, not code
    "#]],
    );
    check(
        &project(),
        &["--file", "src/a.rs"],
        b"",
        expect![[r#"
        exit 3
        tandem: refused (empty): the reply is empty
    "#]],
    );
    check(
        &project(),
        &["--root", "."],
        b"",
        expect![[r#"
        exit 3
        tandem: refused (empty): the reply is empty
    "#]],
    );
    check(
        &project(),
        &["--root", "."],
        b"NO_EDITS\n",
        expect![[r#"
        exit 0
        tandem: the reply asks for what is there already: nothing changes
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn writes_through_no_link_into_version_control() {
    let folder = TempDir::new().unwrap();
    fs::create_dir_all(folder.path().join(".git/hooks")).unwrap();
    fs::write(folder.path().join(".git/config"), "[core]\n").unwrap();
    fs::write(folder.path().join("a"), "one\n").unwrap();
    std::os::unix::fs::symlink(".git/config", folder.path().join("cfg")).unwrap();
    std::os::unix::fs::symlink(".git/hooks", folder.path().join("hooks")).unwrap();
    let before = contents(folder.path());
    for (body, named) in [
        ("*** Add File: hooks/pre-commit\n+x", "hooks/pre-commit"),
        ("*** Update File: cfg\n@@\n-[core]\n+[x]", "cfg"),
        ("*** Delete File: cfg", "cfg"),
        ("*** Update File: a\n*** Move to: hooks/post-commit\n@@\n-one\n+two", "hooks/post-commit"),
    ] {
        let (code, errors) = run_in(folder.path(), &format!("*** Begin Patch\n{body}\n*** End Patch\n"));
        let expected =
            format!("tandem: refused (protected): `{named}` is not changed: it belongs to version control\n");
        assert_eq!((code, errors.as_str()), (3, expected.as_str()));
        assert_eq!(contents(folder.path()), before, "{body}");
    }
}

/// Runs `tandem apply --root . --write` in a folder; returns the exit code and the standard error.
#[cfg(unix)]
fn run_in(folder: &Path, reply: &str) -> (i32, String) {
    let output = output_in(folder, &["--root", ".", "--write"], reply.as_bytes());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}
