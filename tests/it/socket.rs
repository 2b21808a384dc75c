//! The pool of sockets, as seen by the server: when a socket is reused or dropped, and when a call is repeated.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tandem::config::Endpoint;
use tandem::model::{self, Chunk, ChunkStream, Model, ModelError, Request, Urgency, Usage};
use tandem::simulate::{self, Options, Script, Simulator};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

fn model(base_url: String) -> Arc<dyn Model> {
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    model::connect_to(endpoint, Arc::new(|_| ()))
}

pub(crate) fn request(max_output_tokens: u32) -> Request {
    Request {
        instructions: "go on".into(),
        input: "x".to_owned(),
        stable: 0,
        fim: None,
        edits: Vec::new(),
        document: None,
        prediction: None,
        stop: Vec::new(),
        max_output_tokens,
        cache_key: "k".to_owned(),
        job: "test",
        asker: 0,
        trace: 0,
        urgency: Urgency::Typing,
        silence: std::time::Duration::ZERO,
        claim: tandem::model::Claim::default(),
    }
}

/// Reads a whole answer: its text, and how it ended.
pub(crate) async fn read(mut chunks: ChunkStream) -> (String, Result<Usage, ModelError>) {
    let mut text = String::new();
    while let Some(chunk) = timeout(Duration::from_secs(120), chunks.next()).await.unwrap() {
        match chunk {
            Ok(Chunk::Text(more)) => text.push_str(&more),
            Ok(Chunk::Restart) => text.clear(),
            Ok(Chunk::Dialect(_) | Chunk::Item(_)) => {}
            Ok(Chunk::Done(usage)) => return (text, Ok(usage)),
            Err(error) => return (text, Err(error)),
        }
    }
    panic!("an answer without an end after {text:?}");
}

async fn simulator() -> Simulator {
    let script = Script::parse("{\"reply\": \"one two three four five six seven eight\"}").unwrap();
    let ttft = Duration::from_millis(50);
    simulate::start(Options { script, ttft, tokens_per_second: 100, ..Options::default() }).await.unwrap()
}

pub(crate) async fn until(what: &str, mut done: impl FnMut() -> bool) {
    // One minute, which only a failure takes.
    for _ in 0..6_000 {
        if done() {
            return;
        }
        sleep(Duration::from_millis(10)).await;
    }
    panic!("{what} did not come about");
}

#[tokio::test]
async fn a_short_abandoned_answer_is_drained_and_its_socket_used_again() {
    let simulator = simulator().await;
    let model = model(simulator.base_url());
    for _ in 0..5 {
        let mut chunks = model.stream(request(64));
        assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))));
        drop(chunks);
        until("the end of the abandoned answer", || {
            let stats = simulator.stats();
            stats.responses_completed + stats.responses_abandoned == stats.requests
        })
        .await;
    }
    let (text, end) = read(model.stream(request(64))).await;
    assert_eq!(text, "one two three four five six seven eight", "this answer, and not an older one");
    assert!(end.is_ok());
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.responses_abandoned), (6, 0));
    // One in use, one whose answer may just be ending, one in reserve.
    assert!(stats.connections <= 3, "{} connections", stats.connections);
}

#[tokio::test]
async fn a_long_abandoned_answer_loses_its_socket_and_the_spare_serves() {
    let simulator = simulator().await;
    let model = model(simulator.base_url());
    let mut chunks = model.stream(request(4_096));
    assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))));
    drop(chunks);
    let (text, _) = read(model.stream(request(4_096))).await;
    assert_eq!(text, "one two three four five six seven eight");
    until("the drop of the abandoned answer", || simulator.stats().responses_abandoned == 1).await;
    until("the replacement", || simulator.stats().connections == 3).await;
}

