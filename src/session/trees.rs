//! Which files have a syntax tree: when one is to be made, and which are let go of.

use super::{File, Session, Tracked};
use crate::document::{Document, DocumentId};

/// Bytes of text of all the files that keep a tree, except that the one in use always may. People work on a few
/// files at a time and leave many open; a tree takes some 27 bytes for each of these.
pub(super) const TREE_BUDGET: usize = 96 * 1024;

impl Session {
    /// Whether a parse of the file should be started now: its current version has no tree of its own and none is
    /// being made. Counts it as started.
    pub fn begin_parse(&mut self, id: &DocumentId) -> bool {
        self.tracked_mut(id).is_some_and(Tracked::begin_parse)
    }

    /// Ends the parse begun last if the file is still as it was parsed, the revision `parsed`; true if it is over, or
    /// the file is no longer followed. A tree that was let go of since is not made again until somebody works there.
    pub fn end_parse_if_current(&mut self, id: &DocumentId, parsed: u64) -> bool {
        self.tracked_mut(id).is_none_or(|tracked| tracked.end_parse_if_current(parsed))
    }

    /// The parse begun last is over, whatever it left.
    pub fn end_parse(&mut self, id: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.end_parse();
        }
    }

    /// Gives the file the tree that was parsed of this or an earlier version of it, and the outline if there is a new
    /// one.
    pub fn adopt(&mut self, parsed: &Document, outline: Option<String>) {
        if let Some(tracked) = self.tracked_mut(parsed.id()) {
            tracked.adopt(parsed, outline);
            self.keep_trees(parsed.id());
        }
    }

    /// A job parsed the file's version for itself, and the tree stays with it: it counts among those that are kept.
    pub fn note_parsed(&mut self, id: &DocumentId) {
        self.keep_trees(id);
    }

    /// Keeps the trees of the files that were parsed last, `newest` first among them, as far as [`TREE_BUDGET`] goes.
    /// The others have theirs made again when they are next worked on.
    fn keep_trees(&mut self, newest: &DocumentId) {
        self.with_trees.retain(|id| id != newest);
        self.with_trees.push_front(newest.clone());
        let mut bytes = 0;
        let files = &mut self.files;
        let mut first = true;
        self.with_trees.retain(|id| {
            let Some(File::Tracked(tracked)) = files.get_mut(id) else { return false };
            bytes += tracked.bytes_with_tree();
            let keep = tracked.document().keeps_tree() && (first || bytes <= TREE_BUDGET);
            first = false;
            if !keep {
                tracked.drop_tree();
            }
            keep
        });
    }

    /// Whether the file has an outline that need not be made again.
    pub fn is_outlined(&self, id: &DocumentId) -> bool {
        self.tracked(id).is_ok_and(Tracked::is_outlined)
    }

    /// The next parse makes a new outline; the old one serves until then.
    pub fn renew_outline(&mut self, id: &DocumentId) {
        if let Some(tracked) = self.tracked_mut(id) {
            tracked.renew_outline();
        }
    }
}
