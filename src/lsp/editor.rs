//! What the server says to the editor.
//!
//! Nothing here waits for the editor's answer on behalf of a request, but for what the user is asked in a task of
//! its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tower_lsp::Client;
use tower_lsp::gen_lsp_types::{
    ConfigurationItem, LspNotificationMethod, LspRequestMethod, MessageDirection, MessageType, Notification,
    Registration, Request,
};

use super::protocol::{ApplyEdit, ApplyEditAnswer, WorkspaceEdit};
use crate::lsp::limits::REPEATED_PROBLEM_PAUSE;
use crate::text::printable_lines;

/// The way to the editor.
#[derive(Debug, Clone)]
pub(super) struct Editor {
    client: Client,
    /// The causes that a message box was shown for, and when.
    ///
    /// One box for each cause, since most causes come up again with every key.
    said: Arc<Mutex<HashMap<String, MessageRecord>>>,
    /// Messages that came up before the editor said `initialized`, which allows them.
    deferred: Arc<Mutex<Vec<String>>>,
}

/// When a cause was spoken of.
#[derive(Debug)]
struct MessageRecord {
    at: Instant,
    /// Whether the cause was gone since then.
    over: bool,
}

impl Editor {
    pub(super) fn new(client: Client) -> Self {
        Self { client, said: Arc::default(), deferred: Arc::default() }
    }

    /// Shows a message the first time that this cause comes up.
    ///
    /// Later only if the cause was gone, and [`REPEATED_PROBLEM_PAUSE`] has gone by.
    pub(super) fn warn_once(&self, cause: &str, message: String) {
        let news = {
            let mut said = self.said();
            let news =
                said.get(cause).is_none_or(|said| said.over && said.at.elapsed() > REPEATED_PROBLEM_PAUSE);
            if news {
                said.insert(cause.to_owned(), MessageRecord { at: Instant::now(), over: false });
            }
            news
        };
        if news {
            tracing::warn!(cause, message);
            self.show(MessageType::Warning, &message);
        }
    }

    /// Shows a message. All that the editor shows goes through here and [`Self::log`].
    fn show(&self, kind: MessageType, message: &str) {
        let (client, message) = (self.client.clone(), printable_lines(message).into_owned());
        tokio::spawn(async move { client.show_message(kind, message).await });
    }

    /// Tells the user something about what was just done for them.
    pub(super) fn tell(&self, message: String) {
        self.show(MessageType::Info, &message);
    }

    /// Shows a message as soon as the editor takes some.
    pub(super) fn defer(&self, message: String) {
        self.deferred().push(message);
    }

    /// The editor takes messages now: those that waited are shown as one.
    pub(super) fn send_deferred(&self) {
        let waiting = std::mem::take(&mut *self.deferred());
        if !waiting.is_empty() {
            self.warn_once("deferred", waiting.join("\n"));
        }
    }

    /// Marks the problem as resolved.
    ///
    /// It is shown again after [`REPEATED_PROBLEM_PAUSE`] at the earliest.
    pub(super) fn recovered(&self, cause: &str) {
        if let Some(said) = self.said().get_mut(cause) {
            said.over = true;
        }
    }

    /// Has the next message about a cause shown, whenever the last one was.
    pub(super) fn forget(&self, cause: &str) {
        self.said().remove(cause);
    }

    /// As [`Self::forget`], for all causes that begin so.
    pub(super) fn forget_all(&self, beginning: &str) {
        self.said().retain(|cause, _| !cause.starts_with(beginning));
    }

    /// Has the editor tell when one of these files changes.
    ///
    /// LSP 3.18 calls it "DidChangeWatchedFiles Notification".
    pub(super) fn watch(&self, watchers: Value) {
        let registration = Registration {
            id: "tandem-settings".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(json!({ "watchers": watchers })),
        };
        let editor = self.clone();
        tokio::spawn(async move {
            if let Err(error) = editor.client.register_capability(vec![registration]).await {
                tracing::warn!(%error, "the editor does not watch the configuration");
            }
        });
    }

    /// What the user set in the editor, LSP 3.18 "Configuration Request".
    ///
    /// `None` if it does not say.
    pub(super) async fn settings(&self) -> Option<Value> {
        let item = ConfigurationItem { scope_uri: None, section: Some("tandem".to_owned()) };
        self.client.configuration(vec![item]).await.ok()?.into_iter().next()
    }

    /// Writes a line to the editor's log of this server.
    pub(super) fn log(&self, message: String) {
        tracing::info!(message);
        let (client, message) = (self.client.clone(), printable_lines(&message).into_owned());
        tokio::spawn(async move { client.log_message(MessageType::Info, message).await });
    }

    /// Writes a line to the editor's log the first time that this cause comes up.
    pub(super) fn log_once(&self, cause: &str, message: String) {
        let now = MessageRecord { at: Instant::now(), over: false };
        let before = self.said().insert(cause.to_owned(), now);
        if before.is_none() {
            self.log(message);
        }
    }

