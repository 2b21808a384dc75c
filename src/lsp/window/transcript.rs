//! What a window has to send to a new server, so that it continues where a lost one ended.

mod open_notebook;
mod open_text;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::ErrorCode;

use super::message::{message, params, with_id};
use crate::document::position::Encoding;
use crate::lsp::protocol::SESSION_STATE;
use crate::lsp::transport::{Ended, SESSION_ENDED};
use open_notebook::OpenNotebook;
use open_text::OpenText;

/// The id of the handshake with a new server, which no editor uses.
const REPLAYED: &str = "tandem/replayed";
/// The id of the request that shows whether a server answers, which no editor uses.
const PROBE: &str = "tandem/probe";
const COMMAND: &str = "workspace/executeCommand";

/// The bodies of messages to pass on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) to_editor: Vec<Vec<u8>>,
    pub(super) to_server: Vec<Vec<u8>>,
}

/// The part of a message that identifies its kind.
#[derive(Debug, Deserialize)]
struct Envelope {
    /// `null` in an answer to a message without a readable id.
    id: Option<Value>,
    method: Option<String>,
}

/// The state of a session as its messages have it.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    initialize: Option<Vec<u8>>,
    /// Whether a server has answered `initialize`, and in which units it counts columns.
    agreed: Option<Encoding>,
    /// Single messages of which the last one applies, in the order in which a new server gets them.
    latest: BTreeMap<Latest, Vec<u8>>,
    /// The changes of the workspace's folders, in order.
    folders: Vec<Vec<u8>>,
    texts: HashMap<String, OpenText>,
    notebooks: HashMap<String, OpenNotebook>,
    /// What the server has that the editor does not send again, as the server wrote it.
    session: Value,
    /// How many changes of files there were.
    changes: u64,
    /// The editor's requests that have no answer yet, by their ids as JSON.
    unanswered: HashMap<String, Unanswered>,
    /// The servers' requests that the editor has not answered yet: their ids, as JSON.
    asked: HashSet<String>,
    /// The tokens of the progress that the editor shows.
    progress: Vec<Value>,
    /// How many servers were lost.
    losses: u32,
    pub(super) is_replaying: bool,
    has_shut_down: bool,
    pub(super) has_exited: bool,
}

#[derive(Debug)]
struct Unanswered {
    id: Value,
    method: String,
    body: Vec<u8>,
    is_cancelled: bool,
    /// Whether the server has asked for an edit since, which may be the effect of this command.
    has_effect: bool,
    /// Whether it was repeated on a new server already: it may be what ends the servers.
    is_repeated: bool,
}

impl Unanswered {
    /// The token under which the editor shows its progress, if it named one.
    fn token(&self) -> Option<Value> {
        let token = params::<Value>(&self.body)?.get_mut("workDoneToken")?.take();
        Some(token).filter(|it| !it.is_null())
    }
}

/// A message that replaces the earlier one of its kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Latest {
    Initialized,
    Settings,
    /// The other servers' diagnostics for a document.
    Diagnostics(String),
    Focus,
}

impl Transcript {
    /// Notes a message of the editor. Returns it if the server gets it.
    pub(super) fn pass_to_server(&mut self, body: Vec<u8>) -> Option<Vec<u8>> {
        // The server answers what cannot be read.
        let Ok(Envelope { id, method }) = serde_json::from_slice(&body) else { return Some(body) };
        match (id, method) {
            (None, Some(method)) => self.note(&method, &body),
            (Some(id), Some(method)) => {
                match method.as_str() {
                    "initialize" => self.initialize = Some(body.clone()),
                    "shutdown" => self.has_shut_down = true,
                    _ => {}
                }
                let (key, body) = (id.to_string(), body.clone());
                let [is_cancelled, has_effect, is_repeated] = [false; 3];
                let request = Unanswered { id, method, body, is_cancelled, has_effect, is_repeated };
                self.unanswered.insert(key, request);
            }
            (Some(id), None) => return self.answer_of_editor(&id, body),
            (None, None) => {}
        }
        Some(body)
    }

