//! `tandem.job`: one of the other jobs of a pair, for selected code.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tower_lsp::jsonrpc::{Error, Result};

use super::title::{shortened_message, title};
use super::{plan, rewrite};
use crate::assist::pair::{self, JOBS, PairJob, PairSubject, Touches};
use crate::assist::review;
use crate::assist::target;
use crate::document::position::Encoding;
use crate::document::{Document, DocumentId};
use crate::job::{Job, Reason};
use crate::lsp::capabilities::{Client, FIX_KIND, JOB, JOB_KIND};
use crate::lsp::convert;
use crate::lsp::errors::failure;
use crate::lsp::protocol::{
    CodeAction, Command, DocumentRef, JobArguments, PlanArguments, Range, RewriteArguments,
};
use crate::lsp::state::ServerState;
use crate::lsp::task;
use crate::session::{ReviewHint, Session};
use crate::text::printable;

/// The source of review findings.
const SOURCE: &str = "Tandem";
/// The code of review findings.
const CODE: &str = "review";
/// `DiagnosticSeverity.Information`.
const INFORMATION: u32 = 3;

/// Performs one of the jobs in the table.
pub(in crate::lsp) async fn job_command(
    state: Arc<ServerState>,
    arguments: JobArguments,
    work_done_token: Option<Value>,
) -> Result<Value> {
    let Some(job) = pair::job(&arguments.job).filter(|job| job.title.is_some()) else {
        let names: Vec<&str> = JOBS.iter().filter(|job| job.title.is_some()).map(|job| job.name).collect();
        let message = format!("there is no job `{}`; there are {}", arguments.job, names.join(", "));
        return Err(Error::invalid_params(message));
    };
    let JobArguments { text_document, mut range, preview, tell: tells, .. } = arguments;
    if range.start == range.end {
        range = definition(&state, &text_document, range).await?;
    }
    match job.touches {
        Touches::Nothing => text(state, job, text_document, range, tells, work_done_token).await,
        Touches::Selection => {
            let instruction = job.words.to_owned();
            let rewrites =
                RewriteArguments { preview, ..RewriteArguments::new(text_document, range, instruction) };
            rewrite::rewrite_command(state, rewrites, work_done_token).await
        }
        Touches::Project => {
            let arguments = PlanArguments {
                instruction: job.words.to_owned(),
                text_document: Some(text_document),
                range: Some(range),
                preview,
                ..PlanArguments::default()
            };
            let editor = state.editor.clone();
            let answer = plan::plan_command(state, arguments, work_done_token).await?;
            if let (Some(command), true) = (answer["testCommand"].as_str(), tells) {
                editor.tell(title(&format!("the tests run with `{}`", printable(command))));
            }
            Ok(answer)
        }
    }
}

/// The statement or definition that begins on the line of an empty range.
async fn definition(state: &Arc<ServerState>, text_document: &DocumentRef, range: Range) -> Result<Range> {
    let id = DocumentId::new(&text_document.uri);
    let (document, encoding) = {
        let session = state.session.lock();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Answer, &reason))?;
        (snapshot.document, session.encoding())
    };
    let (read, span) = (Arc::clone(&document), convert::span(&document, range, encoding));
    let lines = state.session.with_tree(read, move |document| target::of_range(document, span).span).await?;
    Ok(convert::to_range(&document, &lines, encoding))
}

