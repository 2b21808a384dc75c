//! A rewrite by instruction: region, prompt, reply, guards, smallest edits.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::Assist;
use super::outcome::{Origin, Rewrite};
use super::pace;
use super::pipeline::{AnswerStream, Task, blocking};
use super::target::RewriteTarget;
use crate::config::Settings;
use crate::context::{Region, RegionSize};
use crate::document::Document;
use crate::edit::{self, Edit, Exceptions, Flag, Refusal, UnmarkedEnd, diff, names};
use crate::job::{Job, Reason};
use crate::local;
use crate::model::{Request, Usage};
use crate::prompt::{self, Prompt};
use crate::route::{Gear, RouteInput, fits};
use crate::snapshot::{Diagnostic, Snapshot};
use crate::workspace::Workspace;

/// Limit on the diagnostics shown to the model.
const MOST_PROBLEMS: usize = 6;

/// The parameters of a rewrite.
#[derive(Debug, Clone, Copy)]
pub struct RewriteParams<'a> {
    /// The code to change.
    pub target: &'a RewriteTarget,
    /// The instruction.
    pub instruction: &'a str,
    /// Diagnostics of other servers near the code; those outside of it are not shown to the model.
    pub diagnostics: &'a [Diagnostic],
    /// The gear that the user chose.
    pub forced: Option<Gear>,
    /// Receives a message about how long a slow model is expected to take.
    pub said: Option<&'a watch::Sender<String>>,
}

impl Assist {
    /// The target's code, changed as instructed.
    ///
    /// The request goes to the gear that the user chose, or else to the one that suits the work. The comment that
    /// held the instruction is removed.
    ///
    /// # Errors
    ///
    /// The reason why the code is unchanged.
    pub async fn rewrite(
        &self,
        snapshot: &Snapshot,
        params: RewriteParams<'_>,
    ) -> Result<(Rewrite, Origin), Reason> {
        let (whole, start) = snapshot.with_cells();
        let at = |span: &Range<usize>| start + span.start..start + span.end;
        let RewriteTarget { span, code } = params.target;
        let target = &RewriteTarget { span: at(span), code: code.clone() };
        let told = params.diagnostics.iter();
        let diagnostics: Vec<Diagnostic> =
            told.map(|it| Diagnostic { span: at(&it.span), ..it.clone() }).collect();
        let params = RewriteParams { target, diagnostics: &diagnostics, ..params };
        let task = RewriteTask {
            index: &snapshot.workspace,
            snapshot: &whole,
            params,
            form: Form::FULL,
            smaller: Form::SMALLER.iter(),
            is_correction: false,
        };
        let (Rewrite { edits, flags }, origin) = self.pipeline.run(&whole, task).await?;
        let cell = start..start + snapshot.document.text().len_bytes();
        let is_outside = |edit: &&Edit| edit.span.start < cell.start || edit.span.end > cell.end;
        if let Some(edit) = edits.iter().find(is_outside) {
            let line = whole.document.text().byte_to_line(edit.span.start) + 1;
            return Err(Refusal::OutOfScope { line }.into());
        }
        let own = |Edit { span, text }| Edit { span: span.start - start..span.end - start, text };
        Ok((Rewrite { edits: edits.into_iter().map(own).collect(), flags }, origin))
    }
}

struct RewriteTask<'a> {
    index: &'a Arc<Workspace>,
    snapshot: &'a Snapshot,
    params: RewriteParams<'a>,
    form: Form,
    /// The forms that have not been tried yet.
    smaller: std::slice::Iter<'static, Form>,
    /// Whether an earlier reply was refused.
    is_correction: bool,
}

/// The form of a rewrite's prompt.
#[derive(Debug, Clone, Copy)]
struct Form {
    /// How much is shown around the code.
    around: RegionSize,
    /// Whether to use the shortest instructions.
    is_brief: bool,
}

impl Form {
    const FULL: Self = Self { around: RegionSize::FULL, is_brief: false };
    /// Forms for a slow model, the largest first.
    const SMALLER: [Self; 3] = [
        Self { around: RegionSize::SMALLER[0], is_brief: false },
        Self { around: RegionSize::SMALLER[1], is_brief: false },
        Self { around: RegionSize::NONE, is_brief: true },
    ];
}

/// The source of the new text.
enum Draft {
    /// A model's reply, in any format.
    Reply {
        text: String,
        instruction: String,
        /// Whether the reply ended on its own, as far as the server reported.
        has_ended: bool,
    },
    /// The local engine's rule, or the reason to give if it does not understand the instruction.
    Rule { instruction: String, otherwise: Reason },
}

