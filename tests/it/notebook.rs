//! Notebooks: the cells of one are a text, and each is edited by itself.
//!
//! A notebook is written as its cells, each below a line `--- LANGUAGE`, the one with `ˇ` being asked about.

use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tandem::simulate::{Options, Script};
use tempfile::TempDir;

use crate::support::{Editor, Setup, apply_edit, at_cursor};

const NOTEBOOK: &str = "file:///no-such-folder/in/n.ipynb";

/// A notebook that is open in an editor, and what a model was sent.
struct Notebook {
    editor: Editor,
    cells: Vec<(String, String)>,
    version: i32,
    record: TempDir,
}

fn cell_uri(number: usize) -> String {
    format!("vscode-notebook-cell:/no-such-folder/in/n.ipynb#W{number}")
}

fn kind(language: &str) -> u32 {
    if language == "markdown" { 1 } else { 2 }
}

impl Notebook {
    /// Opens a notebook; returns the number of the cell with `ˇ` and its line and column, if there is one.
    async fn open(script: &str, marked: &str) -> (Self, (usize, u32, u32)) {
        let record = TempDir::new().unwrap();
        let options = Options {
            script: Script::parse(script).unwrap(),
            record: Some(record.path().join("frames")),
            ..Options::default()
        };
        let editor = Editor::with(Setup { simulator: Some(options), ..Setup::default() }).await;
        let mut at = (0, 0, 0);
        let cells = marked.split("--- ").skip(1).enumerate().map(|(number, cell)| {
            let (language, text) = cell.split_once('\n').unwrap();
            let text = text.strip_suffix('\n').unwrap_or(text);
            if !text.contains('ˇ') {
                return (language.to_owned(), text.to_owned());
            }
            let (text, line, column) = at_cursor(text);
            at = (number, line, column);
            (language.to_owned(), text)
        });
        let mut it = Self { cells: cells.collect(), editor, version: 1, record };
        let numbers: Vec<usize> = (0..it.cells.len()).collect();
        let notebook = json!({ "uri": NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": it.listed(&numbers) });
        let params = json!({ "notebookDocument": notebook, "cellTextDocuments": it.texts(&numbers) });
        it.editor.driver.notify("notebookDocument/didOpen", params);
        (it, at)
    }

    fn listed(&self, numbers: &[usize]) -> Vec<Value> {
        let cell = |number: &usize| json!({ "kind": kind(&self.cells[*number].0), "document": cell_uri(*number), "executionSummary": { "executionOrder": 1 } });
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
        self.version += 1;
        let params = json!({
            "notebookDocument": { "uri": NOTEBOOK, "version": self.version },
            "change": { "cells": cells },
        });
        self.editor.driver.notify("notebookDocument/didChange", params);
    }

    /// Types a letter and takes it back, as nothing is suggested unasked in an unchanged cell; then asks there.
    async fn complete(&mut self, (cell, line, column): (usize, u32, u32)) -> Value {
        let at = |column: u32| json!({ "line": line, "character": column });
        let whole = json!([{ "text": self.cells[cell].1 }]);
        let typed = json!([{ "range": { "start": at(column), "end": at(column) }, "text": "" }]);
        for (version, changes) in [(2, whole), (3, typed)] {
            let document = json!({ "uri": cell_uri(cell), "version": version });
            self.change(json!({ "textContent": [{ "document": document, "changes": changes }] }));
        }
        let params = json!({
            "textDocument": { "uri": cell_uri(cell) },
            "position": at(column),
            "context": { "triggerKind": 1 },
        });
        self.editor.driver.request("textDocument/inlineCompletion", params).await.unwrap()
    }

    /// What the model was sent last, without its instructions.
    fn sent(&self) -> String {
        sent(&self.record.path().join("frames"))
    }
}

fn sent(record: &Path) -> String {
    let frames = std::fs::read_to_string(record).unwrap();
    let Some(last) = frames.lines().last() else { return "nothing".to_owned() };
    eprintln!("{last}");
    last.to_owned()
}

/// Asks for ghost text in a notebook, and shows what the model was sent.
async fn check(marked: &str, expect: Expect) {
    let (mut notebook, at) = Notebook::open(r#"{"reply": "known"}"#, marked).await;
    let items = notebook.complete(at).await;
    assert!(items.as_array().is_some_and(|items| !items.is_empty()), "{items}");
    expect.assert_eq(&notebook.sent());
    notebook.editor.finish().await;
}

#[tokio::test]
async fn cells_are_shown_in_their_order_without_text_for_people() {
    check(
        "--- python\nimport numpy as np\n--- markdown\n# Title\n--- python\nx = ˇ\n--- python\nprint(x)\n--- r\ny <- 1\n",
        expect![[""]],
    )
    .await;
}
