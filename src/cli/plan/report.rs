//! Reports a plan and the outcome of its run.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::exit::{REFUSED, USAGE};
use super::super::{diff, terminal};
use crate::assist::plan::{Plan, Proposed, Run, Step, StepReport, Verification, text};
use crate::cli::apply::flags_report;
use crate::edit::effect::{Effect, effects};
use crate::model::usage::Totals;

/// Reports a plan and the outcome of its run, as text or as JSON.
pub(super) struct Report {
    as_json: bool,
    plan: Option<Plan>,
    notes: Vec<String>,
}

impl Report {
    pub(super) fn new(as_json: bool) -> Self {
        Self { as_json, plan: None, notes: Vec::new() }
    }

    /// Reports the notes and the origin of a model's proposal.
    pub(super) fn proposed(&mut self, proposed: &Proposed) {
        self.notes.extend(proposed.notes.iter().cloned());
        if !self.as_json {
            for note in &proposed.notes {
                terminal::say(format_args!("note: {note}"));
            }
            terminal::say(format_args!("planned by {}", proposed.origin));
        }
    }

    /// Reports a plan. `is_all` is true if the plan is only shown, not carried out.
    pub(super) fn plan(&mut self, plan: &Plan, is_all: bool) -> anyhow::Result<()> {
        match (self.as_json, is_all) {
            (true, true) => {
                let report = json!({ "status": "planned", "plan": plan_report(plan), "notes": self.notes });
                terminal::json(&report, false)?;
            }
            (true, false) => self.plan = Some(plan.clone()),
            (false, true) => terminal::exact(&text::write(plan))?,
            (false, false) => terminal::say(format_args!("the plan:\n\n{}", text::write(plan))),
        }
        Ok(())
    }

    /// Reports the outcome of a run. `is_shown` is true if its diff has been shown already.
    pub(super) fn run(
        &self,
        run: &Run,
        is_shown: bool,
        totals: &Totals,
        took: Duration,
    ) -> anyhow::Result<()> {
        let effects = effects(&run.set);
        let changed: Vec<&Effect<'_>> = effects.iter().filter(|it| it.operation() != "none").collect();
        if self.as_json {
            return self.run_report(run, &changed, totals, took);
        }
        for effect in changed.iter().filter(|_| !is_shown) {
            diff::print_effect(effect)?;
        }
        for line in run.remarks(&changed, totals, took) {
            terminal::say(line);
        }
        Ok(())
    }

    fn run_report(
        &self,
        run: &Run,
        changed: &[&Effect<'_>],
        totals: &Totals,
        took: Duration,
    ) -> anyhow::Result<()> {
        let files: Vec<Value> = changed
            .iter()
            .map(|it| {
                let [added, removed] = it.lines();
                let flags = flags_report(it.flags);
                json!({ "path": it.path, "operation": it.operation(), "added": added, "removed": removed, "flags": flags })
            })
            .collect();
        let findings: Vec<Value> = run
            .findings
            .iter()
            .map(|it| {
                let (code, message) = (it.problem.code(), it.problem.to_string());
                json!({ "path": it.path, "line": it.line, "code": code, "message": message })
            })
            .collect();
        let status = match (run.gap().is_none(), run.is_sound(), changed.is_empty()) {
            (false, ..) => "incomplete",
            (true, false, _) => "check-failed",
            (true, true, true) => "unchanged",
            (true, true, false) => "done",
        };
        let notes: Vec<&String> = self.notes.iter().chain(&run.notes).collect();
        let diff: String = changed.iter().map(|effect| effect.unified()).collect();
        let report = json!({
            "status": status,
            "plan": self.plan.as_ref().map(plan_report),
            "steps": run.steps.iter().map(StepReport::json).collect::<Vec<_>>(),
            "files": files,
            "findings": findings,
            "verification": run.verification.as_ref().map(Verification::json),
            "test_command": run.test_command,
            "stopped": run.stopped,
            "notes": notes,
            "diff": diff,
            "gears": totals.gears,
            "seconds": took.as_secs_f64(),
        });
        Ok(terminal::json(&report, false)?)
    }
}

/// The JSON report of a command that ends early.
pub(super) fn stopped(code: u8, message: &str) -> Value {
    let status = match code {
        0 => "unchanged",
        USAGE => "usage",
        REFUSED => "refused",
        _ => "failed",
    };
    json!({ "status": status, "reason": message })
}

fn plan_report(plan: &Plan) -> Value {
    let steps: Vec<Value> = plan.steps.iter().map(one_step).collect();
    json!({ "instruction": plan.instruction, "steps": steps, "text": text::write(plan) })
}

fn one_step(step: &Step) -> Value {
    let to = step.paths().nth(1);
    let tag = step.tag.as_ref();
    json!({
        "number": step.number,
        "action": step.action.verb(),
        "path": step.path,
        "to": to,
        "intent": step.intent,
        "gear": tag.map(|tag| tag.gear.name()),
        "why": tag.map(|tag| tag.why.as_str()),
        "after": step.after,
    })
}
