//! Ghost text: window, prompt, stream, trim.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use super::confidence::Confidence;
use super::predictions::{self, Predictions};
use super::sound::{Judge, Judgement};
use super::{Assist, Origin, Suggestion, unanswered};
use crate::config::Eagerness;
use crate::context::Window;
use crate::edit::Refusal;
use crate::edit::trim::{Ghost, Place, Reach};
use crate::job::{Job, Outcome, Reason};
use crate::local;
use crate::model::{Chunk, Fim, Model, Request, Urgency, Usage};
use crate::prompt;
use crate::route::{Availability, Gear, route};
use crate::snapshot::Snapshot;

/// How long a suggestion of several statements is waited for once its first one is there.
const PATIENCE: Duration = Duration::from_millis(200);

/// What is asked for at a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// The cursor's byte.
    pub cursor: usize,
    /// How readily something is shown: more of it at once, or less.
    pub eagerness: Eagerness,
    /// Which of several suggestions for the same place it is to be; the first is the most likely one.
    pub variant: usize,
    /// Whether somebody asked by hand, and waits.
    pub invoked: bool,
}

/// Hears of a suggestion while it is written.
pub trait Listener: Send {
    /// So much has come, and `ready`, its beginning, can be shown already; empty while nothing can. `Break` ends the
    /// call: nobody wants to know more.
    fn grown(&mut self, text: &str, ready: &str) -> ControlFlow<()>;
}

pub(super) async fn run(
    Assist { models, index, predictions }: &Assist,
    snapshot: &Snapshot,
    question: Question,
    listener: &mut dyn Listener,
) -> Outcome<Suggestion> {
    let Question { cursor, variant, invoked, .. } = question;
    let mut facts = models.facts(snapshot).await;
    // Whoever asks by hand does not wait for the next look at a model that failed: it is tried, once.
    if invoked && variant == 0 && facts.fast == Availability::Down {
        facts.fast = Availability::Ready;
    }
    let mut decision = route(Job::Complete, facts);
    let document = &*snapshot.document;
    if decision.gear != Gear::Local
        && let Err(reason) = super::apart_from_secrets(document, cursor..cursor)
    {
        return Outcome::Nothing(reason);
    }
    let window = Window::around(document, cursor, snapshot.path.to_string(), &snapshot.outline);
    let max_lines = snapshot.settings.max_ghost_lines;
    let place =
        Place { before: &window.before, after: &window.after, grammar: document.grammar(), max_lines };
    // Who asks by hand is shown all there is, with what is sure enough before it.
    let least = if invoked { Confidence::Medium } else { Confidence::least(question.eagerness, false) };
    let judge = Judge::new(&snapshot.document, cursor, &window, max_lines, index, least);
    let allow_invisible = snapshot.settings.allow_invisible_characters;
    let site = Site { place, question, judge, allow_invisible };
    let predictions = Some(predictions).filter(|_| !facts.withheld);
    let by_rule = || by_rule(predictions, snapshot, &window, &site);
    let made = match models.of(decision.gear) {
        Some(model) => {
            let prompt = prompt::complete::render(&window);
            let fim = Fim {
                prefix: window.before.clone(),
                suffix: window.after.clone(),
                path: window.path.clone(),
            };
            let urgency = if invoked { Urgency::Asked } else { Urgency::Typing };
            let mut request = super::request(prompt, urgency, &decision, snapshot);
            if variant > 0 {
                request.instructions.to_mut().push_str(&prompt::complete::variant(variant + 1));
            }
            let request = Request { fim: Some(fim), ..request };
            match stream(model, request, decision.deadline, &site, listener).await {
                // The last one that could answer has just failed: what is left is what there is without a model.
                Err(Reason::Model(_)) if model.is_down() && variant == 0 => {
                    decision = route(Job::Complete, models.facts(snapshot).await);
                    by_rule()
                }
                made => made,
            }
        }
        None if variant > 0 => Err(Reason::NothingToAdd),
        None => by_rule().map_err(|reason| if facts.withheld { super::withheld(snapshot) } else { reason }),
    };
    let Answer { ghost, complete, is_predicted, usage } = match made {
        Ok(answer) => answer,
        Err(reason) => return Outcome::Nothing(reason),
    };
    let model = usage.model.clone();
    let origin = Origin { gear: decision.gear, reason: decision.reason, model, usage };
    let reach = site.reach(&ghost);
    let first = Ghost::new(place);
    let finished = if is_predicted { ghost.finish_as_is() } else { ghost.finish(complete) };
    let text = match finished {
        Ok(text) if text.is_empty() => return Outcome::Nothing(Reason::NothingToAdd),
        Ok(text) => text,
        Err(refusal) => return Outcome::Nothing(super::refused(&refusal)),
    };
    // It may end where no statement does, and how often it is right is known better than a parser could tell.
    if is_predicted {
        return Outcome::Done(Suggestion { shown: text.len(), text, is_doubtful: false, origin });
    }
    let Judgement { text, doubt } = match site.judge.judge(text).await {
        Ok(judgement) => judgement,
        Err(reason) => return Outcome::Nothing(reason),
    };
    let unfinished = Refusal::Unsure { why: "the model did not come to its end" };
    let doubt = if !complete && site.judge.wants_the_end() { Some(unfinished) } else { doubt };
    let shown = if reach == Reach::Statement { first.first_statement(&text) } else { text.len() };
    let first = match shown < text.len() {
        true => site.judge.judge(text[..shown].to_owned()).await.ok().filter(|it| it.text == text[..shown]),
        false => None,
    };
    let shown = first.as_ref().map_or(text.len(), |first| first.text.len());
    match (doubt, first) {
        (None, _) => Outcome::Done(Suggestion { text, shown, is_doubtful: false, origin }),
        (Some(_), _) if invoked => Outcome::Done(Suggestion { text, shown, is_doubtful: true, origin }),
        // What is shown first may stand by itself.
        (Some(_), Some(Judgement { text, doubt: None })) => {
            Outcome::Done(Suggestion { text, shown, is_doubtful: false, origin })
        }
        (Some(doubt), _) => Outcome::Nothing(super::refused(&doubt)),
    }
}

