//! The prompts for a change across many files: for the plan, its steps, its revision and its repair.

use super::{Prompt, RefusedReply};

const PLAN: &str = "\
You plan a change of a project; others make the changes, one file each. After <|project|> the input shows the project's \
files by folder, what files define (a line of names, or the file's path and its signatures below), and code below \
`path:line`; then perhaps code that the user looks at after <|focus|>, and last the instruction (marks may be numbered, \
as in <|focus-1|>). Reply with a plan in one code fence and nothing else. \
A step is about one file, and a file has one step. It is written like this, indented by three blanks:\n\
1. edit `src/a.rs`\n\
\x20  gear: fast (one call changes)\n\
\x20  after: 2\n\
\n\
\x20  What is to be done in this file, with every name and signature that other steps rely on.\n\
2. create `src/b.rs`\n\
3. rename `src/c.rs` to `src/d.rs`\n\
4. delete `src/e.rs`\n\
`gear` is deep for work that needs thought: security, migrations, schemas, new modules; else fast. `after` names the steps \
whose result a step has to see; leave it out where there is none, for such steps run at once. \
The model that carries out a step sees the step's file, the outlines of the files it comes after, and your words: they \
must say all that it needs. Name paths as they are shown. Leave out what the instruction does not ask for; use as few steps as will do. \
If nothing has to change, reply NO_EDITS.";

const STEP: &str = "\
You carry out one step of a plan, in one file. The input shows the file, other code that you may rely on after \
<|around|>, what the whole plan is for after <|goal|>, and last what is to be done in this file after <|step|> (marks \
may be numbered, as in <|step-1|>). Do what the step says and nothing else; other steps change the other files. Keep names, \
comments, style and indentation. Never shorten code to a comment such as \"rest unchanged\". \
If there is a file, reply with one or more blocks like this, each with enough lines to be found only once:\n\
<<<<<<< SEARCH\n\
the current lines\n\
=======\n\
the new lines\n\
>>>>>>> REPLACE\n\
If the file is new, reply with its whole text in one code fence. If nothing has to change, reply NO_EDITS.";

const REVISION: &str = "\
You look at how far a plan has come, and revise the rest of it. The input shows what was asked for, what the steps so \
far have changed and what is wrong with that, and last the steps that are left (marks may be numbered). Steps that are \
left may be changed, added or left out; a file that was changed already has had its step. Reply KEEP if the rest can be \
carried out as it stands. Otherwise reply with all steps that are left, in the form in which they are shown, in one \
code fence.";

const REPAIR: &str = "\
You correct a change of a project before it is shown. The input shows what was asked for, the change so far as a diff, what \
is wrong with it, and last the project's files as they are with the change (marks may be numbered). What is wrong was \
found by tools, which may err. Reply KEEP if nothing of it comes from the change, or nothing can be done about it. \
Otherwise reply with a plan that corrects it and does nothing else, in one code fence, indented by three blanks like this:\n\
1. edit `src/a.rs`\n\
\x20  after: 2\n\
\n\
\x20  What is to be done in this file, with every name and signature that it takes.\n\
2. create `src/b.rs`\n\
A step is about one file, as it is with the change, and a file has one step. `after` names the steps whose result a step \
has to see; leave it out where there is none. Use as few steps as will do, and never weaken a test so that it passes.";

/// Whether instructions ask for a plan.
pub fn asks_for_plan(instructions: &str) -> bool {
    const BEGINNING: &str = "You plan a change of a project;";
    debug_assert!(PLAN.starts_with(BEGINNING));
    instructions.contains(BEGINNING)
}

/// The context of a request for a plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanContext<'a> {
    /// The project's files and their definitions.
    pub project: &'a str,
    /// The code in front of the user: a path, and code of that file.
    pub focus: Option<(&'a str, &'a str)>,
    /// The user's instruction.
    pub instruction: &'a str,
    /// A previous answer that could not be used, and why.
    pub refused: Option<&'a RefusedReply>,
}

/// Renders the prompt that asks for a plan.
pub fn render_plan(context: PlanContext<'_>) -> Prompt {
    let PlanContext { project, focus, instruction, refused } = context;
    let focus = focus.map(|(path, code)| format!("{}\n{code}", one_line(path)));
    let mut parts = vec![("project", project)];
    parts.extend(focus.as_deref().map(|focus| ("focus", focus)));
    render(PLAN, parts, instruction, "instruction", refused)
}

/// The context of a request for one step.
#[derive(Debug, Clone, Copy)]
pub struct StepContext<'a> {
    /// The file's path; the new path if it is renamed.
    pub path: &'a str,
    /// The file's text; `None` for a new file.
    pub text: Option<&'a str>,
    /// Outlines and signatures of other files.
    pub around: &'a str,
    /// The goal of the whole plan.
    pub goal: &'a str,
    /// The change to make in this file.
    pub intent: &'a str,
    /// A previous answer that could not be used, and why.
    pub refused: Option<&'a RefusedReply>,
}

