//! Makes text of the file from code as a model wrote it.
//!
//! The code is taken out of what surrounds it, and gets the indentation, the line ends and the spelling that
//! the file has.

pub(super) mod extract;
mod indent_unit;
pub(super) mod label;
pub(super) mod line_numbers;
mod literal;
mod overlap;
mod partial;
mod preserve;
pub(super) mod region;
mod reindent;
pub(super) mod surroundings;
pub(super) mod whole;
pub(super) mod wrapping;

pub(crate) use literal::{End, Literal};
pub(crate) use region::NO_EDITS;
