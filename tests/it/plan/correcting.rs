//! Problems of a change are sent back to the model before the change is shown: findings in the files, and the output
//! of the user's command in a copy.

use expect_test::{Expect, expect};

use super::fixture::Fixture;

/// Two files, of which the plan changes only the called one.
const SHOP: &str = "//- shop/__init__.py\n\
    //- shop/price.py\nPRICES = [1, 2, 3]\n\n\ndef price_of(item):\n    return PRICES[item]\n\n\ndef known():\n    return 3\n\
    //- shop/cart.py\nfrom shop.price import price_of\n\n\ndef total():\n    return price_of(2)\n\
    //= deep: You plan\n```\n1. edit `shop/price.py`: ask for the day\n```\n\
    //= fast: The file: shop/price.py\n<<<<<<< SEARCH\ndef price_of(item):\n=======\ndef price_of(item, day):\n>>>>>>> REPLACE\n";

/// The outcome of a run: its status and whether it wrote, findings, the verification, notes, and the resulting files.
async fn outcome(fixture: &Fixture, options: &[&str]) -> String {
    let before = fixture.contents();
    let (report, code) = fixture.report(&[&["x", "--json", "--write", "--verify"], options].concat()).await;
    let written = if fixture.contents() == before { "nothing written" } else { "written" };
    let mut shown = format!("{}, exit {code}, {written}\n", report["status"].as_str().unwrap());
    for finding in report["findings"].as_array().unwrap() {
        shown.push_str(&format!(
            "finding: {}:{}: {}\n",
            finding["path"].as_str().unwrap(),
            finding["line"],
            finding["message"].as_str().unwrap()
        ));
    }
    if let Some(message) = report["verification"]["message"].as_str() {
        shown.push_str(&format!("verification: {message}\n"));
    }
    for note in report["notes"].as_array().unwrap() {
        shown.push_str(&format!("note: {}\n", note.as_str().unwrap()));
    }
    for file in report["files"].as_array().unwrap() {
        shown.push_str(&format!(
            "{} {}\n",
            file["operation"].as_str().unwrap(),
            file["path"].as_str().unwrap()
        ));
    }
    shown.push_str(&format!("deep {}\n", report["gears"]["deep"]["requests"]));
    shown
}

