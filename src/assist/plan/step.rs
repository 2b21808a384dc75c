//! One step of a plan: one file, what it needs, a reply that is read, placed, guarded and parsed.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::project::Project;
use super::steps::{Action, Step};
use crate::assist::outcome::Origin;
use crate::assist::pipeline::{AnswerStream, Pipeline, Task, blocking};
use crate::document::{Document, DocumentId};
use crate::edit::edit_set::{Base, Change, FileEdit};
use crate::edit::guard::{self, Checks};
use crate::edit::plan::{self, Entry, Files, Identity, Kind, Permissions};
use crate::edit::reply::{self, Flag, Format};
use crate::edit::{Refusal, apply};
use crate::grammar;
use crate::job::{Job, Reason};
use crate::model::Usage;
use crate::privacy::{ModelAccess, Verdict};
use crate::prompt::Prompt;
use crate::prompt::plan::{Refused, StepContext, render_step};
use crate::route::{Gear, RouteInput};
use crate::snapshot::Snapshot;

/// What a step is carried out with.
///
/// It is of one moment: what other steps do meanwhile does not change it.
#[derive(Debug, Clone)]
pub(super) struct StepInput {
    pub(super) step: Step,
    /// The file as it is; `None` if it is new.
    pub(super) base: Option<Base>,
    /// What the whole plan is for.
    pub(super) goal: Arc<str>,
    /// Outlines and signatures of other files.
    pub(super) around: Arc<str>,
}

/// An answer to a step that could not be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unusable {
    pub(super) answer: String,
    pub(super) why: String,
}

/// Bytes of an unusable answer that the model is shown again.
const SHOWN_AGAIN: usize = 8 * 1024;

/// The change of a step that needs no model; `None` if it needs one.
pub(super) fn without_model(input: &StepInput) -> Option<FileEdit> {
    let StepInput { step, base, .. } = input;
    if step.needs_model() {
        return None;
    }
    let base = base.clone()?;
    let change = match &step.action {
        Action::Rename { to } => Change::Rename { base, edits: Vec::new(), to: to.clone() },
        Action::Delete => Change::Delete { base },
        Action::Edit | Action::Create => return None,
    };
    Some(FileEdit { path: step.path.clone(), change, flags: Vec::new() })
}

/// One call of a model for a step's change.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) pipeline: &'a Pipeline,
    pub(super) project: &'a Project,
    pub(super) input: &'a StepInput,
    pub(super) gear: Gear,
    /// The answer before this one.
    pub(super) unusable: Option<&'a Unusable>,
}

impl Attempt<'_> {
    /// Asks the gear's model.
    ///
    /// # Errors
    ///
    /// Why there is no change; `answer` is what the model wrote then.
    pub(super) async fn ask(self, answer: &mut String) -> Result<(FileEdit, Origin), Reason> {
        let Self { pipeline, project, input, gear, unusable } = self;
        let place = project.place(&input.step.path);
        let access = {
            let (access, place) = (Arc::clone(&project.access), place.clone());
            blocking(Job::Step, move || access(&place)).await?
        };
        let text = input.base.as_ref().map_or("", |base| base.text.as_str());
        let id = DocumentId::new(&format!("file://{}", place.display()));
        let snapshot = Snapshot {
            document: Arc::new(Document::new(id, "", 0, text)),
            path: input.step.path.as_str().into(),
            outline: "".into(),
            settings: Arc::clone(project.settings.of(Some(&place))),
            access: ModelAccess::settled(access),
            workspace: Arc::clone(&project.workspace),
            related: Arc::default(),
        };
        let allow_invisible = snapshot.settings.allow_invisible_characters;
        pipeline.run(&snapshot, StepTask { input, gear, unusable, answer, allow_invisible }).await
    }
}

struct StepTask<'a> {
    input: &'a StepInput,
    gear: Gear,
    /// The answer before this one.
    unusable: Option<&'a Unusable>,
    /// Where the answer is kept, in case that it cannot be used.
    answer: &'a mut String,
    allow_invisible: bool,
}

