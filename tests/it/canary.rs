//! Keys and secrets planted wherever one may occur, in a whole process that logs everything, among servers that send
//! back all they received. The test searches for them in all output.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tandem::config::{Endpoint, Secret};
use tandem::lsp_client::LspClient;
use tandem::model;
use tandem::simulate::{self, Fault, Options, Simulator};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::socket::{read, request};
use crate::support::http::read_head;
use crate::support::{capabilities, complete_params, uri};

/// The planted secrets. Assembled here, so that this file contains none.
struct Canaries {
    /// Keys, passwords and whole headers: only for the servers.
    keys: Vec<String>,
    /// In a file that must not be shown to any model.
    dotenv: String,
    /// In an open file, next to the cursor.
    buffer: String,
    /// In another server's diagnostic.
    diagnostic: String,
}

fn canary(of: &str) -> String {
    format!("canary{}{of}", "Zq8Yw7Xv6".repeat(2))
}

impl Canaries {
    fn new() -> Self {
        let keys = ["env", "command", "header", "query", "user", "proxy"].map(canary);
        let basic = |user: &str| BASE64_STANDARD.encode(format!("me:{}", canary(user)));
        Self {
            keys: keys.into_iter().chain([basic("user"), basic("proxy")]).collect(),
            dotenv: canary("dotenv"),
            buffer: format!("sk-{}buffer", "A1b2C3d4E5f6G7h8".repeat(2)),
            diagnostic: format!("sk-{}diagnostic", "H8g7F6e5D4c3B2a1".repeat(2)),
        }
    }
}

/// The behavior of a hostile server.
#[derive(Debug, Clone, Copy)]
enum Malice {
    /// Refuses everything and quotes the request: in an error message, and as the name of a model.
    Quotes,
    /// Redirects every request.
    Redirects,
    /// Accepts sockets, and quotes the head of the upgrade in events and errors.
    Talks,
    /// Answers, with the head of the request as the model's name.
    Serves,
}

/// Starts a hostile server; returns its base URL, and all that it receives.
async fn hostile(malice: Malice, elsewhere: &str) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(String::new()));
    let (all, elsewhere) = (Arc::clone(&seen), elsewhere.to_owned());
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let (all, elsewhere) = (Arc::clone(&all), elsewhere.clone());
            tokio::spawn(async move {
                match malice {
                    Malice::Talks => talk(tcp, &all).await,
                    _ => answer(tcp, malice, &elsewhere, &all).await,
                }
            });
        }
    });
    (base_url, seen)
}

