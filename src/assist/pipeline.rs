//! The single path of all jobs: route, access, secrets, prompt, ask, read, validate, origin.
//!
//! A job is a [`Task`]: its target, its prompt and its reading. No other file asks a model, so some rules hold
//! for every job: no model is shown a file without access, or a position inside a key; keys are redacted; an
//! answer ends at its deadline; a panic becomes a reason like any other. An [`Observer`] sees each request
//! before it is sent, and how each job ended.

mod answer_stream;
mod related;
mod task;

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::Instant;

use super::models::Models;
use super::observer::{EndedJob, Observer, Sending};
use super::outcome::Origin;
use super::pace::{self, Schedule};
use super::redact::{redact, restore};
use super::token_rates::TokenRates;
use crate::budget::Budget;
use crate::context::related::MOST_BYTES;
use crate::context::{self, NearbySecrets};
use crate::disk::{Readers, computing};
use crate::edit::Refusal;
use crate::job::{Job, Reason};
use crate::model::{self, Model, Pace, Request, Urgency, Usage};
use crate::privacy::{Known, Redaction};
use crate::prompt::{self, Prompt, RefusedReply};
use crate::route::{Decision, Gear, route};
use crate::snapshot::Snapshot;
use related::{related, show_related};

pub(super) use answer_stream::{AnswerStream, WholeAnswer, restarted};
pub(super) use task::Task;

/// Tokens of other files shown while the user types.
const TYPING_TOKENS: usize = 1_500;
/// Tokens of other files shown for explicit requests.
const ASKED_TOKENS: usize = 6_000;
/// Other files get at most `1 / WINDOW_SHARE` of a model's context window.
const WINDOW_SHARE: usize = 8;
/// Bytes on both sides of a target that are searched for secrets, where a job shows several parts of a file.
const SEARCHED_BYTES: usize = 64 * 1024;

/// Runs jobs over some models.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub(super) models: Models,
    /// Whether keys are redacted in requests.
    pub(super) redacts: bool,
    pub(super) observer: Option<Arc<dyn Observer>>,
    pub(super) tokens: TokenRates,
}

impl Pipeline {
    /// Runs a job on a snapshot.
    pub(super) async fn run<T: Task>(
        &self,
        snapshot: &Snapshot,
        mut task: T,
    ) -> Result<(T::Output, Origin), Reason> {
        let mut request = None;
        let made = self.make(snapshot, &mut task, &mut request).await;
        let made =
            made.map_err(|reason| self.models.explain(reason, pace::kind_of(T::JOB), &snapshot.settings));
        let outcome = made.as_ref().map(|(_, origin)| origin);
        if let Ok(origin) = outcome {
            origin.log(T::JOB);
        }
        if let Some(observer) = &self.observer {
            let completion = made.as_ref().ok().and_then(|(output, _)| T::completed(output));
            observer.ended(EndedJob { job: T::JOB, request, outcome, completion });
        }
        made
    }

