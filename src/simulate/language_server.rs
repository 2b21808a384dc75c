//! A language server with `textDocument/inlineCompletion` on standard input and output, with no model behind it.
//!
//! It continues lines by analogy with the document, as [`simulate`](super) does, or answers with a prepared text. It
//! follows LSP 3.18 and the messages that GitHub Copilot's server adds to it.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::document::position::{Encoding, Position, clamped_byte_at};
use crate::document::{Change, Document, DocumentId};
use crate::local;
use crate::text::named;

named! {
    /// One way in which a language server misbehaves.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ServerFault {
        /// `initialize` is never answered.
        NeverBegins = "never-begins",
        /// Requests for text are never answered.
        NeverAnswers = "never-answers",
        /// Requests for text are answered once they are cancelled.
        WaitsForCancel = "waits-for-cancel",
        /// It ends when it is asked for text, with a line on standard error.
        Ends = "ends",
        /// It ends when it is asked for text for the first time; the second one is answered.
        ///
        /// The times are counted in the recording.
        EndsOnce = "ends-once",
        /// It sends notifications without end.
        Floods = "floods",
        /// It announces a message of 1 GiB.
        Huge = "huge",
        /// It writes text that is no message.
        Prints = "prints",
        /// The first request for text is answered after the second.
        OutOfOrder = "out-of-order",
        /// Its answers have the id of no request.
        WrongIds = "wrong-ids",
        /// Its items are not those of LSP.
        Malformed = "malformed",
        /// Its item is a snippet.
        Snippet = "snippet",
        /// The range of its item is outside the document.
        Outside = "outside",
        /// It asks its client, and answers only if it gets an answer to each.
        Asks = "asks",
        /// It reports that the user has to sign in, and refuses requests for text.
        NotSignedIn = "not-signed-in",
        /// It writes much to standard error.
        Noisy = "noisy",
        /// It offers no text at a cursor.
        OffersNothing = "offers-nothing",
    }
}

/// What the server answers, and how.
#[derive(Debug, Default)]
pub struct LanguageServer {
    /// The text to insert; without it, the line is continued by analogy.
    pub reply: Option<String>,
    /// How long each answer takes.
    pub delay: Duration,
    /// How it misbehaves.
    pub fault: Option<ServerFault>,
    /// Receives each message of the client, one per line.
    pub record: Option<std::fs::File>,
    /// How often it was started before, with the same recording.
    pub starts: usize,
}

/// The state of a server.
#[derive(Default)]
struct Served {
    documents: BTreeMap<String, Document>,
    /// An answer that is sent later.
    held: Option<Value>,
    /// Answers that the client owes.
    answers_due: usize,
}

/// The requests to its client with [`ServerFault::Asks`].
const ASKED: [&str; 5] = [
    "workspace/configuration",
    "client/registerCapability",
    "window/showDocument",
    "window/showMessageRequest",
    "simulated/unknown",
];

impl LanguageServer {
    /// Serves until the input ends.
    ///
    /// # Errors
    ///
    /// The streams or the recording cannot be used, or a message of the client is not valid.
    pub fn serve(mut self, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
        let mut served = Served::default();
        while let Some(message) = read(&mut input)? {
            if let Some(record) = &mut self.record {
                writeln!(record, "{message}")?;
            }
            let is_over = match message["method"].as_str().unwrap_or_default() {
                "exit" => true,
                "textDocument/inlineCompletion" => self.complete(&mut served, &message, &mut output)?,
                method => {
                    self.take(&mut served, method, &message, &mut output)?;
                    false
                }
            };
            if is_over {
                break;
            }
        }
        Ok(())
    }

