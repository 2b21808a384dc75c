//! A small shop.

pub mod invoice;
pub mod order;
