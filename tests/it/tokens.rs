//! Access tokens that expire, and identification of the user in requests, with servers that validate them.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tandem::config::{self, Endpoint, Issued, Keys, Secret, Sources, Wire};
use tandem::disk::Readers;
use tandem::model::{Request, Timing, Urgency};
use tandem::simulate::{Options, Simulator};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;

use crate::recovery::connect_to;
use crate::socket::{accept, completed, created, delta, listen, read, request, send, until};
use crate::support::http::read_head;
use crate::support::vendor::{Reply, Vendor};
use crate::support::{Editor, MARKED, Setup};

/// Prints the tokens t1, t2 and so on, each for an hour.
const COUNTS: &str = r#"echo x >> runs; echo '{"token": "t'$(wc -l < runs)'", "expires_in": 3600}'"#;

/// The setting for a shell script that runs in a folder.
fn command(folder: &Path, script: &str) -> String {
    std::fs::write(folder.join("token.sh"), format!("cd '{}'\n{script}\n", folder.display())).unwrap();
    format!("token_command = [\"/bin/sh\", \"{}\"]", folder.join("token.sh").display())
}

/// The endpoint of a provider with these settings.
fn endpoint(folder: &Path, settings: &str) -> Endpoint {
    let file = folder.join("config.toml");
    let fast = "[fast]\ncandidates = [{ provider = \"p\", model = \"m\" }]\n";
    std::fs::write(&file, format!("[providers.p]\n{settings}\n{fast}")).unwrap();
    let variable = |name: &str| (name == "USER").then(|| "zoë".to_owned());
    let sources = Sources {
        policy: None,
        file: Some(&file),
        editor: &[],
        folders: &[],
        variable: &variable,
        readers: &Readers::default(),
    };
    let loaded = config::load(&sources, &mut Keys::default(), false);
    assert_eq!(loaded.problems, []);
    loaded.settings.everywhere().fast.candidates[0].clone()
}

/// A server that accepts tokens from some number on. It answers a POST with `ok`, or forwards connections to a
/// simulator, which supports sockets as well.
struct Judge {
    base_url: String,
    least: Arc<AtomicU64>,
    /// The requests: `socket t1`, `post t2`.
    asked: Arc<Mutex<Vec<String>>>,
    connections: Arc<Mutex<JoinSet<()>>>,
    server: JoinHandle<()>,
}

impl Drop for Judge {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Judge {
    async fn start(behind: Option<&Simulator>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (least, asked) = (Arc::<AtomicU64>::default(), Arc::<Mutex<Vec<String>>>::default());
        let connections = Arc::<Mutex<JoinSet<()>>>::default();
        let behind = behind.map(|it| it.base_url().replace("http://", "").replace("/v1", ""));
        let (least_of_all, all, each) = (Arc::clone(&least), Arc::clone(&asked), Arc::clone(&connections));
        let server = tokio::spawn(async move {
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                let (least, asked, behind) = (Arc::clone(&least_of_all), Arc::clone(&all), behind.clone());
                each.lock().unwrap().spawn(serve(tcp, least, asked, behind));
            }
        });
        Self { base_url, least, asked, connections, server }
    }

    /// Accepts only tokens from this number on, and closes all connections.
    fn withdraw(&self, least: u64) {
        self.least.store(least, Ordering::Relaxed);
        self.connections.lock().unwrap().abort_all();
    }

    /// The requests since the last call.
    fn asked(&self) -> String {
        std::mem::take(&mut *self.asked.lock().unwrap()).join(", ")
    }
}

async fn serve(
    mut tcp: TcpStream,
    least: Arc<AtomicU64>,
    asked: Arc<Mutex<Vec<String>>>,
    behind: Option<String>,
) {
    loop {
        let Some(head) = read_head(&mut tcp).await else { return };
        let small = head.to_lowercase();
        let field =
            |name: &str| Some(small.split_once(&format!("\r\n{name}: "))?.1.split("\r\n").next()?.to_owned());
        let token = field("authorization").unwrap_or_default().replace("bearer ", "");
        let kind =
            if small.contains("upgrade: websocket") { "socket" } else { &small[..small.find(' ').unwrap()] };
        asked.lock().unwrap().push(format!("{kind} {token}"));
        let number: u64 = token.trim_start_matches('t').parse().unwrap_or(0);
        let is_taken = number >= least.load(Ordering::Relaxed);
        if let Some(behind) = behind.as_ref().filter(|_| is_taken) {
            let mut server = TcpStream::connect(behind).await.unwrap();
            server.write_all(head.as_bytes()).await.unwrap();
            // One side closes the connection in the end.
            _ = copy_bidirectional(&mut tcp, &mut server).await;
            return;
        }
        let mut body = vec![0; field("content-length").map_or(0, |it| it.parse().unwrap())];
        tcp.read_exact(&mut body).await.unwrap();
        let (status, body) = match is_taken {
            true => (200, json!({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})),
            false => (401, json!({"error": {"message": format!("{token} is not for this audience")}})),
        };
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if tcp.write_all(format!("{head}{body}").as_bytes()).await.is_err() {
            return;
        }
    }
}

