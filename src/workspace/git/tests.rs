//! Tests on repositories made by shell scripts.

#![cfg(unix)]

mod diff;
mod hostile;
mod limits;

use std::fmt::Write as _;
use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;

/// Creates `project` in a folder, with `a.txt`, `b.txt` and `in/c.txt` in its only commit.
const COMMITTED: &str = "
git init -q -b main project; cd project; mkdir in
echo one > a.txt; echo two > b.txt; echo three > in/c.txt
git add .; git commit -q -m first
";

/// Runs a script in a new folder; returns the folder and the script's output.
fn made(script: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.args(["-euc", script]).current_dir(folder.path());
    // When a git hook runs the tests, git's variables are set.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b");
    }
    for (at, (key, value)) in [("maintenance.auto", "false"), ("init.templateDir", "")].iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{at}"), key).env(format!("GIT_CONFIG_VALUE_{at}"), value);
    }
    command.env("GIT_CONFIG_COUNT", "2");
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_ALLOW_PROTOCOL", "file");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{script}\n{said}");
    (folder, String::from_utf8(output.stdout).unwrap())
}

/// Checks which paths have uncommitted changes after a script that begins in `project`.
#[track_caller]
fn check(script: &str, paths: &[&str], expect: Expect) {
    let (folder, _) = made(&format!("{COMMITTED}{script}"));
    let root = folder.path().canonicalize().unwrap().join("project");
    let found = uncommitted(&root, paths);
    assert!(!folder.path().join("ran").exists(), "a program of the repository was run");
    let shown = match found {
        Ok(found) => found.iter().map(|it| format!("{it}\n")).collect(),
        Err(error) => format!("error: {error}\n"),
    };
    expect.assert_eq(&shown.replace(&*root.parent().unwrap().to_string_lossy(), "…"));
}

/// Checks the differences after a script that begins in `project`; `private.txt` may not be shown.
#[track_caller]
fn check_changes(script: &str, compared: Compared<'_>, expect: Expect) {
    let (folder, _) = made(&format!("{COMMITTED}{script}"));
    let root = folder.path().canonicalize().unwrap().join("project");
    let withheld = |path: &str| path.ends_with("private.txt").then(|| "private".to_owned());
    let found = changes(&root, compared, withheld);
    assert!(!folder.path().join("ran").exists(), "a program of the repository was run");
    let shown = match found {
        Ok(Changes { paths, diff, left_out }) => {
            let mut shown = format!("{}\n", paths.join(" "));
            for (path, why) in left_out {
                writeln!(shown, "not {path}: {why}").unwrap();
            }
            // The head of a diff depends on the hash format.
            let is_head = |line: &str| ["index ", "--- ", "+++ "].iter().any(|it| line.starts_with(it));
            shown.extend(diff.lines().filter(|line| !is_head(line)).map(|line| format!("{line}\n")));
            shown
        }
        Err(error) => format!("error: {error}\n"),
    };
    expect.assert_eq(&shown.replace(&*root.parent().unwrap().to_string_lossy(), "…"));
}

const ALL: &[&str] = &["a.txt", "b.txt", "in/c.txt", "new.txt", "none.txt"];

