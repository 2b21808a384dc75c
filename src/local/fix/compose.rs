//! Several fixes of one file as one set of edits.

use super::certain::Fix;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::{Edit, guard};
use crate::text::ident;

/// Fixes that go together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    /// The edits of all, sorted and disjoint.
    pub edits: Vec<Edit>,
    /// Which fixes are in it, by their place in the list.
    pub taken: Vec<usize>,
    /// Which are not, and why.
    pub left: Vec<(usize, Left)>,
}

/// Why a fix is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It changes what an earlier one changes.
    Overlap,
    /// It takes away a name that an earlier one brings in.
    Contradiction,
    /// With it, the code has more syntax errors.
    Syntax,
}

impl Left {
    /// The reason in words.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overlap => "another fix changes the same place",
            Self::Contradiction => "another fix uses what it would remove",
            Self::Syntax => "with the others it would break the syntax",
        }
    }
}

/// Puts fixes together, those first in the list before the others.
///
/// Each was tried by itself; here they are tried together. Waits for the parse.
pub fn compose(document: &Document, fixes: &[Fix]) -> Composed {
    let mut composed = Composed::default();
    for (at, fix) in fixes.iter().enumerate() {
        match joined(&composed.edits, fix) {
            Ok(edits) => {
                composed.edits = edits;
                composed.taken.push(at);
            }
            Err(why) => composed.left.push((at, why)),
        }
    }
    if !breaks(document, &composed.edits) {
        return composed;
    }
    // One of them does not go with the others, so each is tried.
    let mut tried = Composed { left: composed.left, ..Composed::default() };
    for at in composed.taken {
        let edits = joined(&tried.edits, &fixes[at])
            .map_err(|why| (at, why))
            .and_then(|edits| if breaks(document, &edits) { Err((at, Left::Syntax)) } else { Ok(edits) });
        match edits {
            Ok(edits) => {
                tried.edits = edits;
                tried.taken.push(at);
            }
            Err(left) => tried.left.push(left),
        }
    }
    tried.left.sort_by_key(|(at, _)| *at);
    tried
}

/// Edits with those of one more fix.
fn joined(edits: &[Edit], fix: &Fix) -> Result<Vec<Edit>, Left> {
    if let Some(name) = &fix.removes
        && edits.iter().any(|edit| ident::has_word(&edit.text, name))
    {
        return Err(Left::Contradiction);
    }
    let mut all = edits.to_vec();
    for edit in &fix.edits {
        if edits.contains(edit) {
            continue;
        }
        let at = all
            .partition_point(|other| (other.span.start, other.span.end) <= (edit.span.start, edit.span.end));
        let overlaps = |other: &Edit| {
            let is_touching = other.span.start < edit.span.end && edit.span.start < other.span.end;
            // Whole lines can stand one after the other; parts of one cannot, in what order ever.
            let is_line = |it: &Edit| it.span.is_empty() && it.text.ends_with('\n');
            let is_same_place = other.span.start == edit.span.start && !(is_line(other) && is_line(edit));
            is_touching || is_same_place
        };
        if all.iter().any(overlaps) {
            return Err(Left::Overlap);
        }
        // Of several lines in one place, the last alone is parted from what follows.
        if let Some(before) = at.checked_sub(1).map(|at| &mut all[at]).filter(|it| it.span == edit.span) {
            for ending in ["\r\n", "\n"] {
                if let Some(text) = before.text.strip_suffix(&ending.repeat(2)) {
                    before.text = format!("{text}{ending}");
                    break;
                }
            }
        }
        all.insert(at, edit.clone());
    }
    Ok(all)
}

/// Whether edits leave more syntax errors than there were.
fn breaks(document: &Document, edits: &[Edit]) -> bool {
    if edits.is_empty() || document.grammar().is_none() {
        return false;
    }
    if guard::syntax(document, edits).is_err() {
        return true;
    }
    // Of languages whose errors are not reliable, a file that had none is to have none.
    let before = syntax_errors(document);
    let after = edits
        .iter()
        .rev()
        .fold(document.with(0..0, ""), |text, edit| text.with(edit.span.clone(), &edit.text));
    before == Some(0) && syntax_errors(&after) != Some(0)
}
