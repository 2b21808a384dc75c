#!/usr/bin/env python3
"""Tandem with model servers of other people: what it sends is taken, what comes is read, and cancelling ends it.

    check.py TANDEM litellm
    check.py TANDEM llama LLAMA_SERVER

TANDEM is the binary: its `lsp` is driven as an editor would, through a relay that keeps what goes over the wire.
The last line is `N passed, N failed`; the exit status is 1 if any check failed, 2 for wrong usage.
"""

import argparse
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import traceback

from editor import Editor, Refused
from relay import Relay
from servers import KEY, LiteLlm, Llama, Simulator, wait_for

TIMEOUT = 120.0
MODEL = "code-model"
# The simulator's reply, behind another server.
REPLY = f"total_of({', '.join(['width', 'height'] * 12)});"
# Text before the cursor for which the simulator sends half of its reply and then nothing: only a cancel ends it.
ENDLESS = "endless + "
# Maximum tokens of ghost text.
CAP = 128
TEXT = "fn width() -> usize {\n    let height = \n}\n"
BEFORE, AFTER = "    let height = ", "\n}\n"

# By name: the provider's settings, the path of requests, and the field with the cap of tokens.
WIRES = {
    "chat": ({"wire": "chat"}, "/v1/chat/completions", "max_tokens"),
    "responses": ({"wire": "responses-sse"}, "/v1/responses", "max_output_tokens"),
    "socket": ({}, "/v1/responses", "max_output_tokens"),
    "compressed": ({"deflate": True}, "/v1/responses", "max_output_tokens"),
    "messages": ({"wire": "anthropic"}, "/v1/messages", "max_tokens"),
    "completions": ({"wire": "fim"}, "/v1/completions", "max_tokens"),
    "infill": ({"wire": "fim", "fim_dialect": "infill"}, "/infill", "n_predict"),
}


def expect(actual, wanted, what):
    assert actual == wanted, f"{what}: {actual!r} instead of {wanted!r}"


def text_of(exchange):
    """The text of an answer, in any dialect."""
    text = ""
    for event in exchange.events():
        if event.get("type") == "response.output_text.delta":
            text += event["delta"]
        elif event.get("type") == "content_block_delta":
            text += event["delta"].get("text", "")
        elif "type" not in event:
            choice = (event.get("choices") or [{}])[0]
            text += choice.get("delta", {}).get("content") or choice.get("text") or event.get("content") or ""
    return text


def tokens_of(exchange):
    """Tokens in and out as counted by the server, in any dialect."""
    for event in reversed(exchange.events()):
        usage = event.get("usage") or event.get("response", {}).get("usage") or {}
        counts = {**event, **usage}
        for names in (
            ("prompt_tokens", "completion_tokens"),
            ("input_tokens", "output_tokens"),
            ("tokens_evaluated", "tokens_predicted"),
        ):
            if all(name in counts for name in names):
                return tuple(counts[name] for name in names)
    raise AssertionError("the server counted no tokens")


def refusal_of(editor, number):
    """The code of the error that answers a request."""
    try:
        raise AssertionError(f"an answer to a cancelled request: {editor.answer(number)}")
    except Refused as refused:
        return refused.code


