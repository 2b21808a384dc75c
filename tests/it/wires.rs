//! One request over every wire: the same answer, and the same end when it is abandoned.

use std::io::Write as _;
use std::time::Duration;

use expect_test::expect;
use futures_util::StreamExt as _;
use tandem::config::{EditDialect, Endpoint, FimDialect, Wire};
use tandem::model::{Chunk, EditPrompt, Fim, Request, Timing, WireEvent};
use tandem::prompt::next_edit::ShownStep;
use tandem::simulate::{self, Options, Script, Simulator};
use tandem::trained::{self, Rendered, Scene};
use tokio::time::sleep;

use crate::recovery::{connect, connect_to, endpoint};
use crate::socket::{read, request, until};

const WIRES: [Wire; 8] = [
    Wire::ResponsesWebsocket,
    Wire::ResponsesSse,
    Wire::Chat,
    Wire::Anthropic,
    Wire::Fim(FimDialect::Completions),
    Wire::Fim(FimDialect::Infill),
    Wire::Fim(FimDialect::Mistral),
    Wire::Fim(FimDialect::Continuation),
];

fn ask(max_output_tokens: u32) -> Request {
    let fim = Fim {
        prefix: "let a = ".to_owned(),
        suffix: ";".to_owned(),
        path: "a.rs".to_owned(),
        extra: Vec::new(),
        is_variant: false,
    };
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
        for _ in 0..100 {
            assert_eq!(read(model.stream(ask(64))).await.0, "ok", "{wire:?}");
            // The end of a body arrives a moment after that of its answer.
            sleep(Duration::from_millis(5)).await;
        }
        let connections = simulator.stats().connections;
        // Other connections serve while answers are read to their ends, on a busy machine.
        assert!(connections <= 4, "{wire:?}: {connections} connections");
    }
}

#[tokio::test]
async fn abandoned_answer_is_stopped() {
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
                .any(|event| matches!(event, WireEvent::Abandoned { usage, .. } if usage.bytes_up > 0))
        })
        .await;
        let generated = simulator.stats().output_tokens_generated;
        assert!(generated < 1_000, "{wire:?}: {generated} tokens");
    }
}

/// The requests to llama.cpp with a small model, in order, and what the wire learned about it.
async fn learned_of_a_small_machine(wire: Wire) -> (Vec<String>, Vec<Option<FimDialect>>) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, reads_per_second: 1_000_000, ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let (model, told) = connect(&simulator, wire, Timing::default());
    let learned = || -> Vec<Option<FimDialect>> {
        let told = told.lock().unwrap();
        let dialects = told.iter().filter_map(|event| match event {
            WireEvent::CodeDialect(dialect) => Some(*dialect),
            _ => None,
        });
        dialects.collect()
    };
    model.warm();
    until("the look at the server", || learned().len() == 1).await;
    let mut asked = Vec::new();
    for request in [ask(64), ask(64), request(64)] {
        let before = simulator.stats();
        let (text, end) = read(model.stream(request)).await;
        let after = simulator.stats();
        let requests = after.requests - before.requests;
        let text = end.map_or_else(|error| error.to_string(), |_| text);
        asked.push(format!(
            "{requests} requests, {} bytes: {text}",
            after.bytes_received - before.bytes_received
        ));
    }
    (asked, learned())
}

