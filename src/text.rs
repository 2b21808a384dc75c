//! Text, whatever it is about: the lowest layer.

pub mod bracket;
pub mod hash;
pub mod ident;
pub(crate) mod line;
mod printable;

pub use printable::{Printable, printable, printable_lines};
