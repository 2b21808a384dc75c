//! Ghost text: window, prompt, stream, trim.

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::StreamExt as _;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};

use super::{Models, Origin, Suggestion, sound};
use crate::context::Window;
use crate::edit::trim::{Ghost, Place};
use crate::job::{Job, Outcome, Reason};
use crate::local;
use crate::model::{Chunk, Fim, Model, Request, Urgency, Usage};
use crate::prompt;
use crate::route::{Facts, route};
use crate::snapshot::Snapshot;

pub(super) async fn run(models: &Models, snapshot: &Snapshot, cursor: usize) -> Outcome<Suggestion> {
    let decision = route(Job::Complete, Facts { path: &snapshot.path, ..models.facts() });
    let document = &*snapshot.document;
    let window = Window::around(document, cursor, snapshot.path.to_string(), &snapshot.outline);
    let place = Place {
        before: &window.before,
        after: &window.after,
        grammar: document.grammar(),
        max_lines: snapshot.settings.max_ghost_lines,
    };
    let made = match models.of(decision.gear) {
        Some(model) => {
            let prompt = prompt::complete::render(&window);
            let fim = Fim {
                prefix: window.before.clone(),
                suffix: window.after.clone(),
                path: window.path.clone(),
            };
            let request = super::request(prompt, Urgency::Typing, &decision, document);
            let request = Request { fim: Some(fim), ..request };
            stream(model, request, decision.deadline, place).await
        }
        None => local::complete(&window.before, &window.after)
            .map(|text| whole(text, place))
            .ok_or(Reason::NothingToAdd),
    };
    let Answer { ghost, complete, usage } = match made {
        Ok(answer) => answer,
        Err(reason) => return Outcome::Nothing(reason),
    };
    let model = usage.model.clone();
    let origin = Origin { gear: decision.gear, reason: decision.reason, model, usage };
    let text = match ghost.finish(complete) {
        Ok(text) if text.is_empty() => return Outcome::Nothing(Reason::NothingToAdd),
        Ok(text) => text,
        Err(refusal) => return Outcome::Nothing(super::refused(&refusal)),
    };
    match sound::keep(&snapshot.document, cursor, &window, place.max_lines, text).await {
        Ok(text) => Outcome::Done(Suggestion { text, origin }),
        Err(reason) => Outcome::Nothing(reason),
    }
}

/// What came back, not yet trimmed to its end.
struct Answer<'a> {
    ghost: Ghost<'a>,
    /// Whether it ended by itself or by our choice, rather than by a cap or the deadline.
    complete: bool,
    usage: Usage,
}

fn whole(text: String, place: Place<'_>) -> Answer<'_> {
    let mut ghost = Ghost::new(place);
    // What follows a break is not wanted, and here nothing follows.
    let (ControlFlow::Continue(()) | ControlFlow::Break(())) = ghost.push(&text);
    Answer { ghost, complete: true, usage: Usage::default() }
}

/// Asks the model and reads its answer until it ends or nothing more can matter.
async fn stream<'a>(
    model: &dyn Model,
    request: Request,
    deadline: Duration,
    place: Place<'a>,
) -> Result<Answer<'a>, Reason> {
    let mut chunks = model.stream(request);
    let deadline = Instant::now() + deadline;
    // The request goes out first; what is needed to read the answer is made while the model thinks.
    yield_now().await;
    let mut answer = Answer { ghost: Ghost::new(place), complete: false, usage: Usage::default() };
    let mut any = false;
    loop {
        match timeout_at(deadline, chunks.next()).await {
            Ok(Some(Ok(Chunk::Text(text)))) => {
                any = true;
                if answer.ghost.push(&text).is_break() {
                    answer.complete = true;
                    return Ok(answer);
                }
            }
            Ok(Some(Ok(Chunk::Done(usage)))) => {
                answer.complete = !usage.truncated;
                answer.usage = usage;
                return Ok(answer);
            }
            Ok(Some(Err(error))) => return Err(Reason::Model(error.to_string())),
            // A stream without an end of its own was cut off; what came before may still be of use.
            Ok(None) if any => return Ok(answer),
            Err(_) if any => return Ok(answer),
            Ok(None) => return Err(Reason::NothingToAdd),
            Err(_) => return Err(Reason::Deadline),
        }
    }
}
