//! A fix for a diagnostic of another server: excerpt, prompt, tagged blocks, guards.

use std::ops::Range;
use std::sync::Arc;

use super::excerpt::{Excerpt, untagged_reply};
use super::outcome::{Origin, Rewrite};
use super::pipeline::{Answer, Pipeline, Task, blocking};
use super::validate::unknown_names;
use crate::context;
use crate::document::Document;
use crate::edit::guard::{self, Checks};
use crate::edit::reply::{self, Flag, Format};
use crate::edit::{Edit, Refusal};
use crate::job::{Job, Reason};
use crate::local;
pub use crate::local::fix::Fix as CertainFix;
use crate::model::Usage;
use crate::prompt::fix::FixInput;
use crate::prompt::{self, Prompt};
use crate::route::{Facts, Gear};
use crate::snapshot::{Diagnostic, Snapshot};
use crate::workspace::Workspace;

/// The fix for a diagnostic that needs no model, if one is certain.
///
/// That is a token that the parser misses, an import that is unused, or one that an open file of `others` has.
/// Waits for the parse.
pub fn certain_fix(document: &Document, diagnostic: &Diagnostic, others: &[Document]) -> Option<CertainFix> {
    local::fix::fix(document, diagnostic.span.clone(), &diagnostic.message, others)
}

pub(super) async fn run(
    pipeline: &Pipeline,
    index: &Arc<Workspace>,
    snapshot: &Snapshot,
    diagnostic: &Diagnostic,
) -> Result<(Rewrite, Origin), Reason> {
    let excerpt = {
        let (document, span) = (Arc::clone(&snapshot.document), diagnostic.span.clone());
        let excerpt = move || Excerpt::of(&document, context::fix::parts(&document, span));
        blocking(Job::Fix, excerpt).await?
    };
    let scope = Scope {
        document: Arc::clone(&snapshot.document),
        path: Arc::clone(&snapshot.path),
        excerpt,
        message: diagnostic.message.clone(),
        index: Arc::clone(index),
        allow_invisible: snapshot.settings.allow_invisible_characters,
    };
    pipeline.run(snapshot, FixTask { snapshot, diagnostic, scope: Arc::new(scope) }).await
}

struct FixTask<'a> {
    snapshot: &'a Snapshot,
    diagnostic: &'a Diagnostic,
    scope: Arc<Scope>,
}

/// What a fix may change, and what it is checked against.
struct Scope {
    document: Arc<Document>,
    path: Arc<str>,
    /// The definition around the diagnostic, and the imports.
    excerpt: Excerpt,
    /// The diagnostic's message, which may name what is missing.
    message: String,
    index: Arc<Workspace>,
    allow_invisible: bool,
}

impl Task for FixTask<'_> {
    const JOB: Job = Job::Fix;
    type Shown = ();
    /// The reply, and whether it ended by itself, as far as the server said.
    type Draft = (String, bool);
    type Output = Rewrite;

    fn facts<'f>(&'f self, facts: Facts<'f>) -> Facts<'f> {
        Facts { code: &self.scope.excerpt.text, ..facts }
    }

    fn target(&self) -> Range<usize> {
        self.diagnostic.span.clone()
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        let input = input(&self.scope.excerpt, self.snapshot, self.diagnostic);
        Ok((prompt::fix::render(&input), ()))
    }

    async fn read(&mut self, (): (), answer: Answer) -> Result<((String, bool), Usage), Reason> {
        let (reply, usage) = answer.text().await?;
        Ok(((reply, !usage.unexplained), usage))
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<(String, bool), Reason> {
        Err(withheld.unwrap_or(Reason::NoFix))
    }

    async fn validate(&mut self, (reply, has_ended): (String, bool)) -> Result<Rewrite, Reason> {
        let scope = Arc::clone(&self.scope);
        blocking(Job::Fix, move || scope.rewrite(&reply, has_ended)).await?
    }
}

/// What the prompt shows.
fn input(excerpt: &Excerpt, snapshot: &Snapshot, diagnostic: &Diagnostic) -> FixInput {
    let document = &snapshot.document;
    let Range { start, end } = diagnostic.span;
    FixInput {
        path: snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        outline: snapshot.outline.to_string(),
        window: excerpt.window.render(&excerpt.text),
        severity: diagnostic.severity.word(),
        source: diagnostic.source.clone(),
        code: diagnostic.code.clone(),
        message: diagnostic.message.clone(),
        tag: excerpt.tag_at(start).unwrap_or_default().to_owned(),
        line: document
            .slice(document.line_start(start)..document.next_line_start(start))
            .trim_end()
            .to_owned(),
        marked: document.slice(start..end.min(document.text().len_bytes())),
        related: diagnostic.related.clone(),
    }
}

impl Scope {
    /// The edits of a reply, if the guards let them pass.
    fn rewrite(&self, reply: &str, has_ended: bool) -> Result<Rewrite, Reason> {
        let Self { excerpt, document, path, .. } = self;
        let request = reply::Request {
            text: &excerpt.text,
            path: Some(path),
            range: Some(0..excerpt.text.len()),
            window: Some(&excerpt.window),
            grammar: document.grammar(),
        };
        let mut read = reply::read(request, reply)?;
        if read.flags.contains(&Flag::MayBeCut) {
            if !has_ended {
                return Err(Refusal::MayBeCut.into());
            }
            read.flags.retain(|flag| *flag != Flag::MayBeCut);
        }
        if matches!(read.format, Format::Region | Format::Whole) && excerpt.parts.len() > 1 {
            return Err(untagged_reply().into());
        }
        if read.edits.is_empty() {
            return Err(Reason::Unchanged);
        }
        let (edits, flags) = self.check(&read.edits)?;
        Ok(Rewrite { edits, flags: [read.flags, flags].concat() })
    }

    /// Edits of the excerpt as edits of the file, and their flags, if the guards let them pass.
    fn check(&self, edits: &[Edit]) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
        let Self { document, excerpt, message, .. } = self;
        for edit in edits {
            // Between the parts is code that the model was not shown.
            if excerpt.part_with(&edit.span).is_none() {
                let line = document.text().byte_to_line(excerpt.start + edit.span.start) + 1;
                return Err(Refusal::OutOfScope { line });
            }
        }
        // The parser reads the whole file: a part by itself may be broken.
        let allow_invisible = self.allow_invisible;
        let checks =
            Checks { before: &excerpt.text, blanks_count: true, allow_invisible, ..Checks::default() };
        let mut flags = guard::check(&checks, edits)?;
        let in_file: Vec<Edit> = edits
            .iter()
            .map(|Edit { span, text }| {
                Edit::new(excerpt.start + span.start..excerpt.start + span.end, text.as_str())
            })
            .collect();
        flags.extend(guard::syntax(document, &in_file)?);
        let is_expected = |name: &str| message.contains(name);
        let unknown = unknown_names(&self.index, document, &excerpt.text, edits, &is_expected);
        flags.extend(unknown.map(|unknown| Flag::UnknownNames(unknown.names())));
        Ok((in_file, flags))
    }
}
