//! What is told of a plan and of its run.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::super::exit::{REFUSED, USAGE};
use super::super::{diff, terminal};
use crate::assist::plan::{Outcome, Plan, Proposed, Run, Status, Step, StepReport, Verification, text};
use crate::cli::apply::{UNPRINTED, flags_report};
use crate::edit::effect::{Effect, effects};
use crate::model::usage::{Tally, Totals};
use crate::text::printable_lines;

/// Tells of a plan and of its run, to people or to programs.
pub(super) struct Report {
    as_json: bool,
    plan: Option<Plan>,
    notes: Vec<String>,
}

impl Report {
    pub(super) fn new(as_json: bool) -> Self {
        Self { as_json, plan: None, notes: Vec::new() }
    }

    /// A model has made a proposal.
    pub(super) fn proposed(&mut self, proposed: &Proposed) {
        let model = proposed.origin.model.as_deref().unwrap_or("a model");
        let (gear, why) = (proposed.origin.gear, &proposed.origin.reason);
        self.notes.extend(proposed.notes.iter().cloned());
        if !self.as_json {
            for note in &proposed.notes {
                terminal::say(format_args!("note: {note}"));
            }
            terminal::say(format_args!("planned by {model} ({gear}: {why})"));
        }
    }

    /// The plan that is carried out, or only shown.
    pub(super) fn plan(&mut self, plan: &Plan, is_all: bool) -> anyhow::Result<()> {
        match (self.as_json, is_all) {
            (true, true) => {
                let report = json!({ "status": "planned", "plan": plan_report(plan), "notes": self.notes });
                terminal::json(&report, false).context(UNPRINTED)?;
            }
            (true, false) => self.plan = Some(plan.clone()),
            (false, true) => terminal::exact(&text::write(plan)).context(UNPRINTED)?,
            (false, false) => terminal::say(format_args!("the plan:\n\n{}", text::write(plan))),
        }
        Ok(())
    }

    /// What a run came to.
    pub(super) fn run(&self, run: &Run, totals: &Totals, took: Duration) -> anyhow::Result<()> {
        let effects = effects(&run.set);
        let changed: Vec<&Effect<'_>> = effects.iter().filter(|it| it.operation() != "none").collect();
        if self.as_json {
            return self.run_report(run, &changed, totals, took);
        }
        for effect in &changed {
            diff::print_effect(effect).context(UNPRINTED)?;
        }
        for step in &run.steps {
            say_step(step);
        }
        for file in run.set.files() {
            for flag in &file.flags {
                terminal::say(format_args!("note: {}: {flag}", file.path));
            }
        }
        for finding in &run.findings {
            terminal::say(format_args!("check: {finding}"));
        }
        if let Some(verification) = &run.verification {
            if verification.outcome != Outcome::Passed && !verification.said.is_empty() {
                terminal::say(printable_lines(verification.said.trim_end()));
            }
            terminal::say(format_args!("check: {verification}"));
        }
        for note in &run.notes {
            terminal::say(format_args!("note: {note}"));
        }
        if let Some(why) = &run.stopped {
            terminal::say(format_args!("stopped: {why}"));
        }
        terminal::say(summary(run.set.files().iter().filter(|it| !it.is_unchanged()).count(), &changed));
        for (gear, tally) in &totals.gears {
            terminal::say(format_args!("{gear}: {}", spent(tally)));
        }
        terminal::say(format_args!("{:.1} s", took.as_secs_f64()));
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
        let status = match (run.is_whole() && run.stopped.is_none(), changed.is_empty()) {
            (false, _) => "incomplete",
            (true, true) => "unchanged",
            (true, false) => "done",
        };
        let notes: Vec<&String> = self.notes.iter().chain(&run.notes).collect();
        let diff: String = changed.iter().map(|effect| effect.unified()).collect();
        let report = json!({
            "status": status,
            "plan": self.plan.as_ref().map(plan_report),
            "steps": run.steps.iter().map(step_report).collect::<Vec<_>>(),
            "files": files,
            "findings": findings,
            "verification": run.verification.as_ref().map(verification_report),
            "stopped": run.stopped,
            "notes": notes,
            "diff": diff,
            "gears": totals.gears,
            "seconds": took.as_secs_f64(),
        });
        terminal::json(&report, false).context(UNPRINTED)
    }
}

/// What programs are told if the command ends early.
pub(super) fn stopped(code: u8, message: &str) -> Value {
    let status = match code {
        0 => "unchanged",
        USAGE => "usage",
        REFUSED => "refused",
        _ => "failed",
    };
    json!({ "status": status, "reason": message })
}

fn verification_report(it: &Verification) -> Value {
    json!({ "command": it.command, "status": it.outcome.code(), "message": it.to_string(), "output": it.said })
}

fn say_step(report: &StepReport) {
    let StepReport { step, status, unusable, .. } = report;
    let name = format!("step {}, {} {}", step.number, step.action.verb(), step.path);
    match status {
        Status::Failed { why, .. } => {
            for (gear, why) in unusable.iter().take(unusable.len().saturating_sub(1)) {
                terminal::say(format_args!("{name}: {gear}: {why}"));
            }
            let gear = unusable.last().map(|(gear, _)| format!("{gear}: ")).unwrap_or_default();
            terminal::say(format_args!("{name} failed: {gear}{why}"));
        }
        Status::Waiting { on } => {
            terminal::say(format_args!("{name} was not begun: it comes after step {on}"))
        }
        Status::NotBegun => terminal::say(format_args!("{name} was not begun")),
        Status::Unchanged => terminal::say(format_args!("{name}: nothing was to be changed")),
        Status::Done => {}
    }
}

/// `3 files, 12 lines added, 4 removed`.
fn summary(files: usize, changed: &[&Effect<'_>]) -> String {
    let (mut added, mut removed) = (0, 0);
    for [more, less] in changed.iter().map(|effect| effect.lines()) {
        added += more;
        removed += less;
    }
    let s = |count: usize| if count == 1 { "" } else { "s" };
    format!("{files} file{}, {added} line{} added, {removed} removed", s(files), s(added))
}

/// `3 requests, 1200 tokens, $0.0031`.
fn spent(tally: &Tally) -> String {
    let s = if tally.requests == 1 { "" } else { "s" };
    let dollars = match tally.unpriced {
        0 => format!("${:.4}", tally.dollars),
        _ if tally.dollars > 0.0 => format!("${:.4} and more, for models without a price", tally.dollars),
        _ => "no price is known".to_owned(),
    };
    format!("{} request{s}, {} tokens, {dollars}", tally.requests, tally.tokens())
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

fn step_report(report: &StepReport) -> Value {
    let why = match &report.status {
        Status::Failed { why, .. } => Some(why.clone()),
        Status::Waiting { on } => Some(format!("it comes after step {on}")),
        Status::Done | Status::Unchanged | Status::NotBegun => None,
    };
    let unusable: Vec<Value> =
        report.unusable.iter().map(|(gear, why)| json!({ "gear": gear.name(), "why": why })).collect();
    let (gear, model) = match &report.by {
        Some((gear, model)) => (Some(gear.name()), model.as_deref()),
        None => (None, None),
    };
    json!({
        "number": report.step.number,
        "status": report.status.code(),
        "why": why,
        "gear": gear,
        "model": model,
        "unusable": unusable,
    })
}
