//! Ghost text in the message of a commit, made from what is staged.

use std::path::Path;
use std::process::Command;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{Options, Script};
use tempfile::TempDir;

use crate::support::{Editor, Setup, at_cursor, complete_params, uri};

/// A repository with two commits, and with files that are staged.
fn repository(staged: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().unwrap();
    let git = |arguments: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"];
        let status = Command::new("git").current_dir(root.path()).args(who).args(arguments).status().unwrap();
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    for subject in ["io: read once", "io: close files"] {
        git(&["commit", "--quiet", "--allow-empty", "-m", subject]);
    }
    for (path, text) in staged {
        std::fs::write(root.path().join(path), text).unwrap();
        git(&["add", "--force", path]);
    }
    root
}

const STAGED: &[(&str, &str)] = &[("a.py", "def one():\n    return 1\n")];

/// The ways in which editors name the message of a commit: its language and its URI.
fn file(root: &Path) -> (&'static str, String) {
    ("gitcommit", uri(&root.join(".git/COMMIT_EDITMSG")))
}

fn box_of(root: &Path) -> (&'static str, String) {
    let named = uri(root).replace('%', "%2525").replace(':', "%253A").replace('/', "%252F");
    ("scminput", format!("vscode-scm:git/scm0/input?rootUri%3D{named}"))
}

/// Sends an invoked request for ghost text at `ˇ` in a message. The result is the ghost text, or the code and the words
/// of the reason for none, followed by the model's input.
async fn check_in(
    place: fn(&Path) -> (&'static str, String),
    staged: &[(&str, &str)],
    settings: &str,
    (marked, reply): (&str, &str),
    expect: Expect,
) {
    let (root, record) = (repository(staged), TempDir::new().unwrap());
    let frames = record.path().join("frames");
    let script = json!({ "reply": reply }).to_string();
    let script = Script::parse(&script).unwrap();
    let simulator = Some(Options { script, record: Some(frames.clone()), ..Options::default() });
    let workspace = root.path().to_owned();
    let setup = Setup { simulator, workspace, settings: settings.to_owned(), ..Setup::default() };
    let mut editor = Editor::with(setup).await;
    let (language, uri) = place(root.path());
    let (text, line, column) = at_cursor(marked);
    editor.open(&uri, language, &text);
    let mut params = complete_params(&uri, line, column);
    params["context"]["triggerKind"] = json!(1);
    let items = editor.driver.request("textDocument/inlineCompletion", params).await.unwrap();
    let mut shown = match items[0]["insertText"].as_str() {
        Some(suggestion) => format!("{}\n", marked.replace('ˇ', &format!("⟦{suggestion}⟧"))),
        None => {
            let params =
                json!({ "command": "tandem.why", "arguments": [{ "textDocument": { "uri": uri } }] });
            let why = editor.driver.request("workspace/executeCommand", params).await.unwrap();
            let [code, why] = ["code", "why"].map(|it| why["decisions"][0][it].as_str().unwrap());
            format!("{code}: {why}\n")
        }
    };
    for frame in std::fs::read_to_string(&frames).unwrap_or_default().lines() {
        let frame: Value = serde_json::from_str(frame).unwrap();
        shown.push_str(frame["input"][0]["content"][0]["text"].as_str().unwrap());
    }
    expect.assert_eq(&shown);
    editor.finish().await;
}

async fn check(marked: &str, reply: &str, expect: Expect) {
    check_in(file, STAGED, "", (marked, reply), expect).await;
}

#[tokio::test]
async fn subject_goes_on_from_what_is_staged_in_the_style_of_the_last_ones() {
    check(
        "io: reˇ\n# Please enter the message\n",
        "io: return one\n\nIt was asked for.\n",
        expect![[r#"
        io: re⟦turn one⟧
        # Please enter the message

        <|what|>
        a diff
        <|earlier|>
        io: close files
        io: read once
        <|code|>
        diff --git a/a.py b/a.py
        new file mode 100644
        index 0000000..61d7944
        --- /dev/null
        +++ b/a.py
        @@ -0,0 +1,2 @@
        +def one():
        +    return 1

        <|begun|>
        io: re
    "#]],
    )
    .await;
    check_in(
        box_of,
        STAGED,
        "",
        ("ˇ", "io: return one"),
        expect![[r#"
        ⟦io: return one⟧
        <|what|>
        a diff
        <|earlier|>
        io: close files
        io: read once
        <|code|>
        diff --git a/a.py b/a.py
        new file mode 100644
        index 0000000..61d7944
        --- /dev/null
        +++ b/a.py
        @@ -0,0 +1,2 @@
        +def one():
        +    return 1

    "#]],
    )
    .await;
}

#[tokio::test]
async fn body_goes_on_behind_its_subject() {
    check(
        "io: return one\n\nˇ\n# Changes:\n",
        "io: return one\n\nIt was\nasked for.\n",
        expect![[r#"
        io: return one

        ⟦It was
        asked for.⟧
        # Changes:

        <|what|>
        a diff
        <|earlier|>
        io: close files
        io: read once
        <|code|>
        diff --git a/a.py b/a.py
        new file mode 100644
        index 0000000..61d7944
        --- /dev/null
        +++ b/a.py
        @@ -0,0 +1,2 @@
        +def one():
        +    return 1

        <|begun|>
        io: return one


    "#]],
    )
    .await;
}

#[tokio::test]
async fn message_that_begins_otherwise_is_not_shown() {
    check(
        "Say ˇ",
        "io: return one",
        expect![[r#"
        nothing-to-add: there is nothing to add here
        <|what|>
        a diff
        <|earlier|>
        io: close files
        io: read once
        <|code|>
        diff --git a/a.py b/a.py
        new file mode 100644
        index 0000000..61d7944
        --- /dev/null
        +++ b/a.py
        @@ -0,0 +1,2 @@
        +def one():
        +    return 1

        <|begun|>
        Say 
    "#]],
    )
    .await;
}

#[tokio::test]
async fn text_behind_the_cursor_and_comments_of_git_have_no_suggestion() {
    check(
        "io: ˇ one",
        "io: return one",
        expect![[r#"
        nothing-to-add: there is nothing to add here
    "#]],
    )
    .await;
    check(
        "io: one\n# Changesˇ",
        "io: return one",
        expect![[r#"
        nothing-to-add: there is nothing to add here
    "#]],
    )
    .await;
}

#[tokio::test]
async fn only_what_is_staged_and_may_be_shown_is_sent() {
    let check = |staged, settings, expect| check_in(file, staged, settings, ("ˇ", "Do"), expect);
    check(
        &[],
        "",
        expect![[r#"
            nothing-staged: nothing is staged that a model may see; run `git add` first
        "#]],
    )
    .await;
    check(
        &[(".env", "KEY=1\n")],
        "",
        expect![[r#"
            nothing-staged: the staged file is withheld: files called `.env` hold secrets
        "#]],
    )
    .await;
    check(
        STAGED,
        "privacy.context = \"file\"\n",
        expect![[r#"
            ignored: no model is shown this file: the commit has other files, which `privacy.context` withholds
        "#]],
    )
    .await;
    check(
        STAGED,
        "languages.gitcommit.enabled = false\n",
        expect![[r#"
        language-off: suggestions are switched off for this language by `languages`
    "#]],
    )
    .await;
}
