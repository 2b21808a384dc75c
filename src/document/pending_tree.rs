//! The tree of an earlier version, adjusted to later edits.

use std::sync::{Mutex, OnceLock, PoisonError};

use tree_sitter::{InputEdit, Point, Tree};

use super::limits::UNMOVED_CHANGES;

/// A tree of an earlier version, adjusted to later edits on first use.
///
/// Editing a tree that another version still holds copies the changed nodes, and the root may have thousands of
/// children. By the time a request uses the tree, the previous version is gone, so nothing is copied.
#[derive(Default)]
pub(super) struct PendingTree {
    moved: OnceLock<Option<Tree>>,
    unmoved: Mutex<Option<Unmoved>>,
}

/// A tree, and the edits that are not applied to it yet.
#[derive(Clone)]
struct Unmoved {
    tree: Tree,
    changes: Vec<InputEdit>,
}

impl Unmoved {
    fn apply_edits(&mut self) {
        for change in self.changes.drain(..) {
            self.tree.edit(&change);
        }
    }
}

/// The smallest edit that covers two consecutive edits.
pub(super) fn covering(first: &InputEdit, next: &InputEdit) -> InputEdit {
    let start = if next.start_byte < first.start_byte { next } else { first };
    let is_old_end_behind = next.old_end_byte > first.new_end_byte;
    let is_new_end_behind = first.new_end_byte > next.old_end_byte;
    InputEdit {
        start_byte: start.start_byte,
        start_position: start.start_position,
        old_end_byte: match is_old_end_behind {
            true => next.old_end_byte - first.new_end_byte + first.old_end_byte,
            false => first.old_end_byte,
        },
        old_end_position: match is_old_end_behind {
            true => shifted(next.old_end_position, first.new_end_position, first.old_end_position),
            false => first.old_end_position,
        },
        new_end_byte: match is_new_end_behind {
            true => first.new_end_byte - next.old_end_byte + next.new_end_byte,
            false => next.new_end_byte,
        },
        new_end_position: match is_new_end_behind {
            true => shifted(first.new_end_position, next.old_end_position, next.new_end_position),
            false => next.new_end_position,
        },
    }
}

/// Moves `place` by the shift of an earlier point from `from` to `to`.
fn shifted(place: Point, from: Point, to: Point) -> Point {
    let column = if place.row == from.row { place.column - from.column + to.column } else { place.column };
    Point { row: place.row - from.row + to.row, column }
}

impl PendingTree {
    /// Wraps a tree that matches the current text.
    pub(super) fn new(tree: Tree) -> Self {
        Self { unmoved: Mutex::new(Some(Unmoved { tree, changes: Vec::new() })), ..Self::default() }
    }

    /// The tree for the next version, which adds its own edits.
    pub(super) fn for_next(&self) -> Self {
        if self.moved.get().is_none() {
            let unmoved = self.unmoved.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if unmoved.is_some() {
                return Self { unmoved: Mutex::new(unmoved), ..Self::default() };
            }
        }
        self.get().map_or_else(Self::default, |tree| Self::new(tree.clone()))
    }

    /// Records an edit of the text.
    pub(super) fn change(&mut self, change: &InputEdit) {
        if let Some(Some(tree)) = self.moved.take() {
            *self = Self::new(tree);
        }
        let unmoved = self.unmoved.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(unmoved) = unmoved {
            unmoved.changes.push(*change);
            if unmoved.changes.len() > UNMOVED_CHANGES {
                unmoved.apply_edits();
            }
        }
    }

    /// The tree with all edits applied.
    pub(super) fn get(&self) -> Option<&Tree> {
        let moved = self.moved.get_or_init(|| {
            let mut unmoved = self.unmoved.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            unmoved.apply_edits();
            Some(unmoved.tree)
        });
        moved.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point(text: &str, byte: usize) -> Point {
        let line = text[..byte].rfind('\n').map_or(0, |at| at + 1);
        Point { row: text[..byte].matches('\n').count(), column: byte - line }
    }

    /// Replaces a part of a text.
    fn change(text: &mut String, (start, length, new): &(usize, usize, String)) -> InputEdit {
        let start = start % (text.len() + 1);
        let end = (start + length).min(text.len());
        let old = text.clone();
        text.replace_range(start..end, new);
        let new_end = start + new.len();
        InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: new_end,
            start_position: point(&old, start),
            old_end_position: point(&old, end),
            new_end_position: point(text, new_end),
        }
    }

    proptest! {
        #![proptest_config(crate::properties::config())]
        #[test]
        fn change_that_covers_others_leaves_the_same_text_around_it(
            old in "[a\n]{0,40}",
            changes in prop::collection::vec((0_usize..60, 0_usize..8, "[b\n]{0,6}"), 1..8),
        ) {
            let mut text = old.clone();
            let changes: Vec<InputEdit> = changes.iter().map(|it| change(&mut text, it)).collect();
            let all = changes.into_iter().reduce(|all, next| covering(&all, &next)).unwrap();
            prop_assert_eq!(&old[..all.start_byte], &text[..all.start_byte]);
            prop_assert_eq!(&old[all.old_end_byte..], &text[all.new_end_byte..]);
            prop_assert_eq!(all.start_position, point(&old, all.start_byte));
            prop_assert_eq!(all.old_end_position, point(&old, all.old_end_byte));
            prop_assert_eq!(all.new_end_position, point(&text, all.new_end_byte));
        }
    }
}
