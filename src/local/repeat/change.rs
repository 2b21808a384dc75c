//! The changes of the user's edit steps, in whole words.

use std::ops::Range;

use super::place;
use crate::edit::diff;
use crate::local::limits::UNSURE_PLACES;
use crate::local::words::{LinePiece, tokens};
use crate::text::ident;

/// An edit step of the user.
#[derive(Debug, Clone, Copy)]
pub struct EditStep<'a> {
    /// The lines before.
    pub old: &'a str,
    /// The lines after.
    pub new: &'a str,
    /// The current byte offset of `new` in the document.
    ///
    /// `None` if it is in another file, or no longer there.
    pub at: Option<usize>,
    /// Some lines above them; empty if unknown.
    pub above: &'a str,
    /// Some lines below them.
    pub below: &'a str,
    /// Whether it was offered and accepted as what follows from a changed definition.
    pub is_of_definition: bool,
}

impl<'a> EditStep<'a> {
    /// The lines directly above and below the changed ones, from `text` if the step was made there.
    pub(super) fn beside(&self, text: &'a str) -> (&'a str, &'a str) {
        let (old, new): (Vec<&str>, Vec<&str>) = (self.old.lines().collect(), self.new.lines().collect());
        let (head, tail) = unchanged(&old, &new);
        let around = self.at.and_then(|at| Some((text.get(..at)?, text.get(at + self.new.len()..)?)));
        let (ahead, behind) = around.unwrap_or((self.above, self.below));
        let above = head.checked_sub(1).and_then(|last| new.get(last).copied());
        let below = new.get(new.len() - tail).copied();
        (
            above.or_else(|| ahead.lines().next_back()).unwrap_or_default(),
            below.or_else(|| behind.lines().next()).unwrap_or_default(),
        )
    }
}

/// The number of equal lines at the beginning and at the end.
///
/// Repeated lines count at the end.
pub(super) fn unchanged<L: PartialEq>(old: &[L], new: &[L]) -> (usize, usize) {
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - tail;
    (old.iter().zip(new).take(rest).take_while(|(old, new)| old == new).count(), tail)
}

/// A declaration that was renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The old name.
    pub from: String,
    /// The new name.
    pub to: String,
    /// The byte offset of the new name.
    pub at: usize,
}

/// One change within a step: whole tokens on one line.
#[derive(Debug, Clone, Copy)]
pub(in crate::local) struct Change<'a> {
    pub(in crate::local) old: &'a str,
    pub(in crate::local) new: &'a str,
    /// The line up to the change …
    pub(super) before: &'a str,
    /// … and from its end; both are the same before and after the change.
    pub(super) after: &'a str,
    /// The current byte offset of `new` in the document.
    pub(in crate::local) at: Option<usize>,
    /// The lines of its step, before and after.
    step: (&'a str, &'a str),
}

impl Change<'_> {
    /// Whether its step inserted the removed text elsewhere, where it means something else.
    pub(super) fn comes_again(&self, all: &[Self]) -> bool {
        let count = |text: &str| ident::occurrences(text, self.old).count();
        let same = |it: &&Self| self.is_of_step(it) && (it.old, it.new) == (self.old, self.new);
        count(self.step.1) + all.iter().filter(same).count() > count(self.step.0)
    }

    /// Whether both are the same change of the same step.
    pub(super) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self.new, other.new) && self.is_of_step(other)
    }

    fn is_of_step(&self, other: &Self) -> bool {
        std::ptr::eq(self.step.1, other.step.1)
    }

    /// Whether its step made other changes as well.
    pub(super) fn is_one_of_several(&self, all: &[Self]) -> bool {
        let is_other = |it: &Self| (it.old, it.new) != (self.old, self.new);
        all.iter().any(|it| self.is_of_step(it) && is_other(it))
    }

    /// Whether a few changes were made along with others, of which they may be a part.
    ///
    /// In the histories of nineteen projects, three of four repetitions of such changes were in the commit.
    pub(super) fn is_part_of_others(same: &[&Self], all: &[Self]) -> bool {
        same.len() <= UNSURE_PLACES && same.iter().any(|it| it.is_one_of_several(all))
    }

    /// The tokens right before and after it.
    pub(super) fn neighbors(&self) -> (Option<&str>, Option<&str>) {
        place::neighbors(self.before, self.after)
    }

    /// Whether changes are too frequent to be a one-off: in two steps, or in three places of one.
    ///
    /// Two changes in one step are one thing to the user: a lower and an upper bound, a name on both sides.
    pub(super) fn is_habit(same: &[&Self]) -> bool {
        same.len() > 2 || matches!(same, [one, other] if !one.is_of_step(other))
    }
}

