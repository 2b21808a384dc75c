//! `tandem.plan` as an editor runs it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use expect_test::{Expect, expect};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde_json::{Value, json};
use tandem::assist::Models;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tempfile::TempDir;

use crate::support::{Editor, Setup, capabilities, uri};

/// A model that answers the first prompt that contains some words.
struct Scripted(&'static [(&'static str, &'static str)]);

impl Model for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let prompt = format!("{}\n{}", request.instructions, request.input);
        let reply =
            self.0.iter().find(|(words, _)| prompt.contains(words)).map_or("NO_EDITS", |(_, reply)| reply);
        stream::iter([Ok(Chunk::Text(reply.to_owned())), Ok(Chunk::Done(Usage::default()))]).boxed()
    }
}

const PLAN: &str = "```\n1. edit `a.py`: count from zero\n2. create `b.py`: hold two\n   gear: fast\n3. rename `c.py` to `d.py`\n4. delete `e.py`\n```\n";

const REPLIES: &[(&str, &str)] = &[
    ("You plan", PLAN),
    ("The file: a.py", "<<<<<<< SEARCH\none = 1\n=======\none = 0\n>>>>>>> REPLACE\n"),
    ("The new file: b.py", "```python\ntwo = 2\n```\n"),
];

/// The capabilities of an editor that supports everything.
pub(super) fn able() -> Value {
    let mut able = capabilities("utf-8");
    able["workspace"]["workspaceEdit"] = json!({
        "documentChanges": true,
        "resourceOperations": ["create", "rename", "delete"],
        "changeAnnotationSupport": {},
    });
    able
}

/// An editor with a folder of three files.
pub(super) async fn editor(
    capabilities: Value,
    replies: &'static [(&'static str, &'static str)],
) -> (TempDir, Editor) {
    let folder = TempDir::new().unwrap();
    for (name, text) in [("a.py", "one = 1\nsame = 1\n"), ("c.py", "three = 3\n"), ("e.py", "five = 5\n")] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let model = || Some(Arc::new(Scripted(replies)) as Arc<dyn Model>);
    let editor = Editor::with(Setup {
        simulator: None,
        capabilities,
        models: Some(Models { fast: model(), deep: model() }),
        workspace: fs::canonicalize(folder.path()).unwrap(),
        ..Setup::default()
    })
    .await;
    (folder, editor)
}

async fn plan(editor: &mut Editor, argument: Value) -> Result<Value, String> {
    let params = json!({ "command": "tandem.plan", "arguments": [argument] });
    editor.driver.request("workspace/executeCommand", params).await.map_err(|error| error.to_string())
}

/// The parts of an answer, without the folder's path.
fn shown(answer: &Value, folder: &Path) -> String {
    let root = fs::canonicalize(folder).unwrap();
    serde_json::to_string_pretty(answer).unwrap().replace(&uri(&root), "file://")
}

fn check(answer: &Value, folder: &Path, expect: Expect) {
    expect.assert_eq(&shown(answer, folder));
}

