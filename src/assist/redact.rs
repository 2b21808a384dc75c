//! Redacts likely keys from a request, and restores them in the answer.

use std::collections::VecDeque;

use futures_util::stream::{self, StreamExt as _};

use crate::model::{Chunk, ChunkStream, ModelError, Request};
use crate::privacy::{self, Known, Redaction, Restoring, TextKind};

/// Redacts every text of a request that comes from a file of this kind, with these secrets. Returns the redacted ones.
pub(super) fn redact(request: &mut Request, of_file: (&Known, TextKind)) -> Redaction {
    let mut texts = vec![&mut request.input];
    if let Some(fim) = &mut request.fim {
        texts.extend([&mut fim.prefix, &mut fim.suffix]);
        texts.extend(fim.extra.iter_mut().map(|(_, text)| text));
    }
    if let Some(document) = &mut request.document {
        texts.extend([&mut document.before, &mut document.after]);
    }
    texts
        .extend(request.edits.iter_mut().flat_map(|edit| [&mut edit.head, &mut edit.quoted, &mut edit.tail]));
    texts.extend(&mut request.prediction);
    texts.extend(&mut request.stop);
    privacy::redact(&mut texts, of_file, &mut request.stable)
}

/// The answer to a redacted request, with the secrets restored.
pub(super) fn restore(chunks: ChunkStream, redaction: Redaction) -> ChunkStream {
    if redaction.is_empty() {
        return chunks;
    }
    let restorer = Restorer {
        chunks: Some(chunks),
        restoring: redaction.clone().restoring(),
        redaction,
        ready: VecDeque::new(),
    };
    stream::unfold(restorer, |mut restorer| async { restorer.next().await.map(|chunk| (chunk, restorer)) })
        .boxed()
}

/// An answer that is being restored.
struct Restorer {
    /// `None` once it has ended.
    chunks: Option<ChunkStream>,
    restoring: Restoring,
    /// Used when an answer restarts.
    redaction: Redaction,
    ready: VecDeque<Result<Chunk, ModelError>>,
}

impl Restorer {
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
                Some(Ok(Chunk::Dialect(_) | Chunk::Item(_))) => Ok(String::new()),
                // A placeholder cannot continue past the end.
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
    use crate::config::EditDialect;
    use crate::model::{EditPrompt, Fim, Urgency};

    /// The key is assembled here, so that this file contains none.
    fn key() -> String {
        format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
    }

    fn request(input: &str) -> Request {
        Request {
            instructions: "".into(),
            input: input.to_owned(),
            stable: 0,
            fim: Some(Fim {
                prefix: input.to_owned(),
                suffix: key(),
                path: "a".to_owned(),
                extra: vec![("b".to_owned(), key())],
                is_variant: false,
            }),
            edits: vec![EditPrompt {
                dialect: EditDialect::Sweep,
                head: key(),
                quoted: String::new(),
                tail: input.to_owned(),
                stop: Vec::new(),
            }],
            document: None,
            prediction: Some(input.to_owned()),
            stop: Vec::new(),
            max_output_tokens: 1,
            cache_key: "k".to_owned(),
            job: "test",
            asker: 0,
            trace: 0,
            urgency: Urgency::Typing,
            silence: std::time::Duration::ZERO,
            claim: crate::model::Claim::default(),
        }
    }

    #[test]
    fn every_text_of_a_request_is_redacted() {
        let mut request = request(&format!("k = \"{}\"", key()));
        let redaction = redact(&mut request, (&Known::default(), TextKind::Code));
        assert!(!format!("{request:?}{redaction:?}").contains(&key()));
        let fim = request.fim.unwrap();
        assert_eq!((fim.suffix.as_str(), fim.extra[0].1.as_str()), ("REDACTED_1", "REDACTED_1"));
        assert_eq!((request.edits[0].head.as_str(), &request.edits[0].tail), ("REDACTED_1", &request.input));
    }

    /// The restored text of an answer, in these pieces, to a request with a key.
    async fn restored(reply: &'static [&'static str]) -> String {
        let redaction =
            redact(&mut request(&format!("k = \"{}\"", key())), (&Known::default(), TextKind::Code));
        let pieces = reply.iter().map(|piece| Ok(Chunk::Text((*piece).to_owned())));
        let pieces = stream::iter(pieces.chain([Ok(Chunk::Done(Default::default()))]));
        let mut chunks = restore(pieces.boxed(), redaction);
        let mut shown = String::new();
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(Chunk::Text(text)) => shown.push_str(&text),
                Ok(Chunk::Restart | Chunk::Dialect(_) | Chunk::Item(_)) => shown.clear(),
                Ok(Chunk::Done(_)) => shown.push_str("|done"),
                Err(error) => shown.push_str(&format!("|{error}")),
            }
        }
        shown.replace(&key(), "<the key>")
    }

    #[tokio::test]
    async fn keys_are_restored_wherever_the_answer_is_cut() {
        assert_eq!(restored(&["a ", "R", "EDAC", "TED_", "1", " b"]).await, "a <the key> b|done");
        assert_eq!(restored(&["x = REDACTED_1"]).await, "x = <the key>|done");
        assert_eq!(restored(&["RED", "uce r"]).await, "REDuce r|done");
        let garbled = "|the answer garbles something that looks like a key and was withheld from the model";
        assert_eq!(restored(&["x = REDACTED", "_7;"]).await, format!("x = {garbled}"));
    }
}
