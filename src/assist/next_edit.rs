//! The next edit: what the user did, then the local engine or a prompt, and hunks as they come.

mod elsewhere;
mod follow;
mod judge;
mod repair;
mod scene;
mod steps;
mod whole_lines;

use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::{Instant, timeout_at};

use super::excerpt::Excerpt;
use super::{Models, Origin};
use crate::config::Eagerness;
use crate::document::Document;
use crate::edit::reply::{Format, Reader, Request as Asked};
use crate::edit::{Edit, Refusal};
use crate::index::Index;
use crate::job::{Job, Outcome, Reason};
use crate::local::repeat::{Done, Repeats, repeat};
use crate::model::{Chunk, Model, Request, Urgency, Usage};
use crate::prompt;
use crate::route::{Decision, Gear, route};
use crate::snapshot::{Diagnostic, RecentEdit, Snapshot};

/// What a next edit follows from.
#[derive(Debug, Clone)]
pub struct Situation {
    /// The file.
    pub snapshot: Snapshot,
    /// The cursor's byte.
    pub cursor: usize,
    /// What the user did lately, in all files, oldest first.
    pub steps: Vec<Arc<RecentEdit>>,
    /// What other servers report near the cursor.
    pub problems: Vec<Diagnostic>,
    /// How readily something is suggested.
    pub eagerness: Eagerness,
    /// Whether the user asked for it, rather than the editor.
    pub is_invoked: bool,
    /// Other open files that it may be in, the one worked in last first.
    pub elsewhere: Vec<Snapshot>,
}

/// One edit that may be suggested.
#[derive(Debug, Clone)]
pub struct Hunk {
    /// The version of a file that it is an edit of: the situation's, or one from elsewhere.
    pub document: Arc<Document>,
    /// The edit, in bytes of that.
    pub edit: Edit,
    /// The text that it replaces.
    pub old: String,
    /// Who made it.
    pub gear: Gear,
    /// Whether it repeats what the user did in other places.
    pub repeats: bool,
}

/// Finds next edits and hands them on as soon as they are known. `found` says whether one of them can be shown.
///
/// The local engine's come first. A model is asked as well unless they are certain: it may know of more.
pub(super) async fn run(
    models: &Models,
    index: &Arc<Index>,
    situation: Arc<Situation>,
    mut found: impl FnMut(Vec<Hunk>) -> bool + Send,
) -> Outcome<Origin> {
    let local = {
        let situation = Arc::clone(&situation);
        spawn_blocking(move || locally(&situation)).await
    };
    let Local { hunks, why, is_certain } = match local {
        Ok(local) => local,
        Err(panic) => return failed(&panic),
    };
    if !hunks.is_empty() && found(hunks.clone()) {
        let (gear, reason) = (Gear::Local, why.into());
        let origin = Origin { gear, reason, model: None, usage: Usage::default() };
        if is_certain {
            return Outcome::Done(origin);
        }
        // What stands on the lines of those that are shown is the same, or at odds with them.
        let mut others = |more: Vec<Hunk>| {
            let is_other = |hunk: &Hunk| !hunks.iter().any(|shown| shown.shares_a_line(hunk));
            let more: Vec<Hunk> = more.into_iter().filter(is_other).collect();
            !more.is_empty() && found(more)
        };
        return match ask(models, index, &situation, &mut others).await {
            Outcome::Done(by_model) => Outcome::Done(by_model),
            Outcome::Nothing(_) => Outcome::Done(origin),
        };
    }
    let nothing = match ask(models, index, &situation, &mut found).await {
        Outcome::Nothing(reason @ (Reason::NothingToAdd | Reason::Unchanged | Reason::Refused { .. })) => {
            reason
        }
        outcome => return outcome,
    };
    let elsewhere = {
        let situation = Arc::clone(&situation);
        spawn_blocking(move || elsewhere::asks(&situation)).await
    };
    match elsewhere {
        Ok(Some(there)) => match ask(models, index, &Arc::new(there), &mut found).await {
            // Why there is nothing in the file at hand is of more interest.
            Outcome::Nothing(_) => Outcome::Nothing(nothing),
            outcome => outcome,
        },
        Ok(None) => Outcome::Nothing(nothing),
        Err(panic) => failed(&panic),
    }
}

/// Asks the model about one file.
async fn ask(
    models: &Models,
    index: &Arc<Index>,
    situation: &Arc<Situation>,
    found: &mut (impl FnMut(Vec<Hunk>) -> bool + Send),
) -> Outcome<Origin> {
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
        let situation = Arc::clone(situation);
        spawn_blocking(move || scene::excerpt(&situation)).await
    };
    let excerpt = match excerpt {
        Ok(excerpt) => Arc::new(excerpt),
        Err(panic) => return failed(&panic),
    };
    let prompt = prompt::next_edit::render(&scene::scene(situation, &excerpt));
    let request = super::request(prompt, Urgency::Typing, &decision, &situation.snapshot);
    let judging = Judging { situation, excerpt: &excerpt, index };
    read(model, request, &decision, &judging, found).await
}

fn failed(panic: &tokio::task::JoinError) -> Outcome<Origin> {
    tracing::error!(%panic, "a search for a next edit failed");
    Outcome::Nothing(Reason::Internal)
}

/// What the local engine suggests, and why.
struct Local {
    hunks: Vec<Hunk>,
    why: &'static str,
    /// Whether a model has nothing to add.
    is_certain: bool,
}

