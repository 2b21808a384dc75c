//! The outcome of a request under every fault that the simulator knows: a line for each.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::expect;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use tandem::config::{Endpoint, FimDialect, Wire};
use tandem::model::{self, ErrorKind, Fim, Model, Timing, Urgency, WireEvent};
use tandem::simulate::{self, Fault, Options, Script, Simulator};

use crate::socket::{read, request, until};

/// Long enough for a busy machine, and shorter than the real timeouts where a test must wait for one.
fn timing() -> Timing {
    Timing {
        silence_typing: Duration::from_millis(3_000),
        silence_asked: Duration::from_millis(4_000),
        silence_deep: Duration::from_millis(12_000),
        connect: Duration::from_millis(2_500),
        ..Timing::default()
    }
}

/// A model over the wire, and the events that its listener received.
pub(crate) fn connect(
    simulator: &Simulator,
    wire: Wire,
    timing: Timing,
) -> (Arc<dyn Model>, Arc<Mutex<Vec<WireEvent>>>) {
    connect_to(endpoint(simulator, wire), timing)
}

/// The simulator as a model's endpoint.
pub(crate) fn endpoint(simulator: &Simulator, wire: Wire) -> Endpoint {
    Endpoint {
        provider: "test".to_owned(),
        base_url: simulator.base_url(),
        model: "m".to_owned(),
        wire,
        // Anthropic's API has no such tier.
        service_tier: (wire != Wire::Anthropic).then(|| "fast".to_owned()),
        ..Endpoint::default()
    }
}

/// Like [`connect`], with an endpoint.
pub(crate) fn connect_to(endpoint: Endpoint, timing: Timing) -> (Arc<dyn Model>, Arc<Mutex<Vec<WireEvent>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let told = Arc::clone(&told);
        Arc::new(move |event| told.lock().unwrap().push(event))
    };
    (model::connect_with(endpoint, listener, timing), told)
}

/// Sends one request to a server with this fault: returns the answer, and the number of requests that the server saw.
/// A fault of one reply occurs once, a fault of connections every time.
async fn outcome(fault: Fault, wire: Wire, urgency: Urgency) -> String {
    let reply = "{\"reply\": \"one two three four\"}";
    let (lines, faults) = match fault.affects_one_reply() {
        true => (
            format!("{{\"reply\": \"one two three four\", \"fault\": \"{fault}\", \"once\": true}}\n{reply}"),
            vec![],
        ),
        false => (reply.to_owned(), vec![fault]),
    };
    let script = Script::parse(&lines).unwrap();
    let simulator = simulate::start(Options { script, faults, ..Options::default() }).await.unwrap();
    // As for a server on another machine.
    let endpoint = Endpoint { deflate: true, ..endpoint(&simulator, wire) };
    let (model, told) = connect_to(endpoint, timing());
    let (text, end) = read(model.stream(model::Request { urgency, ..request(64) })).await;
    let mut words = match (&*text, end) {
        ("one two three four", Ok(usage)) => {
            let model = usage.model.filter(|model| model != "m").map(|model| format!(" by {model}"));
            let tier = usage.tier.filter(|tier| tier == "default").map(|tier| format!(" as {tier}"));
            format!("ok{}{}", model.unwrap_or_default(), tier.unwrap_or_default())
        }
        ("", Err(error)) => format!("{:?}", error.kind()),
        (text, Err(error)) => format!("{text:?} {:?}", error.kind()),
        (text, Ok(_)) => panic!("the wrong text {text:?}"),
    };
    let requests = simulator.stats().requests;
    if requests != 1 {
        words.push_str(&format!(" x{requests}"));
    }
    if told.lock().unwrap().iter().any(|event| matches!(event, WireEvent::Pinned { .. })) {
        words.push_str(" pinned");
    }
    words
}