impl Task for RewriteTask<'_> {
    const JOB: Job = Job::Rewrite;
    type Shown = ();
    type Draft = Draft;
    type Output = Rewrite;

    fn route_input<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        let RewriteParams { target, instruction, forced, .. } = self.params;
        RouteInput { forced, instruction, code: &target.code, ..facts }
    }

    fn target(&self) -> Range<usize> {
        self.params.target.span.clone()
    }

    async fn prompt(&mut self, gear: Gear) -> Result<(Prompt, ()), Reason> {
        let RewriteParams { target: RewriteTarget { span, code }, instruction, diagnostics, .. } =
            self.params;
        if !fits(gear, code.len()) {
            let why = format!("{} bytes are too many for one rewrite; choose fewer lines", code.len());
            return Err(Reason::Unusable { code: "range-too-large", why });
        }
        let path = self.snapshot.path.to_string();
        let document = &self.snapshot.document;
        let region = Region::around(document, span.clone(), code.clone(), path, self.form.around);
        if self.form.is_brief {
            return Ok((prompt::rewrite::render_briefly(&region, instruction), ()));
        }
        let is_meant = |it: &&Diagnostic| it.span.start < span.end && span.start <= it.span.end;
        let problems: Vec<String> = diagnostics
            .iter()
            .filter(is_meant)
            .take(MOST_PROBLEMS)
            .map(|it| it.prompt_line(document))
            .collect();
        Ok((prompt::rewrite::render(&region, &problems, instruction), ()))
    }

    fn shrink(&mut self) -> bool {
        let Some(form) = self.smaller.next() else { return false };
        self.form = *form;
        true
    }

    fn expects(&mut self, expected: Duration) {
        if let Some(said) = self.params.said {
            said.send_replace(pace::expected(expected));
        }
    }

    /// Predicts the output: most of a rewrite repeats the old code.
    fn request(&self, request: Request) -> Request {
        Request { prediction: Some(self.params.target.code.clone()), ..request }
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<(Draft, Usage), Reason> {
        let (text, usage) = answer.code(&self.params.target.code).await?;
        let instruction = self.params.instruction.to_owned();
        Ok((Draft::Reply { text, instruction, has_ended: !usage.unexplained }, usage))
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<Draft, Reason> {
        let otherwise = withheld.unwrap_or(Reason::NoModel);
        Ok(Draft::Rule { instruction: self.params.instruction.to_owned(), otherwise })
    }

    fn has_fallback(&self) -> bool {
        local::understands(self.params.instruction)
    }

    fn reply<'d>(&self, draft: &'d Draft) -> Option<&'d str> {
        match draft {
            Draft::Reply { text, .. } => Some(text),
            Draft::Rule { .. } => None,
        }
    }

    fn corrects(&mut self, refusal: &Refusal) {
        self.is_correction = true;
        if let Some(said) = self.params.said {
            said.send_replace(pace::asks_again(refusal));
        }
    }

    async fn validate(&mut self, draft: Draft) -> Result<Rewrite, Reason> {
        let (snapshot, index) = (self.snapshot.clone(), Arc::clone(self.index));
        let is_correction = self.is_correction;
        let target = self.params.target.clone();
        let Snapshot { document, path, settings, .. } = snapshot;
        blocking(Job::Rewrite, move || {
            make(&document, &path, &target, draft, is_correction, &index, &settings)
        })
        .await?
    }
}

/// The edits of a draft, if they pass the checks.
///
/// A reply is about the file as shown: without the comment that held the instruction.
fn make(
    document: &Document,
    path: &str,
    target: &RewriteTarget,
    draft: Draft,
    is_correction: bool,
    index: &Workspace,
    settings: &Settings,
) -> Result<Rewrite, Reason> {
    let text = document.text().to_string();
    let request = edit::Request {
        text: &text,
        path: Some(path),
        range: Some(target.span.clone()),
        shown: Some(&target.code),
        document: Some(document),
        grammar: document.grammar(),
        allowed: Exceptions {
            // The instruction may have asked for blanks only.
            blanks: true,
            invisible: settings.allow_invisible_characters,
            ..Exceptions::default()
        },
        is_correction,
        ..edit::Request::default()
    };
    let (edits, mut flags) = match draft {
        Draft::Reply { text: reply, instruction, has_ended } => {
            let unmarked_end = UnmarkedEnd::allowed_if(has_ended);
            let allowed = Exceptions { unmarked_end, ..request.allowed };
            let request = edit::Request { instruction: &instruction, allowed, ..request };
            let accepted = edit::accept(&request, &reply)?;
            if accepted.edits.is_empty() {
                // A comment above a blank line, or a blank line alone, asks for new code.
                let is_blank = target.code.trim().is_empty();
                return Err(if is_blank { Reason::NothingWritten } else { Reason::Unchanged });
            }
            (accepted.edits, accepted.flags)
        }
        Draft::Rule { instruction, otherwise } => {
            let shown = document.with(target.span.clone(), &target.code);
            let range = target.span.start..target.span.start + target.code.len();
            let made = local::rewrite_within(&shown, &range, &instruction);
            let unsure =
                |error: local::Unrenamed| Reason::Unusable { code: "unsure", why: error.to_string() };
            let new = made.map_err(unsure)?.ok_or(otherwise)?;
            edit::accept_edits(&request, diff::minimal_within(&text, &target.span, &new))?
        }
    };
    flags.extend(unknown_calls(document, &edits, index));
    Ok(Rewrite { edits, flags })
}

