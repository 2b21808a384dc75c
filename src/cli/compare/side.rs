//! One of the two models that are compared.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::Mutex;

use super::super::config_file::ConfigFile;
use super::super::config_text::profiles;
use super::super::edit::snapshot;
use super::super::settings;
use super::super::usage::dollars;
use super::task::{Forecast, Task};
use crate::assist::{Assist, CompletionParams, Observer, Partial, Sending};
use crate::compare::result::Answer;
use crate::config::{Endpoint, Role, Scoped, Settings};
use crate::context;
use crate::job::Reason;
use crate::model::gears::Gears;
use crate::model::identity::shown;
use crate::model::usage::{Meter, Terms, cost, price_at, today};
use crate::model::{RenderedRequest, Usage};
use crate::record::kept::kept;
use crate::replay::{self, RecordedCompletion, RecordedResult, Replayer};
use crate::route::Gear;
use crate::snapshot::Snapshot;
use crate::text::tokens;

/// The number of positions whose requests the forecast renders.
const SAMPLE: usize = 200;
/// The number of polls for an answer's token count.
const LOOKS: usize = 30;
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// Whether requests count as the user's.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spending {
    /// In the files of the day.
    Counted,
    /// Nowhere: the models are simulated.
    Simulated,
}

/// A model, and everything needed to ask it.
pub(super) struct Side {
    /// The name that the user gave.
    pub(super) name: String,
    pub(super) settings: Scoped,
    root: std::path::PathBuf,
    pub(super) endpoint: Endpoint,
    own: Settings,
    gears: Gears,
    assist: Assist,
    /// Whether recorded answers of its model are used; not if the other side has a model of the same name.
    pub(super) reuses: bool,
    replayer: Mutex<Replayer>,
}

/// The outcome of a request.
pub(super) enum Asked {
    /// A new answer, with the estimated tokens of its request.
    Answer(Answer, usize),
    /// A recorded answer, which costs nothing now.
    Recorded(Answer),
    /// The position may not be sent to a model.
    Skipped,
    /// The model did not answer.
    Failed(String),
    /// The budget is used up.
    Stopped(String),
}

/// Why there is no side of a name.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoSide {
    /// No profile and no model has the name; these are the names of all.
    #[error("{}", unknown(&[name], known))]
    Unknown { name: String, known: Vec<String> },
    #[error("{0}")]
    Unusable(String),
}

/// A message about names that no profile and no model has.
pub(super) fn unknown(names: &[&String], known: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let there_are = match known {
        [] => "none is configured: `tandem setup` adds one".to_owned(),
        _ => format!("there are: {}", known.join(", ")),
    };
    format!("no profile or model is named {}; {there_are}", names.join(", nor "))
}

impl Side {
    /// Creates the side for a profile, or for a model of `fast.candidates`.
    pub(super) fn new(
        config: Option<&Path>,
        name: &str,
        root: &Path,
        spending: Spending,
    ) -> Result<Self, NoSide> {
        let unread = |error: anyhow::Error| NoSide::Unusable(format!("{error:#}"));
        let file = ConfigFile::read(config.map(Path::to_owned)).map_err(unread)?;
        let (mut known, _) = file.checked(profiles).map_err(unread)?;
        let profile = known.iter().any(|it| it == name).then(|| json!({ "profile": name }));
        let is_profile = profile.is_some();
        let editor: Vec<serde_json::Value> = profile.into_iter().collect();
        let settings = settings::read(config, &editor, &[root.to_owned()], true).settings;
        let mut own = Settings::clone(settings.everywhere());
        let is_it = |provider: &str, model: &str| is_profile || settings::is_named(provider, model, name);
        let candidates = own.fast.candidates.iter();
        let Some(endpoint) = candidates.clone().find(|it| is_it(&it.provider, &it.model)).cloned() else {
            known.extend(candidates.map(|it| format!("{}/{}", it.provider, it.model)));
            let left_out = own.fast.left_out.iter().find(|it| is_it(&it.provider, &it.model));
            let why = left_out.map(|it| NoSide::Unusable(format!("{name} cannot be asked: {}", it.why)));
            return Err(why.unwrap_or_else(|| NoSide::Unknown { name: name.to_owned(), known }));
        };
        own.fast = Role { candidates: vec![endpoint.clone()], ..Role::default() };
        own.deep = Role::default();
        let meter = match spending {
            Spending::Counted => settings::meter(&own),
            Spending::Simulated => Meter::new(own.budget, own.prices.clone(), None),
        };
        let meter = Arc::new(meter);
        let gears = Gears::new(&own, meter, &(Arc::new(|_| ()) as crate::model::fallback::Notices));
        let assist = settings::assist(&gears, &own);
        let (name, root) = (name.to_owned(), root.to_owned());
        let replayer = Mutex::default();
        Ok(Self { name, settings, root, endpoint, own, gears, assist, reuses: true, replayer })
    }