    async fn make<T: Task>(
        &self,
        snapshot: &Snapshot,
        task: &mut T,
        request: &mut Option<u64>,
    ) -> Result<(T::Output, Origin), Reason> {
        let facts = self.models.route_input(snapshot, pace::kind_of(T::JOB)).await;
        let facts = task.route_input(facts);
        let withheld = facts.withheld.then(|| withheld(snapshot));
        let is_forced = facts.forced == Some(Gear::Local);
        let mut decision = route(T::JOB, facts);
        if decision.gear == Gear::Local
            && !is_forced
            && let Some(place) = &snapshot.settings.correction
        {
            decision.reason = format!("no model is asked until {place} is corrected").into();
        }
        let mut capped = None;
        let (draft, mut usage) = match self.models.of(decision.gear) {
            None => {
                let why_down = || self.models.fast.as_ref().filter(|_| !is_forced)?.why_down();
                let drafted = task.local(withheld).map_err(|nothing| match (nothing, why_down()) {
                    // With an answer of the model there might have been something.
                    (Reason::NothingToAdd, Some(why)) if T::JOB == Job::Complete => Reason::Model(why),
                    (nothing, _) => nothing,
                });
                (drafted?, Usage::default())
            }
            Some(model) => match self.ask((model, &decision), snapshot, task, request, None).await {
                Err(reason) if task.has_fallback() && is_out_of_reach(&reason, model) => {
                    let is_capped = matches!(reason, Reason::Capped(_));
                    let why = if is_capped { "the budget is spent" } else { "no model answers" }.into();
                    decision = Decision { gear: Gear::Local, reason: why, ..decision };
                    let drafted = task.local(None).map_err(|nothing| match nothing {
                        // With an answer of the model there might have been something.
                        Reason::NothingToAdd if T::JOB == Job::Complete => reason.clone(),
                        nothing => nothing,
                    });
                    capped = is_capped.then_some(reason);
                    (drafted?, Usage::default())
                }
                read => read?,
            },
        };
        let reply = task.reply(&draft).map(str::to_owned);
        let output = match (task.validate(draft).await, reply, self.models.of(decision.gear)) {
            (Err(Reason::Refused(refusal)), Some(reply), Some(model))
                if decision.gear == Gear::Fast
                    && refusal.is_correctable()
                    && model.pace(pace::kind_of(T::JOB)).is_quick() =>
            {
                let reason = format!("{}; the first reply was refused: {refusal}", decision.reason);
                let asked = (model, &decision, refusal);
                let (output, more) = self.correct(asked, snapshot, task, request, reply).await?;
                decision.reason = reason.into();
                usage = usage.and(more);
                output
            }
            // The user can raise the cap, but not change what the local engine is able to do.
            (made, ..) => made.map_err(|reason| capped.unwrap_or(reason))?,
        };
        Ok((output, Origin::new(decision, usage)))
    }

    /// Asks a quick model once more, with its refused reply and the reason.
    ///
    /// The first refusal is the reason if there is no other reply.
    async fn correct<T: Task>(
        &self,
        (model, decision, refusal): (&dyn Model, &Decision, Refusal),
        snapshot: &Snapshot,
        task: &mut T,
        request: &mut Option<u64>,
        reply: String,
    ) -> Result<(T::Output, Usage), Reason> {
        let refused = RefusedReply { reply, why: refusal.to_string() };
        task.corrects(&refusal);
        let first = Reason::Refused(refusal);
        if let Some(observer) = &self.observer {
            let outcome = Err(&first);
            observer.ended(EndedJob { job: T::JOB, request: request.take(), outcome, completion: None });
        }
        match self.ask((model, decision), snapshot, task, request, Some(&refused)).await {
            Ok((draft, usage)) => match task.validate(draft).await {
                Ok(output) => Ok((output, usage)),
                Err(reason @ (Reason::Refused(_) | Reason::Cancelled)) => Err(reason),
                Err(_) => Err(first),
            },
            Err(Reason::Cancelled) => Err(Reason::Cancelled),
            Err(_) => Err(first),
        }
    }

