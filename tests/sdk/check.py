#!/usr/bin/env python3
"""The simulator and our client's frames, judged by the official SDKs of OpenAI and Anthropic.

What the simulator sends is judged by the types of Open Responses, too.

    check.py TANDEM [--frames FILE]

TANDEM is the binary whose `simulate` is started and driven. FILE holds frames that our client sent, one a line
(`tandem simulate --record FILE` writes them).

The SDKs are clients that this project did not write, and their types say what the protocols' fields are. They do not
validate what they receive, so every frame and event is also put through those types strictly.

The last line is `N passed, N failed`; the exit status is 1 if any check failed, 2 for wrong usage.
"""

import argparse
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import typing

import openai
import openresponses_types
from openai.lib.responses_websocket import ResponsesWebSocketLimits, ResponsesWebSocketSession
from openai.types import Model
from openai.types.responses import Response
from openai.types.responses.response_stream_event import ResponseStreamEvent
from openai.types.responses.responses_client_event import ResponsesClientEvent
from openai.types.responses.responses_server_event import ResponsesServerEvent
from openresponses_types import ResponseResource
from websockets.exceptions import InvalidStatus

import messages
import telemetry

KEY = "sk-check"
MODEL = "any-model"
TIMEOUT = 60.0
ENDS = ("response.completed", "response.incomplete", "response.failed", "error")
LANE = re.compile(r"[A-Za-z0-9_.-]{1,256}")

SCRIPT = [
    {"when": "slow", "reply": "the slow answer", "ttft_ms": 400},
    {"when": "first part\nsecond part", "reply": "read both parts"},
    {"when": "endless", "reply": "word " * 20_000, "ttft_ms": 20},
    {"when": "code", "reply": "fn add(a: i32, b: i32) -> i32 {\n    a + b // größer ✓\n}\n"},
]


def types_of(alias):
    """The classes of a union of events, by the `type` of each."""
    members = typing.get_args(typing.get_args(alias)[0])
    return {typing.get_args(cls.model_fields["type"].annotation)[0]: cls for cls in members}


def open_types(ending):
    """The classes of events in the specification of Open Responses whose names end so, by the `type` of each."""
    classes = [cls for name, cls in vars(openresponses_types).items() if name.endswith(ending)]
    return {str(next(iter(cls.model_fields["type"].annotation))): cls for cls in classes}


SERVER_EVENTS = types_of(ResponsesServerEvent)
STREAM_EVENTS = types_of(ResponseStreamEvent)
CLIENT_EVENTS = types_of(ResponsesClientEvent)
OPEN_STREAM_EVENTS = open_types("StreamingEvent")
OPEN_SERVER_EVENTS = OPEN_STREAM_EVENTS | open_types("WebSocketErrorEvent")


def expect(actual, wanted, what):
    assert actual == wanted, f"{what}: {actual!r} instead of {wanted!r}"


def strictly(raw, *types):
    """Validates one event and returns it as a plain dictionary."""
    event = json.loads(raw)
    for known in types:
        assert event.get("type") in known, f"no such event: {event.get('type')!r}"
        known[event["type"]].model_validate_json(raw, strict=True)
    return event


def received(connection):
    """The next event of a socket, validated."""
    return strictly(connection.recv_bytes(), SERVER_EVENTS, OPEN_SERVER_EVENTS)


class Server:
    """A running `tandem simulate`."""

    def __init__(self, tandem, folder):
        script = folder / "script.jsonl"
        script.write_text("".join(json.dumps(entry) + "\n" for entry in messages.SCRIPT + SCRIPT), encoding="utf-8")
        self.record = folder / "frames.jsonl"
        options = ["--api-key", KEY, "--script", str(script), "--record", str(self.record)]
        # Slow enough that a client can disconnect in the middle of the endless reply.
        options += ["--tokens-per-second", "2000"]
        self.process = subprocess.Popen([tandem, "simulate", *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/v1)\n", line)
        if not found:
            self.stop()
            raise SystemExit(f"the first line of {tandem} simulate is {line!r}")
        self.url = found[1]

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)

    def client(self, key=KEY):
        websocket = self.url.replace("http", "ws", 1)
        return openai.OpenAI(
            api_key=key, base_url=self.url, websocket_base_url=websocket, timeout=TIMEOUT, max_retries=0
        )

    @contextlib.contextmanager
    def socket(self, key=KEY, **options):
        options = {"proxy": None, **options}
        with self.client(key).responses.connect(websocket_connection_options=options) as connection:
            yield connection

    def stats(self):
        return self.client().get("/simulator/stats", cast_to=dict)


def ask(connection, text, **fields):
    """Sends one request with the text as a user's message."""
    content = [{"type": "input_text", "text": text}]
    message = {"type": "message", "role": "user", "content": content}
    connection.response.create(model=MODEL, store=False, input=[message], **fields)


