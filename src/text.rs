//! Text, whatever it is about: the lowest layer.

mod printable;

pub use printable::{Printable, printable, printable_lines};
