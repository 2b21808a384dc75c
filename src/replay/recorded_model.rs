//! A model that answers as recorded.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream;

use super::RecordedCompletion;
use crate::lock::Mutex;
use crate::model::{Chunk, ChunkStream, Model, Pace, Request, RequestKind, Usage};
use crate::record::AnswerEntry;

/// The model of one completion. Its answer is there at once, up to the deadline.
pub(super) struct RecordedModel {
    recorded: RecordedCompletion,
    pace: Pace,
    seen: Arc<Mutex<Seen>>,
}

/// What was asked and read.
#[derive(Default)]
struct Seen {
    prompts: Option<[String; 2]>,
    deadline: Duration,
    reads_on: bool,
    milliseconds: u64,
}

impl RecordedModel {
    pub(super) fn new(recorded: &RecordedCompletion) -> Self {
        let pace =
            recorded.inputs.pace.map_or(Pace::QUICK, |[start, reading, writing, token_bytes, wait]| {
                // A number that was edited must not stop the replay.
                let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
                Pace { start: time(start), reading, writing, token_bytes, wait: time(wait) }
            });
        Self { recorded: recorded.clone(), pace, seen: Arc::default() }
    }

    /// The recorded prompt and the one that was sent, if they differ; whether more was read than is recorded; and
    /// the time of the last chunk that was read.
    pub(super) fn seen(&self) -> (Option<[String; 2]>, bool, u64) {
        let mut seen = self.seen.lock();
        (seen.prompts.take(), seen.reads_on, seen.milliseconds)
    }

    fn compare(&self, request: &Request) -> Option<[String; 2]> {
        let RecordedCompletion { instructions, input, fim, max_tokens, .. } = &self.recorded;
        let sent = request.fim.as_ref().map(|fim| (&fim.prefix, &fim.suffix));
        if request.instructions != *instructions || request.input != *input {
            let whole = |instructions: &str, input: &str| format!("{instructions}\n{input}");
            return Some([whole(instructions, input), whole(&request.instructions, &request.input)]);
        }
        if sent != fim.as_ref().map(|(prefix, suffix)| (prefix, suffix)) {
            let gap = |prefix: &str, suffix: &str| format!("{prefix}▮{suffix}");
            let [recorded, now] = [fim.as_ref().map(|(a, b)| (a, b)), sent];
            return Some([recorded, now].map(|it| it.map_or_else(String::new, |(a, b)| gap(a, b))));
        }
        let most = |tokens: u32| format!("at most {tokens} tokens");
        (request.max_output_tokens != *max_tokens)
            .then(|| [most(*max_tokens), most(request.max_output_tokens)])
    }
}

impl Model for RecordedModel {
    fn name(&self) -> String {
        self.recorded.model.clone()
    }

    fn warm(&self) {}

    fn pace(&self, _: RequestKind) -> Pace {
        self.pace
    }

    /// The bytes that were unread of the recorded prompt; none of it while other files are missing from it, and more
    /// than can be read of a prompt that was not sent.
    fn unread(&self, request: &Request) -> usize {
        match &self.recorded {
            recorded if recorded.input == request.input => recorded.inputs.unread,
            recorded if recorded.input.ends_with(&request.input) => 0,
            _ => usize::MAX,
        }
    }

    fn takes_fim(&self) -> bool {
        self.recorded.fim.is_some()
    }

    /// The chunks are there at once: the first wait is for one that came too late, or never.
    fn deadline(&self, planned: Duration) -> Duration {
        self.seen.lock().deadline = planned;
        Duration::ZERO
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let prompts = self.compare(&request);
        let deadline = {
            let mut seen = self.seen.lock();
            seen.prompts = prompts;
            u64::try_from(seen.deadline.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
        };
        let RecordedCompletion { model, answer: AnswerEntry { chunks, end, took, .. }, .. } = &self.recorded;
        // Times are in whole milliseconds, to which the timer rounds a deadline up: a chunk of that one was read, or
        // it would not be recorded.
        let in_time = chunks.iter().take_while(|(at, _)| *at <= deadline);
        let in_time: Vec<(u64, String)> = in_time.cloned().collect();
        let is_late = in_time.len() < chunks.len() || took.saturating_add(1) >= deadline;
        let is_all = in_time.len() == chunks.len();
        let truncated = end == "truncated";
        let usage = Usage { model: Some(model.clone()), truncated, ..Usage::default() };
        let end = match end.as_str() {
            "done" | "truncated" if is_all => stream::iter([Ok(Chunk::Done(usage))]).boxed(),
            // The deadline passes, or the recorded rules stopped reading here.
            _ => {
                let seen = Arc::clone(&self.seen);
                stream::poll_fn(move |_| {
                    seen.lock().reads_on = !is_late;
                    std::task::Poll::Pending
                })
                .boxed()
            }
        };
        let seen = Arc::clone(&self.seen);
        let chunks = stream::iter(in_time).map(move |(at, text)| {
            seen.lock().milliseconds = at;
            Ok(Chunk::Text(text))
        });
        chunks.chain(end).boxed()
    }
}
