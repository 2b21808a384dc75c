//! The edits that a change leaves to be done in other files, as reported by an answer.

use serde_json::{Value, json};
use tandem::assist::Models;

use crate::support::answering::{Answering, Reply};
use crate::support::{Editor, Setup, capabilities, uri};

const SHAPE: &str = "pub fn area(width: u32) -> u32 {\n    width * 2\n}\n\npub fn double() -> u32 {\n    area(4) + area(5)\n}\n";
const USER: &str = "use crate::shape::area;\n\nfn f() -> u32 {\n    area(2) + area(3)\n}\n";

/// A project on disk of which only the first file is open.
pub(super) struct Project {
    pub(super) editor: Editor,
    pub(super) folder: tempfile::TempDir,
    pub(super) open: String,
    pub(super) text: String,
    pub(super) version: i32,
}

impl Project {
    pub(super) async fn new(setup: Setup, language: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let mut capabilities = capabilities("utf-16");
        capabilities["experimental"] = json!({ "tandem": { "rename": true, "left": true } });
        let (open, text) = (uri(&root.join(files[0].0)), files[0].1.to_owned());
        let mut editor = Editor::with(Setup { workspace: root, capabilities, ..setup }).await;
        editor.open_only(&open, language, &text);
        // The index is filled in the background.
        let about = json!({ "command": "tandem.ask", "arguments": [{ "question": "f", "quiet": true }] });
        while editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap()["answers"]
            == json!([])
        {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        Self { editor, folder, open, text, version: 1 }
    }

    /// Replaces the first `old` with `new`.
    pub(super) fn replace(&mut self, old: &str, new: &str) {
        let at = self.text.find(old).unwrap();
        let place = |byte: usize| {
            let before = &self.text[..byte];
            [before.matches('\n').count(), before.rsplit('\n').next().unwrap().len()].map(|it| it as u32)
        };
        let ([line, column], [end_line, end_column]) = (place(at), place(at + old.len()));
        self.version += 1;
        self.editor.change(&self.open, self.version, [line, column, end_line, end_column], new);
        self.text.replace_range(at..at + old.len(), new);
    }

    async fn ask(&mut self) -> Value {
        let params = json!({
            "textDocument": { "uri": self.open },
            "position": { "line": 0, "character": 0 },
            "context": { "triggerKind": 1 },
        });
        self.editor.driver.request("tandem/nextEdit", params).await.unwrap()
    }

    /// Sends requests until this is left: files are indexed in the background.
    async fn ask_until(&mut self, expected: &str) -> Value {
        let began = std::time::Instant::now();
        loop {
            let answer = self.ask().await;
            if self.told(&answer) == expected || began.elapsed() > std::time::Duration::from_secs(20) {
                return answer;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }

    /// The remaining locations, as `file:line:column`, and the actions of a client for them.
    pub(super) fn told(&self, answer: &Value) -> String {
        let left = &answer["left"];
        let root = uri(&std::fs::canonicalize(self.folder.path()).unwrap());
        let place = |it: &Value| {
            let at = &it["range"]["start"];
            let file = it["uri"].as_str().unwrap().strip_prefix(&root).unwrap();
            format!("{}:{}:{}", &file[1..], at["line"], at["character"])
        };
        let mut told: Vec<String> = left["places"].as_array().into_iter().flatten().map(place).collect();
        let rename = left["rename"]["from"].as_str().zip(left["rename"]["to"].as_str());
        told.extend(rename.map(|(from, to)| format!("rename {from} to {to}")));
        told.extend(left["instruction"].as_str().map(str::to_owned));
        told.join(", ")
    }
}

pub(super) fn alone() -> Setup {
    Setup { simulator: None, ..Setup::default() }
}

const FILES: [(&str, &str); 3] = [("src/shape.rs", SHAPE), ("src/one.rs", USER), ("src/two.rs", USER)];

/// A rewrite that renames or gives other parameters says which uses outside of it no longer fit.
#[tokio::test]
async fn rewrite_says_which_uses_it_leaves() {
    let area = "def area(width):\n    return width\n\n\ndef f():\n    return area(1) + area(2)\n\n\ndef g():\n    return area(3)\n";
    let user = "from shape import area\n\nprint(area(2))\n";
    let mut project =
        Project::new(alone(), "python", &[("shape.py", area), ("one.py", user), ("two.py", user)]).await;
    let mut check = async |instruction: &str, said: &str, places: &str| {
        let end = json!({ "line": 1, "character": 4 });
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
        let argument = json!({ "textDocument": { "uri": project.open }, "range": range,
            "instruction": instruction, "preview": true });
        let params = json!({ "command": "tandem.rewrite", "arguments": [argument] });
        let answer = project.editor.driver.request("workspace/executeCommand", params).await.unwrap();
        assert_eq!(answer["flags"], if said.is_empty() { json!([]) } else { json!([said]) });
        assert_eq!(project.told(&answer), places);
    };
    check(
        "rename area to surface",
        "6 lines in 3 files no longer fit: one.py:1,3, shape.py:6,10, two.py:1,3",
        "one.py:0:0, one.py:2:0, shape.py:5:0, shape.py:9:0, two.py:0:0, two.py:2:0",
    )
    .await;
    // What only the rewritten lines use is no one else's.
    check("rename width to breadth", "", "").await;
    project.editor.finish().await;
}

#[tokio::test]
async fn last_edit_of_a_chain_says_what_other_files_have() {
    let mut project = Project::new(alone(), "rust", &FILES).await;
    project.replace("area", "surface");
    let first = project.ask().await;
    assert_eq!((first["edits"][0]["text"].as_str(), first.get("left")), (Some("surface"), None));
    project.replace("    area", "    surface");
    let all = "src/one.rs:0:18, src/one.rs:3:4, src/one.rs:3:14, src/two.rs:0:18, src/two.rs:3:4, src/two.rs:3:14, rename area to surface";
    let last = project.ask_until(all).await;
    assert_eq!(last["edits"][0]["range"]["start"], json!({ "line": 5, "character": 17 }));
    assert_eq!(project.told(&last), all);
    project.replace("+ area", "+ surface");
    let elsewhere = project.ask().await;
    assert!(elsewhere["edits"][0]["textDocument"]["uri"].as_str().unwrap().ends_with("/src/one.rs"));
    let beyond = all.strip_prefix("src/one.rs:0:18, ").unwrap();
    assert_eq!(project.told(&elsewhere), beyond, "the edit that is shown is not left");
    project.editor.finish().await;
}

#[tokio::test]
async fn client_that_shows_nothing_of_it_is_sent_nothing() {
    let mut project = Project::new(alone(), "rust", &FILES[..2]).await;
    project.editor.finish().await;
    let mut editor = Editor::with(alone()).await;
    editor.open_only("file:///no-such-folder/src/one.rs", "rust", USER);
    editor.open_only("file:///no-such-folder/src/shape.rs", "rust", SHAPE);
    editor.change("file:///no-such-folder/src/shape.rs", 2, [0, 7, 0, 11], "surface");
    project = Project { editor, open: "file:///no-such-folder/src/shape.rs".to_owned(), ..project };
    project.replace("    area(4) + area(5)", "    surface(4) + surface(5)");
    let answer = project.ask().await;
    assert_eq!(answer.get("left"), None, "{answer}");
    project.editor.finish().await;
}

/// Checks the edits left after a change of the first file.
async fn check(language: &str, files: &[(&str, &str)], done: [&str; 2], expected: &str) {
    let mut project = Project::new(alone(), language, files).await;
    project.replace(done[0], done[1]);
    let answer = project.ask_until(expected).await;
    assert_eq!(project.told(&answer), expected, "{language}: {answer}");
    project.editor.finish().await;
}

#[tokio::test]
async fn calls_that_do_not_fit_a_signature_are_left() {
    check(
        "rust",
        &FILES,
        ["width: u32", "width: u32, height: u32"],
        "src/shape.rs:5:4, src/shape.rs:5:14, src/one.rs:3:4, src/one.rs:3:14, src/two.rs:3:4, src/two.rs:3:14",
    )
    .await;
    check("rust", &FILES, ["width: u32", "width: u64"], "").await;
    let util = ("util.py", "def load(path):\n    return path\n");
    let main = ("main.py", "from util import load\n\n\ndef f():\n    return load(1), load(1, 2)\n");
    check("python", &[util, main], ["path)", "path, mode)"], "main.py:4:11").await;
    check("python", &[util, main], ["path)", "path, mode=1)"], "").await;
    let util = ("util.ts", "export function load(path: string) {\n  return path;\n}\n");
    let main =
        ("main.ts", "import { load } from './util';\n\nexport function f() {\n  return load('a');\n}\n");
    check("typescript", &[util, main], ["path: string", "path: string, mode: string"], "main.ts:3:9").await;
    let util = ("util.go", "package a\n\nfunc load(path string) string {\n\treturn path\n}\n");
    let main = ("main.go", "package a\n\nfunc f() string {\n\treturn load(\"a\")\n}\n");
    check("go", &[util, main], ["path string", "path string, mode int"], "main.go:3:8").await;
}

#[tokio::test]
async fn with_a_model_there_is_an_instruction_for_a_plan() {
    let models = Models { fast: Some(std::sync::Arc::new(Answering(Reply::NoEdits))), deep: None };
    let setup = Setup { models: Some(models), ..alone() };
    let mut project = Project::new(setup, "rust", &FILES[..2]).await;
    project.replace("width: u32", "width: u32, height: u32");
    let expected = "src/shape.rs:5:4, src/shape.rs:5:14, src/one.rs:3:4, src/one.rs:3:14, Adapt the calls of `area` in other files to its signature in src/shape.rs, which has changed";
    let answer = project.ask_until(expected).await;
    assert_eq!((&answer["edits"], project.told(&answer).as_str()), (&json!([]), expected));
    project.editor.finish().await;
}

#[tokio::test]
async fn rename_that_only_a_language_server_can_judge_is_left_to_it() {
    let shape = "pub struct Shape;\n\nimpl Shape {\n    pub fn total(&self) -> u32 {\n        1\n    }\n}\n";
    let other = "pub struct Page;\n\nimpl Page {\n    pub fn total(&self) -> u32 {\n        2\n    }\n}\n";
    let user = "use crate::shape::Shape;\n\nfn f(all: &[Shape]) -> u32 {\n    all.iter().map(|it| it.total()).sum()\n}\n";
    let manifest = "[package]\nname = \"shapes\"\n";
    let [shape, other] = [("src/shape.rs", shape), ("src/other.rs", other)];
    let crate_root = [("Cargo.toml", manifest), ("src/lib.rs", "mod other;\nmod shape;\nmod user;\n")];
    let files = [shape, other, crate_root[0], crate_root[1], ("src/user.rs", user)];
    check("rust", &files, ["total", "gross"], "rename total to gross").await;
    let apart = [shape, other, crate_root[0], crate_root[1], ("src/plain.rs", "fn f() {}\n")];
    check("rust", &apart, ["total", "gross"], "").await;
}
