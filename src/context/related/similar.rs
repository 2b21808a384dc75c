//! Lines of other files that are like those around a place.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::choose::Piece;
use super::focus::{Focus, hashes};
use super::query::{Expected, Query};
use crate::grammar::Grammar;
use crate::privacy;
use crate::text::floor_boundary;

/// Files that are read because they are similar.
///
/// Those that are imported, and those that the user was in lately, come besides.
const MOST_NEAREST: usize = 40;
/// Imported files that are read.
const MOST_IMPORTED: usize = 16;
/// Files of the user's that are read.
const MOST_RECENT: usize = 8;
/// Larger files (bytes) are read up to here.
const MOST_FILE_BYTES: usize = 256 * 1024;
/// Lines of a piece at least, where the file has as many before a blank one.
const FEWEST_LINES: usize = 4;
/// Lines of a piece at most.
const MOST_LINES: usize = 10;
/// The pieces that are most alike say which names are expected.
const MOST_WITNESSES: usize = 400;
/// What the lines behind similar ones count of what those count.
const BEHIND: f32 = 0.6;

/// Longer lines are data as a rule.
const MOST_LINE_BYTES: usize = 240;

/// A run of lines.
struct Lines<'a> {
    file: usize,
    /// Where it begins (bytes).
    start: usize,
    line: usize,
    text: &'a str,
    names: Vec<u32>,
    likeness: f32,
}

/// Adds what similar lines let expect, and returns these lines.
pub(super) fn pieces(
    query: &Query<'_>,
    grammar: &Grammar,
    focus: &Focus,
    expected: &mut Expected,
) -> Vec<Piece> {
    let files = files(query, grammar, focus);
    let texts: Vec<(&Arc<Path>, f32, Arc<str>, String)> = files
        .iter()
        .take_while(|_| !(query.cancelled)())
        .filter_map(|(path, weight, why)| {
            Some((path, *weight, Arc::from(*why), query.workspace.text(path).ok()?))
        })
        .collect();
    let mut all: Vec<Lines<'_>> = Vec::new();
    for (file, (_, weight, _, text)) in texts.iter().enumerate() {
        let first = all.len();
        all.extend(split(text).map(|(start, line, text)| lines(file, start, line, text, focus)));
        // What comes behind similar lines is what is to come here.
        for at in (first..all.len()).rev() {
            let before = if at > first { all[at - 1].likeness } else { 0.0 };
            all[at].likeness = (all[at].likeness + BEHIND * before) * weight;
        }
    }
    all.sort_by(|a, b| b.likeness.total_cmp(&a.likeness));
    all.truncate(MOST_WITNESSES);
    all.retain(|it| it.likeness > 0.0);
    let best = all.first().map_or(1.0, |it| it.likeness);
    for it in &all {
        let share = it.likeness / best;
        for name in &it.names {
            *expected.entry(*name).or_default() += share * share;
        }
    }
    let mut secrets: HashMap<usize, Vec<Range<usize>>> = HashMap::new();
    let mut pieces = Vec::new();
    for it in &all {
        let (path, _, why, text) = &texts[it.file];
        // A line by itself does not tell a key: its name may be on another one.
        let secrets = secrets
            .entry(it.file)
            .or_insert_with(|| privacy::find(text).into_iter().map(|secret| secret.span).collect());
        let mut start = it.start;
        for (at, line) in it.text.split_inclusive('\n').enumerate() {
            let span = start..start + line.len();
            start = span.end;
            let is_secret = secrets.iter().any(|it| it.start < span.end && span.start < it.end);
            if is_secret || line.len() > MOST_LINE_BYTES {
                continue;
            }
            let text = format!("{}\n", line.trim());
            pieces.push(Piece::excerpt(Arc::clone(path), it.line + at, text, Arc::clone(why)));
        }
    }
    pieces
}

/// The files that are read, each with its weight and the reason.
fn files(query: &Query<'_>, grammar: &Grammar, focus: &Focus) -> Vec<(Arc<Path>, f32, &'static str)> {
    let mut weights: Vec<(u32, f32)> = focus.weights.iter().map(|(name, weight)| (*name, *weight)).collect();
    weights.sort_unstable_by_key(|it| it.0);
    let recent = query.recent.iter().take(MOST_RECENT).map(|path| Arc::from(path.as_path()));
    let imported = query.workspace.imported_files(query.path).into_iter().take(MOST_IMPORTED);
    let nearest = query.workspace.nearest(query.path, grammar, &weights, MOST_NEAREST);
    // A file counts twice as much that shares most with the text.
    let most = nearest.first().map_or(1.0, |it| it.1);
    let shares: HashMap<Arc<Path>, f32> =
        nearest.iter().map(|(path, share)| (Arc::clone(path), share / most)).collect();
    let all = recent
        .map(|path| (path, 1.2, "lately edited or looked at, and similar to the code here"))
        .chain(imported.map(|path| (path, 1.1, "imported, and similar to the code here")))
        .chain(nearest.into_iter().map(|(path, _)| (path, 1.0, "similar to the code here")));
    let mut seen: HashSet<Arc<Path>> = HashSet::new();
    all.filter(|(path, ..)| query.may_show(path) && seen.insert(Arc::clone(path)))
        .map(|(path, weight, why)| {
            let share = shares.get(&path).copied().unwrap_or_default();
            (path, weight * (1.0 + share), why)
        })
        .collect()
}

fn lines<'a>(file: usize, start: usize, line: usize, text: &'a str, focus: &Focus) -> Lines<'a> {
    let names = hashes(text);
    let shared: f32 = names.iter().filter_map(|name| focus.weights.get(name)).sum();
    let likeness = shared / (names.len() as f32 + 4.0).sqrt();
    Lines { file, start, line, text, names, likeness }
}

/// Cuts a text into runs of lines, at blank lines where there are some.
///
/// Each comes with its byte and its line, from 0.
fn split(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    let end = floor_boundary(text, MOST_FILE_BYTES.min(text.len()));
    let mut rest = &text[..end];
    let mut line = 0;
    std::iter::from_fn(move || {
        while let Some((_, more)) = rest.split_once('\n').filter(|(it, _)| it.trim().is_empty()) {
            rest = more;
            line += 1;
        }
        if rest.is_empty() {
            return None;
        }
        let (mut bytes, mut count) = (0, 0);
        for text in rest.split_inclusive('\n') {
            if text.trim().is_empty() && count >= FEWEST_LINES || count == MOST_LINES {
                break;
            }
            bytes += text.len();
            count += 1;
        }
        let (piece, more) = rest.split_at(bytes);
        let (start, first) = (end - rest.len(), line);
        (rest, line) = (more, line + count);
        Some((start, first, piece))
    })
}
