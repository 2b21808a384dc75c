//! Recorded answers, read as if from a connection: for tests, fuzzing and the inspection of
//! recordings.

use super::Chunk;
use super::dialect::Dialect;
use super::dialect::answer::{Assembly, Output};
use super::dialect::event;
use super::sse;
use crate::config::Wire;

/// The content of a recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodedAnswer {
    /// The chunks that a caller would get, in order.
    pub chunks: Vec<Chunk>,
    /// The server's message if the answer failed.
    pub failure: Option<String>,
}

impl DecodedAnswer {
    /// The final text: everything since the last [`Chunk::Restart`].
    pub fn text(&self) -> String {
        let begin = self.chunks.iter().rposition(|chunk| *chunk == Chunk::Restart).map_or(0, |at| at + 1);
        let text = |chunk: &Chunk| if let Chunk::Text(text) = chunk { Some(text.clone()) } else { None };
        self.chunks[begin..].iter().filter_map(text).collect()
    }

    fn take(&mut self, output: Output) {
        let is_over = self.failure.is_some() || matches!(self.chunks.last(), Some(Chunk::Done(_)));
        match output {
            _ if is_over => {}
            Output::Text(text) => self.chunks.push(Chunk::Text(text)),
            Output::Restart => self.chunks.push(Chunk::Restart),
            Output::Done(usage) => self.chunks.push(Chunk::Done(usage)),
            Output::Failed(refusal) => self.failure = Some(refusal.message),
            Output::Stray { .. } => self.failure = Some("another response began".to_owned()),
            Output::Begun { .. } | Output::Serves { .. } | Output::Quotas(_) => {}
        }
    }
}

/// Reads the body of an answer over HTTP as server-sent events, in the pieces in which it arrived.
/// A line that is too long ends it.
pub fn body<'a>(wire: Wire, pieces: impl IntoIterator<Item = &'a [u8]>) -> DecodedAnswer {
    let mut decoded = DecodedAnswer::default();
    let mut reading = Dialect::of(wire).reader();
    let mut reader = sse::Reader::default();
    for piece in pieces {
        if reader.push(piece, |data| reading.take(data, |output| decoded.take(output))).is_err() {
            return decoded;
        }
    }
    let ended = reader.end(|data| reading.take(data, |output| decoded.take(output)));
    if let (Ok(()), Some(end)) = (ended, reading.end()) {
        decoded.take(end);
    }
    decoded
}

/// Reads the frames of one lane of a socket as the answer to one request.
pub fn frames<'a>(frames: impl IntoIterator<Item = &'a str>) -> DecodedAnswer {
    let (mut decoded, mut assembly) = (DecodedAnswer::default(), Assembly::of_socket());
    for frame in frames {
        if let Ok(frame) = event::read(frame) {
            assembly.take(frame, |output| decoded.take(output));
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recording_is_read_like_a_connection() {
        let events = [
            r#"{"type":"response.created","response":{"id":"r"}}"#,
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","phase":"commentary"}}"#,
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"I look first."}"#,
            r#"{"type":"response.output_text.delta","output_index":1,"delta":"a + b"}"#,
            r#"{"type":"response.completed","response":{"id":"r"}}"#,
        ];
        let sse: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let chat = r#"data: {"choices":[{"delta":{"content":"a + b"},"finish_reason":"stop"}]}"#;
        for decoded in [
            frames(events),
            body(Wire::ResponsesSse, sse.as_bytes().chunks(7)),
            body(Wire::Chat, [chat.as_bytes()]),
        ] {
            assert_eq!(decoded.text(), "a + b");
            assert!(matches!(decoded.chunks[..], [Chunk::Text(_), Chunk::Done(_)]), "{decoded:?}");
        }
    }
}
