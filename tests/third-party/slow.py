#!/usr/bin/env python3
"""How many explicit requests a small model answers in time, and how many rewrites, on this machine.

    slow.py TANDEM LLAMA_SERVER MODEL.gguf [--wire chat|infill] [--requests N] [--rewrites N] [--threads N]

Serves the model with llama.cpp's server, opens a source file of this repository in `tandem lsp`, and requests ghost
text explicitly at the ends of lines all over it. Prints the duration and the result of each request; the last line has
the sums. It only measures: the results depend on the machine's load. A request that the model answered shows nothing
if its answer is refused, or only ends a block that is already ended. Then it has some functions rewritten, and prints
the result of each.
"""

import argparse
import json
import os
import pathlib
import re
import tempfile
import time

from editor import Editor, Refused
from relay import Relay
from servers import Llama

MODEL = "SmolLM2-135M-Instruct"
IN_TIME = 5.0
SOURCE = pathlib.Path(__file__).parents[2] / "src/session/ghost/trigger.rs"


def places(text, count):
    """Ends of lines that continue: after an opener, an assignment or an arrow."""
    lines = text.splitlines()
    found = [number for number, line in enumerate(lines) if number > 20 and re.search(r"[={(,]$", line)]
    step = max(1, len(found) // count)
    return [(number, len(lines[number])) for number in found[::step][:count]]


def window_lines(body):
    """The number of lines of the file that a request shows."""
    if "messages" in body:
        return body["messages"][-1]["content"].split("<|code|>")[-1].count("\n")
    return sum(body.get(part, "").count("\n") for part in ("prompt", "input_prefix", "input_suffix"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tandem")
    parser.add_argument("server")
    parser.add_argument("model")
    parser.add_argument("--wire", default="chat", choices=["chat", "infill"])
    parser.add_argument("--requests", type=int, default=22)
    parser.add_argument("--rewrites", type=int, default=6)
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    text = SOURCE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        options = ["--threads", arguments.threads, "--parallel", "1", "--ctx-size", "8192"]
        with Llama(arguments.server, arguments.model, MODEL, folder, *options) as server:
            relay = Relay(server.port)
            provider = {"base_url": f"http://127.0.0.1:{relay.port}/v1", "wire": "chat"}
            if arguments.wire == "infill":
                provider.update(wire="fim", fim_dialect="infill")
            editor = Editor(arguments.tandem, folder, provider, [MODEL], "none")
            editor.open("trigger.rs", text)
            # By then the server has been probed.
            time.sleep(2)
            measure(editor, relay, places(text, arguments.requests))
            rewrite(editor, text, arguments.rewrites)
            editor.close()
            relay.close()


def reason(editor):
    """The reason for the last request's empty result."""
    why = {"command": "tandem.why", "arguments": [{"textDocument": {"uri": editor.uri}}]}
    return editor.request("workspace/executeCommand", why)["text"].splitlines()[0]


def measure(editor, relay, asked):
    in_time = shown = 0
    for line, character in asked:
        params = {
            "textDocument": {"uri": editor.uri},
            "position": {"line": line, "character": character},
            "context": {"triggerKind": 1},
        }
        began = time.monotonic()
        items = editor.request("textDocument/inlineCompletion", params)
        took = time.monotonic() - began
        posts = [it for it in list(relay.exchanges) if it.method == "POST"]
        lines = window_lines(posts[-1].body) if posts else 0
        came = items[0]["insertText"] if items else None
        why = "" if items else f"  {reason(editor)}"
        # Only reasons about the answer's content count: a late or failed answer has another reason.
        was_answered = bool(items) or re.search("syntax error|reply is empty|cut off inside", why) is not None
        in_time += was_answered and took <= IN_TIME
        shown += bool(items)
        print(f"line {line:4}  {took:5.2f} s  {len(posts):3} requests  {lines:3} lines  {came!r:.70}{why}", flush=True)
        time.sleep(0.5)
    load = os.getloadavg()[0]
    print(f"{in_time} of {len(asked)} answered in {IN_TIME:.0f} s, {shown} shown; load {load:.1f}")


INSTRUCTIONS = ["add a doc comment", "rename the function to decided", "make it shorter"]


def functions(text, count):
    """The lines of functions of some length: the first one, and the one after the last."""
    lines = text.splitlines()
    begins = [number for number, line in enumerate(lines) if re.match(r"(pub(\(.*\))? )?fn ", line)]
    ends = [next(at + 1 for at in range(number, len(lines)) if lines[at] == "}") for number in begins]
    found = [(first, end) for first, end in zip(begins, ends) if 4 <= end - first <= 30]
    step = max(1, len(found) // max(1, count))
    return found[::step][:count]


def rewrite(editor, text, count):
    """Has functions rewritten, and prints how each rewrite ended."""
    made = ended = 0
    asked = functions(text, count)
    for at, (first, end) in enumerate(asked):
        instruction = INSTRUCTIONS[at % len(INSTRUCTIONS)]
        span = {"start": {"line": first, "character": 0}, "end": {"line": end, "character": 0}}
        document = {"uri": editor.uri}
        arguments = {"textDocument": document, "range": span, "instruction": instruction, "preview": True}
        began = time.monotonic()
        try:
            answer = editor.request("workspace/executeCommand", {"command": "tandem.rewrite", "arguments": [arguments]})
            edits = [edit for change in answer["edit"]["documentChanges"] for edit in change["edits"]]
            came = f"{len(edits)} edits: {edits[0]['newText']!r:.70}"
            made, ended = made + 1, ended + 1
        except Refused as error:
            came = str(error)
            ended += "did not answer" not in came
        took = time.monotonic() - began
        print(f"lines {first + 1}-{end}  {took:5.2f} s  {instruction}: {came}", flush=True)
    print(f"{ended} of {len(asked)} rewrites came to an end, {made} with a change; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
