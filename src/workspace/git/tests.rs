//! Tests on repositories made by shell scripts.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::program::{LIMIT, MOST_BYTES, Program};
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

#[test]
fn revision_is_one_that_git_knows() {
    let script = "
        echo 1 > a.txt; git commit -qam second; git tag -m v1 v1; git pack-refs --all; git branch other HEAD~1
        git remote add origin ..; git update-ref refs/remotes/origin/main HEAD~1
        git config branch.main.remote origin; git config branch.main.merge refs/heads/main
        git checkout -q other; git checkout -q main; echo 2 > a.txt; git stash -q";
    for (revision, old) in [
        ("HEAD", "1"),
        ("@", "1"),
        ("v1", "1"),
        ("HEAD~1", "one"),
        ("v1^{commit}~1", "one"),
        ("other", "one"),
        ("origin/main", "one"),
        ("@{upstream}", "one"),
        ("main@{u}", "one"),
        ("@{-1}", "one"),
        ("HEAD@{2}", "one"),
        ("stash", "2"),
        ("stash@{0}", "2"),
        (":/first", "one"),
    ] {
        let (folder, _) = made(&format!("{COMMITTED}{script}; echo now > a.txt"));
        let root = folder.path().canonicalize().unwrap().join("project");
        let found = changes(&root, Compared::Since(revision), |_| None).unwrap();
        assert!(found.diff.ends_with(&format!("\n-{old}\n+now\n")), "{revision}: {}", found.diff);
    }
    check_changes(
        "",
        Compared::Since("nowhere"),
        expect![[r#"
        error: git fails: fatal: bad revision 'nowhere'
    "#]],
    );
    check_changes(
        "",
        Compared::Since("--output=../out"),
        expect![[r#"
        error: git fails: fatal: bad revision '--output=../out'
    "#]],
    );
}

#[test]
fn what_is_staged_is_compared_with_the_last_commit() {
    check_changes(
        "echo 1 > a.txt; git add .; echo 2 > a.txt; echo 2 > b.txt",
        Compared::Staged,
        expect![[r#"
        a.txt
        diff --git a/a.txt b/a.txt
        @@ -1 +1 @@
        -one
        +1
    "#]],
    );
    check_changes(
        "rm -r .git in b.txt; git init -q; git add .",
        Compared::Staged,
        expect![[r#"
        a.txt
        diff --git a/a.txt b/a.txt
        new file mode 100644
        @@ -0,0 +1 @@
        +one
    "#]],
    );
    // A submodule's staged commit does not depend on it, and it is not checked for changes.
    let submodule = "git init -q sub; cd sub; echo 1 > d.txt; git add .; git commit -qm sub
        echo '*.txt filter=x' > .gitattributes; touch d.txt; git config filter.x.clean 'touch ../../ran; cat'
        cd ..; git update-index --add --cacheinfo 160000,0123456789012345678901234567890123456789,sub";
    check_changes(
        &format!("{submodule}; rm sub/.git/config; mkfifo sub/.git/config"),
        Compared::Staged,
        expect![[r#"
        sub
        diff --git a/sub b/sub
        new file mode 160000
        @@ -0,0 +1 @@
        +Subproject commit 0123456789012345678901234567890123456789
    "#]],
    );
    check_changes(
        &format!("{submodule}; echo 1 > a.txt"),
        Compared::Since("HEAD"),
        expect![[r#"
        a.txt
        diff --git a/a.txt b/a.txt
        @@ -1 +1 @@
        -one
        +1
    "#]],
    );
}

#[test]
fn only_what_may_be_shown_is_in_a_diff() {
    check_changes(
        "echo 1 > a.txt; echo 2 > private.txt; git add .",
        Compared::Since("HEAD"),
        expect![[r#"
        a.txt
        not private.txt: private
        diff --git a/a.txt b/a.txt
        @@ -1 +1 @@
        -one
        +1
    "#]],
    );
    // A file that became a folder is a prefix of the folder's paths.
    check_changes(
        "rm a.txt; mkdir a.txt; echo secret > a.txt/private.txt; git add .; echo 2 > b.txt",
        Compared::Since("HEAD"),
        expect![[r#"
        b.txt
        not a.txt/private.txt: private
        not a.txt: so is a file below it
        diff --git a/b.txt b/b.txt
        @@ -1 +1 @@
        -two
        +2
    "#]],
    );
    check_changes(
        "printf 'a\\377' > x; mv x \"$(cat x)\"; git add .",
        Compared::Since("HEAD"),
        expect![[r#"

        not a�: its name is not UTF-8
    "#]],
    );
    let filter = "echo '*.txt filter=x' > .gitattributes; echo 1 > a.txt; git add .gitattributes
        git config filter.x.clean 'touch ../ran; cat'";
    check_changes(
        filter,
        Compared::Since("HEAD"),
        expect![[r#"
        .gitattributes
        not a.txt: its filter `x` is not run
        diff --git a/.gitattributes b/.gitattributes
        new file mode 100644
        @@ -0,0 +1 @@
        +*.txt filter=x
    "#]],
    );
}

/// Puts a name that git would reject into an index.
const FORGED: &str = "
forge() {
    git update-index --add --cacheinfo \"100644,$(git hash-object -w a.txt),$1\"
    LC_ALL=C sed -i \"s|$1|$2|\" .git/index
}
git config index.skipHash true
";

#[test]
fn name_in_an_index_leads_nowhere_else() {
    let check = |script: &str, expect: Expect| {
        check_changes(&format!("{FORGED}{script}"), Compared::Since("HEAD"), expect)
    };
    check(
        "echo secret > ../outside.txt; forge xx/outside.txt ../outside.txt",
        expect![[r#"

        not ../outside.txt: it is no path of a project
    "#]],
    );
    check(
        "echo secret > ../outside.txt; forge in/xx/xx/outside.txt in/../../outside.txt",
        expect![[r#"

        not in/../../outside.txt: it is no path of a project
    "#]],
    );
    check(
        "forge xgit/config .git/config",
        expect![[r#"

        not .git/config: it is no path of a project
    "#]],
    );
    check(
        "mkdir ../other; echo secret > ../other/c.txt; rm -r in; ln -s ../other in",
        expect![[r#"
        in/c.txt
        diff --git a/in/c.txt b/in/c.txt
        deleted file mode 100644
        @@ -1 +0,0 @@
        -three
    "#]],
    );
}

#[test]
fn repository_that_leads_elsewhere_is_refused() {
    let private =
        "git init -q ../private; cd ../private; echo secret > a.txt; git add .; git commit -qm private
        cd ../project; echo 1 > a.txt;";
    for (script, expect) in [
        (
            "git config core.worktree ../../private",
            expect![[r#"
            error: `core.worktree` of the repository leads to …/project/.git/../../private, which is another folder
        "#]],
        ),
        (
            "git config extensions.worktreeConfig true; git config --worktree core.worktree ../../private",
            expect![[r#"
            error: `core.worktree` of the repository leads to …/project/.git/../../private, which is another folder
        "#]],
        ),
        (
            "rm -r .git; echo gitdir: ../private/.git > .git",
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        ),
        (
            "rm -r .git; ln -s ../private/.git .git",
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        ),
        (
            "echo ../../private/.git > .git/commondir",
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        ),
        (
            "echo ../../private/.git > .git/commondir; echo ../.git > .git/gitdir",
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        ),
        (
            "git -C ../private worktree add -q --detach ../tree; rm -r .git; cp ../tree/.git .git",
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        ),
        (
            "rm -r .git/refs; ln -s ../../private/.git/refs .git/refs",
            expect![[r#"
            error: …/project/.git/refs of the repository cannot be read: it is no regular file
        "#]],
        ),
        (
            "rm .git/index; ln -s ../../private/.git/index .git/index",
            expect![[r#"
            error: …/project/.git/index of the repository cannot be read: it is no regular file
        "#]],
        ),
        (
            "rm .git/HEAD",
            expect![[r#"
            error: …/project/.git/HEAD of the repository cannot be read: there is no such file
        "#]],
        ),
    ] {
        check_changes(&format!("{private}{script}"), Compared::Since("HEAD"), expect);
    }
    // Objects that are compared with files are not shown, and may be anywhere.
    let borrowed = "echo ../../../private/.git/objects > .git/objects/info/alternates";
    check(
        &format!("{private}{borrowed}"),
        ALL,
        expect![[r#"
        a.txt
    "#]],
    );
    check_changes(
        &format!("{private}{borrowed}"),
        Compared::Staged,
        expect![[r#"
        error: …/project/.git/objects/info/alternates leads to objects of another repository; `git repack -ad` and its removal leave this one its own
    "#]],
    );
    check_changes(
        &format!(
            "{private} rm -r .git/objects/pack; ln -s ../../../private/.git/objects/pack .git/objects/pack"
        ),
        Compared::Staged,
        expect![[r#"
        error: …/project/.git/objects/pack leads to objects of another repository; `git repack -ad` and its removal leave this one its own
    "#]],
    );
}

#[test]
fn repository_that_leads_back_is_read() {
    for script in [
        "git init -q --separate-git-dir ../kept; git config core.worktree ../project",
        "mv .git .bare; echo gitdir: ./.bare > .git",
        "git config core.worktree ..",
        "mv ../project ../first; git -C ../first worktree add -q ../project -b work; cd ../project",
        "mv ../project ../first; git -C ../first worktree add -q ../project -b work; cd ../project
        git config extensions.worktreeConfig true; git config --worktree core.sparseCheckout false",
    ] {
        check(
            &format!("{script}; echo 1 > a.txt"),
            ALL,
            expect![[r#"
            a.txt
        "#]],
        );
    }
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let names =
        ["HEAD", "index", "config", "packed-refs", "commondir", "info/attributes", "refs/heads/x", "shallow"];
    for name in names {
        for kind in ["mkfifo", "ln -s /dev/zero"] {
            let (folder, _) =
                made(&format!("{COMMITTED}mkdir -p .git/info; rm -f .git/{name}; {kind} .git/{name}"));
            let root = folder.path().join("project");
            let errors = [
                changes(&root, Compared::Staged, |_| None).unwrap_err(),
                uncommitted(&root, &["a.txt"]).unwrap_err(),
            ];
            for error in errors {
                let expected = format!(".git/{name} of the repository cannot be read: it is no regular file");
                assert!(error.to_string().ends_with(&expected), "{kind}: {error}");
            }
        }
    }
}

/// git as run in `project`, with a time limit.
fn program(folder: &TempDir, limit: Duration) -> Program {
    let root = folder.path().canonicalize().unwrap().join("project");
    Program {
        git_folder: root.join(".git"),
        objects: root.join(".git/objects"),
        work_tree: root,
        home: Some(folder.path().to_owned()),
        deadline: Instant::now() + limit,
    }
}

#[test]
fn git_that_prints_too_much_is_killed() {
    let script = |bytes| format!("{COMMITTED} head -c {bytes} /dev/zero > a.txt; git hash-object -w a.txt");
    for (bytes, is_read) in [(MOST_BYTES, true), (MOST_BYTES + 1, false)] {
        let (folder, id) = made(&script(bytes));
        let printed = program(&folder, LIMIT).run(&["cat-file", "blob", id.trim()], &[]);
        let printed = printed.map(|it| it.len() as u64).map_err(|error| error.to_string());
        let expected = if is_read { Ok(bytes) } else { Err(GitError::TooLong(MOST_BYTES).to_string()) };
        assert_eq!(printed, expected);
    }
}

#[test]
fn git_that_does_not_end_is_killed() {
    let (folder, _) = made(&format!("{COMMITTED} mkfifo .gitattributes; touch -d 2001-01-01 a.txt"));
    let program = program(&folder, Duration::from_millis(200));
    let outcome = program.run(&["status"], &[]);
    assert!(matches!(outcome, Err(GitError::Slow(_))), "{outcome:?}");
    // Opening the pipe for writing succeeds only if a process waits to read; none is left.
    let pipe = program.work_tree.join(".gitattributes");
    let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::NONBLOCK;
    let until = Instant::now() + Duration::from_secs(60);
    while rustix::fs::open(&pipe, flags, rustix::fs::Mode::empty()).is_ok() {
        assert!(Instant::now() < until, "git still reads");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(fs::metadata(&pipe).is_ok());
}
