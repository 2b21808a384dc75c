//! Checks between a readable reply and the user's text. Each is a pure function with a reason.

mod elision;
mod marker;
mod syntax;

pub use elision::elision;
pub(crate) use elision::is_elision;
pub use marker::marker;
pub use syntax::{syntax, syntax_errors};