impl Task for StepTask<'_> {
    const JOB: Job = Job::Step;
    type Shown = ();
    /// The answer, and whether it ended by itself.
    type Draft = (String, bool);
    type Output = FileEdit;

    fn facts<'f>(&'f self, facts: RouteInput<'f>) -> RouteInput<'f> {
        let code = self.input.base.as_ref().map_or("", |base| base.text.as_str());
        RouteInput { forced: Some(self.gear), instruction: &self.input.step.intent, code, ..facts }
    }

    fn target(&self) -> Range<usize> {
        0..0
    }

    async fn prompt(&mut self, _: Gear) -> Result<(Prompt, ()), Reason> {
        let StepInput { step, base, goal, around } = self.input;
        let refused = self.unusable.map(|it| Refused {
            answer: super::overview::cut(&it.answer, SHOWN_AGAIN),
            why: it.why.as_str(),
        });
        let context = StepContext {
            path: &step.path,
            text: base.as_ref().map(|base| base.text.as_str()),
            around,
            goal,
            intent: &step.intent,
            refused,
        };
        Ok((render_step(context), ()))
    }

    async fn read(&mut self, (): (), answer: AnswerStream) -> Result<((String, bool), Usage), Reason> {
        let (text, usage) = answer.text().await?;
        self.answer.clone_from(&text);
        Ok(((text, !usage.unexplained), usage))
    }

    fn local(&mut self, withheld: Option<Reason>) -> Result<(String, bool), Reason> {
        Err(withheld.unwrap_or(Reason::NeedsModel))
    }

    async fn validate(&mut self, (answer, has_ended): (String, bool)) -> Result<FileEdit, Reason> {
        let (input, allow_invisible) = (self.input.clone(), self.allow_invisible);
        Ok(blocking(Job::Step, move || change(input, &answer, has_ended, allow_invisible)).await??)
    }
}

/// The change that an answer makes of a step's file.
///
/// # Errors
///
/// What is wrong with the answer: it cannot be read or placed, it is for another file, or a guard refuses it.
fn change(
    input: StepInput,
    answer: &str,
    has_ended: bool,
    allow_invisible: bool,
) -> Result<FileEdit, Refusal> {
    let StepInput { step, base, .. } = input;
    let Some(base) = base else {
        let (text, flags) = new_text(&step.path, answer, has_ended, allow_invisible)?;
        return Ok(FileEdit { path: step.path, change: Change::Create { text }, flags });
    };
    let grammar = grammar::by_path(Path::new(&step.path));
    let request =
        reply::Request { text: &base.text, path: Some(&step.path), range: None, window: None, grammar };
    let outcome = read_whole(request, answer, has_ended)?;
    let checks = Checks {
        before: &base.text,
        grammar,
        // The plan may ask for no more.
        blanks_count: true,
        is_whole: outcome.format == Format::Whole,
        allow_invisible,
        ..Checks::default()
    };
    let flags = guard::check(&checks, &outcome.edits)?;
    let edits = outcome.edits;
    let change = match step.action {
        Action::Rename { to } => Change::Rename { base, edits, to },
        _ => Change::Edit { base, edits },
    };
    Ok(FileEdit { path: step.path, change, flags })
}

/// The text of a new file in an answer: in whichever format names the file, or as the only code in it.
fn new_text(
    path: &str,
    answer: &str,
    has_ended: bool,
    allow_invisible: bool,
) -> Result<(String, Vec<Flag>), Refusal> {
    let permissions = Permissions { access: &|_| Verdict::Open, allow_invisible };
    match plan::plan(answer, &EmptyFolder, permissions) {
        Ok(set) => {
            let other = set.files().iter().find(|file| file.path != path);
            if let Some(file) = other {
                return Err(Refusal::OtherFile { path: file.path.clone() });
            }
            let file = set.into_files().pop().ok_or(Refusal::Empty)?;
            let text = file.new_text().map(std::borrow::Cow::into_owned).ok_or(Refusal::Empty)?;
            return sound(path, text, file.flags);
        }
        // Code that names no file can only be this one's.
        Err(Refusal::Malformed { .. } | Refusal::Prose) => {}
        Err(refusal) => return Err(refusal),
    }
    let request = reply::Request {
        path: Some(path),
        range: Some(0..0),
        grammar: grammar::by_path(Path::new(path)),
        ..reply::Request::default()
    };
    let outcome = read_whole(request, answer, has_ended)?;
    let text = apply("", &outcome.edits);
    if text.is_empty() {
        return Err(Refusal::Empty);
    }
    let flags = plan::check_new(path, &text, allow_invisible)?;
    sound(path, text, flags)
}

/// Refuses a new file with syntax errors, where the grammar can be relied on: it can be asked for again.
fn sound(path: &str, text: String, flags: Vec<Flag>) -> Result<(String, Vec<Flag>), Refusal> {
    match grammar::by_path(Path::new(path)) {
        Some(grammar) if grammar.errors_are_reliable() && flags.contains(&Flag::Syntax) => {
            let document = Document::new(DocumentId::new(path), grammar.id(), 0, &text);
            let after = guard::syntax_errors(&document).unwrap_or(1);
            Err(Refusal::Syntax { before: 0, after })
        }
        _ => Ok((text, flags)),
    }
}

/// Reads an answer that must be whole, and more than talk.
fn read_whole(request: reply::Request<'_>, answer: &str, has_ended: bool) -> Result<reply::Outcome, Refusal> {
    let outcome = reply::read(request, answer)?;
    if outcome.flags.contains(&Flag::Talk) {
        return Err(Refusal::Prose);
    }
    if !has_ended && outcome.flags.contains(&Flag::MayBeCut) {
        return Err(Refusal::MayBeCut);
    }
    Ok(outcome)
}

