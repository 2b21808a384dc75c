//! A model that writes at a fixed pace, in virtual time, and counts the output of each call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;
use tandem::model::{Chunk, ChunkStream, Model, Request, Usage};
use tokio::time::sleep;

/// Characters per token.
const TOKEN: usize = 4;

/// The output of one call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wrote {
    pub(crate) tokens: u64,
    pub(crate) text: String,
}

type Reply = dyn Fn(&str) -> String + Send + Sync;

#[derive(Clone)]
pub(crate) struct Paced {
    first: Duration,
    token: Duration,
    reply: Arc<Reply>,
    calls: Arc<Mutex<Vec<Wrote>>>,
}

impl Paced {
    /// A model that replies to the text before the cursor.
    pub(crate) fn new(
        first: Duration,
        tokens_per_second: u32,
        reply: impl Fn(&str) -> String + Send + Sync + 'static,
    ) -> Self {
        let token = Duration::from_secs(1) / tokens_per_second;
        Self { first, token, reply: Arc::new(reply), calls: Arc::default() }
    }

    /// A fast model: 40 ms to the first token, then 1,000 a second.
    pub(crate) fn fast(reply: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self::new(Duration::from_millis(40), 1_000, reply)
    }

    /// The output of each call so far.
    pub(crate) fn calls(&self) -> Vec<Wrote> {
        self.calls.lock().unwrap().clone()
    }
}

impl Model for Paced {
    fn name(&self) -> String {
        "paced".to_owned()
    }

    fn warm(&self) {}

    fn stream(&self, request: Request) -> ChunkStream {
        let before = request.fim.map_or(String::new(), |fim| fim.prefix);
        let text = (self.reply)(&before);
        let letters: Vec<char> = text.chars().collect();
        let tokens: Vec<String> = letters.chunks(TOKEN).map(|token| token.iter().collect()).collect();
        let call = {
            let mut calls = self.calls.lock().unwrap();
            calls.push(Wrote::default());
            calls.len() - 1
        };
        let (first, pace, calls) = (self.first, self.token, Arc::clone(&self.calls));
        let written = stream::iter(tokens.into_iter().enumerate()).then(move |(number, token)| {
            let calls = Arc::clone(&calls);
            async move {
                sleep(if number == 0 { first } else { pace }).await;
                let mut calls = calls.lock().unwrap();
                calls[call].tokens += 1;
                calls[call].text.push_str(&token);
                Ok(Chunk::Text(token))
            }
        });
        written.chain(stream::iter([Ok(Chunk::Done(Usage::default()))])).boxed()
    }
}
