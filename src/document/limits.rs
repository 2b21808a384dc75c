//! How large a file is worked in.

/// Bytes of a file that keeps its tree, which takes some 27 bytes for each byte of the text.
///
/// What needs the tree of a larger one gets it parsed for the occasion; ghost text in one is cut by lines.
pub(super) const TREE_BYTES: usize = 1024 * 1024;

/// Changes that a tree may still have to be moved along with: each version copies them.
pub(super) const UNMOVED_CHANGES: usize = 16;
