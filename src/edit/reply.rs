//! Reads what a model wrote.

pub(crate) mod block;
mod fence;
mod region;
mod thinking;

pub(super) use region::NO_EDITS;
pub use region::region;
