//! `tandem fix`, as a user or a CI job runs it.

use std::fs;
use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::Shell;
use crate::support::process::output_of;

const C: &str = "int total(int n)\n{\n\tint count = n;\n\treturn conut;\n}\n";
const SAID: &str = "a.c: In function ‘total’:\na.c:4:16: error: ‘conut’ undeclared (first use in this function); did you \
                    mean ‘count’?\n    4 |         return conut;\n      |                ^~~\n      |                count\n";

/// The diff that fixes [`C`].
const MENDED: &str = "--- a/a.c\n+++ b/a.c\n@@ -1,5 +1,5 @@\n int total(int n)\n {\n \tint count = n;\n-\treturn conut;\n\
                      +\treturn count;\n }\n";

#[track_caller]
fn check(files: &[(&str, &str)], arguments: &[&str], input: &str, expect: Expect) {
    expect.assert_eq(&run(files, arguments, input));
}

/// Checks the result for [`C`] in `a.c` and these reports of tools.
#[track_caller]
fn check_reports(reports: &str, arguments: &[&str], expect: Expect) {
    check_files(&[("a.c", C)], reports, arguments, expect);
}

/// The same, for other files.
#[track_caller]
fn check_files(files: &[(&str, &str)], reports: &str, arguments: &[&str], expect: Expect) {
    let shown = run(files, &[&["--diagnostics", "-"], arguments].concat(), reports);
    expect.assert_eq(&shown.replace(MENDED, "MENDED\n"));
}

/// Runs the command in a folder of these files; shows exit code, output, and each changed file.
fn run(files: &[(&str, &str)], arguments: &[&str], input: &str) -> String {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
    command.arg("fix").args(arguments).current_dir(folder.path()).env_remove("TANDEM_LOG");
    command.env("TANDEM_CONFIG", "").env("XDG_CONFIG_HOME", folder.path().join(".none"));
    let output = output_of(&mut command, input.as_bytes());
    let mut shown = format!("exit {}\n", output.status.code().unwrap());
    shown.push_str(&String::from_utf8(output.stdout).unwrap());
    shown.push_str(&String::from_utf8(output.stderr).unwrap());
    for (path, text) in files {
        let now = fs::read_to_string(folder.path().join(path)).unwrap();
        if now != *text {
            shown.push_str(&format!("{path} is now:\n{now}"));
        }
    }
    shown.replace(folder.path().to_str().unwrap(), "FOLDER")
}