/// The outcomes of every fault over a wire: a line for each.
pub(crate) async fn table(wire: Wire) -> String {
    let lines = Fault::ALL.into_iter().map(|fault| async move {
        let urgencies = [Urgency::Typing, Urgency::Asked, Urgency::Deep];
        let outcomes = join_all(urgencies.map(|urgency| outcome(fault, wire, urgency))).await;
        format!("{:<23}{:<29}{:<29}{}", fault.to_string(), outcomes[0], outcomes[1], outcomes[2])
    });
    // Limited, so that a busy machine does not affect the results.
    let lines: Vec<String> = stream::iter(lines).buffered(8).collect().await;
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// The table of `recovery`, row by row, for typing, explicit requests and deep work.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_over_sockets() {
    expect![[r#"
        refuse-401             Unauthorized x0              Unauthorized x0              Unauthorized x0
        refuse-403             ok                           ok                           ok
        refuse-404             ok pinned                    ok pinned                    ok pinned
        refuse-426             ok pinned                    ok pinned                    ok pinned
        refuse-429             RateLimited x0               RateLimited x0               RateLimited x0
        refuse-429-bare        RateLimited x0               RateLimited x0               RateLimited x0
        retry-after-date       RateLimited x0               RateLimited x0               RateLimited x0
        refuse-500             ok                           ok                           ok
        refuse-503             Overloaded x0                Overloaded x0                Overloaded x0
        hang-upgrade           ok                           ok                           ok
        close-sockets          ok x3                        ok x3                        ok x5 pinned
        bad-deflate            ok                           ok                           ok
        reroute-header         ok by another-model          ok by another-model          ok by another-model
        no-lanes               ok x2                        ok x2                        ok x2
        ignore-lanes           ok                           ok                           ok
        reroute-event          ok by another-model          ok by another-model          ok by another-model
        reroute-model          ok by another-model          ok by another-model          ok by another-model
        lower-tier             ok as default                ok as default                ok as default
        close-first            ok x2                        ok x2                        ok x2
        close-mid-stream       ok x2                        ok x2                        ok x2
        close-too-large        ok x2                        ok x2                        ok x2
        close-after            ok                           ok                           ok
        cut-first              ok x2                        ok x2                        ok x2
        cut                    ok x2                        ok x2                        ok x2
        hang                   IdleTimeout                  ok x2                        ok x2
        hang-mid-stream        "one two" IdleTimeout        "one two" IdleTimeout        "one two" IdleTimeout
        slow-first-token       IdleTimeout                  ok x2                        ok
        unknown-events         ok                           ok                           ok
        commentary             ok                           ok                           ok
        commentary-between     ok                           ok                           ok
        two-messages           ok                           ok                           ok
        stray-response-before  ok x2                        ok x2                        ok x2
        stray-response-after   ok                           ok                           ok
        late-events            ok                           ok                           ok
        quota-event            ok                           ok                           ok
        rate-limited           RateLimited                  ok x2                        ok x2
        rate-limit-frame       RateLimited                  ok x2                        ok x2
        usage-limit            QuotaUsedUp                  QuotaUsedUp                  QuotaUsedUp
        insufficient-quota     QuotaUsedUp                  QuotaUsedUp                  QuotaUsedUp
        context-too-long       ContextTooLong               ContextTooLong               ContextTooLong
        policy                 Policy                       Policy                       Policy
        overloaded             Overloaded                   ok x2                        ok x2
        server-error           ok x2                        ok x2                        ok x2
        bare-error             ok x2                        ok x2                        ok x2
        detail-error           ok x2                        ok x2                        ok x2
        unsupported-field      ok x2                        ok x2                        ok x2
        unsupported-value      ok x2                        ok x2                        ok x2
        unsupported-model      UnsupportedModel             UnsupportedModel             UnsupportedModel
        previous-not-found     ok                           ok                           ok
        connection-limit       ok x2                        ok x2                        ok x2
    "#]]
    .assert_eq(&table(Wire::ResponsesWebsocket).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_over_http() {
    expect![[r#"
        refuse-401             Unauthorized x0              Unauthorized x0              Unauthorized x0
        refuse-403             ok                           ok                           ok
        refuse-404             ok                           ok                           ok
        refuse-426             ok                           ok                           ok
        refuse-429             RateLimited x0               RateLimited x0               RateLimited x0
        refuse-429-bare        RateLimited x0               RateLimited x0               RateLimited x0
        retry-after-date       RateLimited x0               RateLimited x0               RateLimited x0
        refuse-500             ok                           ok                           ok
        refuse-503             Overloaded x0                Overloaded x0                Overloaded x0
        hang-upgrade           ok                           ok                           ok
        close-sockets          ok                           ok                           ok
        bad-deflate            ok                           ok                           ok
        reroute-header         ok by another-model          ok by another-model          ok by another-model
        no-lanes               ok                           ok                           ok
        ignore-lanes           ok                           ok                           ok
        reroute-event          ok by another-model          ok by another-model          ok by another-model
        reroute-model          ok by another-model          ok by another-model          ok by another-model
        lower-tier             ok as default                ok as default                ok as default
        close-first            ok x2                        ok x2                        ok x2
        close-mid-stream       ok x2                        ok x2                        ok x2
        close-too-large        ok                           ok                           ok
        close-after            ok                           ok                           ok
        cut-first              ok x2                        ok x2                        ok x2
        cut                    ok x2                        ok x2                        ok x2
        hang                   IdleTimeout                  ok x2                        ok x2
        hang-mid-stream        "one two" IdleTimeout        "one two" IdleTimeout        "one two" IdleTimeout
        slow-first-token       IdleTimeout                  ok x2                        ok
        unknown-events         ok                           ok                           ok
        commentary             ok                           ok                           ok
        commentary-between     ok                           ok                           ok
        two-messages           ok                           ok                           ok
        stray-response-before  ok                           ok                           ok
        stray-response-after   ok                           ok                           ok
        late-events            ok                           ok                           ok
        quota-event            ok                           ok                           ok
        rate-limited           RateLimited                  ok x2                        ok x2
        rate-limit-frame       RateLimited                  ok x2                        ok x2
        usage-limit            QuotaUsedUp                  QuotaUsedUp                  QuotaUsedUp
        insufficient-quota     QuotaUsedUp                  QuotaUsedUp                  QuotaUsedUp
        context-too-long       ContextTooLong               ContextTooLong               ContextTooLong
        policy                 Policy                       Policy                       Policy
        overloaded             Overloaded                   ok x2                        ok x2
        server-error           ok x2                        ok x2                        ok x2
        bare-error             ok x2                        ok x2                        ok x2
        detail-error           Invalid                      Invalid                      Invalid
        unsupported-field      ok x2                        ok x2                        ok x2
        unsupported-value      ok x2                        ok x2                        ok x2
        unsupported-model      UnsupportedModel             UnsupportedModel             UnsupportedModel
        previous-not-found     ok                           ok                           ok
        connection-limit       ok x2                        ok x2                        ok x2
    "#]]
    .assert_eq(&table(Wire::ResponsesSse).await);
}

#[tokio::test]
async fn a_quota_that_is_used_up_keeps_what_is_typed_from_being_asked() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, faults: vec![Fault::InsufficientQuota], ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, timing());
    for _ in 0..3 {
        let (_, end) = read(model.stream(request(64))).await;
        assert_eq!(end.unwrap_err().kind(), ErrorKind::QuotaUsedUp);
    }
    assert_eq!(simulator.stats().requests, 1, "asked once");
    simulator.set_faults(vec![]);
    let asked = model::Request { urgency: Urgency::Asked, ..request(64) };
    assert_eq!(read(model.stream(asked)).await.0, "ok", "who asks is not kept from it");
    assert_eq!(read(model.stream(request(64))).await.0, "ok", "and then it is known to work again");
}

#[tokio::test]
async fn sockets_are_tried_again_where_they_did_not_work() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, faults: vec![Fault::Refuse426], ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let timing = Timing { probe_again: Duration::from_millis(1), ..timing() };
    let (model, told) = connect(&simulator, Wire::ResponsesWebsocket, timing);
    assert_eq!(read(model.stream(request(64))).await.0, "ok", "over HTTP");
    let count = |wanted: fn(&WireEvent) -> bool| told.lock().unwrap().iter().filter(|it| wanted(it)).count();
    assert_eq!(count(|it| matches!(it, WireEvent::Pinned { .. })), 1);
    assert_eq!(count(|it| matches!(it, WireEvent::Connected { .. })), 0);
    simulator.set_faults(vec![]);
    for _ in 0..6_000 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        if count(|it| matches!(it, WireEvent::Connected { .. })) > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let http_connections = simulator.stats().connections;
    assert_eq!(read(model.stream(request(64))).await.0, "ok");
    assert!(count(|it| matches!(it, WireEvent::Connected { .. })) > 0, "{http_connections} connections");
    assert_eq!(count(|it| matches!(it, WireEvent::Pinned { .. })), 1, "told once");
}

#[tokio::test]
async fn a_refused_field_is_left_out_from_then_on() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, faults: vec![Fault::UnsupportedField], ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, timing());
    for _ in 0..3 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
    }
    assert_eq!(simulator.stats().requests, 4, "learned from one refusal");
    // One in use and one in reserve: the refusal closed no socket.
    until("the spare", || simulator.stats().connections == 2).await;
}

