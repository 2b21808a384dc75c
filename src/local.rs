//! The local engine.
//!
//! Answers by rule, with no model, no network and no state, within a millisecond or two.
//!
//! * [`complete`] continues a line by analogy with other lines of the same text.
//! * [`repeat::repeat`] does in other places what the user did in one or two.
//! * [`elsewhere`] finds what follows from that in other files.
//! * [`fix::fix`] repairs what is certain in what other servers report.
//! * [`rewrite`] obeys the instructions that need no understanding; [`rename`] is what it does.
//!
//! All say nothing rather than guess: None means that the text holds no good reason for any answer.

mod analogy;
mod block;
pub mod elsewhere;
pub mod fix;
mod mapping;
mod page;
mod rename;
pub mod repeat;
mod sequence;
#[cfg(test)]
mod tests;
mod words;

pub use analogy::complete;
pub use rename::{rename, rewrite};