    /// Notes a notification of the editor.
    fn note(&mut self, method: &str, body: &[u8]) {
        let mut keep = |kind| drop(self.latest.insert(kind, body.to_vec()));
        match method {
            "initialized" => keep(Latest::Initialized),
            "workspace/didChangeConfiguration" => keep(Latest::Settings),
            "tandem/didFocus" | "textDocument/didFocus" => keep(Latest::Focus),
            "tandem/diagnostics" => {
                if let Some(uri) = uri_of(body) {
                    keep(Latest::Diagnostics(uri));
                }
            }
            "workspace/didChangeWorkspaceFolders" => self.folders.push(body.to_vec()),
            "exit" => self.has_exited = true,
            "$/cancelRequest" => {
                let id = serde_json::from_slice::<Value>(body).map(|it| it["params"]["id"].to_string());
                if let Some(request) = id.ok().and_then(|id| self.unanswered.get_mut(&id)) {
                    request.is_cancelled = true;
                }
            }
            "window/workDoneProgress/cancel" => {
                let token = params::<Value>(body).map(|mut it| it["token"].take());
                for request in self.unanswered.values_mut() {
                    request.is_cancelled |= token.is_some() && request.token() == token;
                }
            }
            "textDocument/didOpen" => {
                if let Some((uri, opened)) = OpenText::read(body, self.changes) {
                    self.texts.insert(uri, opened);
                }
            }
            "textDocument/didChange" => {
                let encoding = self.agreed.unwrap_or(Encoding::Utf16);
                self.changes += 1;
                if let Some(text) = uri_of(body).and_then(|uri| self.texts.get_mut(&uri)) {
                    text.change(body, encoding, self.changes);
                }
            }
            "textDocument/didClose" => {
                if let Some(uri) = uri_of(body) {
                    self.texts.remove(&uri);
                    self.latest.remove(&Latest::Diagnostics(uri));
                }
            }
            "notebookDocument/didOpen" => {
                if let Some((uri, opened)) = OpenNotebook::read(body, self.changes) {
                    self.notebooks.insert(uri, opened);
                }
            }
            "notebookDocument/didChange" => {
                let encoding = self.agreed.unwrap_or(Encoding::Utf16);
                self.changes += 1;
                if let Some(notebook) = uri_of(body).and_then(|uri| self.notebooks.get_mut(&uri)) {
                    notebook.change(body, encoding, self.changes);
                }
            }
            "notebookDocument/didClose" => {
                if let Some(uri) = uri_of(body) {
                    self.notebooks.remove(&uri);
                }
            }
            _ => {}
        }
    }

    /// Passes an answer on to the server that asked; `None` if that one is lost.
    fn answer_of_editor(&mut self, id: &Value, body: Vec<u8>) -> Option<Vec<u8>> {
        if !self.asked.remove(&id.to_string()) {
            return None;
        }
        if self.losses == 0 {
            return Some(body);
        }
        let own = id.as_str()?.strip_prefix(&self.prefix())?;
        with_id(&body, serde_json::from_str(own).ok()?)
    }

    /// Notes a message of the server.
    pub(super) fn pass_to_editor(&mut self, body: Vec<u8>) -> Passed {
        let to_editor = |body| Passed { to_editor: vec![body], ..Passed::default() };
        let Ok(Envelope { id, method }) = serde_json::from_slice(&body) else { return to_editor(body) };
        match (id, method) {
            (Some(id), None) => self.answer_of_server(&id, body),
            (Some(id), Some(method)) => self.request_of_server(&id, &method, body),
            (None, Some(method)) => {
                match method.as_str() {
                    "$/progress" => return to_editor(self.noted_progress(body)),
                    SESSION_ENDED => self.has_exited = true,
                    SESSION_STATE => {
                        self.session = params(&body).unwrap_or_default();
                        return Passed::default();
                    }
                    _ => {}
                }
                to_editor(body)
            }
            (None, None) => to_editor(body),
        }
    }

    fn answer_of_server(&mut self, id: &Value, body: Vec<u8>) -> Passed {
        if id == PROBE {
            return Passed::default();
        }
        if id == REPLAYED {
            self.is_replaying = false;
            return Passed { to_server: self.after_handshake(), ..Passed::default() };
        }
        if self.unanswered.remove(&id.to_string()).is_some_and(|it| it.method == "initialize") {
            self.agreed = Some(encoding_of(&body));
        }
        Passed { to_editor: vec![body], ..Passed::default() }
    }

    /// A new server counts its requests from the start again, so their ids get a prefix.
    fn request_of_server(&mut self, id: &Value, method: &str, body: Vec<u8>) -> Passed {
        if method == "workspace/applyEdit" {
            let commands = self.unanswered.values_mut().filter(|it| it.method == COMMAND);
            commands.for_each(|it| it.has_effect = true);
        }
        if self.losses == 0 {
            self.asked.insert(id.to_string());
            return Passed { to_editor: vec![body], ..Passed::default() };
        }
        if method == "client/registerCapability" {
            // The editor has these registrations from the first server.
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
            return Passed { to_server: vec![answer.to_string().into_bytes()], ..Passed::default() };
        }
        let shown = Value::from(format!("{}{id}", self.prefix()));
        let Some(body) = with_id(&body, shown.clone()) else { return Passed::default() };
        self.asked.insert(shown.to_string());
        Passed { to_editor: vec![body], ..Passed::default() }
    }

    /// What precedes the ids of the current server's requests.
    fn prefix(&self) -> String {
        format!("tandem/{}/", self.losses)
    }

    /// Notes what the editor shows. A repeated command goes on with the progress that it began before.
    fn noted_progress(&mut self, body: Vec<u8>) -> Vec<u8> {
        let Ok(mut progress) = serde_json::from_slice::<Value>(&body) else { return body };
        let (token, kind) = (progress["params"]["token"].clone(), &mut progress["params"]["value"]["kind"]);
        match kind.as_str() {
            Some("begin") if self.progress.contains(&token) => {
                *kind = "report".into();
                return progress.to_string().into_bytes();
            }
            Some("begin") => self.progress.push(token),
            Some("end") => self.progress.retain(|open| *open != token),
            _ => {}
        }
        body
    }