#[tokio::test]
async fn a_failure_in_one_lane_is_not_the_others() {
    let lines = r#"
        {"when": "long", "reply": "one two three four five six seven eight"}
        {"when": "fails", "reply": "ok", "fault": "server-error", "once": true}
        {"reply": "ok"}"#;
    let script = Script::parse(lines).unwrap();
    let simulator =
        simulate::start(Options { script, tokens_per_second: 20, ..Options::default() }).await.unwrap();
    let model = model(simulator.base_url());
    let about = |input: &str| Request { input: input.to_owned(), ..request(64) };
    assert_eq!(read(model.stream(about("x"))).await.0, "ok", "and lanes work");
    let mut long = model.stream(about("long"));
    let Some(Ok(Chunk::Text(first))) = long.next().await else { panic!("no text") };
    assert_eq!(read(model.stream(about("fails"))).await.0, "ok", "made once more");
    let (rest, end) = read(long).await;
    assert_eq!(first + &rest, "one two three four five six seven eight");
    assert!(end.is_ok(), "{end:?}");
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.responses_abandoned), (4, 0), "{stats:?}");
}

#[tokio::test]
async fn dropping_the_model_closes_its_sockets() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    model.warm();
    let mut socket = accept(&listener).await;
    drop(model);
    let end = timeout(Duration::from_secs(120), socket.next()).await.unwrap();
    assert!(!matches!(end, Some(Ok(Message::Text(_)))), "{end:?}");
}

pub(crate) async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    (listener, base_url)
}

pub(crate) async fn accept(listener: &TcpListener) -> WebSocketStream<TcpStream> {
    tokio_tungstenite::accept_async(listener.accept().await.unwrap().0).await.unwrap()
}

pub(crate) async fn send(socket: &mut WebSocketStream<TcpStream>, event: Value) {
    socket.send(Message::text(event.to_string())).await.unwrap();
}

pub(crate) fn created(id: &str) -> Value {
    json!({ "type": "response.created", "response": { "id": id } })
}

/// Like [`created`], by a server that echoes the request's metadata.
pub(crate) fn created_for(request: &Message, id: &str) -> Value {
    let request: Value = serde_json::from_str(request.to_text().unwrap()).unwrap();
    json!({ "type": "response.created", "response": { "id": id, "metadata": request["metadata"] } })
}

pub(crate) fn delta(text: &str) -> Value {
    json!({ "type": "response.output_text.delta", "delta": text })
}

pub(crate) fn completed(id: &str) -> Value {
    json!({ "type": "response.completed", "response": { "id": id } })
}

/// Refuses the first request with this code and answers later ones. Records for each on which connection it arrived,
/// and whether in a lane.
async fn refuse_the_first(listener: TcpListener, code: &'static str, seen: Arc<Mutex<Vec<(usize, bool)>>>) {
    for number in 0.. {
        let (mut socket, seen) = (accept(&listener).await, Arc::clone(&seen));
        tokio::spawn(async move {
            while let Some(Ok(message)) = socket.next().await {
                let Ok(frame) = serde_json::from_str::<Value>(message.to_text().unwrap()) else { continue };
                let lane = &frame["stream_id"];
                let before = seen.lock().unwrap().len();
                seen.lock().unwrap().push((number, lane.is_string()));
                let error = json!({ "code": code, "message": "no", "param": "stream_id" });
                let events = match before {
                    0 => vec![json!({ "type": "error", "status": 400, "error": error })],
                    _ => vec![created("r"), delta("ok"), completed("r")],
                };
                for mut event in events {
                    if lane.is_string() {
                        event["stream_id"] = lane.clone();
                    }
                    send(&mut socket, event).await;
                }
            }
        });
    }
}

#[tokio::test]
async fn a_lane_that_is_refused_costs_no_answer() {
    // For each request: whether it arrived on the first one's connection, and whether in a lane.
    let check = async |code, expected: [(bool, bool); 3]| {
        let (listener, base_url) = listen().await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        tokio::spawn(refuse_the_first(listener, code, Arc::clone(&seen)));
        let model = model(base_url);
        for _ in 0..2 {
            assert_eq!(read(model.stream(request(64))).await.0, "ok", "{code}");
        }
        let seen = seen.lock().unwrap();
        let seen: Vec<_> = seen.iter().map(|(number, lane)| (*number == seen[0].0, *lane)).collect();
        assert_eq!(seen, expected, "{code}");
    };
    // Where lanes are unknown, the same socket is used without them.
    check("invalid_stream_id", [(true, true), (true, false), (true, false)]).await;
    // A connection has a limited number of lane names.
    check("websocket_stream_limit_reached", [(true, true), (false, true), (false, true)]).await;
}