async fn check(text: &str, settings: &str, expect: Expect) -> Fixture {
    let fixture = Fixture::with_settings(text, settings).await;
    expect.assert_eq(&outcome(&fixture, &[]).await);
    fixture
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_that_was_left_is_corrected_in_another_file() {
    let text = format!(
        "{SHOP}//= deep: You correct\n```\n1. edit `shop/cart.py`: give the day to `price_of`\n```\n\
         //= fast: The file: shop/cart.py\n<<<<<<< SEARCH\n    return price_of(2)\n=======\n    return price_of(2, 0)\n>>>>>>> REPLACE\n"
    );
    check(
        &text,
        "",
        expect![[r#"
            done, exit 0, written
            note: the change was corrected, since something was wrong with the files
            edit shop/cart.py
            edit shop/price.py
            deep 2
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patch_corrects_a_file_that_was_changed_before() {
    let text = format!(
        "{SHOP}//= deep: You correct\n*** Begin Patch\n*** Update File: shop/price.py\n@@\n-def price_of(item, day):\n\
         +def price_of(item):\n@@\n-    return 3\n+    return 4\n*** End Patch\n"
    );
    check(
        &text,
        "",
        expect![[r#"
            done, exit 0, written
            note: the change was corrected, since something was wrong with the files
            edit shop/price.py
            deep 2
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_corrected_is_reported() {
    let kept = format!("{SHOP}//= deep: You correct\nKEEP\n");
    check(
        &kept,
        "",
        expect![[r#"
            check-failed, exit 1, nothing written
            finding: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
            edit shop/price.py
            deep 2
        "#]],
    )
    .await;
    let talk = format!("{SHOP}//= deep: You correct\nI would rather not.\n");
    check(
        &talk,
        "",
        expect![[r#"
            check-failed, exit 1, nothing written
            finding: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
            note: the findings could not be corrected: the answer has neither a plan nor a patch: `I would rather not.`
            edit shop/price.py
            deep 2
        "#]],
    )
    .await;
    let worse = format!(
        "{SHOP}//- shop/more.py\nfrom shop.price import known\n\n\ndef more():\n    return known()\n\
         //= deep: You correct\n```\n1. edit `shop/price.py`: leave `known` out\n```\n\
         //= fast: def price_of(item, day):\n<<<<<<< SEARCH\ndef known():\n    return 3\n=======\n>>>>>>> REPLACE\n"
    );
    // The first match counts, and the first step's file has no day yet.
    let worse = worse.replacen("//= fast: The file: shop/price.py", "//= fast: ask for the day", 1);
    let fixture = check(
        &worse,
        "",
        expect![[r#"
            check-failed, exit 1, nothing written
            finding: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
            note: a correction was let go, since more was wrong with it
            edit shop/price.py
            deep 2
        "#]],
    )
    .await;
    assert!(fixture.contents()["shop/price.py"].contains("def known()"));
}

/// One file and a command. The plan sets `one` to 5, and the correction to 0.
fn counting(script: &str, timeout: &str) -> (String, String) {
    let text = "//- a.py\none = 1\nsame = 1\n//- b.py\ntwo = 2\n\
        //= deep: You plan\n```\n1. edit `a.py`: count\n```\n\
        //= deep: You correct\n```\n1. edit `a.py`: set one to zero\n```\n\
        //= fast: set one to zero\n<<<<<<< SEARCH\none = 5\n=======\none = 0\n>>>>>>> REPLACE\n\
        //= fast: The file: a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 5\n>>>>>>> REPLACE\n";
    (text.to_owned(), format!("[verify]\ncommand = [\"sh\", \"-c\", '''{script}''']\n{timeout}\n"))
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn failure_of_the_command_goes_back_until_it_passes() {
    let (text, settings) =
        counting("grep -q 'one = 0' a.py || { echo 'a.py:1: one must be zero'; exit 1; }", "");
    let fixture = check(&text, &settings, expect![[r#"
        done, exit 0, written
        verification: `sh -c "grep -q 'one = 0' a.py || { echo 'a.py:1: one must be zero'; exit 1; }"` passes
        note: the change was corrected, since `sh -c "grep -q 'one = 0' a.py || { echo 'a.py:1: one must be zero'; exit 1; }"` failed
        edit a.py
        deep 2
    "#]]).await;
    assert_eq!(fixture.contents()["a.py"], "one = 0\nsame = 1\n");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn command_that_goes_on_failing_is_said_after_two_rounds() {
    let (text, settings) = counting("echo always wrong; exit 1", "");
    let text = text.replace("one = 5\n=======\none = 0", "one =\n=======\none =").replace(
        "//= fast: set one to zero\n<<<<<<< SEARCH\none =\n=======\none =\n>>>>>>> REPLACE\n",
        "//= fast: one = 6\n<<<<<<< SEARCH\none = 6\n=======\none = 7\n>>>>>>> REPLACE\n\
         //= fast: one = 5\n<<<<<<< SEARCH\none = 5\n=======\none = 6\n>>>>>>> REPLACE\n",
    );
    let fixture = check(
        &text,
        &settings,
        expect![[r#"
            check-failed, exit 1, nothing written
            verification: `sh -c 'echo always wrong; exit 1'` fails (exit status: 1): always wrong
            note: the change was corrected, since `sh -c 'echo always wrong; exit 1'` failed
            note: the change was corrected, since `sh -c 'echo always wrong; exit 1'` failed
            edit a.py
            deep 3
        "#]],
    )
    .await;
    assert_eq!(fixture.contents()["a.py"], "one = 1\nsame = 1\n");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn command_that_hangs_is_said() {
    let (text, settings) = counting("echo begun; sleep 3600", "timeout_seconds = 1");
    let text = text.replace("```\n1. edit `a.py`: set one to zero\n```\n", "KEEP\n");
    check(
        &text,
        &settings,
        expect![[r#"
            check-failed, exit 1, nothing written
            verification: `sh -c 'echo begun; sleep 3600'` did not end within 1 s
            edit a.py
            deep 2
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn command_that_cannot_be_run_vouches_for_nothing() {
    let (text, _) = counting("", "");
    check(
        &text,
        "[verify]\ncommand = \"no-such-program\"\n",
        expect![[r#"
            check-failed, exit 1, nothing written
            verification: `no-such-program` was not run: `verify.command` names `no-such-program`, and there is no such program
            edit a.py
            deep 1
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_check_is_written_on_demand_alone() {
    let text = format!("{SHOP}//= deep: You correct\nKEEP\n");
    let fixture = Fixture::new(&text).await;
    let end = |shown: String| shown.lines().filter(|it| it.contains("check")).collect::<Vec<_>>().join("\n");
    expect![[r#"
           gear: fast (one file, quick to check)
        tandem: check: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
        tandem: the check failed; --write writes this only with --allow-failed-check"#]]
    .assert_eq(&end(fixture.run(&["x"]).await));
    expect![[r#"
           gear: fast (one file, quick to check)
        tandem: check: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
        tandem: nothing was written, since the check failed; change the plan, or write all the same with --allow-failed-check"#]].assert_eq(&end(fixture.run(&["x", "--write"]).await));
    expect![[r#"
        check-failed, exit 0, written
        finding: shop/cart.py:5: it still uses `price_of` in the old way; it is now `def price_of(item, day):`
        edit shop/price.py
        deep 2
    "#]]
    .assert_eq(&outcome(&fixture, &["--allow-failed-check"]).await);
    assert!(fixture.contents()["shop/price.py"].contains("price_of(item, day)"));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn command_that_changes_its_copy_changes_nothing_else() {
    let (text, settings) = counting("echo mine > a.py; rm b.py; mkdir new; touch new/c.py", "");
    let fixture = check(
        &text,
        &settings,
        expect![[r#"
            done, exit 0, written
            verification: `sh -c 'echo mine > a.py; rm b.py; mkdir new; touch new/c.py'` passes
            edit a.py
            deep 1
        "#]],
    )
    .await;
    let contents = fixture.contents();
    let shown: Vec<_> = contents.iter().map(|(path, text)| format!("{path} {text:?}")).collect();
    assert_eq!(shown, ["a.py \"one = 5\\nsame = 1\\n\"", "b.py \"two = 2\\n\""]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_nothing_begins_until_it_is_said_whether_the_command_runs() {
    let (text, settings) = counting("echo wrong; exit 1", "");
    let fixture = Fixture::with_settings(&text, &settings).await;
    let before = fixture.contents();
    let (report, code) = fixture.report(&["x", "--json", "--write"]).await;
    let why = report["reason"].as_str().unwrap();
    assert!(code == 3 && why.contains("there is no terminal to ask at: allow it with --verify"), "{report}");
    assert_eq!((fixture.contents(), fixture.requests()), (before, 0));
    let (report, code) = fixture.report(&["x", "--json", "--write", "--no-verify"]).await;
    assert_eq!((code, &report["verification"]), (0, &serde_json::Value::Null), "{report}");
    assert!(fixture.contents()["a.py"].contains("one = 5"));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn command_of_a_project_is_never_run() {
    let (text, settings) = counting("echo wrong; exit 1", "");
    let theirs = format!("//- .tandem.toml\n{settings}{text}");
    check(
        &theirs,
        "",
        expect![[r#"
            done, exit 0, written
            edit a.py
            deep 1
        "#]],
    )
    .await;
    let fixture = Fixture::new(&theirs).await;
    let mut command = fixture.command(&["x"]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("verify.command: ignored: a project must not run commands"), "{said}");
}