/// Renders the prompt that asks for one step.
pub fn render_step(context: StepContext<'_>) -> Prompt {
    let StepContext { path, text, around, goal, intent, refused } = context;
    let what = if text.is_some() { "The file" } else { "The new file" };
    let file = format!("{what}: {}\n{}", one_line(path), text.unwrap_or_default());
    let mut parts = vec![("file", file.as_str())];
    parts.extend((!around.is_empty()).then_some(("around", around)));
    parts.push(("goal", goal));
    render(STEP, parts, intent, "step", refused)
}

/// The context of a request to revise a plan.
#[derive(Debug, Clone, Copy)]
pub struct RevisionContext<'a> {
    /// The goal of the whole plan.
    pub goal: &'a str,
    /// The changes of the steps so far, as a diff, truncated if long.
    pub changes: &'a str,
    /// The problems found so far, a line each.
    pub findings: &'a str,
    /// The remaining steps, in their text form.
    pub left: &'a str,
}

/// Renders the prompt that asks for the rest of a plan.
pub fn render_revision(context: RevisionContext<'_>) -> Prompt {
    let RevisionContext { goal, changes, findings, left } = context;
    render(REVISION, vec![("goal", goal), ("changes", changes), ("wrong", findings)], left, "left", None)
}

/// The context of a request to fix a change.
#[derive(Debug, Clone, Copy)]
pub struct RepairContext<'a> {
    /// The user's instruction.
    pub goal: &'a str,
    /// The change, as a diff, truncated if long.
    pub changes: &'a str,
    /// The problems found in the change.
    pub wrong: &'a str,
    /// The files with the change applied, and their definitions.
    pub project: &'a str,
}

/// Renders the prompt that asks for the fix of a change.
pub fn render_repair(context: RepairContext<'_>) -> Prompt {
    let RepairContext { goal, changes, wrong, project } = context;
    render(REPAIR, vec![("goal", goal), ("changes", changes), ("wrong", wrong)], project, "project", None)
}

/// Marks the parts; the last one is the request itself.
fn render<'a>(
    instructions: &'static str,
    mut parts: Vec<(&'a str, &'a str)>,
    asked: &'a str,
    name: &'static str,
    refused: Option<&RefusedReply>,
) -> Prompt {
    parts.push((name, asked));
    let prompt = Prompt::of_parts(instructions, &parts);
    match refused {
        Some(refused) => prompt.with_refused(refused),
        None => prompt,
    }
}

fn one_line(path: &str) -> String {
    path.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(prompt: &Prompt, expect: Expect) {
        expect.assert_eq(&format!("{}{}", prompt.input, &prompt.input[..prompt.stable]));
    }

    #[test]
    fn plan_shows_the_project_first_and_asks_last() {
        let refused = RefusedReply { reply: "1. edit x".to_owned(), why: "there is no x".to_owned() };
        let context = PlanContext {
            project: "src/a.rs\n    fn a()",
            focus: Some(("src/a.rs", "fn a() {}")),
            instruction: "do <|focus|>",
            refused: Some(&refused),
        };
        check(
            &render_plan(context),
            expect![[r#"
                <|project-1|>
                src/a.rs
                    fn a()
                <|focus-1|>
                src/a.rs
                fn a() {}
                <|instruction-1|>
                do <|focus|>
                <|refused|>
                1. edit x
                <|because|>
                there is no x
                The reply after <|refused|> was not used, for this reason. Reply again, complete, in the form that is asked for above, without this fault.
                <|project-1|>
                src/a.rs
                    fn a()
            "#]],
        );
    }

    #[test]
    fn step_shows_its_file_and_what_it_may_rely_on() {
        let context = StepContext {
            path: "src/a.rs",
            text: Some("fn a() {}\n"),
            around: "src/b.rs\nfn b()",
            goal: "all of it",
            intent: "call b",
            refused: None,
        };
        check(
            &render_step(context),
            expect![[r#"
                <|file|>
                The file: src/a.rs
                fn a() {}

                <|around|>
                src/b.rs
                fn b()
                <|goal|>
                all of it
                <|step|>
                call b
                <|file|>
                The file: src/a.rs
                fn a() {}

            "#]],
        );
        let new = render_step(StepContext { text: None, around: "", ..context });
        check(
            &new,
            expect![[r#"
                <|file|>
                The new file: src/a.rs

                <|goal|>
                all of it
                <|step|>
                call b
                <|file|>
                The new file: src/a.rs

            "#]],
        );
    }
}
