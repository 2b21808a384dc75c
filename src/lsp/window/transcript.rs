//! What a window has to send to a new server, so that it continues where a lost one ended.

mod open_text;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::ErrorCode;

use super::message::{message, with_id};
use crate::document::position::Encoding;
use crate::lsp::transport::{Ended, SESSION_ENDED};
use open_text::OpenText;

/// The id of the handshake with a new server, which no editor uses.
const REPLAYED: &str = "tandem/replayed";
/// Requests that are not repeated on a new server: a command may have had its effect.
const ENDING: [&str; 2] = ["shutdown", "workspace/executeCommand"];

/// The bodies of messages to pass on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) to_editor: Vec<Vec<u8>>,
    pub(super) to_server: Vec<Vec<u8>>,
}

/// The part of a message that tells what it is.
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
    /// All messages about each open notebook, in order.
    notebooks: HashMap<String, Vec<Vec<u8>>>,
    /// The editor's requests that have no answer yet, by their ids as JSON.
    unanswered: HashMap<String, Unanswered>,
    /// The servers' requests that the editor has not answered yet: their ids, as JSON.
    asked: HashSet<String>,
    /// The tokens of the progress that the editor shows.
    progress: Vec<Value>,
    /// How many servers were lost.
    losses: u32,
    is_replaying: bool,
    has_shut_down: bool,
    has_exited: bool,
}

#[derive(Debug)]
struct Unanswered {
    id: Value,
    method: String,
    body: Vec<u8>,
    is_cancelled: bool,
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
                let request = Unanswered { id, method, body: body.clone(), is_cancelled: false };
                self.unanswered.insert(request.id.to_string(), request);
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
            "textDocument/didOpen" => {
                if let Some((uri, opened)) = OpenText::read(body) {
                    self.texts.insert(uri, opened);
                }
            }
            "textDocument/didChange" => {
                let encoding = self.agreed.unwrap_or(Encoding::Utf16);
                if let Some(text) = uri_of(body).and_then(|uri| self.texts.get_mut(&uri)) {
                    text.change(body, encoding);
                }
            }
            "textDocument/didClose" => {
                if let Some(uri) = uri_of(body) {
                    self.texts.remove(&uri);
                    self.latest.remove(&Latest::Diagnostics(uri));
                }
            }
            "notebookDocument/didOpen" => {
                if let Some(uri) = uri_of(body) {
                    self.notebooks.insert(uri, vec![body.to_vec()]);
                }
            }
            "notebookDocument/didChange" => {
                if let Some(messages) = uri_of(body).and_then(|uri| self.notebooks.get_mut(&uri)) {
                    messages.push(body.to_vec());
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
                    "$/progress" => self.note_progress(&body),
                    SESSION_ENDED => self.has_exited = true,
                    _ => {}
                }
                to_editor(body)
            }
            (None, None) => to_editor(body),
        }
    }

    fn answer_of_server(&mut self, id: &Value, body: Vec<u8>) -> Passed {
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

    fn note_progress(&mut self, body: &[u8]) {
        let Ok(progress) = serde_json::from_slice::<Value>(body) else { return };
        let (token, value) = (&progress["params"]["token"], &progress["params"]["value"]);
        match value["kind"].as_str() {
            Some("begin") => self.progress.push(token.clone()),
            Some("end") => self.progress.retain(|open| open != token),
            _ => {}
        }
    }

    /// Notes that the server is lost. Returns what the editor is told, and the first messages to a new server.
    pub(super) fn lost(&mut self) -> Passed {
        self.losses += 1;
        self.asked.clear();
        let mut passed = Passed::default();
        for token in self.progress.drain(..) {
            let params = json!({ "token": token, "value": { "kind": "end" } });
            passed.to_editor.push(message(json!({ "method": "$/progress", "params": params })));
        }
        // Others are repeated: they change nothing.
        for request in self.unanswered.extract_if(|_, it| it.is_cancelled || ENDING.contains(&&*it.method)) {
            let Unanswered { id, method, .. } = request.1;
            let answer = match method.as_str() {
                "shutdown" => json!({ "id": id, "result": null }),
                method => json!({ "id": id, "error": error_of(method) }),
            };
            passed.to_editor.push(message(answer));
        }
        let is_agreed = self.agreed.is_some();
        if let Some(initialize) = &self.initialize {
            self.is_replaying = is_agreed;
            let body =
                if is_agreed { with_id(initialize, REPLAYED.into()) } else { Some(initialize.clone()) };
            passed.to_server.extend(body);
        }
        passed
    }

    /// The messages that follow the handshake with a new server.
    fn after_handshake(&self) -> Vec<Vec<u8>> {
        let is_first = |kind: &Latest| matches!(kind, Latest::Initialized | Latest::Settings);
        let latest = |first: bool| {
            self.latest.iter().filter(move |(kind, _)| is_first(kind) == first).map(|(_, body)| body.clone())
        };
        let mut messages: Vec<_> = latest(true).chain(self.folders.iter().cloned()).collect();
        messages.extend(self.texts.values().flat_map(OpenText::messages));
        messages.extend(self.notebooks.values().flatten().cloned());
        messages.extend(latest(false));
        messages.extend(self.unanswered.values().map(|it| it.body.clone()));
        messages
    }

    /// Whether a new server has not answered the handshake yet.
    pub(super) fn is_replaying(&self) -> bool {
        self.is_replaying
    }

    pub(super) fn has_exited(&self) -> bool {
        self.has_exited
    }

    /// How the session ended (LSP 3.18, "Exit Notification").
    pub(super) fn ended(&self) -> Ended {
        if self.has_shut_down && self.has_exited { Ended::Exit } else { Ended::Abandoned }
    }
}