def read(connection):
    """The events up to the next terminal one, each validated."""
    events = []
    while not events or events[-1]["type"] not in ENDS:
        events.append(received(connection))
    return events


def whole(response):
    """Checks a response object by the types of Open Responses, which has fields that are mandatory though null."""
    ResponseResource.model_validate_json(json.dumps(response), strict=True)
    expect(type(response["completed_at"]), int if response["status"] == "completed" else type(None), "completed_at")


def finished(events, end="response.completed"):
    """Checks the course of one whole response and returns its final object."""
    expect(events[-1]["type"], end, "last event")
    expect([event["type"] for event in events[:2]], ["response.created", "response.in_progress"], "first events")
    numbers = [event["sequence_number"] for event in events]
    expect(numbers, list(range(len(events))), "sequence numbers")
    for event in events:
        if "response" in event:
            whole(event["response"])
    final = events[-1]["response"]
    expect(events[0]["response"]["id"], final["id"], "id")
    expect(final["status"], end.removeprefix("response."), "status")
    deltas = [event for event in events if event["type"] == "response.output_text.delta"]
    streamed = "".join(event["delta"] for event in deltas)
    expect(text_of(final), streamed, "text of the final object")
    for event in events:
        if event["type"] == "response.output_text.done":
            expect(event["text"], streamed, "text when done")
        if "item_id" in event:
            expect(event["item_id"], final["output"][event["output_index"]]["id"], "item of an event")
    usage = final["usage"]
    expect(usage["total_tokens"], usage["input_tokens"] + usage["output_tokens"], "total tokens")
    return final


def text_of(response):
    parts = [part for item in response["output"] for part in item["content"]]
    return "".join(part["text"] for part in parts)


# The checks. Each takes the server; its name states the checked property.


def streams_over_a_websocket(server):
    with server.socket() as connection:
        ask(connection, "code", instructions="be brief", service_tier="fast", prompt_cache_key="file-1")
        final = finished(read(connection))
    expect(text_of(final), SCRIPT[3]["reply"], "reply")
    expect((final["model"], final["service_tier"]), (MODEL, "fast"), "what is echoed")


def compresses(server):
    # With a limit set, the SDK's library offers compression, with a smaller window than the usual one.
    with server.socket(max_size=1 << 20) as connection:
        extensions = connection._connection.protocol.extensions
        expect([extension.name for extension in extensions], ["permessage-deflate"], "what is agreed on")
        for text, reply in (("code", SCRIPT[3]["reply"]), ("first part", None), ("code", SCRIPT[3]["reply"])):
            ask(connection, text * 3, instructions="be brief " * 500)
            final = finished(read(connection))
            if reply:
                expect(text_of(final), reply, "reply")


def streams_over_sse(server):
    request = {"model": MODEL, "input": "code", "stream": True}
    events = []
    with server.client().responses.with_streaming_response.create(**request) as answer:
        for line in answer.iter_lines():
            field, _, value = line.partition(": ")
            if field == "data":
                events.append(strictly(value, STREAM_EVENTS, OPEN_STREAM_EVENTS))
                expect(kind, events[-1]["type"], "the event's name")
            elif field == "event":
                kind = value
    expect(text_of(finished(events)), SCRIPT[3]["reply"], "reply")
    with server.client().responses.create(**request) as stream:
        deltas = [event.delta for event in stream if event.type == "response.output_text.delta"]
    expect("".join(deltas), SCRIPT[3]["reply"], "what the SDK's own reader gives")


def answers_with_one_object(server):
    answer = server.client().responses.with_raw_response.create(model=MODEL, input="code")
    response = Response.model_validate_json(answer.content, strict=True)
    expect(response.output_text, SCRIPT[3]["reply"], "reply")


def serves_open_responses(server):
    user = {"type": "message", "role": "user", "content": "code"}
    image = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
    seen = {**user, "content": [{"type": "input_text", "text": "code"}, image]}
    requests = {
        "text": {"input": "code"},
        "items": {"input": [user]},
        "a system's message": {"input": [{**user, "role": "system", "content": "be brief"}, user]},
        "an image": {"input": [seen]},
        "several turns": {"input": [user, {**user, "role": "assistant", "content": "yes"}, user]},
        "tools": {"input": [user], "tools": [{"type": "function", "name": "read", "parameters": {"type": "object"}}]},
        "settings": {"input": [user], "reasoning": {"effort": "low"}, "text": {"verbosity": "low"}, "store": False},
    }
    for name, request in requests.items():
        response = server.client().post("/responses", body={"model": MODEL, **request}, cast_to=dict)
        whole(response)
        expect((response["status"], text_of(response)), ("completed", SCRIPT[3]["reply"]), name)
        expect(response["store"], request.get("store", True), "store")
    try:
        server.client().post("/responses", body={"model": "", "input": "code"}, cast_to=dict)
        raise AssertionError("a request without a model was answered")
    except openai.BadRequestError as error:
        expect(error.param, "model", "what is refused")


