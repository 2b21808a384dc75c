//! The prompt for a text about code, such as an explanation or a commit message.

use super::Prompt;

/// The context of such a text.
#[derive(Debug, Clone, Copy)]
pub struct CodeTextContext<'a> {
    /// The job's instructions for the model.
    pub instructions: &'static str,
    /// The file's path, or a description of code that is not in a file.
    pub what: &'a str,
    /// Earlier texts of the same kind; may be empty.
    pub earlier: &'a str,
    /// The code, or a diff.
    pub code: &'a str,
    /// What the user has written of the text already; may be empty.
    pub begun: &'a str,
}

/// Renders the prompt.
pub fn render(context: CodeTextContext<'_>) -> Prompt {
    let CodeTextContext { instructions, what, earlier, code, begun } = context;
    let what = what.replace(['\n', '\r'], " ");
    let mut parts = vec![("what", what.as_str()), ("earlier", earlier), ("code", code), ("begun", begun)];
    parts.retain(|(name, text)| !["earlier", "begun"].contains(name) || !text.is_empty());
    Prompt::of_parts(instructions, &parts)
}
