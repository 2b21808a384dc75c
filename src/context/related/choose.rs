//! Chooses pieces for a budget.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::snapshot::{RelatedKind, heading_bytes};

/// What signatures get of any budget, as long as there is other code.
const SIGNATURES_SHARE: f32 = 0.15;

/// Some lines of a file that may be shown, all of them or none.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) path: Arc<Path>,
    /// From 0.
    pub(super) lines: Range<usize>,
    /// It ends with a line end.
    pub(super) text: String,
    pub(super) kind: RelatedKind,
    pub(super) why: Arc<str>,
    /// How much it says of the place, among pieces of its kind.
    pub(super) worth: f32,
}

/// The chosen pieces, what matters most first, and those that there was no room for.
///
/// Signatures and code come as they are worth, each as long as it has not used up its share. A part of the
/// budget is spent already. Each piece comes with what is spent when it is taken.
pub(super) fn choose(
    mut signatures: Vec<Piece>,
    mut code: Vec<Piece>,
    budget: Range<usize>,
    shown: &dyn Fn(&Path) -> Arc<str>,
) -> (Vec<(usize, Piece)>, Vec<Piece>) {
    for pieces in [&mut signatures, &mut code] {
        // The best is popped first.
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
