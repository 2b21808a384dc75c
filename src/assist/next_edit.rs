//! The next edit: what the user did, then the local engine or a prompt, and hunks as they come.

mod judge;
mod scene;

use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Instant, timeout_at};

use super::{Models, Origin};
use crate::config::Eagerness;
use crate::edit::reply::{Format, Reader, Request as Asked};
use crate::edit::{Edit, Refusal};
use crate::job::{Job, Outcome, Reason};
use crate::local::repeat::{Done, repeat};
use crate::model::{Chunk, Model, Request, Urgency, Usage};
use crate::prompt;
use crate::route::{Decision, Gear, route};
use crate::snapshot::{Problem, Snapshot, Step};
use scene::Excerpt;

/// What a next edit follows from.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The file.
    pub snapshot: Snapshot,
    /// The cursor's byte.
    pub cursor: usize,
    /// What the user did lately, in all files, oldest first.
    pub steps: Vec<Arc<Step>>,
    /// What other servers report near the cursor.
    pub problems: Vec<Problem>,
    /// How readily something is suggested.
    pub eagerness: Eagerness,
    /// Whether the user asked for it, rather than the editor.
    pub is_invoked: bool,
}

/// One edit that may be suggested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The edit, in bytes of the situation's document.
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// Who made it.
    pub gear: Gear,
    /// Whether it repeats what the user did in other places.
    pub repeats: bool,
}

/// Finds next edits and hands them on as soon as they are known. `found` says whether one of them can be shown; the
/// local engine's come first, and no model is asked if so.
pub(super) async fn run(
    models: &Models,
    situation: Arc<Situation>,
    mut found: impl FnMut(Vec<Hunk>) -> bool + Send,
) -> Outcome<Origin> {
    let local = {
        let situation = Arc::clone(&situation);
        spawn_blocking(move || repeats(&situation)).await
    };
    match local {
        Ok(hunks) if hunks.is_empty() => {}
        Ok(hunks) => {
            if found(hunks) {
                return Outcome::Done(Origin {
                    gear: Gear::Local,
                    reason: "the same as in other places".into(),
                    model: None,
                    usage: Usage::default(),
                });
            }
        }
        Err(panic) => return failed(&panic),
    }
    let snapshot = &situation.snapshot;
    let facts = models.facts(snapshot).await;
    let decision = route(Job::NextEdit, facts);
    let Some(model) = models.of(decision.gear) else {
        let reason = if facts.withheld { super::withheld(snapshot) } else { Reason::NothingToAdd };
        return Outcome::Nothing(reason);
    };
    if let Err(reason) = super::apart_from_secrets(&snapshot.document, situation.cursor..situation.cursor) {
        return Outcome::Nothing(reason);
    }
    let excerpt = {
        let situation = Arc::clone(&situation);
        spawn_blocking(move || Excerpt::of(&situation)).await
    };
    let excerpt = match excerpt {
        Ok(excerpt) => Arc::new(excerpt),
        Err(panic) => return failed(&panic),
    };
    let prompt = prompt::next_edit::render(&excerpt.scene(&situation));
    let request = super::request(prompt, Urgency::Typing, &decision, &situation.snapshot);
    ask(model, request, &decision, &situation, &excerpt, found).await
}

fn failed(panic: &tokio::task::JoinError) -> Outcome<Origin> {
    tracing::error!(%panic, "a search for a next edit failed");
    Outcome::Nothing(Reason::Internal)
}

/// What the local engine repeats.
fn repeats(situation: &Situation) -> Vec<Hunk> {
    let document = &situation.snapshot.document;
    let own = |step: &Step| step.document == *document.id();
    let steps = situation.steps.iter().filter(|step| !step.is_part);
    let done: Vec<Done<'_>> = steps
        .map(|step| {
            // A word typed in two goes is seen as a whole; lines that came before it are another matter.
            let is_word = step.whole.0.lines().count() == step.whole.1.lines().count();
            let (old, new, lead) = match is_word {
                true => (&step.whole.0, &step.whole.1, step.lead),
                false => (&step.old, &step.new, 0),
            };
            let at = step.at.as_ref().filter(|_| own(step)).map(|at| at.start - lead);
            Done { old, new, at }
        })
        .collect();
    // Only what was done here last is gone on with here.
    if !situation.steps.last().is_some_and(|step| own(step)) {
        return Vec::new();
    }
    let edits = repeat(document, &done, situation.cursor);
    let hunk =
        |edit: Edit| Hunk { old: document.slice(edit.span.clone()), edit, gear: Gear::Local, repeats: true };
    edits.into_iter().map(hunk).collect()
}

