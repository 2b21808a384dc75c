//! Any bytes, and any order of events, are read without a panic; the displayed text is a prefix of one message.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tandem::config::Wire;
use tandem::model::{Chunk, decode_recorded};

#[derive(Debug, Arbitrary)]
enum Event {
    Created(u8),
    Added { at: u8, phase: u8 },
    Done { at: u8, phase: u8 },
    Delta { at: u8 },
    Completed { id: u8, repeats: bool },
    Raw(String),
}

const PHASES: [&str; 3] = ["null", "\"commentary\"", "\"final_answer\""];

/// The events as JSON. Each piece of text contains its message and its number: `c0c1c2`.
fn render(events: &[Event]) -> Vec<String> {
    let mut said = [0; 8];
    let name = |at: u8| char::from(b'a' + at % 8);
    let item = |kind: &str, at: u8, phase: u8| {
        let (index, name, phase) = (at % 8, name(at), PHASES[usize::from(phase % 3)]);
        format!(
            r#"{{"type":"response.output_item.{kind}","output_index":{index},"item":{{"type":"message","id":"{name}","phase":{phase}}}}}"#
        )
    };
    let mut render = |event: &Event| match event {
        Event::Created(id) => format!(r#"{{"type":"response.created","response":{{"id":"{}"}}}}"#, id % 2),
        Event::Added { at, phase } => item("added", *at, *phase),
        Event::Done { at, phase } => item("done", *at, *phase),
        Event::Delta { at } => {
            let (index, name, number) = (at % 8, name(*at), said[usize::from(at % 8)]);
            said[usize::from(at % 8)] += 1;
            format!(
                r#"{{"type":"response.output_text.delta","output_index":{index},"item_id":"{name}","delta":"{name}{number}"}}"#
            )
        }
        Event::Completed { id, repeats } => {
            let message = |at: u8| {
                let name = name(at);
                format!(r#"{{"type":"message","id":"{name}","content":[{{"type":"output_text","text":"{name}*"}}]}}"#)
            };
            let output = if *repeats { (0..8).map(message).collect::<Vec<_>>().join(",") } else { String::new() };
            format!(r#"{{"type":"response.completed","response":{{"id":"{}","output":[{output}]}}}}"#, id % 2)
        }
        Event::Raw(text) => text.clone(),
    };
    events.iter().map(&mut render).collect()
}

fn check(decoded: &decode_recorded::DecodedAnswer) {
    let mut shown = String::new();
    for chunk in &decoded.chunks {
        match chunk {
            Chunk::Text(text) => shown.push_str(text),
            Chunk::Restart => shown.clear(),
            Chunk::Done(_) | Chunk::Dialect(_) | Chunk::Item(_) => {}
        }
        let Some(name) = shown.chars().next() else { continue };
        let pieces: String = (0..200).map(|at| format!("{name}{at}")).collect();
        assert!(pieces.starts_with(&shown) || shown == format!("{name}*"), "{shown:?}");
    }
    assert_eq!(shown, decoded.text());
}

fuzz_target!(|input: (Vec<Event>, Vec<u8>, u8)| {
    let (mut events, bytes, cut) = input;
    for wire in [Wire::ResponsesSse, Wire::Chat] {
        decode_recorded::body(wire, bytes.chunks(usize::from(cut) + 1));
    }
    events.truncate(200);
    let is_raw = events.iter().any(|event| matches!(event, Event::Raw(_)));
    let texts = render(&events);
    let of_socket = decode_recorded::frames(texts.iter().map(String::as_str));
    let sse: String = texts.iter().map(|text| format!("data: {text}\n\n")).collect();
    let of_body = decode_recorded::body(Wire::ResponsesSse, sse.as_bytes().chunks(usize::from(cut) + 1));
    if !is_raw {
        check(&of_socket);
        check(&of_body);
    }
});
