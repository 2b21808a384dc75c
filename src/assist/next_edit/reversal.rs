//! Refuses next edits that undo the user's last steps, unless they repair the syntax, or repeat them at the same
//! position.

use std::ops::Range;

use super::super::excerpt::Excerpt;
use super::params::NextEditParams;
use crate::document::Document;
use crate::edit::{Edit, Refusal, apply, check, diff};
use crate::snapshot::RecentEdit;

/// The number of recent edits that a next edit may not undo.
const MAX_EDITS: usize = 3;

/// Refuses an edit that undoes one of the user's last steps.
///
/// An edit that repairs a step that broke the syntax may be shown, and so may any edit requested explicitly.
pub(super) fn check(
    params: &NextEditParams,
    excerpt: &Excerpt,
    group: &[Edit],
    edit: &Edit,
) -> Result<(), Refusal> {
    if params.is_invoked {
        return Ok(());
    }
    let document = &*params.snapshot.document;
    for (step, at) in last_steps(params) {
        let Some(start) = at.start.checked_sub(excerpt.start + step.offset) else { continue };
        let whole = start..start + step.merged.1.len();
        for (span, old) in
            [(start + step.offset..start + step.offset + at.len(), &step.old), (whole, &step.merged.0)]
        {
            if excerpt.text.get(span.clone()).is_none() {
                continue;
            }
            let previous = apply(&excerpt.text, &[Edit::new(span.clone(), old.as_str())]);
            let judged = check::reversal(&previous, &excerpt.text, group)
                .and_then(|()| brings_back(&previous, excerpt, group));
            let span = excerpt.start + span.start..excerpt.start + span.end;
            if judged.is_err() && !is_repair(document, &span, old, params.cursor, edit) {
                return judged;
            }
        }
    }
    Ok(())
}

/// Whether an edit repairs syntax that a step broke.
///
/// The step must have added syntax errors to the file, and the edit must remove some.
///
/// `span` is the current span of the step's lines, and `old` is their former text. A step is unfinished rather
/// than broken while the cursor is in its lines with no word after it on the line. Then nothing is removed
/// while the user types.
fn is_repair(document: &Document, span: &Range<usize>, old: &str, cursor: usize, edit: &Edit) -> bool {
    if is_unfinished(document, span, cursor) {
        return false;
    }
    let errors = |document: &Document| document.syntax_errors().unwrap_or(usize::MAX);
    let now = errors(document);
    errors(&document.with(span.clone(), old)) < now
        && errors(&document.with(edit.span.clone(), &edit.text)) < now
}

fn is_unfinished(document: &Document, span: &Range<usize>, cursor: usize) -> bool {
    let end = document.text().len_bytes();
    let rest = document.slice(cursor.min(end)..document.next_line_start(cursor.min(end)));
    span.start <= cursor && cursor <= span.end && !rest.contains(|letter: char| letter.is_alphanumeric())
}

/// The last steps in the current file with known positions, newest first.
fn last_steps(params: &NextEditParams) -> impl Iterator<Item = (&RecentEdit, &Range<usize>)> {
    let id = params.snapshot.document.id();
    let own = params.recent_edits.iter().rev().filter(move |step| step.document == *id);
    own.take(MAX_EDITS).filter_map(|step| Some((&**step, step.at.as_ref()?)))
}

/// Refuses an edit that inserts, next to the new words of a step, the same words again.
///
/// An example is `await await`.
pub(super) fn doubled(params: &NextEditParams, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    if params.is_invoked {
        return Ok(());
    }
    let document = &*params.snapshot.document;
    for (step, at) in last_steps(params) {
        let mut shift = 0_isize;
        for part in diff::minimal(&step.old, &step.new) {
            let start = (at.start + part.span.start).saturating_add_signed(shift);
            shift += part.growth();
            let (bare, end) = (part.text.trim(), start + part.text.len());
            let is_beside = |place: usize| {
                let between = end.min(place)..start.max(place);
                let is_inside = (start..=end).contains(&place);
                is_inside || document.slice(between).trim().is_empty()
            };
            let doubles = |edit: &Edit| {
                edit.span.is_empty() && edit.text.trim() == bare && is_beside(excerpt.start + edit.span.start)
            };
            if !bare.is_empty() && group.iter().any(doubles) {
                return Err(Refusal::Doubled { line: bare.to_owned() });
            }
        }
    }
    Ok(())
}

/// Refuses an edit that restores a line to its state before a recent edit.
///
/// Its other changes make no difference.
fn brings_back(previous: &str, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    let after = apply(&excerpt.text, group);
    let has = |text: &str, line: &str| text.lines().any(|it| it == line);
    let changed = previous.lines().filter(|line| line.trim().len() > 2 && !has(&excerpt.text, line));
    let back = changed.filter(|line| has(&after, line)).count();
    if back > 0 { Err(Refusal::Reversal) } else { Ok(()) }
}