def warms_up_and_continues(server):
    with server.socket() as connection:
        ask(connection, "first part", generate=False)
        base = finished(read(connection))
        expect(base["output"], [], "output of a warm-up")
        ask(connection, "second part", previous_response_id=base["id"])
        final = finished(read(connection))
    expect(text_of(final), "read both parts", "reply")
    expect(final["previous_response_id"], base["id"], "what it continues from")


def chains(server):
    with server.socket() as connection:
        previous, tokens, ids = {}, 0, set()
        for turn in ("one", "two", "three"):
            ask(connection, turn, **previous)
            final = finished(read(connection))
            assert final["usage"]["input_tokens"] > tokens, "input grows along the chain"
            tokens = final["usage"]["input_tokens"]
            previous = {"previous_response_id": final["id"]}
            ids.add(final["id"])
    expect(len(ids), 3, "different ids")


def refuses_to_continue_from_the_unknown(server):
    with server.socket() as connection:
        ask(connection, "x", previous_response_id="resp_unknown")
        error = read(connection)[-1]
        expect((error["type"], error["status"]), ("error", 400), "answer")
        expect(error["error"]["code"], "previous_response_not_found", "code")
        expect(error["error"]["param"], "previous_response_id", "param")
        ask(connection, "x")
        finished(read(connection))


def keeps_the_order_of_a_lane(server):
    with server.socket() as connection:
        ask(connection, "slow")
        ask(connection, "code")
        replies = [text_of(finished(read(connection))) for _ in range(2)]
    expect(replies, [SCRIPT[0]["reply"], SCRIPT[3]["reply"]], "replies")


def lets_lanes_overtake(server):
    with server.socket() as connection:
        ask(connection, "slow", stream_id="deep.1")
        ask(connection, "code", stream_id="typing_1")
        lanes = {"deep.1": [], "typing_1": []}
        ended = []
        while len(ended) < 2:
            event = received(connection)
            lanes[event["stream_id"]].append(event)
            if event["type"] in ENDS:
                ended.append(event["stream_id"])
        for events in lanes.values():
            finished(events)
        expect(ended, ["typing_1", "deep.1"], "who ended first")
        connection.send({"type": "response.create", "model": MODEL, "stream_id": "not a name"})
        expect(read(connection)[-1]["error"]["code"], "invalid_stream_id", "code")


def suits_the_sdks_own_lanes(server):
    limits = ResponsesWebSocketLimits(
        max_lanes=4, max_events_per_lane=1000, max_events=1000, max_bytes_per_lane=1 << 20, max_bytes=1 << 20
    )
    request = {"type": "response.create", "model": MODEL, "store": False}
    with server.socket() as connection, ResponsesWebSocketSession(connection, limits=limits) as session:
        lanes = {text: session.lane(f"lane-{index}") for index, text in enumerate(["slow", "code"])}
        for text, lane in lanes.items():
            lane.send({**request, "input": text})
        finals = {text: lane.get_final_response(timeout=TIMEOUT).output_text for text, lane in lanes.items()}
    expect(finals, {"slow": SCRIPT[0]["reply"], "code": SCRIPT[3]["reply"]}, "replies")


def caps_output(server):
    with server.socket() as connection:
        ask(connection, "endless", max_output_tokens=16)
        final = finished(read(connection), "response.incomplete")
    expect(final["incomplete_details"], {"reason": "max_output_tokens"}, "reason")
    expect(final["usage"]["output_tokens"], 16, "output tokens")


def stops_when_a_client_leaves(server):
    before = server.stats()["responses_abandoned"]
    with server.socket() as connection:
        ask(connection, "endless")
        while received(connection)["type"] != "response.output_text.delta":
            pass
    with server.socket() as connection:
        ask(connection, "code")
        finished(read(connection))
    until = time.monotonic() + TIMEOUT
    while server.stats()["responses_abandoned"] == before and time.monotonic() < until:
        time.sleep(0.01)
    stats = server.stats()
    expect(stats["responses_abandoned"], before + 1, "abandoned responses")
    # The time that another answer takes.
    with server.socket() as connection:
        ask(connection, "code")
        written = finished(read(connection))["usage"]["output_tokens"]
    later = server.stats()["output_tokens_generated"] - stats["output_tokens_generated"]
    expect(later, written, "tokens generated later")


def refuses_wrong_keys(server):
    for attempt in (lambda: server.socket("sk-wrong").__enter__(), server.client("sk-wrong").models.list):
        try:
            attempt()
        except InvalidStatus as refused:
            expect(refused.response.status_code, 401, "status of the upgrade")
        except openai.AuthenticationError as refused:
            expect(refused.code, "invalid_api_key", "code")
        else:
            raise AssertionError("a wrong key was accepted")


