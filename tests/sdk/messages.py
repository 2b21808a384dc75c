"""The simulator's Messages API, judged by Anthropic's official SDK."""

import json
import time
import typing
import urllib.error
import urllib.request

import anthropic
from anthropic.types import Message, ModelInfo, RawMessageStreamEvent
from anthropic.types.shared import ErrorResponse

MODEL = "any-model"
TIMEOUT = 60.0
REPLY = "fn add(a: i32, b: i32) -> i32 {\n    a + b // größer ✓\n}\n"

SCRIPT = [
    {"when": "messages: code", "reply": REPLY},
    {"when": "messages: words", "reply": "word " * 20_000, "ttft_ms": 20},
    {"when": "messages: more types", "reply": "ok", "fault": "unknown-events"},
    *[
        {"when": f"messages: {fault}", "reply": "ok", "fault": fault}
        for fault in """overloaded server-error rate-limited rate-limit-frame insufficient-quota context-too-long
            unsupported-model policy""".split()
    ],
]

# Each fault: the exception of the SDK and the type of the error, where the answer has not begun.
REFUSALS = {
    "overloaded": (anthropic.OverloadedError, 529, "overloaded_error"),
    "server-error": (anthropic.InternalServerError, 500, "api_error"),
    "rate-limited": (anthropic.RateLimitError, 429, "rate_limit_error"),
    "rate-limit-frame": (anthropic.RateLimitError, 429, "rate_limit_error"),
    "insufficient-quota": (anthropic.PaymentRequiredError, 402, "billing_error"),
    "context-too-long": (anthropic.BadRequestError, 400, "invalid_request_error"),
    "unsupported-model": (anthropic.NotFoundError, 404, "not_found_error"),
    "policy": (anthropic.BadRequestError, 400, "invalid_request_error"),
}
# Those that come as an event of a stream that has begun.
MIDWAY = ["overloaded", "server-error", "rate-limited"]

# The classes of events by the `type` of each.
EVENTS = {
    typing.get_args(cls.model_fields["type"].annotation)[0]: cls
    for cls in typing.get_args(typing.get_args(RawMessageStreamEvent)[0])
}


def client(server, key):
    url = server.url.removesuffix("/v1")
    return anthropic.Anthropic(api_key=key, base_url=url, timeout=TIMEOUT, max_retries=0)


def fields(text, **more):
    return {"model": MODEL, "max_tokens": 4096, "messages": [{"role": "user", "content": f"messages: {text}"}], **more}


def raw(server, key, **request):
    """The events of a stream, each validated strictly; a ping has no type in the SDK."""
    events = []
    with client(server, key).messages.with_streaming_response.create(stream=True, **request) as answer:
        for line in answer.iter_lines():
            field, _, value = line.partition(": ")
            if field == "event":
                kind = value
            elif field == "data":
                event = json.loads(value)
                assert event["type"] == kind, f"{event['type']!r} in an event named {kind!r}"
                if kind in EVENTS:
                    EVENTS[kind].model_validate_json(value, strict=True)
                events.append(event)
    return events


def streams_messages(server, key):
    events = raw(server, key, **fields("code", system="be brief"))
    kinds = [event["type"] for event in events]
    deltas = kinds.count("content_block_delta")
    course = ["message_start", "content_block_start", "ping", *["content_block_delta"] * deltas]
    course += ["content_block_stop", "message_delta", "message_stop"]
    assert deltas > 1 and kinds == course, kinds
    assert "".join(it["delta"]["text"] for it in events if it["type"] == "content_block_delta") == REPLY
    begun, ended = events[0]["message"]["usage"], events[-2]["usage"]
    assert begun["input_tokens"] == ended["input_tokens"] > 0, (begun, ended)
    assert (begun["output_tokens"], ended["output_tokens"]) == (0, deltas), (begun, ended)
    with client(server, key).messages.stream(**fields("code")) as stream:
        message = stream.get_final_message()
    assert (message.content[0].text, message.stop_reason) == (REPLY, "end_turn"), message
    assert "vendor.unheard_of" in [event["type"] for event in raw(server, key, **fields("more types"))]
    with client(server, key).messages.stream(**fields("more types")) as stream:
        assert stream.get_final_text() == "ok"


def answers_with_one_message(server, key):
    answer = client(server, key).messages.with_raw_response.create(**fields("code"))
    message = Message.model_validate_json(answer.read(), strict=True)
    assert (message.content[0].text, message.stop_reason, message.model) == (REPLY, "end_turn", MODEL), message


