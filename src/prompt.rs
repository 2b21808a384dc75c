//! What the model is asked.

/// What a prompt shows.
pub enum Shown {
    /// The text around the cursor.
    Completion {
        /// The file's path.
        path: String,
        /// The language's identifier.
        language: String,
        /// The text before the cursor.
        before: String,
        /// The text after it.
        after: String,
    },
    /// A range to be rewritten.
    Rewrite {
        /// The file's path.
        path: String,
        /// The language's identifier.
        language: String,
        /// The text before the range.
        before: String,
        /// The range's text.
        range: String,
        /// The text after it.
        after: String,
        /// What is to be done.
        instruction: String,
    },
}

/// Reads a prompt back.
pub fn read(_input: &str) -> Option<Shown> {
    None
}