/// Reads one request's head, without its first line's method, and answers it.
async fn answer(mut tcp: TcpStream, malice: Malice, elsewhere: &str, all: &Mutex<String>) {
    let Some(head) = read_head(&mut tcp).await else { return };
    all.lock().unwrap().push_str(&head);
    let length = head
        .to_lowercase()
        .split("content-length: ")
        .nth(1)
        .map_or(0, |rest| rest.split("\r\n").next().unwrap().parse().unwrap());
    tcp.read_exact(&mut vec![0; length]).await.unwrap();
    let quoted = head.replace("\r\n", " | ");
    let error = json!({ "error": { "message": format!("Incorrect API key provided: {quoted}"), "code": "x", "type": quoted } });
    let (status, headers, body) = match malice {
        Malice::Quotes => ("401 Unauthorized", format!("openai-model: {quoted}\r\n"), error.to_string()),
        Malice::Redirects => ("307 Elsewhere", format!("location: {elsewhere}\r\n"), String::new()),
        Malice::Serves | Malice::Talks => {
            let chunk = |delta: Value, finish: Value| {
                json!({ "id": "1", "object": "chat.completion.chunk", "model": quoted,
                        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
            };
            let text = chunk(json!({ "content": "1;" }), Value::Null);
            let end = chunk(json!({}), json!("stop"));
            let body = format!("data: {text}\n\ndata: {end}\n\ndata: [DONE]\n\n");
            let headers = "content-type: text/event-stream\r\nopenai-model: m\r\nx-ratelimit-remaining-requests: 59\r\n";
            ("200 OK", format!("{headers}x-ratelimit-limit-requests: {quoted}\r\n"), body)
        }
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    // The client may have closed the connection.
    let (Ok(()) | Err(_)) = tcp.write_all(answer.as_bytes()).await;
}

/// Accepts a socket and quotes the upgrade's head in every kind of event.
#[expect(clippy::result_large_err, reason = "the library's own signature")]
async fn talk(tcp: TcpStream, all: &Mutex<String>) {
    let mut quoted = String::new();
    let note = |request: &Request, mut response: Response| {
        response.headers_mut().insert("x-ratelimit-remaining-requests", HeaderValue::from_static("59"));
        for (name, value) in request.headers() {
            quoted += &format!("{name}: {} | ", value.to_str().unwrap());
        }
        quoted += &request.uri().to_string();
        Ok(response)
    };
    let Ok(mut socket) = tokio_tungstenite::accept_hdr_async(tcp, note).await else { return };
    all.lock().unwrap().push_str(&quoted);
    while let Some(Ok(message)) = socket.next().await {
        if !message.is_text() {
            continue;
        }
        let limits = json!({ "primary": { "used_percent": 3, "window_minutes": 5 }, "limit_name": quoted });
        let response = json!({ "id": "r1", "model": quoted, "service_tier": quoted, "output": [] });
        let error = json!({ "message": format!("no: {quoted}"), "code": "server_error", "param": quoted });
        for event in [
            json!({ "type": "codex.rate_limits", "rate_limits": limits, "metered_limit_name": quoted }),
            json!({ "type": "response.metadata", "headers": { "openai-model": quoted } }),
            json!({ "type": quoted, "detail": quoted }),
            json!({ "type": "response.created", "response": response }),
            json!({ "type": "error", "status": 500, "error": error }),
        ] {
            if socket.send(Message::text(event.to_string())).await.is_err() {
                return;
            }
        }
    }
}

/// A project that contains secrets, and the processes that run in it.
struct Place {
    canaries: Canaries,
    _on_disk: TempDir,
    folder: PathBuf,
}

impl Place {
    fn new() -> Self {
        let canaries = Canaries::new();
        let on_disk = TempDir::new().unwrap();
        let folder = std::fs::canonicalize(on_disk.path()).unwrap();
        std::fs::create_dir(folder.join("work")).unwrap();
        std::fs::write(folder.join("work/.env"), format!("TOKEN={}\n", canaries.dotenv)).unwrap();
        std::fs::write(folder.join("work/a.rs"), source(&canaries)).unwrap();
        Self { canaries, _on_disk: on_disk, folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
        command
            .args(arguments)
            .current_dir(self.folder.join("work"))
            .env("TANDEM_CONFIG", self.folder.join("config.toml"))
            .env("TANDEM_STATE", self.folder.join("state"))
            .env("TANDEM_LOG", "trace")
            .env("CANARY", canary("env"))
            .env("CANARY_HEADER", canary("header"))
            .env("RUST_BACKTRACE", "1");
        command
    }

    /// Runs a command to its end, and returns its output.
    async fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().await.unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(!text.is_empty(), "{arguments:?} printed nothing");
        text
    }

    /// Runs an editor's session with every kind of job; returns the server's messages and its log.
    async fn session(&self) -> (String, String) {
        let log = self.folder.join("log");
        let mut child = self
            .command(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        // Everything that the server writes is recorded as well as read.
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (mut copy, from_server) = tokio::io::duplex(1 << 16);
        let mut stdout = child.stdout.take().unwrap();
        let all = Arc::clone(&kept);
        tokio::spawn(async move {
            let mut bytes = vec![0; 1 << 14];
            while let Ok(count @ 1..) = stdout.read(&mut bytes).await {
                all.lock().unwrap().extend_from_slice(&bytes[..count]);
                copy.write_all(&bytes[..count]).await.unwrap();
            }
        });
        let mut driver = LspClient::new(from_server, child.stdin.take().unwrap());
        self.work(&mut driver).await;
        driver.finish().await.unwrap();
        assert!(child.wait().await.unwrap().success());
        let said = String::from_utf8(kept.lock().unwrap().clone()).unwrap();
        (said, std::fs::read_to_string(log).unwrap())
    }

    async fn work(&self, driver: &mut LspClient) {
        let work = self.folder.join("work");
        let mut capabilities = capabilities("utf-16");
        capabilities["experimental"]["tandem"]["statusNotification"] = json!(true);
        let folders = json!([{ "uri": uri(&work), "name": "work" }]);
        let params = json!({ "processId": null, "workspaceFolders": folders, "capabilities": capabilities });
        driver.initialize(params).await.unwrap();
        let [file, dotenv] = ["a.rs", ".env"].map(|name| uri(&work.join(name)));
        let dotenv_text = format!("TOKEN={}\nB=", self.canaries.dotenv);
        for (uri, language, text) in
            [(&file, "rust", source(&self.canaries)), (&dotenv, "dotenv", dotenv_text)]
        {
            let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
            driver.notify("textDocument/didOpen", json!({ "textDocument": document }));
        }
        let at = |line: u32, from: u32, to: u32| json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
        let change = json!({ "range": at(3, 12, 12), "text": " " });
        let document = json!({ "uri": file, "version": 2 });
        driver.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [change] }),
        );
        let message = format!("cannot find `{}` in this scope", self.canaries.diagnostic);
        let problem = json!({ "range": at(3, 8, 9), "severity": 1, "source": "rustc", "message": message });
        driver.notify("tandem/diagnostics", json!({ "uri": file, "diagnostics": [problem] }));
        for (uri, line, column) in [(&dotenv, 1, 2), (&file, 3, 13)] {
            for kind in [2, 1] {
                let mut params = complete_params(uri, line, column);
                params["context"]["triggerKind"] = json!(kind);
                done(driver, "textDocument/inlineCompletion", params).await;
            }
        }
        let position = json!({ "line": 3, "character": 13 });
        let params = json!({ "textDocument": { "uri": file, "version": 2 }, "position": position });
        done(driver, "tandem/nextEdit", params).await;
        let context = json!({ "diagnostics": [problem] });
        let params = json!({ "textDocument": { "uri": file }, "range": at(3, 8, 9), "context": context });
        for action in done(driver, "textDocument/codeAction", params).await.as_array().unwrap_or(&vec![]) {
            done(driver, "codeAction/resolve", action.clone()).await;
        }
        for uri in [&file, &dotenv] {
            let rewrite = json!({ "textDocument": { "uri": uri }, "range": at(1, 0, 0), "preview": true,
                                  "instruction": "rename width to breadth" });
            command(driver, "tandem.rewrite", rewrite).await;
        }
        for name in ["tandem.status", "tandem.why"] {
            command(driver, name, json!({ "textDocument": { "uri": dotenv } })).await;
            command(driver, name, json!({})).await;
        }
    }

    /// The contents of all files that the program may have written.
    fn written(&self) -> String {
        fn all(folder: &Path) -> String {
            let Ok(entries) = std::fs::read_dir(folder) else { return String::new() };
            let paths = entries.map(|entry| entry.unwrap().path());
            paths
                .map(|it| if it.is_dir() { all(&it) } else { std::fs::read_to_string(it).unwrap() })
                .collect()
        }
        all(&self.folder.join("state"))
    }

    /// Asserts that `text` contains none of `canaries`.
    fn check<'a>(&self, what: &str, text: &str, canaries: impl IntoIterator<Item = &'a String>) {
        for canary in canaries {
            // A part of a canary is a leak, too, such as one truncated for a message.
            for part in [&canary[..], &canary[..canary.len() * 2 / 3]] {
                if let Some(at) = text.find(part) {
                    let from = text[..at].char_indices().rev().nth(300).map_or(0, |(at, _)| at);
                    panic!("{part} is in {what}: …{}", &text[from..at + part.len()]);
                }
            }
        }
    }

    /// Runs everything with a configuration, and checks all output.
    async fn scour(&self, what: &str, config: &str) -> String {
        std::fs::write(self.folder.join("config.toml"), config).unwrap();
        let Canaries { keys, dotenv, buffer, diagnostic } = &self.canaries;
        let (said, log) = self.session().await;
        assert!(log.contains("TRACE") && said.contains("tandem/statusChanged"), "{what}: {log}");
        self.check(&format!("{what}: the log"), &log, keys.iter().chain([dotenv, buffer, diagnostic]));
        // Only code actions return the editor's own diagnostics to it.
        self.check(&format!("{what}: the messages"), &said, keys.iter().chain([dotenv, buffer]));
        self.check(
            &format!("{what}: the state"),
            &self.written(),
            keys.iter().chain([dotenv, buffer, diagnostic]),
        );
        for arguments in [
            &["doctor", "--requests", "1"][..],
            &["doctor", "--requests", "1", "--json"],
            &["context", "a.rs:4:13"],
            &["context", "a.rs:4:13", "--json"],
            &["context", ".env:1:3", "--json"],
            &["context", "a.rs:2:1", "--job", "rewrite"],
        ] {
            let printed = self.run(arguments).await;
            let what = format!("{what}: {}", arguments.join(" "));
            self.check(&what, &printed, keys.iter().chain([dotenv, buffer]));
        }
        said
    }
}

