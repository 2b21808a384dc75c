//! The tree of an earlier version, moved along with the changes since.

use std::sync::{Mutex, OnceLock, PoisonError};

use tree_sitter::{InputEdit, Tree};

use super::limits::UNMOVED_CHANGES;

/// A tree of an earlier version, which is moved along when it is first looked at.
///
/// A tree that another version still has is copied where it changes, and its root may have thousands of
/// children. When a request looks at the tree, the version before the change is gone, and nothing is copied.
#[derive(Default)]
pub(super) struct CarriedTree {
    moved: OnceLock<Option<Tree>>,
    unmoved: Mutex<Option<Unmoved>>,
}

/// A tree, and the changes to the text since that it was not moved along with yet.
#[derive(Clone)]
struct Unmoved {
    tree: Tree,
    changes: Vec<InputEdit>,
}

impl Unmoved {
    fn move_along(&mut self) {
        for change in self.changes.drain(..) {
            self.tree.edit(&change);
        }
    }
}

impl CarriedTree {
    /// A tree that fits the text as it is.
    pub(super) fn new(tree: Tree) -> Self {
        Self { unmoved: Mutex::new(Some(Unmoved { tree, changes: Vec::new() })), ..Self::default() }
    }

    /// The tree for the next version, which adds its own changes.
    pub(super) fn for_next(&self) -> Self {
        if self.moved.get().is_none() {
            let unmoved = self.unmoved.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if unmoved.is_some() {
                return Self { unmoved: Mutex::new(unmoved), ..Self::default() };
            }
        }
        self.get().map_or_else(Self::default, |tree| Self::new(tree.clone()))
    }

    /// Notes a change to the text.
    pub(super) fn change(&mut self, change: &InputEdit) {
        if let Some(Some(tree)) = self.moved.take() {
            *self = Self::new(tree);
        }
        let unmoved = self.unmoved.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(unmoved) = unmoved {
            unmoved.changes.push(*change);
            if unmoved.changes.len() > UNMOVED_CHANGES {
                unmoved.move_along();
            }
        }
    }

    /// The tree, moved along with all changes.
    pub(super) fn get(&self) -> Option<&Tree> {
        let moved = self.moved.get_or_init(|| {
            let mut unmoved = self.unmoved.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            unmoved.move_along();
            Some(unmoved.tree)
        });
        moved.as_ref()
    }
}
