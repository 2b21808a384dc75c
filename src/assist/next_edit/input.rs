//! The part of a file that a next edit may be in, and the prompt that shows it.

use super::super::excerpt::Excerpt;
use super::params::NextEditParams;
use crate::context::next_edit;
use crate::prompt::next_edit::{NextEditInput, ShownStep};
use crate::snapshot::{Diagnostic, RecentEdit};

/// Bytes of recent edits that are shown at most, the newest first.
const MAX_STEPS_BYTES: usize = 3 * 1024;
/// Characters of one diagnostic's message.
const MAX_MESSAGE_CHARS: usize = 300;

/// The part of the file that the next edit may be in.
pub(super) fn excerpt(params: &NextEditParams) -> Excerpt {
    let document = &params.snapshot.document;
    let changes = params.recent_edits.iter().map(|edit| (edit.merged.0.as_str(), edit.merged.1.as_str()));
    let changes: Vec<(&str, &str)> = changes.collect();
    Excerpt::of(document, next_edit::parts(document, params.cursor, &changes))
}

/// What the prompt shows.
pub(super) fn input(params: &NextEditParams, excerpt: &Excerpt) -> NextEditInput {
    let document = &params.snapshot.document;
    let line = document.line_start(params.cursor)..document.next_line_start(params.cursor);
    let cursor =
        excerpt.tag_at(params.cursor).map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
    NextEditInput {
        path: params.snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        steps: steps(params),
        problems: params.diagnostics.iter().map(|diagnostic| problem(params, diagnostic)).collect(),
        window: excerpt.window.render(&excerpt.text),
        cursor: cursor.unwrap_or_default(),
    }
}

fn problem(params: &NextEditParams, diagnostic: &Diagnostic) -> String {
    let document = &params.snapshot.document;
    let start = diagnostic.span.start;
    let line = document.slice(document.line_start(start)..document.next_line_start(start));
    let message: String = diagnostic.message.chars().take(MAX_MESSAGE_CHARS).collect();
    format!("{} on `{}`: {message}", diagnostic.severity.word(), line.trim())
}

/// The newest recent edits that there is room for, oldest first.
fn steps(params: &NextEditParams) -> Vec<ShownStep> {
    let mut room = MAX_STEPS_BYTES;
    let mut shown: Vec<ShownStep> = Vec::new();
    for edit in params.recent_edits.iter().rev().filter(|edit| !edit.is_merged) {
        let step = step(edit);
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

fn step(edit: &RecentEdit) -> ShownStep {
    let (old, new) = edit.merged.clone();
    // The lines around the last part are not those around the whole.
    let is_whole = new == edit.new;
    let context = |text: &str| if is_whole { text.to_owned() } else { String::new() };
    ShownStep {
        path: edit.path.to_string(),
        line: edit.line + 1 - edit.merged.1[..edit.offset].matches('\n').count(),
        above: context(&edit.above),
        old,
        new,
        below: context(&edit.below),
        is_accepted: edit.is_accepted,
    }
}
