//! `tandem.checkPlan`: what the user reads before a part of a plan is applied.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::editor::able;
use crate::support::{Editor, Setup, uri};

/// An editor with a folder of files, which are indexed. One of them has a definition `f`.
struct Project {
    editor: Editor,
    root: PathBuf,
    _folder: TempDir,
}

impl Project {
    async fn new(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let setup =
            Setup { simulator: None, capabilities: able(), workspace: root.clone(), ..Setup::default() };
        let mut editor = Editor::with(setup).await;
        let about = json!({ "command": "tandem.ask", "arguments": [{ "question": "f", "quiet": true }] });
        while editor.driver.request("workspace/executeCommand", about.clone()).await.unwrap()["answers"]
            == json!([])
        {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        Self { editor, root, _folder: folder }
    }

    fn uri(&self, name: &str) -> String {
        uri(&self.root.join(name))
    }

    /// The edit of one line, such as `src/a.rs:3: text`; a line without a text is removed.
    fn edit(&self, line: &str) -> Value {
        let (name, rest) = line.split_once(':').unwrap();
        let (number, text) = rest.split_once(':').unwrap();
        let row = number.parse::<u32>().unwrap() - 1;
        let text = text.strip_prefix(' ').map_or(String::new(), |text| format!("{text}\n"));
        json!({
            "textDocument": { "uri": self.uri(name), "version": null },
            "edits": [{
                "newText": text,
                "range": { "start": { "line": row, "character": 0 }, "end": { "line": row + 1, "character": 0 } },
            }],
        })
    }

    /// What would be wrong with operations if some files were left out.
    async fn without(&mut self, operations: &[Value], left_out: &[&str]) -> String {
        let left_out: Vec<String> = left_out.iter().map(|name| self.uri(name)).collect();
        let argument = json!({ "edit": { "documentChanges": operations }, "leaveOut": left_out });
        let params = json!({ "command": "tandem.checkPlan", "arguments": [argument] });
        match self.editor.driver.request("workspace/executeCommand", params).await {
            Ok(answer) => {
                let found = answer["findings"].as_array().unwrap().iter();
                found.map(|it| it.as_str().unwrap()).collect::<Vec<_>>().join("\n")
            }
            Err(error) => error.to_string(),
        }
    }
}

const TOTAL: &str = "pub fn total(price: u32) -> u32 {\n    price\n}\n\nfn f() {}\n";
const REPORT: &str = "use crate::prices::total;\n\npub fn report() -> u32 {\n    total(2)\n}\n";
const LIB: &str = "mod prices;\nmod report;\n";
const FILES: [(&str, &str); 4] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\n"),
    ("src/lib.rs", LIB),
    ("src/report.rs", REPORT),
    ("src/prices.rs", TOTAL),
];

#[tokio::test]
async fn file_left_out_may_use_what_the_rest_changes() {
    let mut project = Project::new(&FILES).await;
    let whole = [
        project.edit("src/prices.rs:1: pub fn total(price: u32, tax: u32) -> u32 {"),
        project.edit("src/report.rs:4:     total(2, 3)"),
    ];
    assert_eq!(project.without(&whole, &[]).await, "");
    assert_eq!(
        project.without(&whole, &["src/report.rs"]).await,
        "src/report.rs:4: it still uses `total` in the old way; it is now `pub fn total(price: u32, tax: u32) -> u32`"
    );
    assert_eq!(
        project.without(&whole, &["src/prices.rs"]).await,
        "src/report.rs:4: it uses `total` as changed, which is still `pub fn total(price: u32) -> u32`"
    );
    assert_eq!(project.without(&whole, &["src/report.rs", "src/prices.rs"]).await, "");
    project.editor.finish().await;
}

#[tokio::test]
async fn what_is_wrong_with_the_whole_change_is_not_told_again() {
    let mut project = Project::new(&FILES).await;
    let whole = [
        project.edit("src/prices.rs:1: pub fn total(price: u32, tax: u32) -> u32 {"),
        project.edit("src/lib.rs:2: mod report; // of all"),
    ];
    assert_eq!(project.without(&whole, &["src/lib.rs"]).await, "");
    project.editor.finish().await;
}

