//! Reads a model's plan: in the text form or as JSON, with prose or a fence around it.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::error::PlanError;
use super::steps::{Action, Plan, Step, Tag, tidy};
use super::text;
use crate::edit;
use crate::route::Gear;
use crate::text::line;

/// A model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannerReply {
    /// A plan, not [checked](Plan::check) yet.
    Plan(Plan),
    /// There is nothing to do.
    Nothing,
    /// Not a plan. It may be a patch.
    Other,
}

/// The languages of fences that contain no plan.
const PATCHES: [&str; 3] = ["diff", "patch", "udiff"];
/// Limit on the positions at which JSON is tried.
const MOST_TRIES: usize = 32;

/// Parses an answer. `has_ended` is true if the answer is known to be complete.
///
/// # Errors
///
/// The error of a plan in the answer.
pub fn read(answer: &str, instruction: &str, has_ended: bool) -> Result<PlannerReply, PlanError> {
    let answer = edit::without_thinking(answer).map_err(|_| PlanError::CutOff)?;
    if line::is_blank(answer) {
        return Err(PlanError::Empty);
    }
    if answer.trim().trim_matches(['*', '`', '.']) == edit::NO_EDITS {
        return Ok(PlannerReply::Nothing);
    }
    let plan = match of_json(answer)? {
        Some(plan) => Some(plan),
        None => of_text(answer, has_ended)?,
    };
    Ok(plan.map_or(PlannerReply::Other, |plan| {
        PlannerReply::Plan(Plan { instruction: tidy(instruction), ..plan })
    }))
}

/// The plan in an answer as JSON; `None` if there is none.
fn of_json(answer: &str) -> Result<Option<Plan>, PlanError> {
    let mut found: Option<Plan> = None;
    let (mut at, mut tries) = (0, 0);
    while let Some(line) = line::split_iter(&answer[at..]).next() {
        let start = at + (line.len() - line.trim_start().len());
        at += line.len();
        if !answer[start..].starts_with(['{', '[']) || tries == MOST_TRIES {
            continue;
        }
        tries += 1;
        let mut values = serde_json::Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            Some(Err(error)) if is_about_steps(line, &answer[start..]) => {
                return Err(if error.is_eof() {
                    PlanError::CutOff
                } else {
                    PlanError::Json(error.to_string())
                });
            }
            _ => continue,
        };
        at = at.max(start + values.byte_offset());
        let value = value.get("plan").filter(|plan| plan.is_object()).unwrap_or(&value);
        if value.get("steps").is_none() {
            continue;
        }
        let read: JsonPlan =
            JsonPlan::deserialize(value).map_err(|error| PlanError::Json(error.to_string()))?;
        let plan = Plan::try_from(read)?;
        if found.as_ref().is_some_and(|other| *other != plan) {
            return Err(PlanError::Several);
        }
        found = Some(plan);
    }
    Ok(found)
}

/// Whether broken JSON was meant as a plan: `steps` is a key within its first lines.
fn is_about_steps(line: &str, json: &str) -> bool {
    line.contains("\"steps\"")
        || line::split_iter(json).take(4).any(|line| line.trim_start().starts_with("\"steps\""))
}

/// The plan in an answer in the text form; `None` if there is none.
fn of_text(answer: &str, has_ended: bool) -> Result<Option<Plan>, PlanError> {
    let mut found: Option<Plan> = None;
    // The text of the open fence, and whether it may be a plan.
    let mut fence: Option<(String, bool)> = None;
    let mut outside = String::new();
    for line in line::split_iter(answer) {
        let mark = line.trim_start().strip_prefix("```");
        match (&mut fence, mark) {
            (None, Some(info)) => fence = Some((String::new(), !PATCHES.contains(&info.trim()))),
            (Some((text, is_plain)), Some(info)) if info.trim().is_empty() => {
                if *is_plain && has_head(text) {
                    let plan = text::read(&indented_below_heads(text))?;
                    if found.as_ref().is_some_and(|other| *other != plan) {
                        return Err(PlanError::Several);
                    }
                    found = Some(plan);
                }
                fence = None;
            }
            (Some((text, _)), _) => text.push_str(line),
            (None, None) => outside.push_str(line),
        }
    }
    if let Some((text, true)) = &fence
        && has_head(text)
    {
        return Err(PlanError::CutOff);
    }
    if found.is_some() || !has_head(&outside) {
        return Ok(found);
    }
    // Without a fence, only the end of the answer shows that a plan is complete.
    if !has_ended {
        return Err(PlanError::CutOff);
    }
    text::read(&indented_below_heads(without_prose(&outside))).map(Some)
}

fn has_head(text: &str) -> bool {
    line::split_iter(text).any(|line| text::is_head(line::body(line)))
}

/// A text with all lines below a step's head indented, which models forget.
fn indented_below_heads(text: &str) -> String {
    let mut is_below = false;
    let indent = |line: &str| {
        let is_head = text::is_head(line::body(line));
        is_below |= is_head;
        let is_open = is_below && !is_head && !line.starts_with([' ', '\t', '>']) && !line::is_blank(line);
        format!("{}{line}", if is_open { text::INDENT } else { "" })
    };
    line::split_iter(text).map(indent).collect()
}

