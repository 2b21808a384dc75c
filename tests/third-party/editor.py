"""An editor that speaks LSP to `tandem lsp`, with only the functions that the checks need."""

import itertools
import json
import os
import queue
import subprocess
import threading
import time

# Longer than any step takes, even on a busy machine: only a failure takes this long.
TIMEOUT = 120.0


class Refused(Exception):
    """The server answered a request with an error."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class Editor:
    """One `tandem lsp` with one model behind it, and one file open."""

    def __init__(self, tandem, folder, provider=None, models=(), key="", config=None):
        self.folder = folder
        if config is None:
            candidates = ", ".join(f'{{ provider = "other", model = "{model}" }}' for model in models)
            lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in provider.items())
            config = f'eagerness = "high"\n[providers.other]\n{lines}[fast]\ncandidates = [{candidates}]\n'
        text, config = config, folder / "config.toml"
        config.write_text(text, encoding="utf-8")
        state = str(folder / "state")
        self.variables = {**os.environ, "TANDEM_STATE": state, "OTHER_KEY": key, "NO_PROXY": "*"}
        self.log = open(folder / "tandem.log", "wb")
        self.process = subprocess.Popen(
            [tandem, "lsp", "--config", str(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=self.variables,
        )
        self.messages = queue.Queue()
        self.held = []
        self.numbers = itertools.count(1)
        threading.Thread(target=self._read, daemon=True).start()
        root = folder.as_uri()
        capabilities = {
            "general": {"positionEncodings": ["utf-16"]},
            "workspace": {"workspaceEdit": {"documentChanges": True}, "applyEdit": True},
            "textDocument": {"inlineCompletion": {}},
        }
        folders = [{"uri": root, "name": "work"}]
        self.request(
            "initialize",
            {"processId": None, "rootUri": root, "workspaceFolders": folders, "capabilities": capabilities},
        )
        self.notify("initialized", {})

    def open(self, name, text, language="rust"):
        """Opens a file and types its first letter: an unchanged file gets no suggestions."""
        self.uri = (self.folder / name).as_uri()
        document = {"uri": self.uri, "languageId": language, "version": 0, "text": text[1:]}
        self.notify("textDocument/didOpen", {"textDocument": document})
        self.version = 0
        self.type(0, 0, text[0])

    def type(self, line, character, text):
        """Types into the file."""
        self.version += 1
        at = {"line": line, "character": character}
        change = {"range": {"start": at, "end": at}, "text": text}
        document = {"uri": self.uri, "version": self.version}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def complete(self, line, character):
        """Requests ghost text as editors do during typing; returns the request's number."""
        return self.ask(
            "textDocument/inlineCompletion",
            {
                "textDocument": {"uri": self.uri},
                "position": {"line": line, "character": character},
                "context": {"triggerKind": 2},
            },
        )

    def cancel(self, number):
        self.notify("$/cancelRequest", {"id": number})

    def status(self):
        return self.request("tandem/status", {})

    def until(self, what, holds):
        """Returns the first status that satisfies the condition."""
        give_up = time.monotonic() + TIMEOUT
        while time.monotonic() < give_up:
            status = self.status()
            if holds(status):
                return status
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come about: {json.dumps(status, indent=1)}")

    def request(self, method, params):
        return self.answer(self.ask(method, params))

    def ask(self, method, params):
        number = next(self.numbers)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method, params):
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, number):
        """Returns the result of a request."""
        message = self._wait(lambda it: it.get("id") == number and "method" not in it, f"answer {number}")
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def said(self):
        """The messages to the user so far."""
        while not self.messages.empty():
            self.held.append(self.messages.get())
        shown = [it for it in self.held if it and it.get("method") == "window/showMessage"]
        return [it["params"]["message"] for it in shown]

    def close(self):
        try:
            self.request("shutdown", None)
            self.notify("exit", None)
            self.process.wait(TIMEOUT)
        finally:
            self.process.kill()
            self.process.wait()
            self.log.close()

    def _wait(self, wanted, what):
        for at, message in enumerate(self.held):
            if message and wanted(message):
                return self.held.pop(at)
        while True:
            try:
                message = self.messages.get(timeout=TIMEOUT)
            except queue.Empty:
                raise AssertionError(f"no {what} within {TIMEOUT:.0f} s") from None
            if message is None:
                raise AssertionError(f"tandem is gone; no {what}")
            if wanted(message):
                return message
            self.held.append(message)

    def _send(self, message):
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _read(self):
        stdout = self.process.stdout
        while True:
            length = 0
            while (line := stdout.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                self.messages.put(None)
                return
            message = json.loads(stdout.read(length))
            if "method" in message and "id" in message:
                self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            self.messages.put(message)