    /// Takes any other message.
    fn take(
        &self,
        served: &mut Served,
        method: &str,
        message: &Value,
        output: &mut impl Write,
    ) -> io::Result<()> {
        match (method, self.fault) {
            ("initialize", Some(ServerFault::NeverBegins)) => Ok(()),
            ("initialize", fault) => send(output, &response(message, beginning(fault))),
            ("initialized", Some(ServerFault::Asks)) => {
                served.answers_due = ASKED.len();
                ASKED.iter().enumerate().try_for_each(|(number, method)| {
                    let params = json!({ "items": [{ "section": "telemetry" }], "message": "Which?" });
                    let id = format!("ask-{number}");
                    send(output, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
                })
            }
            ("initialized", Some(ServerFault::NotSignedIn)) => {
                let status = json!({ "busy": false, "kind": "Error", "message": "You are not signed in." });
                send(output, &json!({ "jsonrpc": "2.0", "method": "didChangeStatus", "params": status }))
            }
            ("textDocument/didOpen" | "textDocument/didChange" | "textDocument/didClose", _) => {
                apply(&mut served.documents, message)
            }
            ("$/cancelRequest", Some(ServerFault::WaitsForCancel)) => {
                match served.held.take_if(|it| it["id"] == message["params"]["id"]) {
                    Some(held) => {
                        let error = json!({ "code": -32800, "message": "cancelled" });
                        send(output, &json!({ "jsonrpc": "2.0", "id": held["id"], "error": error }))
                    }
                    None => Ok(()),
                }
            }
            ("signIn", _) => {
                let command = json!({ "title": "Sign in", "command": "simulated.signIn", "arguments": [] });
                let flow = json!({ "status": "PromptUserDeviceFlow", "userCode": "ABCD-1234",
                    "verificationUri": "https://example.test/device", "command": command });
                send(output, &response(message, flow))
            }
            ("shutdown" | "workspace/executeCommand", _) => send(output, &response(message, Value::Null)),
            ("", _) if message["id"].is_string() => {
                served.answers_due = served.answers_due.saturating_sub(1);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Answers a request for text. Returns true if the server ends.
    fn complete(&self, served: &mut Served, message: &Value, output: &mut impl Write) -> io::Result<bool> {
        sleep(self.delay);
        let mut answer = response(message, self.items(&served.documents, &message["params"])?);
        match self.fault {
            Some(ServerFault::NeverAnswers) => return Ok(false),
            Some(ServerFault::Asks) if served.answers_due > 0 => return Ok(false),
            Some(ServerFault::WaitsForCancel | ServerFault::OutOfOrder) if served.held.is_none() => {
                served.held = Some(answer);
                return Ok(false);
            }
            Some(ServerFault::WrongIds) => answer["id"] = u64::MAX.into(),
            Some(ServerFault::NotSignedIn) => {
                let error = json!({ "code": 1000, "message": "Not authenticated" });
                answer = json!({ "jsonrpc": "2.0", "id": message["id"], "error": error });
            }
            _ => {}
        }
        if self.misbehaves(output)? {
            return Ok(true);
        }
        send(output, &answer)?;
        if let Some(held) = served.held.take() {
            send(output, &held)?;
        }
        Ok(false)
    }

    /// Misbehaves before an answer to a request for text. Returns true if the server ends.
    #[expect(clippy::print_stderr, reason = "it is the fault to simulate")]
    fn misbehaves(&self, output: &mut impl Write) -> io::Result<bool> {
        match self.fault {
            Some(ServerFault::EndsOnce) if self.starts > 0 => {}
            Some(ServerFault::Ends | ServerFault::EndsOnce) => {
                eprintln!("\nsimulated end \u{1b}[31m\n");
                return Ok(true);
            }
            Some(ServerFault::Floods) => loop {
                send(output, &json!({ "jsonrpc": "2.0", "method": "simulated/flood", "params": {} }))?;
            },
            Some(ServerFault::Huge) => {
                write!(output, "Content-Length: {}\r\n\r\n", 1 << 30)?;
                output.flush()?;
                sleep(Duration::from_secs(3600));
            }
            Some(ServerFault::Prints) => loop {
                writeln!(output, "a line of a log")?;
            },
            Some(ServerFault::Noisy) => (0..10_000).for_each(|_| eprintln!("noise of a server")),
            _ => {}
        }
        Ok(false)
    }

    fn items(&self, documents: &BTreeMap<String, Document>, params: &Value) -> io::Result<Value> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let document = documents.get(uri).ok_or_else(|| invalid("a document that is not open"))?;
        if params["textDocument"]["version"] != document.version() {
            return Err(invalid("another version than that of the document"));
        }
        let cursor = clamped_byte_at(document.text(), position(&params["position"])?, Encoding::Utf16);
        let (before, after) =
            (document.slice(0..cursor), document.slice(cursor..document.text().len_bytes()));
        let Some(text) = self.reply.clone().or_else(|| local::complete(&before, &after)) else {
            return Ok(json!({ "items": [] }));
        };
        let line = before.rsplit('\n').next().unwrap_or_default();
        let start = json!({ "line": params["position"]["line"], "character": 0 });
        let range = json!({ "start": start, "end": params["position"] });
        let command = json!({ "title": "Accept", "command": "simulated.accept", "arguments": ["item"] });
        let item = match self.fault {
            Some(ServerFault::Malformed) => json!({ "insertText": 7, "range": "all" }),
            Some(ServerFault::Snippet) => {
                json!({ "insertText": "${1:x}", "insertTextFormat": 2, "range": range })
            }
            Some(ServerFault::Outside) => {
                let far = json!({ "line": 9_999, "character": 0 });
                json!({ "insertText": text, "range": { "start": start, "end": far } })
            }
            _ => json!({ "insertText": format!("{line}{text}"), "range": range, "command": command }),
        };
        Ok(json!({ "items": [item] }))
    }
}

fn response(request: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}

/// The answer to `initialize`.
fn beginning(fault: Option<ServerFault>) -> Value {
    let offers = fault != Some(ServerFault::OffersNothing);
    json!({
        "capabilities": {
            "textDocumentSync": { "openClose": true, "change": 2 },
            "inlineCompletionProvider": offers,
            "executeCommandProvider": { "commands": ["simulated.accept"] },
        },
        "serverInfo": { "name": "simulated" },
    })
}

/// Applies a notification about a document, which has to fit.
fn apply(documents: &mut BTreeMap<String, Document>, message: &Value) -> io::Result<()> {
    let (params, about) = (&message["params"], &message["params"]["textDocument"]);
    let uri = about["uri"].as_str().unwrap_or_default().to_owned();
    let version = about["version"].as_i64().and_then(|it| i32::try_from(it).ok()).unwrap_or_default();
    let text = |of: &Value| of["text"].as_str().unwrap_or_default().to_owned();
    match message["method"].as_str() {
        Some("textDocument/didOpen") => {
            let language = about["languageId"].as_str().unwrap_or_default();
            let opened = Document::new(DocumentId::new(&uri), language, version, &text(about));
            if documents.insert(uri, opened).is_some() {
                return Err(invalid("a document that is opened twice"));
            }
        }
        Some("textDocument/didChange") => {
            let document = documents.get_mut(&uri).ok_or_else(|| invalid("a document that is not open"))?;
            for change in params["contentChanges"].as_array().into_iter().flatten() {
                let range = match &change["range"] {
                    Value::Null => None,
                    range => Some(position(&range["start"])?..position(&range["end"])?),
                };
                let change = Change { range, text: text(change) };
                let changed = document.edited(&[change], Encoding::Utf16, version);
                *document = changed.map_err(io::Error::other)?.0;
            }
        }
        _ => {
            documents.remove(&uri).ok_or_else(|| invalid("a document that is not open"))?;
        }
    }
    Ok(())
}

fn position(of: &Value) -> io::Result<Position> {
    let number = |name: &str| of[name].as_u64().and_then(|it| u32::try_from(it).ok());
    let at = number("line").zip(number("character")).ok_or_else(|| invalid("no position"))?;
    Ok(Position::new(at.0, at.1))
}

/// The next message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    serde_json::from_slice(&body).map(Some).map_err(io::Error::other)
}

fn send(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
