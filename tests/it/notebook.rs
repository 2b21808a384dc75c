//! Notebooks: the cells of one form a text, and each is edited separately.
//!
//! A notebook is written as its cells, each below a line `--- LANGUAGE`; `ˇ` is the cursor.

use std::time::Duration;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{Options, Script};
use tempfile::TempDir;

use crate::support::{Editor, Setup, apply_edit, at_cursor};

const URI: &str = "file:///no-such-folder/in/n.ipynb";

/// A notebook that is open in an editor, and the requests to a model.
struct Notebook {
    editor: Editor,
    cells: Vec<(String, String)>,
    /// The cell with the cursor, the cursor's line and its column.
    at: (usize, u32, u32),
    version: i32,
    record: TempDir,
}

fn cell_uri(number: usize) -> String {
    format!("vscode-notebook-cell:/no-such-folder/in/n.ipynb#W{number}")
}

impl Notebook {
    async fn open(marked: &str) -> Self {
        Self::with(marked, Some(r#"{"reply": "known(1)"}"#), "").await
    }

    /// Opens a notebook and types the letter before the cursor, as an unchanged cell has no suggestions.
    async fn with(marked: &str, script: Option<&str>, settings: &str) -> Self {
        let record = TempDir::new().unwrap();
        let simulator = script.map(|script| Options {
            script: Script::parse(script).unwrap(),
            record: Some(record.path().join("frames")),
            ..Options::default()
        });
        let setup = Setup { simulator, settings: settings.to_owned(), ..Setup::default() };
        let mut at = (0, 0, 0);
        let cells = marked.split("--- ").skip(1).enumerate().map(|(number, cell)| {
            let (language, text) = cell.split_once('\n').unwrap();
            let mut text = text.strip_suffix('\n').unwrap_or(text).to_owned();
            if text.contains('ˇ') {
                let (whole, line, column) = at_cursor(&text);
                (text, at) = (whole, (number, line, column));
            }
            (language.to_owned(), text)
        });
        let cells = cells.collect();
        let mut it = Self { editor: Editor::with(setup).await, cells, at, version: 1, record };
        let all: Vec<usize> = (0..it.cells.len()).collect();
        let notebook =
            json!({ "uri": URI, "notebookType": "jupyter-notebook", "version": 1, "cells": it.listed(&all) });
        let params = json!({ "notebookDocument": notebook, "cellTextDocuments": it.texts(&all) });
        it.editor.driver.notify("notebookDocument/didOpen", params);
        it.type_letter();
        it
    }

    fn type_letter(&mut self) {
        let (cell, line, column) = self.at;
        let Some(before) = column.checked_sub(1) else { return };
        let text = self.cells[cell].1.lines().nth(line as usize).unwrap();
        let letter = text.chars().nth(before as usize).unwrap().to_string();
        let at = |column: u32| json!({ "line": line, "character": column });
        let change = |from: u32, to: u32, text: &str| json!({ "range": { "start": at(from), "end": at(to) }, "text": text });
        let changes = [change(before, column, ""), change(before, before, &letter)];
        for change in changes {
            self.version += 1;
            let document = json!({ "uri": cell_uri(cell), "version": self.version });
            self.change(json!({ "textContent": [{ "document": document, "changes": [change] }] }));
        }
    }

    fn listed(&self, numbers: &[usize]) -> Vec<Value> {
        let kind = |language: &str| if language == "markdown" { 1 } else { 2 };
        let cell =
            |number: &usize| json!({ "kind": kind(&self.cells[*number].0), "document": cell_uri(*number) });
        numbers.iter().map(cell).collect()
    }

    fn texts(&self, numbers: &[usize]) -> Vec<Value> {
        let document = |number: &usize| {
            let (language, text) = &self.cells[*number];
            json!({ "uri": cell_uri(*number), "languageId": language, "version": 1, "text": text })
        };
        numbers.iter().map(document).collect()
    }

    fn change(&mut self, cells: Value) {
        let params =
            json!({ "notebookDocument": { "uri": URI, "version": 2 }, "change": { "cells": cells } });
        self.editor.driver.notify("notebookDocument/didChange", params);
    }

    /// Replaces `delete` cells from `start` on with the cells of these numbers.
    fn replace(&mut self, start: usize, delete: usize, new: &[usize]) {
        let array = json!({ "start": start, "deleteCount": delete, "cells": self.listed(new) });
        self.change(json!({ "structure": { "array": array } }));
    }

    async fn complete(&mut self) -> Value {
        let (cell, line, column) = self.at;
        self.editor.complete(&cell_uri(cell), line, column).await
    }

    /// Runs a command on the cursor's line.
    async fn command(&mut self, command: &str, mut argument: Value) -> Value {
        let (cell, line, _) = self.at;
        let (start, end) =
            (json!({ "line": line, "character": 0 }), json!({ "line": line + 1, "character": 0 }));
        argument["textDocument"] = json!({ "uri": cell_uri(cell) });
        argument["range"] = json!({ "start": start, "end": end });
        let params = json!({ "command": command, "arguments": [argument] });
        self.editor.driver.request("workspace/executeCommand", params).await.unwrap()
    }

    /// The titles of the fixes for a diagnostic about a name on the cursor's line.
    async fn fixes(&mut self, name: &str, message: &str) -> String {
        let (cell, line, _) = self.at;
        let text = self.cells[cell].1.lines().nth(line as usize).unwrap();
        let start = text.find(name).unwrap();
        let at = |character: usize| json!({ "line": line, "character": character });
        let range = json!({ "start": at(start), "end": at(start + name.len()) });
        let diagnostic = json!({ "range": range, "severity": 1, "message": message });
        let params = json!({
            "textDocument": { "uri": cell_uri(cell) },
            "range": range,
            "context": { "diagnostics": [diagnostic], "only": ["quickfix"] },
        });
        let listed = self.editor.driver.request("textDocument/codeAction", params).await.unwrap();
        let titles = listed.as_array().unwrap().iter().map(|it| it["title"].as_str().unwrap().to_owned());
        titles.collect::<Vec<_>>().join("\n")
    }

    /// All requests to the model.
    fn frames(&self) -> String {
        std::fs::read_to_string(self.record.path().join("frames")).unwrap()
    }

    /// The input of the last request to the model.
    fn sent(&self) -> String {
        let frames = self.frames();
        let Some(last) = frames.lines().last() else { return "nothing".to_owned() };
        let last: Value = serde_json::from_str(last).unwrap();
        last["input"][0]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// Requests ghost text in a notebook, and shows the input to the model.
async fn check(marked: &str, expect: Expect) {
    check_after(marked, |_| {}, expect).await;
}

/// The same after changes.
async fn check_after(marked: &str, change: impl FnOnce(&mut Notebook), expect: Expect) {
    let mut notebook = Notebook::open(marked).await;
    change(&mut notebook);
    notebook.complete().await;
    expect.assert_eq(&notebook.sent());
    notebook.editor.finish().await;
}

#[tokio::test]
async fn code_cells_are_shown_in_their_order() {
    check(
        "--- python\nimport numpy as np\n--- markdown\n# Title\n--- python\nx = ˇ\n--- python\n\n--- python\nprint(x)\n--- r\ny <- 1\n",
        expect![[r#"
            File: in/n.ipynb
            Language: python
            <|code|>
            import numpy as np

            x = <|cursor|>

            print(x)

        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_cell_of_another_language_is_no_context_and_has_none() {
    check(
        "--- python\n%matplotlib inline\na = 1\n--- python\n%%bash\nls\n--- python\n%%time\nb = 2\n--- python\nx = ˇ\n",
        expect![[r#"
            File: in/n.ipynb
            Language: python
            <|code|>
            %matplotlib inline
            a = 1

            %%time
            b = 2

            x = <|cursor|>"#]],
    )
    .await;
    check(
        "--- python\na = 1\n--- python\n%%bash\nls ˇ\n--- python\nb = 2\n",
        expect![[r#"
        File: in/n.ipynb
        Language: bash
        <|code|>
        %%bash
        ls <|cursor|>"#]],
    )
    .await;
    check(
        "--- markdown\n# Title\n--- julia\na = 1\n--- julia\nx = ˇ\n",
        expect![[r#"
        File: in/n.ipynb
        Language: julia
        <|code|>
        a = 1

        x = <|cursor|>"#]],
    )
    .await;
    check(
        "--- python\n%%R\nx <- ˇ\n",
        expect![[r#"
        File: in/n.ipynb
        Language: R
        <|code|>
        %%R
        x <- <|cursor|>"#]],
    )
    .await;
}

const THREE: &str = "--- python\na = 1\n--- python\nb = 2\n--- python\nx = ˇ\n";

#[tokio::test]
async fn moved_deleted_and_new_cells_change_the_order() {
    let moved = |it: &mut Notebook| {
        it.replace(0, 1, &[]);
        it.replace(2, 0, &[0]);
    };
    check_after(
        THREE,
        moved,
        expect![[r#"
        File: in/n.ipynb
        Language: python
        <|code|>
        b = 2

        x = <|cursor|>

        a = 1

    "#]],
    )
    .await;
    let deleted = |it: &mut Notebook| {
        let array = json!({ "start": 0, "deleteCount": 1 });
        let closed = json!([{ "uri": cell_uri(0) }]);
        it.change(json!({ "structure": { "array": array, "didClose": closed } }));
    };
    check_after(
        THREE,
        deleted,
        expect![[r#"
        File: in/n.ipynb
        Language: python
        <|code|>
        b = 2

        x = <|cursor|>"#]],
    )
    .await;
    let new = |it: &mut Notebook| {
        it.cells.push(("python".to_owned(), "c = 3".to_owned()));
        let array = json!({ "start": 1, "deleteCount": 1, "cells": it.listed(&[3, 1]) });
        it.change(json!({ "structure": { "array": array, "didOpen": it.texts(&[3]) } }));
    };
    check_after(
        THREE,
        new,
        expect![[r#"
        File: in/n.ipynb
        Language: python
        <|code|>
        a = 1

        c = 3

        b = 2

        x = <|cursor|>"#]],
    )
    .await;
}

#[tokio::test]
async fn cells_that_are_not_there_lose_the_order_alone() {
    let mut notebook = Notebook::open(THREE).await;
    for (start, delete) in [(7, 0), (0, usize::MAX)] {
        notebook.replace(start, delete, &[]);
        notebook.editor.driver.expect("window/logMessage").await.unwrap();
    }
    notebook.complete().await;
    expect![[r#"
        File: in/n.ipynb
        Language: python
        <|code|>
        x = <|cursor|>"#]]
    .assert_eq(&notebook.sent());
    notebook.editor.finish().await;
}

#[tokio::test]
async fn changes_that_cannot_be_read_or_placed_are_survived() {
    let mut notebook = Notebook::open(THREE).await;
    let unknown = json!({ "uri": cell_uri(9), "version": 2 });
    notebook.change(json!({ "textContent": [{ "document": unknown, "changes": [{ "text": "" }] }] }));
    notebook.editor.driver.expect("window/logMessage").await.unwrap();
    assert_eq!(notebook.complete().await[0]["insertText"], "known(1)");
    // The same cell twice, and one that was never opened.
    notebook.replace(0, 1, &[0, 0, 1]);
    notebook.cells.push(("python".to_owned(), String::new()));
    notebook.replace(0, 0, &[3]);
    notebook.change(json!({ "structure": "?" }));
    notebook.editor.driver.expect("window/logMessage").await.unwrap();
    assert_eq!(notebook.complete().await, json!([]), "the text is not known any more");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn a_notebook_can_be_closed_while_a_request_runs() {
    let script = r#"{"reply": "late()", "ttft_ms": 60000}"#;
    let mut notebook = Notebook::with(THREE, Some(script), "").await;
    let params = crate::support::complete_params(&cell_uri(2), 0, 4);
    let asked = notebook.editor.driver.ask("textDocument/inlineCompletion", params);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let cells: Vec<Value> = (0..3).map(|number| json!({ "uri": cell_uri(number) })).collect();
    let params = json!({ "notebookDocument": { "uri": URI }, "cellTextDocuments": cells });
    notebook.editor.driver.notify("notebookDocument/didClose", params);
    assert_eq!(notebook.editor.driver.answer(asked).await.unwrap()["result"], json!([]));
    notebook.editor.finish().await;
}

#[tokio::test]
async fn of_thousands_of_cells_the_nearest_are_shown_and_the_first_imports() {
    let many = "--- python\n# One more is one too many, as a rule.\ntotal = total + 1\n".repeat(5_000);
    let cells = format!("--- python\nimport numpy as np\n{many}--- python\nx = ˇ\n");
    let mut notebook = Notebook::with(&cells, Some(r#"{"reply": "NO_EDITS"}"#), "").await;
    let mut sent = String::new();
    // The first cells are parsed in the background.
    let outline = "<|outline|>\nimport numpy as np\n";
    for _ in 0..500 {
        notebook.complete().await;
        notebook.type_letter();
        sent = notebook.sent();
        if sent.contains(outline) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(sent.contains(outline) && sent.len() < 12 * 1024, "{sent}");
    assert!(sent.ends_with("total = total + 1\n\nx = <|cursor|>"), "{sent}");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn the_local_engine_goes_on_with_another_cell() {
    let many: String = (0..6).map(|n| format!("frame.plot(figsize=(12, 4), title='{n}')\n")).collect();
    let mut notebook = Notebook::with(&format!("--- python\n{many}--- python\nframe.plˇ\n"), None, "").await;
    // The cells are learned in the background.
    let mut items = json!([]);
    while items == json!([]) {
        tokio::time::sleep(Duration::from_millis(10)).await;
        notebook.type_letter();
        items = notebook.complete().await;
    }
    let text = items[0]["insertText"].as_str().unwrap();
    assert!(text.starts_with("ot(figsize=(12, 4)"), "{text}");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn a_name_of_another_cell_is_known() {
    let ask = async |cells: &str| {
        let settings = "eagerness = \"low\"\n";
        let mut notebook = Notebook::with(cells, Some(r#"{"reply": "known(1)"}"#), settings).await;
        let items = notebook.complete().await;
        notebook.editor.finish().await;
        items[0]["insertText"].clone()
    };
    assert_eq!(ask("--- python\nx = ˇ\n--- python\ndef known(a):\n    pass\n").await, "known(1)");
    assert_eq!(ask("--- python\nx = ˇ\n").await, Value::Null);
}

#[tokio::test]
async fn no_certain_fix_takes_a_name_of_another_cell_for_a_mistake() {
    let check = async |cells: &str, name: &str, message: &str, expected: &str| {
        let mut notebook = Notebook::with(cells, None, "").await;
        assert_eq!(notebook.fixes(name, message).await, expected, "{cells}");
        notebook.editor.finish().await;
    };
    let undefined = "undefined name 'totl'";
    let cell = "--- python\ntotal = 1\nprint(totl)ˇ\n";
    check(cell, "totl", undefined, "Tandem: change `totl` to `total`").await;
    check(&format!("{cell}--- python\nfor totl in []:\n    pass\n"), "totl", undefined, "").await;
    let unused = "'os' imported but unused";
    check("--- python\nimport osˇ\n", "os", unused, "Tandem: remove the unused import `os`").await;
    check("--- python\nimport osˇ\n--- python\nos.getcwd()\n", "os", unused, "").await;
    check(
        "--- python\nimport osˇ\n--- python\n%%bash\nos\n",
        "os",
        unused,
        "Tandem: remove the unused import `os`",
    )
    .await;
}

#[tokio::test]
async fn a_rewrite_sees_the_other_cells_and_changes_its_own() {
    let cells = "--- python\nimport numpy as np\n--- python\n%matplotlib inline\nx = 1ˇ\ny = 2\n--- python\nprint(x)\n";
    let mut notebook = Notebook::with(cells, Some(r#"{"reply": "x = np.ones(1)"}"#), "").await;
    let answer =
        notebook.command("tandem.rewrite", json!({ "instruction": "use numpy", "preview": true })).await;
    expect![[r#"
        File: in/n.ipynb
        Language: python
        <|before|>
        import numpy as np

        %matplotlib inline

        <|range|>
        x = 1

        <|after|>
        y = 2

        print(x)


        <|instruction|>
        use numpy
    "#]]
    .assert_eq(&notebook.sent());
    assert_eq!(answer["edit"]["documentChanges"][0]["textDocument"]["uri"], cell_uri(1));
    let edited = apply_edit(&notebook.cells[1].1, &answer["edit"]);
    assert_eq!(edited, "%matplotlib inline\nx = np.ones(1)\ny = 2");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn other_jobs_quote_the_other_cells() {
    let mut notebook = Notebook::open("--- python\na = 1\n--- python\nx = aˇ\n--- python\nprint(x)\n").await;
    notebook.command("tandem.job", json!({ "job": "explain", "tell": false })).await;
    expect![[r#"
        <|project|>
        @@ in/n.ipynb, the cells before
        a = 1

        @@ in/n.ipynb, the cells behind
        print(x)

        <|file|>
        <|what|>
        in/n.ipynb
        <|code|>
        x = a
    "#]]
    .assert_eq(&notebook.sent());
    notebook.editor.finish().await;
}

#[tokio::test]
async fn what_was_done_in_another_cell_is_shown() {
    let cells = "--- python\na = 1\n--- python\nx = aˇ\n";
    let mut notebook = Notebook::with(cells, Some(r#"{"reply": "NO_EDITS"}"#), "").await;
    // The model is asked once the ignore files are read.
    notebook.complete().await;
    let end = json!({ "line": 0, "character": 5 });
    let change = json!({ "range": { "start": end, "end": end }, "text": "2" });
    let document = json!({ "uri": cell_uri(0), "version": 9 });
    notebook.change(json!({ "textContent": [{ "document": document, "changes": [change] }] }));
    notebook.type_letter();
    let params = json!({
        "textDocument": { "uri": cell_uri(1), "version": notebook.version },
        "position": { "line": 0, "character": 5 },
        "context": { "triggerKind": 1 },
    });
    notebook.editor.driver.request("tandem/nextEdit", params).await.unwrap();
    let frames = notebook.frames();
    assert!(frames.lines().any(|it| it.contains("<|steps|>") && it.contains("+a = 12")), "{frames}");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn a_key_in_another_cell_is_not_sent() {
    let key = format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2));
    let cells = format!("--- python\nkey = '{key}'\n--- python\nx = ˇ\n");
    let mut notebook = Notebook::open(&cells).await;
    notebook.complete().await;
    notebook.command("tandem.job", json!({ "job": "explain", "tell": false })).await;
    let frames = notebook.frames();
    assert!(frames.lines().count() > 1 && frames.contains("key = '") && !frames.contains(&key), "{frames}");
    notebook.editor.finish().await;
}

#[tokio::test]
async fn a_notebook_opened_as_text_is_left_alone() {
    let mut notebook = Notebook::open("--- python\nx = ˇ\n").await;
    let text = "{\n \"cells\": [\n \"known_from_json = 1\"\n ]\n}\n";
    notebook.editor.open("file:///no-such-folder/other.ipynb", "json", text);
    assert_eq!(notebook.editor.complete("file:///no-such-folder/other.ipynb", 2, 2).await, json!([]));
    let about = json!({ "command": "tandem.why", "arguments": [] });
    let why = notebook.editor.driver.request("workspace/executeCommand", about).await.unwrap();
    assert_eq!(why["decisions"][0]["code"], "notebook-file");
    notebook.complete().await;
    assert!(!notebook.frames().contains("known_from_json"));
    notebook.editor.finish().await;
}
