//! The door of the edit engine: edits of one file come out of it read, placed and checked, or not at all.
//!
//! Replies about several files have theirs in [`plan`](super::plan), behind which the same checks stand.

use std::path::Path;

use super::guard::{self, Checks};
use super::reply::{self, Format, Outcome, Unchecked};
use super::request::{Allowed, Request, UnmarkedEnd};
use super::{Edit, Flag, Level, Refusal, apply, diff, shifted};
use crate::grammar;

/// The edits of a reply that passed all checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Edits of the request's text: sorted, disjoint and as small as can be.
    pub edits: Vec<Edit>,
    /// What the user should know about them.
    pub flags: Vec<Flag>,
    /// The format that the reply was in.
    pub format: Format,
    /// The most that had to be forgiven to place one of the edits.
    pub level: Level,
}

/// Reads a reply about one file in whatever format, places its edits and checks them.
///
/// Where closing lines that follow the range came along with its new text, they are left out.
///
/// # Errors
///
/// [`Refusal`] when the reply's meaning is not certain, or its edits do harm.
pub fn accept(request: &Request<'_>, reply: &str) -> Result<Accepted, Refusal> {
    let Outcome { edits, format, level, mut flags } = match (request.shown, &request.range) {
        (Some(shown), Some(range)) => {
            let (before, after) = (&request.text[..range.start], &request.text[range.end..]);
            let text = [before, shown, after].concat();
            let range = range.start..range.start + shown.len();
            let mut outcome = read(Request { text: &text, range: Some(range), ..request.clone() }, reply)?;
            if !outcome.edits.is_empty() {
                let new = apply(&text, &outcome.edits.0);
                let new = &new[before.len()..new.len() - after.len()];
                let range = before.len()..request.text.len() - after.len();
                outcome.edits = diff::minimal_within(request.text, &range, new).into();
            }
            outcome
        }
        _ => read(request.clone(), reply)?,
    };
    if matches!(format, Format::Region | Format::Whole) && request.parts.len() > 1 {
        return Err(Refusal::untagged());
    }
    let (edits, found) = check(request, edits, format == Format::Whole)?;
    flags.extend(found);
    Ok(Accepted { edits, flags, format, level })
}

/// Checks edits that are placed already: those of a rule, or of a reply that is read while it comes in.
///
/// # Errors
///
/// The first check's [`Refusal`].
pub fn accept_edits(
    request: &Request<'_>,
    edits: impl Into<Unchecked>,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    check(request, edits.into(), false)
}

/// Reads a reply that is the text of a new file, and checks that text.
///
/// # Errors
///
/// [`Refusal`] when the reply's meaning is not certain, or the text does harm.
pub fn accept_new_file(path: &str, reply: &str, allowed: Allowed) -> Result<Accepted, Refusal> {
    let grammar = grammar::by_path(Path::new(path));
    let request = Request { path: Some(path), range: Some(0..0), grammar, allowed, ..Request::default() };
    let Outcome { edits: Unchecked(edits), format, level, mut flags } = read(request, reply)?;
    flags.extend(guard::check_new(path, &apply("", &edits), allowed.invisible)?);
    Ok(Accepted { edits, flags, format, level })
}

/// Reads a whole reply, and refuses what the request does not let pass of its form.
fn read(request: Request<'_>, reply: &str) -> Result<Outcome, Refusal> {
    let Allowed { talk, unmarked_end, .. } = request.allowed;
    let mut outcome = reply::read(request, reply)?;
    if !talk && outcome.flags.contains(&Flag::Talk) {
        return Err(Refusal::Prose);
    }
    match unmarked_end {
        UnmarkedEnd::Flagged => {}
        UnmarkedEnd::Allowed => outcome.flags.retain(|flag| *flag != Flag::MayBeCut),
        UnmarkedEnd::Refused if outcome.flags.contains(&Flag::MayBeCut) => return Err(Refusal::MayBeCut),
        UnmarkedEnd::Refused => {}
    }
    Ok(outcome)
}

fn check(
    request: &Request<'_>,
    Unchecked(edits): Unchecked,
    is_whole: bool,
) -> Result<(Vec<Edit>, Vec<Flag>), Refusal> {
    let Request { text, parts, file, allowed, .. } = *request;
    let is_inside =
        |edit: &&Edit| parts.iter().any(|part| part.start <= edit.span.start && edit.span.end <= part.end);
    if let Some(edit) = edits.iter().find(|edit| !parts.is_empty() && !is_inside(edit)) {
        let above = text[..edit.span.start].matches('\n').count();
        let line = above + file.map_or(0, |(file, start)| file.text().byte_to_line(start)) + 1;
        return Err(Refusal::OutOfScope { line });
    }
    let checks = Checks {
        before: text,
        range: request.range.as_ref(),
        grammar: request.grammar.filter(|_| file.is_none()),
        blanks_count: allowed.blanks,
        allow_invisible: allowed.invisible,
        is_whole,
    };
    let (edits, mut flags) = guard::check_or_cut(&checks, edits)?;
    if let Some((file, start)) = file.filter(|_| !edits.is_empty()) {
        flags.extend(guard::syntax(file, &shifted(edits.clone(), start))?);
    }
    Ok((edits, flags))
}