#[tokio::test]
async fn small_machine_is_asked_to_go_on_with_the_code() {
    let both = [Some(FimDialect::Infill), Some(FimDialect::Continuation)];
    let (asked, learned) = learned_of_a_small_machine(Wire::Chat).await;
    expect![[r#"
        [
            "2 requests, 271 bytes: ok",
            "1 requests, 119 bytes: ok",
            "1 requests, 184 bytes: ok",
        ]
    "#]]
    .assert_debug_eq(&asked);
    assert_eq!(learned, both);
    let (asked, learned) = learned_of_a_small_machine(Wire::Fim(FimDialect::Completions)).await;
    expect![[r#"
        [
            "2 requests, 271 bytes: ok",
            "1 requests, 119 bytes: ok",
            "0 requests, 0 bytes: test refused: this endpoint only completes code at a cursor",
        ]
    "#]]
    .assert_debug_eq(&asked);
    assert_eq!(learned, both);
}

#[tokio::test]
async fn a_fill_in_the_middle_takes_no_other_questions() {
    let simulator = simulate::start(Options::default()).await.unwrap();
    let (model, _) = connect(&simulator, Wire::Fim(FimDialect::Infill), Timing::default());
    let (_, end) = read(model.stream(request(64))).await;
    assert!(end.unwrap_err().to_string().contains("only completes code at a cursor"));
    assert_eq!(simulator.stats().requests, 0);
}

/// The answer of a model with this dialect, where the endpoint has another wire for other requests.
async fn edited(dialect: EditDialect, wire: Wire) -> (Vec<Chunk>, Simulator) {
    let simulator = simulate::start(Options::default()).await.unwrap();
    let scene = Scene {
        path: "a.rs".to_owned(),
        region: "fn area(w: u32) -> u32 {\n    let half = width / 2;\n    half\n}\n".to_owned(),
        cursor: 9,
        steps: vec![ShownStep {
            path: "a.rs".to_owned(),
            line: 1,
            lines: [('-', "fn area(width: u32) -> u32 {"), ('+', "fn area(w: u32) -> u32 {")]
                .map(|(sign, line)| (sign, line.to_owned()))
                .to_vec(),
            is_accepted: false,
        }],
        ..Scene::default()
    };
    let prompt = |dialect| {
        let Rendered { head, tail, stop } = trained::render(dialect, &scene).unwrap();
        let stop = stop.iter().map(|it| (*it).to_owned()).collect();
        EditPrompt { dialect, head, quoted: String::new(), tail, stop }
    };
    let edits = EditDialect::ALL.map(prompt).to_vec();
    let endpoint = Endpoint { edit_dialect: Some(dialect), ..endpoint(&simulator, wire) };
    let (model, _) = connect_to(endpoint, Timing::default());
    let chunks = model.stream(Request { edits, ..request(400) }).map(Result::unwrap).collect().await;
    (chunks, simulator)
}

#[tokio::test]
async fn model_trained_for_edits_is_asked_in_its_dialect_whatever_its_wire() {
    for dialect in EditDialect::ALL {
        for wire in [Wire::ResponsesWebsocket, Wire::Chat, Wire::Fim(FimDialect::Mistral)] {
            let (chunks, simulator) = edited(dialect, wire).await;
            assert_eq!(chunks[0], Chunk::Dialect(dialect), "{wire:?}: the form comes before the text");
            let text =
                |chunk: &Chunk| if let Chunk::Text(text) = chunk { text.clone() } else { String::new() };
            let said: String = chunks.iter().map(text).collect();
            assert!(said.contains("let half = w / 2;\n"), "{dialect:?} {wire:?}: {said}");
            assert!(
                matches!(chunks.last(), Some(Chunk::Done(usage)) if !usage.truncated),
                "{dialect:?} {wire:?}"
            );
            assert_eq!(simulator.stats().requests, 1, "{dialect:?} {wire:?}");
        }
    }
}

#[tokio::test]
async fn model_trained_for_edits_takes_no_instructions() {
    let simulator = simulate::start(Options::default()).await.unwrap();
    for wire in [Wire::ResponsesWebsocket, Wire::ResponsesSse, Wire::Chat] {
        let endpoint = Endpoint { edit_dialect: Some(EditDialect::Sweep), ..endpoint(&simulator, wire) };
        let (model, _) = connect_to(endpoint, Timing::default());
        let (_, end) = read(model.stream(request(64))).await;
        assert!(end.unwrap_err().to_string().contains("only predicts edits"), "{wire:?}");
    }
    assert_eq!(simulator.stats().requests, 0);
}

/// The n-th request about a file with a long outline.
pub(crate) fn typed(n: usize) -> Request {
    let stable = "fn f(a: usize) -> usize\n".repeat(150);
    let input = format!("{stable}let a{n} = {}", "b + ".repeat(50));
    Request { stable: stable.len(), input, ..request(64) }
}

/// Waits until all requests are answered.
async fn quiet(simulator: &Simulator) {
    let is_quiet = || {
        let stats = simulator.stats();
        stats.requests == stats.responses_completed + stats.responses_abandoned
    };
    until("the end of the answers", is_quiet).await;
}

/// The cost of 40 requests for one file: bytes up as the client counts them, input tokens, and cached ones of these.
async fn taken(deflate: bool, faults: Vec<simulate::Fault>) -> (u64, u64, u64) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, faults, ..Options::default() }).await.unwrap();
    let endpoint = Endpoint { deflate, ..endpoint(&simulator, Wire::ResponsesWebsocket) };
    let (model, told) = connect_to(endpoint, Timing::default());
    let mut bytes_up = 0;
    for n in 0..40 {
        let (text, end) = read(model.stream(typed(n))).await;
        assert_eq!(text, "ok");
        bytes_up += end.unwrap().bytes_up;
        // The base response is made beside the second request.
        quiet(&simulator).await;
    }
    // The bytes of the base response.
    for event in told.lock().unwrap().iter() {
        if let WireEvent::Abandoned { usage, .. } = event {
            bytes_up += usage.bytes_up;
        }
    }
    let stats = simulator.stats();
    assert!(deflate || bytes_up == stats.bytes_received, "{bytes_up} bytes up, {stats:?}");
    (bytes_up, stats.input_tokens, stats.cached_tokens)
}

/// A base response, and compression, compared with plain whole requests.
#[tokio::test]
async fn forks_send_a_small_part_of_what_whole_requests_send() {
    let mut said = std::io::stderr();
    let mut bytes = Vec::new();
    for (deflate, lanes) in [(false, true), (false, false), (true, true), (true, false)] {
        let faults = if lanes { vec![] } else { vec![simulate::Fault::IgnoreLanes] };
        let (up, tokens, cached) = taken(deflate, faults).await;
        let how = if lanes { "forked" } else { "whole" };
        let compressed = if deflate { ", compressed" } else { "" };
        writeln!(said, "40 requests, {how}{compressed}: {up} bytes up, {tokens} tokens in, {cached} cached")
            .unwrap();
        bytes.push(up);
        // Continuing saves bytes and not tokens, and as many of those are cached.
        assert!(cached * 10 > tokens * 8, "{cached} cached of {tokens}");
    }
    let [forked, whole, forked_short, whole_short] = bytes[..] else { unreachable!() };
    assert!(forked * 3 < whole, "{forked} bytes against {whole}");
    assert!(whole_short * 10 < whole, "{whole_short} bytes against {whole}");
    assert!(forked_short * 2 < forked, "{forked_short} bytes against {forked}");
}

/// Prompts of 8 KB around a cursor that moves through this project's own sources: in each file a few characters at a
/// time, then on to the next.
fn windows() -> Vec<String> {
    const BYTES: usize = 8 << 10;
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/model");
    let mut files: Vec<_> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts = files.iter().filter(|it| it.is_file()).map(|it| std::fs::read_to_string(it).unwrap());
    let long: Vec<String> = texts.filter(|text| text.is_ascii() && text.len() > BYTES + 1_000).collect();
    long.iter().flat_map(|text| (0..8).map(|key| text[key * 6..key * 6 + BYTES].to_owned())).collect()
}

/// The cost of each of these prompts over a socket: bytes up, and microseconds from the request to the end of its
/// answer, both ends on this machine. Sorted by size.
async fn cost(windows: &[String], deflate: bool) -> (Vec<u64>, Vec<u128>) {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let endpoint = Endpoint { deflate, ..endpoint(&simulator, Wire::ResponsesWebsocket) };
    let (model, _) = connect_to(endpoint, Timing::default());
    assert_eq!(read(model.stream(ask(64))).await.0, "ok", "connected");
    let (mut bytes, mut micros) = (Vec::new(), Vec::new());
    for window in windows {
        let begun = std::time::Instant::now();
        let (_, end) = read(model.stream(Request { input: window.clone(), ..ask(64) })).await;
        micros.push(begun.elapsed().as_micros());
        bytes.push(end.unwrap().bytes_up);
    }
    bytes.sort_unstable();
    micros.sort_unstable();
    (bytes, micros)
}

/// The figures in the documentation of [`tandem::deflate`].
#[tokio::test]
async fn compression_saves_most_of_what_goes_up() {
    let mut said = std::io::stderr();
    let windows = windows();
    let half = windows.len() / 2;
    let mut medians = Vec::new();
    for deflate in [false, true] {
        let (bytes, micros) = cost(&windows, deflate).await;
        let (least, most) = (bytes[0], bytes[bytes.len() - 1]);
        let how = if deflate { "compressed" } else { "plain" };
        writeln!(
            said,
            "{} requests of 8 KB, {how}: p50 {} bytes up ({least} to {most}), p50 {} us, p90 {} us",
            windows.len(),
            bytes[half],
            micros[half],
            micros[windows.len() * 9 / 10],
        )
        .unwrap();
        medians.push(bytes[half]);
    }
    assert!(medians[1] * 8 < medians[0], "{medians:?}");
}

#[tokio::test]
async fn a_base_that_is_gone_costs_a_whole_request_and_no_socket() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, Timing::default());
    for n in 0..5 {
        assert_eq!(read(model.stream(typed(n))).await.0, "ok");
        quiet(&simulator).await;
    }
    assert_eq!(simulator.stats().requests, 5);
    simulator.set_faults(vec![simulate::Fault::PreviousNotFound]);
    for n in 0..20 {
        assert_eq!(read(model.stream(typed(n))).await.0, "ok");
        // Refused requests have no answers, so the end of all answers cannot be awaited.
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let stats = simulator.stats();
    // Twenty, three of them repeated.
    assert!(stats.requests <= 5 + 20 + 3, "{} requests", stats.requests);
    assert_eq!(stats.connections, 2, "one in use, one in reserve");
}
