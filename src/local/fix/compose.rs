//! Combines several fixes of one file into one set of edits.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use super::certain::{Fix, Kind};
use crate::document::Document;
use crate::edit::{Edit, check, edited};
use crate::grammar::Grammar;
use crate::local::limits::COMPOSE_TRIALS;
use crate::text::ident;
use crate::text::named;

/// Fixes that can be made together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Composed {
    /// The edits of all fixes, sorted and disjoint.
    pub edits: Vec<Edit>,
    /// The indices of the fixes that are included, in order.
    pub taken: Vec<usize>,
    /// The indices of the fixes that are left out, each with the reason, in order.
    pub left: Vec<(usize, SkipReason)>,
}

named! {
    /// Why a fix is left out.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum SkipReason {
        /// It changes a range that an earlier fix changes.
        Overlap = "another fix changes the same place",
        /// It removes or replaces a name that another fix adds.
        Contradiction = "another fix uses what it would remove",
        /// It adds syntax errors.
        Syntax = "with the others it would break the syntax",
    }
}

/// Combines fixes; where two conflict, the earlier one in the list is kept.
///
/// Fixes that remove an unused name come last, so that none removes what another adds, in whatever order they are
/// reported. A model's fixes come after those of all rules.
///
/// The fixes are tried together, first those that do not fix the syntax: a fix of the syntax must not
/// compensate for an error that another one introduces. Waits for the parse.
pub fn compose(document: &Document, fixes: &[Fix]) -> Composed {
    let mut composed = join(fixes);
    let (mending, others): (Vec<usize>, Vec<usize>) =
        composed.taken.iter().partition(|at| fixes[**at].kind == Kind::MissingToken);
    let breaks_some = !mending.is_empty() && breaks(document, &join_some(fixes, &others).edits);
    if breaks_some || breaks(document, &composed.edits) {
        let (mut sound, mut trials) = (Vec::with_capacity(composed.taken.len()), COMPOSE_TRIALS);
        for group in [others, mending] {
            add_sound(document, fixes, &group, &mut sound, &mut trials);
        }
        sound.sort_unstable();
        let Composed { edits, taken, .. } = join_some(fixes, &sound);
        let kept: HashSet<usize> = taken.iter().copied().collect();
        let breaking =
            composed.taken.iter().filter(|at| !kept.contains(at)).map(|at| (*at, SkipReason::Syntax));
        composed.left.extend(breaking);
        composed.left.sort_by_key(|(at, _)| *at);
        (composed.edits, composed.taken) = (edits, taken);
    }
    composed
}

/// Combines fixes as [`compose`] does, but without trials: for fixes that were tried together before.
pub fn join(fixes: &[Fix]) -> Composed {
    let all: Vec<usize> = (0..fixes.len()).collect();
    join_some(fixes, &all)
}

/// Combines those fixes of a list whose indices are given.
fn join_some(fixes: &[Fix], which: &[usize]) -> Composed {
    let (mut joined, mut taken, mut left) = (Joined::default(), Vec::new(), Vec::new());
    let mut order = which.to_vec();
    order.sort_by_key(|at| {
        let Fix { kind, removes, .. } = &fixes[*at];
        (*kind == Kind::OfModel, !removes.is_empty() && *kind != Kind::MisspeltName)
    });
    for at in order {
        match joined.add(&fixes[at]) {
            Ok(()) => taken.push(at),
            Err(why) => left.push((at, why)),
        }
    }
    taken.sort_unstable();
    left.sort_by_key(|(at, _)| *at);
    Composed { edits: joined.places.into_values().flatten().collect(), taken, left }
}

/// Adds the fixes of a group that introduce no syntax errors together with those already added.
///
/// Since nearly all are sound, whole groups are tried before their halves. Once the trials are used up, the
/// rest is left out.
fn add_sound(
    document: &Document,
    fixes: &[Fix],
    group: &[usize],
    sound: &mut Vec<usize>,
    trials: &mut usize,
) {
    let Some(fewer) = trials.checked_sub(1) else { return };
    *trials = fewer;
    let all = [sound.as_slice(), group].concat();
    if !breaks(document, &join_some(fixes, &all).edits) {
        *sound = all;
    } else if group.len() > 1 {
        let (first, second) = group.split_at(group.len() / 2);
        add_sound(document, fixes, first, sound, trials);
        add_sound(document, fixes, second, sound, trials);
    }
}

