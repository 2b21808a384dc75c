//! Context from other files that is relevant to the cursor.
//!
//! It is gathered while the user pauses, kept ready, and shown in prompts.
//!
//! Two kinds of pieces are ranked separately:
//!
//! * signatures of names near the cursor, with their doc lines, grouped under their types ([`definitions`]);
//! * code that is similar to the code near the cursor, in self-contained runs of lines ([`similar`],
//!   [`chunks`]).
//!
//! The most valuable pieces are taken as far as the budget allows ([`choose`]). They are shown last, next to the code.

mod choose;
mod chunks;
mod definitions;
mod focus;
mod query;
mod similar;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::rules::{self, RulesFor};
use crate::grammar::{self, Grammar};
use crate::privacy;
use crate::snapshot::{OmittedPart, Related, RelatedKind, RelatedPart, heading_bytes};
use choose::Piece;
use focus::Focus;
pub use query::Query;

/// Maximum number of bytes gathered: about 6,000 tokens, the most that any job shows.
pub const MOST_BYTES: usize = 24 * 1024;
/// Maximum number of bytes of the project's rules: about 200 tokens.
const RULES_BYTES: usize = 800;
/// Factor on the worth of a piece that was shown before.
///
/// An unchanged prompt is served from the provider's cache.
const SHOWN: f32 = 1.25;
/// Maximum number of omitted pieces that are reported.
const MOST_LEFT_OUT: usize = 20;

/// Gathers the context for a position. Blocks on the disk; takes tens of milliseconds.
pub fn gather(query: &Query<'_>) -> Related {
    let mut parts = rules_parts(query);
    let Some(grammar) = query.document.grammar() else {
        return Related { parts, cursor: query.cursor, ..Related::default() };
    };
    let focus = Focus::new(query, grammar);
    let mut signatures = definitions::pieces(query, grammar, &focus);
    let mut code = similar::pieces(query, grammar, &focus);
    let spent = parts.last().map_or(0, |part| part.needs);
    let shown_before = Before::new(query);
    for piece in signatures.iter_mut().chain(&mut code) {
        if shown_before.at(piece).is_some() {
            piece.worth *= SHOWN;
        }
    }
    let (chosen, rest) = choose::choose(signatures, code, spent..MOST_BYTES, query.shown);
    let (clean, mut left_out) = without_secrets(in_order(query, chosen, &shown_before));
    left_out.extend(rest.iter().take(MOST_LEFT_OUT).map(|piece| OmittedPart {
        path: (query.shown)(&piece.path),
        line: piece.lines.start + 1,
        text: piece.text.lines().next().unwrap_or_default().to_owned(),
        why: format!("no room; {}", piece.why),
    }));
    parts.extend(clean);
    // The parts live as long as the file is open.
    parts.shrink_to_fit();
    for part in &mut parts {
        part.text.shrink_to_fit();
    }
    Related { parts, left_out, cursor: query.cursor }
}

/// The project's rules, truncated to their share.
fn rules_parts(query: &Query<'_>) -> Vec<RelatedPart> {
    let grammar = query.document.grammar();
    let others: Vec<&str> =
        grammar::all().map(Grammar::id).filter(|it| Some(*it) != grammar.map(Grammar::id)).collect();
    let path = (query.shown)(query.path);
    let about = RulesFor { language: grammar.map_or("", Grammar::id), others: &others, path: &path };
    let mut needs = 0;
    let mut parts = Vec::new();
    for (path, text) in query.rules {
        let room = RULES_BYTES.saturating_sub(needs + heading_bytes(path));
        let cut = rules::cut(text, about, room);
        if cut.trim().is_empty() || !privacy::find(&cut).is_empty() {
            continue;
        }
        needs += heading_bytes(path) + cut.len();
        parts.push(RelatedPart {
            path: Arc::clone(path),
            line: 1,
            text: cut,
            kind: RelatedKind::Rules,
            why: "the project's rules".into(),
            needs,
        });
    }
    parts
}

/// The parts that were shown before, each with its index.
struct Before<'a> {
    shown: &'a dyn Fn(&Path) -> Arc<str>,
    places: HashMap<(&'a str, usize, &'a str), usize>,
}

impl<'a> Before<'a> {
    fn new(query: &Query<'a>) -> Self {
        let parts = query.before.parts.iter().enumerate();
        let places = parts.map(|(at, part)| ((&*part.path, part.line, part.text.as_str()), at)).collect();
        Self { shown: query.shown, places }
    }

    fn at(&self, piece: &Piece) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        self.places.get(&(&*(self.shown)(&piece.path), piece.lines.start + 1, piece.text.as_str())).copied()
    }
}

/// The chosen pieces as parts, in the order in which they are shown.
///
/// Parts that were shown before come first, unchanged, so that successive prompts share a prefix that the
/// provider caches. The most relevant parts come last, next to the code.
fn in_order(query: &Query<'_>, chosen: Vec<(usize, Piece)>, before: &Before<'_>) -> Vec<RelatedPart> {
    let mut parts: Vec<(usize, RelatedPart)> = chosen
        .into_iter()
        .map(|(needs, piece)| {
            let at = before.at(&piece).unwrap_or(usize::MAX);
            let (line, path) = (piece.lines.start + 1, (query.shown)(&piece.path));
            (at, RelatedPart { path, line, text: piece.text, kind: piece.kind, why: piece.why, needs })
        })
        .collect();
    parts.sort_by(|(a_at, a), (b_at, b)| (a.kind, a_at, b.needs).cmp(&(b.kind, b_at, a.needs)));
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Separates the parts without keys from those with keys.
///
/// The parts are scanned as they will appear in a prompt: a key may span lines, and its name may be on another
/// line.
pub(super) fn without_secrets(mut parts: Vec<RelatedPart>) -> (Vec<RelatedPart>, Vec<OmittedPart>) {
    let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
    let secrets = privacy::find(&whole);
    let (mut start, mut left_out) = (0, Vec::new());
    parts.retain(|part| {
        let span = start..start + part.text.len();
        start = span.end;
        let secret = secrets.iter().find(|it| it.span.start < span.end && span.start < it.span.end);
        if let Some(secret) = secret {
            left_out.push(OmittedPart {
                path: Arc::clone(&part.path),
                line: part.line,
                text: String::new(),
                why: format!("it holds what looks like {}", secret.kind),
            });
        }
        secret.is_none()
    });
    (parts, left_out)
}

#[cfg(test)]
mod tests;