/// The changes of a step, line by line.
///
/// Empty if lines were added or removed, or if there are more than a few changes.
pub(in crate::local) fn changes<'a>(step: &EditStep<'a>) -> Vec<Change<'a>> {
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (step.old.lines().collect(), step.new.lines().collect());
    if old_lines.len() != new_lines.len() {
        return Vec::new();
    }
    let mut changes = Vec::new();
    for (old, new) in old_lines.iter().zip(&new_lines).filter(|(old, new)| old != new) {
        let offset = new.as_ptr() as usize - step.new.as_ptr() as usize;
        let mut shift = 0_isize;
        for edit in diff::minimal(old, new) {
            let start = edit.span.start.saturating_add_signed(shift);
            shift += edit.text.len() as isize - edit.span.len() as isize;
            let (was, is) = whole_words(old, edit.span.clone(), new, start..start + edit.text.len());
            let (was, is) = without_shared(old, was, new, is);
            changes.push(Change {
                old: &old[was],
                new: &new[is.clone()],
                before: &new[..is.start],
                after: &new[is.end..],
                at: step.at.map(|at| at + offset + is.start),
                step: (step.old, step.new),
            });
        }
    }
    // A word changed in two of its parts is one change.
    changes.dedup_by(|next, kept| {
        next.before.len() == kept.before.len() && std::ptr::eq(next.before, kept.before)
    });
    changes
}

/// Widens a change to whole words on both sides, equally in both texts.
fn whole_words(old: &str, was: Range<usize>, new: &str, is: Range<usize>) -> (Range<usize>, Range<usize>) {
    let ends_in_word = |text: &str| text.chars().next_back().is_some_and(ident::is_part);
    let starts_in_word = |text: &str| text.chars().next().is_some_and(ident::is_part);
    let touches = starts_in_word(&old[was.clone()]) || starts_in_word(&new[is.clone()]);
    let joins =
        was.is_empty() && starts_in_word(&old[was.end..]) || is.is_empty() && starts_in_word(&new[is.end..]);
    let lead = if touches || joins { ident::last_partial(&new[..is.start]).len() } else { 0 };
    let touches =
        ends_in_word(&old[..was.end]) && !was.is_empty() || ends_in_word(&new[..is.end]) && !is.is_empty();
    let joins = (was.is_empty() || is.is_empty()) && lead > 0;
    let tail = if touches || joins { ident::first_partial(&new[is.end..]).len() } else { 0 };
    (was.start - lead..was.end + tail, is.start - lead..is.end + tail)
}

/// Trims words common to both sides from a change: `c` to `a, c` adds `a, `.
fn without_shared(old: &str, was: Range<usize>, new: &str, is: Range<usize>) -> (Range<usize>, Range<usize>) {
    let (left, right) = (tokens(&old[was.clone()]), tokens(&new[is.clone()]));
    let same = |pair: &(&LinePiece<'_>, &LinePiece<'_>)| pair.0 == pair.1;
    let bytes = |pair: (&LinePiece<'_>, &LinePiece<'_>)| pair.0.text.len();
    let tail: usize = left.iter().rev().zip(right.iter().rev()).take_while(same).map(bytes).sum();
    let room = was.len().min(is.len()) - tail;
    let head: usize = left.iter().zip(&right).take_while(same).map(bytes).sum();
    // A repeated token may be counted from both ends.
    let head = if head <= room { head } else { 0 };
    (was.start + head..was.end - tail, is.start + head..is.end - tail)
}
