//! A rewrite by instruction: region, prompt, answer, guards, smallest edits.

use std::ops::Range;
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::target::Target;
use super::{Origin, Rewrite};
use crate::context::Region;
use crate::document::Document;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag};
use crate::edit::{Edit, Refusal, diff};
use crate::job::{Job, Outcome, Reason};
use crate::local;
use crate::model::{Chunk, Model, Request, Usage};
use crate::prompt;
use crate::route::{Facts, Gear, route};
use crate::snapshot::Snapshot;

pub(super) async fn run(
    fast: Option<&dyn Model>,
    snapshot: &Snapshot,
    target: &Target,
    instruction: &str,
) -> Outcome<Rewrite> {
    let facts = Facts { fast_model: fast.is_some(), range_bytes: target.code.len() };
    let decision = route(Job::Rewrite, facts);
    let document = &snapshot.document;
    let path = snapshot.path.to_string();
    let region = Region::around(document, target.span.clone(), target.code.clone(), path.clone());
    let (text, usage) = match (decision.gear, fast) {
        (Gear::Fast, Some(model)) => {
            let prompt = prompt::rewrite::render(&region, instruction);
            let request = Request {
                instructions: prompt.instructions,
                input: prompt.input,
                max_output_tokens: decision.max_output_tokens,
                cache_key: path,
            };
            let (answer, usage) = match timeout(decision.deadline, collect(model, request)).await {
                Ok(Ok(answered)) => answered,
                Ok(Err(reason)) => return Outcome::Nothing(reason),
                Err(_) => return Outcome::Nothing(Reason::Deadline),
            };
            match reply::region(&answer, &region.range) {
                Ok(text) => (text, usage),
                Err(refusal) => return refused(&refusal),
            }
        }
        _ => match local::rewrite(&region.range, instruction) {
            Some(text) => (text, Usage::default()),
            None => {
                return Outcome::Nothing(Reason::Refused {
                    code: "no-model",
                    why: "no model is configured, and the local engine understands only `rename A to B`"
                        .to_owned(),
                });
            }
        },
    };
    if text == region.range {
        return Outcome::Nothing(Reason::NothingToAdd);
    }
    let document = Arc::clone(document);
    let span = target.span.clone();
    // Diff and parse take milliseconds for a large file: not on a thread that serves requests.
    let checked = tokio::task::spawn_blocking(move || check(&document, span, &text)).await;
    match checked {
        Ok(Ok((edits, flags))) => {
            let model = usage.model.clone();
            let origin = Origin { gear: decision.gear, reason: decision.reason, model, usage };
            Outcome::Done(Rewrite { edits, flags, origin })
        }
        Ok(Err(refusal)) => refused(&refusal),
        Err(panic) => {
            tracing::error!(%panic, "the rewrite's guards failed");
            Outcome::Nothing(Reason::Internal)
        }
    }
}

/// The smallest edits that make the lines `span` into `text`, and what is to be said of them, if the guards let them
/// pass.
fn check(document: &Document, span: Range<usize>, text: &str) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    let mut edits = diff::minimal(&document.slice(span.clone()), text);
    for edit in &mut edits {
        edit.span = edit.span.start + span.start..edit.span.end + span.start;
    }
    let checks = Checks {
        before: &document.text().to_string(),
        range: Some(&span),
        grammar: document.grammar(),
        previous: None,
        // It may have been all that was asked for.
        blanks_count: true,
    };
    let flags = guard::check(&checks, &edits)?;
    Ok((edits, flags))
}

/// The whole answer; one that was cut is none.
async fn collect(model: &dyn Model, request: Request) -> Result<(String, Usage), Reason> {
    let mut chunks = model.stream(request);
    let mut answer = String::new();
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(Chunk::Text(text)) => answer.push_str(&text),
            Ok(Chunk::Done(usage)) if usage.truncated => {
                return Err(Reason::Refused {
                    code: "cut-off",
                    why: "the answer was longer than allowed and was cut off; ask for a smaller range"
                        .to_owned(),
                });
            }
            Ok(Chunk::Done(usage)) => return Ok((answer, usage)),
            Err(error) => return Err(Reason::Model(error.to_string())),
        }
    }
    Err(Reason::Refused { code: "cut-off", why: "the answer broke off; try again".to_owned() })
}

fn refused(refusal: &Refusal) -> Outcome<Rewrite> {
    Outcome::Nothing(Reason::Refused { code: refusal.code(), why: refusal.to_string() })
}