/// Flags calls in the edits to names that neither the file nor the workspace contains.
///
/// Flags nothing until the workspace has been read.
fn unknown_calls(document: &Document, edits: &[Edit], index: &Workspace) -> Option<Flag> {
    let grammar = document.grammar().filter(|grammar| index.is_reliable_for(grammar))?;
    let known = |name: &str| index.knows(grammar, name);
    let names = names::unknown_names(grammar, &document.text().to_string(), edits, None, &known);
    (!names.is_empty()).then_some(Flag::UnknownNames(names))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentId;

    /// Checks the text after a reply for the lines between `«` and `»`, without the comment in them.
    #[track_caller]
    fn check(marked: &str, reply: &str, expected: &str) {
        check_ended(marked, reply, true, expected);
    }

    #[track_caller]
    fn check_ended(marked: &str, reply: &str, has_ended: bool, expected: &str) {
        let span = marked.find('«').unwrap()..marked.find('»').unwrap() - '«'.len_utf8();
        let text = marked.replace(['«', '»'], "");
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, &text);
        let code = text[span.clone()].split_inclusive('\n').filter(|line| !line.contains("ai:")).collect();
        let target = RewriteTarget { span, code };
        let instruction = "call another".to_owned();
        let draft = Draft::Reply { text: reply.to_owned(), instruction, has_ended };
        let outcome =
            match make(&document, "a.rs", &target, draft, false, &Workspace::default(), &Settings::default())
            {
                Ok(made) => edit::apply(&text, &made.edits),
                Err(reason) => reason.code().to_owned(),
            };
        assert_eq!(outcome, expected);
    }

    #[test]
    fn made_up_call_is_flagged() {
        let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, "fn f(a: A) {}\n");
        let edits = [Edit::new(12..12, " a.known(); a.made_up(); ")];
        let index = Workspace::default();
        let grammar = document.grammar().unwrap();
        let many: String = (0..5_000).map(|n| format!("name_{n} ")).collect();
        index.put(std::path::Path::new("b.rs"), grammar, &format!("fn known() {{}} {many}"));
        assert_eq!(unknown_calls(&document, &edits, &index), None, "more may be to come");
        index.complete();
        assert_eq!(
            unknown_calls(&document, &edits, &index),
            Some(Flag::UnknownNames(vec!["made_up".to_owned()]))
        );
    }

    #[test]
    fn reply_that_may_be_cut_without_an_explained_end_is_refused() {
        let file = "fn f() {\n«    a();\n    b();\n»}\n";
        let expected = "fn f() {\n    c();\n    d();\n}\n";
        check_ended(file, "    c();\n    d();\n", true, expected);
        check_ended(file, "    c();\n    d();\n", false, "may-be-cut");
        check_ended(file, "```\n    c();\n    d();\n```\n", false, expected);
    }

    #[test]
    fn reply_in_any_format_is_read() {
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

    #[test]
    fn model_that_writes_nothing_above_a_blank_line_is_told_from_one_that_leaves_code() {
        let outcome = |text: &str, code: &str, reply: &str| {
            let document = Document::new(DocumentId::new("file:///a.rs"), "rust", 0, text);
            let target =
                RewriteTarget { span: 0..text.find('\n').unwrap() + 1 + code.len(), code: code.to_owned() };
            let instruction = String::new();
            let draft = Draft::Reply { text: reply.to_owned(), instruction, has_ended: true };
            make(&document, "a.rs", &target, draft, false, &Workspace::default(), &Settings::default())
                .unwrap_err()
        };
        assert_eq!(outcome("// ai: be brief\n\nfn f() {}\n", "", "NO_EDITS"), Reason::NothingWritten);
        assert_eq!(outcome("// ai: be brief\nfn f() {}\n", "fn f() {}\n", "NO_EDITS"), Reason::Unchanged);
    }
}
