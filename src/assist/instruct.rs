//! A rewrite by instruction: region, prompt, answer, guards, smallest edits.

use std::ops::Range;
use std::sync::Arc;

use futures_util::StreamExt as _;
use tokio::time::timeout;

use super::target::Target;
use super::{Models, Origin, Rewrite, refused, unanswered};
use crate::config::Settings;
use crate::context::Region;
use crate::document::Document;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag};
use crate::edit::{self, Edit, Refusal, diff};
use crate::index::Index;
use crate::job::{Job, Outcome, Reason};
use crate::local;
use crate::model::{Chunk, Model, Request, Urgency, Usage};
use crate::prompt;
use crate::route::{Facts, Gear, fits, route};
use crate::snapshot::Snapshot;

pub(super) async fn run(
    models: &Models,
    index: &Arc<Index>,
    snapshot: &Snapshot,
    target: &Target,
    instruction: &str,
    forced: Option<Gear>,
) -> Outcome<Rewrite> {
    let facts = Facts { forced, instruction, code: &target.code, ..models.facts(snapshot).await };
    let decision = route(Job::Rewrite, facts);
    if decision.gear != Gear::Local
        && let Err(reason) = super::apart_from_secrets(&snapshot.document, target.span.clone())
    {
        return Outcome::Nothing(reason);
    }
    let answer = match models.of(decision.gear) {
        Some(_) if !fits(decision.gear, target.code.len()) => {
            let why = format!("{} bytes are too many for one rewrite; choose fewer lines", target.code.len());
            return Outcome::Nothing(Reason::Refused { code: "range-too-large", why });
        }
        Some(model) => {
            let path = snapshot.path.to_string();
            let region = Region::around(&snapshot.document, target.span.clone(), target.code.clone(), path);
            let prompt = prompt::rewrite::render(&region, instruction);
            let urgency = if decision.gear == Gear::Deep { Urgency::Deep } else { Urgency::Asked };
            let request = super::request(prompt, urgency, &decision, snapshot);
            // Most of a rewrite is what was there before.
            let request = Request { prediction: Some(target.code.clone()), ..request };
            match timeout(decision.deadline, collect(model, request)).await {
                Ok(Ok((text, usage))) => Answer::Reply(text, usage),
                Ok(Err(reason)) => return Outcome::Nothing(reason),
                Err(_) => return Outcome::Nothing(Reason::Deadline),
            }
        }
        None if facts.withheld => Answer::Rule(instruction.to_owned(), super::withheld(snapshot)),
        None => Answer::Rule(instruction.to_owned(), Reason::NoModel),
    };
    // Reading, diffing and parsing take milliseconds for a large file: not on the thread that serves.
    let made = {
        let (document, path, target) =
            (Arc::clone(&snapshot.document), Arc::clone(&snapshot.path), target.clone());
        let (index, settings) = (Arc::clone(index), Arc::clone(&snapshot.settings));
        tokio::task::spawn_blocking(move || make(&document, &path, &target, answer, &index, &settings)).await
    };
    match made {
        Ok(Ok(Made { edits, flags, usage })) => {
            let model = usage.model.clone();
            let origin = Origin { gear: decision.gear, reason: decision.reason, model, usage };
            Outcome::Done(Rewrite { edits, flags, origin })
        }
        Ok(Err(reason)) => Outcome::Nothing(reason),
        Err(panic) => {
            tracing::error!(%panic, "a rewrite failed");
            Outcome::Nothing(Reason::Internal)
        }
    }
}

/// What the new text comes from.
enum Answer {
    /// A model's reply, in whatever format, and what it took.
    Reply(String, Usage),
    /// The local engine, by this instruction; and what to say if it does not understand it.
    Rule(String, Reason),
}

struct Made {
    edits: Vec<Edit>,
    flags: Vec<Flag>,
    usage: Usage,
}

fn make(
    document: &Document,
    path: &str,
    target: &Target,
    answer: Answer,
    index: &Index,
    settings: &Settings,
) -> Result<Made, Reason> {
    let (text, usage) = match answer {
        Answer::Reply(reply, usage) => {
            (new_text(document, path, target, &reply).map_err(|refusal| refused(&refusal))?, usage)
        }
        Answer::Rule(instruction, otherwise) => {
            (local::rewrite(&target.code, &instruction).ok_or(otherwise)?, Usage::default())
        }
    };
    if text == target.code {
        return Err(Reason::Unchanged);
    }
    let (edits, mut flags) =
        check(document, target.span.clone(), &text, settings).map_err(|refusal| refused(&refusal))?;
    flags.extend(made_up(document, &edits, index));
    Ok(Made { edits, flags, usage })
}

