//! What other files say that bears on a place.
//!
//! It is gathered in a pause, kept ready, and shown in prompts.
//!
//! A name is expected at a place for one of these reasons, and the better the reasons are, the more it
//! counts:
//!
//! * lines that are like those around the place have it ([`similar`]), or lines right behind them;
//! * it is a member of a type that is named near the place, or a definition of an imported module
//!   ([`definitions`]).
//!
//! What is shown is then chosen line by line: the line whose expected names, not yet shown, count most for
//! its bytes ([`choose`]). Signatures of the definitions that the place names have a share of their own,
//! since they are needed even where all their names are known; what a share leaves, the rest gets. What is
//! left then goes to the bodies of the functions that are named ([`bodies`]).

mod bodies;
mod choose;
mod definitions;
mod focus;
mod query;
mod similar;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::privacy;
use crate::snapshot::{LeftOut, Related, RelatedKind, RelatedPart, heading_bytes};
use crate::text::floor_boundary;
use choose::Piece;
use focus::Focus;
use query::Expected;
pub use query::Query;

/// Bytes that are gathered: about 6,000 tokens, the most that a job shows.
pub const MOST_BYTES: usize = 24 * 1024;
/// The files in which projects keep their rules, in the folder of the project.
pub const RULES_FILES: [&str; 2] = ["AGENTS.md", ".editorconfig"];
/// A larger file of rules (bytes) is not read.
pub const MOST_RULES_BYTES: u64 = 64 * 1024;
/// Bytes of the project's rules that are shown: about 200 tokens.
const RULES_BYTES: usize = 800;
/// Pieces that were left out and are told.
const MOST_LEFT_OUT: usize = 20;

/// Gathers what bears on a place. Blocks for the disk, and takes some ten milliseconds.
pub fn gather(query: &Query<'_>) -> Related {
    let mut parts = rules(query);
    let Some(grammar) = query.document.grammar() else {
        return Related { parts, cursor: query.cursor, ..Related::default() };
    };
    let focus = Focus::new(query, grammar);
    let mut expected = Expected::new();
    let mut pieces = similar::pieces(query, grammar, &focus, &mut expected);
    let (signatures, functions) = definitions::pieces(query, grammar, &focus, &mut expected);
    pieces.extend(signatures);
    for known in &focus.known {
        expected.remove(known);
    }
    let spent = parts.last().map_or(0, |part| part.needs);
    let shown_before = Before::new(query);
    for piece in &mut pieces {
        piece.is_shown = shown_before.at(&piece.path, piece.line, &piece.text).is_some();
    }
    let (mut chosen, rest) = choose::choose(pieces, &expected, spent..MOST_BYTES, query.shown);
    bodies::add(query, &functions, &mut chosen, spent..MOST_BYTES);
    let (clean, mut left_out) = without_secrets(in_order(query, chosen, &shown_before));
    left_out.extend(rest.iter().take(MOST_LEFT_OUT).map(|piece| LeftOut {
        path: (query.shown)(&piece.path),
        line: piece.line + 1,
        text: piece.text.trim_end().to_owned(),
        why: format!("no room; {}", piece.why),
    }));
    parts.extend(clean);
    // It stays for as long as the file is open.
    parts.shrink_to_fit();
    for part in &mut parts {
        part.text.shrink_to_fit();
    }
    Related { parts, left_out, cursor: query.cursor }
}

/// The project's rules, cut to their share.
fn rules(query: &Query<'_>) -> Vec<RelatedPart> {
    let mut needs = 0;
    let mut parts = Vec::new();
    for (path, text) in query.rules {
        let room = RULES_BYTES.saturating_sub(needs + heading_bytes(path));
        let text = text.trim();
        let mut cut = &text[..floor_boundary(text, room.min(text.len()))];
        if cut.len() < text.len() {
            // Whole lines, where there are any.
            cut = cut.rsplit_once('\n').map_or(cut, |(lines, _)| lines);
        }
        if cut.trim().is_empty() || !privacy::find(cut).is_empty() {
            continue;
        }
        needs += heading_bytes(path) + cut.len() + 1;
        parts.push(RelatedPart {
            path: Arc::clone(path),
            line: 1,
            text: format!("{cut}\n"),
            kind: RelatedKind::Rules,
            why: "the project's rules".into(),
            needs,
        });
    }
    parts
}

/// The parts that were shown before, each with its place among them.
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

    fn at(&self, path: &Path, line: usize, text: &str) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        self.places.get(&(&*(self.shown)(path), line + 1, text)).copied()
    }
}

/// The chosen pieces as parts, in the order in which they are shown.
///
/// What was shown before comes first, as it stood there: two prompts begin alike, and a provider's cache has
/// that.
fn in_order(query: &Query<'_>, chosen: Vec<(usize, Piece)>, before: &Before<'_>) -> Vec<RelatedPart> {
    let mut parts: Vec<(usize, RelatedPart)> = chosen
        .into_iter()
        .map(|(needs, piece)| {
            let at = before.at(&piece.path, piece.line, &piece.text).unwrap_or(usize::MAX);
            let (line, path) = (piece.line + 1, (query.shown)(&piece.path));
            (at, RelatedPart { path, line, text: piece.text, kind: piece.kind, why: piece.why, needs })
        })
        .collect();
    parts.sort_by(|(a_at, a), (b_at, b)| {
        (a.kind, a_at, &a.path, a.line).cmp(&(b.kind, b_at, &b.path, b.line))
    });
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Those parts that hold no key, and those that do.
///
/// They are looked through as they will stand in a prompt: a key may span lines, and its name be on another
/// line.
pub(super) fn without_secrets(mut parts: Vec<RelatedPart>) -> (Vec<RelatedPart>, Vec<LeftOut>) {
    let whole: String = parts.iter().map(|part| part.text.as_str()).collect();
    let secrets = privacy::find(&whole);
    let (mut start, mut left_out) = (0, Vec::new());
    parts.retain(|part| {
        let span = start..start + part.text.len();
        start = span.end;
        let secret = secrets.iter().find(|it| it.span.start < span.end && span.start < it.span.end);
        if let Some(secret) = secret {
            left_out.push(LeftOut {
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
