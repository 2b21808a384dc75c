//! A model on trial beside the fast ones.

use std::time::Duration;

use super::Role;

/// A model that answers in a share of the pauses, beside the fast model that it is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Canary {
    /// The model, and its fallbacks.
    pub role: Role,
    /// The share of the pauses in which both are asked, above 0 and up to 1.
    pub share: f64,
    /// The share of its requests that may fail.
    pub max_refused: f64,
    /// The upper limit for the 95th percentile of its answer times; `None` for no limit.
    pub max_p95: Option<Duration>,
    /// US dollars that its answers may cost.
    pub dollars: f64,
}
