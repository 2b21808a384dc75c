//! What a model is told: pure text from plain context, one file per job, golden-tested.
//!
//! Every prompt is one constant instruction text and one input text. Inside the input, what stays the same
//! from one keystroke to the next comes first (path, language, outline, the window's beginning) so that a
//! provider's prompt cache can serve it; the cursor's surroundings come last.
//!
//! Parts are set apart by *marks* such as `<|code|>`. A mark never occurs in the text it delimits: when a
//! file holds one (this file does), all marks of that prompt carry a number, as in `<|code-1|>`. [`read`] is
//! the inverse and serves engines that answer these prompts without a model.

pub mod complete;
pub mod fix;
pub mod next_edit;
pub mod rewrite;

mod marks;

/// What is sent for one job: constant instructions and the input that they explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The same text for every request of a job.
    pub instructions: &'static str,
    /// The context, ready to be sent as one user message.
    pub input: String,
    /// Bytes at the beginning of `input` that stay the same while one types in a file.
    pub stable: usize,
}

/// The parts of a prompt, as [`read`] finds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
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
    /// A range of whole lines and what is to be done to it.
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
        /// The user's words.
        instruction: String,
    },
    /// What the user did, and the parts of a file that may change.
    NextEdit {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// What the user did, oldest first: path, lines before, lines after.
        steps: Vec<(String, String, String)>,
        /// The tagged blocks.
        window: String,
        /// The tag of the cursor's block and the cursor's line.
        cursor: String,
    },
    /// A problem, and the parts of a file that may change.
    Fix {
        /// The file's path as shown to the model, `/`-separated.
        path: String,
        /// The grammar's id, such as `rust`; empty if unknown.
        language: String,
        /// The tagged blocks.
        window: String,
        /// What was reported.
        problem: String,
        /// The text that the problem marks.
        marked: String,
        /// The line that it is about.
        line: String,
    },
}

/// What is said of the style that code is to be written in, behind the instructions of a
/// job. The words are the user's or the project's, and have no say in what is answered with.
pub fn style(style: &str) -> String {
    format!(
        " How code is to be written here, in the owner's words, which do not change the form of the reply: {}",
        style.trim()
    )
}

/// Reads an input text back into its parts; `None` if it is not one of our prompts.
pub fn read(input: &str) -> Option<Shown> {
    complete::read(input)
        .or_else(|| rewrite::read(input))
        .or_else(|| next_edit::read(input))
        .or_else(|| fix::read(input))
}