/// Asks the model, and hands on each hunk as soon as its closing tag is there and the guards let it pass.
async fn ask(
    model: &dyn Model,
    request: Request,
    decision: &Decision,
    situation: &Arc<Situation>,
    excerpt: &Arc<Excerpt>,
    mut found: impl FnMut(Vec<Hunk>) -> bool + Send,
) -> Outcome<Origin> {
    let mut chunks = model.stream(request);
    let deadline = Instant::now() + decision.deadline;
    yield_now().await;
    let mut reader = Reader::new(Asked {
        text: &excerpt.text,
        path: Some(&situation.snapshot.path),
        range: Some(0..excerpt.text.len()),
        window: Some(&excerpt.window),
        grammar: situation.snapshot.document.grammar(),
    });
    let mut sent: Vec<Edit> = Vec::new();
    let mut any = false;
    let mut refusal = Reason::NothingToAdd;
    let mut usage = Usage::default();
    loop {
        let fresh = match timeout_at(deadline, chunks.next()).await {
            Ok(Some(Ok(Chunk::Text(text)))) => reader.push(&text),
            Ok(Some(Ok(Chunk::Done(done)))) => {
                usage = done;
                break;
            }
            Ok(Some(Err(error))) if !any => return Outcome::Nothing(super::unanswered(&error)),
            Err(_) if !any => return Outcome::Nothing(Reason::Deadline),
            // What was there before it broke off is whole.
            Ok(Some(Err(_)) | None) | Err(_) => break,
        };
        if !fresh.is_empty() {
            sent.extend(fresh.iter().cloned());
            match judged(situation, excerpt, fresh).await {
                Ok(hunks) => any |= !hunks.is_empty() && found(hunks),
                Err(reason) => refusal = reason,
            }
        }
    }
    // Formats without a mark at the end of each edit come out now.
    match reader.finish() {
        // Which lines such an answer is for can only be guessed.
        Ok(outcome) if matches!(outcome.format, Format::Region | Format::Whole) => {
            let detail = "it does not say which block it is for".to_owned();
            refusal = super::refused(&Refusal::Malformed { detail });
        }
        Ok(outcome) => {
            let rest: Vec<Edit> = outcome.edits.into_iter().filter(|edit| !sent.contains(edit)).collect();
            if !rest.is_empty() {
                match judged(situation, excerpt, rest).await {
                    Ok(hunks) => any |= !hunks.is_empty() && found(hunks),
                    Err(reason) => refusal = reason,
                }
            }
        }
        Err(error) if matches!(refusal, Reason::NothingToAdd) => refusal = super::refused(&error),
        Err(_) => {}
    }
    if !any {
        return Outcome::Nothing(refusal);
    }
    let (gear, reason) = (decision.gear, decision.reason.clone());
    Outcome::Done(Origin { gear, reason, model: usage.model.clone(), usage })
}

/// The hunks that the guards let pass: their reason, if none.
async fn judged(
    situation: &Arc<Situation>,
    excerpt: &Arc<Excerpt>,
    edits: Vec<Edit>,
) -> Result<Vec<Hunk>, Reason> {
    let (situation, excerpt) = (Arc::clone(situation), Arc::clone(excerpt));
    match spawn_blocking(move || judge::hunks(&situation, &excerpt, edits)).await {
        Ok(judged) => judged.map_err(|refusal| super::refused(&refusal)),
        Err(panic) => {
            tracing::error!(%panic, "a next edit could not be checked");
            Err(Reason::Internal)
        }
    }
}
