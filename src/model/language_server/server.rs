//! A server that runs: what it was asked and told, and what it reported.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::command::{Command, ItemAnswer, number};
use super::connection::ServerConnection;
use super::documents::Documents;
use super::item::{self, AtCursor};
use super::requests;
use crate::config::ServerCommand;
use crate::model::limits::{
    ITEMS, MESSAGES_TIME, SERVER_BEGINS_WITHIN, SERVER_MESSAGES, SERVER_STATUS_WITHIN, UNANSWERED,
    UNANSWERED_AFTER, WITHDRAWN,
};
use crate::model::{ErrorKind, News, OpenDocument};

/// LSP's codes of requests that were cancelled, or overtaken by a change.
const CANCELLED: [i64; 3] = [-32800, -32801, -32802];

/// What follows from a message.
pub(super) enum ServerEvent {
    Nothing,
    /// The server has begun to work, so long after its start.
    Began(Duration),
    /// The server has a message for the user.
    Says(String),
    /// The server cannot be used, because it …
    Fails(String),
    /// A request is answered: with an item, or the kind of failure and the reason.
    Answered(oneshot::Sender<ItemAnswer>, Result<Option<(u64, String)>, (ErrorKind, String)>),
}

/// A server that runs.
pub(super) struct Server {
    pub(super) connection: ServerConnection,
    /// The number of `initialize`.
    beginning: u64,
    stage: ServerStage,
    documents: Documents,
    pending: BTreeMap<u64, Asked>,
    checks: Vec<oneshot::Sender<ItemAnswer>>,
    items: VecDeque<Item>,
    /// Requests in a row that were withdrawn without an answer.
    unanswered: u32,
    /// The last requests that were withdrawn: an answer to one may still come.
    withdrawn: VecDeque<u64>,
    /// Why the server cannot work, in its own words.
    status: Option<String>,
    /// The number of the request for a sign-in, once it was sent.
    sign_in: Option<u64>,
    /// The messages since a moment.
    messages: (Instant, u32),
}

enum ServerStage {
    /// The requests wait until it has begun.
    Beginning {
        since: Instant,
        waiting: Vec<Command>,
    },
    Ready {
        since: Instant,
    },
}

/// A request for text.
struct Asked {
    answer: oneshot::Sender<ItemAnswer>,
    document: Box<OpenDocument>,
    at: Instant,
}

/// An item, as the server sent it.
struct Item {
    number: u64,
    value: Value,
    /// The UTF-16 units of its text before the cursor.
    skipped: usize,
    was_shown: bool,
}

