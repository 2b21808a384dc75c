//! Streams the messages of a response: their text, their pace, and the faults in between.

use std::{future::pending, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    event::{Emitter, Gone, Outgoing},
    pace::Pace,
    script::Scripted,
    server::Server,
};

/// The text of a message that is commentary, not the answer.
pub(super) const REMARK: &str = "I will look at the code first.";
/// The identifier of an older response, for late events.
pub(super) const OLD_RESPONSE: &str = "resp_older";

/// A part of a reply that is sent as one delta.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) tokens: usize,
}

pub(super) fn joined(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// Sends the terminal event of an older response.
pub(super) async fn end_older(emitter: &mut Emitter<'_>) -> Result<(), Gone> {
    let older = json!({"id": OLD_RESPONSE, "object": "response", "status": "completed", "output": []});
    emitter.send("response.completed", json!({"response": older})).await
}

/// A message item of a response.
pub(super) struct Message {
    pub(super) id: String,
    /// Its index in the response's output.
    pub(super) index: u32,
    /// Its `phase`, such as `commentary`.
    pub(super) phase: Option<&'static str>,
}

impl Message {
    pub(super) fn item(&self, status: &str, content: &[Value]) -> Value {
        let mut item = json!({"id": self.id, "type": "message", "role": "assistant", "status": status, "content": content});
        if let Some(phase) = self.phase {
            item["phase"] = phase.into();
        }
        item
    }

    pub(super) fn at(&self, rest: Value) -> At<'_> {
        At { item_id: &self.id, output_index: self.index, content_index: 0, rest }
    }

    pub(super) async fn begin(&self, emitter: &mut Emitter<'_>) -> Result<(), Gone> {
        let added = json!({"output_index": self.index, "item": self.item("in_progress", &[])});
        emitter.send("response.output_item.added", added).await?;
        emitter.send("response.content_part.added", self.at(json!({"part": text_part("")}))).await
    }

    /// Sends the events that end the message, and returns its finished item.
    pub(super) async fn end(
        &self,
        emitter: &mut Emitter<'_>,
        text: &str,
        status: &str,
    ) -> Result<Value, Gone> {
        emitter.send("response.output_text.done", self.at(json!({"text": text, "logprobs": []}))).await?;
        emitter.send("response.content_part.done", self.at(json!({"part": text_part(text)}))).await?;
        let item = self.item(status, &[text_part(text)]);
        emitter.send("response.output_item.done", json!({"output_index": self.index, "item": item})).await?;
        Ok(item)
    }

    /// Sends the whole message with one delta, and returns its finished item.
    pub(super) async fn say(&self, emitter: &mut Emitter<'_>, text: &str) -> Result<Value, Gone> {
        self.begin(emitter).await?;
        emitter.send("response.output_text.delta", self.at(json!({"delta": text, "logprobs": []}))).await?;
        self.end(emitter, text, "completed").await
    }
}

pub(super) fn text_part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

/// The state of a response while its text is streamed.
pub(super) struct Speech<'a> {
    pub(super) server: &'a Server,
    pub(super) script: &'a Scripted,
    pub(super) start: Instant,
    /// The extra delay of the first token.
    pub(super) late: Duration,
    /// Whether to hang after half of the pieces.
    pub(super) hangs_midway: bool,
    /// How to end the connection after half of the pieces, if a fault demands it.
    pub(super) ends_midway: Option<Outgoing>,
    /// A message to send after half of the pieces; `remarked` is its finished item.
    pub(super) remark: Option<Message>,
    pub(super) remarked: Option<Value>,
    /// Whether to send the end of an older response after half of the pieces.
    pub(super) is_late_tail: bool,
}

impl Speech<'_> {
    /// Streams one message at the server's pace and returns its finished item.
    pub(super) async fn speak(
        &mut self,
        emitter: &mut Emitter<'_>,
        message: &Message,
        pieces: &[Piece],
        status: &str,
    ) -> Result<Value, Gone> {
        let options = &self.server.options;
        let ttft = self.script.ttft.unwrap_or(options.ttft) + self.late;
        let pace = Pace { ttft, tokens_per_second: options.tokens_per_second };
        pace.wait(self.start, 0).await;
        message.begin(emitter).await?;
        let mut spoken = 0;
        for (index, piece) in pieces.iter().enumerate() {
            let is_midway = index >= pieces.len().div_ceil(2);
            if is_midway && self.hangs_midway {
                pending::<()>().await;
            }
            if is_midway && let Some(end) = self.ends_midway.take() {
                emitter.end(end).await?;
                return Err(Gone);
            }
            if is_midway && let Some(remark) = self.remark.take() {
                self.remarked = Some(remark.say(emitter, REMARK).await?);
            }
            if is_midway && std::mem::take(&mut self.is_late_tail) {
                end_older(emitter).await?;
            }
            pace.wait(self.start, spoken).await;
            let tokens = piece.tokens as u64;
            spoken += tokens;
            self.server.stats.counters().output_tokens_generated += tokens;
            let delta = message.at(json!({"delta": piece.text, "logprobs": []}));
            emitter.send_tokens("response.output_text.delta", delta, tokens).await?;
        }
        if let Some(end) = self.ends_midway.take() {
            emitter.end(end).await?;
            return Err(Gone);
        }
        message.end(emitter, &joined(pieces), status).await
    }
}

/// The position in the response that an event of a message's text belongs to.
#[derive(serde::Serialize)]
pub(super) struct At<'a> {
    pub(super) item_id: &'a str,
    pub(super) output_index: u32,
    pub(super) content_index: u32,
    #[serde(flatten)]
    pub(super) rest: Value,
}