class Scene:
    """One server, and a relay in front of it for each check."""

    def __init__(self, tandem, server, folder):
        self.tandem, self.server, self.folder = tandem, server, folder

    @contextlib.contextmanager
    def editor(self, wire, models=(MODEL,), key=KEY):
        relay = Relay(self.server.port)
        provider, path, cap = WIRES[wire]
        provider = {"base_url": f"http://127.0.0.1:{relay.port}/v1", "api_key_env": "OTHER_KEY", **provider}
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            editor = Editor(self.tandem, pathlib.Path(folder), provider, models, key)
            try:
                editor.relay, editor.path, editor.cap = relay, path, cap
                editor.open("shape.rs", TEXT)
                yield editor
            finally:
                editor.close()
                relay.close()

    # The checks for each wire at each server.

    def completes(self, wire):
        """Ghost text is streamed; the server's token count is used, and the answering model is known."""
        with self.editor(wire) as editor:
            items = editor.answer(editor.complete(1, len(BEFORE)))
            (exchange,) = [it for it in editor.relay.asked(editor.path) if it.method == "POST"]
            status, headers, _ = exchange.response()
            expect(status, 200, f"status for {exchange.raw.decode()}")
            expect(headers["content-type"].split(";")[0], "text/event-stream", "kind of the answer")
            name, value = ("x-api-key", KEY) if wire == "messages" else ("authorization", f"Bearer {KEY}")
            expect(exchange.headers[name], value, "the key")
            expect(exchange.body["stream"], True, "`stream`")
            expect(exchange.body[editor.cap], CAP, "the cap of tokens")
            text = text_of(exchange)
            assert len(exchange.events()) > 3 and len(exchange.arrivals) > 1, "it was not streamed"
            shown = items[0]["insertText"]
            assert shown and text.strip().startswith(shown.strip()), f"{shown!r} of {text!r}"
            status = editor.until("the count", lambda it: it["usage"]["session"]["outputTokens"])
            gear, usage = status["gears"]["fast"], status["usage"]["session"]
            expect((usage["inputTokens"], usage["outputTokens"]), tokens_of(exchange), "tokens in and out")
            expect(usage["bytesUp"], len(exchange.raw), "bytes up")
            expect((gear["state"], gear["served"]), ("ready", MODEL), "who answers")
            assert gear["firstTokenMs"] <= gear["totalMs"], f"{gear}"
            expect(editor.said(), [], "what the user was told")
            return exchange

    def caches(self, wire):
        """The server has the beginning of a second request in its cache."""
        with self.editor(wire) as editor:
            editor.answer(editor.complete(1, len(BEFORE)))
            editor.type(1, len(BEFORE), "(")
            editor.answer(editor.complete(1, len(BEFORE) + 1))
            editor.until("cached tokens", lambda it: it["usage"]["session"]["cachedTokens"] > 10)

    def cancels(self, wire):
        """An answer that is cancelled on its way ends at the server, too, and the next one arrives as usual."""
        with self.editor(wire) as editor:
            before = self.server.begin()
            editor.relay.on_answer = lambda exchange: exchange.path.endswith(editor.path) and self.server.spoke()
            editor.type(1, len(BEFORE), ENDLESS)
            number = editor.complete(1, len(BEFORE + ENDLESS))
            wait_for("the beginning of the answer", lambda: self.server.speaks and self.server.wrote(before))
            editor.cancel(number)
            expect(refusal_of(editor, number), -32800, "code of the answer")
            wait_for("the end of the connection", lambda: editor.relay.asked(editor.path)[0].hung_up)
            written = self.server.ended_early(before)
            assert 0 < written < CAP, f"{written} tokens for a cancelled request"
            editor.type(1, len(BEFORE), "not_")
            editor.answer(editor.complete(1, len("not_" + BEFORE + ENDLESS)))

    def stands_by_its_list(self, wire):
        """The list of models is read, and a listed model is not probed."""
        with self.editor(wire) as editor:
            editor.until("that the model is ready", lambda it: it["gears"]["fast"]["state"] == "ready")
            lists = [it for it in editor.relay.asked("/v1/models") if it.answer]
            assert lists and all(it.response()[0] == 200 for it in lists), "the list was not read"
            expect([it.path for it in editor.relay.exchanges if it.method == "POST"], [], "requests")

    def is_examined(self, wire):
        """`tandem doctor` finds the model on the list, and measures it."""
        with self.editor(wire) as editor:
            config = str(editor.folder / "config.toml")
            arguments = [self.tandem, "doctor", "--json", "--config", config, "--local", "none=1"]
            done = subprocess.run(arguments, capture_output=True, env=editor.variables, timeout=TIMEOUT)
            (candidate,) = json.loads(done.stdout)["gears"][0]["candidates"]
            expect((candidate["listed"], candidate["answers"]), ("yes", True), "the candidate")
            expect((candidate["swapped"], candidate["problem"]), (None, None), "its troubles")
            measured = candidate["wires"][-1]
            assert measured["requests"] == 3 and measured["firstTokenMs"] > 0, f"{measured}"

    # Checks for some of the wires.

    def completes_on_a_socket(self, wire):
        """As above, over a socket that stays open."""
        with self.editor(wire) as editor:
            for typed in range(2):
                items = editor.answer(editor.complete(1, len(BEFORE) + typed))
                expect(len(items), 1, "suggestions")
                editor.type(1, len(BEFORE) + typed, "(")
            sockets = editor.relay.asked(editor.path)
            assert all(it.method == "GET" and it.is_socket for it in sockets), "it went over HTTP"
            used = [it for it in sockets if it.sent]
            expect({b"permessage-deflate" in it.answer for it in used}, {wire == "compressed"}, "compression")
            frames = [frame for it in used for frame in it.frames()]
            expect([frame["type"] for frame in frames if wants_answer(frame)], ["response.create"] * 2, "frames")
            completed = [it for one in used for it in one.events() if it["type"] == "response.completed"]
            expect(len(completed), len(frames), "answers")
            counts = [it["response"]["usage"] for it in completed if it["response"].get("usage")]
            total = tuple(sum(it[name] for it in counts) for name in ("input_tokens", "output_tokens"))
            status = editor.status()
            gear, usage = status["gears"]["fast"], status["usage"]["session"]
            expect((usage["inputTokens"], usage["outputTokens"]), total, "tokens in and out")
            expect((gear["state"], gear["served"], gear["pinned"]), ("ready", MODEL, None), "who answers")
            expect(editor.said(), [], "what the user was told")

    def reads_on_for_nobody(self, wire):
        """No frame cancels an answer: the rest of a short answer is read, counted, and not shown."""
        with self.editor(wire) as editor:
            comes, cancelled = threading.Event(), threading.Event()

            def hold(exchange):
                """Holds the answer at the relay until it is cancelled, however fast it is."""
                if exchange.is_socket and any(map(wants_answer, exchange.frames())):
                    comes.set()
                    cancelled.wait(TIMEOUT)

            editor.relay.on_answer = hold
            number = editor.complete(1, len(BEFORE))
            assert comes.wait(TIMEOUT), "no answer"
            editor.cancel(number)
            expect(refusal_of(editor, number), -32800, "code of the answer")
            cancelled.set()
            editor.until("the rest", lambda it: it["usage"]["session"]["abandonedTokens"] > 0)
            editor.type(1, len(BEFORE), "(")
            (item,) = editor.answer(editor.complete(1, len(BEFORE) + 1))
            assert REPLY.startswith(item["insertText"].rstrip(")")), f"not the answer to this: {item}"

    def sends_what_is_around_the_cursor(self, wire):
        """The text before the cursor and after it arrives in full."""
        exchange = self.completes(wire)
        names = {"infill": ("input_prefix", "input_suffix"), "completions": ("prompt", "suffix")}[wire]
        before, after = (exchange.body[name] for name in names)
        assert before.endswith(BEFORE) and after.startswith(AFTER), f"{before!r} … {after!r}"

    def asks_elsewhere(self, wire):
        """Where a server accepts a suffix but ignores it, another endpoint is used, and the status says so."""
        with self.editor(wire) as editor:
            for typed in range(2):
                assert editor.answer(editor.complete(1, len(BEFORE) + typed)), "no answer"
                editor.type(1, len(BEFORE) + typed, "(")
            asked = [it.path for it in editor.relay.exchanges if it.method == "POST"]
            # The probe of the server before the first request may have shown it already.
            expect([it for it in asked if it != "/v1/completions"], ["/infill", "/infill"], "requests")
            assert "llama.cpp" in editor.status()["gears"]["fast"]["pinned"], editor.status()

    def falls_down_the_ladder(self, wire):
        """A model that does not exist is skipped and reported, and the next one answers."""
        with self.editor(wire, ["no-such-model", MODEL]) as editor:
            status = editor.until("the next one", lambda it: it["gears"]["fast"]["asked"] == MODEL)
            (refused,) = status["gears"]["fast"]["refused"]
            expect(refused["model"], "no-such-model", "who does not answer")
            assert editor.answer(editor.complete(1, len(BEFORE))), "no answer"
            expect(editor.status()["gears"]["fast"]["served"], MODEL, "who answers")
            (said,) = editor.said()
            assert "no-such-model" in said and f"asks {MODEL} at other from now on" in said, said

    def is_refused_without_the_key(self, wire):
        """A key that the server refuses is reported, without the key."""
        with self.editor(wire, key="sk-wrong-and-secret") as editor:
            editor.until("the refusal", lambda it: it["gears"]["fast"]["state"] == "refused")
            (said,) = editor.said()
            assert "refused (status 40" in said and "secret" not in said, said
            expect(editor.answer(editor.complete(1, len(BEFORE))), [], "suggestions")


