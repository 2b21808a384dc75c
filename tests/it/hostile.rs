//! Hostile workspaces, disks and servers: the resources that they can use, and the places that their text can reach.

mod disk;
#[cfg(unix)]
mod words;

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tandem::lsp_client::LspClient;
use tokio::process::{Child, Command};

use crate::support::{capabilities, complete_params, uri};

/// A server in its own process, driven as by an editor.
pub(crate) struct Served {
    pub(crate) driver: LspClient,
    pub(crate) child: Child,
}

impl Served {
    /// Starts a server initialized by an editor with `folder` open, whose configuration is `config.toml` there.
    pub(crate) async fn start(folder: &Path, process: Option<u32>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command.arg("lsp").current_dir(folder).env("TANDEM_STATE", folder.join("state"));
        command.env("TANDEM_CONFIG", folder.join("config.toml")).env("TANDEM_LOG", "debug");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut driver = LspClient::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let params = json!({
            "processId": process,
            "workspaceFolders": [{ "uri": uri(folder), "name": "work" }],
            "capabilities": capabilities("utf-16"),
        });
        driver.initialize(params).await.unwrap();
        Self { driver, child }
    }

    /// Opens a file in which the local engine has a suggestion, and requests ghost text at its end.
    async fn complete(&mut self, path: &Path) -> Value {
        let text = "let a1 = f(1);\nlet a2 = f(2);\nlet a3 = ";
        let document = json!({ "uri": uri(path), "languageId": "rust", "version": 1, "text": text });
        self.driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
        let mut params = complete_params(&uri(path), 2, 9);
        params["context"]["triggerKind"] = json!(1);
        let items = self.driver.request("textDocument/inlineCompletion", params).await.unwrap();
        items.pointer("/0/insertText").cloned().unwrap_or_default()
    }

    /// Ends the server; returns its messages besides the answers, and its log.
    pub(crate) async fn finish(self) -> (Vec<Value>, String) {
        let said = self.driver.finish().await.unwrap();
        let output = self.child.wait_with_output().await.unwrap();
        (said, String::from_utf8(output.stderr).unwrap())
    }
}

pub(crate) fn config(base_url: &str, wire: &str) -> String {
    format!(
        "[providers.test]\nbase_url = \"{base_url}\"\nwire = \"{wire}\"\n\
         [fast]\ncandidates = [{{ provider = \"test\", model = \"m\" }}]\n"
    )
}
