//! Messages from the server to the editor.
//!
//! No request waits here for the editor's answer, except for questions to the user, which are asked in a
//! separate task.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tower_lsp::Client;
use tower_lsp::gen_lsp_types::{
    ConfigurationItem, LspNotificationMethod, LspRequestMethod, MessageDirection, MessageType, Notification,
    Registration, Request,
};

use super::protocol::{ApplyEdit, ApplyEditAnswer, SESSION_STATE, WorkspaceEdit};
use crate::lock::Mutex;
use crate::lsp::limits::REPEATED_PROBLEM_PAUSE;
use crate::text::printable_lines;

/// The connection to the editor.
#[derive(Debug, Clone)]
pub(super) struct Editor {
    client: Client,
    /// The causes that a message box was shown for, and when.
    ///
    /// One box per cause, since most causes recur with every key press.
    said: Arc<Mutex<HashMap<String, MessageRecord>>>,
    /// Messages from before the `initialized` notification, which may not be sent earlier.
    deferred: Arc<Mutex<Vec<String>>>,
}

/// When a cause was last reported.
#[derive(Debug)]
struct MessageRecord {
    at: Instant,
    /// Whether the cause has been resolved since.
    over: bool,
}

impl Editor {
    pub(super) fn new(client: Client) -> Self {
        Self { client, said: Arc::default(), deferred: Arc::default() }
    }

