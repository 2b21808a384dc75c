//! What people are told of a run of a plan, beside its diff.

use std::time::Duration;

use crate::assist::plan::{Outcome, Run, Status, StepReport};
use crate::edit::effect::Effect;
use crate::model::usage::{Tally, Totals};
use crate::text::{printable, printable_lines};

/// What a run came to, a remark each; one that quotes a command's output has several lines.
pub(in crate::cli) fn said(
    run: &Run,
    changed: &[&Effect<'_>],
    totals: &Totals,
    took: Duration,
) -> Vec<String> {
    let mut said: Vec<String> = run.steps.iter().flat_map(of_step).collect();
    for file in run.set.files() {
        said.extend(file.flags.iter().map(|flag| format!("note: {}: {flag}", file.path)));
    }
    said.extend(run.findings.iter().map(|finding| format!("check: {finding}")));
    if let Some(verification) = &run.verification {
        if verification.outcome != Outcome::Passed && !verification.said.is_empty() {
            said.push(printable_lines(verification.said.trim_end()).into_owned());
        }
        said.push(format!("check: {verification}"));
    }
    said.extend(run.notes.iter().map(|note| format!("note: {note}")));
    said.extend(
        run.test_command.iter().map(|command| format!("the tests run with `{}`", printable(command))),
    );
    said.extend(run.stopped.iter().map(|why| format!("stopped: {why}")));
    said.push(summary(run.set.files().iter().filter(|it| !it.is_unchanged()).count(), changed));
    said.extend(totals.gears.iter().map(|(gear, tally)| format!("{gear}: {}", spent(tally))));
    said.push(format!("{:.1} s", took.as_secs_f64()));
    said
}

fn of_step(report: &StepReport) -> Vec<String> {
    let StepReport { step, status, unusable, .. } = report;
    let name = format!("step {}, {} {}", step.number, step.action.verb(), step.path);
    match status {
        Status::Failed { why, .. } => {
            let before = unusable.iter().take(unusable.len().saturating_sub(1));
            let mut said: Vec<String> = before.map(|(gear, why)| format!("{name}: {gear}: {why}")).collect();
            let gear = unusable.last().map(|(gear, _)| format!("{gear}: ")).unwrap_or_default();
            said.push(format!("{name} failed: {gear}{why}"));
            said
        }
        Status::Waiting { on } => vec![format!("{name} was not begun: it comes after step {on}")],
        Status::NotBegun => vec![format!("{name} was not begun")],
        Status::Unchanged => vec![format!("{name}: nothing was to be changed")],
        Status::Done => Vec::new(),
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
