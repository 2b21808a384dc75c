//! One request over every wire: the same answer, and the same end when nobody wants it.

use std::io::Write as _;
use std::time::Duration;

use futures_util::StreamExt as _;
use tandem::config::{FimDialect, Wire};
use tandem::model::{Chunk, Fim, Request, Timing, WireEvent};
use tandem::simulate::{self, Options, Script};

use crate::recovery::connect;
use crate::socket::{read, request, until};

const WIRES: [Wire; 6] = [
    Wire::ResponsesWebsocket,
    Wire::ResponsesSse,
    Wire::Chat,
    Wire::Fim(FimDialect::Completions),
    Wire::Fim(FimDialect::Infill),
    Wire::Fim(FimDialect::Mistral),
];

fn ask(max_output_tokens: u32) -> Request {
    let fim = Fim { prefix: "let a = ".to_owned(), suffix: ";".to_owned(), path: "a.rs".to_owned() };
    Request { fim: Some(fim), ..request(max_output_tokens) }
}

#[tokio::test]
async fn every_wire_brings_the_answer_and_what_it_took() {
    for wire in WIRES {
        let script = Script::parse("{\"deltas\": [\"größer \", \"\\n\\n\", \"✓\"]}").unwrap();
        let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
        let (model, _) = connect(&simulator, wire, Timing::default());
        let (text, end) = read(model.stream(ask(64))).await;
        let usage = end.unwrap();
        assert_eq!(text, "größer \n\n✓", "{wire:?}");
        assert!(!usage.truncated && usage.output_tokens > 0 && usage.input_tokens > 0, "{wire:?}: {usage:?}");
        assert_eq!(usage.model.as_deref(), Some("m"), "{wire:?}");
        assert_eq!(usage.bytes_up, simulator.stats().bytes_received, "{wire:?}");
        assert!(usage.first_token.unwrap() <= usage.total, "{wire:?}");
        let (text, end) = read(model.stream(ask(1))).await;
        assert!(end.unwrap().truncated && text.starts_with("größ"), "{wire:?}: {text:?}");
    }
}

#[tokio::test]
async fn a_connection_is_used_again() {
    for wire in WIRES {
        let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
        let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
        let (model, _) = connect(&simulator, wire, Timing::default());
        for _ in 0..10 {
            assert_eq!(read(model.stream(ask(64))).await.0, "ok", "{wire:?}");
        }
        let connections = simulator.stats().connections;
        assert!(connections <= 2, "{wire:?}: {connections} connections");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_wants_is_stopped() {
    for wire in WIRES {
        let script = Script::parse(&format!("{{\"reply\": \"{}\"}}", "word ".repeat(2_000))).unwrap();
        let options = Options { script, tokens_per_second: 500, ..Options::default() };
        let simulator = simulate::start(options).await.unwrap();
        let (model, told) = connect(&simulator, wire, Timing::default());
        let mut chunks = model.stream(ask(4_000));
        assert!(matches!(chunks.next().await, Some(Ok(Chunk::Text(_)))), "{wire:?}");
        drop(chunks);
        until("the end of the answer", || simulator.stats().responses_abandoned == 1).await;
        until("the word of it", || {
            told.lock()
                .unwrap()
                .iter()
                .any(|event| matches!(event, WireEvent::Abandoned(usage) if usage.bytes_up > 0))
        })
        .await;
        let generated = simulator.stats().output_tokens_generated;
        assert!(generated < 1_000, "{wire:?}: {generated} tokens");
    }
}

#[tokio::test]
async fn a_fill_in_the_middle_takes_no_other_questions() {
    let simulator = simulate::start(Options::default()).await.unwrap();
    let (model, _) = connect(&simulator, Wire::Fim(FimDialect::Infill), Timing::default());
    let (_, end) = read(model.stream(request(64))).await;
    assert!(end.unwrap_err().to_string().contains("only completes code at a cursor"));
    assert_eq!(simulator.stats().requests, 0);
}

/// A request about a file with a long outline, the n-th.
fn typed(n: usize) -> Request {
    let stable = "fn f(a: usize) -> usize\n".repeat(150);
    let input = format!("{stable}let a{n} = {}", "b + ".repeat(50));
    Request { stable: stable.len(), input, ..request(64) }
}

/// What 40 requests for one file take: bytes up, input tokens, and those of them that were cached.
async fn taken(faults: Vec<simulate::Fault>) -> (u64, u64, u64) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, faults, ..Options::default() }).await.unwrap();
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
    for n in 0..40 {
        let (text, end) = read(model.stream(typed(n))).await;
        assert_eq!((&*text, end.is_ok()), ("ok", true));
        // The base is made beside the second request.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let stats = simulator.stats();
    (stats.bytes_received, stats.input_tokens, stats.cached_tokens)
}

/// A base response against plain whole requests (protocol notes §2.4).
#[tokio::test]
async fn forks_send_a_small_part_of_what_whole_requests_send() {
    let (forked, forked_tokens, forked_cached) = taken(vec![]).await;
    let (whole, tokens, cached) = taken(vec![simulate::Fault::IgnoreLanes]).await;
    let mut said = std::io::stderr();
    writeln!(
        said,
        "40 requests, forked: {forked} bytes up, {forked_tokens} tokens in, {forked_cached} cached"
    )
    .unwrap();
    writeln!(said, "40 requests, whole: {whole} bytes up, {tokens} tokens in, {cached} cached").unwrap();
    assert!(forked * 3 < whole, "{forked} bytes against {whole}");
    // Continuing saves bytes and not tokens, and as many of those are cached.
    assert!(forked_cached * 10 > cached * 9, "{forked_cached} cached against {cached}");
}

#[tokio::test]
async fn a_base_that_is_gone_costs_a_whole_request_and_no_socket() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
    for n in 0..5 {
        assert_eq!(read(model.stream(typed(n))).await.0, "ok");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(simulator.stats().requests, 6, "five, and the base");
    simulator.set_faults(vec![simulate::Fault::PreviousNotFound]);
    for n in 0..20 {
        assert_eq!(read(model.stream(typed(n))).await.0, "ok");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let stats = simulator.stats();
    // Twenty, three of them twice, and bases for these.
    assert!(stats.requests <= 6 + 20 + 3 + 4, "{} requests", stats.requests);
    assert_eq!(stats.connections, 2, "one in use, one in reserve");
}