/// A source with a key near the cursor, which is on the fourth line after `let x =`.
fn source(canaries: &Canaries) -> String {
    let key = &canaries.buffer;
    format!("fn connect() {{\n    let width = 1;\n    let key = \"{key}\";\n    let x =\n}}\n")
}

/// The result of a request; null if it failed.
async fn done(driver: &mut LspClient, method: &str, params: Value) -> Value {
    let id = driver.ask(method, params);
    driver.answer(id).await.unwrap()["result"].take()
}

async fn command(driver: &mut LspClient, name: &str, argument: Value) {
    done(driver, "workspace/executeCommand", json!({ "command": name, "arguments": [argument] })).await;
}

async fn simulator(folder: &Path, options: Options) -> Simulator {
    let record = Some(folder.join("frames.jsonl"));
    simulate::start(Options { record, api_key: Some(canary("env")), ..options }).await.unwrap()
}

fn provider(name: &str, base_url: &str, rest: &str) -> String {
    format!("[providers.{name}]\nbase_url = \"{base_url}\"\n{rest}\n")
}

fn candidates(names: &[&str]) -> String {
    let list: Vec<String> =
        names.iter().map(|name| format!("{{ provider = \"{name}\", model = \"m\" }}")).collect();
    let last = list.last().unwrap();
    format!("[fast]\ncandidates = [{}]\n[deep]\ncandidates = [{last}]\n", list.join(", "))
}