/// Where a suggestion is made, for those who judge it.
struct Site<'a> {
    place: Place<'a>,
    question: Question,
    judge: Judge,
    allow_invisible: bool,
}

impl<'a> Site<'a> {
    /// A suggestion of which nothing has come yet.
    fn ghost(&self) -> Ghost<'a> {
        Ghost::new(self.place).allowing_invisible(self.allow_invisible)
    }

    /// How much is to be shown at once.
    fn reach(&self, ghost: &Ghost<'_>) -> Reach {
        match self.question.eagerness {
            Eagerness::Low => Reach::Statement,
            Eagerness::Medium => ghost.reach(),
            Eagerness::High => Reach::Whole,
        }
    }
}

/// What came back, not yet trimmed to its end.
struct Answer<'a> {
    ghost: Ghost<'a>,
    /// Whether it ended by itself or by our choice, rather than by a cap or the deadline.
    complete: bool,
    /// Whether it is a prediction with a calibrated chance of being right.
    is_predicted: bool,
    usage: Usage,
}

/// What the local engine has to say: a prediction, or else what a rule says. An explicit request, and a file
/// of which nothing is learned, get also what is less sure.
fn by_rule<'a>(
    predictions: Option<&Predictions>,
    snapshot: &Snapshot,
    window: &Window,
    site: &Site<'a>,
) -> Result<Answer<'a>, Reason> {
    let Question { cursor, eagerness, invoked, .. } = site.question;
    let level = predictions::level(eagerness, invoked);
    let predicted = predictions.and_then(|it| it.predict(&snapshot.document, cursor, level));
    let is_predicted = predicted.is_some();
    let rule = match predictions {
        Some(_) if !invoked => local::complete_surely,
        _ => local::complete,
    };
    let text = predicted.or_else(|| rule(&window.before, &window.after)).ok_or(Reason::NothingToAdd)?;
    let mut ghost = site.ghost();
    // What follows a break is not wanted, and here nothing follows.
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = ghost.push(&text);
    Ok(Answer { ghost, complete: true, is_predicted, usage: Usage::default() })
}

/// Asks the model and reads its answer until it ends or nothing more can matter.
async fn stream<'a>(
    model: &dyn Model,
    request: Request,
    deadline: Duration,
    site: &Site<'a>,
    listener: &mut dyn Listener,
) -> Result<Answer<'a>, Reason> {
    let mut chunks = model.stream(request);
    let deadline = Instant::now() + deadline;
    // The request goes out first; what is needed to read the answer is made while the model thinks.
    yield_now().await;
    site.judge.prepare();
    let mut answer =
        Answer { ghost: site.ghost(), complete: false, is_predicted: false, usage: Usage::default() };
    let mut early = Early::default();
    loop {
        match timeout_at(deadline, chunks.next()).await {
            Ok(Some(Ok(Chunk::Text(text)))) => {
                if answer.ghost.push(&text).is_break() {
                    answer.complete = true;
                    return Ok(answer);
                }
                early.look(site, &answer.ghost).await;
                if listener.grown(&answer.ghost.so_far(), &early.ready).is_break() {
                    return Err(Reason::Superseded);
                }
            }
            // What may be on screen already is dropped with its call.
            Ok(Some(Ok(Chunk::Restart))) if !early.ready.is_empty() => {
                return Err(Reason::Model("the model took back the beginning of its answer".to_owned()));
            }
            Ok(Some(Ok(Chunk::Restart))) => {
                answer.ghost = Ghost::new(site.place);
                early = Early::default();
            }
            Ok(Some(Ok(Chunk::Done(usage)))) => {
                answer.complete = !usage.truncated;
                answer.usage = usage;
                return Ok(answer);
            }
            Ok(Some(Err(error))) => return Err(unanswered(&error)),
            // A stream without an end of its own was cut off; what came before may still be of use.
            Ok(None) | Err(_) if !answer.ghost.is_empty() => return Ok(answer),
            Ok(None) => return Err(Reason::NothingToAdd),
            Err(_) => return Err(Reason::Deadline),
        }
    }
}

/// The beginning of an answer that can be shown before its end.
#[derive(Default)]
struct Early {
    ready: String,
    /// A beginning that the parser was asked about.
    judged: String,
    /// When there was a first statement.
    since: Option<Instant>,
}

impl Early {
    /// Looks whether there is one now.
    async fn look(&mut self, site: &Site<'_>, ghost: &Ghost<'_>) {
        let Some(first) = ghost.unit(Reach::Statement) else { return };
        let is_late = self.since.get_or_insert_with(Instant::now).elapsed() > PATIENCE;
        let unit = match site.reach(ghost) {
            Reach::Statement => first,
            Reach::Whole if is_late => ghost.unit(Reach::Whole).unwrap_or(first),
            Reach::Whole => return,
        };
        // One that only the rest makes sound is not shown without it.
        if unit.len() > self.judged.len() {
            self.judged.clone_from(&unit);
            if let Ok(Judgement { text, doubt }) = site.judge.judge(unit).await
                && text == self.judged
                && (site.question.invoked || doubt.is_none())
            {
                self.ready = text;
            }
        }
    }
}
