"""A person at an editor: types over a real file, pauses, and asks for ghost text."""

import asyncio
import collections
import dataclasses
import json
import os
import random
import re
import time

# How long an answer may take until it counts as lost; Tandem gives up after five seconds.
LOST = 10.0
MARK = re.compile(r"client-\d{3}")


@dataclasses.dataclass
class Asked:
    """One invoked request for ghost text, and what came of it."""

    phase: str
    client: str
    # When it was made.
    at: float
    took: float = 0.0
    # Who answered: s1, s2 or s3; empty if no model did.
    by: str = ""
    # Why no model did: a stable code, and a sentence. No code means that the request is lost.
    code: str = ""
    why: str = ""


class Person:
    """One `tandem lsp` with its own folder, settings and user."""

    def __init__(self, tandem, folder, number, provider, sample):
        self.tandem, self.name, self.number = tandem, f"client-{number:03}", number
        self.folder = folder / self.name
        self.folder.mkdir()
        self.dice = random.Random(number)
        (self.folder / "config.toml").write_text(provider, encoding="utf-8")
        self.lines = sample.read_text(encoding="utf-8").splitlines()
        self.asked, self.wrong, self.leaks, self.automatic = [], [], [], collections.Counter()
        # The phase in which the request was made that is now waited for.
        self.now_asks = ""
        self.said = []
        self.waiting, self.glances, self.next_id, self.secret = {}, set(), 0, None

    async def start(self, **variables):
        self.is_over = False
        state = {"TANDEM_STATE": str(self.folder / "state"), "XDG_CACHE_HOME": str(self.folder / "cache")}
        environment = {**os.environ, **state, "USER": self.name, "NO_PROXY": "*", "IDENTITY": self.name, **variables}
        with open(self.folder / "tandem.log", "wb") as log:
            self.process = await asyncio.create_subprocess_exec(
                self.tandem,
                "lsp",
                "--config",
                str(self.folder / "config.toml"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=environment,
            )
        self.reader = asyncio.create_task(self._read())
        folders = [{"uri": self.folder.as_uri(), "name": "work"}]
        capabilities = {
            "textDocument": {"inlineCompletion": {}},
            "experimental": {"tandem": {"candidates": 1, "partialAccept": True}},
        }
        await self._request(
            "initialize", {"processId": None, "workspaceFolders": folders, "capabilities": capabilities}
        )
        self._notify("initialized", {})
        self.uri, self.version = (self.folder / "main.rs").as_uri(), 0
        # What is typed comes at the end, where any statement is valid. The name there is in each prompt.
        text = "".join(f"{line}\n" for line in [*self.lines, f"// Of {self.name}.", "fn scratch() {"]) + "}\n"
        self.row = self.end = len(self.lines) + 2
        document = {"uri": self.uri, "languageId": "rust", "version": 0, "text": text}
        self._notify("textDocument/didOpen", {"textDocument": document})

    async def live(self, town):
        """Types a line, pauses and asks, again and again."""
        await asyncio.sleep(self.dice.uniform(0, 5))
        while not town.over.is_set():
            await self.turn(town)
            await asyncio.sleep(self.dice.uniform(2, 6))

    async def turn(self, town):
        """Begins a statement, asks how it goes on, and ends it."""
        row, column = self.row, 0
        for letter in f"    let v{self.dice.randrange(1000)} = ":
            self._change(row, column, row, column, letter)
            column += 1
            if letter != " " or column > 4:
                self.glances.add(asyncio.create_task(self._glance(row, column)))
                await asyncio.sleep(self.dice.uniform(0.1, 0.25))
        await asyncio.sleep(self.dice.uniform(0.2, 0.6))
        await self.ask(row, column, town.label)
        # An answer in the text would be repeated by the local engine, so something else is typed instead.
        self._change(row, column, row, column, f"{column};\n")
        self.row += 1
        if self.row == self.end + 8:
            self._change(self.end, 0, self.row, 0, "")
            self.row = self.end

    async def ask(self, row, column, phase):
        """Asks explicitly; the reason why there is no answer is asked for, too."""
        began, self.now_asks = time.monotonic(), phase
        asked = Asked(phase, self.name, began)
        try:
            items = await asyncio.wait_for(self._complete(row, column, 1), LOST)
            asked.took = time.monotonic() - began
            asked.by = next((found[1] for it in items if (found := re.search(r"by (s\d)", it["insertText"]))), "")
            if not asked.by:
                why = await asyncio.wait_for(self._request("workspace/executeCommand", {"command": "tandem.why"}), LOST)
                decision = next(it for it in why["decisions"] if it["trigger"] == "invoked")
                asked.code, asked.why = decision["beside"] or decision["code"] or "local", decision["why"]
        except (TimeoutError, ConnectionError) as error:
            asked.took, asked.why = time.monotonic() - began, repr(error)
        self.asked.append(asked)
        self.now_asks = ""

    async def status(self):
        return await asyncio.wait_for(self._request("tandem/status", {}), LOST)

    async def stop(self):
        try:
            await asyncio.wait_for(self._request("shutdown", None), LOST)
            self._notify("exit", None)
            await asyncio.wait_for(self.process.wait(), LOST)
        except (TimeoutError, ConnectionError):
            self.process.kill()
            await self.process.wait()
        self.reader.cancel()

    async def _glance(self, row, column):
        """An automatic request, as editors send them after each key."""
        try:
            items = await self._complete(row, column, 2)
            self.automatic["shown" if items else "nothing"] += 1
        except ConnectionError:
            self.automatic["lost"] += 1

    async def _complete(self, row, column, trigger):
        position = {"line": row, "character": column}
        params = {"textDocument": {"uri": self.uri}, "position": position, "context": {"triggerKind": trigger}}
        items = await self._request("textDocument/inlineCompletion", params)
        self.wrong += [it for it in items if set(MARK.findall(it["insertText"])) - {self.name}]
        return items

    def _change(self, row, column, end_row, end_column, text):
        self.version += 1
        span = {"start": {"line": row, "character": column}, "end": {"line": end_row, "character": end_column}}
        document = {"uri": self.uri, "version": self.version}
        change = {"textDocument": document, "contentChanges": [{"range": span, "text": text}]}
        self._notify("textDocument/didChange", change)

    def _notify(self, method, params):
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def _request(self, method, params):
        self.next_id += 1
        answer = self.waiting[self.next_id] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params})
        message = await answer
        if "error" in message:
            raise ConnectionError(f"{method}: {message['error']}")
        return message["result"]

    def _send(self, message):
        if self.is_over:
            raise ConnectionError("tandem has ended")
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self):
        stdout = self.process.stdout
        try:
            while True:
                head = await stdout.readuntil(b"\r\n\r\n")
                body = await stdout.readexactly(int(head.split(b":")[1].split()[0]))
                if self.secret and self.secret in body:
                    self.leaks.append(body)
                message = json.loads(body)
                if "method" not in message:
                    self.waiting.pop(message["id"]).set_result(message)
                elif "id" in message:
                    self._send({"jsonrpc": "2.0", "id": message["id"], "result": None})
                elif message["method"] == "window/showMessage":
                    self.said.append(message["params"]["message"])
        except (asyncio.IncompleteReadError, ConnectionError):
            self.is_over = True
            for answer in self.waiting.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("tandem has ended"))
