//! The part of a file in which a next edit may be, and the prompt that shows it.

use super::super::excerpt::Excerpt;
use super::params::NextEditParams;
use super::{follow, steps};
use crate::context::next_edit;
use crate::prompt::next_edit::NextEditInput;

/// The part of the file in which the next edit may be.
pub(super) fn excerpt(params: &NextEditParams) -> Excerpt {
    let document = &params.snapshot.document;
    Excerpt::of(document, next_edit::parts(document, params.cursor, &follow::names(params)))
}

/// The input of the prompt.
pub(super) fn input(params: &NextEditParams, excerpt: &Excerpt) -> NextEditInput {
    let document = &params.snapshot.document;
    let line = document.line_start(params.cursor)..document.next_line_start(params.cursor);
    let cursor =
        excerpt.tag_at(params.cursor).map(|tag| format!("<@{tag}> {}", document.slice(line).trim_end()));
    NextEditInput {
        path: params.snapshot.path.to_string(),
        language: document.grammar().map_or(String::new(), |grammar| grammar.id().to_owned()),
        steps: steps::steps(params),
        problems: params.diagnostics.iter().map(|it| it.prompt_line(document)).collect(),
        window: excerpt.window.render(&excerpt.text),
        cursor: cursor.unwrap_or_default(),
    }
}