/// The URI of the document or notebook that a notification is about.
fn uri_of(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Message {
        params: Params,
    }
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
    let Params { uri, text_document, notebook_document } =
        serde_json::from_slice::<Message>(body).ok()?.params;
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
fn error_of(method: &str) -> Value {
    let (code, message) = match method {
        "workspace/executeCommand" => (
            ErrorCode::InternalError,
            "the shared server ended and was started again; run the command once more",
        ),
        _ => (ErrorCode::RequestCancelled, "cancelled"),
    };
    json!({ "code": code.code(), "message": message })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: i64, method: &str) -> Vec<u8> {
        message(json!({ "id": id, "method": method, "params": {} }))
    }

    fn answer(id: impl Into<Value>, result: Value) -> Vec<u8> {
        message(json!({ "id": id.into(), "result": result }))
    }

    fn notification(method: &str, params: Value) -> Vec<u8> {
        message(json!({ "method": method, "params": params }))
    }

    /// A session after its handshake.
    fn session() -> Transcript {
        let mut transcript = Transcript::default();
        assert!(transcript.pass_to_server(request(0, "initialize")).is_some());
        transcript.pass_to_editor(answer(0, json!({ "capabilities": { "positionEncoding": "utf-8" } })));
        assert!(transcript.pass_to_server(notification("initialized", json!({}))).is_some());
        transcript
    }

    fn read(messages: &[Vec<u8>]) -> Vec<Value> {
        messages.iter().map(|it| serde_json::from_slice(it).unwrap()).collect()
    }

    /// The methods of messages.
    fn methods(messages: &[Vec<u8>]) -> Vec<String> {
        read(messages).iter().map(|it| it["method"].as_str().unwrap().to_owned()).collect()
    }

    /// The first messages to a new server, after its handshake.
    fn replay(transcript: &mut Transcript) -> Vec<Vec<u8>> {
        let lost = transcript.lost();
        assert_eq!(read(&lost.to_server)[0]["id"], REPLAYED);
        assert!(transcript.is_replaying());
        let passed = transcript.pass_to_editor(answer(REPLAYED, json!({})));
        assert_eq!(passed.to_editor, Vec::<Vec<u8>>::new(), "the editor has its answer");
        assert!(!transcript.is_replaying());
        passed.to_server
    }

    #[test]
    fn a_new_server_gets_what_is_open_and_not_what_was_closed() {
        let mut transcript = session();
        let open = |uri: &str| json!({ "textDocument": { "uri": uri, "languageId": "c", "version": 1, "text": "" } });
        let notebook = json!({ "notebookDocument": { "uri": "n" } });
        for (method, params) in [
            ("tandem/didFocus", open("a")),
            ("textDocument/didOpen", open("a")),
            ("textDocument/didOpen", open("b")),
            ("tandem/diagnostics", json!({ "uri": "b", "diagnostics": [] })),
            ("tandem/diagnostics", json!({ "uri": "a", "diagnostics": [] })),
            ("textDocument/didClose", open("b")),
            ("workspace/didChangeConfiguration", json!({ "settings": 1 })),
            ("workspace/didChangeConfiguration", json!({ "settings": 2 })),
            ("workspace/didChangeWorkspaceFolders", json!({ "event": {} })),
            ("notebookDocument/didOpen", notebook.clone()),
            ("notebookDocument/didChange", notebook),
            ("textDocument/didSave", open("a")),
        ] {
            transcript.pass_to_server(notification(method, params));
        }
        let replayed = replay(&mut transcript);
        assert_eq!(
            methods(&replayed),
            [
                "initialized",
                "workspace/didChangeConfiguration",
                "workspace/didChangeWorkspaceFolders",
                "textDocument/didOpen",
                "notebookDocument/didOpen",
                "notebookDocument/didChange",
                "tandem/diagnostics",
                "tandem/didFocus",
            ]
        );
        assert_eq!(read(&replayed)[1]["params"]["settings"], 2);
    }

    #[test]
    fn requests_without_an_answer_are_repeated_unless_they_may_have_had_an_effect() {
        let mut transcript = session();
        for (id, method) in [
            (1, "textDocument/inlineCompletion"),
            (2, "workspace/executeCommand"),
            (3, "textDocument/codeAction"),
            (4, "tandem/nextEdit"),
        ] {
            transcript.pass_to_server(request(id, method));
        }
        transcript.pass_to_editor(answer(3, json!([])));
        transcript.pass_to_server(notification("$/cancelRequest", json!({ "id": 4 })));
        let mut lost = read(&transcript.lost().to_editor);
        lost.sort_by_key(|it| it["id"].as_i64());
        let codes: Vec<_> = lost.iter().map(|it| [&it["id"], &it["error"]["code"]]).collect();
        assert_eq!(codes, [[&json!(2), &json!(-32603)], [&json!(4), &json!(-32800)]]);
        let replayed = replay(&mut transcript);
        assert_eq!(methods(&replayed), ["initialized", "textDocument/inlineCompletion"]);
    }

    #[test]
    fn a_handshake_without_an_answer_is_made_again() {
        let mut transcript = Transcript::default();
        let initialize = request(0, "initialize");
        transcript.pass_to_server(initialize.clone());
        assert_eq!(transcript.lost(), Passed { to_server: vec![initialize], ..Passed::default() });
        assert!(!transcript.is_replaying());
        let answered = transcript.pass_to_editor(answer(0, json!({})));
        assert_eq!(answered.to_editor.len(), 1);
    }

    #[test]
    fn answers_reach_the_server_that_asked() {
        let mut transcript = session();
        transcript.pass_to_editor(request(7, "workspace/configuration"));
        replay(&mut transcript);
        assert_eq!(transcript.pass_to_server(answer(7, json!([]))), None, "the lost one asked");
        let passed = transcript.pass_to_editor(request(7, "workspace/applyEdit"));
        let shown = read(&passed.to_editor)[0]["id"].clone();
        assert_ne!(shown, 7, "the editor may still answer the first one");
        let passed = transcript.pass_to_server(answer(shown, json!({ "applied": true }))).unwrap();
        assert_eq!(read(&[passed])[0], json!({ "jsonrpc": "2.0", "id": 7, "result": { "applied": true } }));
    }

    #[test]
    fn what_the_editor_was_told_ends_with_the_server() {
        let mut transcript = session();
        let progress = |token: &str, kind: &str| {
            notification("$/progress", json!({ "token": token, "value": { "kind": kind } }))
        };
        for (token, kind) in [("a", "begin"), ("b", "begin"), ("a", "report"), ("b", "end")] {
            transcript.pass_to_editor(progress(token, kind));
        }
        assert_eq!(read(&transcript.lost().to_editor), read(&[progress("a", "end")]));
        let registered = transcript.pass_to_editor(request(1, "client/registerCapability"));
        assert_eq!(registered.to_editor, Vec::<Vec<u8>>::new(), "it has these already");
        assert_eq!(registered.to_server, [answer(1, Value::Null)]);
    }

    #[test]
    fn a_session_that_shuts_down_ends_well_without_its_server() {
        let mut transcript = session();
        transcript.pass_to_server(request(1, "shutdown"));
        let lost = transcript.lost();
        assert_eq!(lost.to_editor, [answer(1, Value::Null)]);
        assert_eq!(transcript.ended(), Ended::Abandoned);
        transcript.pass_to_server(notification("exit", json!({})));
        assert_eq!(transcript.ended(), Ended::Exit);
    }
}
