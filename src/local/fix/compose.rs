//! Several fixes of one file as one set of edits.

use super::certain::Fix;
use crate::document::Document;
use crate::edit::guard::syntax_errors;
use crate::edit::{Edit, guard};
use crate::grammar::Grammar;
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
    let mut composed = join(fixes);
    if breaks(document, &composed.edits) {
        let mut sound = Vec::with_capacity(composed.taken.len());
        add_sound(document, fixes, &composed.taken, &mut sound);
        let Composed { edits, taken, .. } = join_some(fixes, &sound);
        let breaking = composed.taken.iter().filter(|at| !taken.contains(at)).map(|at| (*at, Left::Syntax));
        composed.left.extend(breaking);
        composed.left.sort_by_key(|(at, _)| *at);
        (composed.edits, composed.taken) = (edits, taken);
    }
    composed
}

/// Puts fixes together as [`compose`] does, but tries nothing out: for those that were tried together before.
pub fn join(fixes: &[Fix]) -> Composed {
    let all: Vec<usize> = (0..fixes.len()).collect();
    join_some(fixes, &all)
}

/// Puts some fixes together, which are given by their places in the list.
fn join_some(fixes: &[Fix], which: &[usize]) -> Composed {
    let mut composed = Composed::default();
    for at in which {
        match add(&mut composed.edits, &fixes[*at]) {
            Ok(()) => composed.taken.push(*at),
            Err(why) => composed.left.push((*at, why)),
        }
    }
    composed
}

/// Adds those of a group that leave no more syntax errors together with what is there.
///
/// As nearly all do, halves are tried before single ones.
fn add_sound(document: &Document, fixes: &[Fix], group: &[usize], sound: &mut Vec<usize>) {
    let all = [sound.as_slice(), group].concat();
    if !breaks(document, &join_some(fixes, &all).edits) {
        *sound = all;
    } else if group.len() > 1 {
        let (first, second) = group.split_at(group.len() / 2);
        add_sound(document, fixes, first, sound);
        add_sound(document, fixes, second, sound);
    }
}

/// Adds the edits of a fix to others, which are sorted and disjoint; all of them or none.
fn add(edits: &mut Vec<Edit>, fix: &Fix) -> Result<(), Left> {
    if let Some(name) = &fix.removes
        && edits.iter().any(|edit| edit.text.len() >= name.len() && ident::has_word(&edit.text, name))
    {
        return Err(Left::Contradiction);
    }
    let new: Vec<&Edit> =
        fix.edits.iter().filter(|edit| !near(edits, edit).iter().any(|other| is_same(other, edit))).collect();
    if new.iter().any(|edit| near(edits, edit).iter().any(|other| overlap(other, edit))) {
        return Err(Left::Overlap);
    }
    for edit in new {
        let at = place(edits, edit);
        // Of several lines in one place, the last alone is parted from what follows.
        if let Some(before) = at.checked_sub(1).map(|at| &mut edits[at]).filter(|it| it.span == edit.span) {
            for ending in ["\r\n", "\n"] {
                if let Some(text) = before.text.strip_suffix(&ending.repeat(2)) {
                    before.text = format!("{text}{ending}");
                    break;
                }
            }
        }
        edits.insert(at, edit.clone());
    }
    Ok(())
}

/// Where an edit goes among sorted ones.
fn place(edits: &[Edit], edit: &Edit) -> usize {
    edits.partition_point(|other| (other.span.start, other.span.end) <= (edit.span.start, edit.span.end))
}

/// The edits, of sorted and disjoint ones, that touch the place of another.
fn near<'e>(edits: &'e [Edit], edit: &Edit) -> &'e [Edit] {
    let first = edits.partition_point(|other| other.span.end < edit.span.start);
    let last = edits.partition_point(|other| other.span.start <= edit.span.end);
    &edits[first..last.max(first)]
}

/// Whether two edits do the same, whatever blank line parts a new line from what follows it.
fn is_same(one: &Edit, other: &Edit) -> bool {
    let body = |it: &Edit| it.text.trim_end_matches(['\r', '\n']).to_owned();
    one.span == other.span
        && (one.text == other.text || is_line(one) && is_line(other) && body(one) == body(other))
}

/// Whether an edit adds whole lines.
fn is_line(it: &Edit) -> bool {
    it.span.is_empty() && it.text.ends_with('\n')
}

/// Whether two edits cannot both be made.
fn overlap(one: &Edit, other: &Edit) -> bool {
    let is_touching = one.span.start < other.span.end && other.span.start < one.span.end;
    // Whole lines can stand one after the other; parts of one cannot, in what order ever.
    let is_same_place = one.span.start == other.span.start && !(is_line(one) && is_line(other));
    is_touching || is_same_place
}

/// Whether edits leave more syntax errors than there were.
fn breaks(document: &Document, edits: &[Edit]) -> bool {
    if edits.is_empty() || document.grammar().is_none() {
        return false;
    }
    let edited = guard::edited(document, edits);
    if guard::syntax_of(document, edits, &edited).is_err() {
        return true;
    }
    // Of languages whose errors are not reliable, a file that had none is to have none; the others had it checked.
    let is_reliable = document.grammar().is_some_and(Grammar::errors_are_reliable);
    !is_reliable && syntax_errors(document) == Some(0) && syntax_errors(&edited) != Some(0)
}