/// The new text of a target's lines, read from a reply in whatever format against the file as it was shown: without the
/// comment that held the instruction.
fn new_text(document: &Document, path: &str, target: &Target, reply: &str) -> Result<String, Refusal> {
    let before = document.slice(0..target.span.start);
    let after = document.slice(target.span.end..document.text().len_bytes());
    let shown = [&before, target.code.as_str(), &after].concat();
    let request = reply::Request {
        text: &shown,
        path: Some(path),
        range: Some(before.len()..before.len() + target.code.len()),
        window: None,
        grammar: document.grammar(),
    };
    let outcome = reply::read(request, reply)?;
    if outcome.flags.contains(&Flag::Talk) {
        return Err(Refusal::Prose);
    }
    let mut new = edit::apply(&shown, &outcome.edits);
    new.truncate(new.len() - after.len());
    Ok(new.split_off(before.len()))
}

/// The smallest edits that make the lines `span` into `text`, and what is to be said of them, if the guards let them
/// pass.
fn check(
    document: &Document,
    span: Range<usize>,
    text: &str,
    settings: &Settings,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
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
        allow_invisible: settings.allow_invisible_characters,
    };
    guard::check_or_cut(&checks, edits)
}

/// What is to be said of names in the edits that nobody knows: neither the file nor the workspace.
fn made_up(document: &Document, edits: &[Edit], index: &Index) -> Option<Flag> {
    let grammar = document.grammar().filter(|grammar| index.speaks_for(grammar))?;
    let known = |name: &str| index.knows(grammar, name);
    let names = guard::unknown_names(grammar, &document.text().to_string(), edits, &known);
    (!names.is_empty()).then_some(Flag::UnknownNames(names))
}

/// The whole answer; one that was cut is none.
pub(super) async fn collect(model: &dyn Model, request: Request) -> Result<(String, Usage), Reason> {
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
            Err(error) => return Err(unanswered(&error)),
        }
    }
    Err(Reason::Model("the answer broke off; try again".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// The text of a file after a reply for the lines between `«` and `»`, of which the model saw all but the comment.
    #[track_caller]
    fn check(marked: &str, reply: &str, expected: &str) {
        let span = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
        let code = text[span.clone()].split_inclusive('\n').filter(|line| !line.contains("ai:")).collect();
        let target = Target { span, code };
        let answer = Answer::Reply(reply.to_owned(), Usage::default());
        let outcome = match make(&document, "a.rs", &target, answer, &Index::default(), &Settings::default())
        {
            Ok(made) => edit::apply(&text, &made.edits),
            Err(reason) => reason.code().to_owned(),
        };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn made_up_calls_are_told() {
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, "fn f(a: A) {}\n");
        let edits = [Edit::new(12..12, " a.known(); a.made_up(); ")];
        let index = Index::default();
        let grammar = document.grammar().unwrap();
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        index.put(std::path::Path::new("b.rs"), grammar, &format!("fn known() {{}} {many}"));
        assert_eq!(made_up(&document, &edits, &index), None, "more may be to come");
        index.complete();
        assert_eq!(made_up(&document, &edits, &index), Some(Flag::UnknownNames(vec!["made_up".to_owned()])));
    }

    #[test]
    fn replies_are_read_in_any_format() {
        let file = "fn f() {\n«    // ai: é\n    a();\n    b();\n»}\n";
        let expected = "fn f() {\n    c();\n    b();\n}\n";
        check(file, "```rust\n    c();\n    b();\n```\n", expected);
        check(file, "fn f() {\n    c();\n    b();\n}\n", expected);
        check(file, "<<<<<<< SEARCH\n    a();\n=======\n    c();\n>>>>>>> REPLACE\n", expected);
        check(file, "```diff\n@@\n-    a();\n+    c();\n     b();\n```\n", expected);
        check(file, "<<<<<<< SEARCH\nfn f() {\n=======\nfn g() {\n>>>>>>> REPLACE\n", "out-of-scope");
        check(file, "I would call `c` here.", "prose");
        check(file, "NO_EDITS", "unchanged");
    }
}