/// Makes a model write a text about the lines of a range.
async fn text(
    state: Arc<ServerState>,
    job: &'static PairJob,
    text_document: DocumentRef,
    range: Range,
    tells: bool,
    work_done_token: Option<Value>,
) -> Result<Value> {
    let id = DocumentId::new(&text_document.uri);
    let (snapshot, encoding) = {
        let session = state.session.lock();
        let snapshot = session.snapshot(&id).map_err(|reason| failure(Job::Answer, &reason))?;
        (snapshot, session.encoding())
    };
    if text_document.version.is_some_and(|version| version != snapshot.document.version()) {
        return Err(failure(Job::Answer, &Reason::Stale));
    }
    task::run(async move {
        let document = Arc::clone(&snapshot.document);
        let span = document.whole_lines(convert::span(&document, range, encoding));
        let first = document.text().byte_to_line(span.start) + 1;
        let code = document.slice(span.clone());
        let is_review = job.name == "review";
        let code = if is_review { pair::numbered(&code, first) } else { code };
        let subject = PairSubject { what: snapshot.path.to_string(), code, span, ..PairSubject::default() };
        let assist = state.serving.assist();
        let name = title(job.title.unwrap_or(job.name));
        let (say, said) = watch::channel(String::new());
        let answer = assist.answer(&snapshot, job, subject, Some(&say));
        let done = state.watch_job(name, work_done_token, said, answer).await;
        let (text, origin) = done.map_err(|reason| failure(Job::Answer, &reason))?;
        let mut answer = json!({ "gear": origin.gear.name(), "model": origin.model });
        if !is_review {
            if tells {
                state.editor.tell(title(text.trim_end()));
            }
            answer["text"] = json!(text);
            return Ok(answer);
        }
        let file = [(snapshot.path.to_string(), document.text().to_string())];
        let review = review::read(&text, &file);
        if let Some(why) = review.unreadable(&text) {
            return Err(failure(Job::Answer, &Reason::Unusable { code: "unreadable-review", why }));
        }
        let left_out = review.gaps();
        let hints = review
            .hints
            .into_iter()
            .filter_map(|it| ReviewHint::of_line(&document, it.line, it.message, it.fix));
        let hints: Vec<ReviewHint> = hints.collect();
        answer["findings"] = json!(hints.len());
        {
            let mut session = state.session.lock();
            let tracked = session.tracked_mut(&id).map_err(|reason| failure(Job::Answer, &reason))?;
            if !tracked.set_hints(&document, hints) {
                return Err(failure(Job::Answer, &Reason::Stale));
            }
        }
        publish(&state, &id);
        if tells && !left_out.is_empty() {
            state.editor.tell(title(&left_out));
        } else if tells && answer["findings"] == 0 {
            state.editor.tell(title("the review found nothing wrong"));
        }
        Ok(answer)
    })
    .await?
}

/// Publishes the review findings in the current version of a file.
pub(super) fn publish(state: &ServerState, id: &DocumentId) {
    let (version, diagnostics) = {
        let session = state.session.lock();
        match session.tracked(id) {
            Ok(tracked) => {
                let document = tracked.document();
                let hints = tracked.hints().iter();
                let sent = hints.map(|hint| diagnostic(document, hint, session.encoding())).collect();
                (Some(document.version()), sent)
            }
            Err(_) => (None, Vec::new()),
        }
    };
    state.editor.publish_diagnostics(id.as_str(), version, diagnostics);
}

/// The number of review findings in a file.
pub(super) fn count(session: &Session, id: &DocumentId) -> usize {
    session.tracked(id).map_or(0, |tracked| tracked.hints().len())
}

fn diagnostic(document: &Document, hint: &ReviewHint, encoding: Encoding) -> Value {
    json!({
        "range": convert::to_range(document, &hint.span, encoding),
        "severity": INFORMATION,
        "source": SOURCE,
        "code": CODE,
        "message": hint.message,
    })
}

/// The ready fixes of review findings in a span.
pub(super) fn fixes(
    document: &Document,
    hints: &[ReviewHint],
    span: &std::ops::Range<usize>,
    encoding: Encoding,
    client: &Client,
) -> Vec<CodeAction> {
    let is_there = |hint: &&ReviewHint| {
        !hint.fix.is_empty() && hint.span.start <= span.end && span.start <= hint.span.end
    };
    let action = |hint: &ReviewHint| CodeAction {
        diagnostics: vec![diagnostic(document, hint, encoding)],
        tags: client.generated_tags(),
        edit: Some(convert::document_edits(document, &hint.fix, client)),
        ..CodeAction::new(FIX_KIND, title(&format!("fix “{}”", shortened_message(&hint.message))))
    };
    hints.iter().filter(is_there).map(action).collect()
}

/// Whether [`fixes`] has an action for a diagnostic of a request.
pub(super) fn is_fixed(raw: &Value, hints: &[ReviewHint]) -> bool {
    let is_same = |hint: &ReviewHint| !hint.fix.is_empty() && raw["message"] == hint.message.as_str();
    raw["source"] == SOURCE && hints.iter().any(is_same)
}

/// The actions for selected code, one per job of the table.
pub(super) fn actions(document: &Document, range: Range, client: &Client) -> Vec<CodeAction> {
    let about = |job: &'static PairJob| Some((job, job.title?));
    let action = |(job, what): (&PairJob, &str)| {
        let (name, text_document) = (job.name.to_owned(), DocumentRef::of(document));
        let arguments = JobArguments { job: name, text_document, range, preview: false, tell: true };
        let title = title(what);
        let command = Some(Command::new(title.clone(), JOB, &arguments));
        let kind = format!("{JOB_KIND}.{}", job.name);
        CodeAction { tags: client.generated_tags(), command, ..CodeAction::new(&kind, title) }
    };
    JOBS.iter().filter_map(about).map(action).collect()
}