    /// Notes that the server is lost. Returns what the editor is told, and the first messages to a new server.
    pub(super) fn lost(&mut self) -> Passed {
        self.losses += 1;
        self.asked.clear();
        let mut passed = Passed::default();
        let ends =
            |it: &Unanswered| it.is_cancelled || it.has_effect || it.is_repeated || it.method == "shutdown";
        for (_, request) in self.unanswered.extract_if(|_, it| ends(it)) {
            let answer = match request.method.as_str() {
                "shutdown" => json!({ "id": request.id, "result": null }),
                _ => json!({ "id": request.id, "error": error_of(&request) }),
            };
            passed.to_editor.push(message(answer));
        }
        // Others are repeated: they have changed nothing.
        self.unanswered.values_mut().for_each(|it| it.is_repeated = true);
        let going_on: Vec<Value> = self.unanswered.values().filter_map(Unanswered::token).collect();
        for token in self.progress.extract_if(.., |token| !going_on.contains(token)) {
            let params = json!({ "token": token, "value": { "kind": "end" } });
            passed.to_editor.push(message(json!({ "method": "$/progress", "params": params })));
        }
        let is_agreed = self.agreed.is_some();
        if let Some(initialize) = &self.initialize {
            self.is_replaying = is_agreed;
            passed.to_server.extend(if is_agreed {
                self.resuming(initialize)
            } else {
                Some(initialize.clone())
            });
        }
        passed
    }

    /// The handshake with a new server, with the state of the session at the lost one.
    fn resuming(&self, initialize: &[u8]) -> Option<Vec<u8>> {
        let mut message: Value = serde_json::from_slice(&with_id(initialize, REPLAYED.into())?).ok()?;
        let mut part = &mut message;
        for name in ["params", "capabilities", "experimental", "tandem", "session"] {
            if part.is_null() {
                *part = json!({});
            }
            let Some(object) = part.as_object_mut() else { return Some(message.to_string().into_bytes()) };
            part = object.entry(name).or_insert(Value::Null);
        }
        *part = self.session.clone();
        Some(message.to_string().into_bytes())
    }

    /// The messages that follow the handshake with a new server.
    fn after_handshake(&self) -> Vec<Vec<u8>> {
        let is_first = |kind: &Latest| matches!(kind, Latest::Initialized | Latest::Settings);
        let latest = |first: bool| {
            self.latest.iter().filter(move |(kind, _)| is_first(kind) == first).map(|(_, body)| body.clone())
        };
        let mut messages: Vec<_> = latest(true).chain(self.folders.iter().cloned()).collect();
        // The file that was changed last comes last, as its edits are the most recent ones.
        let mut texts: Vec<&OpenText> = self.texts.values().collect();
        texts.sort_by_key(|it| it.changed_at());
        messages.extend(texts.into_iter().flat_map(OpenText::messages));
        messages.extend(self.notebooks.values().flat_map(OpenNotebook::messages));
        messages.extend(latest(false));
        messages.extend(self.unanswered.values().map(|it| it.body.clone()));
        messages
    }

    /// How the session ended (LSP 3.18, "Exit Notification").
    pub(super) fn ended(&self) -> Ended {
        if self.has_shut_down && self.has_exited { Ended::Exit } else { Ended::Abandoned }
    }
}

/// A request that every server answers at once: with an error, as it has no such method (LSP 3.18, "$ Notifications
/// and Requests").
pub(super) fn probe() -> Vec<u8> {
    message(json!({ "id": PROBE, "method": "$/tandem/probe" }))
}

/// The URI of the document or notebook that a notification is about.
fn uri_of(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        uri: Option<String>,
        text_document: Option<Named>,
        notebook_document: Option<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        uri: String,
    }
    let Params { uri, text_document, notebook_document } = params(body)?;
    uri.or(text_document.or(notebook_document).map(|it| it.uri))
}

/// The unit of columns in the answer to `initialize` (LSP 3.18, `PositionEncodingKind`).
fn encoding_of(answer: &[u8]) -> Encoding {
    let answer = serde_json::from_slice::<Value>(answer).unwrap_or_default();
    match answer["result"]["capabilities"]["positionEncoding"].as_str() {
        Some("utf-8") => Encoding::Utf8,
        Some("utf-32") => Encoding::Utf32,
        _ => Encoding::Utf16,
    }
}

/// The error for a request that is not repeated.
fn error_of(request: &Unanswered) -> Value {
    let (code, message) = match (request.is_cancelled, request.has_effect) {
        (true, _) => (ErrorCode::RequestCancelled, "cancelled"),
        (false, true) => (
            ErrorCode::InternalError,
            "the shared server ended while an edit was made; look at it, then run the command once more",
        ),
        (false, false) => (ErrorCode::InternalError, "the shared server ended twice meanwhile; try again"),
    };
    json!({ "code": code.code(), "message": message })
}

#[cfg(test)]
mod tests;