    /// Asks a model, which may be shown its refused reply, and reads its answer.
    async fn ask<T: Task>(
        &self,
        (model, decision): (&dyn Model, &Decision),
        snapshot: &Snapshot,
        task: &mut T,
        number: &mut Option<u64>,
        refused: Option<&RefusedReply>,
    ) -> Result<(T::Draft, Usage), Reason> {
        let secrets = apart_from_secrets(snapshot, &*task)?;
        let kind = pace::kind_of(T::JOB);
        let pace = model.pace(kind);
        let prepared = self.prepare((model, &pace), decision, snapshot, task, (&secrets, refused)).await?;
        let Prepared { mut request, shown, redaction, room } = prepared;
        let related = related(snapshot, &redaction, room);
        show_related(&mut request, &related);
        let slowly = match pace.is_quick() {
            true => None,
            false => Some(pace::schedule(T::JOB, &pace, model, &mut request, decision, task.target().len())?),
        };
        if let Some(Schedule { expected, .. }) = slowly {
            task.expects(expected);
        }
        let bytes = request.instructions.len() + request.input.len();
        let windows = task.windows().to_vec();
        let sending = Sending {
            job: T::JOB,
            decision,
            request: &request,
            snapshot,
            at: task.target().start,
            redaction: &redaction,
            related: &related,
            room,
            completion: task.completion(),
            windows: &windows,
            pace: &pace,
            unread: slowly.map_or(0, |it| it.unread),
        };
        if self.observer.as_ref().is_some_and(|it| it.sends(sending).is_break()) {
            return Err(Reason::Cancelled);
        }
        task.until_due().await?;
        let observer = self.observer.as_ref().and_then(|it| it.on_sent(sending, &model.name_for(kind)));
        let planned = match slowly {
            Some(slowly) => slowly.deadline,
            // However quickly the model reads: it may think, or its gateway may have to find another server.
            None if task.completion().is_some_and(|it| it.invoked && it.variant == 0) => {
                pace.wait(Urgency::Invoked)
            }
            None => decision.deadline,
        };
        let deadline = model.deadline(planned);
        let mut chunks = model.stream(request);
        if let Some(mut observer) = observer {
            // A result with restored secrets is not passed on.
            *number = redaction.is_empty().then(|| observer.number());
            chunks = chunks.inspect(move |piece| observer.on_chunk(piece)).boxed();
        }
        let chunks = restore(chunks, redaction);
        let now = Instant::now();
        let deadline = now + deadline;
        let patience = slowly.and_then(|it| it.patience).map(|it| now + it);
        let answer = AnswerStream::new(chunks, deadline, patience);
        // The request is sent first; state needed to read the answer is prepared while the model thinks.
        yield_now().await;
        let read = task.read(shown, answer).await;
        if let Ok((_, usage)) = &read {
            self.tokens.learn(decision.gear, bytes, usage.input_tokens);
        }
        match (read, &slowly) {
            (Err(Reason::Deadline), Some(planned)) if T::JOB != Job::Complete => {
                Err(pace::late(&pace, &model.name_for(kind), planned))
            }
            (read, _) => read,
        }
    }

    /// Builds a request that the model can read in time, if the task can show less of the file.
    async fn prepare<T: Task>(
        &self,
        (model, pace): (&dyn Model, &Pace),
        decision: &Decision,
        snapshot: &Snapshot,
        task: &mut T,
        (secrets, refused): (&Known, Option<&RefusedReply>),
    ) -> Result<Prepared<T::Shown>, Reason> {
        let mut room = self.room(T::JOB, model, decision.gear);
        loop {
            let (mut prompt, shown) = task.prompt(decision.gear).await?;
            if let Some(refused) = refused {
                prompt = prompt.with_refused(refused);
            }
            let mut request = task.request(request(T::JOB, prompt, decision, snapshot));
            request.fim = if model.takes_fim() { task.fim() } else { None };
            request.document = if model.takes_documents() { task.document() } else { None };
            let cells = related::cells(snapshot, room);
            // Added before the redaction, which covers keys in the cells.
            show_related(&mut request, &cells.iter().collect::<Vec<_>>());
            let redaction = match self.redacts {
                true => redact(&mut request, (secrets, context::kind_of(&snapshot.document))),
                false => Redaction::default(),
            };
            if pace.is_quick() {
                return Ok(Prepared { request, shown, redaction, room });
            }
            let left = pace.readable(request.urgency).checked_sub(model.unread(&request));
            room = room.min(left.unwrap_or(0));
            if left.is_some() || !task.shrink() {
                return Ok(Prepared { request, shown, redaction, room });
            }
        }
    }

    /// Limit on the bytes of other files in a prompt.
    pub(super) fn room(&self, job: Job, model: &dyn Model, gear: Gear) -> usize {
        let tokens = match job {
            Job::Complete | Job::NextEdit => TYPING_TOKENS,
            _ => ASKED_TOKENS,
        };
        let window = usize::try_from(model.window()).unwrap_or(usize::MAX);
        self.tokens.bytes(gear, tokens.min(window / WINDOW_SHARE)).min(MOST_BYTES)
    }
}

