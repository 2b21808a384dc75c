//! What is reported of one request.

use std::time::{Duration, SystemTime};

use crate::config::{Endpoint, Wire};

/// One request that has ended, in the terms of the semantic conventions for generative AI.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::model) struct RequestReport {
    /// When the request ended.
    pub(in crate::model) ended: SystemTime,
    /// The time from the request to its end; `None` if it was abandoned.
    pub(in crate::model) duration: Option<Duration>,
    /// The time from the request to the first text.
    pub(in crate::model) first_text: Option<Duration>,
    /// The job that the request was for.
    pub(in crate::model) job: &'static str,
    /// The gear that was asked.
    pub(in crate::model) gear: &'static str,
    /// `chat` or `text_completion`.
    pub(in crate::model) operation: &'static str,
    /// The provider's name in the settings.
    pub(in crate::model) provider: String,
    /// The base URL of the provider's API.
    pub(in crate::model) base_url: String,
    /// The model that was requested.
    pub(in crate::model) model: String,
    /// The model that answered, as named by the server.
    pub(in crate::model) response_model: Option<String>,
    pub(in crate::model) input_tokens: u64,
    pub(in crate::model) cached_tokens: u64,
    pub(in crate::model) output_tokens: u64,
    /// The cost in US dollars, if the price is known.
    pub(in crate::model) dollars: Option<f64>,
    /// The kind of failure.
    pub(in crate::model) error: Option<&'static str>,
}

impl RequestReport {
    /// A report of a request that ends now, without what only its answer shows.
    pub(in crate::model) fn of(gear: &'static str, job: &'static str, endpoint: &Endpoint) -> Self {
        Self {
            ended: SystemTime::now(),
            duration: None,
            first_text: None,
            job,
            gear,
            operation: if matches!(endpoint.wire, Wire::Fim(_)) { "text_completion" } else { "chat" },
            provider: endpoint.provider.clone(),
            base_url: endpoint.base_url.clone(),
            model: endpoint.model.clone(),
            response_model: None,
            input_tokens: 0,
            cached_tokens: 0,
            output_tokens: 0,
            dollars: None,
            error: None,
        }
    }
}