def wants_answer(frame):
    """Whether a frame requests text, other than the one that warms a socket up."""
    return frame.get("generate") is not False


ALWAYS = [Scene.completes, Scene.stands_by_its_list, Scene.is_examined]


def litellm(arguments, folder):
    """LiteLLM's proxy, in front of our simulator: everything in between is tested."""
    script = folder / "script.jsonl"
    endless = {"when": f" {ENDLESS}", "reply": REPLY, "fault": "hang-mid-stream"}
    script.write_text(json.dumps(endless) + "\n" + json.dumps({"reply": REPLY}) + "\n")
    # An abandoned call goes on for 300 ms, in case the next request can use it: an answer has to take longer.
    options = ["--script", str(script), "--model", MODEL, "--tokens-per-second", "100"]
    with Simulator(arguments.tandem, "sk-upstream", *options) as simulator:
        with LiteLlm(simulator, MODEL, folder) as server:
            scene = Scene(arguments.tandem, server, folder)
            questions = {
                "chat": {"messages": [{"role": "user", "content": "a"}]},
                "responses": {"input": "a"},
                "messages": {"messages": [{"role": "user", "content": "a"}], "max_tokens": 16},
                "completions": {"prompt": "a", "suffix": "b"},
            }
            for wire, question in questions.items():
                server.load(WIRES[wire][1], {"model": MODEL, "stream": True, **question})
            for wire in ("chat", "responses", "messages", "completions"):
                yield from ((wire, check, scene) for check in [*ALWAYS, Scene.cancels])
            for check in (Scene.completes_on_a_socket, Scene.reads_on_for_nobody, *ALWAYS[1:]):
                yield "socket", check, scene
            yield "compressed", Scene.completes_on_a_socket, scene
            for wire in ("chat", "responses", "messages", "socket"):
                yield wire, Scene.falls_down_the_ladder, scene
                yield wire, Scene.is_refused_without_the_key, scene
            yield "completions", Scene.sends_what_is_around_the_cursor, scene