/// A request that is complete except for parts of other files.
struct Prepared<S> {
    request: Request,
    /// State for reading the answer.
    shown: S,
    redaction: Redaction,
    /// Limit on the bytes of other files.
    room: usize,
}

/// Runs CPU-bound work of milliseconds off the async thread. The work must not wait for a disk.
///
/// The work ends soon after the future is dropped.
pub(super) async fn blocking<T: Send + 'static>(
    job: Job,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reason> {
    let budget = Budget::default();
    let _cancel = budget.cancel_on_drop();
    let done = spawn_blocking(move || computing(|| budget.run(work))).await.map_err(|panic| {
        tracing::error!(%panic, job = job.name(), "a job failed");
        Reason::Internal
    });
    done?.map_err(|_| Reason::Cancelled)
}

/// Runs work that waits for a disk in its own lane, off the async thread and the blocking pool.
///
/// It ends soon after the future is dropped. If the disk hangs, the lane takes no more work until it responds.
pub(super) async fn reading<T: Send + 'static>(
    job: Job,
    (readers, lane): (&Readers, &Path),
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Reason> {
    match readers.run(lane, work).await {
        Ok(Some(done)) => Ok(done),
        Ok(None) => {
            tracing::error!(job = job.name(), "a job failed");
            Err(Reason::Internal)
        }
        Err(stuck) => Err(Reason::NotRead(format!("the folder cannot be read: {stuck}"))),
    }
}

/// A prompt as a request, with the style from the settings.
///
/// The cache key identifies the file without revealing it: providers accept at most 64 characters, and a path
/// may be private.
fn request(job: Job, prompt: Prompt, decision: &Decision, snapshot: &Snapshot) -> Request {
    let mut hasher = DefaultHasher::new();
    snapshot.document.id().hash(&mut hasher);
    let mut instructions = Cow::Borrowed(prompt.instructions);
    if let Some(style) = &snapshot.settings.style {
        instructions.to_mut().push_str(&prompt::style(style));
    }
    Request {
        instructions,
        input: prompt.input,
        stable: prompt.stable,
        fim: None,
        edits: Vec::new(),
        document: None,
        prediction: None,
        stop: Vec::new(),
        max_output_tokens: decision.max_output_tokens,
        cache_key: format!("tandem-{:016x}", hasher.finish()),
        job: job.name(),
        asker: 0,
        trace: model::trace(),
        urgency: if decision.gear == Gear::Deep { Urgency::Deep } else { Urgency::Asked },
        silence: Duration::ZERO,
        claim: model::Claim::default(),
    }
}

/// Whether a request failed because no model can be asked now.
fn is_out_of_reach(reason: &Reason, model: &dyn Model) -> bool {
    match reason {
        Reason::Model(_) => model.is_down(),
        Reason::Capped(_) => true,
        _ => false,
    }
}

/// The reason why the file of a snapshot is not shown to models.
fn withheld(snapshot: &Snapshot) -> Reason {
    let verdict = snapshot.access.known().cloned().unwrap_or_default();
    Reason::Withheld { code: verdict.code(), why: verdict.to_string() }
}

/// The secrets near a target; refuses one within a likely key, half of which would be shown.
fn apart_from_secrets<T: Task>(snapshot: &Snapshot, task: &T) -> Result<Arc<Known>, Reason> {
    let target = task.target();
    let found;
    let secrets = match task.secrets() {
        Some(secrets) => secrets,
        None => {
            found = NearbySecrets::around(&snapshot.document, &target, (SEARCHED_BYTES, SEARCHED_BYTES));
            &found
        }
    };
    match secrets.cut_by(&target) {
        Some(kind) => {
            let why = format!("this is inside {kind}, or right beside it, which no model is shown");
            Err(Reason::Unusable { code: "secret", why })
        }
        None => Ok(Arc::clone(&secrets.known)),
    }
}

#[cfg(test)]
mod tests;
