//! The local engine: answers with no model and no network, within a millisecond or two. Only [`predict`] has
//! a state.
//!
//! * [`predict`] continues a line from what followed the same tokens before.
//! * [`complete`] continues a line as a series, or by analogy with other lines; [`complete_surely`] where
//!   that is evident.
//! * [`repeat::repeat`] does in other places what the user did in one or two.
//! * [`references`] finds what follows from that in other files.
//! * [`fix::fix`] repairs what is certain in what other servers report.
//! * [`rewrite`] obeys the instructions that need no understanding; [`rename`] is what it does.
//!
//! All say nothing rather than guess: None means that the text holds no good reason for any answer.

mod analogy;
pub mod fix;
mod limits;
mod mapping;
pub mod predict;
pub mod references;
mod rename;
pub mod repeat;
mod sequence;
mod syntax;
#[cfg(test)]
mod tests;
mod token_lines;
mod walk;
mod words;

pub use analogy::{complete, complete_surely};
pub use rename::{rename, rewrite, rewrite_within, understands};
pub use repeat::rename::Ambiguous;
