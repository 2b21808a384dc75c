//! A model that is shown no key: what looks like one is taken out of every request, and put back into the answer.
//!
//! It stands around every model that a job can reach, so no job can forget it.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::{self, StreamExt as _};

use crate::model::{Chunk, ChunkStream, Model, ModelError, Request};
use crate::privacy::{Redaction, Restoring, redact};

/// A model behind the seal.
pub(super) struct Sealed(pub(super) Arc<dyn Model>);

impl Model for Sealed {
    fn name(&self) -> String {
        self.0.name()
    }

    fn warm(&self) {
        self.0.warm();
    }

    fn is_down(&self) -> bool {
        self.0.is_down()
    }

    fn window(&self) -> u32 {
        self.0.window()
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let (request, redaction) = seal(request);
        let chunks = self.0.stream(request);
        if redaction.is_empty() {
            return chunks;
        }
        let reading = Reading {
            chunks: Some(chunks),
            restoring: redaction.clone().restoring(),
            redaction,
            ready: VecDeque::new(),
        };
        stream::unfold(reading, |mut reading| async { reading.next().await.map(|chunk| (chunk, reading)) })
            .boxed()
    }
}

/// The request without what looks like a key, and what that was.
pub fn seal(mut request: Request) -> (Request, Redaction) {
    let mut texts = vec![&mut request.input];
    if let Some(fim) = &mut request.fim {
        texts.extend([&mut fim.prefix, &mut fim.suffix]);
    }
    texts.extend(&mut request.prediction);
    texts.extend(&mut request.stop);
    let redaction = redact(&mut texts, &mut request.stable);
    (request, redaction)
}

/// An answer while it is put back together.
struct Reading {
    /// `None` once it is over.
    chunks: Option<ChunkStream>,
    restoring: Restoring,
    /// For an answer that begins anew.
    redaction: Redaction,
    ready: VecDeque<Result<Chunk, ModelError>>,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<Chunk, ModelError>> {
        loop {
            if let Some(chunk) = self.ready.pop_front() {
                return Some(chunk);
            }
            let chunk = self.chunks.as_mut()?.next().await;
            let restored = match &chunk {
                Some(Ok(Chunk::Text(text))) => self.restoring.push(text),
                Some(Ok(Chunk::Restart)) => {
                    self.restoring = self.redaction.clone().restoring();
                    Ok(String::new())
                }
                // What was held back is whole now.
                _ => self.restoring.finish(),
            };
            match restored {
                Ok(text) if text.is_empty() => {}
                Ok(text) => self.ready.push_back(Ok(Chunk::Text(text))),
                Err(touched) => {
                    self.chunks = None;
                    self.ready.push_back(Err(ModelError::Garbled(touched)));
                    continue;
                }
            }
            match chunk {
                Some(Ok(Chunk::Text(_))) => {}
                Some(end) => {
                    self.ready.push_back(end);
                }
                None => self.chunks = None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Fim, Urgency};

    /// The key is put together here, so that this file has none.
    fn key() -> String {
        format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
    }

    fn request(input: &str) -> Request {
        Request {
            instructions: "".into(),
            input: input.to_owned(),
            stable: 0,
            fim: Some(Fim { prefix: input.to_owned(), suffix: key(), path: "a".to_owned() }),
            prediction: Some(input.to_owned()),
            stop: Vec::new(),
            max_output_tokens: 1,
            cache_key: "k".to_owned(),
            urgency: Urgency::Typing,
        }
    }

    #[test]
    fn takes_keys_out_of_every_text() {
        let (sealed, redaction) = seal(request(&format!("k = \"{}\"", key())));
        assert!(!format!("{sealed:?}{redaction:?}").contains(&key()));
        assert_eq!(sealed.fim.unwrap().suffix, "REDACTED_1");
    }

    async fn answer(reply: &'static [&'static str]) -> String {
        struct Says(&'static [&'static str]);
        impl Model for Says {
            fn name(&self) -> String {
                "says".to_owned()
            }

            fn warm(&self) {}

            fn stream(&self, _: Request) -> ChunkStream {
                let pieces = self.0.iter().map(|piece| Ok(Chunk::Text((*piece).to_owned())));
                stream::iter(pieces.chain([Ok(Chunk::Done(Default::default()))])).boxed()
            }
        }
        let model = Sealed(Arc::new(Says(reply)));
        let mut chunks = model.stream(request(&format!("k = \"{}\"", key())));
        let mut shown = String::new();
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(Chunk::Text(text)) => shown.push_str(&text),
                Ok(Chunk::Restart) => shown.clear(),
                Ok(Chunk::Done(_)) => shown.push_str("|done"),
                Err(error) => shown.push_str(&format!("|{error}")),
            }
        }
        shown.replace(&key(), "<the key>")
    }

    #[tokio::test]
    async fn puts_them_back_wherever_the_answer_is_cut() {
        assert_eq!(answer(&["a ", "R", "EDAC", "TED_", "1", " b"]).await, "a <the key> b|done");
        assert_eq!(answer(&["x = REDACTED_1"]).await, "x = <the key>|done");
        assert_eq!(answer(&["RED", "uce r"]).await, "REDuce r|done");
        let garbled = "|the answer garbles something that looks like a key and was withheld from the model";
        assert_eq!(answer(&["x = REDACTED", "_7;"]).await, format!("x = {garbled}"));
    }
}