fn locally(situation: &Situation) -> Local {
    let Repeats { edits, is_certain } = repeats(situation);
    if edits.is_empty() {
        return Local {
            hunks: elsewhere::renames(situation),
            why: "a name was changed that another file uses",
            is_certain: true,
        };
    }
    let document = &situation.snapshot.document;
    let hunks = edits.into_iter().map(|edit| Hunk::local(document, edit)).collect();
    Local { hunks, why: "the same as in other places", is_certain }
}

/// What the local engine repeats.
fn repeats(situation: &Situation) -> Repeats {
    let document = &situation.snapshot.document;
    let own = |step: &RecentEdit| step.document == *document.id();
    let steps = situation.steps.iter().filter(|step| !step.is_merged);
    let done: Vec<Done<'_>> = steps.map(|step| done(step, own(step))).collect();
    // Only what was done here last is gone on with here.
    if !situation.steps.last().is_some_and(|step| own(step)) {
        return Repeats::default();
    }
    repeat(document, &done, situation.cursor)
}

/// A step as the local engine looks at it; `has_place`: it was made in the file that is looked at.
fn done(step: &RecentEdit, has_place: bool) -> Done<'_> {
    // A word typed in two goes is seen as a whole; lines that came before it are another matter.
    let is_word = step.merged.0.lines().count() == step.merged.1.lines().count();
    let (old, new, lead) = match is_word {
        true => (&step.merged.0, &step.merged.1, step.offset),
        false => (&step.old, &step.new, 0),
    };
    // What came before it may be gone since.
    let at = step.at.as_ref().filter(|_| has_place).and_then(|at| at.start.checked_sub(lead));
    Done { old, new, at }
}

impl Hunk {
    /// One more place for what the user did.
    fn local(document: &Arc<Document>, edit: Edit) -> Self {
        let edit = whole_lines::aligned(document, edit);
        let old = document.slice(edit.span.clone());
        Self { document: Arc::clone(document), old, edit, gear: Gear::Local, repeats: true }
    }

    /// Whether a line of the same file is touched by both.
    fn shares_a_line(&self, other: &Self) -> bool {
        let lines = |hunk: &Self| hunk.document.whole_lines(hunk.edit.span.clone());
        let (own, theirs) = (lines(self), lines(other));
        self.document.id() == other.document.id() && own.start < theirs.end && theirs.start < own.end
    }
}

/// Reads the model's answer, and hands on each hunk as soon as its closing tag is there and the guards let it pass.
async fn read(
    model: &dyn Model,
    request: Request,
    decision: &Decision,
    judging: &Judging<'_>,
    found: &mut (impl FnMut(Vec<Hunk>) -> bool + Send),
) -> Outcome<Origin> {
    let Judging { situation, excerpt, .. } = judging;
    let mut chunks = model.stream(request);
    let deadline = Instant::now() + decision.deadline;
    yield_now().await;
    let begin = || {
        Reader::new(Asked {
            text: &excerpt.text,
            path: Some(&situation.snapshot.path),
            range: Some(0..excerpt.text.len()),
            window: Some(&excerpt.window),
            grammar: situation.snapshot.document.grammar(),
        })
    };
    let mut reader = begin();
    let mut sent: Vec<Edit> = Vec::new();
    let mut any = false;
    let mut refusal = Reason::NothingToAdd;
    let mut usage = Usage::default();
    loop {
        let fresh = match timeout_at(deadline, chunks.next()).await {
            Ok(Some(Ok(Chunk::Text(text)))) => reader.push(&text),
            Ok(Some(Ok(Chunk::Restart))) if any => {
                let why = "the model took back the beginning of its answer".to_owned();
                return Outcome::Nothing(Reason::Model(why));
            }
            Ok(Some(Ok(Chunk::Restart))) => {
                (reader, refusal) = (begin(), Reason::NothingToAdd);
                sent.clear();
                continue;
            }
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
            match judging.hunks(fresh).await {
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
                match judging.hunks(rest).await {
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

/// What an answer is judged by.
struct Judging<'a> {
    situation: &'a Arc<Situation>,
    excerpt: &'a Arc<Excerpt>,
    index: &'a Arc<Index>,
}

impl Judging<'_> {
    /// The hunks that the guards let pass: their reason, if none.
    async fn hunks(&self, edits: Vec<Edit>) -> Result<Vec<Hunk>, Reason> {
        let Self { situation, excerpt, index } = self;
        let (situation, excerpt, index) = (Arc::clone(situation), Arc::clone(excerpt), Arc::clone(index));
        match spawn_blocking(move || judge::hunks(&situation, &excerpt, &index, edits)).await {
            Ok(judged) => judged.map_err(|refusal| super::refused(&refusal)),
            Err(panic) => {
                tracing::error!(%panic, "a next edit could not be checked");
                Err(Reason::Internal)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    #[test]
    fn a_step_whose_beginning_is_gone_has_no_place() {
        let text = str::to_owned;
        let step = |at| RecentEdit {
            document: DocumentId::new("a"),
            path: "a".into(),
            line: 0,
            old: text("b\n"),
            new: text("c\n"),
            merged: (text("a\nb\n"), text("x\nc\n")),
            offset: 2,
            is_merged: false,
            is_mixed: false,
            is_told: false,
            above: String::new(),
            below: String::new(),
            at: Some(at),
            is_accepted: false,
            ended: std::time::Instant::now(),
        };
        assert_eq!(done(&step(9..11), true).at, Some(7));
        // The line above it was deleted.
        assert_eq!(done(&step(0..2), true).at, None);
    }
}
