//! The reuse of HTTP connections, as seen by the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tandem::config::{Endpoint, Wire};
use tandem::model::{Chunk, Timing};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

use crate::recovery::connect_to;
use crate::socket::{listen, read, request, until};
use crate::support::http::read_request;

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

fn chunk(text: &str) -> String {
    format!("{:x}\r\n{text}\r\n", text.len())
}

fn text(content: &str) -> String {
    let choice = json!({ "index": 0, "delta": { "content": content }, "finish_reason": null });
    chunk(&format!("data: {}\n\n", json!({ "choices": [choice] })))
}

fn end() -> String {
    let choice = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
    chunk(&format!("data: {}\n\ndata: [DONE]\n\n", json!({ "choices": [choice] })))
}

fn endpoint(base_url: String) -> Endpoint {
    Endpoint {
        provider: "test".to_owned(),
        base_url,
        model: "m".to_owned(),
        wire: Wire::Chat,
        ..Endpoint::default()
    }
}

/// A server that answers each request of a connection; counts its connections.
async fn serve<A, F>(listener: TcpListener, connections: Arc<AtomicUsize>, answer: A)
where
    A: Fn(TcpStream, Value) -> F + Copy + Send + 'static,
    F: Future<Output = TcpStream> + Send + 'static,
{
    loop {
        let (mut tcp, _) = listener.accept().await.unwrap();
        tcp.set_nodelay(true).unwrap();
        connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            while let Some(asked) = read_request(&mut tcp).await {
                tcp = answer(tcp, asked).await;
            }
        });
    }
}

/// Writes, unless the client has disconnected.
async fn say(tcp: &mut TcpStream, words: &str) {
    let (Ok(()) | Err(_)) = tcp.write_all(words.as_bytes()).await;
}

#[tokio::test]
async fn end_of_an_answer_may_come_late() {
    async fn late(mut tcp: TcpStream, asked: Value) -> TcpStream {
        say(&mut tcp, &format!("{HEAD}{}{}", text("ok"), end())).await;
        let late = asked["max_tokens"].as_u64().unwrap();
        sleep(Duration::from_micros(late * 100)).await;
        say(&mut tcp, "0\r\n\r\n").await;
        tcp
    }
    let (listener, base_url) = listen().await;
    let connections = Arc::new(AtomicUsize::new(0));
    let server = tokio::spawn(serve(listener, Arc::clone(&connections), late));
    let (model, _) = connect_to(endpoint(base_url), Timing::default());
    for number in 0..100 {
        // From 0 to 5 ms; the next request arrives before or after the end of the body.
        let (text, usage) = read(model.stream(request(1 + number % 50))).await;
        assert_eq!((&*text, usage.is_ok()), ("ok", true));
        sleep(Duration::from_millis(u64::from(number % 3) * 4)).await;
    }
    // Other connections serve while answers are read to their ends.
    let connections = connections.load(Ordering::Relaxed);
    assert!(connections <= 5, "{connections} connections");
    server.abort();
}

#[tokio::test]
async fn what_follows_an_answer_is_read_within_bounds() {
    async fn endless(mut tcp: TcpStream, _: Value) -> TcpStream {
        say(&mut tcp, &format!("{HEAD}{}{}", text("ok"), end())).await;
        let more = chunk(&": \n".repeat(1_000));
        // Until the client closes the connection.
        while tcp.write_all(more.as_bytes()).await.is_ok() {}
        tcp
    }
    let (listener, base_url) = listen().await;
    let connections = Arc::new(AtomicUsize::new(0));
    let server = tokio::spawn(serve(listener, Arc::clone(&connections), endless));
    let (model, _) = connect_to(endpoint(base_url), Timing::default());
    for _ in 0..3 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
    }
    assert_eq!(connections.load(Ordering::Relaxed), 3, "each is left");
    server.abort();
}