/// The edits of several fixes.
#[derive(Default)]
struct Joined {
    /// The disjoint edits by their ranges; several at one position add whole lines.
    places: BTreeMap<(usize, usize), Vec<Edit>>,
    /// The [`key`] of each edit.
    seen: HashSet<(usize, usize, String)>,
    /// The names that the edits insert.
    brought: HashSet<String>,
    /// The names that the fixes remove or replace.
    gone: HashSet<String>,
}

impl Joined {
    /// Adds either all edits of a fix or none.
    fn add(&mut self, fix: &Fix) -> Result<(), SkipReason> {
        let mut inserted = fix.edits.iter().flat_map(|edit| ident::names(&edit.text));
        if fix.removes.iter().any(|name| self.brought.contains(name))
            || inserted.any(|name| self.gone.contains(name))
        {
            return Err(SkipReason::Contradiction);
        }
        self.gone.extend(fix.removes.iter().cloned());
        let new: Vec<&Edit> = fix.edits.iter().filter(|edit| !self.seen.contains(&key(edit))).collect();
        if new.iter().any(|edit| self.overlaps(edit)) {
            return Err(SkipReason::Overlap);
        }
        for edit in new {
            self.seen.insert(key(edit));
            self.brought.extend(ident::names(&edit.text).map(str::to_owned));
            let place = self.places.entry((edit.span.start, edit.span.end)).or_default();
            // Of several lines inserted at one position, only the last one keeps its blank line below.
            if let Some(before) = place.last_mut() {
                for ending in ["\r\n", "\n"] {
                    if let Some(text) = before.text.strip_suffix(&ending.repeat(2)) {
                        before.text = format!("{text}{ending}");
                        break;
                    }
                }
            }
            place.push(edit.clone());
        }
        Ok(())
    }

    /// Whether an edit conflicts with those already added.
    fn overlaps(&self, edit: &Edit) -> bool {
        let Range { start, end } = edit.span;
        let below = self.places.range(..=(end, usize::MAX)).rev();
        let mut near = below.take_while(|((_, last), _)| *last >= start);
        near.any(|(_, others)| others.first().is_some_and(|other| overlap(other, edit)))
    }
}

/// What identifies an edit: its range and text, without the blank line below an inserted line.
fn key(edit: &Edit) -> (usize, usize, String) {
    let text = if is_line(edit) { edit.text.trim_end_matches(['\r', '\n']) } else { &edit.text };
    (edit.span.start, edit.span.end, text.to_owned())
}

/// Whether an edit inserts whole lines.
fn is_line(it: &Edit) -> bool {
    it.span.is_empty() && it.text.ends_with('\n')
}

/// Whether two edits conflict.
fn overlap(one: &Edit, other: &Edit) -> bool {
    let is_touching = one.span.start < other.span.end && other.span.start < one.span.end;
    // Whole lines can be inserted one after the other; parts of a line cannot, in any order.
    let is_same_place = one.span.start == other.span.start && !(is_line(one) && is_line(other));
    // A misspelt keyword is corrected, or gets a semicolon behind it: both mend the same error.
    let ends =
        |one: &Edit, other: &Edit| one.text == ";" && one.span.is_empty() && one.span.start == other.span.end;
    let is_ended = ends(one, other) || ends(other, one);
    is_touching || is_same_place || is_ended || goes_on(one, other) || goes_on(other, one)
}

/// Whether an edit inserts, directly behind another one, only names that the other one already inserts.
fn goes_on(one: &Edit, other: &Edit) -> bool {
    let mut names = ident::names(&one.text).peekable();
    one.span.is_empty()
        && one.span.start == other.span.end
        && names.peek().is_some()
        && names.all(|name| ident::has_word(&other.text, name))
}

/// Whether edits increase the number of syntax errors.
fn breaks(document: &Document, edits: &[Edit]) -> bool {
    if edits.is_empty() || document.grammar().is_none() {
        return false;
    }
    let edited = edited(document, edits);
    if check::syntax_of(document, edits, &edited).is_err() {
        return true;
    }
    // With an unreliable grammar, `syntax_of` allows more errors. A file without errors must stay without.
    let is_reliable = document.grammar().is_some_and(Grammar::errors_are_reliable);
    !is_reliable && document.syntax_errors() == Some(0) && edited.syntax_errors() != Some(0)
}