    /// The key under which answers are kept. It depends on the model, its server and its effort.
    pub(super) fn identity(&self) -> String {
        self.endpoint.identity()
    }

    /// A snapshot of the task's file, as if it were open in an editor.
    fn open(&self, task: &Task) -> Result<Snapshot, Reason> {
        let root = task.recorded.as_ref().map_or(&self.root, |(_, root)| root);
        let (path, folders) = (root.join(&task.path), [root.clone()]);
        let mut opened = snapshot(&path, &task.place.text, self.settings.clone(), &folders)?;
        opened.path = task.path.as_str().into();
        opened.outline = context::outline::of(&opened.document).into();
        if let Some((recorded, _)) = &task.recorded {
            opened.related = replay::related(&recorded.input);
        }
        Ok(opened)
    }

    fn params(&self, task: &Task, opened: &Snapshot) -> CompletionParams {
        if let Some((recorded, _)) = &task.recorded {
            return recorded.params();
        }
        let eagerness = opened.settings.eagerness(opened.document.grammar().map_or("", |it| it.id()));
        CompletionParams {
            cursor: task.place.cursor,
            eagerness,
            variant: 0,
            invoked: false,
            not_before: None,
        }
    }

    /// Estimates tokens and cost of an answer from the requests of some tasks, which are rendered but not sent.
    pub(super) async fn forecast(&self, tasks: &[&Task]) -> Forecast {
        let (mut input, mut output, mut count) = (0, 0, 0_u32);
        let tasks: Vec<&Task> = tasks.iter().copied().filter(|task| self.recorded(task).is_none()).collect();
        for task in tasks.iter().step_by(tasks.len().div_ceil(SAMPLE).max(1)) {
            let Ok(opened) = self.open(task) else { continue };
            let estimate = Arc::new(RequestEstimate::new(&self.endpoint, false));
            let assist = self.assist.clone().observed_by(Some(Arc::clone(&estimate) as Arc<dyn Observer>));
            let mut progress = |_: Partial<'_>| ControlFlow::Continue(());
            // This always fails: the job ends before its request is sent.
            assist.complete(&opened, self.params(task, &opened), &mut progress).await.ok();
            input += estimate.tokens.load(Ordering::Relaxed);
            output += tokens::count(&task.place.written).min(estimate.most.load(Ordering::Relaxed));
            count += 1;
        }
        let [input, output] = [input, output].map(|tokens| tokens as f64 / f64::from(count.max(1)));
        let dollars = self.price(input.round() as u64, output.round() as u64);
        Forecast { requests: tasks.len(), input, tokens: input + output, dollars }
    }

    fn price(&self, input_tokens: u64, output_tokens: u64) -> Option<f64> {
        let usage = Usage { input_tokens, output_tokens, ..Usage::default() };
        let price = price_at(&self.own.prices, &self.endpoint, None)?;
        Some(cost(&usage, &price, Terms::of(&self.endpoint, today())))
    }

