//! `tandem plan`, as a user runs it: a project, models that answer from a script, the output, and the resulting
//! files.

#[cfg(unix)]
mod acp;
mod bad_input;
mod candidates;
mod correcting;
mod editor;
mod fixture;
mod jobs;
mod left_out;
mod meanwhile;
#[cfg(unix)]
mod repository;

use expect_test::{expect, expect_file};

use fixture::Fixture;

const EIGHT: &str = include_str!("plan/eight_files.txt");

#[tokio::test(flavor = "multi_thread")]
async fn eight_files_are_shown_and_not_touched() {
    let fixture = Fixture::new(EIGHT).await;
    let shown = fixture.run(&["prices with tax"]).await;
    expect_file!["plan/eight_files.out"].assert_eq(&shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_files_are_written_at_once() {
    let fixture = Fixture::new(EIGHT).await;
    let shown = fixture.run(&["prices with tax", "--write"]).await;
    expect_file!["plan/eight_files_written.out"].assert_eq(&shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn report_for_programs_contains_plan_and_diff() {
    let fixture = Fixture::new(EIGHT).await;
    let (report, _) = fixture.report(&["prices with tax", "--json"]).await;
    let list = |name: &str, key: &str| {
        let values = report[name].as_array().unwrap().iter();
        values.map(|it| it[key].as_str().unwrap_or("-").to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(report["status"], "done");
    assert_eq!(report["plan"]["steps"].as_array().unwrap().len(), 8);
    assert_eq!(list("steps", "status"), "done done done done done done done done");
    assert_eq!(list("steps", "gear"), "deep fast fast fast fast local fast fast");
    assert_eq!(
        list("files", "operation"),
        "edit edit create delete edit edit create delete edit",
        "{}",
        report["files"]
    );
    assert_eq!(report["gears"]["fast"]["requests"], 6);
    assert_eq!(report["gears"]["deep"]["requests"], 2);
    assert_eq!(report["findings"], serde_json::json!([]));
    assert!(report["diff"].as_str().unwrap().contains("+    return with_tax(PRICES[item])"));
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_is_shown_changed_and_carried_out() {
    let fixture = Fixture::new(EIGHT).await;
    let shown = fixture.run(&["prices with tax", "--show"]).await;
    let plan = shown.split_once("# prices with tax\n").unwrap().1.split("\nstderr:").next().unwrap();
    assert!(plan.contains("6. delete `shop/old_discount.py`\n   gear: local (needs no model)\n"), "{plan}");
    let only_last = plan.split_once("\n8. ").unwrap().1;
    fixture.write("../plan.md", &format!("> mine\n# only the page\n\n8. {only_last}"));
    fixture
        .check(
            &["--plan", "../plan.md", "--write"],
            expect![[r#"
        exit 0
        --- a/README.md
        +++ b/README.md
        @@ -1,3 +1,3 @@
         # Shop
        ␣
        -Prices are in cents.
        +Prices are in cents, with tax.
        stderr:
        tandem: the plan:

        # only the page

        8. edit `README.md`
           gear: fast (one file, quick to check)

           Say that tax is included.

        tandem: 1 file, 1 line added, 1 removed
        tandem: fast: 1 requests, …
        tandem: … s
        tandem: 1 file written
        README.md is now:
        # Shop

        Prices are in cents, with tax.
    "#]],
        )
        .await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn plan_is_changed_in_an_editor() {
    let fixture = Fixture::new(EIGHT).await;
    let editor = "sed -i -e '/^[1-7]\\. /,/^8\\. /{/^8\\. /!d}'";
    fixture
        .check_with(
            &["prices with tax", "--edit"],
            &[("EDITOR", editor)],
            expect![[r#"
        exit 0
        --- a/README.md
        +++ b/README.md
        @@ -1,3 +1,3 @@
         # Shop
        ␣
        -Prices are in cents.
        +Prices are in cents, with tax.
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: the plan:

        # prices with tax

        8. edit `README.md`
           gear: fast (one file, quick to check)

           Say that tax is included.

        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 1 requests, …
        tandem: fast: 1 requests, …
        tandem: … s
    "#]],
        )
        .await;
    let emptied = [("EDITOR", "sed -i -e d")];
    fixture
        .check_with(
            &["prices with tax", "--edit", "--write"],
            &emptied,
            expect![[r#"
        exit 0
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: the plan is empty; nothing was done
    "#]],
        )
        .await;
}

/// The plan has cost a model's tokens, and the user's work.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn plan_is_kept_where_the_editor_or_what_it_saved_fails() {
    let fixture = Fixture::new(EIGHT).await;
    for (editor, why) in [
        ("no-such-editor", "cannot run no-such-editor: there is no such file or folder"),
        ("false", "false failed (exit status: 1); nothing was done"),
        ("sed -i -e s/README.md/none.md/", "none.md"),
    ] {
        let mut command = fixture.command(&["prices with tax", "--edit"]);
        command.env("VISUAL", " ").env("EDITOR", editor);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(why), "{said}");
        let path = said.split_once("the plan is kept in ").unwrap().1.split_once(", and").unwrap().0;
        assert!(std::fs::read_to_string(path).unwrap().contains("# prices with tax"), "{said}");
        std::fs::remove_file(path).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uncommitted_changes_are_not_written_over() {
    let fixture = Fixture::new(
        "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n\
         //= deep: You plan\n```\n1. edit `a.py`: count from zero\n```\n\
         //= fast: The file: a.py\n```python\none = 0\nsame = 1\n```\n",
    )
    .await;
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t"],
    ] {
        fixture.git(arguments);
    }
    fixture.write("b.py", "two = 22\nsame = 1\n");
    fixture.write("a.py", "one = 11\nsame = 1\n");
    fixture
        .check(
            &["x", "--write"],
            expect![[r#"
        exit 3
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: the plan:

        # x

        1. edit `a.py`
           gear: fast (one file, quick to check)

           count from zero

        tandem: uncommitted changes in a.py; commit them, or write all the same with --allow-dirty; the plan is kept in PLAN, and `tandem plan --plan PLAN` carries it out
    "#]],
        )
        .await;
    fixture
        .check(
            &["x", "--write", "--allow-dirty"],
            expect![[r#"
        exit 0
        --- a/a.py
        +++ b/a.py
        @@ -1,2 +1,2 @@
        -one = 11
        +one = 0
         same = 1
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: the plan:

        # x

        1. edit `a.py`
           gear: fast (one file, quick to check)

           count from zero

        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 1 requests, …
        tandem: fast: 1 requests, …
        tandem: … s
        tandem: 1 file written
        a.py is now:
        one = 0
        same = 1
    "#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn step_that_drifts_is_asked_again_and_then_of_the_deep_gear() {
    let drift = "*** Begin Patch\n*** Update File: b.py\n@@\n-two = 2\n+two = 3\n*** End Patch\n";
    let files = "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n//= deep: You plan\n```\n1. edit `a.py`: count from zero\n```\n";
    let good = "```python\none = 0\nsame = 1\n```\n";
    let again = format!("{files}//= fast: <|because|>\n{good}//= fast: The file: a.py\n{drift}");
    Fixture::new(&again)
        .await
        .check_said(
            &["x"],
            expect![[r#"
        exit 0
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 1 requests, …
        tandem: fast: 2 requests, …
        tandem: … s
    "#]],
        )
        .await;
    let deep = format!("{files}//= fast: The file: a.py\n{drift}//= deep: The file: a.py\n{good}");
    Fixture::new(&deep)
        .await
        .check_said(
            &["x"],
            expect![[r#"
        exit 0
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 2 requests, …
        tandem: fast: 2 requests, …
        tandem: … s
    "#]],
        )
        .await;
    let (report, _) = Fixture::new(&deep).await.report(&["x", "--json"]).await;
    assert_eq!(report["steps"][0]["gear"], "deep");
    let tried = report["steps"][0]["unusable"].as_array().unwrap();
    assert_eq!(tried.len(), 2);
    assert_eq!(tried[0]["why"], "the reply is for another file, `b.py`");
}

#[tokio::test(flavor = "multi_thread")]
async fn step_that_fails_stops_those_behind_it_alone_and_the_writing() {
    let fixture = Fixture::new(
        "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\nsame = 1\n//- c.py\nthree = 3\nsame = 1\n\
         //= deep: You plan\n```\n1. edit `a.py`: count\n2. edit `b.py`: count\n   after: 1\n3. edit `c.py`: count\n```\n\
         //= fast: The file: a.py\nI would rather not.\n\
         //= deep: The file: a.py\n```python\none = (0\nsame = 1\n```\n\
         //= fast: The file: c.py\n```python\nthree = 2\nsame = 1\n```\n",
    )
    .await;
    fixture
        .check(
            &["x", "--write"],
            expect![[r#"
        exit 1
        --- a/c.py
        +++ b/c.py
        @@ -1,2 +1,2 @@
        -three = 3
        +three = 2
         same = 1
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: the plan:

        # x

        1. edit `a.py`
           gear: fast (one file, quick to check)

           count

        2. edit `b.py`
           gear: fast (one file, quick to check)
           after: 1

           count

        3. edit `c.py`
           gear: fast (one file, quick to check)

           count

        tandem: step 1, edit a.py: fast: the reply is prose, not code
        tandem: step 1, edit a.py: fast: the reply is prose, not code
        tandem: step 1, edit a.py failed: deep: the result would have 1 syntax error where there were 0
        tandem: step 2, edit b.py was not begun: it comes after step 1
        tandem: 1 file, 1 line added, 1 removed
        tandem: deep: 2 requests, …
        tandem: fast: 3 requests, …
        tandem: … s
        tandem: nothing was written, since not all steps are done; change the plan, or try again; --edit opens the plan in your editor before it is run
    "#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_patch_of_the_deep_gear_is_the_change() {
    let fixture = Fixture::new(
        "//- a.py\none = 1\nsame = 1\n//- b.py\nfrom a import one\n\
         //= deep: You plan\n*** Begin Patch\n*** Update File: b.py\n@@\n-from a import one\n+from c import one\n\
         *** Update File: a.py\n*** Move to: c.py\n@@\n-one = 1\n+one = 0\n*** End Patch\n",
    )
    .await;
    fixture
        .check(
            &["x", "--write"],
            expect![[r#"
        exit 0
        --- a/a.py
        +++ /dev/null
        @@ -1,2 +0,0 @@
        -one = 1
        -same = 1
        --- a/b.py
        +++ b/b.py
        @@ -1 +1 @@
        -from a import one
        +from c import one
        --- /dev/null
        +++ b/c.py
        @@ -0,0 +1,2 @@
        +one = 0
        +same = 1
        stderr:
        tandem: planned by deep-model (deep: it plans for several files)
        tandem: 2 files, 3 lines added, 3 removed
        tandem: deep: 1 requests, …
        tandem: … s
        tandem: 2 files written
        a.py is gone
        b.py is now:
        from c import one
        c.py is now:
        one = 0
        same = 1
    "#]],
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_the_changes_together_is_said() {
    let fixture = Fixture::new(
        "//- shop/__init__.py\n//- shop/price.py\ndef price_of(item):\n    return 1\n\
         //- shop/cart.py\nfrom shop.price import price_of\n\n\ndef total():\n    return price_of(2)\n\
         //= deep: You plan\n```\n1. edit `shop/price.py`: ask for the day\n```\n\
         //= fast: The file: shop/price.py\n```python\ndef price_of(item, day):\n    return day\n```\n",
    )
    .await;
    fixture
        .check(
            &["x"],
            expect![[r#"
                exit 1
                --- a/shop/price.py
                +++ b/shop/price.py
                @@ -1,2 +1,2 @@
                -def price_of(item):
                -    return 1
                +def price_of(item, day):
                +    return day
                stderr:
                tandem: planned by deep-model (deep: it plans for several files)
                tandem: the plan:

                # x

                1. edit `shop/price.py`
                   gear: fast (one file, quick to check)

                   ask for the day

                tandem: check: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
                tandem: note: the findings could not be corrected: the answer has neither a plan nor a patch: `This is the simulator of Tandem, and there is no model behind it. It continues lines by analogy with the text around the…`
                tandem: 1 file, 2 lines added, 2 removed
                tandem: deep: 2 requests, …
                tandem: fast: 1 requests, …
                tandem: … s
                tandem: the check failed; --write writes this only with --allow-failed-check
            "#]],
        )
        .await;
}

/// Thirteen files, whose last step depends on the first.
fn thirteen() -> String {
    let files: String = (1..=13).map(|n| format!("//- f{n}.py\na = {n}\nsame = 1\n")).collect();
    let steps: String = (1..=13).map(|n| format!("{n}. edit `f{n}.py`: make it zero\n")).collect();
    let replies: String =
        (1..=13).map(|n| format!("//= fast: The file: f{n}.py\n```python\na = 0\nsame = 1\n```\n")).collect();
    format!("{files}//= deep: You plan\n```\n{steps}```\n{replies}")
}

#[tokio::test(flavor = "multi_thread")]
async fn long_plan_is_looked_at_between_its_stages() {
    let keeps = format!("{}//= deep: You look at how far\nKEEP\n", thirteen());
    let (report, _) = Fixture::new(&keeps).await.report(&["x", "--json"]).await;
    assert_eq!((&report["status"], report["steps"].as_array().unwrap().len()), (&"done".into(), 13));
    assert_eq!(report["gears"]["deep"]["requests"], 2);
    let revised = format!(
        "{}//= deep: You look at how far\n```\n13. edit `f13.py`: make it zero\n14. delete `f12.py`\n```\n",
        thirteen()
    );
    let (report, _) = Fixture::new(&revised).await.report(&["x", "--json"]).await;
    assert_eq!(report["notes"], serde_json::json!(["the rest of the plan was revised after a stage"]));
    let steps = report["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 9, "{steps:?}");
    assert_eq!(report["files"].as_array().unwrap().len(), 9);
    let twice = format!("{}//= deep: You look at how far\n```\n20. edit `f1.py`: again\n```\n", thirteen());
    let (report, _) = Fixture::new(&twice).await.report(&["x", "--json"]).await;
    assert_eq!(report["steps"].as_array().unwrap().len(), 13);
    let note = report["notes"][0].as_str().unwrap();
    assert!(
        note.starts_with("a revision of the plan could not be used: steps 1, 20 want the same path"),
        "{note}"
    );
}
