//! Which text of which response is the answer: commentary, several messages, and unrequested responses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use serde_json::{Value, json};
use tandem::config::{Endpoint, Wire};
use tandem::model::{self, ErrorKind, Model, ModelError, Request, Timing, Urgency, WireEvent};
use tandem::simulate::{self, Fault, Options, Script, Simulator};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::recovery::{connect, connect_to};
use crate::socket::{accept, completed, created, created_for, delta, listen, read, request, send, until};

const URGENCIES: [Urgency; 4] = [Urgency::Typing, Urgency::Invoked, Urgency::Asked, Urgency::Deep];

async fn simulator(faults: Vec<Fault>) -> Simulator {
    let script = Script::parse("{\"reply\": \"one two three four\"}").unwrap();
    simulate::start(Options { script, faults, ..Options::default() }).await.unwrap()
}

fn asked(urgency: Urgency) -> Request {
    Request { urgency, ..request(64) }
}

/// Checks three consecutive answers for each urgency under a fault that occurs every time: the text, or the error.
async fn check(fault: Fault, wire: Wire, expected: &str) {
    for urgency in URGENCIES {
        let simulator = simulator(vec![fault]).await;
        let (model, _) = connect(&simulator, wire, Timing::default());
        for number in 0..3 {
            let (text, end) = read(model.stream(asked(urgency))).await;
            let said = match end {
                Ok(_) => text,
                Err(error) => format!("{text:?} {:?}", error.kind()),
            };
            assert_eq!(said, expected, "{fault} over {wire:?} for {urgency:?}, number {number}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_that_are_not_the_answer_are_never_part_of_it() {
    for wire in [Wire::ResponsesWebsocket, Wire::ResponsesSse] {
        for fault in [Fault::Commentary, Fault::CommentaryBetween, Fault::TwoMessages] {
            check(fault, wire, "one two three four").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn responses_that_were_not_asked_for_shift_no_answer() {
    for fault in [Fault::StrayResponseBefore, Fault::StrayResponseAfter, Fault::LateEvents] {
        check(fault, Wire::ResponsesWebsocket, "one two three four").await;
    }
}

#[tokio::test]
async fn a_response_that_was_not_asked_for_drops_its_socket() {
    let simulator = simulator(vec![Fault::StrayResponseAfter]).await;
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
    assert_eq!(read(model.stream(request(64))).await.0, "one two three four");
    until("the replacement", || simulator.stats().connections == 3).await;
}

#[tokio::test]
async fn an_answer_to_an_older_request_is_told_by_its_nonce() {
    let (listener, base_url) = listen().await;
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    let (model, _) = connect_to(endpoint, Timing::default());
    let first = tokio::spawn(read(model.stream(request(64))));
    let mut socket = accept(&listener).await;
    let older = socket.next().await.unwrap().unwrap();
    for event in [created_for(&older, "r1"), delta("first"), completed("r1")] {
        send(&mut socket, event).await;
    }
    assert_eq!(first.await.unwrap().0, "first");
    let mut spare = accept(&listener).await;
    let second = tokio::spawn(read(model.stream(asked(Urgency::Asked))));
    let again = socket.next().await.unwrap().unwrap();
    for event in [created_for(&older, "r2"), delta("wrong"), completed("r2")] {
        send(&mut socket, event).await;
    }
    let elsewhere = spare.next().await.unwrap().unwrap();
    assert_ne!(nonce(&elsewhere), nonce(&again), "the request again, with a nonce of its own");
    for event in [created_for(&elsewhere, "r3"), delta("second"), completed("r3")] {
        send(&mut spare, event).await;
    }
    assert_eq!(second.await.unwrap().0, "second");
}

fn nonce(request: &Message) -> Value {
    let request: Value = serde_json::from_str(request.to_text().unwrap()).unwrap();
    request["metadata"]["tandem"].clone()
}

#[tokio::test]
async fn a_server_that_repeats_no_metadata_is_learned_once() {
    let (listener, base_url) = listen().await;
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    let (model, _) = connect_to(endpoint, Timing::default());
    let mut chunks = model.stream(request(64));
    let mut socket = accept(&listener).await;
    socket.next().await.unwrap().unwrap();
    for event in [created("r1"), delta("ok"), completed("r1")] {
        send(&mut socket, event).await;
    }
    assert_eq!(read(chunks).await.0, "ok", "held back until no other response has followed");
    chunks = model.stream(request(64));
    socket.next().await.unwrap().unwrap();
    for event in [created("r2"), delta("at once")] {
        send(&mut socket, event).await;
    }
    let first = tokio::time::timeout(Duration::from_secs(20), chunks.next()).await.unwrap();
    assert_eq!(first, Some(Ok(model::Chunk::Text("at once".to_owned()))), "before its end");
}

type Told = Arc<Mutex<Vec<WireEvent>>>;

/// A server that does not echo metadata, and its socket with the warm-up request.
async fn warming_up() -> (Arc<dyn Model>, Told, TcpListener, WebSocketStream<TcpStream>) {
    let (listener, base_url) = listen().await;
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    let (model, told) = connect_to(endpoint, Timing::default());
    model.warm();
    let mut socket = accept(&listener).await;
    let asked = socket.next().await.unwrap().unwrap();
    let asked: Value = serde_json::from_str(asked.to_text().unwrap()).unwrap();
    assert_eq!((&asked["generate"], &asked["stream_id"]), (&json!(false), &Value::Null));
    (model, told, listener, socket)
}

#[tokio::test]
async fn what_a_server_repeats_is_known_from_the_warm_up() {
    let (model, told, _listener, mut socket) = warming_up().await;
    for event in [created("r0"), completed("r0")] {
        send(&mut socket, event).await;
    }
    let has_ended = |event: &WireEvent| matches!(event, WireEvent::Abandoned { .. });
    until("the end of the warm-up", || told.lock().unwrap().iter().any(has_ended)).await;
    let mut chunks = model.stream(request(64));
    socket.next().await.unwrap().unwrap();
    for event in [created("r1"), delta("at once")] {
        send(&mut socket, event).await;
    }
    let first = tokio::time::timeout(Duration::from_secs(20), chunks.next()).await.unwrap();
    assert_eq!(first, Some(Ok(model::Chunk::Text("at once".to_owned()))), "before its end");
}

#[tokio::test]
async fn responses_that_cannot_be_attributed_are_dropped_with_all_sockets() {
    let is_pinned = |event: &WireEvent| matches!(event, WireEvent::Pinned { .. });
    // Two responses to one request.
    let (_model, told, _listener, mut socket) = warming_up().await;
    for event in [created("stray"), completed("stray"), created("r0"), completed("r0")] {
        send(&mut socket, event).await;
    }
    until("HTTP", || told.lock().unwrap().iter().any(is_pinned)).await;
    // One response without a request.
    let (_model, told, _listener, mut socket) = warming_up().await;
    for event in [created("r0"), completed("r0")] {
        send(&mut socket, event).await;
    }
    let has_ended = |event: &WireEvent| matches!(event, WireEvent::Abandoned { .. });
    until("the end of the warm-up", || told.lock().unwrap().iter().any(has_ended)).await;
    assert!(!told.lock().unwrap().iter().any(is_pinned));
    send(&mut socket, created("stray")).await;
    until("HTTP", || told.lock().unwrap().iter().any(is_pinned)).await;
}

#[tokio::test]
async fn metadata_that_is_refused_is_not_sent_again() {
    let (listener, base_url) = listen().await;
    let endpoint =
        Endpoint { provider: "test".to_owned(), base_url, model: "m".to_owned(), ..Endpoint::default() };
    let (model, _) = connect_to(endpoint, Timing::default());
    let answer = tokio::spawn(read(model.stream(request(64))));
    let mut socket = accept(&listener).await;
    let first = socket.next().await.unwrap().unwrap();
    assert!(nonce(&first).is_string());
    send(&mut socket, json!({ "detail": "Unsupported parameter: metadata" })).await;
    let second = socket.next().await.unwrap().unwrap();
    assert!(nonce(&second).is_null(), "on the same socket");
    for event in [created("r"), delta("ok"), completed("r")] {
        send(&mut socket, event).await;
    }
    assert_eq!(answer.await.unwrap().0, "ok");
}

#[tokio::test]
async fn no_spare_is_opened_beside_a_socket_that_was_refused_for_its_rate() {
    for (fault, attempts) in [(Fault::Refuse429, 3), (Fault::Refuse429Bare, 3)] {
        let simulator = simulator(vec![fault]).await;
        let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
        let (_, end) = read(model.stream(asked(Urgency::Asked))).await;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::RateLimited);
        let opened = simulator.stats().connections;
        assert!(opened <= attempts, "{fault}: {opened} connections, one for each attempt");
    }
    // Simultaneous requests share each attempt.
    let simulator = simulator(vec![Fault::Refuse429]).await;
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
    assert!(read(model.stream(asked(Urgency::Typing))).await.1.is_err());
    let before = simulator.stats().connections;
    join_all((0..5).map(|_| read(model.stream(asked(Urgency::Asked))))).await;
    let opened = simulator.stats().connections - before;
    assert!(opened <= 3, "{opened} connections for five requests of three attempts each");
}

#[tokio::test]
async fn a_date_to_wait_for_is_waited_for() {
    let simulator = simulator(vec![Fault::RetryAfterDate]).await;
    for wire in [Wire::ResponsesWebsocket, Wire::ResponsesSse] {
        let timing = Timing { patience_asked: Duration::from_millis(1), ..Timing::default() };
        let (model, _) = connect(&simulator, wire, timing);
        let (_, end) = read(model.stream(asked(Urgency::Asked))).await;
        let Err(ModelError::Refused { retry_after: Some(wait), .. }) = end else { panic!("{end:?}") };
        assert!(wait <= Duration::from_secs(2) && wait > Duration::from_millis(500), "{wait:?}");
    }
}
