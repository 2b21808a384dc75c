//! The steps of a job, in order.

use std::ops::{ControlFlow, Range};

use futures_util::{StreamExt as _, stream};

use super::*;
use crate::document::{Document, DocumentId};
use crate::lock::Mutex;
use crate::model::{Chunk, ChunkStream, ModelError};
use crate::privacy::Verdict;

/// The events, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, step: &str) {
        self.0.lock().push(step.to_owned());
    }
}

/// A job about the byte `cursor` that logs its steps.
struct Logged {
    log: Log,
    cursor: usize,
}

impl Task for Logged {
    const JOB: Job = Job::Complete;
    type Shown = ();
    type Draft = String;
    type Output = String;

    fn target(&self) -> Range<usize> {
        self.cursor..self.cursor
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        self.log.push("prompt");
        Ok((Prompt { instructions: "say it", input: key(), stable: 0 }, ()))
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(String, Usage), Reason> {
        self.log.push("read");
        let (answer, usage) = answer.whole().await?;
        Ok((answer.text, usage))
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<String, Reason> {
        self.log.push(if withheld.is_some() { "local, withheld" } else { "local" });
        Ok("by rule".to_owned())
    }

    fn has_fallback(&self) -> bool {
        true
    }

    async fn validate(&mut self, draft: String) -> Result<String, Reason> {
        self.log.push("validate");
        // Validation panics at 9.
        let at = self.cursor;
        blocking(Job::Complete, move || if at == 9 { panic!("9") } else { draft }).await
    }
}

/// A model that repeats its input, fails, or never answers.
#[derive(Clone, Copy, PartialEq)]
enum Behavior {
    Repeats,
    Fails,
    Hangs,
}

impl Behavior {
    fn failure() -> ChunkStream {
        stream::iter([Err(ModelError::IdleTimeout { provider: "test".to_owned(), seconds: 1 })]).boxed()
    }
}

struct Logging(Log, Behavior);

impl Model for Logging {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn warm(&self) {}

    fn is_down(&self) -> bool {
        self.1 == Behavior::Fails && self.0.0.lock().iter().any(|it| it.starts_with("asked"))
    }

    fn stream(&self, request: Request) -> ChunkStream {
        self.0.push(&format!("asked {}", request.input));
        match self.1 {
            Behavior::Repeats => {
                stream::iter([Ok(Chunk::Text(request.input)), Ok(Chunk::Done(Usage::default()))]).boxed()
            }
            Behavior::Fails => Behavior::failure(),
            Behavior::Hangs => stream::pending().boxed(),
        }
    }
}

struct Watching(Log, ControlFlow<()>);

impl Observer for Watching {
    fn sends(&self, sending: Sending<'_>) -> ControlFlow<()> {
        self.0.push(&format!("sends {} {}", sending.decision.gear, sending.request.input));
        self.1
    }

    fn ended(&self, EndedJob { outcome, .. }: EndedJob<'_>) {
        let outcome = outcome.map_or_else(|reason| reason.code().to_owned(), |it| it.gear.to_string());
        self.0.push(&format!("ended {outcome}"));
    }
}

/// The key is assembled here, so that this file contains none.
fn key() -> String {
    format!("sk-{}", "A1b2C3d4E5f6G7h8Zy9".repeat(2))
}

/// Checks the steps of a job about a byte of a file that begins with a key.
async fn check(
    model: Option<Behavior>,
    verdict: Verdict,
    cursor: usize,
    flow: ControlFlow<()>,
    expected: &[&str],
) {
    let log = Log::default();
    let fast = model.map(|behavior| Arc::new(Logging(log.clone(), behavior)) as Arc<dyn Model>);
    let observer: Arc<dyn Observer> = Arc::new(Watching(log.clone(), flow));
    let pipeline = Pipeline {
        models: Models { fast, deep: None },
        redacts: true,
        observer: Some(observer),
        tokens: TokenRates::default(),
    };
    let text = format!("{}\n\nx", key());
    let document = Document::new(DocumentId::new("a"), "", 0, &text);
    let snapshot = Snapshot::of_file(document, "a", Arc::default(), verdict, Arc::default());
    let made = pipeline.run(&snapshot, Logged { log: log.clone(), cursor }).await;
    let made = made.map_or_else(|reason| reason.to_string(), |(text, _)| text.replace(&key(), "<key>"));
    log.push(&made);
    assert_eq!(*log.0.lock(), expected);
}

const GO: ControlFlow<()> = ControlFlow::Continue(());
const SENT: [&str; 4] = ["prompt", "sends fast REDACTED_1", "asked REDACTED_1", "read"];

/// Work on the pool cannot be aborted: it ends at its next charge after the future that awaits it is dropped.
#[tokio::test]
async fn work_on_the_pool_ends_with_what_waits_for_it() {
    const LONG: std::time::Duration = std::time::Duration::from_secs(60);
    let (begins, begun) = tokio::sync::oneshot::channel();
    let (alive, ended) = tokio::sync::oneshot::channel::<()>();
    let waits = tokio::spawn(blocking(Job::Complete, move || {
        let _alive = alive;
        begins.send(()).unwrap();
        // Without cancellation it ends too late.
        let start = std::time::Instant::now();
        while start.elapsed() < LONG {
            crate::budget::charge(1);
        }
    }));
    begun.await.unwrap();
    waits.abort();
    assert!(tokio::time::timeout(LONG / 2, ended).await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn job_passes_every_step_in_order() {
    use Behavior::{Fails, Hangs, Repeats};
    let end = key().len() + 2;
    let open = || Verdict::Open;
    let after_sent = |rest: &[&'static str]| [&SENT[..], rest].concat();
    check(Some(Repeats), open(), end, GO, &after_sent(&["validate", "ended fast", "<key>"])).await;
    let fallback = after_sent(&["local", "validate", "ended local", "by rule"]);
    check(Some(Fails), open(), end, GO, &fallback).await;
    let late = after_sent(&["ended deadline", "the model did not answer in time; try again"]);
    check(Some(Hangs), open(), end, GO, &late).await;
    check(None, open(), end, GO, &["local", "validate", "ended local", "by rule"]).await;
}

#[tokio::test]
async fn job_without_access_sends_nothing() {
    let end = key().len() + 2;
    let withheld = ["local, withheld", "validate", "ended local", "by rule"];
    check(Some(Behavior::Repeats), Verdict::Ignored("x".into()), end, GO, &withheld).await;
    let secret = ["ended secret", "this is inside an API key, or right beside it, which no model is shown"];
    check(Some(Behavior::Repeats), Verdict::Open, 3, GO, &secret).await;
    let cancelled = ["prompt", "sends fast REDACTED_1", "ended cancelled", "it was cancelled"];
    check(Some(Behavior::Repeats), Verdict::Open, end, ControlFlow::Break(()), &cancelled).await;
}

#[tokio::test]
async fn panic_of_a_job_is_a_reason() {
    let failed = ["local", "validate", "ended internal", &Reason::Internal.to_string()];
    check(None, Verdict::Open, 9, GO, &failed).await;
}

/// A rewrite that refuses some replies.
struct Judged(Log);

impl Task for Judged {
    const JOB: Job = Job::Rewrite;
    type Shown = ();
    type Draft = String;
    type Output = String;

    fn target(&self) -> Range<usize> {
        0..0
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        Ok((Prompt { instructions: "", input: "<|code|>\n".to_owned(), stable: 0 }, ()))
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(String, Usage), Reason> {
        let (answer, usage) = answer.whole().await?;
        Ok((answer.text, usage))
    }

    fn local(&mut self, _: Option<Reason>) -> Result<String, Reason> {
        Err(Reason::NoModel)
    }

    fn reply<'a>(&self, draft: &'a String) -> Option<&'a str> {
        Some(draft)
    }

    fn corrects(&mut self, refusal: &Refusal) {
        self.0.push(&format!("corrects: {refusal}"));
    }

    async fn validate(&mut self, draft: String) -> Result<String, Reason> {
        match draft.as_str() {
            "bad" => Err(Refusal::Prose.into()),
            "worse" => Err(Refusal::Repetition.into()),
            "large" => Err(Refusal::TooMuchWork.into()),
            "same" => Err(Reason::Unchanged),
            _ => Ok(draft),
        }
    }
}

/// A model that gives these replies, each for one output token, and then fails.
struct Replying(Log, Mutex<Vec<&'static str>>);

impl Model for Replying {
    fn name(&self) -> String {
        "test".to_owned()
    }

    fn warm(&self) {}

    fn is_down(&self) -> bool {
        false
    }

    fn stream(&self, request: Request) -> ChunkStream {
        let shown = if request.input.contains("<|refused|>\nbad\n<|because|>\n") { " again" } else { "" };
        self.0.push(&format!("asked{shown}"));
        let usage = Usage { output_tokens: 1, ..Usage::default() };
        match self.1.lock().pop() {
            Some(reply) => stream::iter([Ok(Chunk::Text(reply.to_owned())), Ok(Chunk::Done(usage))]).boxed(),
            None => Behavior::failure(),
        }
    }
}

/// Checks the steps of a rewrite for which a model gives these replies.
async fn check_replies(gear: Gear, replies: &[&'static str], expected: &[&str]) {
    let log = Log::default();
    let model: Arc<dyn Model> =
        Arc::new(Replying(log.clone(), Mutex::new(replies.iter().rev().copied().collect())));
    let models = match gear {
        Gear::Deep => Models { fast: None, deep: Some(model) },
        _ => Models { fast: Some(model), deep: None },
    };
    let observer: Arc<dyn Observer> = Arc::new(Watching(log.clone(), GO));
    let pipeline =
        Pipeline { models, redacts: true, observer: Some(observer), tokens: TokenRates::default() };
    let document = Document::new(DocumentId::new("a"), "", 0, "x");
    let snapshot = Snapshot::of_file(document, "a", Arc::default(), Verdict::Open, Arc::default());
    let made = pipeline.run(&snapshot, Judged(log.clone())).await;
    log.push(&made.map_or_else(
        |reason| reason.to_string(),
        |(text, origin)| format!("{text} for {}", origin.usage.output_tokens),
    ));
    let steps: Vec<String> = log.0.lock().iter().filter(|it| !it.starts_with("sends")).cloned().collect();
    assert_eq!(steps, expected, "{replies:?}");
}

#[tokio::test]
async fn quick_model_is_asked_once_more_with_the_reason() {
    const PROSE: &str = "the reply is prose, not code";
    let corrects = format!("corrects: {PROSE}");
    let again = |rest: &[&'static str]| [&["asked", &corrects, "ended prose", "asked again"], rest].concat();
    check_replies(Gear::Fast, &["good"], &["asked", "ended fast", "good for 1"]).await;
    check_replies(Gear::Fast, &["bad", "good"], &again(&["ended fast", "good for 2"])).await;
    let worse = again(&["ended repetition", "the reply repeats itself"]);
    check_replies(Gear::Fast, &["bad", "worse", "good"], &worse).await;
    // Without a second reply that says more, the first refusal counts.
    check_replies(Gear::Fast, &["bad", "same"], &again(&["ended prose", PROSE])).await;
    check_replies(Gear::Fast, &["bad"], &again(&["ended prose", PROSE])).await;
    // Nothing that a model could correct.
    let work = "it takes too much work to place or check it; ask for a smaller change";
    check_replies(Gear::Fast, &["large", "good"], &["asked", "ended too-much-work", work]).await;
    check_replies(Gear::Deep, &["bad", "good"], &["asked", "ended prose", PROSE]).await;
}
