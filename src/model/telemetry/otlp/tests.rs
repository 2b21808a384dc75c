//! Bodies of known reports.

use expect_test::{Expect, expect};

use super::*;
use crate::config::{Secret, Template};

fn report() -> RequestReport {
    RequestReport {
        ended: UNIX_EPOCH + Duration::from_secs(100),
        duration: Some(Duration::from_millis(1_280)),
        first_text: Some(Duration::from_millis(90)),
        job: "completion",
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
    let requester = RequesterInfo::default();
    let body = body(&Batch { reports, since, until, requester: &requester });
    let mut lines = Vec::new();
    flatten("", &body, &mut lines);
    let common = [".resourceSpans.scopeSpans.spans.", ".resourceMetrics.scopeMetrics.metrics."];
    let lines = lines.iter().map(|line| common.iter().find_map(|it| line.strip_prefix(it)).unwrap_or(line));
    expected.assert_eq(&(lines.collect::<Vec<_>>().join("\n") + "\n"));
}

/// One line for each value, without what is the same in all bodies or drawn.
fn flatten(path: &str, value: &Value, lines: &mut Vec<String>) {
    let is_other = |key: &str| {
        !["resource", "scope", "schemaUrl", "traceId", "spanId", "bucketCounts", "explicitBounds"]
            .contains(&key)
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, _)| is_other(key))
            .for_each(|(key, value)| flatten(&format!("{path}.{key}"), value, lines)),
        Value::Array(items) if path.ends_with(".attributes") => {
            let named = |it: &Value| format!("{}={}", it["key"].as_str().unwrap_or_default(), it["value"]);
            lines.push(format!("{path} {}", items.iter().map(named).collect::<Vec<_>>().join(" ")));
        }
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
            attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"} gen_ai.response.model={"stringValue":"m-2"} gen_ai.usage.input_tokens={"intValue":"1024"} gen_ai.usage.output_tokens={"intValue":"5"} gen_ai.response.time_to_first_chunk={"doubleValue":0.09} tandem.cost.usd={"doubleValue":0.25}
            endTimeUnixNano "100000000000"
            kind 3
            name "chat m"
            startTimeUnixNano "98720000000"
        "#]],
    );
    let failed = RequestReport { error: Some("rate-limited"), dollars: None, ..report() };
    let abandoned = RequestReport { duration: None, ..report() };
    check(
        traces,
        &[failed, abandoned],
        expect![[r#"
            attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"} error.type={"stringValue":"rate-limited"} gen_ai.response.model={"stringValue":"m-2"} gen_ai.usage.input_tokens={"intValue":"1024"} gen_ai.usage.output_tokens={"intValue":"5"} gen_ai.response.time_to_first_chunk={"doubleValue":0.09}
            endTimeUnixNano "100000000000"
            kind 3
            name "chat m"
            startTimeUnixNano "98720000000"
            status.code 2
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
            histogram.aggregationTemporality 1
            histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"}
            histogram.dataPoints.count "1"
            histogram.dataPoints.max 1.28
            histogram.dataPoints.min 1.28
            histogram.dataPoints.startTimeUnixNano "90000000000"
            histogram.dataPoints.sum 1.28
            histogram.dataPoints.timeUnixNano "101000000000"
            name "gen_ai.client.operation.duration"
            unit "s"
            histogram.aggregationTemporality 1
            histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"}
            histogram.dataPoints.count "1"
            histogram.dataPoints.max 0.09
            histogram.dataPoints.min 0.09
            histogram.dataPoints.startTimeUnixNano "90000000000"
            histogram.dataPoints.sum 0.09
            histogram.dataPoints.timeUnixNano "101000000000"
            name "gen_ai.client.operation.time_to_first_chunk"
            unit "s"
            histogram.aggregationTemporality 1
            histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"} gen_ai.token.type={"stringValue":"input"}
            histogram.dataPoints.count "2"
            histogram.dataPoints.max 1024.0
            histogram.dataPoints.min 1024.0
            histogram.dataPoints.startTimeUnixNano "90000000000"
            histogram.dataPoints.sum 2048.0
            histogram.dataPoints.timeUnixNano "101000000000"
            histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"} gen_ai.token.type={"stringValue":"output"}
            histogram.dataPoints.count "2"
            histogram.dataPoints.max 300.0
            histogram.dataPoints.min 5.0
            histogram.dataPoints.startTimeUnixNano "90000000000"
            histogram.dataPoints.sum 305.0
            histogram.dataPoints.timeUnixNano "101000000000"
            name "gen_ai.client.token.usage"
            unit "{token}"
            histogram.aggregationTemporality 1
            histogram.dataPoints.attributes gen_ai.operation.name={"stringValue":"chat"} gen_ai.provider.name={"stringValue":"mistral_ai"} gen_ai.request.model={"stringValue":"m"} tandem.gear={"stringValue":"fast"} tandem.job={"stringValue":"completion"} server.address={"stringValue":"127.0.0.1"} server.port={"intValue":"8080"}
            histogram.dataPoints.count "2"
            histogram.dataPoints.max 0.25
            histogram.dataPoints.min 0.25
            histogram.dataPoints.startTimeUnixNano "90000000000"
            histogram.dataPoints.sum 0.5
            histogram.dataPoints.timeUnixNano "101000000000"
            name "tandem.client.operation.cost"
            unit "USD"
        "#]],
    );
    let metadata = vec![("user.name".to_owned(), Template::verbatim(Secret::new("ann".to_owned())))];
    let requester = RequesterInfo { metadata, ..RequesterInfo::default() };
    let batch = Batch { reports: &[report()], since: UNIX_EPOCH, until: UNIX_EPOCH, requester: &requester };
    let body = metrics(&batch);
    let duration = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["histogram"]["dataPoints"][0];
    let named = &body["resourceMetrics"][0]["resource"]["attributes"][2];
    assert_eq!(named, &text("user.name", "ann"));
    // 1.28 is a bound, and belongs to the bucket below it.
    assert_eq!(duration["bucketCounts"][7], "1");
}

#[test]
fn program_on_this_machine_has_no_address() {
    let program = RequestReport { base_url: "lsp:server".to_owned(), ..report() };
    let keys =
        |it: &RequestReport| attributes_of(it).iter().filter(|it| it["key"] == "server.address").count();
    assert_eq!([keys(&program), keys(&report())], [0, 1]);
}
