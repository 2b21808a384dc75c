//! Messages about a run for people and programs, with the same wording in the terminal, ACP and LSP.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

use super::report::{Event, Run, Status, StepReport};
use super::steps::Step;
use super::verification::{Outcome, Verification};
use crate::assist::outcome::Origin;
use crate::edit::effect::Effect;
use crate::model::usage::{Tally, Totals};
use crate::text::{printable, printable_lines};

/// The message for a step without a change.
const UNCHANGED: &str = "nothing was to be changed";

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.model.as_deref().unwrap_or("a model");
        write!(f, "{} ({}: {})", printable(model), self.gear, self.reason)
    }
}

impl Event<'_> {
    /// A short description of the current activity; `None` if it has not changed.
    pub fn words(&self) -> Option<String> {
        Some(match self {
            Self::Stage { number, of } if *of > 1 => format!("stage {number} of {of}"),
            Self::Asked { step, gear } => {
                format!("step {}: {} ({gear})", step.number, printable(&step.path))
            }
            Self::Correcting(round) => format!("correcting what is wrong, round {round}"),
            Self::Verifying { command, said: "" } => printable(command).into_owned(),
            Self::Verifying { command, said } => format!("{}: {said}", printable(command)),
            Self::Stage { .. } | Self::Unusable { .. } | Self::Ended { .. } => return None,
        })
    }
}

impl Status {
    /// Why a step has no change; `None` if it has one.
    pub fn why(&self) -> Option<String> {
        match self {
            Self::Done => None,
            Self::Unchanged => Some(UNCHANGED.to_owned()),
            Self::Failed { why, .. } => Some(printable_lines(why).into_owned()),
            Self::Waiting(on) => Some(format!("it comes after step {on}")),
            Self::NotBegun => Some("the plan was stopped before".to_owned()),
        }
    }
}

impl Step {
    /// The step's heading: "rename `a` to `b`".
    pub fn head(&self) -> String {
        let paths: Vec<String> = self.paths().map(|path| format!("`{}`", printable(path))).collect();
        format!("{} {}", self.action.verb(), paths.join(" to "))
    }
}

impl Run {
    /// Why the changes must not be written, as a clause; `None` if all of them are there.
    pub fn gap(&self) -> Option<String> {
        match &self.stopped {
            Some(why) => Some(format!("the plan was stopped: {why}")),
            None if self.is_whole() => None,
            None => Some("not all steps are done; change the plan, or try again".to_owned()),
        }
    }

    /// The findings of all files together, and the failure of the user's command, a clause each.
    pub fn problems(&self) -> impl Iterator<Item = String> {
        let failed = self.verification.iter().filter(|it| it.outcome != Outcome::Passed);
        self.findings.iter().map(ToString::to_string).chain(failed.map(ToString::to_string))
    }

    /// All remarks beside the diff; a remark that quotes a command's output has several lines.
    pub fn remarks(&self, changed: &[&Effect<'_>], totals: &Totals, took: Duration) -> Vec<String> {
        let mut remarks: Vec<String> = self.steps.iter().flat_map(of_step).collect();
        for file in self.set.files() {
            remarks.extend(file.flags.iter().map(|flag| format!("note: {}: {flag}", file.path)));
        }
        remarks.extend(self.findings.iter().map(|finding| format!("check: {finding}")));
        if let Some(verification) = &self.verification {
            if verification.outcome != Outcome::Passed && !verification.said.is_empty() {
                remarks.push(printable_lines(verification.said.trim_end()).into_owned());
            }
            remarks.push(format!("check: {verification}"));
        }
        remarks.extend(self.notes.iter().map(|note| format!("note: {note}")));
        let tests = self.test_command.iter();
        remarks.extend(tests.map(|command| format!("the tests run with `{}`", printable(command))));
        remarks.push(summary(self.set.files().iter().filter(|it| !it.is_unchanged()).count(), changed));
        remarks.extend(totals.gears.iter().map(|(gear, tally)| format!("{gear}: {}", spent(tally))));
        remarks.push(format!("{:.1} s", took.as_secs_f64()));
        remarks
    }
}

impl StepReport {
    /// How a step ended, for programs.
    pub fn json(&self) -> Value {
        let Self { step, status, unusable, by } = self;
        let unusable: Vec<Value> =
            unusable.iter().map(|(gear, why)| json!({ "gear": gear.name(), "why": why })).collect();
        json!({
            "number": step.number,
            "path": step.path,
            "status": status.code(),
            "why": status.why().filter(|_| *status != Status::Unchanged),
            "gear": by.as_ref().map(|(gear, _)| gear.name()),
            "model": by.as_ref().and_then(|(_, model)| model.as_deref()),
            "unusable": unusable,
        })
    }
}

impl Verification {
    /// The result of the command, for programs.
    pub fn json(&self) -> Value {
        json!({
            "command": self.command, "status": self.outcome.code(), "message": self.to_string(), "output": self.said,
        })
    }
}

fn of_step(report: &StepReport) -> Vec<String> {
    let StepReport { step, status, unusable, .. } = report;
    let name = format!("step {}, {} {}", step.number, step.action.verb(), step.path);
    let why = status.why().unwrap_or_default();
    match status {
        Status::Failed { .. } => {
            let before = unusable.iter().take(unusable.len().saturating_sub(1));
            let mut said: Vec<String> = before.map(|(gear, why)| format!("{name}: {gear}: {why}")).collect();
            let gear = unusable.last().map(|(gear, _)| format!("{gear}: ")).unwrap_or_default();
            said.push(format!("{name} failed: {gear}{why}"));
            said
        }
        Status::Waiting { .. } | Status::NotBegun => vec![format!("{name} was not begun: {why}")],
        Status::Unchanged => vec![format!("{name}: {why}")],
        Status::Done => Vec::new(),
    }
}

/// `3 files, 12 lines added, 4 removed`.
fn summary(files: usize, changed: &[&Effect<'_>]) -> String {
    if files == 0 {
        return "nothing changes".to_owned();
    }
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
