//! The floor: the minimum that any such server must do, and nothing else.
//!
//! A language server that forwards each completion request as one frame on one kept socket and answers once the
//! response has ended. It keeps no document and builds no prompt. Its cost is that of two processes, a pipe and a
//! socket; any cost above it is that of the measured server.

use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::json;
use tokio_tungstenite::tungstenite::stream::MaybeTlsStream;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

#[derive(Deserialize)]
struct Request<'a> {
    id: Option<i64>,
    #[serde(borrow)]
    method: Option<&'a str>,
}

/// Serves stdin and stdout until stdin closes. `url` is the WebSocket to forward to.
pub(crate) fn run(url: &str) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = io::stdout().lock();
    let mut socket = None;
    let mut body = Vec::new();
    let mut changes = 0_usize;
    while read_message(&mut input, &mut body)? {
        let request: Request<'_> = serde_json::from_slice(&body)?;
        let result = match request.method {
            Some("initialize") => json!({ "capabilities": {
                "positionEncoding": "utf-8", "textDocumentSync": 2, "inlineCompletionProvider": true,
            }}),
            Some("initialized") => {
                socket = Some(tungstenite::connect(url).context("cannot connect to the model")?.0);
                continue;
            }
            Some("textDocument/didChange") => {
                changes += 1;
                continue;
            }
            Some("textDocument/inlineCompletion") => {
                let socket = socket.as_mut().context("a completion before `initialized`")?;
                json!([{ "insertText": forward(socket, changes)? }])
            }
            Some("shutdown") => json!(null),
            Some("exit") => break,
            _ => continue,
        };
        let answer = json!({ "jsonrpc": "2.0", "id": request.id, "result": result }).to_string();
        output.write_all(format!("Content-Length: {}\r\n\r\n{answer}", answer.len()).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}

/// Reads one message into `body`; `false` at the end of the input.
fn read_message(input: &mut impl BufRead, body: &mut Vec<u8>) -> Result<bool> {
    let mut length = None;
    let mut header = String::new();
    loop {
        header.clear();
        if input.read_line(&mut header)? == 0 {
            return Ok(false);
        }
        match header.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = Some(value.parse::<u64>()?),
            Some(_) => {}
            None => break,
        }
    }
    body.clear();
    input.take(length.context("a message without a length")?).read_to_end(body)?;
    Ok(true)
}

/// Sends one request and collects the text of its response.
fn forward(socket: &mut WebSocket<MaybeTlsStream<TcpStream>>, changes: usize) -> Result<String> {
    #[derive(Deserialize)]
    struct Event<'a> {
        #[serde(rename = "type")]
        kind: &'a str,
        delta: Option<String>,
    }

    let frame = json!({
        "type": "response.create", "model": "bench-model", "store": false, "max_output_tokens": 64,
        "input": [{ "type": "message", "role": "user", "content": [
            { "type": "input_text", "text": format!("after {changes} changes") },
        ]}],
    });
    socket.send(Message::text(frame.to_string()))?;
    let mut text = String::new();
    loop {
        let message = socket.read()?;
        let Message::Text(message) = &message else { continue };
        let event: Event<'_> = serde_json::from_str(message)?;
        match event.kind {
            "response.output_text.delta" => text.push_str(event.delta.as_deref().unwrap_or_default()),
            "response.completed" => return Ok(text),
            "response.failed" | "error" => bail!("the model refused: {message}"),
            _ => {}
        }
    }
}