def explains_refusals_over_http(server):
    try:
        server.client().responses.create(model=MODEL, input="x", extra_body={"prediction": {}})
    except openai.BadRequestError as refused:
        expect((refused.code, refused.param), ("unknown_parameter", "prediction"), "error")
    else:
        raise AssertionError("an unknown field was accepted")


def lists_models(server):
    models = json.loads(server.client().models.with_raw_response.list().content)["data"]
    assert models, "at least one model"
    for model in models:
        Model.model_validate(model, strict=True)


def records_what_clients_send(server):
    lines = server.record.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 10, f"{len(lines)} frames recorded"
    # One of the checks above sends a wrong lane on purpose.
    wrong = [problem for line in lines if (problem := frame_problem(line)) and "stream_id" not in problem]
    expect(wrong, [], "frames that the SDK sent")


CHECKS = [
    streams_over_a_websocket,
    compresses,
    streams_over_sse,
    answers_with_one_object,
    serves_open_responses,
    warms_up_and_continues,
    chains,
    refuses_to_continue_from_the_unknown,
    keeps_the_order_of_a_lane,
    lets_lanes_overtake,
    suits_the_sdks_own_lanes,
    caps_output,
    stops_when_a_client_leaves,
    refuses_wrong_keys,
    explains_refusals_over_http,
    lists_models,
    records_what_clients_send,
]


def frame_problem(line):
    """The problem of a frame that a client sent, or None."""
    try:
        frame = json.loads(line)
        cls = CLIENT_EVENTS.get(frame.get("type")) if isinstance(frame, dict) else None
        if cls is None:
            return "not an event that clients send"
        cls.model_validate_json(line, strict=True)
    except ValueError as error:
        return str(error)
    # The SDK's types let unknown fields pass; the service does not.
    unknown = sorted(set(frame) - set(cls.model_fields))
    if unknown:
        return f"unknown fields {unknown}"
    if not frame.get("model"):
        return "no model"
    if {"stream", "background"} & set(frame):
        return "`stream` and `background` do not belong on a socket"
    if "stream_id" in frame and not LANE.fullmatch(frame["stream_id"]):
        return f"stream_id {frame['stream_id']!r}"
    return None


def validator_notices():
    """Checks that the validator of frames can fail."""
    good = {"type": "response.create", "model": MODEL, "input": "x", "stream_id": "a", "max_output_tokens": 16}
    expect(frame_problem(json.dumps(good)), None, "a good frame")
    wrong = [
        {"type": "response.cancel"},
        {"stream_id": "a b"},
        {"max_output_tokens": "16"},
        {"response": {"input": "x"}},
        {"prediction": {"type": "content"}},
        {"input": [{"type": "message", "role": "user", "content": [{"type": "text", "text": "x"}]}]},
        {"reasoning": {"effort": "a lot"}},
        {"stream": True},
        {"model": ""},
    ]
    for change in wrong:
        assert frame_problem(json.dumps({**good, **change})), f"not noticed: {change}"


def frames_are_good(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    assert lines, f"{path} holds no frames"
    problems = [f"line {n}: {problem}" for n, line in enumerate(lines, 1) if (problem := frame_problem(line))]
    assert not problems, "\n".join(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem", help="the binary")
    parser.add_argument("--frames", metavar="FILE", help="frames that our client sent")
    arguments = parser.parse_args()

    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def run(name, check):
        # A check that hangs is ended from outside: the SDK's blocking reads have no timeout.
        watchdog = threading.Timer(TIMEOUT, lambda: server.process.kill())
        watchdog.start()
        try:
            check()
            outcome = "passed"
            print(f"ok      {name}", flush=True)
        except telemetry.Skipped as why:
            outcome = "skipped"
            print(f"skipped {name}: {why}", flush=True)
        except Exception as error:  # Whatever went wrong, the other checks still run.
            outcome = "failed"
            print(f"FAILED  {name}: {error or type(error).__name__}", flush=True)
            if not isinstance(error, AssertionError):
                traceback.print_exc(file=sys.stdout)
        finally:
            watchdog.cancel()
        counts[outcome] += 1

    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.tandem, pathlib.Path(folder))
        try:
            for check in CHECKS:
                run(check.__name__, lambda: check(server))
            for check in messages.CHECKS:
                run(check.__name__, lambda: check(server, KEY))
            for reports in (telemetry.reports_requests_to_a_collector, telemetry.reports_pass_through_a_collector):
                run(reports.__name__, lambda: reports(server, arguments.tandem, KEY))
            run(validator_notices.__name__, validator_notices)
            if arguments.frames:
                run(f"frames of {arguments.frames}", lambda: frames_are_good(arguments.frames))
        finally:
            server.stop()
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
