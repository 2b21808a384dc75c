//! Text utilities that know nothing of code or documents: the lowest layer.

pub mod bracket;
mod counts;
mod day;
mod difference;
pub(crate) mod fence;
pub(crate) mod folders;
pub mod hash;
pub mod ident;
pub(crate) mod line;
mod named;
mod nearest;
pub(crate) mod occurrences;
mod printable;
pub mod random;
pub mod tokens;
pub(crate) mod words;

pub(crate) use counts::counts;
pub use day::Day;
pub(crate) use difference::difference;
pub(crate) use named::{coded, named};
pub(crate) use nearest::is_typo;
pub use nearest::{did_you_mean, nearest};
pub use printable::{Printable, printable, printable_lines};

/// The last character boundary at or before a byte; the end of the text for a byte beyond it.
///
/// As `str::floor_char_boundary`, which needs a newer Rust.
pub fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
