//! Plans that cannot be carried out, and models that ignore their instructions: each is reported, and no file is
//! written.

use std::fs;

use expect_test::{Expect, expect};

use super::fixture::Fixture;

/// A project of two files whose deep model answers every request for a plan with `plan`.
async fn project(plan: &str) -> Fixture {
    let fixture = Fixture::new(&format!(
        "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n//- .env\nKEY=x\n//= deep: You plan\n{plan}\n"
    ))
    .await;
    fs::create_dir_all(fixture.root().join(".git/hooks")).unwrap();
    fixture
}

/// Checks the outcome of a plan that should be written.
async fn check(plan: &str, expect: Expect) {
    project(plan).await.check(&["x", "--write", "--allow-dirty"], expect).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_that_reaches_where_nothing_may_change_is_refused() {
    check("1. create `../out.py`: x\n2. edit `/etc/passwd`: x", expect![[r#"
        exit 3
        stderr:
        tandem: step 1: the path `../out.py` leads out of the workspace; step 2: the path `/etc/passwd` leads out of the workspace
    "#]]).await;
    check("1. create `.git/hooks/pre-commit`: x\n2. edit `.env`: x", expect![[r#"
        exit 3
        stderr:
        tandem: step 1: `.git/hooks/pre-commit` is not changed: it belongs to version control; step 2: `.env` is not changed: files called `.env` hold secrets
    "#]]).await;
    check("1. create `.GIT/hooks/x`: x\n2. create `A.py`: x", expect![[r#"
        exit 3
        stderr:
        tandem: step 1: `.GIT/hooks/x` is not changed: it belongs to version control; step 2: the reply would make `A.py` beside `a.py`, which differs in case alone, where an edit was asked for
    "#]]).await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn plan_that_reaches_out_through_a_link_is_refused() {
    let fixture = project("1. edit `link/x.py`: x\n2. edit `same.py`: x\n3. edit `a.py`: x").await;
    fs::create_dir(fixture.root().join("../outside")).unwrap();
    fixture.write("../outside/x.py", "x = 1\n");
    std::os::unix::fs::symlink("../outside", fixture.root().join("link")).unwrap();
    std::os::unix::fs::symlink("a.py", fixture.root().join("same.py")).unwrap();
    fixture.check(&["x", "--write", "--allow-dirty"], expect![[r#"
        exit 3
        stderr:
        tandem: step 1: the path `link/x.py` leads out of the workspace; step 3: the reply cannot be read: `same.py` and `a.py` are the same file
    "#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_that_does_not_fit_the_files_is_refused() {
    check("1. edit `gone.py`: x\n2. create `a.py`: x\n3. rename `b.py` to `.env`", expect![[r#"
        exit 3
        stderr:
        tandem: step 1: there is no file `gone.py`; step 2: `a.py` is there already; step 3: `.env` is not changed: files called `.env` hold secrets
    "#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_that_contradicts_itself_is_refused() {
    check("1. edit `a.py`: x\n2. delete `a.py`\n3. edit `b.py`: x\n   after: 9", expect![[r#"
        exit 3
        stderr:
        tandem: step 3 comes after step 9, which is not in the plan; steps 1, 2 want the same path, `a.py`; a file has one step
    "#]]).await;
    check(
        "1. edit `a.py`: x\n   after: 2\n2. edit `b.py`: x\n   after: 1",
        expect![[r#"
        exit 3
        stderr:
        tandem: steps 2, 1 wait for each other
    "#]],
    )
    .await;
    let many: String = (1..=500).map(|n| format!("{n}. create `f{n}.py`: x\n")).collect();
    check(
        &many,
        expect![[r#"
        exit 3
        stderr:
        tandem: the plan has 500 steps, and 60 are allowed; ask for less at a time
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_that_is_no_plan_is_refused() {
    check(
        "I cannot do that. Shall I look at the files first?",
        expect![[r#"
            exit 1
            stderr:
            tandem: the answer has neither a plan nor a patch: `I cannot do that. Shall I look at the files first?`
        "#]],
    )
    .await;
    check(
        r#"{"name": "read_file", "arguments": {"path": "a.py"}}"#,
        expect![[r#"
            exit 1
            stderr:
            tandem: the answer has neither a plan nor a patch: `{"name": "read_file", "arguments": {"path": "a.py"}}`
        "#]],
    )
    .await;
    check(
        "*** Begin Patch\n*** End Patch\n",
        expect![[r#"
        exit 1
        stderr:
        tandem: the answer has neither a plan nor a patch: `*** Begin Patch *** End Patch`
    "#]],
    )
    .await;
    check(
        "{}",
        expect![[r#"
        exit 1
        stderr:
        tandem: the answer has neither a plan nor a patch: `{}`
    "#]],
    )
    .await;
    check(
        "NO_EDITS",
        expect![[r#"
        exit 0
        stderr:
        tandem: the model left the code as it is
    "#]],
    )
    .await;
    check(
        "```\n1. edit `a.py`: x\n",
        expect![[r#"
        exit 3
        stderr:
        tandem: the plan was cut off
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_plan_is_asked_for_again_with_the_reason() {
    let fixture = Fixture::new(
        "//- a.py\none = 1\nsame = 1\n\
         //= deep: there is no file `gone.py`\n```\n1. edit `a.py`: count from zero\n```\n\
         //= deep: You plan\n```\n1. edit `gone.py`: count from zero\n```\n\
         //= fast: The file: a.py\n```python\none = 0\nsame = 1\n```\n",
    )
    .await;
    fixture
        .check_said(
            &["x"],
            expect![[r#"
        exit 0
        tandem: note: the first plan could not be used: step 1: there is no file `gone.py`
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 2 requests, …
        tandem: fast: 1 requests, …
        tandem: … s
    "#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_of_the_user_is_refused_with_its_line() {
    let fixture = project("").await;
    let mut shown = String::new();
    for plan in ["1. edit a.py\nand more\n", "1. edit `gone.py`: x\n", "1. edit `../x`: x\n", "# nothing\n"] {
        fixture.write("../plan.md", plan);
        shown.push_str(&fixture.run(&["--plan", "../plan.md"]).await);
    }
    expect![[r#"
        exit 2
        stderr:
        tandem: ../plan.md: line 2: it belongs to no step; indent it below one, or put `>` before it
        exit 2
        stderr:
        tandem: step 1: there is no file `gone.py`
        exit 3
        stderr:
        tandem: step 1: the path `../x` leads out of the workspace
        exit 2
        stderr:
        tandem: the plan has no steps
    "#]]
    .assert_eq(&shown);
    assert_eq!(fixture.requests(), 0, "no model is asked for a plan that cannot be carried out");
}

#[tokio::test(flavor = "multi_thread")]
async fn fast_gear_plans_if_the_deep_one_is_down_and_that_is_said() {
    let fixture = Fixture::new(
        "//- a.py\none = 1\nsame = 1\n//! deep, server-error: You plan\n\
         //= fast: You plan\n```\n1. edit `a.py`: count from zero\n```\n\
         //= fast: The file: a.py\n```python\none = 0\nsame = 1\n```\n",
    )
    .await;
    fixture.check_said(&["x"], expect![[r#"
        exit 0
        tandem: note: the fast model makes the plan, since the deep one does not answer: deeper refused: Something went wrong. (server_error)
        tandem: planned by fast-model (fast: you asked for it)
        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 1 requests, …
        tandem: fast: 2 requests, …
        tandem: … s
    "#]]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn budget_that_is_reached_in_the_middle_is_said() {
    let text = "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n\
         //= deep: You plan\n```\n1. edit `a.py`: count\n2. edit `b.py`: count\n   after: 1\n```\n\
         //= fast: The file: a.py\n```python\none = 0\nsame = 1\n```\n";
    let fixture = Fixture::with_settings(text, "[budget]\nsession_tokens = 100\n").await;
    let (report, code) = fixture.report(&["x", "--write", "--json"]).await;
    assert_eq!((code, report["status"].as_str()), (1, Some("incomplete")));
    let stopped = report["stopped"].as_str().unwrap();
    assert!(stopped.starts_with("`budget.session_tokens` is reached"), "{stopped}");
    assert_eq!(report["steps"][1]["status"], "not-begun");
    assert_eq!(fixture.contents()["a.py"], "one = 1\nsame = 1\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn ignored_file_is_shown_to_no_model() {
    let fixture = Fixture::new(
        "//- .gitignore\nlocal.py\n//- local.py\nmine = 1\n//= deep: You plan\n```\n1. edit `local.py`: x\n```\n",
    )
    .await;
    fs::create_dir(fixture.root().join(".git")).unwrap();
    fixture
        .check(
            &["x"],
            expect![[r#"
                exit 1
                stderr:
                tandem: planned by deep-model (deep: it plans for several files)
                tandem: the plan:

                # x

                1. edit `local.py`
                   gear: fast (one file, quick to check)

                   x

                tandem: step 1, edit local.py failed: fast: no model is shown this file: `.gitignore` has `local.py`
                tandem: nothing changes
                tandem: deep: 1 requests, …
                tandem: … s
                tandem: not all steps are done; change the plan, or try again; --edit opens the plan in your editor before it is run
            "#]],
        )
        .await;
}