#[tokio::test]
async fn new_deleted_and_moved_files_may_be_left_out() {
    let mut project = Project::new(&FILES).await;
    let [tax, report] = [project.uri("src/rates.rs"), project.uri("src/report.rs")];
    let new_file = json!({ "kind": "create", "uri": tax });
    let at = json!({ "line": 0, "character": 0 });
    let text = json!({
        "textDocument": { "uri": tax, "version": null },
        "edits": [{ "newText": "pub fn tax() -> u32 {\n    1\n}\n", "range": { "start": at, "end": at } }],
    });
    let whole = [
        new_file,
        text,
        project.edit("src/lib.rs:2: mod rates;\nmod report;"),
        project.edit("src/report.rs:4:     total(crate::rates::tax())"),
    ];
    assert_eq!(project.without(&whole, &[]).await, "");
    assert_eq!(
        project.without(&whole, &["src/rates.rs"]).await,
        "src/lib.rs:2: the import of `rates` leads nowhere\nsrc/report.rs:4: it uses `tax`, which is left out"
    );
    assert_eq!(
        project.without(&whole, &["src/lib.rs"]).await,
        "src/rates.rs: no `mod` declares it, so it is not compiled"
    );
    let moved = [
        json!({ "kind": "rename", "oldUri": report, "newUri": project.uri("src/summary.rs") }),
        project.edit("src/lib.rs:2: mod summary;"),
    ];
    assert_eq!(project.without(&moved, &[]).await, "");
    let without = "src/lib.rs:2: the import of `summary` leads nowhere";
    assert_eq!(project.without(&moved, &["src/summary.rs"]).await, without, "by its new name");
    assert_eq!(project.without(&moved, &["src/report.rs"]).await, without, "by its old name");
    let deleted = [
        json!({ "kind": "delete", "uri": project.uri("src/prices.rs") }),
        project.edit("src/lib.rs:1:"),
        project.edit("src/report.rs:1:"),
    ];
    let said = project.without(&deleted, &["src/report.rs"]).await;
    assert!(said.contains("src/report.rs:1: the import of `crate::prices::total` leads nowhere"), "{said}");
    project.editor.finish().await;
}

#[tokio::test]
async fn edit_of_another_text_is_refused() {
    let mut project = Project::new(&FILES).await;
    let mut edit = project.edit("src/report.rs:4:     total(3)");
    edit["textDocument"]["version"] = json!(3);
    let said = project.without(&[edit.clone()], &[]).await;
    assert!(said.contains("the document changed while the answer was made"), "{said}");
    let report = project.uri("src/report.rs");
    project.editor.open_only(&report, "rust", REPORT);
    edit["textDocument"]["version"] = json!(1);
    assert_eq!(project.without(&[edit], &[]).await, "");
    let mut outside = project.edit("src/report.rs:4:     total(3)");
    outside["textDocument"]["uri"] = json!("file:///elsewhere/a.rs");
    let said = project.without(&[outside], &[]).await;
    assert!(said.contains("outside of the workspace folders"), "{said}");
    project.editor.finish().await;
}

#[tokio::test]
async fn python_files_are_checked_as_well() {
    let files = [
        ("util.py", "def load(path):\n    return path\n\n\ndef f():\n    pass\n"),
        ("main.py", "from util import load\n\n\ndef run():\n    return load(1)\n"),
    ];
    let mut project = Project::new(&files).await;
    let whole =
        [project.edit("util.py:1: def load(path, mode):"), project.edit("main.py:5:     return load(1, 2)")];
    assert_eq!(
        project.without(&whole, &["main.py"]).await,
        "main.py:5: it still uses `load` in the old way; it is now `def load(path, mode):`"
    );
    assert_eq!(
        project.without(&whole, &["util.py"]).await,
        "main.py:5: it uses `load` as changed, which is still `def load(path):`"
    );
    project.editor.finish().await;
}
