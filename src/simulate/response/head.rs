//! The response object, which several events repeat.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::simulate::{prompt_cache::PromptTokens, request::Create};

/// The constant part of the response object.
pub(super) struct Head<'a> {
    pub(super) id: String,
    pub(super) created_at: u64,
    pub(super) create: &'a Create,
    /// The model that the response names.
    pub(super) model: &'a str,
    pub(super) lower_tier: bool,
}

impl Head<'_> {
    pub(super) fn object(&self, status: &str, output: &[Value], usage: Option<Value>) -> Map<String, Value> {
        let mut object = self.create.echoed.clone();
        let reason = (status == "incomplete").then(|| json!({"reason": "max_output_tokens"}));
        let fields = [
            ("id", json!(self.id)),
            ("object", json!("response")),
            ("created_at", json!(self.created_at)),
            ("completed_at", json!((status == "completed").then(unix_now))),
            ("status", json!(status)),
            ("background", json!(false)),
            ("error", Value::Null),
            ("incomplete_details", json!(reason)),
            ("model", json!(self.model)),
            ("output", json!(output)),
            ("usage", json!(usage)),
        ];
        object.extend(fields.map(|(name, value)| (name.to_owned(), value)));
        if self.lower_tier {
            object.insert("service_tier".into(), "default".into());
        }
        object
    }
}

/// The `usage` object for a prompt and its answer.
pub(super) fn usage(prompt: PromptTokens, output: usize) -> Value {
    json!({
        "input_tokens": prompt.total,
        "input_tokens_details": {"cached_tokens": prompt.cached, "cache_write_tokens": prompt.written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt.total + output,
    })
}

/// The current time in seconds since 1970.
pub(super) fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}
