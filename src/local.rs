//! The local engine: results without a model or network, within a millisecond or two. Only [`predict`] is
//! stateful.
//!
//! * [`predict`] continues a line by what followed the same tokens before.
//! * [`complete`] continues a line as a series, or by analogy with other lines; [`complete_surely`] only where
//!   that is evident.
//! * [`repeat::repeat`] applies the user's change of one or two places to others.
//! * [`references`] carries such a change to other files.
//! * [`reshape`] carries a change of parameters or fields to calls and literals, here and there.
//! * [`fix::fix`] fixes diagnostics of other servers where the fix is certain.
//! * [`rewrite`] follows instructions that need no understanding, which are renames; [`rename`] performs them.
//!
//! All of them prefer no result to a guess: `None` means that the text gives no good reason for any result.

mod analogy;
pub mod fix;
mod limits;
mod mapping;
pub mod predict;
pub mod references;
mod rename;
pub mod repeat;
pub mod reshape;
mod sequence;
mod syntax;
#[cfg(test)]
mod tests;
mod token_lines;
mod walk;
mod words;

pub use analogy::{complete, complete_surely};
pub use limits::OPEN_RENAMES;
pub use rename::{rename, rewrite, rewrite_within, understands};
pub use repeat::Unrenamed;
