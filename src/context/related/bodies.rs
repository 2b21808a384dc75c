//! The bodies of functions that are named at a place, where there is room for them.
//!
//! Their names are not expected any more than others, so they come after all that is; but how a function that
//! is called does its work says how it is to be called.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::choose::Piece;
use super::query::Query;
use crate::privacy;
use crate::snapshot::{RelatedKind, heading_bytes};

/// Bodies that are shown.
const MOST: usize = 6;
/// Longer bodies (lines) say too much.
const MOST_LINES: usize = 30;

/// A function of another file that is named at a place.
pub(super) struct Named {
    pub(super) path: Arc<Path>,
    pub(super) name: String,
    /// Where it stands (bytes).
    pub(super) span: Range<usize>,
    /// The line of its name, from 0.
    pub(super) line: usize,
}

/// Adds the bodies of functions to what was chosen.
///
/// They come whole, as far as the budget goes.
///
/// A part of it is spent already.
pub(super) fn add(
    query: &Query<'_>,
    named: &[Named],
    chosen: &mut Vec<(usize, Piece)>,
    budget: Range<usize>,
) {
    let mut spent = chosen.last().map_or(budget.start, |(needs, _)| *needs);
    let excerpts = || chosen.iter().filter(|(_, piece)| piece.kind == RelatedKind::Excerpt);
    let mut shown: HashSet<(Arc<Path>, usize)> =
        excerpts().map(|(_, piece)| (Arc::clone(&piece.path), piece.line)).collect();
    let mut headed: HashSet<Arc<Path>> = excerpts().map(|(_, piece)| Arc::clone(&piece.path)).collect();
    for function in named.iter().take(MOST) {
        if (query.cancelled)() {
            break;
        }
        // What cannot fit is not read.
        if spent + function.span.len() > budget.end {
            continue;
        }
        let Some(mut lines) = body(query, function) else { continue };
        lines.retain(|(line, _)| !shown.contains(&(Arc::clone(&function.path), *line)));
        let heading = match headed.contains(&function.path) {
            true => 0,
            false => heading_bytes(&(query.shown)(&function.path)),
        };
        let bytes = heading + lines.iter().map(|(_, text)| text.len()).sum::<usize>();
        if lines.is_empty() || spent + bytes > budget.end {
            continue;
        }
        // All of its lines or none.
        spent += bytes;
        headed.insert(Arc::clone(&function.path));
        let why: Arc<str> = format!("the body of `{}`, which is named here", function.name).into();
        for (line, text) in lines {
            let (path, why) = (Arc::clone(&function.path), Arc::clone(&why));
            shown.insert((Arc::clone(&path), line));
            chosen.push((spent, Piece::excerpt(path, line, text, why)));
        }
    }
}

/// The lines of a function behind that of its name.
///
/// `None` if it is too long, holds a key, or is not there any more.
fn body(query: &Query<'_>, function: &Named) -> Option<Vec<(usize, String)>> {
    let text = query.workspace.text(&function.path).ok()?;
    let body = text.get(function.span.clone())?;
    // It may have changed since it was read.
    if !body.contains(&function.name) || body.lines().count() > MOST_LINES {
        return None;
    }
    let is_secret = |it: Range<usize>| it.start < function.span.end && function.span.start < it.end;
    if privacy::find(&text).into_iter().any(|secret| is_secret(secret.span)) {
        return None;
    }
    let first = text[..function.span.start].matches('\n').count();
    let lines = body.lines().enumerate().map(|(at, line)| (first + at, line.trim()));
    let behind = lines.filter(|(line, text)| *line > function.line && !text.is_empty());
    Some(behind.map(|(line, text)| (line, format!("{text}\n"))).collect())
}