fn asked(urgency: Urgency) -> Request {
    Request { urgency, ..request(64) }
}

async fn said(model: &Arc<dyn tandem::model::Model>) -> String {
    let (text, end) = read(model.stream(asked(Urgency::Asked))).await;
    end.map_or_else(|error| error.to_string(), |_| text)
}

#[tokio::test]
async fn a_401_is_answered_with_a_new_token_once_for_all_lanes() {
    let (folder, judge) = (TempDir::new().unwrap(), Judge::start(None).await);
    let url = format!("base_url = \"{}\"\nwire = \"chat\"\n", judge.base_url);
    let endpoint = endpoint(folder.path(), &(url + &command(folder.path(), COUNTS)));
    let (model, _) = connect_to(endpoint, Timing::default());
    assert_eq!(said(&model).await, "ok");
    assert_eq!(judge.asked(), "post t1");
    judge.least.store(2, Ordering::Relaxed);
    let answers = join_all((0..8).map(|_| said(&model))).await;
    assert!(answers.iter().all(|it| it == "ok"), "{answers:?}");
    let seen = judge.asked();
    assert_eq!(seen.matches("t2").count(), 8, "{seen}");
    assert!(!seen.contains("t3"), "{seen}");
    // Requests while typing are retried, too.
    judge.least.store(3, Ordering::Relaxed);
    assert_eq!(read(model.stream(asked(Urgency::Typing))).await.0, "ok");
    assert_eq!(judge.asked(), "post t2, post t3");
}

#[tokio::test]
async fn a_token_for_another_audience_is_refused_with_the_reason_and_no_other_is_fetched_at_once() {
    let (folder, judge) = (TempDir::new().unwrap(), Judge::start(None).await);
    judge.least.store(1_000, Ordering::Relaxed);
    let url = format!("base_url = \"{}\"\nwire = \"chat\"\n", judge.base_url);
    let script =
        r#"echo x >> runs; echo '{"token": "t'$(wc -l < runs)'", "expires_at": "2001-01-01T00:00:00Z"}'"#;
    let late = endpoint(folder.path(), &(url + &command(folder.path(), script)));
    let (model, _) = connect_to(late, Timing::default());
    assert_eq!(
        said(&model).await,
        "p refused (status 401): t1 is not for this audience (the token had ended when it came: sign in again, or set \
         this machine's clock)"
    );
    assert_eq!(judge.asked(), "post t1");
    // A new explicit request is sent, and its success clears the refusal.
    judge.least.store(2, Ordering::Relaxed);
    assert_eq!(said(&model).await, "ok");
    assert_eq!(judge.asked(), "post t2");
    assert_eq!(read(model.stream(asked(Urgency::Typing))).await.0, "ok");
}

#[tokio::test]
async fn sockets_are_opened_anew_for_a_new_token() {
    let simulator = simulator().await;
    let (folder, judge) = (TempDir::new().unwrap(), Judge::start(Some(&simulator)).await);
    let url = format!("base_url = \"{}\"\n", judge.base_url);
    let endpoint = endpoint(folder.path(), &(url + &command(folder.path(), COUNTS)));
    let token = endpoint.token.clone().unwrap();
    let (model, _) = connect_to(endpoint, Timing::default());
    assert_eq!(said(&model).await, "one two");
    until("two sockets", || judge.asked.lock().unwrap().len() == 2).await;
    assert_eq!(judge.asked(), "socket t1, socket t1");
    // The token is renewed early: new sockets replace these before the next request.
    token.change(|known| {
        known.issued = known.issued.take().map(|it| Issued {
            secret: Secret::new("t5".to_owned()),
            number: it.number + 1,
            ..it
        });
        true
    });
    until("other sockets", || judge.asked.lock().unwrap().len() >= 2).await;
    until("the end of the old ones", || {
        let mut connections = judge.connections.lock().unwrap();
        while connections.try_join_next().is_some() {}
        connections.len() == 2
    })
    .await;
    assert_eq!(judge.asked(), "socket t5, socket t5");
    assert_eq!(said(&model).await, "one two");
    assert_eq!(judge.asked(), "");
    // The token is revoked: no request is lost, and sockets use the next one.
    std::fs::write(folder.path().join("runs"), "x\n".repeat(6)).unwrap();
    judge.withdraw(7);
    assert_eq!(said(&model).await, "one two");
    until("sockets", || judge.asked.lock().unwrap().iter().any(|it| it == "socket t7")).await;
    assert_eq!(said(&model).await, "one two");
    let seen = judge.asked();
    assert!(seen.contains("socket t5") && seen.contains("post t7") && !seen.contains("t8"), "{seen}");
}

