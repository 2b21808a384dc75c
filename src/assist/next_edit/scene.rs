//! The part of a file that a next edit may be about, and the prompt that shows it.

use super::super::excerpt::Excerpt;
use super::Situation;
use crate::context::next_edit;
use crate::prompt::next_edit::{NextEditInput, ShownStep};
use crate::snapshot::{Diagnostic, RecentEdit};

/// Bytes of steps that are shown at most, the newest first.
const STEPS_BYTES: usize = 3 * 1024;
/// Characters of one problem's words.
const PROBLEM_LENGTH: usize = 300;

/// The part of its file that a situation is about.
pub(super) fn excerpt(situation: &Situation) -> Excerpt {
    let document = &situation.snapshot.document;
    let changes: Vec<(&str, &str)> =
        situation.steps.iter().map(|step| (step.merged.0.as_str(), step.merged.1.as_str())).collect();
    Excerpt::of(document, next_edit::parts(document, situation.cursor, &changes))
}

/// What the model is told of a situation.
pub(super) fn scene(situation: &Situation, excerpt: &Excerpt) -> NextEditInput {
    let document = &situation.snapshot.document;
    let line = document.line_start(situation.cursor)..document.next_line_start(situation.cursor);
    let cursor =
        excerpt.tag_at(situation.cursor).map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
    NextEditInput {
        path: situation.snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        steps: steps(situation),
        problems: situation.problems.iter().map(|problem| shown_problem(situation, problem)).collect(),
        window: excerpt.window.render(&excerpt.text),
        cursor: cursor.unwrap_or_default(),
    }
}

fn shown_problem(situation: &Situation, problem: &Diagnostic) -> String {
    let document = &situation.snapshot.document;
    let line = document.line_start(problem.span.start)..document.next_line_start(problem.span.start);
    let words: String = problem.message.chars().take(PROBLEM_LENGTH).collect();
    let severity = problem.severity.word();
    format!("{severity} on `{}`: {words}", document.slice(line).trim())
}

/// The last steps that there is room for, oldest first.
fn steps(situation: &Situation) -> Vec<ShownStep> {
    let mut room = STEPS_BYTES;
    let mut shown: Vec<ShownStep> = Vec::new();
    for step in situation.steps.iter().rev().filter(|step| !step.is_merged) {
        let step = shown_step(step);
        let bytes = step.old.len() + step.new.len() + step.above.len() + step.below.len();
        if bytes > room {
            break;
        }
        room -= bytes;
        shown.push(step);
    }
    shown.reverse();
    shown
}

fn shown_step(step: &RecentEdit) -> ShownStep {
    let (old, new) = step.merged.clone();
    // What is around the last part need not be around the whole.
    let alone = new == step.new;
    let context = |text: &str| if alone { text.to_owned() } else { String::new() };
    ShownStep {
        path: step.path.to_string(),
        line: step.line + 1 - step.merged.1[..step.offset].matches('\n').count(),
        above: context(&step.above),
        old,
        new,
        below: context(&step.below),
        is_accepted: step.is_accepted,
    }
}