/// A text from its first step to the end of the paragraph in which the last step ends.
///
/// Nothing between them counts as prose.
fn without_prose(text: &str) -> &str {
    let (mut start, mut end, mut at) = (None, 0, 0);
    let mut is_after_blank = false;
    for line in line::split_iter(text) {
        let from = at;
        at += line.len();
        let is_blank = line::is_blank(line);
        if text::is_head(line::body(line)) {
            start.get_or_insert(from);
            end = at;
        } else if start.is_some() && !is_blank && (line.starts_with([' ', '\t']) || !is_after_blank) {
            end = at;
        }
        is_after_blank = is_blank;
    }
    &text[start.unwrap_or(0)..end]
}

/// A plan as models write it in JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonPlan {
    steps: Vec<JsonStep>,
    #[serde(
        default,
        rename = "instruction",
        alias = "title",
        alias = "summary",
        alias = "goal",
        alias = "notes"
    )]
    _title: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonStep {
    #[serde(alias = "id", alias = "step")]
    number: Option<u32>,
    #[serde(alias = "kind", alias = "operation", alias = "type")]
    action: String,
    #[serde(alias = "file")]
    path: String,
    #[serde(alias = "new_path", alias = "move_to")]
    to: Option<String>,
    #[serde(default, alias = "description", alias = "what")]
    intent: String,
    gear: Option<String>,
    #[serde(alias = "reason")]
    why: Option<String>,
    #[serde(default, alias = "depends_on", alias = "dependencies", alias = "depends-on")]
    after: Vec<u32>,
}

impl TryFrom<JsonPlan> for Plan {
    type Error = PlanError;

    fn try_from(json: JsonPlan) -> Result<Self, PlanError> {
        let steps =
            json.steps.into_iter().enumerate().map(|(at, step)| step.read(at)).collect::<Result<_, _>>()?;
        Ok(Self { instruction: String::new(), steps })
    }
}

