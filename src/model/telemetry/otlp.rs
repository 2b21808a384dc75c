//! Reports as JSON in the encoding of OTLP 1.x, with the names of the semantic conventions.
//!
//! The conventions for generative AI are not stable yet. The names here are those of version 1.43.0, in which
//! `tandem.*` is free for names of one's own. Histograms have delta temporality: each batch stands for its own time.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::report::RequestReport;
use crate::config::RequesterInfo;
use crate::model::requester;
use crate::text::random::random;

/// The version of the conventions.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.43.0";
/// The bounds that the conventions recommend for numbers of tokens.
const TOKEN_BOUNDS: [f64; 14] = {
    let (mut bounds, mut at) = ([1.0; 14], 1);
    while at < bounds.len() {
        bounds[at] = bounds[at - 1] * 4.0;
        at += 1;
    }
    bounds
};
/// The bounds that the conventions recommend for seconds of an operation.
const SECOND_BOUNDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/// OTLP's span kind of a request to a remote service.
const KIND_CLIENT: u8 = 3;
/// OTLP's status of a failed span.
const STATUS_ERROR: u8 = 2;
/// OTLP's temporality of values that begin at zero in each batch.
const DELTA: u8 = 1;

/// Reports of a period.
pub(super) struct Batch<'a> {
    pub(super) reports: &'a [RequestReport],
    pub(super) since: SystemTime,
    pub(super) until: SystemTime,
    /// Who is reported, as far as the settings name them.
    pub(super) requester: &'a RequesterInfo,
}

/// The body for `/v1/traces`: a span for each request whose duration is known.
pub(super) fn traces(batch: &Batch<'_>) -> Value {
    let spans: Vec<Value> = batch.reports.iter().filter_map(span).collect();
    json!({ "resourceSpans": [{
        "resource": resource(batch),
        "scopeSpans": [{ "scope": scope(), "spans": spans, "schemaUrl": SCHEMA_URL }],
        "schemaUrl": SCHEMA_URL,
    }]})
}

/// The body for `/v1/metrics`.
pub(super) fn metrics(batch: &Batch<'_>) -> Value {
    let seconds = |it: Option<Duration>| it.map(|it| it.as_secs_f64());
    let durations = points(batch, &SECOND_BOUNDS, |it| {
        seconds(it.duration).map(|value| (attributes_of(it), value)).into_iter().collect()
    });
    let first_texts = points(batch, &SECOND_BOUNDS, |it| {
        seconds(it.first_text).map(|value| (attributes_of(it), value)).into_iter().collect()
    });
    let tokens = points(batch, &TOKEN_BOUNDS, |it| {
        let counts = [("input", it.input_tokens), ("output", it.output_tokens)];
        let typed = |(name, count): (&str, u64)| {
            let kind = text("gen_ai.token.type", name);
            ([attributes_of(it), vec![kind]].concat(), count as f64)
        };
        counts.into_iter().filter(|(_, count)| *count > 0).map(typed).collect()
    });
    let costs =
        points(batch, &[], |it| it.dollars.map(|value| (attributes_of(it), value)).into_iter().collect());
    let all = [
        ("gen_ai.client.operation.duration", "s", durations),
        ("gen_ai.client.operation.time_to_first_chunk", "s", first_texts),
        ("gen_ai.client.token.usage", "{token}", tokens),
        ("tandem.client.operation.cost", "USD", costs),
    ];
    let metric = |(name, unit, points): (&str, &str, Vec<Value>)| {
        json!({
            "name": name,
            "unit": unit,
            "histogram": { "aggregationTemporality": DELTA, "dataPoints": points },
        })
    };
    let metrics: Vec<Value> = all.into_iter().filter(|(_, _, it)| !it.is_empty()).map(metric).collect();
    json!({ "resourceMetrics": [{
        "resource": resource(batch),
        "scopeMetrics": [{ "scope": scope(), "metrics": metrics, "schemaUrl": SCHEMA_URL }],
        "schemaUrl": SCHEMA_URL,
    }]})
}

