//! Prompt texts: pure functions from plain context to text, one file per job, golden-tested.
//!
//! Every prompt is a constant instruction text and an input text. In the input, the parts that stay the same from
//! one keystroke to the next come first (path, language, outline, the beginning of the window) so that a provider's
//! prompt cache can serve them; the cursor's surroundings come last. Quotes from other files precede all of it
//! ([`related`]).
//!
//! Parts are delimited by *marks* such as `<|code|>`. A mark never occurs in the text that it delimits: when a file
//! contains one (this file does), all marks of that prompt carry a number, as in `<|code-1|>`. [`read`] is the
//! inverse and serves engines that answer these prompts without a model.

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
mod refused;
mod rendered;

pub use parsed::ParsedPrompt;
pub use refused::RefusedReply;
pub use rendered::Prompt;

/// The setting `style` as a sentence to append to a job's instructions.
///
/// It concerns the code in the reply, not the form of the reply.
pub fn style(style: &str) -> String {
    format!(
        " How code is to be written here, in the owner's words, which do not change the form of the reply: {}",
        style.trim()
    )
}

/// The part of an input that quotes other files.
pub fn related(input: &str) -> &str {
    related::split(input).0
}

/// Splits an input text into its parts; `None` if it is not a prompt of this module.
pub fn read(input: &str) -> Option<ParsedPrompt> {
    let input = refused::without(related::split(input).1);
    complete::read(input)
        .or_else(|| rewrite::read(input))
        .or_else(|| next_edit::read(input))
        .or_else(|| fix::read(input))
        .or_else(|| ask::read(input))
}
