//! A model on trial beside the fast ones.

use std::time::Duration;

use super::Role;

/// A model that answers a share of the pauses, beside the fast one that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Canary {
    /// The model, and what it falls back on.
    pub role: Role,
    /// The share of the pauses at which both are asked, above 0 and up to 1.
    pub share: f64,
    /// The share of its requests that may fail.
    pub max_refused: f64,
    /// What 19 of 20 of its answers have to take less than; `None` for any time.
    pub max_p95: Option<Duration>,
    /// US dollars that its answers may take.
    pub dollars: f64,
}
