//! The part of a file that a next edit may be about, and the prompt that shows it.

use super::super::excerpt::Excerpt;
use super::{Situation, follow, steps};
use crate::context::vicinity;
use crate::prompt::next_edit::Scene;
use crate::snapshot::Diagnostic;

/// Characters of one problem's words.
const PROBLEM_LENGTH: usize = 300;

/// The part of its file that a situation is about.
pub(super) fn excerpt(situation: &Situation) -> Excerpt {
    let document = &situation.snapshot.document;
    Excerpt::of(document, vicinity::parts(document, situation.cursor, &follow::names(situation)))
}

/// What the model is told of a situation.
pub(super) fn scene(situation: &Situation, excerpt: &Excerpt) -> Scene {
    let document = &situation.snapshot.document;
    let line = document.line_start(situation.cursor)..document.next_line_start(situation.cursor);
    let cursor =
        excerpt.tag_at(situation.cursor).map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
    Scene {
        path: situation.snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        steps: steps::steps(situation),
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
