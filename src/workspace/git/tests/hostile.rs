//! Repositories that lead elsewhere, and names that git would reject.

use super::*;

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
    for script in [
        "rm -r .git; echo gitdir: ../private/.git > .git",
        "rm -r .git; ln -s ../private/.git .git",
        "echo ../../private/.git > .git/commondir",
        "echo ../../private/.git > .git/commondir; echo ../.git > .git/gitdir",
        "git -C ../private worktree add -q --detach ../tree; rm -r .git; cp ../tree/.git .git",
    ] {
        check_changes(
            &format!("{private}{script}"),
            Compared::Since("HEAD"),
            expect![[r#"
            error: `.git` leads to …/private/.git, which does not lead back; `git worktree repair` or `core.worktree` mends that
        "#]],
        );
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