const ENV: &str = "api_key_env = \"CANARY\"";

#[tokio::test]
async fn no_key_comes_out_among_hostile_servers() {
    let place = Place::new();
    let (trap, trapped) = hostile(Malice::Quotes, "").await;
    let (quotes, seen_by_quotes) = hostile(Malice::Quotes, "").await;
    let (redirects, seen_by_redirects) = hostile(Malice::Redirects, &trap).await;
    let (talks, seen_by_talks) = hostile(Malice::Talks, "").await;
    let (serves, seen_by_serves) = hostile(Malice::Serves, "").await;
    let simulator = simulator(&place.folder, Options::default()).await;
    let command = format!("api_key_command = [\"echo\", \"{}\"]", canary("command"));
    let header = "headers = { x-canary = { env = \"CANARY_HEADER\" } }";
    let secret_url = |base_url: &str| {
        let host = base_url.trim_start_matches("http://");
        format!("http://me:{}@{host}?key={}", canary("user"), canary("query"))
    };
    let proxy = format!("proxy = \"http://me:{}@127.0.0.1:9\"", canary("proxy"));
    let providers = [
        provider("quotes", &quotes, ENV),
        provider("quotes-http", &quotes, &format!("{ENV}\nwire = \"responses-sse\"")),
        provider("redirects", &redirects, &format!("{command}\n{header}\nwire = \"chat\"")),
        provider("redirects-socket", &secret_url(&redirects), header),
        provider("talks", &talks, &format!("{ENV}\n{header}")),
        provider("talks-by-url", &secret_url(&talks), ""),
        provider("proxied", "https://localhost/v1", &format!("{ENV}\n{proxy}")),
        provider("simulator", &simulator.base_url(), ENV),
        provider("serves", &secret_url(&serves), &format!("{header}\nwire = \"chat\"")),
    ]
    .concat();
    let all = [
        "quotes",
        "quotes-http",
        "redirects",
        "redirects-socket",
        "talks",
        "talks-by-url",
        "proxied",
        "simulator",
    ];
    place.scour("down the ladder", &(providers.clone() + &candidates(&all))).await;
    for name in ["talks", "serves"] {
        let said = place.scour(name, &(providers.clone() + &candidates(&[name]))).await;
        assert!(said.contains("***"), "what was quoted is to be seen, without the key: {said}");
        let quota = r#"{"name":"requests","used":"59 left"}"#;
        assert!(said.contains(quota), "what headers say of limits is to be seen: {said}");
    }
    let Canaries { keys, dotenv, buffer, diagnostic } = &place.canaries;
    let frames = std::fs::read_to_string(place.folder.join("frames.jsonl")).unwrap();
    assert!(frames.contains("REDACTED_1"), "the ladder was climbed down to its end: {frames}");
    place.check("the frames", &frames, keys.iter().chain([dotenv, buffer, diagnostic]));
    // The servers did receive secrets to quote.
    let sent = [seen_by_quotes, seen_by_redirects, seen_by_talks, seen_by_serves]
        .map(|seen| seen.lock().unwrap().clone());
    for key in ["env", "command", "header", "query"].map(canary) {
        assert!(sent.iter().any(|sent| sent.contains(&key)), "{key} was not sent: {sent:#?}");
    }
    assert_eq!(*trapped.lock().unwrap(), "", "no request followed a redirection");
}