impl Server {
    /// Starts a server, and asks it to begin. The error is a clause.
    pub(super) fn start(command: &ServerCommand) -> Result<Self, String> {
        let mut connection = ServerConnection::start(command)?;
        let (beginning, now) = (number(), Instant::now());
        connection.request(beginning, "initialize", &requests::initialize());
        Ok(Self {
            connection,
            beginning,
            stage: ServerStage::Beginning { since: now, waiting: Vec::new() },
            documents: Documents::default(),
            pending: BTreeMap::new(),
            checks: Vec::new(),
            items: VecDeque::new(),
            unanswered: 0,
            withdrawn: VecDeque::new(),
            status: None,
            sign_in: None,
            messages: (now, 0),
        })
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.stage, ServerStage::Ready { .. })
    }

    /// Why the server is stuck, if it is.
    pub(super) fn is_stuck(&self) -> Option<&'static str> {
        match self.connection.is_stuck {
            true => Some("does not read what it is sent"),
            false if self.unanswered >= UNANSWERED => {
                Some("left several requests in a row without an answer")
            }
            false => None,
        }
    }

    /// When the server is late: to begin, or to report its status to a check.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.stage {
            ServerStage::Beginning { since, .. } => Some(since + SERVER_BEGINS_WITHIN),
            ServerStage::Ready { since } => (!self.checks.is_empty()).then_some(since + SERVER_STATUS_WITHIN),
        }
    }

    /// The checks to answer now, and why the server cannot work, if so.
    pub(super) fn settle(&mut self) -> (Vec<oneshot::Sender<ItemAnswer>>, Option<String>) {
        (std::mem::take(&mut self.checks), self.status.clone())
    }

    /// All that wait for an answer.
    pub(super) fn into_waiting(self) -> Vec<oneshot::Sender<ItemAnswer>> {
        let waiting = match self.stage {
            ServerStage::Beginning { waiting, .. } => waiting,
            ServerStage::Ready { .. } => Vec::new(),
        };
        let of = |command| if let Command::Ask { answer, .. } = command { Some(answer) } else { None };
        let pending = self.pending.into_values().map(|asked| asked.answer);
        self.checks.into_iter().chain(pending).chain(waiting.into_iter().filter_map(of)).collect()
    }

    pub(super) fn take(&mut self, command: Command) {
        match (command, &mut self.stage) {
            (Command::Start | Command::End(_), _) => {}
            (Command::Check(answer), _) => self.checks.push(answer),
            (ask @ Command::Ask { .. }, ServerStage::Beginning { waiting, .. }) => waiting.push(ask),
            (Command::Ask { id, document, is_invoked, answer }, ServerStage::Ready { .. }) => {
                self.ask(id, document, is_invoked, answer);
            }
            (Command::Cancel(id), ServerStage::Beginning { waiting, .. }) => {
                waiting.retain(|it| !matches!(it, Command::Ask { id: its, .. } if *its == id));
            }
            (Command::Cancel(id), ServerStage::Ready { .. }) => {
                if let Some(asked) = self.pending.remove(&id) {
                    self.connection.notify("$/cancelRequest", &json!({ "id": id }));
                    self.unanswered += u32::from(asked.at.elapsed() > UNANSWERED_AFTER);
                    self.withdrawn.push_back(id);
                    let excess = self.withdrawn.len().saturating_sub(WITHDRAWN);
                    self.withdrawn.drain(..excess);
                }
            }
            (Command::Tell(news), _) => self.tell(&news),
        }
    }

    fn ask(
        &mut self,
        id: u64,
        document: Box<OpenDocument>,
        is_invoked: bool,
        answer: oneshot::Sender<ItemAnswer>,
    ) {
        if is_invoked && self.status.is_some() && self.sign_in.is_none() {
            let id = number();
            self.sign_in = Some(id);
            self.connection.request(id, "signIn", &json!({}));
        }
        let (notifications, version) = self.documents.update(&document);
        for (method, params) in &notifications {
            self.connection.notify(method, params);
        }
        let params = json!({
            "textDocument": { "uri": document.uri, "version": version },
            "position": item::position(&document.before, document.before.len()),
            "context": { "triggerKind": if is_invoked { 1 } else { 2 } },
        });
        self.connection.request(id, "textDocument/inlineCompletion", &params);
        self.pending.insert(id, Asked { answer, document, at: Instant::now() });
    }

    fn tell(&mut self, news: &News) {
        match news {
            News::Closed(uri) => {
                if let Some((method, params)) = self.documents.close(uri) {
                    self.connection.notify(method, &params);
                }
            }
            News::Shown(number) => {
                // Servers that want to know name a command.
                let item =
                    self.items.iter_mut().find(|it| it.number == *number && it.value["command"].is_object());
                if let Some(item) = item.filter(|it| !it.was_shown) {
                    item.was_shown = true;
                    let params = json!({ "item": item.value });
                    self.connection.notify("textDocument/didShowCompletion", &params);
                }
            }
            News::Accepted { item, units, is_whole } => {
                let item = self.items.iter().find(|it| it.number == *item && it.value["command"].is_object());
                let Some(Item { value, skipped, .. }) = item else { return };
                if *is_whole {
                    self.connection.request(
                        number(),
                        "workspace/executeCommand",
                        &command(&value["command"]),
                    );
                } else {
                    let params = json!({ "item": value, "acceptedLength": skipped + units });
                    self.connection.notify("textDocument/didPartiallyAcceptCompletion", &params);
                }
            }
        }
    }

    pub(super) fn receive(&mut self, message: &Value) -> ServerEvent {
        let (since, count) = &mut self.messages;
        if since.elapsed() > MESSAGES_TIME {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        if *count > SERVER_MESSAGES {
            return ServerEvent::Fails(format!(
                "sent over {SERVER_MESSAGES} messages within {} s",
                MESSAGES_TIME.as_secs()
            ));
        }
        let (id, params) = (message.get("id").filter(|id| !id.is_null()), &message["params"]);
        match (message["method"].as_str(), id) {
            (Some(method), Some(id)) => {
                self.connection.answer(id, requests::answer(method, params));
                if method == "window/showMessageRequest" {
                    says(&params["message"])
                } else {
                    ServerEvent::Nothing
                }
            }
            (Some(method), None) => self.notified(method, params),
            (None, Some(id)) => match id.as_u64() {
                Some(id) => self.answered(id, message),
                None => ServerEvent::Nothing,
            },
            (None, None) => ServerEvent::Nothing,
        }
    }

    fn notified(&mut self, method: &str, params: &Value) -> ServerEvent {
        match method {
            "window/showMessage" => says(&params["message"]),
            // A server that cannot work says so, such as without its sign-in.
            "didChangeStatus" => {
                let is_error = params["kind"] == "Error";
                self.status =
                    is_error.then(|| params["message"].as_str().unwrap_or("it reports an error").to_owned());
                match &self.status {
                    Some(status) => ServerEvent::Says(status.clone()),
                    None => ServerEvent::Nothing,
                }
            }
            _ => ServerEvent::Nothing,
        }
    }

    fn answered(&mut self, id: u64, message: &Value) -> ServerEvent {
        if id == self.beginning && !self.is_ready() {
            return self.begin(message);
        }
        if self.sign_in == Some(id) {
            return self.signing_in(message);
        }
        let Some(Asked { answer, document, .. }) = self.pending.remove(&id) else {
            // A number that was never sent shows no work on a request.
            if self.withdrawn.contains(&id) {
                self.unanswered = 0;
            }
            return ServerEvent::Nothing;
        };
        self.unanswered = 0;
        ServerEvent::Answered(answer, self.read(message, &document))
    }

    /// Tells a server that has begun about its settings, and asks what had to wait.
    fn begin(&mut self, message: &Value) -> ServerEvent {
        if let Some(error) = error_of(message) {
            return ServerEvent::Fails(format!("refused to begin: {}", words(&error["message"])));
        }
        let capabilities = &message["result"]["capabilities"];
        if matches!(capabilities["inlineCompletionProvider"], Value::Null | Value::Bool(false)) {
            return ServerEvent::Fails("offers no `textDocument/inlineCompletion`".to_owned());
        }
        let sync = &capabilities["textDocumentSync"];
        self.documents.takes_changes = sync.as_u64().or_else(|| sync["change"].as_u64()) == Some(2);
        self.connection.notify("initialized", &json!({}));
        let settings = json!({ "settings": requests::settings("") });
        self.connection.notify("workspace/didChangeConfiguration", &settings);
        let now = Instant::now();
        let ServerStage::Beginning { since, waiting } =
            std::mem::replace(&mut self.stage, ServerStage::Ready { since: now })
        else {
            return ServerEvent::Nothing;
        };
        for command in waiting {
            self.take(command);
        }
        ServerEvent::Began(now - since)
    }

    /// Passes on the code that the user has to enter, and lets the server wait for that.
    fn signing_in(&mut self, message: &Value) -> ServerEvent {
        let result = &message["result"];
        if let Some(error) = error_of(message) {
            return says(&error["message"]);
        }
        let (Some(code), Some(place)) = (result["userCode"].as_str(), result["verificationUri"].as_str())
        else {
            return ServerEvent::Nothing;
        };
        if result["command"].is_object() {
            self.connection.request(number(), "workspace/executeCommand", &command(&result["command"]));
        }
        ServerEvent::Says(format!("to sign in, enter the code {code} at {place}"))
    }

    /// Reads the answer to a request for text.
    fn read(
        &mut self,
        message: &Value,
        document: &OpenDocument,
    ) -> Result<Option<(u64, String)>, (ErrorKind, String)> {
        let nothing = || match &self.status {
            Some(status) => Err((ErrorKind::NoToken, status.clone())),
            None => Ok(None),
        };
        if let Some(error) = error_of(message) {
            return match error["code"].as_i64() {
                Some(code) if CANCELLED.contains(&code) => Ok(None),
                _ if self.status.is_some() => nothing(),
                _ => Err((ErrorKind::ServerError, format!("it failed: {}", words(&error["message"])))),
            };
        }
        let result = &message["result"];
        let items = result["items"].as_array().or_else(|| result.as_array()).map_or(&[][..], Vec::as_slice);
        let mut why = None;
        for value in items.iter().take(ITEMS) {
            match item::at_cursor(value, &document.before, &document.after) {
                Ok(AtCursor { text, .. }) if text.is_empty() => {}
                Ok(AtCursor { text, skipped }) => {
                    let number = number();
                    self.items.push_back(Item { number, value: value.clone(), skipped, was_shown: false });
                    let excess = self.items.len().saturating_sub(ITEMS);
                    self.items.drain(..excess);
                    return Ok(Some((number, text)));
                }
                Err(it) => why = why.or(Some(it)),
            }
        }
        why.map_or_else(nothing, |why| Err((ErrorKind::Invalid, format!("its suggestion {why}"))))
    }
}

/// The parameters that execute a command.
fn command(command: &Value) -> Value {
    json!({ "command": command["command"], "arguments": command["arguments"] })
}

fn says(message: &Value) -> ServerEvent {
    message.as_str().map_or(ServerEvent::Nothing, |message| ServerEvent::Says(message.to_owned()))
}

/// The error of a message. Some servers send `null` beside a result.
fn error_of(message: &Value) -> Option<&Value> {
    message.get("error").filter(|it| !it.is_null())
}

fn words(message: &Value) -> &str {
    message.as_str().unwrap_or("no reason given")
}
