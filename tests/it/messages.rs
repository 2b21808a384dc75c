//! Anthropic's Messages API, from the editor to a strict server and back.

use expect_test::expect;
use serde_json::json;
use tandem::config::{Endpoint, Secret, Wire};
use tandem::model::{ErrorKind, Request, Timing};
use tandem::simulate::{self, Options, Script, Simulator};

use crate::recovery::{connect_to, endpoint, table};
use crate::socket::{read, request, until};
use crate::support::{Editor, MARKED, Setup, apply_edit};
use crate::wires::typed;

const URI: &str = "file:///no-such-folder/a.rs";
const KEY: &str = "sk-ant-canary";

async fn simulator(lines: &str) -> Simulator {
    let script = Script::parse(lines).unwrap();
    simulate::start(Options { script, api_key: Some(KEY.to_owned()), ..Options::default() }).await.unwrap()
}

/// A model with this key.
fn keyed(simulator: &Simulator, wire: Wire, key: &str) -> Endpoint {
    Endpoint { key: Some(Secret::new(key.to_owned())), ..endpoint(simulator, wire) }
}

/// An editor whose fast model is one over this wire.
async fn editor(simulator: &Simulator) -> Editor {
    let options = json!({
        "providers": { "claude": { "base_url": simulator.base_url(), "wire": "anthropic" } },
        "fast": { "candidates": [{ "provider": "claude", "model": "claude-haiku-5-5" }] },
    });
    Editor::with(Setup { simulator: None, options, ..Setup::default() }).await
}

#[tokio::test]
async fn ghost_text_and_a_rewrite_arrive() {
    let simulator = simulate::start(Options::default()).await.unwrap();
    let mut editor = editor(&simulator).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let shown = editor.complete(URI, line, column).await;
    assert_eq!(shown[0]["insertText"], "height;", "{shown}");
    assert_eq!(simulator.stats().requests, 1);
    let text = "let a = 1;\nlet c = a;\nlet d = a;\n";
    let other = "file:///no-such-folder/b.rs";
    editor.open(other, "rust", text);
    let argument = json!({
        "textDocument": { "uri": other, "version": 1 },
        "range": { "start": { "line": 0, "character": 3 }, "end": { "line": 1, "character": 2 } },
        "instruction": "rename a to b",
    });
    let id = editor
        .driver
        .ask("workspace/executeCommand", json!({ "command": "tandem.rewrite", "arguments": [argument] }));
    let apply = editor.driver.expect("workspace/applyEdit").await.unwrap();
    editor.driver.reply(&apply, json!({ "applied": true }));
    let answer = editor.driver.answer(id).await.unwrap();
    assert_eq!(answer["result"]["model"], "claude-haiku-5-5");
    assert_eq!(apply_edit(text, &apply["params"]["edit"]), "let b = 1;\nlet c = b;\nlet d = a;\n");
    editor.finish().await;
}

#[tokio::test]
async fn ghost_text_that_is_not_wanted_any_more_is_stopped() {
    let script = Script::parse(&json!({ "reply": "height + 1 ".repeat(2_000) }).to_string()).unwrap();
    let options = Options { script, tokens_per_second: 200, ..Options::default() };
    let simulator = simulate::start(options).await.unwrap();
    let mut editor = editor(&simulator).await;
    let (line, column) = editor.open_at(URI, MARKED);
    let params = crate::support::complete_params(URI, line, column);
    let id = editor.driver.ask("textDocument/inlineCompletion", params);
    until("the first token", || simulator.stats().output_tokens_generated > 0).await;
    editor.driver.notify("$/cancelRequest", json!({ "id": id }));
    editor.driver.answer(id).await.unwrap();
    until("the end of the answer", || simulator.stats().responses_abandoned == 1).await;
    editor.finish().await;
}

#[tokio::test]
async fn what_ends_at_a_breakpoint_is_cached() {
    let simulator = simulator("{\"reply\": \"ok\"}").await;
    let (model, _) = connect_to(keyed(&simulator, Wire::Anthropic, KEY), Timing::default());
    let mut seen = Vec::new();
    let plain = Request { stable: 0, ..typed(3) };
    for request in [typed(1), typed(2), plain] {
        let usage = read(model.stream(request)).await.1.unwrap();
        assert!(usage.input_tokens > usage.cached_tokens + usage.cache_write_tokens, "{usage:?}");
        seen.push((usage.cached_tokens, usage.cache_write_tokens));
    }
    let written = seen[0].1;
    assert!(written > 1_024, "{seen:?}");
    assert_eq!(seen, [(0, written), (written, 0), (0, 0)]);
}

#[tokio::test]
async fn a_key_of_another_wire_is_refused_as_such() {
    let simulator = simulator("{\"reply\": \"ok\"}").await;
    let mut said = String::new();
    for (wire, key) in [
        (Wire::Anthropic, KEY),
        (Wire::Anthropic, "sk-proj-canary"),
        (Wire::Chat, "sk-proj-canary"),
        (Wire::ResponsesSse, "sk-proj-canary"),
        (Wire::ResponsesWebsocket, "sk-proj-canary"),
    ] {
        let (model, _) = connect_to(keyed(&simulator, wire, key), Timing::default());
        let (text, end) = read(model.stream(request(64))).await;
        let end = end.map_or_else(
            |error| {
                assert_eq!(error.kind(), ErrorKind::Unauthorized);
                error.to_string()
            },
            |_| text,
        );
        said += &format!("{wire:?}: {end}\n");
    }
    expect![[r#"
        Anthropic: ok
        Anthropic: test refused (status 401): invalid x-api-key (authentication_error)
        Chat: test refused (status 401): Incorrect API key provided. (invalid_api_key)
        ResponsesSse: test refused (status 401): Incorrect API key provided. (invalid_api_key)
        ResponsesWebsocket: test refused (status 401): Incorrect API key provided. (invalid_api_key)
    "#]]
    .assert_eq(&said);
}

#[tokio::test]
async fn a_tier_that_only_others_have_is_left_out() {
    let simulator = simulator("{\"reply\": \"ok\"}").await;
    let endpoint =
        Endpoint { service_tier: Some("fast".to_owned()), ..keyed(&simulator, Wire::Anthropic, KEY) };
    let (model, _) = connect_to(endpoint, Timing::default());
    for requests in [2, 3] {
        assert_eq!(read(model.stream(request(64))).await.0, "ok");
        assert_eq!(simulator.stats().requests, requests, "refused once");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_over_messages() {
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
        reroute-event          ok                           ok                           ok
        reroute-model          ok by another-model          ok by another-model          ok by another-model
        lower-tier             ok                           ok                           ok
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
        usage-limit            RateLimited                  ok x2                        ok x2
        insufficient-quota     QuotaUsedUp                  QuotaUsedUp                  QuotaUsedUp
        context-too-long       ContextTooLong               ContextTooLong               ContextTooLong
        policy                 Policy                       Policy                       Policy
        overloaded             Overloaded                   ok x2                        ok x2
        server-error           ok x2                        ok x2                        ok x2
        bare-error             ok x2                        ok x2                        ok x2
        detail-error           Invalid                      Invalid                      Invalid
        unsupported-field      ok                           ok                           ok
        unsupported-value      ok                           ok                           ok
        unsupported-model      UnsupportedModel             UnsupportedModel             UnsupportedModel
        previous-not-found     ok                           ok                           ok
        connection-limit       Invalid                      Invalid                      Invalid
    "#]]
    .assert_eq(&table(Wire::Anthropic).await);
}
