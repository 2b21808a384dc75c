//! Reads what a model wrote.

mod fence;
mod region;
mod thinking;

pub use region::region;
