//! A model that answers from a list, for tests that are not about wires.

use std::collections::VecDeque;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::{Chunk, ChunkStream, Model, ModelError, Request, Usage};
use crate::lock::Mutex;

/// Answers each request with the next reply.
#[derive(Debug, Default)]
pub(crate) struct ScriptedModel {
    replies: Mutex<VecDeque<Result<String, ModelError>>>,
}

impl ScriptedModel {
    /// Creates a model that returns these replies in order, and then fails.
    pub(crate) fn new(replies: impl IntoIterator<Item = Result<String, ModelError>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()) }
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, _: Request) -> ChunkStream {
        let reply = self.replies.lock().pop_front();
        let chunks = match reply {
            None => vec![Err(ModelError::Closed { provider: "the script".to_owned() })],
            Some(Err(error)) => vec![Err(error)],
            // One character at a time is the hardest stream for a reader.
            Some(Ok(text)) => text
                .chars()
                .map(|it| Ok(Chunk::Text(it.to_string())))
                .chain([Ok(Chunk::Done(Usage::default()))])
                .collect(),
        };
        stream::iter(chunks).boxed()
    }
}
