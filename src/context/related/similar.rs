//! Code of other files that is like the code around a place.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::choose::Piece;
use super::chunks::{self, Chunk};
use super::definitions::Named;
use super::focus::{Focus, hashes};
use super::query::Query;
use crate::grammar::Grammar;
use crate::privacy;
use crate::snapshot::RelatedKind;
use crate::text::floor_boundary;

/// Files that are read because they are similar.
///
/// Those that are imported, those that the user was in lately, and those of functions that are named come
/// besides.
const MOST_NEAREST: usize = 40;
/// Imported files that are read.
const MOST_IMPORTED: usize = 16;
/// Files of the user's that are read.
const MOST_RECENT: usize = 8;
/// Larger files (bytes) are read up to here.
const MOST_FILE_BYTES: usize = 256 * 1024;
/// What code counts because of what stands right before it.
///
/// What comes behind similar code is what is to come here.
const BEHIND: f32 = 0.4;
/// What the body of a function that is named next to the place counts, of the code that is most alike.
const BODY: f32 = 0.6;
/// Code that is less alike than this, of the code that is most alike, is not shown.
const LEAST: f32 = 0.2;
/// Pieces that are looked at for keys.
const MOST_PIECES: usize = 120;

struct File {
    path: Arc<Path>,
    weight: f32,
    why: &'static str,
    text: String,
}

/// A run of lines with its names, and how much it is like the code around the place.
struct Run {
    file: usize,
    chunk: Chunk,
    names: Vec<u32>,
    likeness: f32,
    /// The function that it is the body of, and how near that is named.
    body_of: Option<(f32, String)>,
}

/// Code that is like the code around the place, or that this calls, the best first.
pub(super) fn pieces(query: &Query<'_>, grammar: &Grammar, focus: &Focus, named: &[Named]) -> Vec<Piece> {
    let mut runs: Vec<Run> = Vec::new();
    let mut files = files(query, grammar, focus, named);
    for (at, file) in files.iter_mut().enumerate() {
        if (query.cancelled)() {
            break;
        }
        let Ok(text) = query.workspace.text(&file.path) else { continue };
        let cut = &text[..floor_boundary(&text, MOST_FILE_BYTES.min(text.len()))];
        runs.extend(chunks::of(cut).into_iter().map(|chunk| {
            let names = hashes(&chunk.text);
            Run { file: at, body_of: body_of(&chunk, &file.path, named), chunk, names, likeness: 0.0 }
        }));
        file.text = text;
    }
    rate(&mut runs, &files, focus);
    let most = runs.iter().map(|it| it.likeness).fold(0.0, f32::max);
    let mut pieces: Vec<(f32, Run)> = runs
        .into_iter()
        .map(|run| (run.likeness + run.body_of.as_ref().map_or(0.0, |it| it.0 * BODY * most), run))
        .filter(|(worth, _)| *worth > LEAST * most)
        .collect();
    pieces.sort_by(|a, b| b.0.total_cmp(&a.0));
    pieces.truncate(MOST_PIECES);
    let mut secrets: HashMap<usize, Vec<Range<usize>>> = HashMap::new();
    // A line by itself does not tell a key: its name may be on another one.
    pieces.retain(|(_, run)| {
        let found = || privacy::find(&files[run.file].text).into_iter().map(|it| it.span).collect();
        let secrets = secrets.entry(run.file).or_insert_with(found);
        let bytes = &run.chunk.bytes;
        !secrets.iter().any(|it| it.start < bytes.end && bytes.start < it.end)
    });
    pieces
        .into_iter()
        .map(|(worth, run)| Piece {
            path: Arc::clone(&files[run.file].path),
            lines: run.chunk.lines,
            text: run.chunk.text,
            kind: RelatedKind::Excerpt,
            why: match run.body_of {
                Some((_, name)) => format!("`{name}` is named here").into(),
                None => files[run.file].why.into(),
            },
            worth,
        })
        .collect()
}

/// Says of each run how much it is like the code around the place.
///
/// It is the cosine of the weights of their names: a name counts by how near it stands, and by how few runs
/// have it.
fn rate(runs: &mut [Run], files: &[File], focus: &Focus) {
    let mut spread: HashMap<u32, u32> = HashMap::new();
    for name in runs.iter().flat_map(|it| &it.names) {
        *spread.entry(*name).or_default() += 1;
    }
    let all = runs.len() as f32;
    let rarity = |name: &u32| (1.0 + all / (spread.get(name).copied().unwrap_or(0) as f32 + 0.5)).ln();
    let mut before = (usize::MAX, 0.0);
    for run in runs {
        let (mut shared, mut square) = (0.0, 20.0);
        for name in &run.names {
            let rarity = rarity(name);
            square += rarity * rarity;
            shared += focus.weights.get(name).map_or(0.0, |weight| weight * rarity);
        }
        let own = shared / square.sqrt();
        let behind = if before.0 == run.file { BEHIND * before.1 } else { 0.0 };
        before = (run.file, own);
        run.likeness = (own + behind) * files[run.file].weight;
    }
}

/// The function that a run is the body of, whole or in part, and how near it is named.
fn body_of(chunk: &Chunk, path: &Arc<Path>, named: &[Named]) -> Option<(f32, String)> {
    let is_body = |it: &&Named| {
        it.path == *path && chunk.bytes.start <= it.span.start && it.span.end <= chunk.bytes.end
    };
    named.iter().find(is_body).map(|it| (it.nearness, it.name.clone()))
}

/// The files that are read, each with its weight and the reason.
fn files(query: &Query<'_>, grammar: &Grammar, focus: &Focus, named: &[Named]) -> Vec<File> {
    let mut weights: Vec<(u32, f32)> = focus.weights.iter().map(|(name, weight)| (*name, *weight)).collect();
    weights.sort_unstable_by_key(|it| it.0);
    let recent = query.recent.iter().take(MOST_RECENT).map(|path| Arc::from(path.as_path()));
    let imported = query.workspace.imported_files(query.path).into_iter().take(MOST_IMPORTED);
    let nearest = query.workspace.nearest(query.path, grammar, &weights, MOST_NEAREST);
    let all = recent
        .map(|path| (path, 1.2, "lately edited or looked at, and similar to the code here"))
        .chain(imported.map(|path| (path, 1.1, "imported, and similar to the code here")))
        .chain(nearest.into_iter().map(|(path, _)| (path, 1.0, "similar to the code here")))
        .chain(named.iter().map(|it| (Arc::clone(&it.path), 1.0, "named here")));
    let mut seen: HashSet<Arc<Path>> = HashSet::new();
    all.filter(|(path, ..)| query.may_show(path) && seen.insert(Arc::clone(path)))
        .map(|(path, weight, why)| File { path, weight, why, text: String::new() })
        .collect()
}
