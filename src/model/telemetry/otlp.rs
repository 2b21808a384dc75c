//! Reports as JSON in the encoding of OTLP 1.x, with the names of the semantic conventions.
//!
//! The conventions for generative AI are not stable yet. The names here are those of version 1.43.0, in which
//! `tandem.*` is free for names of one's own. Histograms have delta temporality: each batch stands for its own time.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::report::RequestReport;
use crate::model::requester;
use crate::text::random::random;

/// The version of the conventions.
const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.43.0";
/// The bounds that the conventions recommend for numbers of tokens.
const TOKEN_BOUNDS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16384.0,
    65536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];
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
}

/// The body for `/v1/traces`: a span for each request whose duration is known.
pub(super) fn traces(batch: &Batch<'_>) -> Value {
    let spans: Vec<Value> = batch.reports.iter().filter_map(span).collect();
    json!({ "resourceSpans": [{
        "resource": resource(),
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
        "resource": resource(),
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
    let host = it.base_url.split_once("://").map_or(&*it.base_url, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    let (address, port) = match host.rsplit_once(':') {
        Some((address, port)) if port.bytes().all(|it| it.is_ascii_digit()) => (address, Some(port)),
        _ => (host, None),
    };
    let mut attributes = vec![
        text("gen_ai.operation.name", it.operation),
        text("gen_ai.provider.name", provider_name(&it.provider)),
        text("gen_ai.request.model", &it.model),
        text("server.address", address),
        text("tandem.gear", it.gear),
    ];
    let port = port.map(|port| json!({ "key": "server.port", "value": { "intValue": port } }));
    attributes.extend(port);
    attributes.extend(it.error.as_deref().map(|kind| text("error.type", kind)));
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

fn resource() -> Value {
    json!({ "attributes": [
        text("service.name", "tandem"),
        text("service.version", env!("CARGO_PKG_VERSION")),
    ]})
}

fn scope() -> Value {
    json!({ "name": "tandem", "version": env!("CARGO_PKG_VERSION") })
}

/// Nanoseconds since 1970, as a string: see [`span`].
fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn report() -> RequestReport {
        RequestReport {
            ended: UNIX_EPOCH + Duration::from_secs(100),
            duration: Some(Duration::from_millis(1_280)),
            first_text: Some(Duration::from_millis(90)),
            gear: "fast",
            operation: "chat",
            provider: "mistral".to_owned(),
            base_url: "http://127.0.0.1:8080/v1".to_owned(),
            model: "m".to_owned(),
            response_model: Some("m-2".to_owned()),
            input_tokens: 1024,
            cached_tokens: 0,
            output_tokens: 5,
            dollars: Some(0.25),
            error: None,
        }
    }

    #[track_caller]
    fn check(body: fn(&Batch<'_>) -> Value, reports: &[RequestReport], expected: Expect) {
        let (since, until) = (UNIX_EPOCH + Duration::from_secs(90), UNIX_EPOCH + Duration::from_secs(101));
        let body = body(&Batch { reports, since, until });
        let mut lines = Vec::new();
        flatten("", &body, &mut lines);
        expected.assert_eq(&(lines.join("\n") + "\n"));
    }

    /// One line for each value, without what is the same in all bodies or drawn.
    fn flatten(path: &str, value: &Value, lines: &mut Vec<String>) {
        let is_other = |key: &str| {
            !["resource", "scope", "schemaUrl", "traceId", "spanId", "bucketCounts", "explicitBounds"]
                .contains(&key)
        };
        match value {
            Value::Object(fields) if fields.contains_key("key") => {
                lines.push(format!(
                    "{path} {}={}",
                    fields["key"].as_str().unwrap_or_default(),
                    fields["value"]
                ));
            }
            Value::Object(fields) => fields
                .iter()
                .filter(|(key, _)| is_other(key))
                .for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, lines)),
            Value::Array(items) => items.iter().for_each(|item| flatten(path, item, lines)),
            other => lines.push(format!("{path} {other}")),
        }
    }

    #[test]
    fn spans() {
        check(
            traces,
            &[report()],
            expect![[r#"
            .resourceSpans.scopeSpans.spans.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceSpans.scopeSpans.spans.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceSpans.scopeSpans.spans.attributes tandem.gear={"stringValue":"fast"}
            .resourceSpans.scopeSpans.spans.attributes server.port={"intValue":"8080"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.response.model={"stringValue":"m-2"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.usage.input_tokens={"intValue":"1024"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.usage.output_tokens={"intValue":"5"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.response.time_to_first_chunk={"doubleValue":0.09}
            .resourceSpans.scopeSpans.spans.attributes tandem.cost.usd={"doubleValue":0.25}
            .resourceSpans.scopeSpans.spans.endTimeUnixNano "100000000000"
            .resourceSpans.scopeSpans.spans.kind 3
            .resourceSpans.scopeSpans.spans.name "chat m"
            .resourceSpans.scopeSpans.spans.startTimeUnixNano "98720000000"
        "#]],
        );
        let failed = RequestReport { error: Some("RateLimited".to_owned()), dollars: None, ..report() };
        let abandoned = RequestReport { duration: None, ..report() };
        check(
            traces,
            &[failed, abandoned],
            expect![[r#"
            .resourceSpans.scopeSpans.spans.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceSpans.scopeSpans.spans.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceSpans.scopeSpans.spans.attributes tandem.gear={"stringValue":"fast"}
            .resourceSpans.scopeSpans.spans.attributes server.port={"intValue":"8080"}
            .resourceSpans.scopeSpans.spans.attributes error.type={"stringValue":"RateLimited"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.response.model={"stringValue":"m-2"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.usage.input_tokens={"intValue":"1024"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.usage.output_tokens={"intValue":"5"}
            .resourceSpans.scopeSpans.spans.attributes gen_ai.response.time_to_first_chunk={"doubleValue":0.09}
            .resourceSpans.scopeSpans.spans.endTimeUnixNano "100000000000"
            .resourceSpans.scopeSpans.spans.kind 3
            .resourceSpans.scopeSpans.spans.name "chat m"
            .resourceSpans.scopeSpans.spans.startTimeUnixNano "98720000000"
            .resourceSpans.scopeSpans.spans.status.code 2
        "#]],
        );
    }

    #[test]
    fn histograms() {
        let other = RequestReport { output_tokens: 300, duration: None, first_text: None, ..report() };
        check(
            metrics,
            &[report(), other],
            expect![[r#"
            .resourceMetrics.scopeMetrics.metrics.histogram.aggregationTemporality 1
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes tandem.gear={"stringValue":"fast"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.port={"intValue":"8080"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.count "1"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.max 1.28
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.min 1.28
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.startTimeUnixNano "90000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.sum 1.28
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.timeUnixNano "101000000000"
            .resourceMetrics.scopeMetrics.metrics.name "gen_ai.client.operation.duration"
            .resourceMetrics.scopeMetrics.metrics.unit "s"
            .resourceMetrics.scopeMetrics.metrics.histogram.aggregationTemporality 1
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes tandem.gear={"stringValue":"fast"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.port={"intValue":"8080"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.count "1"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.max 0.09
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.min 0.09
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.startTimeUnixNano "90000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.sum 0.09
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.timeUnixNano "101000000000"
            .resourceMetrics.scopeMetrics.metrics.name "gen_ai.client.operation.time_to_first_chunk"
            .resourceMetrics.scopeMetrics.metrics.unit "s"
            .resourceMetrics.scopeMetrics.metrics.histogram.aggregationTemporality 1
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes tandem.gear={"stringValue":"fast"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.port={"intValue":"8080"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.token.type={"stringValue":"input"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.count "2"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.max 1024.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.min 1024.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.startTimeUnixNano "90000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.sum 2048.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.timeUnixNano "101000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes tandem.gear={"stringValue":"fast"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.port={"intValue":"8080"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.token.type={"stringValue":"output"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.count "2"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.max 300.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.min 5.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.startTimeUnixNano "90000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.sum 305.0
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.timeUnixNano "101000000000"
            .resourceMetrics.scopeMetrics.metrics.name "gen_ai.client.token.usage"
            .resourceMetrics.scopeMetrics.metrics.unit "{token}"
            .resourceMetrics.scopeMetrics.metrics.histogram.aggregationTemporality 1
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.provider.name={"stringValue":"mistral_ai"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes gen_ai.request.model={"stringValue":"m"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.address={"stringValue":"127.0.0.1"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes tandem.gear={"stringValue":"fast"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.attributes server.port={"intValue":"8080"}
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.count "2"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.max 0.25
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.min 0.25
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.startTimeUnixNano "90000000000"
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.sum 0.5
            .resourceMetrics.scopeMetrics.metrics.histogram.dataPoints.timeUnixNano "101000000000"
            .resourceMetrics.scopeMetrics.metrics.name "tandem.client.operation.cost"
            .resourceMetrics.scopeMetrics.metrics.unit "USD"
        "#]],
        );
        let batch = Batch { reports: &[report()], since: UNIX_EPOCH, until: UNIX_EPOCH };
        let body = metrics(&batch);
        let duration =
            &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["histogram"]["dataPoints"][0];
        // 1.28 is a bound, and belongs to the bucket below it.
        assert_eq!(duration["bucketCounts"][7], "1");
    }
}
