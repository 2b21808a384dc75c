//! The page that comes with a parcel.

use crate::order::show;

/// One line of it: what was bought, and the price.
pub fn line(name: &str, cents: u64) -> String {
    format!("{name}: {}", show(cents))
}
