//! Ghost text: window, prompt, stream, trim.

use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};

use super::{Origin, Suggestion};
use crate::context::Window;
use crate::edit::trim::{Ghost, Place};
use crate::job::{Job, Outcome, Reason};
use crate::local;
use crate::model::{Chunk, Model, Request, Usage};
use crate::prompt;
use crate::route::{Decision, Facts, Gear, route};
use crate::snapshot::Snapshot;

pub(super) async fn run(fast: Option<&dyn Model>, snapshot: &Snapshot, cursor: usize) -> Outcome<Suggestion> {
    let decision = route(Job::Complete, Facts { fast_model: fast.is_some(), range_bytes: 0 });
    let document = &*snapshot.document;
    let window = Window::around(document, cursor, snapshot.path.to_string(), &snapshot.outline);
    let mut origin =
        Origin { gear: decision.gear, reason: decision.reason, model: None, usage: Usage::default() };
    let mut ghost = Ghost::new(Place {
        before: &window.before,
        after: &window.after,
        grammar: document.grammar(),
        max_lines: snapshot.settings.max_ghost_lines,
    });
    let complete = match (decision.gear, fast) {
        (Gear::Fast, Some(model)) => match stream(model, &decision, &window, &mut ghost, &mut origin).await {
            Ok(complete) => complete,
            Err(reason) => return Outcome::Nothing(reason),
        },
        _ => match local::complete(&window.before, &window.after) {
            Some(text) => {
                // What is left of the text after a break is not wanted.
                let _: std::ops::ControlFlow<()> = ghost.push(&text);
                true
            }
            None => return Outcome::Nothing(Reason::NothingToAdd),
        },
    };
    match ghost.finish(complete) {
        Ok(text) if text.is_empty() => Outcome::Nothing(Reason::NothingToAdd),
        Ok(text) => Outcome::Done(Suggestion { text, origin }),
        Err(refusal) => Outcome::Nothing(Reason::Refused { code: refusal.code(), why: refusal.to_string() }),
    }
}

/// Asks the model and feeds its answer to `ghost` until it ends or nothing more can matter. True if it ended by
/// itself or by our choice, false if it was cut by a cap or by the deadline.
async fn stream(
    model: &dyn Model,
    decision: &Decision,
    window: &Window,
    ghost: &mut Ghost<'_>,
    origin: &mut Origin,
) -> Result<bool, Reason> {
    let prompt = prompt::complete::render(window);
    let mut chunks = model.stream(Request {
        instructions: prompt.instructions,
        input: prompt.input,
        max_output_tokens: decision.max_output_tokens,
        cache_key: window.path.clone(),
    });
    let deadline = Instant::now() + decision.deadline;
    let mut any = false;
    loop {
        match timeout_at(deadline, chunks.next()).await {
            Ok(Some(Ok(Chunk::Text(text)))) => {
                any = true;
                if ghost.push(&text).is_break() {
                    return Ok(true);
                }
            }
            Ok(Some(Ok(Chunk::Done(usage)))) => {
                origin.model.clone_from(&usage.model);
                let whole = !usage.truncated;
                origin.usage = usage;
                return Ok(whole);
            }
            Ok(Some(Err(error))) => return Err(Reason::Model(error.to_string())),
            // A stream that ends without an end was cut off.
            Ok(None) => return if any { Ok(false) } else { Err(Reason::NothingToAdd) },
            Err(_) => return if any { Ok(false) } else { Err(Reason::Deadline) },
        }
    }
}
