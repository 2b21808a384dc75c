//! Decides which of a model's next edits may be shown.

use std::collections::HashSet;
use std::sync::Arc;

use super::super::excerpt::Excerpt;
use super::super::validate::{Confidence, UnknownNames, unknown_names};
use super::hunk::Hunk;
use super::noise;
use super::params::NextEditParams;
use crate::edit::guard::{self, Checks};
use crate::edit::{Edit, Refusal, apply};
use crate::index::Index;
use crate::route::Gear;
use crate::text::ident;

/// The newest recent edits, which a next edit may not undo.
const MAX_EDITS: usize = 3;
/// Bytes of one hunk at most.
const MAX_HUNK_BYTES: usize = 2 * 1024;
/// Lines around the cursor in which an edit needs no other reason.
const NEAR_LINES: usize = 10;
/// Bytes that a certain edit may remove, where it removes most of what was there.
///
/// As in Cody; measured on 1,778 edits that people made: 2.8 % remove more.
const MAX_REMOVED_BYTES: usize = 300;

/// The hunks that edits of an excerpt make, those around the cursor first.
///
/// # Errors
///
/// Why none of them may be shown.
pub(super) fn hunks(
    params: &NextEditParams,
    excerpt: &Excerpt,
    index: &Index,
    edits: Vec<Edit>,
) -> Result<Vec<Hunk>, Refusal> {
    let mut passed = Vec::new();
    let mut refused = None;
    for group in groups(&excerpt.text, edits) {
        match check(params, excerpt, index, &group) {
            Ok(()) => passed.push(group),
            Err(refusal) => refused = Some(refusal),
        }
    }
    match refused {
        Some(refusal) if passed.is_empty() => return Err(refusal),
        _ => {}
    }
    let mut hunks: Vec<Hunk> = passed.iter().map(|group| hunk(params, excerpt, group)).collect();
    let cursor = params.cursor;
    // The user has passed what is above the cursor.
    hunks.sort_by_key(|hunk| (hunk.edit.span.end < cursor, hunk.edit.span.start));
    Ok(hunks)
}

/// Groups edits on neighbouring lines: one cannot be understood without the other.
fn groups(text: &str, mut edits: Vec<Edit>) -> Vec<Vec<Edit>> {
    edits.sort_by_key(|edit| edit.span.start);
    let mut groups: Vec<Vec<Edit>> = Vec::new();
    for edit in edits {
        let joins = groups.last().and_then(|group| group.last()).is_some_and(|last| {
            text[last.span.end..edit.span.start.max(last.span.end)].matches('\n').count() <= 1
        });
        match groups.last_mut() {
            Some(group) if joins => group.push(edit),
            _ => groups.push(vec![edit]),
        }
    }
    groups
}

/// The hunk of a group: one edit that does the same.
fn hunk(params: &NextEditParams, excerpt: &Excerpt, group: &[Edit]) -> Hunk {
    let document = Arc::clone(&params.snapshot.document);
    let (start, end) = bounds(group);
    let inside: Vec<Edit> = group
        .iter()
        .map(|edit| Edit::new(edit.span.start - start..edit.span.end - start, edit.text.as_str()))
        .collect();
    let old = &excerpt.text[start..end];
    let edit = Edit::new(excerpt.start + start..excerpt.start + end, apply(old, &inside));
    Hunk { document, edit, old: old.to_owned(), gear: Gear::Fast, repeats: false }
}

fn bounds(group: &[Edit]) -> (usize, usize) {
    let start = group.first().map_or(0, |edit| edit.span.start);
    (start, group.last().map_or(start, |edit| edit.span.end))
}

fn check(params: &NextEditParams, excerpt: &Excerpt, index: &Index, group: &[Edit]) -> Result<(), Refusal> {
    let document = &*params.snapshot.document;
    let (start, end) = bounds(group);
    let hunk = hunk(params, excerpt, group);
    if hunk.old.len().max(hunk.edit.text.len()) > MAX_HUNK_BYTES {
        return Err(Refusal::TooLarge { what: "the edit has more bytes", limit: MAX_HUNK_BYTES });
    }
    let part = excerpt.part_with(&(start..end)).cloned().unwrap_or(0..0);
    // The syntax of the whole file is checked below.
    let allow_invisible = params.snapshot.settings.allow_invisible_characters;
    let checks = Checks { before: &excerpt.text, range: Some(&part), allow_invisible, ..Checks::default() };
    guard::check(&checks, group)?;
    reversal(params, excerpt, group)?;
    noise::check(params, &hunk.edit)?;
    guard::syntax(document, std::slice::from_ref(&hunk.edit))?;
    confidence_gate(params, excerpt, index, group, &hunk)
}