#[tokio::test]
async fn a_call_on_a_dead_socket_is_made_once_more_elsewhere() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let chunks = model.stream(request(64));
    let answer = tokio::spawn(read(chunks));
    let mut first = accept(&listener).await;
    assert!(first.next().await.unwrap().unwrap().is_text());
    drop(first);
    // The other socket may be the spare that was opened in the meantime.
    let mut other = accept(&listener).await;
    assert!(other.next().await.unwrap().unwrap().is_text(), "the same frame again");
    for event in [created("r"), delta("ok"), completed("r")] {
        send(&mut other, event).await;
    }
    assert_eq!(answer.await.unwrap().0, "ok");
}

#[tokio::test]
async fn a_call_that_was_answered_in_part_is_made_again_once() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let answer = tokio::spawn(read(model.stream(request(64))));
    for part in ["half an ans", "another ha"] {
        let mut socket = accept(&listener).await;
        let asked = socket.next().await.unwrap().unwrap();
        for event in [created_for(&asked, "r"), delta(part)] {
            send(&mut socket, event).await;
        }
    }
    let (text, end) = answer.await.unwrap();
    assert_eq!(text, "another ha", "the first part was taken back");
    assert_eq!(end, Err(ModelError::Closed { provider: "test".to_owned() }));
}

#[tokio::test]
async fn tail_of_an_older_answer_is_dropped() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let answer = tokio::spawn(read(model.stream(request(64))));
    let mut socket = accept(&listener).await;
    assert!(socket.next().await.unwrap().unwrap().is_text());
    for event in
        [delta("old"), completed("old"), created("new"), delta("new"), completed("old"), completed("new")]
    {
        send(&mut socket, event).await;
    }
    let (text, end) = answer.await.unwrap();
    assert_eq!(text, "new");
    assert!(end.is_ok());
}

#[tokio::test]
async fn an_answer_without_end_is_cut() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let answer = tokio::spawn(read(model.stream(request(64))));
    let mut socket = accept(&listener).await;
    let asked = socket.next().await.unwrap().unwrap();
    send(&mut socket, created_for(&asked, "r")).await;
    let more = Message::text(delta(&"x".repeat(1_000)).to_string());
    // Until the client closes the connection.
    while socket.send(more.clone()).await.is_ok() {}
    let (text, end) = answer.await.unwrap();
    assert_eq!(text.len(), 65_000);
    let error = end.unwrap_err().to_string();
    assert_eq!(error, "test refused: its answer has many times the tokens that were asked for");
}

#[tokio::test]
async fn a_message_without_bounds_is_not_taken() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let answer = tokio::spawn(read(model.stream(request(64))));
    // The call is repeated once.
    for _ in 0..2 {
        let mut socket = accept(&listener).await;
        let asked = socket.next().await.unwrap().unwrap();
        for event in [
            created_for(&asked, "r"),
            delta("ok"),
            json!({ "type": "x", "pad": "x".repeat(5 << 20) }),
            completed("r"),
        ] {
            // The client may have disconnected by then.
            let (Ok(()) | Err(_)) = socket.send(Message::text(event.to_string())).await;
        }
    }
    let (text, end) = answer.await.unwrap();
    assert_eq!((&*text, end), ("ok", Err(ModelError::Closed { provider: "test".to_owned() })));
}

#[tokio::test]
async fn a_socket_that_is_too_old_is_left_for_another() {
    let (listener, base_url) = listen().await;
    let model = model(base_url);
    let answer = tokio::spawn(read(model.stream(request(64))));
    let mut first = accept(&listener).await;
    assert!(first.next().await.unwrap().unwrap().is_text());
    let error = json!({ "type": "error", "status": 400, "error": {
        "code": "websocket_connection_limit_reached", "message": "This connection is too old; open another." } });
    send(&mut first, error).await;
    let mut other = accept(&listener).await;
    assert!(other.next().await.unwrap().unwrap().is_text(), "the same request again");
    for event in [created("r"), delta("ok"), completed("r")] {
        send(&mut other, event).await;
    }
    assert_eq!(answer.await.unwrap().0, "ok");
    let next = timeout(Duration::from_secs(120), first.next()).await.unwrap();
    assert!(!matches!(next, Some(Ok(Message::Text(_)))), "{next:?}");
}