#[tokio::test]
async fn plan_is_shown_and_comes_back_as_one_annotated_edit() {
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let planned = plan(&mut editor, json!({ "instruction": "count", "show": true })).await.unwrap();
    assert_eq!(planned["status"], "planned");
    let text = planned["plan"].as_str().unwrap();
    assert!(text.contains("4. delete `e.py`\n   gear: local (needs no model)\n"), "{text}");
    let done = plan(&mut editor, json!({ "plan": text, "preview": true })).await.unwrap();
    assert_eq!(done["status"], "done");
    check(
        &done["edit"],
        folder.path(),
        expect![[r#"
        {
          "changeAnnotations": {
            "tandem-1": {
              "label": "Tandem: edit",
              "needsConfirmation": false
            },
            "tandem-2": {
              "label": "Tandem: create",
              "needsConfirmation": false
            },
            "tandem-3": {
              "label": "Tandem: rename",
              "needsConfirmation": false
            },
            "tandem-4": {
              "label": "Tandem: delete",
              "needsConfirmation": true
            }
          },
          "documentChanges": [
            {
              "edits": [
                {
                  "annotationId": "tandem-1",
                  "newText": "0",
                  "range": {
                    "end": {
                      "character": 7,
                      "line": 0
                    },
                    "start": {
                      "character": 6,
                      "line": 0
                    }
                  }
                }
              ],
              "textDocument": {
                "uri": "file:///a.py",
                "version": null
              }
            },
            {
              "annotationId": "tandem-2",
              "kind": "create",
              "uri": "file:///b.py"
            },
            {
              "edits": [
                {
                  "annotationId": "tandem-2",
                  "newText": "two = 2\n",
                  "range": {
                    "end": {
                      "character": 0,
                      "line": 0
                    },
                    "start": {
                      "character": 0,
                      "line": 0
                    }
                  }
                }
              ],
              "textDocument": {
                "uri": "file:///b.py",
                "version": null
              }
            },
            {
              "annotationId": "tandem-3",
              "kind": "rename",
              "newUri": "file:///d.py",
              "oldUri": "file:///c.py"
            },
            {
              "annotationId": "tandem-4",
              "kind": "delete",
              "uri": "file:///e.py"
            }
          ]
        }"#]],
    );
    assert_eq!(fs::read_to_string(folder.path().join("a.py")).unwrap(), "one = 1\nsame = 1\n");
    editor.finish().await;
}

#[tokio::test]
async fn edit_is_applied_by_the_editor_and_follows_what_was_typed() {
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    editor.open_only(&a, "python", "# é\none = 1\nsame = 1\n");
    let argument = json!({ "instruction": "count", "textDocument": { "uri": a } });
    let answer = plan(&mut editor, argument).await.unwrap();
    assert_eq!(answer["status"], "done", "{answer}");
    assert!(answer["edit"].is_null());
    let applied = editor.driver.expect("workspace/applyEdit").await.unwrap();
    let first = &applied["params"]["edit"]["documentChanges"][0];
    assert_eq!(
        first["textDocument"],
        json!({ "uri": a, "version": 1 }),
        "the text that is open counts: {applied}"
    );
    assert_eq!(first["edits"][0]["range"]["start"], json!({ "line": 1, "character": 6 }));
    editor.driver.reply(&applied, json!({ "applied": true }));
    editor.finish().await;
}

#[tokio::test]
async fn editor_that_cannot_create_files_gets_the_diff() {
    let (_folder, mut editor) = editor(capabilities("utf-8"), REPLIES).await;
    let answer = plan(&mut editor, json!({ "instruction": "count" })).await.unwrap();
    assert_eq!(answer["status"], "unsupported");
    assert!(answer["diff"].as_str().unwrap().contains("+++ b/b.py\n"), "{answer}");
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn step_that_is_not_done_leaves_everything_as_it_is() {
    let replies = &[("You plan", PLAN), ("The file: a.py", "I would rather not.")];
    let (_folder, mut editor) = editor(able(), replies).await;
    let answer = plan(&mut editor, json!({ "instruction": "count" })).await.unwrap();
    assert_eq!(answer["status"], "incomplete");
    assert_eq!(answer["steps"][0]["status"], "failed");
    assert_eq!(answer["steps"][0]["why"], "the reply is prose, not code");
    editor.driver.expect("window/showMessage").await.unwrap();
    editor.finish().await;
}

#[tokio::test]
async fn bad_request_is_told() {
    let (_folder, mut editor) = editor(able(), &[("You plan", "1. edit `../x`: x\n")]).await;
    let mut said = String::new();
    for argument in [
        json!({}),
        json!({ "instruction": "x" }),
        json!({ "plan": "1. edit a\nand more" }),
        json!({ "plan": "1. edit `gone.py`: x" }),
        json!({ "instruction": "x", "gear": "quick" }),
    ] {
        said.push_str(&plan(&mut editor, argument).await.unwrap_err());
        said.push('\n');
    }
    expect![[r#"
        workspace/executeCommand failed: `instruction` is empty: say what is to be done (-32602)
        workspace/executeCommand failed: Tandem: step 1: the path `../x` leads out of the workspace (-32803)
        workspace/executeCommand failed: `plan`: line 2: it belongs to no step; indent it below one, or put `>` before it (-32602)
        workspace/executeCommand failed: Tandem: step 1: there is no file `gone.py` (-32803)
        workspace/executeCommand failed: there is no gear `quick`; there are local, fast and deep (-32602)
    "#]].assert_eq(&said);
    editor.finish().await;
}

#[tokio::test]
async fn comment_for_the_whole_project_offers_a_plan() {
    let (folder, mut editor) = editor(able(), REPLIES).await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    editor.open_only(&a, "python", "# ai!: count from zero\none = 1\nsame = 1\n");
    let at = json!({ "line": 0, "character": 3 });
    let params = json!({
        "textDocument": { "uri": a },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [], "only": ["refactor"] },
    });
    let offered = editor.driver.request("textDocument/codeAction", params).await.unwrap();
    assert_eq!(offered[0]["title"], "Tandem: in all files: count from zero");
    let answer =
        editor.driver.request("workspace/executeCommand", offered[0]["command"].clone()).await.unwrap();
    assert_eq!(answer["status"], "done");
    let applied = editor.driver.expect("workspace/applyEdit").await.unwrap();
    editor.driver.reply(&applied, json!({ "applied": true }));
    editor.finish().await;
}

#[tokio::test]
async fn only_what_git_cannot_bring_back_is_confirmed() {
    let plan_text = "1. edit `a.py`: count from zero\n2. edit `c.py`: count from zero\n3. edit `src/auth.py`: count from zero\n4. edit `open.py`: count from zero\n5. delete `e.py`\n6. create `b.py`: hold two\n";
    const CHANGES: &[(&str, &str)] = &[
        ("The new file: b.py", "```python\ntwo = 2\n```\n"),
        ("The file: c.py", "<<<<<<< SEARCH\nthree = 3\n=======\nthree = 0\n>>>>>>> REPLACE\n"),
        ("one = 1", "<<<<<<< SEARCH\none = 1\n=======\none = 0\n>>>>>>> REPLACE\n"),
    ];
    let (folder, mut editor) = editor(able(), CHANGES).await;
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(root.join("src")).unwrap();
    for name in ["src/auth.py", "open.py"] {
        fs::write(root.join(name), "one = 1\nsame = 1\n").unwrap();
    }
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git").args(arguments).current_dir(&root).status();
        assert!(status.unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["add", "a.py", "e.py", "src/auth.py"]);
    editor.open_only(&uri(&root.join("open.py")), "python", "one = 1\nsame = 1\n");
    let done = plan(&mut editor, json!({ "plan": plan_text, "preview": true })).await.unwrap();
    assert_eq!(done["status"], "done", "{done}");
    let edit = &done["edit"];
    let mut shown = String::new();
    for change in edit["documentChanges"].as_array().unwrap() {
        let place = change["uri"].as_str().or(change["textDocument"]["uri"].as_str()).unwrap();
        let id = change["annotationId"].as_str().or(change["edits"][0]["annotationId"].as_str()).unwrap();
        let asks = &edit["changeAnnotations"][id]["needsConfirmation"];
        shown.push_str(&format!("{} {asks}\n", place.replace(&uri(&root), "")));
    }
    expect![[r#"
        /a.py false
        /b.py false
        /b.py false
        /c.py true
        /e.py true
        /open.py false
        /src/auth.py true
    "#]]
    .assert_eq(&shown);
    editor.finish().await;
}

/// A model that answers a step once the test allows it.
struct Held {
    asked: tokio::sync::Notify,
    lets: tokio::sync::Notify,
}

struct HeldModel(Arc<Held>);

impl Model for HeldModel {
    fn name(&self) -> String {
        "held".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let held = Arc::clone(&self.0);
        let answer = async move {
            held.asked.notify_one();
            held.lets.notified().await;
            Ok(Chunk::Text("<<<<<<< SEARCH\none = 1\n=======\none = 0\n>>>>>>> REPLACE\n".to_owned()))
        };
        stream::once(answer).chain(stream::iter([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}

/// The result of a plan if this is typed into its file while the model is asked: the first edit, or the error.
async fn typed_meanwhile(at: [u32; 4], text: &str) -> String {
    meanwhile(|editor, a, _| editor.change(a, 2, at, text)).await
}

/// The result of a plan if `meddle` changes its file, by URI and path, while the model is asked.
async fn meanwhile(meddle: impl FnOnce(&mut Editor, &str, &Path)) -> String {
    meanwhile_from(true, meddle).await
}

/// The same with a file that is initially open or not.
async fn meanwhile_from(is_open: bool, meddle: impl FnOnce(&mut Editor, &str, &Path)) -> String {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.py"), "one = 1\nsame = 1\n").unwrap();
    let held = Arc::new(Held { asked: tokio::sync::Notify::new(), lets: tokio::sync::Notify::new() });
    let mut editor = Editor::with(Setup {
        simulator: None,
        capabilities: able(),
        models: Some(Models { fast: Some(Arc::new(HeldModel(Arc::clone(&held)))), deep: None }),
        workspace: fs::canonicalize(folder.path()).unwrap(),
        ..Setup::default()
    })
    .await;
    let a = uri(&fs::canonicalize(folder.path()).unwrap().join("a.py"));
    let open = if is_open { a.clone() } else { a.replace("a.py", "other.py") };
    editor.open_only(&open, "python", "one = 1\nsame = 1\n");
    let argument = json!({ "plan": "1. edit `a.py`: count\n   gear: fast\n", "preview": true });
    let params = json!({ "command": "tandem.plan", "arguments": [argument] });
    let id = editor.driver.ask("workspace/executeCommand", params);
    held.asked.notified().await;
    meddle(&mut editor, &a, &fs::canonicalize(folder.path()).unwrap().join("a.py"));
    // Messages are handled in order, so this answer implies that the earlier ones were read.
    editor.driver.request("tandem/status", json!({ "textDocument": { "uri": open } })).await.ok();
    held.lets.notify_one();
    let answer = editor.driver.answer(id).await.unwrap();
    let shown = match answer["error"]["message"].as_str() {
        None => {
            let change = &answer["result"]["edit"]["documentChanges"][0];
            let (edit, version) = (&change["edits"][0], &change["textDocument"]["version"]);
            let start = &edit["range"]["start"];
            format!("version {version}, {}:{} {}", start["line"], start["character"], edit["newText"])
        }
        Some(error) => error.to_owned(),
    };
    editor.finish().await;
    shown
}

#[tokio::test]
async fn what_is_typed_meanwhile_moves_the_edit_or_refuses_it() {
    assert_eq!(typed_meanwhile([0, 0, 0, 0], "# mine\n").await, "version 2, 1:6 \"0\"");
    assert_eq!(typed_meanwhile([1, 0, 1, 4], "other").await, "version 2, 0:6 \"0\"");
    let refused = typed_meanwhile([0, 6, 0, 7], "7").await;
    assert!(refused.contains("changed"), "{refused}");
}

fn close(editor: &mut Editor, uri: &str) {
    editor.driver.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
}

#[tokio::test]
async fn file_that_is_opened_or_closed_meanwhile_keeps_its_change() {
    let text = "one = 1\nsame = 1\n";
    assert_eq!(meanwhile(|editor, a, _| close(editor, a)).await, "version null, 0:6 \"0\"");
    let opened = meanwhile_from(false, |editor, a, _| editor.open_only(a, "python", text));
    assert_eq!(opened.await, "version 1, 0:6 \"0\"");
    let typed = meanwhile_from(false, |editor, a, _| {
        editor.open_only(a, "python", text);
        editor.change(a, 2, [0, 0, 0, 0], "# mine\n");
    });
    assert_eq!(typed.await, "version 2, 1:6 \"0\"");
    let again = meanwhile(|editor, a, _| {
        close(editor, a);
        editor.open_only(a, "python", "# mine\none = 1\nsame = 1\n");
    });
    assert_eq!(again.await, "version 1, 1:6 \"0\"");
    let discarded = meanwhile(|editor, a, path| {
        fs::write(path, "# saved\none = 1\nsame = 1\n").unwrap();
        close(editor, a);
    });
    assert_eq!(discarded.await, "version null, 1:6 \"0\"");
    let in_the_way = meanwhile_from(false, |editor, a, _| {
        editor.open_only(a, "python", "one = 7\nsame = 1\n");
    });
    let refused = in_the_way.await;
    assert!(refused.contains("changed in the same place"), "{refused}");
}

#[tokio::test]
async fn file_that_goes_meanwhile_refuses_the_whole() {
    let refused = "Tandem: `a.py` was changed meanwhile; nothing of it is applied, try again";
    let gone = meanwhile(|editor, a, path| {
        fs::remove_file(path).unwrap();
        close(editor, a);
    });
    assert_eq!(gone.await, refused);
    let renamed = meanwhile(|editor, a, path| {
        let to = path.with_file_name("b.py");
        fs::rename(path, &to).unwrap();
        close(editor, a);
        editor.open_only(&uri(&to), "python", "one = 1\nsame = 1\n");
    });
    assert_eq!(renamed.await, refused);
}

/// The answer to a plan about a command that fails, for these options of an editor.
///
/// `picked` is the user's choice when the question is shown; `None` means that no question may be shown.
async fn verification(options: Value, is_asked: bool, picked: Option<&str>) -> Value {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.py"), "one = 1\nsame = 1\n").unwrap();
    let model = || Some(Arc::new(Scripted(REPLIES)) as Arc<dyn Model>);
    let root = fs::canonicalize(folder.path()).unwrap();
    let mut capabilities = able();
    capabilities["window"]["showDocument"] = json!({ "support": picked.is_some() });
    let asking = if is_asked { String::new() } else { format!("without_asking = ['{}']\n", root.display()) };
    let mut editor = Editor::with(Setup {
        simulator: None,
        // The configuration names a provider; the models are the test's own.
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        capabilities,
        options,
        models: Some(Models { fast: model(), deep: model() }),
        settings: format!("[verify]\ncommand = [\"git\", \"no-such-command\"]\n{asking}"),
        workspace: root,
        ..Setup::default()
    })
    .await;
    let argument = json!({ "plan": "1. edit `a.py`: count from zero\n   gear: fast\n", "preview": true });
    let params = json!({ "command": "tandem.plan", "arguments": [argument] });
    let id = editor.driver.ask("workspace/executeCommand", params);
    if let Some(picked) = picked {
        let shown = editor.driver.expect("window/showDocument").await.unwrap();
        let path = shown["params"]["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
        let diff = fs::read_to_string(&path).unwrap();
        assert!(diff.contains("-one = 1\n+one = 0\n"), "{diff}");
        editor.driver.reply(&shown, json!({ "success": true }));
        let asked = editor.driver.expect("window/showMessageRequest").await.unwrap();
        let question = asked["params"]["message"].as_str().unwrap();
        assert!(question.starts_with("Tandem: Run `git no-such-command` on this change?"), "{question}");
        assert!(fs::exists(&path).unwrap(), "it can be looked at until the answer");
        editor.driver.reply(&asked, json!({ "title": picked }));
        if picked == "Run it" {
            // The correction does not alter the change, and needs no question.
            assert!(!asked["params"]["actions"].as_array().unwrap().is_empty());
        }
    }
    let answer = editor.driver.answer(id).await.unwrap()["result"].clone();
    assert_eq!(answer["status"], "done", "{answer}");
    assert!(answer["edit"].is_object(), "what still fails is said, and blocks nothing");
    editor.finish().await;
    json!([answer["verification"]["status"], answer["findings"]])
}

#[tokio::test]
async fn command_is_run_for_a_trusted_workspace_alone() {
    let failed = verification(json!({}), false, None).await;
    assert_eq!(failed[0], "failed", "{failed}");
    let told = failed[1][0].as_str().unwrap();
    assert!(told.starts_with("`git no-such-command` fails (exit status: 1): "), "{told}");
    assert_eq!(verification(json!({ "trusted": false }), false, None).await, json!([null, []]));
}

#[tokio::test]
async fn command_is_run_after_the_user_has_seen_the_change_and_allowed_it() {
    assert_eq!(verification(json!({}), true, Some("Run it")).await[0], "failed");
    let denied = |why: &str| json!(["not-run", [format!("`git no-such-command` was not run: {why}")]]);
    assert_eq!(verification(json!({}), true, Some("Do not run it")).await, denied("you did not allow it"));
    let cannot = "this editor cannot show the change before it is run; name the folder in verify.without_asking, \
                  or use `tandem plan`";
    assert_eq!(verification(json!({}), true, None).await, denied(cannot));
}
