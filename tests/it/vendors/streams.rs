//! Streams that break off, have their events in the wrong order, or are those of another API: over every wire.

use expect_test::expect;
use serde_json::{Value, json};
use tandem::config::{FimDialect, Wire};
use tandem::model::{Fim, Request, Timing};

use super::anthropic;
use crate::recovery::connect_to;
use crate::socket::{read, request};
use crate::support::vendor::{Reply, Vendor};

const WIRES: [Wire; 5] = [
    Wire::ResponsesSse,
    Wire::Chat,
    Wire::Anthropic,
    Wire::Fim(FimDialect::Completions),
    Wire::Fim(FimDialect::Infill),
];

/// The parts of a stream: its beginning, a text, and its end.
fn parts(wire: Wire) -> [String; 3] {
    let data = |event: Value| format!("data: {event}\n\n");
    match wire {
        Wire::Anthropic => [anthropic::start(), anthropic::text("one "), anthropic::stop("end_turn")],
        Wire::ResponsesSse => {
            let (id, model) = ("resp_1", "m");
            let created = json!({"type": "response.created", "response": {"id": id, "model": model}});
            let text = json!({"type": "response.output_text.delta", "output_index": 0, "delta": "one "});
            let end = json!({"type": "response.completed", "response": {"id": id, "model": model}});
            [data(created), data(text), data(end)]
        }
        Wire::Fim(FimDialect::Infill) => {
            let text = |text: &str, stop: bool| data(json!({"content": text, "stop": stop}));
            [String::new(), text("one ", false), text("", true)]
        }
        Wire::Fim(_) => {
            let choice = |text: &str, reason: Option<&str>| {
                data(json!({"choices": [{"index": 0, "text": text, "finish_reason": reason}]}))
            };
            [choice("", None), choice("one ", None), choice("", Some("stop")) + "data: [DONE]\n\n"]
        }
        _ => {
            let choice = |delta: Value, reason: Option<&str>| {
                data(json!({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}))
            };
            let end = choice(json!({}), Some("stop")) + "data: [DONE]\n\n";
            [choice(json!({"role": "assistant"}), None), choice(json!({"content": "one "}), None), end]
        }
    }
}

/// What is made of a reply, and how many requests were sent.
async fn outcome(wire: Wire, reply: Reply) -> String {
    let vendor = Vendor::start(vec![reply]).await;
    let (model, _) = connect_to(vendor.endpoint(wire, "m"), Timing::default());
    let (prefix, suffix) = ("let a = ".to_owned(), ";".to_owned());
    let fim = Fim { prefix, suffix, path: "a.rs".to_owned(), extra: Vec::new(), is_variant: false };
    let is_code = matches!(wire, Wire::Fim(_));
    let (text, end) = read(model.stream(Request { fim: is_code.then_some(fim), ..request(64) })).await;
    let end = end.map_or_else(|error| format!("{:?}", error.kind()), |_| "end".to_owned());
    format!("{text:?} {end} x{}", vendor.asked().len())
}

#[tokio::test]
async fn streams_that_go_wrong_are_told_from_answers() {
    let mut table = String::new();
    for (place, wire) in WIRES.into_iter().enumerate() {
        let [begin, text, end] = parts(wire);
        let [other_begin, other_text, other_end] = parts(WIRES[(place + 1) % WIRES.len()]);
        let noise = "data: {\"choices\": [\n\n".to_owned();
        let streams: [(&str, &[&String]); 8] = [
            ("whole", &[&begin, &text, &end]),
            ("without an end", &[&begin, &text]),
            ("empty", &[]),
            ("end first", &[&end, &begin, &text]),
            ("text first", &[&text, &begin, &end]),
            ("two ends", &[&begin, &text, &end, &end]),
            ("not JSON midway", &[&begin, &text, &noise, &end]),
            ("of another API", &[&other_begin, &other_text, &other_end]),
        ];
        for (name, stream) in streams {
            let body: String = stream.iter().map(|it| it.as_str()).collect();
            table += &format!("{wire:?}, {name}: {}\n", outcome(wire, Reply::stream(body)).await);
        }
        table += &format!(
            "{wire:?}, broken off: {}\n",
            outcome(wire, Reply::stream(begin + &text).broken()).await
        );
        table += &format!("{wire:?}, a web page: {}\n", outcome(wire, Reply::page()).await);
        let key = anthropic::error("authentication_error", "invalid x-api-key");
        table +=
            &format!("{wire:?}, refused as by another: {}\n", outcome(wire, Reply::json(401, &key)).await);
    }
    expect![[r#"
        ResponsesSse, whole: "one " end x1
        ResponsesSse, without an end: "one " Closed x2
        ResponsesSse, empty: "" Closed x2
        ResponsesSse, end first: "" end x1
        ResponsesSse, text first: "one " end x1
        ResponsesSse, two ends: "one " end x1
        ResponsesSse, not JSON midway: "one " ServerError x1
        ResponsesSse, of another API: "" Closed x2
        ResponsesSse, broken off: "one " Closed x2
        ResponsesSse, a web page: "" Offline x1
        ResponsesSse, refused as by another: "" Unauthorized x1
        Chat, whole: "one " end x1
        Chat, without an end: "one " Closed x2
        Chat, empty: "" Closed x2
        Chat, end first: "" end x1
        Chat, text first: "one " end x1
        Chat, two ends: "one " end x1
        Chat, not JSON midway: "one " ServerError x1
        Chat, of another API: "" Closed x2
        Chat, broken off: "one " Closed x2
        Chat, a web page: "" Offline x1
        Chat, refused as by another: "" Unauthorized x1
        Anthropic, whole: "one " end x1
        Anthropic, without an end: "one " Closed x2
        Anthropic, empty: "" Closed x2
        Anthropic, end first: "" end x1
        Anthropic, text first: "" end x1
        Anthropic, two ends: "one " end x1
        Anthropic, not JSON midway: "one " ServerError x1
        Anthropic, of another API: "" Closed x2
        Anthropic, broken off: "one " Closed x2
        Anthropic, a web page: "" Offline x1
        Anthropic, refused as by another: "" Unauthorized x1
        Fim(Completions), whole: "one " end x1
        Fim(Completions), without an end: "one " Closed x2
        Fim(Completions), empty: "" Closed x2
        Fim(Completions), end first: "" end x1
        Fim(Completions), text first: "one " end x1
        Fim(Completions), two ends: "one " end x1
        Fim(Completions), not JSON midway: "one " ServerError x1
        Fim(Completions), of another API: "one " end x1
        Fim(Completions), broken off: "one " Closed x2
        Fim(Completions), a web page: "" Offline x1
        Fim(Completions), refused as by another: "" Unauthorized x1
        Fim(Infill), whole: "one " end x1
        Fim(Infill), without an end: "one " Closed x2
        Fim(Infill), empty: "" Closed x2
        Fim(Infill), end first: "" end x1
        Fim(Infill), text first: "one " end x1
        Fim(Infill), two ends: "one " end x1
        Fim(Infill), not JSON midway: "one " ServerError x1
        Fim(Infill), of another API: "" Closed x2
        Fim(Infill), broken off: "one " Closed x2
        Fim(Infill), a web page: "" Offline x1
        Fim(Infill), refused as by another: "" Unauthorized x1
    "#]]
    .assert_eq(&table);
}