#[test]
fn changed_staged_deleted_and_untracked_files_are_uncommitted() {
    check("", ALL, expect![""]);
    check("touch a.txt; chmod -x b.txt", ALL, expect![""]);
    check(
        "echo 1 > a.txt; echo 2 > b.txt; git add b.txt; touch new.txt; rm in/c.txt",
        ALL,
        expect![[r#"
        a.txt
        b.txt
        in/c.txt
        new.txt
    "#]],
    );
    check(
        "echo 1 > a.txt; git add a.txt; echo one > a.txt",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
    check(
        "chmod +x a.txt; git rm -q --cached b.txt; echo new.txt > .gitignore; touch new.txt",
        ALL,
        expect![[r#"
        a.txt
        b.txt
        new.txt
    "#]],
    );
    check(
        "rm -r .git; git init -q",
        ALL,
        expect![[r#"
        a.txt
        b.txt
        in/c.txt
    "#]],
    );
    check("rm -r .git", ALL, expect![""]);
    check(
        "cd ..; mv project in; mkdir project; mv in project; cd project/in; echo 1 > a.txt",
        &["in/a.txt", "in/b.txt"],
        expect![[r#"
        in/a.txt
    "#]],
    );
    check(
        "rm a.txt; mkdir a.txt; touch a.txt/b; git add .",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
}

#[test]
fn no_flag_hides_a_change() {
    let flags = ["--assume-unchanged", "--skip-worktree", "--assume-unchanged --skip-worktree"];
    for flag in flags {
        let each: String = flag.split(' ').map(|it| format!("git update-index {it} a.txt b.txt;")).collect();
        check(
            &format!("{each} echo 1 > a.txt"),
            ALL,
            expect![[r#"
            a.txt
        "#]],
        );
    }
    // Files that a sparse checkout omits are not on disk, so they cannot be lost.
    check(
        "git sparse-checkout set --no-cone /a.txt /b.txt; echo 1 > a.txt; test ! -e in",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
    let present = "git sparse-checkout set --no-cone /a.txt; test ! -e in; mkdir in; echo mine > in/c.txt";
    check(
        present,
        ALL,
        expect![[r#"
        in/c.txt
    "#]],
    );
    check(
        "git sparse-checkout set --cone --sparse-index; mkdir in; echo mine > in/c.txt",
        ALL,
        expect![[r#"
        in/c.txt
    "#]],
    );
    check(
        "git update-index --split-index; echo 1 > a.txt; git update-index --index-version 4",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
    check(
        "for key in core.trustctime core.fsmonitor core.ignoreStat; do git config $key true; done
        git config core.checkStat minimal; echo 1 > a.txt",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
}

#[test]
fn file_is_asked_about_in_the_repository_that_it_lives_in() {
    const OTHER: &str = "git init -q ../other; cd ../other; echo 1 > d.txt; echo 2 > e.txt
        git add .; git commit -qm other; cd ../project;";
    let paths = ["a.txt", "sub/d.txt", "sub/e.txt", "sub/new.txt"];
    let dirty = "echo 3 > sub/d.txt; touch sub/new.txt";
    for script in [
        "git submodule --quiet add ../other sub; git commit -qm sub",
        "mv ../other sub",
        "mv ../other sub; git add sub 2> /dev/null; echo sub > .gitignore",
        "git -C ../other worktree add -q --detach $PWD/sub",
        // A submodule that is not checked out has no files of its own.
        "git submodule --quiet add ../other sub; git submodule --quiet deinit -f sub",
    ] {
        check(
            &format!("{OTHER} {script}; {dirty}"),
            &paths,
            expect![[r#"
            sub/d.txt
            sub/new.txt
        "#]],
        );
    }
    // Links lead to files; a link is itself a file, too.
    check(
        &format!(
            "{OTHER} mv ../other sub; ln -s sub/d.txt to_d; ln -s sub/e.txt to_e; ln -s in to_in
            ln -s nowhere lost; git add to_d to_e to_in lost; git commit -qm links; {dirty}; echo 4 > in/c.txt"
        ),
        &["to_d", "to_e", "to_in/c.txt", "to_in/none", "lost"],
        expect![[r#"
            to_d
            to_in/c.txt
        "#]],
    );
    check(
        "ln -s a.txt link; git add link; git commit -qm link; ln -sf b.txt link",
        &["link", "a.txt"],
        expect![[r#"
        link
    "#]],
    );
}

#[test]
fn names_are_taken_as_they_are() {
    let names = [
        "a b", "-x", ":(glob)*", "*", "a\nb", "\"q\"", "é", "e\u{301}", "[a]", "A", "in/..txt", "!x", "x\\y",
    ];
    let each: Vec<String> = names.iter().map(|name| shlex::try_quote(name).unwrap().into_owned()).collect();
    let each = each.join(" ");
    let make = format!("for name in {each}; do echo 1 > \"$name\"; done; git add .; git commit -qm names;");
    check(&make, &names, expect![""]);
    let mut all: Vec<&str> = names.to_vec();
    all.sort_unstable();
    let (folder, _) = made(&format!("{COMMITTED}{make} for name in {each}; do echo 2 > \"$name\"; done"));
    let found = uncommitted(&folder.path().join("project"), &all).unwrap();
    assert_eq!(found.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), all);
    check(
        &format!("{make} echo 2 > '*'"),
        &names,
        expect![[r#"
        *
    "#]],
    );
}

#[test]
fn as_many_names_as_there_are_are_asked_about() {
    let (folder, _) = made(&format!("{COMMITTED} echo 1 > a.txt"));
    let long = "x".repeat(200);
    let mut paths: Vec<String> = (0..2_000).map(|at| format!("{long}{at}")).collect();
    paths.push("a.txt".to_owned());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let found = uncommitted(&folder.path().join("project"), &paths).unwrap();
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a.txt"]);
}

#[test]
fn file_with_a_filter_is_known_by_its_time_or_counts_as_changed() {
    const FILTER: &str = "git config filter.up.clean 'tr a-z A-Z'; echo '*.up filter=up' > .gitattributes
        echo x > d.up; echo x > e.up; touch -d 2001-02-03 d.up e.up; git add .; git commit -qm filter
        git config filter.up.clean 'touch ../ran; cat';";
    check(FILTER, &["d.up", "e.up"], expect![""]);
    check(
        &format!("{FILTER} touch -d 2001-01-01 d.up; echo new > new.up"),
        &["d.up", "e.up", "new.up"],
        expect![[r#"
        d.up (its filter `up` is not run, so it counts as changed)
        new.up
    "#]],
    );
    check(
        "echo '*.txt text eol=crlf ident -filter' > .gitattributes; git add .; git commit -qm attributes
        rm a.txt; git checkout -q a.txt; test $(wc -c < a.txt) = 5; touch -d 2001-01-01 a.txt",
        ALL,
        expect![""],
    );
    check(
        "git config core.autocrlf true; rm a.txt; git checkout -q a.txt; touch -d 2001-01-01 a.txt
        printf 'other\\r\\n' > b.txt",
        ALL,
        expect![[r#"
        b.txt
    "#]],
    );
}

#[test]
fn repository_of_any_format_is_read() {
    let formats =
        ["--object-format=sha256", "--ref-format=reftable", "--object-format=sha256 --ref-format=reftable"];
    for format in formats {
        let script = format!(
            "rm -r .git; git init -q {format} 2> /dev/null || git init -q
            git add .; git commit -qm again; echo 1 > a.txt"
        );
        check(
            &script,
            ALL,
            expect![[r#"
            a.txt
        "#]],
        );
        check_changes(
            &script,
            Compared::Since("HEAD"),
            expect![[r#"
            a.txt
            diff --git a/a.txt b/a.txt
            @@ -1 +1 @@
            -one
            +1
        "#]],
        );
        check(
            &format!("{script}; git worktree add -q --detach in/tree; cd in/tree; echo 1 > b.txt"),
            &["in/tree/a.txt", "in/tree/b.txt"],
            expect![[r#"
            in/tree/b.txt
        "#]],
        );
    }
    check(
        "git pack-refs --all; git gc -q; git checkout -q --detach; echo 1 > a.txt",
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
}