/// A folder with nothing in it: what a new file is read against.
struct EmptyFolder;

impl Files for EmptyFolder {
    type Error = Refusal;

    fn entry(&self, path: &str) -> Result<Option<Entry>, Refusal> {
        let root =
            Entry { real: String::new(), kind: Kind::Folder, identity: Identity(0, 0), is_link: false };
        Ok(path.is_empty().then_some(root))
    }

    fn names(&self, _: &str) -> Result<Vec<String>, Refusal> {
        Ok(Vec::new())
    }

    fn open(&self, entry: &Entry) -> Result<Base, Refusal> {
        Err(Refusal::OtherFile { path: entry.real.clone() })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::edit::edit_set::Revision;

    /// What an answer to a step makes of the file `a.rs` with this text; of a new file without one.
    fn check(action: Action, text: Option<&str>, answer: &str, expect: Expect) {
        let base = text.map(|text| Base { text: text.to_owned(), revision: Revision::Version(1) });
        let (path, intent) = ("a.rs".to_owned(), "do it".to_owned());
        let step = Step { number: 1, path, action, intent, tag: None, after: Vec::new() };
        let input = StepInput { step, base, goal: "".into(), around: "".into() };
        let shown = match change(input, answer, true, false) {
            Ok(file) => {
                let name = |flag: &Flag| format!(" ({})", flag.code());
                let flags: String = file.flags.iter().map(name).collect();
                format!("{}{flags}\n{}", file.new_path().unwrap(), file.new_text().unwrap())
            }
            Err(refusal) => format!("{}: {refusal}\n", refusal.code()),
        };
        expect.assert_eq(&shown);
    }

    const TEXT: &str = "fn a() {\n    one();\n}\n";

    #[test]
    fn edit_in_any_format_is_read() {
        let edited = || {
            expect![[r#"
                a.rs
                fn a() {
                    two();
                }
            "#]]
        };
        let check = |answer: &str, expect| check(Action::Edit, Some(TEXT), answer, expect);
        check("<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n", edited());
        check("a.rs\n<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n", edited());
        check("```rust\nfn a() {\n    two();\n}\n```\n", edited());
        check(
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-    one();\n+    two();\n*** End Patch\n",
            edited(),
        );
        check(
            "NO_EDITS",
            expect![[r#"
                a.rs
                fn a() {
                    one();
                }
            "#]],
        );
    }

    #[test]
    fn answer_that_drifts_is_refused() {
        let check = |answer: &str, expect| check(Action::Edit, Some(TEXT), answer, expect);
        check(
            "*** Begin Patch\n*** Update File: b.rs\n@@\n-    one();\n+    two();\n*** End Patch\n",
            expect!["other-file: the reply is for another file, `b.rs`\n"],
        );
        check(
            "*** Begin Patch\n*** Delete File: a.rs\n*** End Patch\n",
            expect![[r#"
                file-operation: the reply would delete the file, where an edit was asked for
            "#]],
        );
        check("I would call two.", expect!["prose: the reply is talk, not code\n"]);
        check(
            "```rust\nfn a() {\n    two(;\n}\n```\n",
            expect!["syntax: the result would have 1 syntax error where there were 0\n"],
        );
        check(
            "<<<<<<< SEARCH\n    three();\n=======\n    two();\n>>>>>>> REPLACE\n",
            expect!["not-found: block 1 looks for `three();`, which is not in the file\n"],
        );
    }

    #[test]
    fn new_file_in_any_format_is_read() {
        let made = || {
            expect![[r#"
                a.rs
                pub fn a() {}
            "#]]
        };
        let check = |answer: &str, expect| check(Action::Create, None, answer, expect);
        check("```rust\npub fn a() {}\n```\n", made());
        check("Here it is:\n\n`a.rs`\n```rust\npub fn a() {}\n```\n", made());
        check("*** Begin Patch\n*** Add File: a.rs\n+pub fn a() {}\n*** End Patch\n", made());
        check(
            "```rust\npub fn a() {\n```\n",
            expect!["syntax: the result would have 1 syntax error where there were 0\n"],
        );
        check(
            "`b.rs`\n```rust\npub fn a() {}\n```\n",
            expect!["other-file: the reply is for another file, `b.rs`\n"],
        );
        check("NO_EDITS", expect!["empty: the reply is empty\n"]);
        check("I need to see more.", expect!["prose: the reply is talk, not code\n"]);
    }

    #[test]
    fn rename_with_a_change_keeps_both() {
        let action = || Action::Rename { to: "b.rs".to_owned() };
        check(
            action(),
            Some(TEXT),
            "<<<<<<< SEARCH\nfn a() {\n=======\nfn b() {\n>>>>>>> REPLACE\n",
            expect![[r#"
                b.rs
                fn b() {
                    one();
                }
            "#]],
        );
    }
}
