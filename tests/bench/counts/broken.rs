//! A file with misspelt names, a compiler's diagnostics for it, and the requests that an editor makes for the fixes.

use serde_json::{Value, json};
use tandem::lsp_client::LspClient;

const URI: &str = "file:///work/a.rs";
/// Lines per function.
const HEIGHT: usize = 5;

/// An editor in which a broken file is open.
pub(crate) struct BrokenFile {
    pub(crate) client: LspClient,
    pub(crate) diagnostics: Vec<Value>,
    lines: usize,
    version: i32,
}

impl BrokenFile {
    /// Opens a file of `lines` lines in which `wrong` names, evenly spread, are misspelt, and publishes the
    /// diagnostics.
    pub(crate) async fn open(mut client: LspClient, lines: usize, wrong: usize) -> Self {
        let action = json!({
            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } },
            "resolveSupport": { "properties": ["edit"] },
        });
        let capabilities = json!({
            "textDocument": { "codeAction": action },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
        });
        client.initialize(json!({ "capabilities": capabilities })).await.unwrap();
        let (text, diagnostics) = file(lines, wrong);
        let document = json!({ "uri": URI, "languageId": "rust", "version": 0, "text": text });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let params = json!({ "uri": URI, "version": 0, "diagnostics": diagnostics });
        client.notify("tandem/diagnostics", params);
        Self { client, diagnostics, lines, version: 0 }
    }

    /// Types a digit at the end of the number in a function.
    pub(crate) fn key(&mut self, function: usize) {
        self.version += 1;
        // `    let total = a + 5;`
        let place = json!({ "line": function * HEIGHT + 1, "character": 20 });
        self.client.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": URI, "version": self.version },
                "contentChanges": [{ "range": { "start": place, "end": place }, "text": "1" }],
            }),
        );
    }

    /// Asks for all fixes, as an editor does before it writes; returns how many edits there are.
    pub(crate) async fn save(&mut self, sends_diagnostics: bool) -> usize {
        let sent = if sends_diagnostics { self.diagnostics.clone() } else { Vec::new() };
        let end = json!({ "line": self.lines, "character": 0 });
        let params = json!({
            "textDocument": { "uri": URI },
            "range": { "start": { "line": 0, "character": 0 }, "end": end },
            "context": { "diagnostics": sent, "only": ["source.fixAll.tandem"] },
        });
        let actions = self.client.request("textDocument/codeAction", params).await.unwrap();
        actions[0]["edit"]["documentChanges"][0]["edits"].as_array().map_or(0, Vec::len)
    }

    /// Asks for the quick fixes of one diagnostic; returns how many actions there are.
    pub(crate) async fn list(&mut self, number: usize) -> usize {
        let diagnostic = &self.diagnostics[number];
        let params = json!({
            "textDocument": { "uri": URI },
            "range": diagnostic["range"],
            "context": { "diagnostics": [diagnostic] },
        });
        let actions = self.client.request("textDocument/codeAction", params).await.unwrap();
        actions.as_array().map_or(0, Vec::len)
    }
}

fn file(lines: usize, wrong: usize) -> (String, Vec<Value>) {
    let (mut text, mut diagnostics) = (String::new(), Vec::new());
    let functions = lines / HEIGHT;
    for number in 0..functions {
        let is_wrong = number % (functions / wrong) == 0;
        let name = if is_wrong { "totl" } else { "total" };
        text += &format!(
            "fn number_{number}(a: u32) -> u32 {{\n    let total = a + {number};\n    {name}\n}}\n\n"
        );
        if is_wrong {
            let line = number * HEIGHT + 2;
            diagnostics.push(json!({
                "range": { "start": { "line": line, "character": 4 }, "end": { "line": line, "character": 8 } },
                "severity": 1,
                "source": "rustc",
                "message": "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`",
            }));
        }
    }
    (text, diagnostics)
}
