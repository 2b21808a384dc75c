//! The part of a file that a next edit may be about, and the prompt that shows it.

use std::ops::Range;

use super::Situation;
use crate::context::vicinity;
use crate::edit::reply::span::{self, Window};
use crate::prompt::next_edit::{Scene, ShownStep};
use crate::snapshot::{Problem, Severity, Step};

/// Bytes of steps that are shown at most, the newest first.
const STEPS_BYTES: usize = 3 * 1024;
/// Characters of one problem's words.
const PROBLEM_LENGTH: usize = 300;

/// A run of whole lines of a file, from the first part that is shown to the last.
pub(super) struct Excerpt {
    /// Where it begins in the file (bytes).
    pub(super) start: usize,
    pub(super) text: String,
    /// The parts that are shown, in bytes of `text`.
    pub(super) parts: Vec<Range<usize>>,
    pub(super) window: Window,
}

impl Excerpt {
    pub(super) fn of(situation: &Situation) -> Self {
        let document = &situation.snapshot.document;
        let changes: Vec<(&str, &str)> =
            situation.steps.iter().map(|step| (step.whole.0.as_str(), step.whole.1.as_str())).collect();
        let parts = vicinity::parts(document, situation.cursor, &changes);
        let start = parts.first().map_or(0, |part| part.start);
        let end = parts.last().map_or(0, |part| part.end);
        let text = document.slice(start..end);
        let parts: Vec<Range<usize>> =
            parts.into_iter().map(|part| part.start - start..part.end - start).collect();
        let window = span::cut_parts(&text, &parts);
        Self { start, text, parts, window }
    }

    pub(super) fn scene(&self, situation: &Situation) -> Scene {
        let document = &situation.snapshot.document;
        let line = document.line_start(situation.cursor)..document.next_line_start(situation.cursor);
        let tag = situation.cursor.checked_sub(self.start).and_then(|cursor| self.window.tag_at(cursor));
        let cursor = tag.map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
        Scene {
            path: situation.snapshot.path.to_string(),
            language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
            steps: steps(situation),
            problems: situation.problems.iter().map(|problem| self.problem(situation, problem)).collect(),
            window: self.window.render(&self.text),
            cursor: cursor.unwrap_or_default(),
        }
    }

    fn problem(&self, situation: &Situation, problem: &Problem) -> String {
        let document = &situation.snapshot.document;
        let line = document.line_start(problem.span.start)..document.next_line_start(problem.span.start);
        let severity = match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "note",
        };
        let words: String = problem.message.chars().take(PROBLEM_LENGTH).collect();
        format!("{severity} on `{}`: {words}", document.slice(line).trim())
    }
}

/// The last steps that there is room for, oldest first.
fn steps(situation: &Situation) -> Vec<ShownStep> {
    let mut room = STEPS_BYTES;
    let mut shown: Vec<ShownStep> = Vec::new();
    for step in situation.steps.iter().rev().filter(|step| !step.is_part) {
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

fn shown_step(step: &Step) -> ShownStep {
    let (old, new) = step.whole.clone();
    // What is around the last part need not be around the whole.
    let alone = new == step.new;
    let context = |text: &str| if alone { text.to_owned() } else { String::new() };
    ShownStep {
        path: step.path.to_string(),
        line: step.line + 1 - step.whole.1[..step.lead].matches('\n').count(),
        above: context(&step.above),
        old,
        new,
        below: context(&step.below),
        is_accepted: step.is_accepted,
    }
}
