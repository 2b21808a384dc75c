//! The same model over HTTP: chat completions, as server-sent events.
//!
//! As with real servers, the last chunk of a body, which ends it, is sent a moment after `[DONE]`: llama.cpp takes a
//! fraction of a millisecond, uvicorn one or two, a busy server longer.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::mock::{Exchange, Script};

/// Delays of the last chunks of a connection's answers, in turn.
const LATE: [Duration; 4] = [
    Duration::from_micros(300),
    Duration::from_micros(1_000),
    Duration::from_micros(2_000),
    Duration::from_micros(5_000),
];

/// One connection: requests in order, each answered before the next one is read.
pub(crate) fn serve(
    mut stream: TcpStream,
    connected: Instant,
    script: impl Fn() -> Script,
    exchanges: &Sender<Exchange>,
) -> Result<()> {
    let mut late = LATE.iter().cycle();
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some((head, body)) = read_request(&mut reader)? {
        if !head.starts_with("POST ") {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        }
        let received = Instant::now();
        let Script { tokens, pace } = script();
        stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        )?;
        for (at, token) in (0..).zip(&tokens) {
            if let Some(pace) = pace {
                let due = received + pace.first_token + pace.per_token * at;
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            let choice = json!({ "index": 0, "delta": { "content": token }, "finish_reason": null });
            stream.write_all(&chunk(&event(&json!({ "choices": [choice] }))))?;
        }
        let last_sent = Instant::now();
        let end = json!({ "index": 0, "delta": {}, "finish_reason": "stop" });
        let usage = json!({ "prompt_tokens": 900, "completion_tokens": tokens.len() });
        let last = [
            event(&json!({ "choices": [end] })),
            event(&json!({ "choices": [], "usage": usage })),
            "data: [DONE]\n\n".to_owned(),
        ];
        stream.write_all(&chunk(&last.concat()))?;
        exchanges.send(Exchange { connected, received, last_sent, tokens: tokens.len(), frame: body })?;
        thread::sleep(*late.next().context("no end of it")?);
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

/// The request line and the body of the next request; `None` once the client has closed.
fn read_request(reader: &mut BufReader<TcpStream>) -> Result<Option<(String, String)>> {
    let (mut head, mut length) = (String::new(), 0);
    if reader.read_line(&mut head)? == 0 {
        return Ok(None);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse()?;
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((head, String::from_utf8(body)?)))
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// A chunk of a body with chunked transfer coding (RFC 9112, section 7.1).
fn chunk(text: &str) -> Vec<u8> {
    format!("{:x}\r\n{text}\r\n", text.len()).into_bytes()
}