#[tokio::test]
async fn an_old_socket_is_replaced_before_the_server_ends_it() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let fifty = Duration::from_millis(50);
    let timing = Timing { rotate: (fifty, fifty), fresh: Duration::from_millis(20), ..timing() };
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, timing);
    for _ in 0..20 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let stats = simulator.stats();
    assert_eq!((stats.requests, stats.responses_completed), (20, 20), "no request was lost");
    assert!(stats.connections > 3, "{} connections", stats.connections);
}

#[tokio::test]
async fn sockets_are_closed_when_nothing_goes_on_and_opened_again() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
    let timing = Timing { idle_close: Duration::from_millis(50), ..timing() };
    let (model, _) = connect(&simulator, Wire::ResponsesWebsocket, timing);
    assert_eq!(read(model.stream(request(64))).await.0, "ok");
    until("the end of the connections", || simulator.stats().connections_open == 0).await;
    assert_eq!(read(model.stream(request(64))).await.0, "ok");
}

#[tokio::test]
async fn a_request_that_is_too_long_is_made_once_more_with_less() {
    let lines = "{\"reply\": \"ok\", \"fault\": \"context-too-long\", \"once\": true}\n{\"reply\": \"ok\"}";
    for wire in [
        Wire::ResponsesWebsocket,
        Wire::ResponsesSse,
        Wire::Chat,
        Wire::Anthropic,
        Wire::Fim(FimDialect::Infill),
    ] {
        let script = Script::parse(lines).unwrap();
        let simulator = simulate::start(Options { script, ..Options::default() }).await.unwrap();
        let (model, _) = connect(&simulator, wire, timing());
        let fim = Fim {
            prefix: "é".repeat(3),
            suffix: "x".repeat(5),
            path: "a.rs".to_owned(),
            extra: Vec::new(),
            is_variant: false,
        };
        let long =
            model::Request { input: "outline; x".to_owned(), stable: 9, fim: Some(fim), ..request(64) };
        let (text, end) = read(model.stream(long)).await;
        let usage = end.unwrap();
        assert_eq!((&*text, simulator.stats().requests), ("ok", 2), "{wire:?}");
        assert_eq!(usage.bytes_up, simulator.stats().bytes_received, "{wire:?}: both attempts are counted");
    }
}

