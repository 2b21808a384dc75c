//! Chooses pieces for a budget.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::focus::hashes;
use super::query::Expected;
use crate::snapshot::{RelatedKind, heading_bytes};

/// What the signatures of names at the place get of the budget before all else.
const NAMED_SHARE: f32 = 0.2;
/// How much more something is worth that was shown before.
///
/// A prompt that stays the same is read from a cache.
const SHOWN: f32 = 1.5;
/// What a piece costs besides its text (bytes), when its worth is weighed.
const LINE_BYTES: f32 = 10.0;

/// Some lines of a file that may be shown.
pub(super) struct Piece {
    pub(super) path: Arc<Path>,
    /// From 0.
    pub(super) line: usize,
    /// It ends with a line end.
    pub(super) text: String,
    pub(super) kind: RelatedKind,
    pub(super) why: Arc<str>,
    /// The hashes of its names.
    pub(super) names: Vec<u32>,
    /// Whether it was shown before.
    pub(super) is_shown: bool,
    /// How near the place names what it defines, up to 1; `None` if it does not.
    pub(super) is_named: Option<f32>,
}

impl Piece {
    /// A line of another file that is no definition that the place names.
    pub(super) fn excerpt(path: Arc<Path>, line: usize, text: String, why: Arc<str>) -> Self {
        let names = hashes(&text);
        Self { path, line, text, kind: RelatedKind::Excerpt, why, names, is_shown: false, is_named: None }
    }
}

/// A piece and what it was worth when it was last looked at.
///
/// A choice of others never makes it worth more.
struct Ranked {
    worth: f32,
    at: usize,
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then_with(|| other.at.cmp(&self.at))
    }
}

/// The chosen pieces, what matters most first, and those that there was no room for.
///
/// A part of the budget is spent already. Each piece comes with what is spent when it is taken.
pub(super) fn choose(
    pieces: Vec<Piece>,
    expected: &Expected,
    budget: Range<usize>,
    shown: &dyn Fn(&Path) -> Arc<str>,
) -> (Vec<(usize, Piece)>, Vec<Piece>) {
    let mut choice = Choice { missing: expected.clone(), headings: HashSet::new(), shown };
    let mut named: Vec<(f32, usize)> =
        pieces.iter().enumerate().filter_map(|(at, it)| Some((it.is_named?, at))).collect();
    named.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut named = named.into_iter().map(|(_, at)| at).peekable();
    let mut heap: BinaryHeap<Ranked> =
        pieces.iter().enumerate().map(|(at, it)| Ranked { worth: choice.worth(it), at }).collect();
    let (mut order, mut taken): (Vec<(usize, usize)>, HashSet<usize>) = (Vec::new(), HashSet::new());
    let (mut spent, mut spent_on_named) = (budget.start, 0);
    loop {
        let next_named =
            named.next_if(|_| spent_on_named as f32 <= NAMED_SHARE * (spent - budget.start) as f32);
        let is_named = next_named.is_some();
        let at = match next_named {
            Some(at) => at,
            None => match choice.best(&pieces, &mut heap) {
                Some(at) => at,
                None => match named.next() {
                    Some(at) => at,
                    None => break,
                },
            },
        };
        if taken.contains(&at) {
            continue;
        }
        let bytes = choice.bytes(&pieces[at]);
        if spent + bytes > budget.end {
            // A smaller one may still fit, but hardly says more.
            break;
        }
        spent += bytes;
        spent_on_named += if is_named { bytes } else { 0 };
        choice.take(&pieces[at]);
        taken.insert(at);
        order.push((spent, at));
    }
    let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let chosen = order.into_iter().filter_map(|(spent, at)| Some((spent, pieces[at].take()?))).collect();
    let mut rest: Vec<Piece> = Vec::new();
    while let Some(Ranked { at, worth }) = heap.pop() {
        rest.extend(pieces[at].take().filter(|_| worth > 0.0));
    }
    (chosen, rest)
}

struct Choice<'a> {
    /// What is expected and not yet shown.
    missing: Expected,
    /// The headings that stand already.
    headings: HashSet<(RelatedKind, Arc<Path>)>,
    shown: &'a dyn Fn(&Path) -> Arc<str>,
}

impl Choice<'_> {
    fn bytes(&self, piece: &Piece) -> usize {
        let has_heading = self.headings.contains(&(piece.kind, Arc::clone(&piece.path)));
        piece.text.len() + if has_heading { 0 } else { heading_bytes(&(self.shown)(&piece.path)) }
    }

    /// What its names that are not yet shown count for each byte.
    fn worth(&self, piece: &Piece) -> f32 {
        let gain: f32 = piece.names.iter().filter_map(|name| self.missing.get(name)).sum();
        let worth = gain / (piece.text.len() as f32 + LINE_BYTES);
        if piece.is_shown { worth * SHOWN } else { worth }
    }

    /// The piece that is worth most now; `None` if no other says anything new.
    fn best(&self, pieces: &[Piece], heap: &mut BinaryHeap<Ranked>) -> Option<usize> {
        while let Some(top) = heap.pop() {
            let worth = self.worth(&pieces[top.at]);
            if worth <= 0.0 {
                continue;
            }
            if heap.peek().is_none_or(|next| next.worth <= worth) {
                return Some(top.at);
            }
            heap.push(Ranked { worth, at: top.at });
        }
        None
    }

    fn take(&mut self, piece: &Piece) {
        self.headings.insert((piece.kind, Arc::clone(&piece.path)));
        for name in &piece.names {
            self.missing.remove(name);
        }
    }
}