    /// Shows a message the first time that this cause occurs.
    ///
    /// It is shown again only if the cause was resolved and [`REPEATED_PROBLEM_PAUSE`] has passed.
    pub(super) fn warn_once(&self, cause: &str, message: String) {
        let news = {
            let mut said = self.said.lock();
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

    /// Shows a message. All text that the editor shows goes through here and [`Self::log`].
    fn show(&self, kind: MessageType, message: &str) {
        let (client, message) = (self.client.clone(), printable_lines(message).into_owned());
        tokio::spawn(async move { client.show_message(kind, message).await });
    }

    /// Shows the user information about an action that was just performed.
    pub(super) fn tell(&self, message: String) {
        self.show(MessageType::Info, &message);
    }

    /// Shows a message as soon as the editor accepts messages.
    pub(super) fn defer(&self, message: String) {
        self.deferred.lock().push(message);
    }

    /// Shows all deferred messages as one, now that the editor accepts messages.
    pub(super) fn send_deferred(&self) {
        let waiting = std::mem::take(&mut *self.deferred.lock());
        if !waiting.is_empty() {
            self.warn_once("deferred", waiting.join("\n"));
        }
    }

    /// Marks a problem as resolved.
    ///
    /// It is reported again after [`REPEATED_PROBLEM_PAUSE`] at the earliest.
    pub(super) fn recovered(&self, cause: &str) {
        if let Some(said) = self.said.lock().get_mut(cause) {
            said.over = true;
        }
    }

    /// Makes the next message about a cause appear, whenever the last one did.
    pub(super) fn forget(&self, cause: &str) {
        self.said.lock().remove(cause);
    }

    /// As [`Self::forget`], for all causes with this prefix.
    pub(super) fn forget_all(&self, beginning: &str) {
        self.said.lock().retain(|cause, _| !cause.starts_with(beginning));
    }

    /// Asks the editor to report changes of these files.
    ///
    /// LSP 3.18, "DidChangeWatchedFiles Notification".
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

    /// The user's settings in the editor, LSP 3.18 "Configuration Request".
    ///
    /// Returns `None` if the editor does not provide them.
    pub(super) async fn settings(&self) -> Option<Value> {
        let item = ConfigurationItem { scope_uri: None, section: Some("tandem".to_owned()) };
        self.client.configuration(vec![item]).await.ok()?.into_iter().next()
    }

    /// Writes a line to the editor's log for this server.
    pub(super) fn log(&self, message: String) {
        tracing::info!(message);
        let (client, message) = (self.client.clone(), printable_lines(&message).into_owned());
        tokio::spawn(async move { client.log_message(MessageType::Info, message).await });
    }

    /// Writes a line to the editor's log the first time that this cause occurs.
    pub(super) fn log_once(&self, cause: &str, message: String) {
        let now = MessageRecord { at: Instant::now(), over: false };
        let before = self.said.lock().insert(cause.to_owned(), now);
        if before.is_none() {
            self.log(message);
        }
    }

    /// Asks the editor to apply an edit. The user is shown a refusal.
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

    fn notify<N: Notification<Params = Value>>(&self, params: Value) {
        let client = self.client.clone();
        tokio::spawn(async move { client.send_notification::<N>(params).await });
    }

    pub(super) fn status_changed(&self, status: Value) {
        self.notify::<StatusChanged>(status);
    }

    /// Hands a window of a shared server what it keeps for the next one.
    pub(super) fn session_state(&self, state: &impl serde::Serialize) {
        match serde_json::to_value(state) {
            Ok(state) => self.notify::<SessionState>(state),
            Err(error) => tracing::error!(%error, "the state of a session cannot be written"),
        }
    }

    /// Reports that repeating a request for ghost text in a version of a document would now return more.
    pub(super) fn ghost_text_changed(&self, uri: &str, version: i32) {
        self.notify::<GhostTextChanged>(json!({ "textDocument": { "uri": uri, "version": version } }));
    }

    /// Replaces this server's diagnostics of a document.
    pub(super) fn publish_diagnostics(&self, uri: &str, version: Option<i32>, diagnostics: Vec<Value>) {
        let mut params = json!({ "uri": uri, "diagnostics": diagnostics });
        if let Some(version) = version {
            params["version"] = json!(version);
        }
        self.notify::<PublishDiagnostics>(params);
    }

    /// Asks the editor to open a document.
    ///
    /// A refusal is only logged, since the answer also names the document.
    pub(super) fn show_document(&self, params: Value) {
        let client = self.client.clone();
        tokio::spawn(async move {
            if let Err(error) = client.send_request::<ShowDocument>(params).await {
                tracing::info!(%error, "the editor does not show a document");
            }
        });
    }

    /// Shows a document, then a question, and waits for the user's choice; `None` if the user makes none.
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

    /// Creates a progress token; false if the editor refuses.
    pub(super) async fn create_progress(&self, token: Value) -> bool {
        self.client.send_request::<CreateProgress>(json!({ "token": token })).await.is_ok()
    }

    /// Reports progress under a token.
    pub(super) async fn progress(&self, token: &Value, value: Value) {
        self.client.send_notification::<Progress>(json!({ "token": token, "value": value })).await;
    }

    /// The number of remembered causes.
    #[cfg(test)]
    pub(super) fn remembered(&self) -> usize {
        self.said.lock().len()
    }
}

/// Declares a notification to the client.
macro_rules! notification {
    ($name:ident, $method:expr) => {
        enum $name {}

        impl Notification for $name {
            type Params = Value;
            const METHOD: LspNotificationMethod<'static> = $method;
            const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ServerToClient;
        }
    };
}

/// Declares a request to the client.
macro_rules! request {
    ($name:ident($params:ty) -> $result:ty, $method:expr) => {
        enum $name {}

        impl Request for $name {
            type Params = $params;
            type Result = $result;
            const METHOD: LspRequestMethod<'static> = $method;
            const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ServerToClient;
        }
    };
}

notification!(StatusChanged, LspNotificationMethod::Custom("tandem/statusChanged"));
notification!(SessionState, LspNotificationMethod::Custom(SESSION_STATE));
notification!(GhostTextChanged, LspNotificationMethod::Custom("tandem/ghostTextChanged"));
// With the URI as the editor spells it.
notification!(PublishDiagnostics, LspNotificationMethod::TextDocumentPublishDiagnostics);
notification!(Progress, LspNotificationMethod::Progress);
request!(ShowMessageRequest(Value) -> Value, LspRequestMethod::WindowShowMessageRequest);
request!(CreateProgress(Value) -> Value, LspRequestMethod::WindowWorkDoneProgressCreate);
request!(ShowDocument(Value) -> Value, LspRequestMethod::WindowShowDocument);
request!(Apply(ApplyEdit) -> ApplyEditAnswer, LspRequestMethod::WorkspaceApplyEdit);
