//! A rendered prompt.

use super::marks::Marks;

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

impl Prompt {
    /// Marks the parts, each a name and a text. There is at least one.
    ///
    /// The first part counts as stable.
    pub(super) fn of_parts(instructions: &'static str, parts: &[(&str, &str)]) -> Self {
        let (names, texts): (Vec<&str>, Vec<&str>) = parts.iter().copied().unzip();
        let marks = Marks::absent_from(&names, &texts);
        let mut input = String::with_capacity(texts.iter().map(|text| text.len() + 32).sum());
        let mut stable = 0;
        for (at, (name, text)) in parts.iter().enumerate() {
            input.push_str(&marks.mark(name));
            input.push('\n');
            input.push_str(text);
            // Every part ends with one line end that does not belong to its text.
            input.push('\n');
            if at == 0 {
                stable = input.len();
            }
        }
        Self { instructions, input, stable }
    }
}
