//! A prompt as it is sent.

/// A prompt: constant instructions, and the input that they explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The same text for every request of a job.
    pub instructions: &'static str,
    /// The context, ready to be sent as one user message.
    pub input: String,
    /// Bytes at the beginning of `input` that stay the same while the user types in a file.
    pub stable: usize,
}
