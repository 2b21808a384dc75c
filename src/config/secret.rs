//! A string that cannot be printed by accident.

use std::fmt;

use zeroize::Zeroizing;

/// A key.
///
/// It prints as `***` and is overwritten in memory when it is dropped; only [`Secret::expose`] reveals it,
/// and only to the code that sends it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a key.
    pub fn new(key: String) -> Self {
        Self(Zeroizing::new(key))
    }

    /// The key itself, for the wire and nothing else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
