//! An open notebook as its messages have it.

use serde_json::json;

use super::open_text::{CHANGES_BYTES, OpenText};
use crate::document::position::Encoding;
use crate::lsp::protocol::{
    Cell, CellArray, CellText, DidChangeNotebook, DidOpenNotebook, OpenedNotebook, Structure,
};
use crate::lsp::window::message::{message, params};

/// The order of a notebook's cells, and their texts.
#[derive(Debug)]
pub(super) struct OpenNotebook {
    uri: String,
    cells: Vec<Cell>,
    texts: Vec<OpenText>,
    /// The last change that cannot be read: with it, a new server loses what the lost one had lost.
    unreadable: Option<Vec<u8>>,
}

impl OpenNotebook {
    /// Reads `notebookDocument/didOpen`. Also returns the URI; `None` if the message cannot be read.
    ///
    /// `changed_at` is the number of the last change of any file.
    pub(super) fn read(body: &[u8], changed_at: u64) -> Option<(String, Self)> {
        let opened = params::<DidOpenNotebook>(body)?;
        let OpenedNotebook { uri, cells } = opened.notebook_document;
        let texts = opened.cell_text_documents.into_iter().map(|it| OpenText::new(it, changed_at)).collect();
        Some((uri.clone(), Self { uri, cells, texts, unreadable: None }))
    }

    /// Notes `notebookDocument/didChange`.
    pub(super) fn change(&mut self, body: &[u8], encoding: Encoding, number: u64) {
        let Some(DidChangeNotebook { change }) = params(body) else {
            self.unreadable = Some(body.to_vec());
            return;
        };
        if let Some(Structure { array, did_open, did_close }) = change.cells.structure {
            self.replace_cells(array);
            let closed = did_close.iter().map(|it| &it.uri);
            let gone: Vec<&String> = closed.chain(did_open.iter().map(|it| &it.uri)).collect();
            self.texts.retain(|text| !gone.iter().any(|uri| *uri == text.uri()));
            self.texts.extend(did_open.into_iter().map(|it| OpenText::new(it, number)));
        }
        for CellText { document, changes } in change.cells.text_content {
            let Some(text) = self.texts.iter_mut().find(|it| it.uri() == document.uri) else { continue };
            let params = json!({ "textDocument": document, "contentChanges": changes });
            let change = message(json!({ "method": "textDocument/didChange", "params": params }));
            text.change(&change, encoding, number);
        }
        if self.texts.iter().map(OpenText::changes_bytes).sum::<usize>() >= CHANGES_BYTES {
            self.texts.iter_mut().for_each(|it| it.settle(encoding));
        }
    }

    /// Like a server, loses the order of the cells by a range that is out of bounds.
    fn replace_cells(&mut self, CellArray { start, delete_count, cells }: CellArray) {
        match start.checked_add(delete_count).filter(|end| *end <= self.cells.len()) {
            Some(end) => drop(self.cells.splice(start..end, cells)),
            None => self.cells.clear(),
        }
    }

