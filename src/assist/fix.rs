//! A fix for a problem that another server reports: its surroundings as a window, the answer between tags, guards.

use std::ops::Range;
use std::sync::Arc;

use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::excerpt::Excerpt;
use super::{Models, Origin, Rewrite, instruct, names};
use crate::context::fix as fix_context;
use crate::document::Document;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag, Format, Request as Asked};
use crate::edit::{Edit, Refusal};
use crate::index::Index;
use crate::job::{Job, Outcome, Reason};
use crate::local;
pub use crate::local::fix::Fix as CertainFix;
use crate::model::{Urgency, Usage};
use crate::prompt;
use crate::prompt::fix::FixInput;
use crate::route::{Facts, Gear, route};
use crate::snapshot::{Diagnostic, Snapshot};

/// The fix for a problem that needs no model, if one is certain: a sign that a parser misses, an import that is unused,
/// or that one of `others`, the other open files, has. Waits for the parse.
pub fn certain_fix(document: &Document, problem: &Diagnostic, others: &[Document]) -> Option<CertainFix> {
    local::fix::fix(document, problem.span.clone(), &problem.message, others)
}

pub(super) async fn run(
    models: &Models,
    index: &Arc<Index>,
    snapshot: &Snapshot,
    problem: &Diagnostic,
) -> Outcome<Rewrite> {
    let excerpt = {
        let (document, span) = (Arc::clone(&snapshot.document), problem.span.clone());
        spawn_blocking(move || excerpt(&document, span)).await
    };
    let excerpt = match excerpt {
        Ok(excerpt) => excerpt,
        Err(panic) => return failed(&panic),
    };
    let facts = Facts { code: &excerpt.text, ..models.facts(snapshot).await };
    let decision = route(Job::Fix, facts);
    let Some(model) = models.of(decision.gear) else {
        return Outcome::Nothing(if facts.withheld { super::withheld(snapshot) } else { Reason::NoFix });
    };
    if let Err(reason) = super::apart_from_secrets(&snapshot.document, problem.span.clone()) {
        return Outcome::Nothing(reason);
    }
    let prompt = prompt::fix::render(&report(&excerpt, snapshot, problem));
    let urgency = if decision.gear == Gear::Deep { Urgency::Deep } else { Urgency::Asked };
    let request = super::request(prompt, urgency, &decision, snapshot);
    let (reply, usage) = match timeout(decision.deadline, instruct::collect(model, request)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(reason)) => return Outcome::Nothing(reason),
        Err(_) => return Outcome::Nothing(Reason::Deadline),
    };
    let made = {
        let (document, path) = (Arc::clone(&snapshot.document), Arc::clone(&snapshot.path));
        let (words, index) = (problem.message.clone(), Arc::clone(index));
        let ended = !usage.unexplained;
        let allow_invisible = snapshot.settings.allow_invisible_characters;
        spawn_blocking(move || {
            make(&document, &path, &excerpt, &words, (&reply, ended), &index, allow_invisible)
        })
        .await
    };
    match made {
        Ok(Ok((edits, flags))) => {
            let usage: Usage = usage;
            let model = usage.model.clone();
            let origin = Origin { gear: decision.gear, reason: decision.reason, model, usage };
            Outcome::Done(Rewrite { edits, flags, origin })
        }
        Ok(Err(reason)) => Outcome::Nothing(reason),
        Err(panic) => failed(&panic),
    }
}

fn failed(panic: &tokio::task::JoinError) -> Outcome<Rewrite> {
    tracing::error!(%panic, "a fix failed");
    Outcome::Nothing(Reason::Internal)
}

/// The code that a fix may change, and that its route depends on.
pub(super) fn code(document: &Document, problem: &Diagnostic) -> String {
    excerpt(document, problem.span.clone()).text
}

/// What a fix may change: the definition around the problem, and the file's imports.
fn excerpt(document: &Document, span: Range<usize>) -> Excerpt {
    Excerpt::of(document, fix_context::parts(document, span))
}

fn report(excerpt: &Excerpt, snapshot: &Snapshot, problem: &Diagnostic) -> FixInput {
    let document = &snapshot.document;
    let line = document.line_start(problem.span.start)..document.next_line_start(problem.span.start);
    FixInput {
        path: snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        outline: snapshot.outline.to_string(),
        window: excerpt.window.render(&excerpt.text),
        severity: problem.severity.word(),
        source: problem.source.clone(),
        code: problem.code.clone(),
        message: problem.message.clone(),
        tag: excerpt.tag_at(problem.span.start).unwrap_or_default().to_owned(),
        line: document.slice(line).trim_end().to_owned(),
        marked: document.slice(problem.span.start..problem.span.end.min(document.text().len_bytes())),
        related: problem.related.clone(),
    }
}

/// The edits of an answer, if the guards let them pass, and what is to be said of them. The answer comes with whether it
/// ended by itself, as far as the server said.
fn make(
    document: &Document,
    path: &str,
    excerpt: &Excerpt,
    words: &str,
    (answer, ended): (&str, bool),
    index: &Index,
    allow_invisible: bool,
) -> Result<(Vec<Edit>, Vec<Flag>), Reason> {
    let asked = Asked {
        text: &excerpt.text,
        path: Some(path),
        range: Some(0..excerpt.text.len()),
        window: Some(&excerpt.window),
        grammar: document.grammar(),
    };
    let mut read = reply::read(asked, answer).map_err(|refusal| super::refused(&refusal))?;
    if read.flags.contains(&Flag::MayBeCut) {
        if !ended {
            return Err(super::refused(&Refusal::MayBeCut));
        }
        read.flags.retain(|flag| *flag != Flag::MayBeCut);
    }
    if matches!(read.format, Format::Region | Format::Whole) && excerpt.parts.len() > 1 {
        let detail = "it does not say which block it is for".to_owned();
        return Err(super::refused(&Refusal::Malformed { detail }));
    }
    if read.edits.is_empty() {
        return Err(Reason::Unchanged);
    }
    let (edits, flags) = check(document, excerpt, words, read.edits, index, allow_invisible)
        .map_err(|refusal| super::refused(&refusal))?;
    Ok((edits, [read.flags, flags].concat()))
}

fn check(
    document: &Document,
    excerpt: &Excerpt,
    words: &str,
    edits: Vec<Edit>,
    index: &Index,
    allow_invisible: bool,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    for edit in &edits {
        // Between the parts lies what the model was not shown.
        let inside =
            excerpt.parts.iter().any(|part| part.start <= edit.span.start && edit.span.end <= part.end);
        if !inside {
            let line = document.text().byte_to_line(excerpt.start + edit.span.start) + 1;
            return Err(Refusal::OutOfScope { line });
        }
    }
    // The parser reads the whole file: a part by itself may be broken.
    let checks = Checks { before: &excerpt.text, blanks_count: true, allow_invisible, ..Checks::default() };
    let mut flags = guard::check(&checks, &edits)?;
    let in_file: Vec<Edit> = edits
        .iter()
        .map(|edit| {
            Edit::new(excerpt.start + edit.span.start..excerpt.start + edit.span.end, edit.text.as_str())
        })
        .collect();
    flags.extend(guard::syntax(document, &in_file)?);
    if let Some(unknown) =
        names::unknown(index, document, &excerpt.text, &edits, &|name| words.contains(name))
    {
        flags.push(Flag::UnknownNames(unknown.names()));
    }
    Ok((in_file, flags))
}
