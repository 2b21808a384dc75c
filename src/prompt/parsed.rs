//! A prompt split into its parts, for engines that answer prompts without a model.

/// The parts of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedPrompt {
    /// The text around a cursor.
    Completion {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// The text before the cursor.
        before: String,
        /// The text after the cursor.
        after: String,
    },
    /// A range of whole lines and the instruction for it.
    Rewrite {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// The text before the range.
        before: String,
        /// The lines to be rewritten.
        range: String,
        /// The text after the range.
        after: String,
        /// The user's instruction.
        instruction: String,
    },
    /// Recent edits, and the parts of a file that may change.
    NextEdit {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// The recent edits, oldest first: path, lines before, lines after.
        steps: Vec<(String, String, String)>,
        /// The tagged blocks.
        window: String,
        /// The tag of the cursor's block and the cursor's line.
        cursor: String,
    },
    /// A diagnostic, and the parts of a file that may change.
    Fix {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// The tagged blocks.
        window: String,
        /// The diagnostic's severity, code, source and message.
        problem: String,
        /// The text that the diagnostic's range covers.
        marked: String,
        /// The line that the diagnostic is about.
        line: String,
    },
    /// A question about the project, and lines of its files.
    Question {
        /// Path, number (from 1) and text of each line.
        lines: Vec<(String, usize, String)>,
        /// The question.
        question: String,
    },
}
