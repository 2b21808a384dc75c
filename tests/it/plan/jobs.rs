//! The other jobs: texts about a diff on the command line, and actions for selected code in an editor.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use super::editor::{able, editor};
use super::fixture::Fixture;
use crate::support::uri;

/// Two tracked files, and one with a secret name, which is staged, too.
const CHANGED: &str =
    "//- a.py\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n//- b.py\ntwo = 2\n//- .env\nKEY=1\n";

async fn changed(replies: &str) -> Fixture {
    let fixture = Fixture::new(&format!("{CHANGED}{replies}")).await;
    fixture.git(&["init", "-q"]);
    fixture.git(&["add", "-f", "."]);
    fixture.git(&["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t"]);
    fixture.write("a.py", "def one():\n    return 1\n\n\ndef two():\n    return 3\n");
    fixture.write(".env", "KEY=2\n");
    fixture
}

/// Checks the messages of a command, and that it changes nothing.
async fn check(fixture: &Fixture, arguments: &[&str], expect: Expect) {
    let before = fixture.contents();
    let mut command = fixture.program(arguments);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    expect.assert_eq(&fixture.shown(&output, &before));
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_message_is_written_for_what_is_staged() {
    let fixture =
        changed("//= fast: You write the message\n```\nCount two from three\n\nIt was asked for.\n```\n")
            .await;
    check(
        &fixture,
        &["commit-message"],
        expect![[r#"
        exit 1
        stderr:
        tandem: nothing is staged that a model may see; run `git add` first
    "#]],
    )
    .await;
    fixture.git(&["add", "-f", ".env"]);
    check(
        &fixture,
        &["commit-message"],
        expect![[r#"
        exit 3
        stderr:
        tandem: note: .env is left out: files called `.env` hold secrets
        tandem: the staged file is withheld: files called `.env` hold secrets
    "#]],
    )
    .await;
    fixture.git(&["add", "-f", "."]);
    check(
        &fixture,
        &["commit-message"],
        expect![[r#"
        exit 0
        Count two from three

        It was asked for.
        stderr:
        tandem: note: .env is left out: files called `.env` hold secrets
    "#]],
    )
    .await;
    assert_eq!(fixture.requests(), 1);
}

/// `git commit -a` and `git commit FILE` pass their index to the editor that they start.
#[tokio::test(flavor = "multi_thread")]
async fn commit_message_is_written_for_the_index_of_the_commit_that_runs() {
    let fixture = changed("//= fast: return 3\nCount from three\n").await;
    let [index, own, elsewhere] =
        [".git/index", ".git/next-index-7.lock", "index"].map(|it| fixture.root().join(it));
    let before = std::fs::read(&index).unwrap();
    fixture.git(&["add", "a.py"]);
    std::fs::copy(&index, &own).unwrap();
    std::fs::rename(&index, &elsewhere).unwrap();
    std::fs::write(&index, before).unwrap();
    let mut said = String::new();
    for named in [&own, &elsewhere] {
        let mut command = fixture.program(&["commit-message"]);
        command.env("GIT_INDEX_FILE", named);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        said += &String::from_utf8(output.stdout).unwrap();
        said += &String::from_utf8(output.stderr).unwrap();
    }
    expect![[r#"
        Count from three
        tandem: nothing is staged that a model may see; run `git add` first
    "#]]
    .assert_eq(&said);
}

#[tokio::test(flavor = "multi_thread")]
async fn commit_message_is_written_as_the_last_ones_are() {
    // The model gives this message only if it is shown the last subject.
    let fixture = changed("//= fast: parser: accept a dot\nfix: count from three\n").await;
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
    fixture.git(&[&identity[..], &["commit", "-q", "--allow-empty", "-m", "parser: accept a dot"]].concat());
    fixture.git(&["add", "a.py"]);
    check(
        &fixture,
        &["commit-message"],
        expect![[r#"
            exit 0
            count from three
            stderr:
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_file_is_in_no_diff_that_is_sent() {
    // The model gives this message only if the diff contains the line of the file with the secret name.
    let fixture = changed("//= fast: KEY=2\nLeaked\n//= fast: return 3\nCount from three\n").await;
    fixture.git(&["add", "-f", "."]);
    check(
        &fixture,
        &["commit-message"],
        expect![[r#"
        exit 0
        Count from three
        stderr:
        tandem: note: .env is left out: files called `.env` hold secrets
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn review_is_printed_by_line_with_its_fixes() {
    let fixture = changed(
        "//= fast:     6 +    return 3\na.py:6: it returns three, which is not two\n\
         <<<<<<< SEARCH\n    return 3\n=======\n    return 2\n>>>>>>> REPLACE\nc.py:1: no such file\n",
    )
    .await;
    check(
        &fixture,
        &["review"],
        expect![[r#"
            exit 0
            a.py:6: it returns three, which is not two
            --- a/a.py
            +++ b/a.py
            @@ -3,4 +3,4 @@
            ␣
            ␣
             def two():
            -    return 3
            +    return 2
            stderr:
            tandem: note: .env is left out: files called `.env` hold secrets
            tandem: note: 1 finding left out, about files that were not shown
            tandem: 1 finding
        "#]],
    )
    .await;
    check(&fixture, &["review", "--json"], expect![[r#"
        exit 0
        {"findings":[{"fix":[{"end":49,"start":48,"text":"2"}],"line":6,"message":"it returns three, which is not two","path":"a.py"}],"leftOut":1}
        stderr:
        tandem: note: .env is left out: files called `.env` hold secrets
        tandem: note: 1 finding left out, about files that were not shown
    "#]]).await;
    check(
        &fixture,
        &["review", "no-such-revision"],
        expect![[r#"
        exit 1
        stderr:
        tandem: git fails: fatal: bad revision 'no-such-revision'
    "#]],
    )
    .await;
    check(
        &fixture,
        &["review", "--output=x"],
        expect![[r#"
        exit 2
        stderr:
        error: unexpected argument '--output' found

          tip: to pass '--output' as a value, use '-- --output'

        Usage: tandem review [OPTIONS] [SINCE]

        For more information, try '--help'.
    "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn review_that_cannot_be_read_fails() {
    let fixture = changed("//= fast: You review code\nAll is fine, I think.\n").await;
    check(
        &fixture,
        &["review"],
        expect![[r#"
            exit 1
            stderr:
            tandem: note: .env is left out: files called `.env` hold secrets
            tandem: the review has no readable finding, and does not state that there are none; the reply: `All is fine, I think.`
        "#]],
    )
    .await;
    let fixture = changed("//= fast: You review code\nNO_FINDINGS\n").await;
    check(
        &fixture,
        &["review"],
        expect![[r#"
            exit 0
            stderr:
            tandem: note: .env is left out: files called `.env` hold secrets
            tandem: 0 findings
        "#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn review_is_shown_the_callers_of_what_changed() {
    let fixture = changed(
        "//- c.py\nfrom a import one\n\none(1)\n//= fast: c.py:3: one(1)\na.py:1: a caller gives one too few\n",
    )
    .await;
    fixture.write("a.py", "def one(a, b):\n    return 1\n\n\ndef two():\n    return 2\n");
    check(
        &fixture,
        &["review"],
        expect![[r#"
            exit 0
            a.py:1: a caller gives one too few
            stderr:
            tandem: note: .env is left out: files called `.env` hold secrets
            tandem: 1 finding
        "#]],
    )
    .await;
}

async fn job(editor: &mut crate::support::Editor, argument: Value) -> Result<Value, String> {
    let params = json!({ "command": "tandem.job", "arguments": [argument] });
    editor.driver.request("workspace/executeCommand", params).await.map_err(|error| error.to_string())
}

const REPLIES: &[(&str, &str)] = &[
    ("You explain code", "It counts.\n"),
    (
        "You review code",
        "a.py:1: it counts from one\n<<<<<<< SEARCH\none = 1\n=======\none = 0\n>>>>>>> REPLACE\na.py:2: nothing reads it\n",
    ),
    ("Document this code", "```python\n# Counts.\none = 1\nsame = 1\n```\n"),
    ("You plan", "```\n1. create `test_a.py`: test one\n   gear: fast\n```\n"),
    ("The new file: test_a.py", "```python\nfrom a import one\n```\n"),
];

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    let place = |(line, character): (u32, u32)| json!({ "line": line, "character": character });
    json!({ "start": place(from), "end": place(to) })
}

#[tokio::test]
async fn selected_code_offers_each_job() {
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    editor.open_only(&a, "python", "one = 1\nsame = 1\n");
    let mut shown = String::new();
    for (range, context) in [
        (range((0, 0), (2, 0)), json!({ "diagnostics": [], "triggerKind": 1 })),
        (range((0, 0), (2, 0)), json!({ "diagnostics": [], "only": ["refactor.tandem.explain"] })),
        (range((0, 0), (2, 0)), json!({ "diagnostics": [], "triggerKind": 2 })),
        (range((0, 1), (0, 1)), json!({ "diagnostics": [], "triggerKind": 1 })),
    ] {
        let params = json!({ "textDocument": { "uri": a }, "range": range, "context": context });
        let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
        for action in offered.as_array().unwrap() {
            let kind = action["kind"].as_str().unwrap();
            if kind.starts_with("refactor.tandem.") {
                shown.push_str(&format!("{kind}: {}\n", action["title"].as_str().unwrap()));
            }
        }
        shown.push_str("--\n");
    }
    expect![[r#"
        refactor.tandem.explain: Tandem: explain this code
        refactor.tandem.document: Tandem: document this code
        refactor.tandem.simplify: Tandem: simplify this code
        refactor.tandem.tests: Tandem: write tests for this code
        refactor.tandem.review: Tandem: review this code
        --
        refactor.tandem.explain: Tandem: explain this code
        --
        --
        --
    "#]]
    .assert_eq(&shown);
    let whole = range((0, 0), (2, 0));
    let argument =
        |name: &str| json!({ "job": name, "textDocument": { "uri": a }, "range": whole, "preview": true });
    let explained = job(&mut editor, argument("explain")).await.unwrap();
    assert_eq!(explained["text"], "It counts.\n");
    let documented = job(&mut editor, argument("document")).await.unwrap();
    assert_eq!(documented["edit"]["documentChanges"][0]["edits"][0]["newText"], "# Counts.\n");
    let tests = job(&mut editor, argument("tests")).await.unwrap();
    assert!(tests["diff"].as_str().unwrap().contains("+++ b/test_a.py"), "{tests}");
    assert_eq!(tests["testCommand"], "python -m pytest test_a.py");
    let mut telling = argument("tests");
    telling["tell"] = json!(true);
    job(&mut editor, telling).await.unwrap();
    let told = editor.driver.expect("window/showMessage").await.unwrap();
    assert_eq!(told["params"]["message"], "Tandem: the tests run with `python -m pytest test_a.py`");
    let wrong = job(&mut editor, argument("commit-message")).await.unwrap_err();
    assert!(wrong.contains("there is no job `commit-message`"), "{wrong}");
    editor.finish().await;
}

#[tokio::test]
async fn empty_range_means_the_definition_that_begins_there() {
    const REPLIES: &[(&str, &str)] = &[("return 1", "It is one.\n")];
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    editor.open_only(&a, "python", "def one():\n    return 1\n");
    let argument = json!({ "job": "explain", "textDocument": { "uri": a }, "range": range((0, 0), (0, 0)) });
    assert_eq!(job(&mut editor, argument).await.unwrap()["text"], "It is one.\n");
    editor.finish().await;
}

/// The lines and messages of the next published diagnostics.
async fn published(editor: &mut crate::support::Editor) -> (Vec<Value>, String) {
    let sent = editor.driver.expect("textDocument/publishDiagnostics").await.unwrap();
    let diagnostics = sent["params"]["diagnostics"].as_array().unwrap().clone();
    let one = |it: &Value| format!("{} {}", it["range"]["start"]["line"], it["message"].as_str().unwrap());
    let shown: Vec<String> = diagnostics.iter().map(one).collect();
    (diagnostics, format!("version {}: {}", sent["params"]["version"], shown.join("; ")))
}

#[tokio::test]
async fn finding_of_a_review_goes_with_the_next_edit_of_its_line() {
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    editor.open_only(&a, "python", "one = 1\nsame = 1\n");
    let argument = json!({ "job": "review", "textDocument": { "uri": a }, "range": range((0, 0), (2, 0)) });
    let reviewed = job(&mut editor, argument).await.unwrap();
    assert_eq!(reviewed["findings"], 2);
    let (diagnostics, shown) = published(&mut editor).await;
    assert_eq!(shown, "version 1: 0 it counts from one; 1 nothing reads it");
    let params = json!({
        "textDocument": { "uri": a },
        "range": range((0, 0), (0, 0)),
        "context": { "diagnostics": [diagnostics[0]], "only": ["quickfix"] },
    });
    let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(offered.as_array().unwrap().len(), 1, "{offered}");
    assert_eq!(offered[0]["title"], "Tandem: fix “it counts from one”");
    assert_eq!(offered[0]["edit"]["documentChanges"][0]["edits"][0]["newText"], "0");
    // A new line above moves both, and an edit of a line removes the findings there.
    editor.change(&a, 2, [0, 0, 0, 0], "# new\n");
    editor.change(&a, 3, [2, 0, 2, 0], "x");
    assert_eq!(published(&mut editor).await.1, "version 3: 1 it counts from one");
    editor.change(&a, 4, [1, 6, 1, 7], "0");
    assert_eq!(published(&mut editor).await.1, "version 4: ");
    editor.finish().await;
}
