//! Decides which of a model's next edits may be shown.

use std::sync::Arc;

use super::super::excerpt::Excerpt;
use super::super::validate::{Confidence, UnknownNames, unknown_names};
use super::aligned::aligned;
use super::params::NextEditParams;
use super::suggested_edit::SuggestedEdit;
use super::{follow, noise, reversal};
use crate::edit::{Edit, Refusal, Request, Unchecked, accept_edits, apply};
use crate::route::Gear;
use crate::text::ident;
use crate::workspace::Workspace;

/// Limit on the bytes of one edit.
const MAX_EDIT_BYTES: usize = 2 * 1024;
/// Lines around the cursor in which an edit needs no further justification.
const NEAR_LINES: usize = 10;
/// Limit on the bytes that a certain edit may remove, if it removes most of the old text.
///
/// As in Cody; measured on 1,778 edits by people, of which 2.8 % remove more.
const MAX_REMOVED_BYTES: usize = 300;

/// The edits that may be shown, at least one, and the refusal of another one, if any.
pub(super) struct Passing {
    pub(super) edits: Vec<SuggestedEdit>,
    pub(super) refused: Option<Refusal>,
}

/// The edits of an excerpt that may be shown, those after the cursor first.
pub(super) fn passing(
    params: &NextEditParams,
    excerpt: &Excerpt,
    index: &Workspace,
    edits: Unchecked,
) -> Result<Passing, Refusal> {
    let mut passing = Vec::new();
    let mut refused = None;
    for group in edits.groups(&excerpt.text) {
        match check(params, excerpt, index, group) {
            Ok(edit) => passing.push(edit),
            Err(refusal) => refused = Some(refusal),
        }
    }
    if passing.is_empty()
        && let Some(refusal) = refused
    {
        return Err(refusal);
    }
    // The user has already passed the edits before the cursor.
    let cursor = params.cursor;
    passing.sort_by_key(|it| (it.edit.span.end < cursor, it.edit.span.start));
    Ok(Passing { edits: passing, refused })
}

/// Merges a group into one edit.
fn merged(params: &NextEditParams, excerpt: &Excerpt, group: &[Edit]) -> SuggestedEdit {
    let document = Arc::clone(&params.snapshot.document);
    let start = group.first().map_or(0, |edit| edit.span.start);
    let end = group.last().map_or(start, |edit| edit.span.end);
    let inside: Vec<Edit> = group
        .iter()
        .map(|edit| Edit::new(edit.span.start - start..edit.span.end - start, edit.text.as_str()))
        .collect();
    let new = apply(&excerpt.text[start..end], &inside);
    let edit = aligned(&document, Edit::new(excerpt.start + start..excerpt.start + end, new));
    let old = document.slice(edit.span.clone());
    SuggestedEdit { document, edit, old, gear: Gear::Fast, repeats: false, rename: None }
}

/// Merges a group into one edit, if it may be shown.
fn check(
    params: &NextEditParams,
    excerpt: &Excerpt,
    index: &Workspace,
    group: Unchecked,
) -> Result<SuggestedEdit, Refusal> {
    // A group lies within one part.
    let part = excerpt.part_with(&group.span()).cloned().unwrap_or(0..0);
    let request = Request { parts: std::slice::from_ref(&part), ..excerpt.request(&params.snapshot) };
    let (group, _) = accept_edits(&request, group)?;
    let merged = merged(params, excerpt, &group);
    if merged.old.len().max(merged.edit.text.len()) > MAX_EDIT_BYTES {
        return Err(Refusal::TooLarge { what: "the edit has more bytes", limit: MAX_EDIT_BYTES });
    }
    reversal::check(params, excerpt, &group, &merged.edit)?;
    reversal::doubled(params, excerpt, &group)?;
    noise::check(params, &merged.edit)?;
    confidence_gate(params, excerpt, index, &group, &merged)?;
    Ok(merged)
}

/// Refuses an edit that is less certain than `eagerness` requires for automatic suggestions.
fn confidence_gate(
    params: &NextEditParams,
    excerpt: &Excerpt,
    index: &Workspace,
    group: &[Edit],
    merged: &SuggestedEdit,
) -> Result<(), Refusal> {
    let document = &*params.snapshot.document;
    let least = Confidence::least(params.eagerness, params.is_invoked);
    if least == Confidence::Low {
        return Ok(());
    }
    let is_expected = |name: &str| {
        params.recent_edits.iter().any(|edit| edit.new.contains(name))
            || params.snapshot.is_in_other_cells(name)
    };
    match unknown_names(index, document, &excerpt.text, group, None, &is_expected) {
        Some(UnknownNames::InFile(_)) if least < Confidence::High => {}
        Some(unknown) => return Err(unknown.refusal()),
        None => {}
    }
    let line = |byte: usize| document.text().byte_to_line(byte.min(document.text().len_bytes()));
    let (first, last) = (line(merged.edit.span.start), line(merged.edit.span.end));
    let cursor = line(params.cursor);
    let is_near = first <= cursor + NEAR_LINES && cursor <= last + NEAR_LINES;
    let is_reported = params.diagnostics.iter().any(|it| (first..=last).contains(&line(it.span.start)));
    let lines = document.whole_lines(merged.edit.span.clone());
    let follows = is_reported || follows(params, &[&document.slice(lines), &merged.edit.text]);
    let confidence = match (follows, is_near) {
        (true, _) => Confidence::High,
        (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    };
    if confidence < least {
        return Err(Refusal::Unsure { why: "the edit is not related to your recent edits" });
    }
    let (old, new) = (merged.old.len(), merged.edit.text.len());
    if least == Confidence::High && old.saturating_sub(new) > MAX_REMOVED_BYTES && new * 10 < old * 7 {
        return Err(Refusal::Unsure { why: "the edit removes most of the code that it replaces" });
    }
    Ok(())
}

/// Whether one of the texts contains a name that the recent edits affect.
fn follows(params: &NextEditParams, texts: &[&str]) -> bool {
    let has = |name: &str| texts.iter().any(|text| ident::names(text).any(|word| word == name));
    follow::names(params).iter().any(|name| has(name))
}
