//! Code in other files that is similar to the code near the cursor.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use tree_sitter::Node;

use super::choose::Piece;
use super::chunks::{self, Chunk};
use super::focus::{Focus, hashes};
use super::query::Query;
use crate::grammar::Grammar;
use crate::privacy::{self, TextKind};
use crate::snapshot::RelatedKind;
use crate::text::floor_boundary;

/// Maximum number of files read because they are similar.
///
/// Imported and recently visited files come in addition.
const MOST_NEAREST: usize = 40;
/// Maximum number of imported files read.
const MOST_IMPORTED: usize = 16;
/// Maximum number of recently visited files read.
const MOST_RECENT: usize = 8;
/// Bytes read of each file.
const MOST_FILE_BYTES: usize = 256 * 1024;
/// Minimum similarity, relative to the most similar code.
const LEAST: f32 = 0.1;
/// Maximum number of ranked pieces.
const MOST_PIECES: usize = 60;
/// Share of a piece's worth that is lost if better pieces have all of its names.
const REPEATED: f32 = 0.5;

struct File {
    path: Arc<Path>,
    weight: f32,
    why: &'static str,
    text: String,
}

/// A run of lines with its names.
struct Run {
    file: usize,
    chunk: Chunk,
    names: Vec<u32>,
    /// Relevance to the cursor position.
    worth: f32,
}

/// Code that is similar to the code near the cursor, best first.
pub(super) fn pieces(query: &Query<'_>, grammar: &Grammar, focus: &Focus) -> Vec<Piece> {
    let mut runs: Vec<Run> = Vec::new();
    let mut files = files(query, grammar, focus);
    let is_in_comment = is_in_comment(query, focus);
    for (at, file) in files.iter_mut().enumerate() {
        if (query.cancelled)() {
            break;
        }
        let Ok(text) = query.workspace.text(&file.path) else { continue };
        let cut = &text[..floor_boundary(&text, MOST_FILE_BYTES.min(text.len()))];
        runs.extend(chunks::of(cut, is_in_comment).into_iter().map(|chunk| {
            // Names in comments count, too.
            let names = hashes(&cut[chunk.bytes.clone()]);
            Run { file: at, chunk, names, worth: 0.0 }
        }));
        file.text = text;
    }
    let rarity = rarity(&runs);
    rate(&mut runs, &files, focus, &rarity);
    let mut runs = ranked(runs, &rarity);
    let mut secrets: HashMap<usize, Vec<Range<usize>>> = HashMap::new();
    // A line alone does not reveal a key: the key's name may be on another line.
    runs.retain(|run| {
        let found = || {
            let file = &files[run.file];
            let kind = TextKind::of(&file.path.to_string_lossy(), "");
            privacy::find_in(&file.text, kind).into_iter().map(|it| it.span).collect()
        };
        let secrets = secrets.entry(run.file).or_insert_with(found);
        let bytes = &run.chunk.bytes;
        !secrets.iter().any(|it| it.start < bytes.end && bytes.start < it.end)
    });
    runs.into_iter()
        .map(|run| Piece {
            path: Arc::clone(&files[run.file].path),
            lines: run.chunk.lines,
            text: run.chunk.text,
            kind: RelatedKind::Excerpt,
            why: files[run.file].why.into(),
            worth: run.worth,
        })
        .collect()
}

/// The rarity of each name among the runs.
fn rarity(runs: &[Run]) -> HashMap<u32, f32> {
    let mut spread: HashMap<u32, f32> = HashMap::new();
    for name in runs.iter().flat_map(|it| &it.names) {
        *spread.entry(*name).or_default() += 1.0;
    }
    let all = runs.len() as f32;
    spread.into_iter().map(|(name, runs)| (name, (1.0 + all / (runs + 0.5)).ln())).collect()
}

/// Scores each run by its similarity to the code around the cursor.
///
/// The score is the cosine of the weights of their names: a name counts by nearness and by rarity.
fn rate(runs: &mut [Run], files: &[File], focus: &Focus, rarity: &HashMap<u32, f32>) {
    for run in runs {
        let (mut shared, mut square) = (0.0, 20.0);
        for name in &run.names {
            let rarity = rarity.get(name).copied().unwrap_or_default();
            square += rarity * rarity;
            shared += focus.weights.get(name).map_or(0.0, |weight| weight * rarity);
        }
        run.worth = shared / f32::sqrt(square) * files[run.file].weight;
    }
}

/// Selects runs, best first; a run whose names better runs already cover is penalized.
fn ranked(mut runs: Vec<Run>, rarity: &HashMap<u32, f32>) -> Vec<Run> {
    runs.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    runs.truncate(MOST_PIECES);
    let least = LEAST * runs.first().map_or(0.0, |it| it.worth);
    let mut shown: HashSet<u32> = HashSet::new();
    let mut ranked = Vec::new();
    while !runs.is_empty() {
        let sum = |names: &mut dyn Iterator<Item = &u32>| names.filter_map(|it| rarity.get(it)).sum::<f32>();
        let worth = |run: &Run| {
            let repeated = sum(&mut run.names.iter().filter(|it| shown.contains(it)));
            run.worth * (1.0 - REPEATED * repeated / sum(&mut run.names.iter()).max(1.0))
        };
        let worths = runs.iter().map(worth).enumerate();
        let Some((best, worth)) = worths.reduce(|a, b| if b.1 > a.1 { b } else { a }) else { break };
        if worth <= least {
            break;
        }
        let run = runs.remove(best);
        shown.extend(&run.names);
        ranked.push(Run { worth, ..run });
    }
    ranked
}

/// Whether the cursor is in a comment or a multi-line string, that is, in prose, for which other prose helps.
///
/// An empty line right below a comment counts as a part of it, since the next line of the comment may be written there.
fn is_in_comment(query: &Query<'_>, focus: &Focus) -> bool {
    let Some(tree) = query.document.syntax() else { return false };
    let before = &focus.text[..focus.cursor];
    let text = before.trim_end();
    let is_near = before[text.len()..].matches('\n').count() <= 1;
    let at = focus.start + if is_near { text.len() } else { before.len() };
    // A comment ends at its line's end, where the cursor may be.
    let at = at.saturating_sub(1);
    let node = tree.root_node().descendant_for_byte_range(at, at);
    std::iter::successors(node, Node::parent).any(|it| {
        let is_long = it.start_position().row < it.end_position().row;
        it.kind().contains("comment") || it.kind().contains("string") && is_long
    })
}

/// The files to read, each with its weight and the reason.
fn files(query: &Query<'_>, grammar: &Grammar, focus: &Focus) -> Vec<File> {
    let mut weights: Vec<(u32, f32)> = focus.weights.iter().map(|(name, weight)| (*name, *weight)).collect();
    weights.sort_unstable_by_key(|it| it.0);
    let recent = query.recent.iter().take(MOST_RECENT).map(|path| Arc::from(path.as_path()));
    let imported = query.workspace.imported_files(query.path).into_iter().take(MOST_IMPORTED);
    let nearest = query.workspace.nearest(query.path, grammar, &weights, MOST_NEAREST);
    let all = recent
        .map(|path| (path, 1.2, "lately edited or looked at, and similar to the code here"))
        .chain(imported.map(|path| (path, 1.1, "imported, and similar to the code here")))
        .chain(nearest.into_iter().map(|(path, _)| (path, 1.0, "similar to the code here")));
    let mut seen: HashSet<Arc<Path>> = HashSet::new();
    all.filter(|(path, ..)| query.may_show(path) && seen.insert(Arc::clone(path)))
        .map(|(path, weight, why)| File { path, weight, why, text: String::new() })
        .collect()
}