    /// The messages that open it with its current cells and texts.
    pub(super) fn messages(&self) -> Vec<Vec<u8>> {
        let texts: Vec<_> = self.texts.iter().map(OpenText::item).collect();
        let notebook = json!({ "uri": self.uri, "cells": self.cells });
        let params = json!({ "notebookDocument": notebook, "cellTextDocuments": texts });
        let open = message(json!({ "method": "notebookDocument/didOpen", "params": params }));
        let changes = self.texts.iter().flat_map(OpenText::changes).chain(&self.unreadable);
        std::iter::once(open).chain(changes.cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json::Value;

    use super::*;

    fn body(method: &str, params: &Value) -> Vec<u8> {
        message(json!({ "method": method, "params": params }))
    }

    fn cell(name: &str) -> Value {
        json!({ "kind": 2, "document": name })
    }

    fn document(name: &str) -> Value {
        json!({ "uri": name, "languageId": "python", "version": 1, "text": name })
    }

    /// A notebook with these cells, each with its name as its text.
    fn opened(names: &[&str]) -> OpenNotebook {
        let cells: Vec<_> = names.iter().map(|it| cell(it)).collect();
        let documents: Vec<_> = names.iter().map(|it| document(it)).collect();
        let params =
            json!({ "notebookDocument": { "uri": "n", "cells": cells }, "cellTextDocuments": documents });
        OpenNotebook::read(&body("notebookDocument/didOpen", &params), 0).unwrap().1
    }

    fn change(notebook: &mut OpenNotebook, cells: &Value) {
        let params = json!({ "notebookDocument": { "uri": "n" }, "change": { "cells": cells } });
        notebook.change(&body("notebookDocument/didChange", &params), Encoding::Utf16, 0);
    }

    /// The insertion of a text at the start of a cell.
    fn typed(name: &str, version: i32, text: &str) -> Value {
        let at = json!({ "line": 0, "character": 0 });
        let change = json!({ "range": { "start": at, "end": at }, "text": text });
        json!({ "textContent": [{ "document": { "uri": name, "version": version }, "changes": [change] }] })
    }

    /// Replaces cells, and opens and closes their texts.
    fn moved(start: usize, gone: usize, new: &[&str], closed: &[&str]) -> Value {
        let cells: Vec<_> = new.iter().map(|it| cell(it)).collect();
        let opened: Vec<_> = new.iter().map(|it| document(it)).collect();
        let closed: Vec<_> = closed.iter().map(|it| json!({ "uri": it })).collect();
        let array = json!({ "start": start, "deleteCount": gone, "cells": cells });
        json!({ "structure": { "array": array, "didOpen": opened, "didClose": closed } })
    }

    fn check(changes: &[Value], expect: Expect) {
        let mut notebook = opened(&["a", "b"]);
        changes.iter().for_each(|it| change(&mut notebook, it));
        let shown = |body: &Vec<u8>| {
            let it: Value = serde_json::from_slice(body).unwrap();
            let (cells, texts) =
                (&it["params"]["notebookDocument"]["cells"], &it["params"]["cellTextDocuments"]);
            match (cells.as_array(), texts.as_array()) {
                (Some(cells), Some(texts)) => {
                    let texts: Vec<_> =
                        texts.iter().map(|it| format!("{}={}", it["uri"], it["text"])).collect();
                    let cells: Vec<_> = cells.iter().map(|it| it["document"].to_string()).collect();
                    format!("cells {} texts {}\n", cells.join(" "), texts.join(" "))
                }
                _ => format!("{} {}\n", it["method"], it["params"]),
            }
        };
        expect.assert_eq(&notebook.messages().iter().map(shown).collect::<String>());
    }

    #[test]
    fn a_new_server_gets_the_cells_and_texts_of_the_lost_one() {
        check(
            &[moved(1, 1, &["c", "d"], &["b"])],
            expect![[r#"
            cells "a" "c" "d" texts "a"="a" "c"="c" "d"="d"
        "#]],
        );
        check(
            &[typed("a", 2, "x"), typed("b", 2, "y"), typed("gone", 2, "z")],
            expect![[r#"
            cells "a" "b" texts "a"="a" "b"="b"
            "textDocument/didChange" {"contentChanges":[{"range":{"end":{"character":0,"line":0},"start":{"character":0,"line":0}},"text":"x"}],"textDocument":{"uri":"a","version":2}}
            "textDocument/didChange" {"contentChanges":[{"range":{"end":{"character":0,"line":0},"start":{"character":0,"line":0}},"text":"y"}],"textDocument":{"uri":"b","version":2}}
        "#]],
        );
        check(
            &[moved(1, 5, &["c"], &[])],
            expect![[r#"
            cells  texts "a"="a" "b"="b" "c"="c"
        "#]],
        );
        check(
            &[json!({ "textContent": 1 }), json!({ "textContent": 2 })],
            expect![[r#"
            cells "a" "b" texts "a"="a" "b"="b"
            "notebookDocument/didChange" {"change":{"cells":{"textContent":2}},"notebookDocument":{"uri":"n"}}
        "#]],
        );
    }

    #[test]
    fn changes_of_cells_do_not_pile_up() {
        let mut notebook = opened(&["a", "b"]);
        for version in 2..3_000 {
            change(&mut notebook, &typed(["a", "b"][version as usize % 2], version, &"x".repeat(100)));
            assert!(notebook.texts.iter().map(OpenText::changes_bytes).sum::<usize>() < CHANGES_BYTES);
        }
        let kept: usize = notebook.messages().iter().map(Vec::len).sum();
        assert!(kept < 2_998 * 100 + 2 * CHANGES_BYTES, "{kept}");
        notebook.texts.iter_mut().for_each(|it| it.settle(Encoding::Utf16));
        assert_eq!(notebook.messages().len(), 1);
        assert!(notebook.messages()[0].len() > 2_998 * 100);
    }
}