impl JsonStep {
    /// Converts the step at index `at`.
    fn read(self, at: usize) -> Result<Step, PlanError> {
        let number = self.number.unwrap_or(u32::try_from(at + 1).unwrap_or(u32::MAX));
        let wrong = |why: String| PlanError::Json(format!("step {number}: {why}"));
        let action = Action::of_verb(&self.action, self.to.clone())
            .ok_or_else(|| wrong(format!("`{}` is no action", self.action)))?;
        if self.to.is_some() && !matches!(action, Action::Rename { .. }) {
            return Err(wrong("only a rename has `to`".to_owned()));
        }
        let tag = match self.gear {
            None => None,
            Some(gear) => {
                let gear: Gear =
                    gear.parse().map_err(|error: crate::route::UnknownGear| wrong(error.to_string()))?;
                let why = tidy(&self.why.unwrap_or_default()).replace('\n', " ").trim().to_owned();
                Some(Tag { gear, why })
            }
        };
        let path = self.path.trim().to_owned();
        Ok(Step { number, path, action, intent: tidy(&self.intent), tag, after: self.after })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::prompt::plan::{PlanContext, RepairContext, render_plan, render_repair};

    fn shown(answer: &str, has_ended: bool) -> String {
        match read(answer, "do it", has_ended) {
            Ok(PlannerReply::Plan(plan)) => match plan.check() {
                Ok(()) => text::write(&plan),
                Err(errors) => format!("{}: {errors}\n", errors.code()),
            },
            Ok(PlannerReply::Nothing) => "nothing is to be done\n".to_owned(),
            Ok(PlannerReply::Other) => "no plan\n".to_owned(),
            Err(error) => format!("{}: {error}\n", error.code()),
        }
    }

    /// Checks the plan in an answer, or its error.
    fn check(answer: &str, expect: Expect) {
        expect.assert_eq(&shown(answer, true));
    }

    #[test]
    fn plan_is_found_in_prose_and_fences() {
        let expected = || {
            expect![[r#"
                # do it

                1. edit `a.rs`
                   gear: deep

                   Change x.

                2. delete `b.rs`
                   after: 1
            "#]]
        };
        let steps = "1. edit `a.rs`\n   gear: deep\n\n   Change x.\n\n2. delete `b.rs`\n   after: 1\n";
        check(steps, expected());
        check(&format!("Here is the plan:\n\n{steps}\nTell me if that is fine.\n"), expected());
        check(&format!("Plan:\n\n```plan\n{steps}```\nDone.\n"), expected());
        check(&format!("<think>\n1. edit `z`: no\n</think>\n# Other title\n{steps}"), expected());
        check(&format!("```\n{steps}```\nAgain:\n```\n{steps}```\n"), expected());
        let flat = steps.replace("\n   ", "\n");
        check(&flat, expected());
        check(&format!("```\n{flat}```\n"), expected());
        let json = r#"{"title": "t", "steps": [
            {"id": 1, "kind": "modify", "file": "a.rs", "intent": "Change x.", "gear": "deep"},
            {"id": 2, "kind": "delete", "file": "b.rs", "depends_on": [1]}]}"#;
        check(json, expected());
        check(&format!("I would do this:\n```json\n{json}\n```\nfine?"), expected());
        check(&format!("{{\"plan\": {json}}}"), expected());
    }

    #[test]
    fn examples_in_the_prompts_are_plans() {
        let context = PlanContext { project: "", focus: None, instruction: "", refused: None };
        let repair = RepairContext { goal: "", changes: "", wrong: "", project: "" };
        for (prompt, steps) in [(render_plan(context), 4), (render_repair(repair), 2)] {
            let (_, example) = prompt.instructions.split_once(":\n1. ").unwrap();
            let example = format!("1. {example}");
            let is_part =
                |line: &&str| text::is_head(line) || line.starts_with(text::INDENT) || line.is_empty();
            let example: Vec<&str> = example.lines().take_while(is_part).collect();
            let plan = text::read(&example.join("\n")).unwrap();
            assert_eq!(plan.steps.len(), steps, "{example:?}");
            assert_eq!(plan.steps[0].after, [2]);
            assert!(plan.steps[0].intent.starts_with("What is to be done"));
        }
    }

    #[test]
    fn answer_that_is_no_plan_is_told_apart() {
        check("", expect!["empty: the answer is empty\n"]);
        check("NO_EDITS\n", expect!["nothing is to be done\n"]);
        check("I cannot see the files. Could you show them?", expect!["no plan\n"]);
        check("*** Begin Patch\n*** Delete File: a\n*** End Patch\n", expect!["no plan\n"]);
        check(r#"{"name": "read_file", "arguments": {"path": "a.rs"}}"#, expect!["no plan\n"]);
        check("1. First I would look around.\n2. Then I would edit it.\n", expect!["no plan\n"]);
    }

    #[test]
    fn plan_that_is_not_whole_is_refused() {
        let cut = || expect!["cut-off: the plan was cut off\n"];
        check("<think>so", cut());
        check("```\n1. edit `a`: x\n", cut());
        check(r#"{"steps": [{"kind": "edit", "file": "a", "#, cut());
        cut().assert_eq(&shown("1. edit `a`: x\n2. edit `b`: y\n", false));
        assert!(shown("```\n1. edit `a`: x\n```\n", false).ends_with("x\n"), "a fence marks the end");
    }

    #[test]
    fn plan_that_cannot_be_carried_out_is_refused() {
        check(r#"{"steps": []}"#, expect!["no-steps: the plan has no steps\n"]);
        let many: String = (1..=500).map(|it| format!("{it}. edit `f{it}`: x\n")).collect();
        check(
            &many,
            expect!["too-many-steps: the plan has 500 steps, and 60 are allowed; ask for less at a time\n"],
        );
        check(
            "1. edit `a`: x\n   after: 2\n2. edit `b`: x\n   after: 1\n",
            expect!["circle: steps 2, 1 wait for each other\n"],
        );
        check(
            "1. edit `a`: x\n2. edit `a`: y\n",
            expect!["same-path: steps 1, 2 want the same path, `a`; a file has one step\n"],
        );
        check(
            "1. delete `a`\n2. rename `b` to `a`\n",
            expect!["same-path: steps 1, 2 want the same path, `a`; a file has one step\n"],
        );
        check(
            "1. edit `a`\n1. edit `b`: x\n   after: 7\n",
            expect![[r#"
                no-intent: step 1 does not say what is to be done; two steps have the number 1; step 1 comes after step 7, which is not in the plan
            "#]],
        );
        check(
            "1. edit `a`: x\n   gear: local\n",
            expect!["needs-model: step 1 needs a model; give it the gear `fast` or `deep`\n"],
        );
        check(
            r#"{"steps": [{"kind": "rename", "file": "a"}]}"#,
            expect!["not-a-path: step 1: `` is no path\n"],
        );
        check(
            r#"{"steps": [{"kind": "run", "file": "a"}]}"#,
            expect!["bad-json: the JSON is no plan: step 1: `run` is no action\n"],
        );
        check(
            r#"{"steps": [{"kind": "edit", "file": "a", "intent": "x", "content": "code"}]}"#,
            expect![[r#"
                bad-json: the JSON is no plan: unknown field `content`, expected one of `id`, `number`, `step`, `action`, `kind`, `operation`, `type`, `file`, `path`, `move_to`, `new_path`, `to`, `description`, `intent`, `what`, `gear`, `reason`, `why`, `after`, `dependencies`, `depends-on`, `depends_on`
            "#]],
        );
        check(
            "```\n1. edit `a`: x\n```\nor\n```\n1. edit `b`: x\n```\n",
            expect![[r#"
            several-plans: the answer has several plans, and they differ
        "#]],
        );
        check(
            "1. edit `a`: x\nAnd do not forget this.\n2. edit `b`: y\n",
            expect![[r#"
                # do it

                1. edit `a`

                   x
                   And do not forget this.

                2. edit `b`

                   y
            "#]],
        );
    }
}
