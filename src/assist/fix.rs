//! A fix for a diagnostic of another server: excerpt, prompt, tagged blocks, guards.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::Assist;
use super::excerpt::Excerpt;
use super::outcome::{Origin, Rewrite};
use super::pace;
use super::pipeline::{AnswerStream, Pipeline, Task, WholeAnswer, blocking};
use super::validate::unknown_names;
use crate::context;
use crate::edit::{self, Accepted, Flag, Refusal, UnmarkedEnd};
use crate::job::{Job, Reason};
use crate::model::{Request, Urgency, Usage};
use crate::prompt::fix::FixInput;
use crate::prompt::{self, Prompt};
use crate::route::{Gear, RouteInput};
use crate::snapshot::{Diagnostic, Snapshot};

impl Assist {
    /// The fix for a diagnostic, within the enclosing definition and the imports.
    ///
    /// `said` receives a message about how long a slow model is expected to take.
    ///
    /// # Errors
    ///
    /// The reason why there is no fix.
    pub async fn fix(
        &self,
        snapshot: &Snapshot,
        diagnostic: &Diagnostic,
        said: Option<&watch::Sender<String>>,
    ) -> Result<(Rewrite, Origin), Reason> {
        let asked = Asked { is_ahead: false, said };
        run(&self.pipeline, snapshot, diagnostic, asked).await
    }

    /// The fix for a diagnostic, made before it is requested.
    ///
    /// Only the fast model makes it, and failures are not waited out.
    ///
    /// # Errors
    ///
    /// The reason why there is no fix.
    pub async fn fix_ahead(
        &self,
        snapshot: &Snapshot,
        diagnostic: &Diagnostic,
    ) -> Result<(Rewrite, Origin), Reason> {
        let asked = Asked { is_ahead: true, said: None };
        run(&self.pipeline, snapshot, diagnostic, asked).await
    }
}

async fn run(
    pipeline: &Pipeline,
    snapshot: &Snapshot,
    diagnostic: &Diagnostic,
    asked: Asked<'_>,
) -> Result<(Rewrite, Origin), Reason> {
    let excerpt = {
        let (document, span) = (Arc::clone(&snapshot.document), diagnostic.span.clone());
        let excerpt = move || Excerpt::of(&document, context::fix::parts(&document, span));
        blocking(Job::Fix, excerpt).await?
    };
    let scope = Scope { snapshot: snapshot.clone(), diagnostic: diagnostic.clone(), excerpt };
    pipeline.run(snapshot, FixTask { scope: Arc::new(scope), asked, is_correction: false }).await
}

/// How a fix is requested.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// Whether the fix is made before it is requested.
    ///
    /// Then only the fast gear may make it, and nothing is waited for.
    is_ahead: bool,
    /// Receives a message about how long a slow model is expected to take.
    said: Option<&'a watch::Sender<String>>,
}

struct FixTask<'a> {
    scope: Arc<Scope>,
    asked: Asked<'a>,
    /// Whether an earlier reply was refused.
    is_correction: bool,
}

/// The diagnostic to fix, the code that may change, and the snapshot to check against.
struct Scope {
    snapshot: Snapshot,
    diagnostic: Diagnostic,
    /// The definition around the diagnostic, and the imports.
    excerpt: Excerpt,
}

impl Task for FixTask<'_> {
    const JOB: Job = Job::Fix;
    type Shown = ();
    type Draft = WholeAnswer;
    type Output = Rewrite;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        RouteInput { code: &self.scope.excerpt.text, ..facts }
    }

    fn target(&self) -> Range<usize> {
        self.scope.diagnostic.span.clone()
    }

    async fn prompt(&mut self, gear: Gear) -> Result<(Prompt, ()), Reason> {
        if self.asked.is_ahead && gear != Gear::Fast {
            return Err(Reason::NothingToAdd);
        }
        Ok((prompt::fix::render(&self.scope.input()), ()))
    }

    fn request(&self, request: Request) -> Request {
        let urgency = if self.asked.is_ahead { Urgency::Typing } else { request.urgency };
        Request { urgency, ..request }
    }

    fn expects(&mut self, expected: Duration) {
        if let Some(said) = self.asked.said {
            said.send_replace(pace::expected(expected));
        }
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(WholeAnswer, Usage), Reason> {
        answer.whole().await
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<WholeAnswer, Reason> {
        Err(withheld.unwrap_or(Reason::NoFix))
    }

    fn reply<'d>(&self, answer: &'d WholeAnswer) -> Option<&'d str> {
        (!self.asked.is_ahead).then_some(answer.text.as_str())
    }

    fn corrects(&mut self, refusal: &Refusal) {
        self.is_correction = true;
        if let Some(said) = self.asked.said {
            said.send_replace(pace::asks_again(refusal));
        }
    }

    async fn validate(&mut self, answer: WholeAnswer) -> Result<Rewrite, Reason> {
        let (scope, is_correction) = (Arc::clone(&self.scope), self.is_correction);
        blocking(Job::Fix, move || scope.rewrite(&answer, is_correction)).await?
    }
}

impl Scope {
    /// The input of the prompt.
    fn input(&self) -> FixInput {
        let Self { snapshot, diagnostic, excerpt } = self;
        let document = &snapshot.document;
        let Range { start, end } = diagnostic.span;
        let line = document.slice(document.line_start(start)..document.next_line_start(start));
        FixInput {
            path: snapshot.path.to_string(),
            language: document.language_name().to_owned(),
            outline: snapshot.outline.to_string(),
            window: excerpt.window.render(&excerpt.text),
            severity: diagnostic.severity.word(),
            source: diagnostic.source.clone(),
            code: diagnostic.code.clone(),
            message: diagnostic.message.clone(),
            tag: excerpt.tag_at(start).unwrap_or_default().to_owned(),
            line: line.trim_end().to_owned(),
            marked: document.slice(start..end.min(document.text().len_bytes())),
            related: diagnostic.related.clone(),
        }
    }

    /// The edits of a reply, if they pass the checks.
    fn rewrite(&self, answer: &WholeAnswer, is_correction: bool) -> Result<Rewrite, Reason> {
        let Self { snapshot, diagnostic, excerpt } = self;
        let mut request = excerpt.request(snapshot);
        // The code that a diagnostic names may be what has to go.
        request.instruction = &diagnostic.message;
        request.allowed.talk = true;
        request.allowed.blanks = true;
        request.is_correction = is_correction;
        request.allowed.unmarked_end = UnmarkedEnd::allowed_if(answer.has_ended);
        let Accepted { edits, mut flags, .. } = edit::accept(&request, &answer.text)?;
        if edits.is_empty() {
            return Err(Reason::Unchanged);
        }
        let is_expected = |name: &str| diagnostic.message.contains(name) || snapshot.is_in_other_cells(name);
        let document = &snapshot.document;
        let unknown = unknown_names(&snapshot.workspace, document, &excerpt.text, &edits, None, &is_expected);
        flags.extend(unknown.map(|unknown| Flag::UnknownNames(unknown.names())));
        Ok(Rewrite { edits: edit::shifted(edits, excerpt.start), flags })
    }
}
