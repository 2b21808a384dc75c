//! Selects pieces within a budget.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::snapshot::{RelatedKind, heading_bytes};

/// Share of the budget for signatures, as long as there is other code.
const SIGNATURES_SHARE: f32 = 0.15;

/// Lines of a file that are shown as a unit or not at all.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) path: Arc<Path>,
    /// 0-based.
    pub(super) lines: Range<usize>,
    /// Ends with a line break.
    pub(super) text: String,
    pub(super) kind: RelatedKind,
    pub(super) why: Arc<str>,
    /// Relevance to the cursor position, among pieces of its kind.
    pub(super) worth: f32,
}

/// Returns the chosen pieces, most relevant first, and those that did not fit.
///
/// Signatures and code are taken by worth, each until its share is used up. `budget.start` is already spent.
/// Each chosen piece comes with the bytes spent once it is taken.
pub(super) fn choose(
    mut signatures: Vec<Piece>,
    mut code: Vec<Piece>,
    budget: Range<usize>,
    shown: &dyn Fn(&Path) -> Arc<str>,
) -> (Vec<(usize, Piece)>, Vec<Piece>) {
    for pieces in [&mut signatures, &mut code] {
        // The best piece is popped first.
        pieces.sort_by(|a, b| a.worth.total_cmp(&b.worth));
    }
    let bytes = |piece: &Piece| heading_bytes(&shown(&piece.path)) + piece.text.len();
    let (mut spent, mut on_signatures) = (budget.start, 0);
    let (mut chosen, mut rest): (Vec<(usize, Piece)>, Vec<Piece>) = (Vec::new(), Vec::new());
    loop {
        let is_due = signatures.last().map(&bytes).is_some_and(|bytes| {
            (on_signatures + bytes) as f32 <= SIGNATURES_SHARE * (spent + bytes - budget.start) as f32
        });
        let [first, second] =
            if is_due { [&mut signatures, &mut code] } else { [&mut code, &mut signatures] };
        let Some(piece) = first.pop().or_else(|| second.pop()) else { break };
        let is_shown = |it: &Piece| {
            it.path == piece.path && it.lines.start <= piece.lines.start && piece.lines.end <= it.lines.end
        };
        if chosen.iter().any(|(_, it)| is_shown(it)) {
            continue;
        }
        let bytes = bytes(&piece);
        if spent + bytes > budget.end {
            rest.push(piece);
            continue;
        }
        spent += bytes;
        if piece.kind == RelatedKind::Signatures {
            on_signatures += bytes;
        }
        chosen.push((spent, piece));
    }
    (chosen, rest)
}
