//! What is compared, and what may be shown of it.

use super::*;

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