def caps_messages(server, key):
    message = client(server, key).messages.create(**fields("code", max_tokens=5))
    assert (message.stop_reason, message.usage.output_tokens) == ("max_tokens", 5), message


def caches_at_breakpoints(server, key):
    def asked(text, control):
        rules = {"type": "text", "text": "fn f(a: usize) -> usize\n" * 200, **control}
        return client(server, key).messages.create(**fields(text, system=[rules])).usage

    kept = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    first, second, plain = asked("code", kept), asked("code again", kept), asked("code", {})
    assert first.cache_read_input_tokens == 0 and first.cache_creation_input_tokens > 1024, first
    assert second.cache_read_input_tokens == first.cache_creation_input_tokens, second
    assert second.cache_creation_input_tokens == 0 and 0 < second.input_tokens < 100, second
    assert plain.cache_read_input_tokens == plain.cache_creation_input_tokens == 0, plain
    assert plain.input_tokens == first.input_tokens + first.cache_creation_input_tokens, (plain, first)


def explains_refusals_of_messages(server, key):
    def refused(expected, status, kind, **request):
        try:
            client(server, key).messages.create(**request)
        except expected as error:
            body = error.body
            ErrorResponse.model_validate(body, strict=True)
            assert (error.status_code, body["error"]["type"]) == (status, kind), error
            assert body["request_id"], body
            return error
        raise AssertionError(f"answered: {request}")

    for fault, expected in REFUSALS.items():
        error = refused(*expected, **fields(fault))
        assert (error.response.headers.get("retry-after") == "1") == (fault == "rate-limit-frame"), fault
    invalid = (anthropic.BadRequestError, 400, "invalid_request_error")
    wrong = [
        {"max_tokens": 0},
        {"messages": []},
        {"service_tier": "fast"},
        {"stop_sequences": ["\n"]},
        {"extra_body": {"prediction": {}}},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": ""}]}]},
    ]
    for change in wrong:
        refused(*invalid, **{**fields("code"), **change})


def fails_in_the_middle_of_messages(server, key):
    for fault in MIDWAY:
        events = []
        try:
            for event in client(server, key).messages.create(stream=True, **fields(fault)):
                events.append(event.type)
        except anthropic.APIStatusError as error:
            ErrorResponse.model_validate(error.body, strict=True)
            assert error.body["error"]["type"] == REFUSALS[fault][2], error
        else:
            raise AssertionError(f"{fault}: answered")
        assert events == ["message_start"], events
    with client(server, key).messages.stream(**fields("policy")) as stream:
        assert stream.get_final_message().stop_reason == "refusal"


def wants_a_key_and_a_version(server, key):
    for wrong in (lambda: client(server, "sk-wrong").messages.create(**fields("code")), client(server, "sk-other").models.list):
        try:
            wrong()
        except anthropic.AuthenticationError as error:
            assert error.body["error"]["type"] == "authentication_error", error
        else:
            raise AssertionError("a wrong key was accepted")
    headers = {"x-api-key": key, "content-type": "application/json"}
    request = urllib.request.Request(f"{server.url}/messages", json.dumps(fields("code")).encode(), headers)
    try:
        urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        assert (error.code, "anthropic-version" in error.read().decode()) == (400, True), error
    else:
        raise AssertionError("a request without a version was answered")


def stops_messages_when_a_client_leaves(server, key):
    before = server.stats()["responses_abandoned"]
    with client(server, key).messages.create(stream=True, **fields("words", max_tokens=20_000)) as stream:
        while next(iter(stream)).type != "content_block_delta":
            pass
    until = time.monotonic() + TIMEOUT
    while server.stats()["responses_abandoned"] == before and time.monotonic() < until:
        time.sleep(0.01)
    assert server.stats()["responses_abandoned"] == before + 1


def lists_models_of_messages(server, key):
    page = json.loads(client(server, key).models.with_raw_response.list().read())
    assert page["data"] and not page["has_more"], page
    for model in page["data"]:
        ModelInfo.model_validate_json(json.dumps(model), strict=True)


CHECKS = [
    streams_messages,
    answers_with_one_message,
    caps_messages,
    caches_at_breakpoints,
    explains_refusals_of_messages,
    fails_in_the_middle_of_messages,
    wants_a_key_and_a_version,
    stops_messages_when_a_client_leaves,
    lists_models_of_messages,
]
