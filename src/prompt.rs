//! What a model is told: pure text from plain context, one file per job, golden-tested.
//!
//! Every prompt is one constant instruction text and one input text. Inside the input, what stays the same
//! from one keystroke to the next comes first (path, language, outline, the window's beginning) so that a
//! provider's prompt cache can serve it; the cursor's surroundings come last. What other files say comes
//! before all of it ([`related`]).
//!
//! Parts are set apart by *marks* such as `<|code|>`. A mark never occurs in the text it delimits: when a
//! file holds one (this file does), all marks of that prompt carry a number, as in `<|code-1|>`. [`read`] is
//! the inverse and serves engines that answer these prompts without a model.

pub mod ask;
pub mod complete;
pub mod fix;
pub mod next_edit;
pub mod pair;
pub mod plan;
pub mod related;
pub mod rewrite;

mod marks;
mod parsed;
mod rendered;

pub use parsed::ParsedPrompt;
pub use rendered::Prompt;

/// The setting `style` as a sentence to append to a job's instructions.
///
/// It is about the code in the reply, and has no say in the form of the reply.
pub fn style(style: &str) -> String {
    format!(
        " How code is to be written here, in the owner's words, which do not change the form of the reply: {}",
        style.trim()
    )
}

/// What an input quotes of other files.
pub fn related(input: &str) -> &str {
    related::split(input).0
}

/// Reads an input text back into its parts; `None` if it is no prompt of this module.
pub fn read(input: &str) -> Option<ParsedPrompt> {
    let input = related::split(input).1;
    complete::read(input)
        .or_else(|| rewrite::read(input))
        .or_else(|| next_edit::read(input))
        .or_else(|| fix::read(input))
        .or_else(|| ask::read(input))
}