def llama(arguments, folder):
    """llama.cpp's server, with a model of random weights."""
    import weights

    model = folder / "model.gguf"
    weights.write(str(model), MODEL)
    with Llama(arguments.server, model, MODEL, folder) as server:
        scene = Scene(arguments.tandem, server, folder)
        for wire in ("chat", "responses", "socket", "infill"):
            yield from ((wire, check, scene) for check in [*ALWAYS, Scene.caches])
        yield from (("completions", check, scene) for check in [Scene.asks_elsewhere, *ALWAYS[1:]])
        yield "infill", Scene.sends_what_is_around_the_cursor, scene
    # Here an answer continues up to the cap.
    with Llama(arguments.server, model, MODEL, folder, "--ignore-eos") as server:
        scene = Scene(arguments.tandem, server, folder)
        for wire in ("chat", "responses", "infill"):
            yield wire, Scene.cancels, scene


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem", help="the binary")
    parser.add_argument("part", choices=["litellm", "llama"])
    parser.add_argument("server", nargs="?", help="for `llama`: llama.cpp's server")
    parser.add_argument("--only", default="", help="checks whose names have this in them")
    arguments = parser.parse_args()
    counts = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as folder:
        for wire, check, scene in globals()[arguments.part](arguments, pathlib.Path(folder)):
            name = f"{arguments.part} {wire}: {check.__name__.replace('_', ' ')}"
            if arguments.only not in name:
                continue
            try:
                check(scene, wire)
                outcome = "passed"
                print(f"ok      {name}", flush=True)
            except Exception as error:  # Whatever went wrong, the other checks still run.
                outcome = "failed"
                print(f"FAILED  {name}: {error or type(error).__name__}", flush=True)
                if not isinstance(error, AssertionError):
                    traceback.print_exc(file=sys.stdout)
            counts[outcome] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