async fn simulator() -> Simulator {
    let script = tandem::simulate::Script::parse("{\"reply\": \"one two\"}").unwrap();
    tandem::simulate::start(Options { script, ..Options::default() }).await.unwrap()
}

#[tokio::test]
async fn a_token_of_ones_own_is_exchanged() {
    let folder = TempDir::new().unwrap();
    let identity = folder.path().join("identity");
    std::fs::write(&identity, "my-identity\n").unwrap();
    let judge = Judge::start(None).await;
    let replies = vec![
        Reply::json(200, &json!({"access_token": "t1", "token_type": "Bearer", "expires_in": 3600})),
        Reply::json(400, &json!({"error": "invalid_grant", "error_description": "my-identity has expired"})),
    ];
    let issuer = Vendor::start(replies).await;
    let url = issuer.base_url.replace("/v1", "/token");
    let settings = format!(
        "base_url = \"{}\"\nwire = \"chat\"\n[providers.p.token_exchange]\nurl = \"{url}\"\njson = true\n\
         subject_token_file = \"{}\"\naudience = \"me\"",
        judge.base_url,
        identity.display()
    );
    let (model, _) = connect_to(endpoint(folder.path(), &settings), Timing::default());
    assert_eq!(said(&model).await, "ok");
    expect![[r#"{"audience":"me","grant_type":"urn:ietf:params:oauth:grant-type:token-exchange","subject_token":"my-identity","subject_token_type":"urn:ietf:params:oauth:token-type:jwt"}"#]]
    .assert_eq(&issuer.asked()[0].body.to_string());
    assert_eq!(judge.asked(), "post t1");
    judge.least.store(2, Ordering::Relaxed);
    let why = "there is no token for p: URL gave none (400 Bad Request): invalid_grant: *** has expired; sign in again, \
               and check `token_exchange`";
    assert_eq!(said(&model).await.replace(&url, "URL"), why);
    // The file is read again each time.
    std::fs::remove_file(&identity).unwrap();
    sleep(Duration::from_millis(2_100)).await;
    let gone = said(&model).await;
    assert!(
        gone.ends_with("identity cannot be read: there is no such file; sign in, or correct the path"),
        "{gone}"
    );
}

#[tokio::test]
async fn an_editor_is_told_of_a_missing_token_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let script = "exit 1";
    let settings =
        format!("profile = \"x\"\n[profiles.x.providers.test]\n{}\n", command(folder.path(), script));
    let script = tandem::simulate::Script::parse("{\"reply\": \"height;\"}").unwrap();
    let simulator = Some(Options { api_key: Some("t1".to_owned()), script, ..Options::default() });
    let mut editor = Editor::with(Setup { simulator, settings, ..Setup::default() }).await;
    let (line, column) = editor.open_at("file:///w/a.rs", MARKED);
    editor.complete("file:///w/a.rs", line, column).await;
    let message = editor.driver.expect("window/showMessage").await.unwrap();
    expect!["Tandem: no fast model answers: there is no token for test: `/bin/sh` failed (exit status: 1); run it in a terminal to see why. The local engine answers until this is fixed; run `tandem doctor`"]
        .assert_eq(message["params"]["message"].as_str().unwrap());
    editor.driver.finish().await.unwrap();
}

const ASKER: &str = r#"
    prompt_cache_key = "{user}/{file}"
    headers = { X-User-ID = "{user}", X-Session-ID = "{session}", X-Job = "{job}", traceparent = "{traceparent}" }
    metadata = { job = "{job}", team = "t{user}" }
"#;

/// Replaces the values that vary between runs with their lengths.
fn masked(text: &str) -> String {
    let words = text.split_inclusive(|it: char| !it.is_ascii_hexdigit());
    let is_random = |word: &str| word.len() > 15;
    words
        .map(|word| {
            let digits = word.trim_end_matches(|it: char| !it.is_ascii_hexdigit());
            if is_random(digits) {
                word.replace(digits, &format!("<{}>", digits.len()))
            } else {
                word.to_owned()
            }
        })
        .collect()
}

#[tokio::test]
async fn a_request_over_http_says_who_asks_where_that_is_wanted() {
    let folder = TempDir::new().unwrap();
    let check = async |wire: Wire, settings: &str, expect: expect_test::Expect| {
        let whole = json!({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]});
        let vendor = Vendor::start(vec![Reply::json(200, &whole)]).await;
        let settings = format!("base_url = \"{}\"\nwire = \"{}\"\n{settings}", vendor.base_url, wire.name());
        let (model, _) = connect_to(endpoint(folder.path(), &settings), Timing::default());
        let trace = 0xabcd;
        // The answer is in the format of only one of the wires; only the request is checked.
        drop(read(model.stream(Request { trace, ..asked(Urgency::Asked) })).await);
        let asked = &vendor.asked()[0];
        let mut shown = String::new();
        for line in asked.head.lines().filter(|it| it.starts_with("x-") || it.starts_with("traceparent")) {
            shown += &format!("{}\n", masked(line));
        }
        for name in ["metadata", "prompt_cache_key"] {
            if let Some(value) = asked.body.get(name) {
                shown += &format!("{name}: {value}\n");
            }
        }
        expect.assert_eq(&shown);
    };
    check(
        Wire::Chat,
        ASKER,
        expect![[r#"
            x-job: test
            x-session-id: <16>
            x-user-id: zo%c3%ab
            traceparent: 00-<32>-<16>-01
            metadata: {"job":"test","team":"tzoë"}
            prompt_cache_key: "zoë/k"
        "#]],
    )
    .await;
    check(Wire::Chat, "", expect![""]).await;
    check(Wire::ResponsesSse, "", expect!["prompt_cache_key: \"k\"\n"]).await;
    check(
        Wire::ResponsesSse,
        "metadata = { job = \"{job}\" }",
        expect![[r#"
        metadata: {"job":"test"}
        prompt_cache_key: "k"
    "#]],
    )
    .await;
    check(
        Wire::Anthropic,
        "metadata = { user_id = \"{user}\" }",
        expect![[r#"
        metadata: {"user_id":"zoë"}
    "#]],
    )
    .await;
}

#[tokio::test]
async fn team_of_a_request_is_that_of_the_token_or_else_of_the_settings() {
    let whole = json!({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]});
    let check = async |token: &str, team: &str| {
        let (folder, vendor) = (TempDir::new().unwrap(), Vendor::start(vec![Reply::json(200, &whole)]).await);
        let settings = format!(
            "base_url = \"{}\"\nwire = \"chat\"\n{}\nteam_claim = \"team\"\nheaders = {{ X-Team = \"{{team}}\" }}\n\
             metadata = {{ team = \"of {{team}}\" }}\n[bill]\nteam = \"base\"\n",
            vendor.base_url,
            command(folder.path(), &format!("echo {token}")),
        );
        let (model, _) = connect_to(endpoint(folder.path(), &settings), Timing::default());
        assert_eq!(said(&model).await, "ok");
        let asked = &vendor.asked()[0];
        assert!(asked.head.contains(&format!("\r\nx-team: {team}\r\n")), "{}", asked.head);
        assert_eq!(asked.body["metadata"], json!({ "team": format!("of {team}") }));
    };
    // {"team": "core"}
    check("e30.eyJ0ZWFtIjogImNvcmUifQ.sig", "core").await;
    check("opaque", "base").await;
}

#[tokio::test]
async fn a_request_on_a_socket_says_who_asks_in_its_metadata() {
    let folder = TempDir::new().unwrap();
    let (listener, base_url) = listen().await;
    let endpoint = endpoint(folder.path(), &format!("base_url = \"{base_url}\"\n{ASKER}"));
    let ignored = tandem::model::capability::ignored_settings(&endpoint);
    expect![[r#"
        the header `X-Job` is left out on sockets, which have headers once: use `metadata`, or `wire = "responses-sse"`
        the header `traceparent` is left out on sockets, which have headers once: use `metadata`, or `wire = "responses-sse"`"#]]
    .assert_eq(&ignored.join("\n"));
    let (model, _) = connect_to(endpoint, Timing::default());
    let answered = tokio::spawn(read(model.stream(asked(Urgency::Asked))));
    let mut socket = accept(&listener).await;
    let frame = loop {
        if let Some(Ok(tokio_tungstenite::tungstenite::Message::Text(text))) = socket.next().await {
            break serde_json::from_str::<Value>(&text).unwrap();
        }
    };
    for event in [created("r"), delta("ok"), completed("r")] {
        send(&mut socket, event).await;
    }
    assert_eq!(answered.await.unwrap().0, "ok");
    expect![[r#"{"job":"test","tandem":"<16>","team":"tzoë"} "zoë/k""#]]
        .assert_eq(&masked(&format!("{} {}", frame["metadata"], frame["prompt_cache_key"])));
}