#[test]
fn reports_of_a_compiler_are_fixed_and_written_on_demand() {
    check_reports(
        SAID,
        &[],
        expect![[r#"
        exit 0
        MENDED
        tandem: 1 fix to make in 1 file (1 × misspelt name)
    "#]],
    );
    check_reports(
        SAID,
        &["--check"],
        expect![[r#"
        exit 1
        MENDED
        tandem: 1 fix to make in 1 file (1 × misspelt name)
    "#]],
    );
    check_reports(
        SAID,
        &["--write"],
        expect![[r#"
        exit 0
        MENDED
        tandem: 1 fix made in 1 file (1 × misspelt name)
        a.c is now:
        int total(int n)
        {
        	int count = n;
        	return count;
        }
    "#]],
    );
    check_reports(
        SAID,
        &["--json"],
        expect![[r#"
            exit 0
            {"cut":false,"diagnostics":[{"code":null,"column":9,"line":4,"message":"‘conut’ undeclared (first use in this function); did you mean ‘count’?","outcome":"fixed","path":"a.c","severity":"error","source":"gcc"}],"dropped":0,"files":[{"edits":[{"end":48,"start":43,"text":"count"}],"fixes":[{"kind":"misspelt name","title":"change `conut` to `count`"}],"path":"a.c","refused":null,"syntax_errors":null}],"ignored_lines":1,"outcomes":{"fixed":1},"passed_over":[],"status":"changed","summary":{"misspelt name":1}}
        "#]],
    );
}

#[test]
fn code_without_reports_is_fixed_where_the_parser_is_certain() {
    check(
        &[("a.rs", "fn f() -> u8 {\n    let a = 1\n    a\n}\n")],
        &["a.rs", "--check"],
        "",
        expect![[r#"
        exit 1
        --- a/a.rs
        +++ b/a.rs
        @@ -1,4 +1,4 @@
         fn f() -> u8 {
        -    let a = 1
        +    let a = 1;
             a
         }
        tandem: 1 fix to make in 1 file (1 × missing token)
    "#]],
    );
    check(
        &[("a.rs", "fn f() -> u8 {\n    1\n}\n")],
        &["a.rs", "--check"],
        "",
        expect![[r#"
        exit 0
        tandem: no fixes to make
    "#]],
    );
}

#[test]
fn import_that_leads_to_no_file_is_fixed_if_one_letter_is_wrong() {
    check(
        &[("a/main.py", "from .shap import area\nfrom .far import b\n"), ("a/shape.py", "")],
        &["a/main.py", "--check"],
        "",
        expect![[r#"
            exit 1
            --- a/a/main.py
            +++ b/a/main.py
            @@ -1,2 +1,2 @@
            -from .shap import area
            +from .shape import area
             from .far import b
            tandem: 1 fix to make in 1 file (1 × suggested fix)
            tandem: 1 problem left: no single correct fix; --model asks a model
            tandem:   a/main.py:2: `.far` leads to no file
        "#]],
    );
}

#[test]
fn reported_import_is_fixed_by_what_the_folder_contains() {
    let shop = "import { price } from \"./pirce\";\nexport const all = [price];\n";
    let reported =
        "shop.ts(1,23): error TS2307: Cannot find module './pirce' or its corresponding type declarations.\n";
    let files = [("shop.ts", shop), ("price.ts", "export const price = 1;\n")];
    check(
        &files,
        &["--diagnostics", "-"],
        reported,
        expect![[r#"
            exit 0
            --- a/shop.ts
            +++ b/shop.ts
            @@ -1,2 +1,2 @@
            -import { price } from "./pirce";
            +import { price } from "./price";
             export const all = [price];
            tandem: 1 fix to make in 1 file (1 × suggested fix)
        "#]],
    );
}

#[test]
fn output_of_an_unknown_tool_is_reported() {
    check(
        &[("a.c", C)],
        &["--diagnostics", "-"],
        "some words\nand more\n",
        expect![[r#"
            exit 2
            tandem: cannot read 2 lines of diagnostics as the output of a known tool, from `some words` on; these are read: rustc, cargo, clippy, tsc, eslint, Python, ruff, mypy, pyright, pytest, gcc, clang, go, javac, SARIF, or file:line:column: message
        "#]],
    );
}

#[test]
fn output_of_a_tool_that_finds_nothing_is_not_an_error() {
    for clean in [
        "All checks passed!\n",
        "Success: no issues found in 3 source files\n",
        "0 errors, 0 warnings, 0 informations \n",
        "    Checking a v0.1.0 (/a)\n    Finished `dev` profile [unoptimized] target(s) in 0.10s\n",
        "[]\n",
        "",
    ] {
        let shown = run(&[("a.c", C)], &["--diagnostics", "-"], clean);
        assert_eq!(shown, "exit 0\ntandem: no fixes to make\n", "{clean}");
    }
}

#[test]
fn contradictory_and_truncated_outputs_are_used_as_far_as_possible() {
    // Two tools change the same text; the first one's fix is made.
    let other = "a.c:4:9: error: ‘conut’ undeclared; did you mean ‘coonut’?\n";
    check_reports(
        &format!("{SAID}{other}"),
        &[],
        expect![[r#"
            exit 0
            MENDED
            tandem: 1 fix to make in 1 file (1 × misspelt name)
        "#]],
    );
    // The same fix from both tools counts once, and color codes are ignored.
    let coloured = SAID.replace("error:", "\u{1b}[1m\u{1b}[31merror:\u{1b}[0m");
    check_reports(
        &format!("{SAID}{coloured}"),
        &[],
        expect![[r#"
        exit 0
        MENDED
        tandem: 2 fixes to make in 1 file (2 × misspelt name)
    "#]],
    );
    // A truncated document.
    let whole = "[{\"filePath\":\"a.js\",\"messages\":[{\"ruleId\":\"semi\",\"severity\":2,\"message\":\"Missing semicolon.\",\"line\":1,\"column\":10,\"fix\":{\"range\":[9,9],\"text\":\";\"}}]},{\"filePath\":\"b.js\",\"mess";
    check_files(
        &[("a.js", "let a = 1\n")],
        whole,
        &[],
        expect![[r#"
        exit 0
        --- a/a.js
        +++ b/a.js
        @@ -1 +1 @@
        -let a = 1
        +let a = 1;
        tandem: the diagnostics end in the middle; what is complete was read
        tandem: 1 fix to make in 1 file (1 × suggested fix)
    "#]],
    );
}

#[test]
fn missing_foreign_and_generated_files_are_passed_over() {
    let said = |path: &str| SAID.replace("a.c", path);
    let generated = format!("/* @generated */\n{C}");
    check_reports(
        &said("../a.c"),
        &[],
        expect![[r#"
        exit 0
        tandem: ../a.c: there is no such file; 1 report passed over
        tandem: no fixes to make
    "#]],
    );
    check_reports(
        &said("gone.c"),
        &[],
        expect![[r#"
        exit 0
        tandem: gone.c: there is no such file; 1 report passed over
        tandem: no fixes to make
    "#]],
    );
    check_files(
        &[(".git/a.c", C)],
        &said(".git/a.c"),
        &[],
        expect![[r#"
        exit 0
        tandem: .git/a.c: it belongs to git; 1 report passed over
        tandem: no fixes to make
    "#]],
    );
    check_files(
        &[("a.c", &generated)],
        SAID,
        &[],
        expect![[r#"
        exit 0
        tandem: a.c: it is generated; 1 report passed over
        tandem: no fixes to make
    "#]],
    );
    check_files(
        &[("a.c", C), ("b.c", C)],
        SAID,
        &["b.c"],
        expect![[r#"
        exit 0
        tandem: a.c: it was not named; 1 report passed over
        tandem: no fixes to make
    "#]],
    );
}

#[test]
fn report_of_another_version_is_not_applied() {
    check_files(
        &[("a.c", &C.replace("return conut", "return conut + 1"))],
        SAID,
        &[],
        expect![[r#"
            exit 0
            tandem: no fixes to make
            tandem: 1 problem left: the file has changed since; run the tool again
            tandem:   a.c:4: ‘conut’ undeclared (first use in this function); did you mean ‘count’?
        "#]],
    );
}

#[test]
fn misspelt_import_from_a_module_is_fixed_and_its_use_left() {
    let app = "from util import parse_lien\n\nprint(parse_line(1))\n";
    let files = [("app.py", app), ("util.py", "def parse_line(line):\n    return line\n")];
    let ruff = "app.py:1:18: F401 [*] `util.parse_lien` imported but unused\n\
                app.py:3:7: F821 Undefined name `parse_line`\n";
    let pyright = "FOLDER/app.py\n  app.py:1:18 - error: \"parse_lien\" is unknown import symbol (reportAttributeAccessIssue)\n  \
                   app.py:3:7 - error: \"parse_line\" is not defined (reportUndefinedVariable)\n";
    for reports in [ruff, pyright] {
        let shown = run(&files, &["--diagnostics", "-", "--write"], reports);
        let now = "app.py is now:\nfrom util import parse_line\n\nprint(parse_line(1))\n";
        assert!(shown.ends_with(now), "{shown}");
    }
}

#[test]
fn safe_fix_of_another_text_is_not_made() {
    let stale = r#"[{"filename": "a.py", "code": "F401", "message": "`os` imported but unused",
        "location": {"row": 1, "column": 8}, "end_location": {"row": 1, "column": 10},
        "fix": {"applicability": "safe", "message": "Remove unused import: `os`", "edits": [
            {"content": "", "location": {"row": 1, "column": 1}, "end_location": {"row": 2, "column": 1}}]}}]"#;
    check(
        &[("a.py", "import sys\n\nsys.exit()\n")],
        &["--diagnostics", "-", "--write"],
        stale,
        expect![[r#"
            exit 0
            tandem: no fixes made
            tandem: 1 problem left: the file has changed since; run the tool again
            tandem:   a.py:1: `os` imported but unused
        "#]],
    );
    // The message does not quote the text that would be removed.
    let far = stale
        .replace("`os` imported but unused", "odd")
        .replace("\"row\": 2, \"column\": 1}}]", "\"row\": 4, \"column\": 1}}]");
    let shown = run(&[("a.py", "x = 1\n\nkept()\n")], &["--diagnostics", "-", "--write"], &far);
    assert!(!shown.contains("is now"), "{shown}");
}

#[test]
fn wrong_usage_and_unreadable_files_have_their_own_codes() {
    check(
        &[],
        &[],
        "",
        expect![[r#"
        exit 2
        tandem: a FILE or --diagnostics is needed
    "#]],
    );
    check(
        &[],
        &["gone.c"],
        "",
        expect![[r#"
            exit 1
            tandem: cannot read gone.c: there is no such file
        "#]],
    );
    check(
        &[
            ("a.c", "/* @generated */\n"),
            ("m.rs", "fn a() {\n    let x = 1\n    let y = 2;\n}\n"),
            (".env", "A=1\n"),
        ],
        &["a.c", "m.rs", ".env", "."],
        "",
        expect![[r#"
            exit 0
            --- a/m.rs
            +++ b/m.rs
            @@ -1,4 +1,4 @@
             fn a() {
            -    let x = 1
            +    let x = 1;
                 let y = 2;
             }
            tandem: .: it is a folder; it is passed over
            tandem: .env: files called `.env` hold secrets; it is passed over
            tandem: a.c: it is generated; it is passed over
            tandem: 1 fix to make in 1 file (1 × missing token)
        "#]],
    );
}

#[tokio::test]
async fn model_is_asked_on_demand_for_what_no_rule_fixes() {
    let shell = Shell::new(Some("")).await;
    let said = "a.rs:2:5: error: there is no value `width` here; a value with a similar name is `area`\n";
    fs::write(shell.folder.path().join("said.txt"), said).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let without = shell.run(&["fix", "--diagnostics", "said.txt"]).await;
    assert_eq!((without.status.code(), text(&without.stdout)), (Some(0), String::new()));
    let with = shell.run(&["fix", "--diagnostics", "said.txt", "--model", "--check"]).await;
    assert_eq!(with.status.code(), Some(1), "{}", text(&with.stderr));
    assert!(text(&with.stdout).contains("-    width * width\n+    area * width\n"), "{}", text(&with.stdout));
    assert!(text(&with.stderr).contains("1 × fix of the model"), "{}", text(&with.stderr));
}

#[test]
fn file_that_does_not_parse_is_reported_with_its_line() {
    let broken = "fn a() {}\n\nfn b( {\n    let x = ;\n}\n";
    check(
        &[("a.rs", broken)],
        &["a.rs"],
        "",
        expect![[r#"
        exit 0
        tandem: a.rs:3: 2 syntax errors without a certain fix, left as they are; a compiler's output may help (--diagnostics)
        tandem: no fixes to make
    "#]],
    );
    // Fixes are reported as before, and only the rest is left.
    let missing = "fn a() {\n    let x = 1\n    let y = 2;\n}\n";
    check(
        &[("a.rs", missing)],
        &["a.rs"],
        "",
        expect![[r#"
        exit 0
        --- a/a.rs
        +++ b/a.rs
        @@ -1,4 +1,4 @@
         fn a() {
        -    let x = 1
        +    let x = 1;
             let y = 2;
         }
        tandem: 1 fix to make in 1 file (1 × missing token)
    "#]],
    );
    check(
        &[("a.rs", "fn a() {}\n")],
        &["a.rs"],
        "",
        expect![[r#"
        exit 0
        tandem: no fixes to make
    "#]],
    );
}