#[tokio::test]
async fn abandoned_answer_that_goes_on_is_left_with_its_connection() {
    async fn slow(mut tcp: TcpStream, asked: Value) -> TcpStream {
        say(&mut tcp, &format!("{HEAD}{}", text("o"))).await;
        // The first answer never ends.
        if asked["max_tokens"] == 4_000 {
            while tcp.write_all(text("o").as_bytes()).await.is_ok() {
                sleep(Duration::from_millis(5)).await;
            }
            return tcp;
        }
        say(&mut tcp, &format!("{}0\r\n\r\n", end())).await;
        tcp
    }
    let (listener, base_url) = listen().await;
    let connections = Arc::new(AtomicUsize::new(0));
    let server = tokio::spawn(serve(listener, Arc::clone(&connections), slow));
    let (model, _) = connect_to(endpoint(base_url), Timing::default());
    let mut chunks = model.stream(request(4_000));
    assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))));
    drop(chunks);
    assert_eq!(read(model.stream(request(64))).await.0, "o");
    assert_eq!(read(model.stream(request(64))).await.0, "o");
    until("the second connection", || connections.load(Ordering::Relaxed) == 2).await;
    server.abort();
}

#[tokio::test]
async fn warming_up_leaves_a_connection_to_use() {
    async fn list(mut tcp: TcpStream, asked: Value) -> TcpStream {
        if asked.is_null() {
            let models = json!({ "data": [] }).to_string();
            say(&mut tcp, &format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", models.len())).await;
            sleep(Duration::from_millis(5)).await;
            say(&mut tcp, &models).await;
        } else {
            say(&mut tcp, &format!("{HEAD}{}{}0\r\n\r\n", text("ok"), end())).await;
        }
        tcp
    }
    let (listener, base_url) = listen().await;
    let connections = Arc::new(AtomicUsize::new(0));
    let server = tokio::spawn(serve(listener, Arc::clone(&connections), list));
    let (model, _) = connect_to(endpoint(base_url), Timing::default());
    model.warm();
    until("the connection", || connections.load(Ordering::Relaxed) == 1).await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(read(model.stream(request(64))).await.0, "ok");
    assert_eq!(connections.load(Ordering::Relaxed), 1);
    server.abort();
}

/// Sends two requests to a server that limits the tokens of an answer; returns the requested number of each attempt.
async fn tokens_asked(refusal: fn(u64) -> Option<Value>, wanted: u32) -> Vec<u64> {
    let (listener, base_url) = listen().await;
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let server = tokio::spawn(async move {
        loop {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let told = told.clone();
            tokio::spawn(async move {
                while let Some(asked) = read_request(&mut tcp).await {
                    let tokens = asked["max_tokens"].as_u64().unwrap();
                    told.send(tokens).unwrap();
                    let answer = match refusal(tokens) {
                        Some(error) => {
                            let body = json!({ "error": error }).to_string();
                            format!(
                                "HTTP/1.1 400 Bad Request\r\ncontent-length: {}\r\n\r\n{body}",
                                body.len()
                            )
                        }
                        None => format!("{HEAD}{}{}0\r\n\r\n", text("ok"), end()),
                    };
                    say(&mut tcp, &answer).await;
                }
            });
        }
    });
    let (model, _) = connect_to(endpoint(base_url), Timing::default());
    for _ in 0..2 {
        let (text, end) = read(model.stream(request(wanted))).await;
        assert_eq!((&*text, end.err()), ("ok", None));
    }
    server.abort();
    drop(model);
    let mut asked = Vec::new();
    while let Ok(tokens) = heard.try_recv() {
        asked.push(tokens);
    }
    asked
}

#[tokio::test]
async fn tokens_that_a_server_refuses_are_asked_for_once() {
    let named = |tokens: u64| {
        let message = "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]";
        (tokens > 8_192).then(|| json!({ "message": message, "type": "invalid_request_error" }))
    };
    assert_eq!(tokens_asked(named, 24_576).await, [24_576, 8_192, 8_192]);
    let unnamed = |tokens: u64| (tokens > 5_000).then(|| json!({ "message": "max_tokens is too large" }));
    assert_eq!(tokens_asked(unnamed, 24_576).await, [24_576, 12_288, 6_144, 4_096, 4_096]);
    // The tokens that a context window leaves differ from prompt to prompt.
    let window = |tokens: u64| {
        let message = format!(
            "'max_tokens' is too large: {tokens}. This model's maximum context length is 8192 tokens and your \
             request has 1000 input tokens ({tokens} > 8192 - 1000)."
        );
        (tokens > 7_192).then(|| json!({ "message": message, "code": 400 }))
    };
    assert_eq!(tokens_asked(window, 24_576).await, [24_576, 7_192, 24_576, 7_192]);
}
