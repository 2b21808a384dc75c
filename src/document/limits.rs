//! How large a file is worked in.

/// Bytes of a file that keeps its tree, which takes some 27 bytes for each byte of the text.
///
/// What needs the tree of a larger one gets it parsed for the occasion; ghost text in one is cut by lines.
pub(super) const TREE_BYTES: usize = 1024 * 1024;

/// Bytes of a text whose words are gathered. A smaller one is searched in less than it takes to
/// ask for them.
pub(super) const GATHERED_BYTES: usize = 256 * 1024;
/// Bytes of changes after which words are gathered anew: each version copies them, and what was
/// deleted is forgotten.
pub(super) const CHANGED_BYTES: usize = 8 * 1024;
/// Bytes of the longest word.
pub(super) const WORD_BYTES: usize = 128;

/// Changes that a tree may still have to be moved along with: each version copies them.
pub(super) const UNMOVED_CHANGES: usize = 16;

/// Bytes for each of many changes below which a tree is moved along with one change that covers them.
///
/// A tree takes as long for a change as it has entries at a level: for each of a thousand changes to a list of a
/// thousand entries longer than to parse the list.
pub(super) const DENSE_CHANGE_BYTES: usize = 512;