/// Refuses an edit that is less certain than `eagerness` requires of automatic ones.
fn confidence_gate(
    params: &NextEditParams,
    excerpt: &Excerpt,
    index: &Index,
    group: &[Edit],
    hunk: &Hunk,
) -> Result<(), Refusal> {
    let document = &*params.snapshot.document;
    let least = Confidence::least(params.eagerness, params.is_invoked);
    if least == Confidence::Low {
        return Ok(());
    }
    let is_expected = |name: &str| params.recent_edits.iter().any(|edit| edit.new.contains(name));
    match unknown_names(index, document, &excerpt.text, group, &is_expected) {
        Some(UnknownNames::InFile(_)) if least < Confidence::High => {}
        Some(unknown) => return Err(unknown.refusal()),
        None => {}
    }
    let line = |byte: usize| document.text().byte_to_line(byte.min(document.text().len_bytes()));
    let (first, last) = (line(hunk.edit.span.start), line(hunk.edit.span.end));
    let cursor = line(params.cursor);
    let is_near = first <= cursor + NEAR_LINES && cursor <= last + NEAR_LINES;
    let is_reported = params.diagnostics.iter().any(|it| (first..=last).contains(&line(it.span.start)));
    let lines = document.whole_lines(hunk.edit.span.clone());
    let follows = is_reported || follows(params, &[&document.slice(lines), &hunk.edit.text]);
    let confidence = match (follows, is_near) {
        (true, _) => Confidence::High,
        (false, true) => Confidence::Medium,
        (false, false) => Confidence::Low,
    };
    if confidence < least {
        return Err(Refusal::Unsure { why: "the edit is not related to your recent edits" });
    }
    let (old, new) = (hunk.old.len(), hunk.edit.text.len());
    if least == Confidence::High && old.saturating_sub(new) > MAX_REMOVED_BYTES && new * 10 < old * 7 {
        return Err(Refusal::Unsure { why: "the edit removes most of the code that it replaces" });
    }
    Ok(())
}

/// Whether one of the texts has a word that recent edits added, removed, or put before a bracket.
fn follows(params: &NextEditParams, texts: &[&str]) -> bool {
    let edits = params.recent_edits.iter().rev().take(MAX_EDITS);
    edits
        .flat_map(|edit| names_changed(&edit.merged.0, &edit.merged.1))
        .any(|name| texts.iter().any(|text| ident::names(text).any(|word| word == name)))
}

/// The words that only one of two texts has, and those before a bracket in the second.
fn names_changed<'a>(old: &'a str, new: &'a str) -> impl Iterator<Item = &'a str> {
    let (was, is): (HashSet<&str>, HashSet<&str>) =
        (ident::names(old).collect(), ident::names(new).collect());
    let before = |at: usize| ident::names(&new[..at]).next_back().filter(|word| new[..at].ends_with(word));
    let called = new.match_indices('(').filter_map(|(at, _)| before(at));
    let called: Vec<&str> = called.collect();
    was.symmetric_difference(&is).copied().chain(called).collect::<Vec<_>>().into_iter()
}

/// Refuses what undoes a recent edit.
fn reversal(params: &NextEditParams, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    let id = params.snapshot.document.id();
    let own = params.recent_edits.iter().rev().filter(|edit| edit.document == *id);
    for edit in own.take(MAX_EDITS) {
        let Some(at) = &edit.at else { continue };
        let Some(start) = at.start.checked_sub(excerpt.start + edit.offset) else { continue };
        let whole = start..start + edit.merged.1.len();
        for (span, old) in
            [(start + edit.offset..start + edit.offset + at.len(), &edit.old), (whole, &edit.merged.0)]
        {
            if excerpt.text.get(span.clone()).is_some() {
                let previous = apply(&excerpt.text, &[Edit::new(span, old.as_str())]);
                guard::reversal(&previous, &excerpt.text, group)?;
                brings_back(&previous, excerpt, group)?;
            }
        }
    }
    Ok(())
}

/// Refuses an edit that restores a line as it was before a recent edit, whatever else it does.
fn brings_back(previous: &str, excerpt: &Excerpt, group: &[Edit]) -> Result<(), Refusal> {
    let after = apply(&excerpt.text, group);
    let has = |text: &str, line: &str| text.lines().any(|it| it == line);
    let changed = previous.lines().filter(|line| line.trim().len() > 2 && !has(&excerpt.text, line));
    let back = changed.filter(|line| has(&after, line)).count();
    if back > 0 { Err(Refusal::Reversal) } else { Ok(()) }
}