#[tokio::test]
async fn sockets_that_are_refused_time_and_again_are_given_up() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, faults: vec![Fault::Refuse500], ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let (model, told) = connect(&simulator, Wire::ResponsesWebsocket, timing());
    let pinned = || told.lock().unwrap().iter().any(|event| matches!(event, WireEvent::Pinned { .. }));
    for attempt in 0..3 {
        assert!(!pinned(), "{attempt}");
        let asked = model::Request { urgency: Urgency::Asked, ..request(64) };
        assert_eq!(read(model.stream(asked)).await.0, "ok", "over HTTP meanwhile");
    }
    until("that they are given up", pinned).await;
}

#[tokio::test]
async fn sockets_that_end_with_every_request_are_given_up_though_http_serves() {
    let script = Script::parse("{\"reply\": \"ok\"}").unwrap();
    let options = Options { script, faults: vec![Fault::CloseSockets], ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let (model, told) = connect(&simulator, Wire::ResponsesWebsocket, timing());
    for _ in 0..5 {
        assert_eq!(read(model.stream(request(64))).await.0, "ok", "over HTTP in the end");
    }
    let pinned = told.lock().unwrap().iter().filter(|it| matches!(it, WireEvent::Pinned { .. })).count();
    // Two attempts over sockets for each of the first two, and one over HTTP for each of the five.
    assert_eq!((pinned, simulator.stats().requests), (1, 9));
}
