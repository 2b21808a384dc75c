//! Converts code as a model wrote it into text for the file.
//!
//! The code is extracted from its surroundings and gets the file's indentation, line ends and spelling.

pub(super) mod extract;
mod indent_unit;
pub(super) mod label;
pub(super) mod line_numbers;
mod literal;
mod overlap;
mod partial;
pub(super) mod preserve;
pub(super) mod recipe;
pub(super) mod region;
mod reindent;
pub(super) mod surroundings;
pub(super) mod whole;
pub(super) mod wrapping;

pub(crate) use literal::{End, Literal};
pub(crate) use region::NO_EDITS;