    /// The recorded request of a task, if this model answered it.
    pub(super) fn recorded<'t>(&self, task: &'t Task) -> Option<&'t RecordedCompletion> {
        let (recorded, _) = task.recorded.as_ref().filter(|_| self.reuses)?;
        (recorded.model == shown(&self.endpoint.model)).then_some(recorded)
    }

    /// The answer at a task's position: the recorded one, read by today's rules, or else a new one.
    pub(super) async fn answer(&self, task: &Task, forecast: Forecast) -> Asked {
        let Some(recorded) = self.recorded(task) else { return self.ask(task, forecast).await };
        let replayed = self.replayer.lock().await.replay(recorded).await;
        Asked::Recorded(recorded_answer(&self.own, recorded, &replayed.result, replayed.milliseconds))
    }

    /// Requests ghost text at a task's position, as if the user typed there.
    async fn ask(&self, task: &Task, forecast: Forecast) -> Asked {
        let opened = match self.open(task) {
            Ok(opened) => opened,
            Err(_) => return Asked::Skipped,
        };
        let before = self.gears.meter.totals().session;
        let (started, mut first) = (Instant::now(), None);
        let mut progress = |partial: Partial<'_>| {
            if !partial.ready.is_empty() {
                first.get_or_insert_with(|| started.elapsed());
            }
            ControlFlow::Continue(())
        };
        let estimate = Arc::new(RequestEstimate::new(&self.endpoint, true));
        let assist = self.assist.clone().observed_by(Some(Arc::clone(&estimate) as Arc<dyn Observer>));
        let made = assist.complete(&opened, self.params(task, &opened), &mut progress).await;
        let time = first.unwrap_or_else(|| started.elapsed());
        let text = match made {
            Ok((_, origin)) if origin.gear == Gear::Local => {
                return Asked::Failed("it is down".to_owned());
            }
            Ok((made, _)) => made.text,
            Err(Reason::Capped(why)) => return Asked::Stopped(why),
            Err(Reason::Model(why)) => return Asked::Failed(why),
            Err(Reason::Withheld { .. } | Reason::Unusable { code: "secret", .. }) => return Asked::Skipped,
            // An editor would show nothing.
            Err(_) => String::new(),
        };
        // An answer that was cut short is counted only when its stream ends, if at all.
        let mut after = self.gears.meter.totals().session;
        for _ in 0..LOOKS {
            if after.tokens() > before.tokens() {
                break;
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
            after = self.gears.meter.totals().session;
        }
        let is_priced = after.unpriced == before.unpriced;
        let (tokens, dollars) = match after.tokens() - before.tokens() {
            0 => (forecast.tokens.round() as u64, forecast.dollars),
            tokens => (tokens, is_priced.then_some(after.dollars - before.dollars)),
        };
        let measured = kept("", &text, &task.place.written);
        let answer = Answer {
            text,
            suggested: measured.suggested,
            kept: measured.kept,
            milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            dollars,
            tokens,
        };
        Asked::Answer(answer, estimate.tokens.load(Ordering::Relaxed))
    }
}

/// A result of a recorded request as an answer, at what the request cost.
pub(super) fn recorded_answer(
    settings: &Settings,
    recorded: &RecordedCompletion,
    result: &RecordedResult,
    milliseconds: u64,
) -> Answer {
    let text = result.text.clone().unwrap_or_default();
    let measured = kept("", &text, recorded.written.as_deref().unwrap_or_default());
    let tokens = recorded.answer.tokens();
    let of = (&*recorded.model, recorded.answer.model.as_deref());
    Answer {
        text,
        suggested: measured.suggested,
        kept: measured.kept,
        milliseconds,
        dollars: dollars(settings, of, tokens),
        tokens: tokens[0] + tokens[3],
    }
}

/// Estimates the tokens of a request.
struct RequestEstimate {
    endpoint: Endpoint,
    tokens: AtomicUsize,
    /// The most tokens of its answer.
    most: AtomicUsize,
    /// Whether the request is sent; else its job ends here.
    is_sent: bool,
}

impl RequestEstimate {
    fn new(endpoint: &Endpoint, is_sent: bool) -> Self {
        Self { endpoint: endpoint.clone(), tokens: AtomicUsize::new(0), most: AtomicUsize::new(0), is_sent }
    }
}

impl Observer for RequestEstimate {
    fn sends(&self, sending: Sending<'_>) -> ControlFlow<()> {
        let rendered = RenderedRequest::new(sending.request, Some(&self.endpoint));
        let tokens = rendered.parts.iter().map(|(_, text)| tokens::count(text)).sum();
        self.tokens.store(tokens, Ordering::Relaxed);
        self.most.store(sending.request.max_output_tokens as usize, Ordering::Relaxed);
        if self.is_sent { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