#[tokio::test]
async fn no_key_comes_out_when_things_go_wrong() {
    let place = Place::new();
    for faults in [
        [Fault::Refuse403, Fault::ServerError],
        [Fault::RerouteHeader, Fault::QuotaEvent],
        [Fault::CloseMidStream, Fault::UnknownEvents],
        [Fault::DetailError, Fault::Refuse426],
    ] {
        let simulator =
            simulator(&place.folder, Options { faults: faults.to_vec(), ..Options::default() }).await;
        let config = provider("simulator", &simulator.base_url(), ENV) + &candidates(&["simulator"]);
        place.scour(&format!("{faults:?}"), &config).await;
        let Canaries { keys, dotenv, buffer, diagnostic } = &place.canaries;
        let frames = std::fs::read_to_string(place.folder.join("frames.jsonl")).unwrap();
        place.check("the frames", &frames, keys.iter().chain([dotenv, buffer, diagnostic]));
    }
}

/// A writer that keeps the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Answers every request in its lane, and refuses base responses with an error that quotes the key.
async fn refuse_bases(tcp: TcpStream, words: &str, refused: &AtomicUsize) {
    let mut socket = tokio_tungstenite::accept_async(tcp).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        let Ok(frame) = message.to_text().map(serde_json::from_str::<Value>) else { continue };
        let Ok(frame) = frame else { continue };
        let lane = &frame["stream_id"];
        let events = if frame["generate"] == false {
            refused.fetch_add(1, Ordering::Relaxed);
            vec![json!({ "type": "error", "stream_id": lane, "error": { "message": words } })]
        } else {
            let response = json!({ "id": "r", "model": "m" });
            vec![
                json!({ "type": "response.created", "stream_id": lane, "response": response }),
                json!({ "type": "response.completed", "stream_id": lane, "response": response }),
            ]
        };
        for event in events {
            socket.send(Message::text(event.to_string())).await.unwrap();
        }
    }
}

#[tokio::test]
async fn no_key_is_logged_of_an_unrequested_answer() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let key = canary("env");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let refused = Arc::new(AtomicUsize::new(0));
    let (counter, words) = (Arc::clone(&refused), format!("Incorrect API key provided: {key}"));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let (counter, words) = (Arc::clone(&counter), words.clone());
            tokio::spawn(async move { refuse_bases(tcp, &words, &counter).await });
        }
    });
    let endpoint = Endpoint { base_url, key: Some(Secret::new(key.clone())), ..Endpoint::default() };
    let model = model::connect_to(endpoint, Arc::new(|_| ()));
    let input = "the same beginning ".repeat(100);
    for _ in 0..6 {
        let request = model::Request { stable: input.len(), input: input.clone(), ..request(64) };
        assert!(read(model.stream(request)).await.1.is_ok());
    }
    assert_eq!(refused.load(Ordering::Relaxed), 1, "and then bases are of no use");
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("no base response") && !log.contains(&key), "{log}");
}
