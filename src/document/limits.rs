//! Size limits for document features.

/// Maximum size in bytes of a file that keeps its tree, which takes some 27 bytes per byte of text.
///
/// A larger file is parsed on demand where a tree is needed; its ghost text is cut by lines.
pub(super) const TREE_BYTES: usize = 1024 * 1024;

/// Minimum size in bytes of a text with a word index. Searching a smaller text takes less time than a lookup in
/// the index.
pub(super) const GATHERED_BYTES: usize = 256 * 1024;
/// Bytes of changes after which the word index is rebuilt: each version copies the changed words, and a rebuild
/// drops deleted words.
pub(super) const CHANGED_BYTES: usize = 8 * 1024;
/// Maximum length of a word in bytes.
pub(super) const WORD_BYTES: usize = 128;

/// Maximum number of pending edits of a tree: each version copies them.
pub(super) const UNMOVED_CHANGES: usize = 16;

/// Bytes per edit below which many pending edits are merged into one that covers them.
///
/// Editing a tree takes time linear in its nodes per level: a thousand edits in a list of a thousand entries
/// take longer than parsing the list.
pub(super) const DENSE_CHANGE_BYTES: usize = 512;
