#!/usr/bin/env python3
"""A language server that reports problems and formats: a stand-in for a compiler's server beside Tandem.

Each `totl` is an error of a kind that Tandem fixes with certainty. The text is checked at every change. The formatter
appends the name that a function returns as a comment, so that a file shows the text that was formatted.
"""

import json
import re
import sys

MESSAGE = "cannot find value `totl` in this scope; a local variable with a similar name exists: `total`"


def read():
    length = 0
    while line := sys.stdin.buffer.readline():
        if line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(length))
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            length = int(value)
    return None


def write(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def report(uri, text):
    texts[uri] = text
    found = []
    for number, line in enumerate(text.split("\n")):
        start = line.find("totl")
        if start >= 0:
            place = {"start": {"line": number, "character": start}, "end": {"line": number, "character": start + 4}}
            found.append({"range": place, "severity": 1, "source": "compiler", "message": MESSAGE})
    write({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found}})


def formatted(text):
    edits = []
    for number, line in enumerate(text.split("\n")):
        if name := re.fullmatch(r"    return (\w+)", line):
            end = {"line": number, "character": len(line)}
            edits.append({"range": {"start": end, "end": end}, "newText": f"  # {name[1]}"})
    return edits


texts = {}
while message := read():
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        write({"id": message["id"], "result": {"capabilities": {"textDocumentSync": 1, "documentFormattingProvider": True}}})
    elif method == "textDocument/didOpen":
        report(params["textDocument"]["uri"], params["textDocument"]["text"])
    elif method == "textDocument/didChange":
        report(params["textDocument"]["uri"], params["contentChanges"][-1]["text"])
    elif method == "textDocument/formatting":
        write({"id": message["id"], "result": formatted(texts[params["textDocument"]["uri"]])})
    elif method == "exit":
        break
    elif "id" in message and method:
        write({"id": message["id"], "result": None})