fn span(it: &RequestReport) -> Option<Value> {
    let begun = it.ended.checked_sub(it.duration?)?;
    let mut attributes = attributes_of(it);
    attributes.extend(it.response_model.as_deref().map(|model| text("gen_ai.response.model", model)));
    let counts = [
        ("gen_ai.usage.input_tokens", it.input_tokens),
        ("gen_ai.usage.cache_read.input_tokens", it.cached_tokens),
        ("gen_ai.usage.output_tokens", it.output_tokens),
    ];
    // A 64-bit number is a string in JSON, so that no reader rounds it.
    let number =
        |(key, count): (&str, u64)| json!({ "key": key, "value": { "intValue": count.to_string() } });
    attributes.extend(counts.into_iter().filter(|(_, count)| *count > 0).map(number));
    let double = |key: &str, value: f64| json!({ "key": key, "value": { "doubleValue": value } });
    attributes
        .extend(it.first_text.map(|it| double("gen_ai.response.time_to_first_chunk", it.as_secs_f64())));
    attributes.extend(it.dollars.map(|dollars| double("tandem.cost.usd", dollars)));
    let mut span = json!({
        "traceId": format!("{:032x}", requester::trace().max(1)),
        "spanId": format!("{:016x}", random().max(1)),
        "name": format!("{} {}", it.operation, it.model),
        "kind": KIND_CLIENT,
        "startTimeUnixNano": nanos(begun),
        "endTimeUnixNano": nanos(it.ended),
        "attributes": attributes,
    });
    if it.error.is_some() {
        span["status"] = json!({ "code": STATUS_ERROR });
    }
    Some(span)
}

/// The points of a histogram: one for each set of attributes.
fn points(
    batch: &Batch<'_>,
    bounds: &[f64],
    values: impl Fn(&RequestReport) -> Vec<(Vec<Value>, f64)>,
) -> Vec<Value> {
    let mut sets: BTreeMap<String, (Vec<Value>, Vec<f64>)> = BTreeMap::new();
    for (attributes, value) in batch.reports.iter().flat_map(values) {
        let key = Value::from(attributes.clone()).to_string();
        sets.entry(key).or_insert_with(|| (attributes, Vec::new())).1.push(value);
    }
    let point = |(attributes, values): (Vec<Value>, Vec<f64>)| {
        let mut counts = vec![0_u64; bounds.len() + 1];
        // A bound belongs to the bucket below it.
        values.iter().for_each(|value| counts[bounds.partition_point(|bound| bound < value)] += 1);
        json!({
            "attributes": attributes,
            "startTimeUnixNano": nanos(batch.since),
            "timeUnixNano": nanos(batch.until),
            "count": values.len().to_string(),
            "sum": values.iter().sum::<f64>(),
            "min": values.iter().copied().fold(f64::INFINITY, f64::min),
            "max": values.iter().copied().fold(0.0, f64::max),
            "bucketCounts": counts.iter().map(u64::to_string).collect::<Vec<_>>(),
            "explicitBounds": bounds,
        })
    };
    sets.into_values().map(point).collect()
}

/// The attributes that spans and metrics have in common.
fn attributes_of(it: &RequestReport) -> Vec<Value> {
    // A program on this machine has no address.
    let host = it.base_url.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    let (address, port) = match host.and_then(|host| host.rsplit_once(':')) {
        Some((address, port)) if port.bytes().all(|it| it.is_ascii_digit()) => (Some(address), Some(port)),
        _ => (host, None),
    };
    let mut attributes = vec![
        text("gen_ai.operation.name", it.operation),
        text("gen_ai.provider.name", provider_name(&it.provider)),
        text("gen_ai.request.model", &it.model),
        text("tandem.gear", it.gear),
        text("tandem.job", it.job),
    ];
    attributes.extend(address.map(|address| text("server.address", address)));
    let port = port.map(|port| json!({ "key": "server.port", "value": { "intValue": port } }));
    attributes.extend(port);
    attributes.extend(it.error.map(|kind| text("error.type", kind)));
    attributes
}

/// The conventions' name of a provider, where it is not the usual one in the settings.
fn provider_name(provider: &str) -> &str {
    match provider {
        "azure" => "azure.ai.openai",
        "google" | "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        other => other,
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

fn resource(batch: &Batch<'_>) -> Value {
    let mut attributes =
        vec![text("service.name", "tandem"), text("service.version", env!("CARGO_PKG_VERSION"))];
    let named = batch.requester.metadata.iter();
    attributes.extend(named.filter_map(|(name, value)| Some(text(name, &value.filled(|_| None)?))));
    json!({ "attributes": attributes })
}

fn scope() -> Value {
    json!({ "name": "tandem", "version": env!("CARGO_PKG_VERSION") })
}

/// Nanoseconds since 1970, as a string: see [`span`].
fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests;
