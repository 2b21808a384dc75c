//! What a language server is told besides requests.

/// What became of an item of a language server, or of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// The item with this number was shown.
    Shown(u64),
    /// The item with this number was accepted.
    Accepted {
        /// The number of the item.
        item: u64,
        /// The UTF-16 units of its text behind the cursor that were accepted so far.
        units: usize,
        /// Whether nothing of the item is left to accept.
        is_whole: bool,
    },
    /// The editor closed the document with this URI.
    Closed(String),
}