    /// Has the editor apply an edit. Should it refuse, the user is told.
    pub(super) fn apply(&self, label: String, edit: WorkspaceEdit) {
        let editor = self.clone();
        tokio::spawn(async move {
            let answer = editor.client.send_request::<Apply>(ApplyEdit { label, edit }).await;
            let refused = match answer {
                Ok(ApplyEditAnswer { applied: true, .. }) => return,
                Ok(answer) => answer.failure_reason.unwrap_or_else(|| "it gave no reason".to_owned()),
                Err(error) => error.to_string(),
            };
            let message = format!("Tandem: the editor did not apply the edit ({refused}); try again");
            editor.show(MessageType::Warning, &message);
        });
    }

    /// Tells of a changed status.
    pub(super) fn status_changed(&self, status: Value) {
        let client = self.client.clone();
        tokio::spawn(async move { client.send_notification::<StatusChanged>(status).await });
    }

    /// Tells that a request for ghost text in a version of a document would get more than it did.
    pub(super) fn ghost_text_changed(&self, uri: &str, version: i32) {
        let (client, params) =
            (self.client.clone(), json!({ "textDocument": { "uri": uri, "version": version } }));
        tokio::spawn(async move { client.send_notification::<GhostTextChanged>(params).await });
    }

    /// Replaces our diagnostics of a document.
    pub(super) fn publish_diagnostics(&self, uri: &str, version: Option<i32>, diagnostics: Vec<Value>) {
        let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
        if let Some(version) = version {
            params["version"] = json!(version);
        }
        let client = self.client.clone();
        tokio::spawn(async move { client.send_notification::<PublishDiagnostics>(params).await });
    }

    /// Has the editor open a document.
    ///
    /// A refusal is only logged: the answer names the document, too.
    pub(super) fn show_document(&self, params: Value) {
        let client = self.client.clone();
        tokio::spawn(async move {
            if let Err(error) = client.send_request::<ShowDocument>(params).await {
                tracing::info!(%error, "the editor does not show a document");
            }
        });
    }

    /// Shows a document, then a question, and waits for what the user picks; `None` if the user picks nothing.
    pub(super) async fn ask_about(
        &self,
        document: Value,
        question: &str,
        options: &[&str],
    ) -> Result<Option<String>, String> {
        let shown = self.client.send_request::<ShowDocument>(document).await;
        if shown.map_err(|error| error.to_string())?["success"] != true {
            return Err("the editor does not show the change".to_owned());
        }
        let options: Vec<Value> = options.iter().map(|title| json!({ "title": title })).collect();
        let params = json!({ "type": 3, "message": printable_lines(question), "actions": options });
        let answer = self.client.send_request::<ShowMessageRequest>(params).await;
        Ok(answer.map_err(|error| error.to_string())?["title"].as_str().map(str::to_owned))
    }

    /// Tells of a bar to come; false if the editor will not have it.
    pub(super) async fn create_progress(&self, token: Value) -> bool {
        self.client.send_request::<CreateProgress>(json!({ "token": token })).await.is_ok()
    }

    /// Draws a bar anew.
    pub(super) async fn progress(&self, token: &Value, value: Value) {
        self.client.send_notification::<Progress>(json!({ "token": token, "value": value })).await;
    }

    /// How many causes are remembered.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.said().len()
    }

    fn said(&self) -> MutexGuard<'_, HashMap<String, MessageRecord>> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deferred(&self) -> MutexGuard<'_, Vec<String>> {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Declares a notification to the client: its type, parameters and method.
macro_rules! notification {
    ($(#[$doc:meta])+ $name:ident($params:ty), $method:expr) => {
        $(#[$doc])+
        enum $name {}

        impl Notification for $name {
            type Params = $params;
            const METHOD: LspNotificationMethod<'static> = $method;
            const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ServerToClient;
        }
    };
}

/// Declares a request to the client: its type, parameters, result and method.
macro_rules! request {
    ($(#[$doc:meta])+ $name:ident($params:ty) -> $result:ty, $method:expr) => {
        $(#[$doc])+
        enum $name {}

        impl Request for $name {
            type Params = $params;
            type Result = $result;
            const METHOD: LspRequestMethod<'static> = $method;
            const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ServerToClient;
        }
    };
}

notification!(
    /// `tandem/statusChanged`.
    StatusChanged(Value),
    LspNotificationMethod::Custom("tandem/statusChanged")
);
notification!(
    /// `tandem/ghostTextChanged`.
    GhostTextChanged(Value),
    LspNotificationMethod::Custom("tandem/ghostTextChanged")
);
notification!(
    /// `textDocument/publishDiagnostics`, with the URI as the editor spells it.
    PublishDiagnostics(Value),
    LspNotificationMethod::TextDocumentPublishDiagnostics
);
notification!(
    /// `$/progress`.
    Progress(Value),
    LspNotificationMethod::Progress
);
request!(
    /// `window/showMessageRequest`.
    ShowMessageRequest(Value) -> Value,
    LspRequestMethod::WindowShowMessageRequest
);
request!(
    /// `window/workDoneProgress/create`.
    CreateProgress(Value) -> Value,
    LspRequestMethod::WindowWorkDoneProgressCreate
);
request!(
    /// `window/showDocument`.
    ShowDocument(Value) -> Value,
    LspRequestMethod::WindowShowDocument
);
request!(
    /// `workspace/applyEdit`, with our shape of an edit.
    Apply(ApplyEdit) -> ApplyEditAnswer,
    LspRequestMethod::WorkspaceApplyEdit
);
