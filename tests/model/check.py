#!/usr/bin/env python3
"""A real model end to end.

    check.py TANDEM

SmolLM2-135M suggests ghost text at 100 places of Python's standard library; the rest of each line is then typed as it
is there. Thirty rewrites, fixes and next edits each are requested afterwards: so small a model makes few of them, and is
not asked for next edits where it is slow. All of it is recorded. The recording must replay equal; the model must not
differ from itself at another temperature, and must be better than a crippled copy. The last line is `N passed, N failed`; the exit status is 1 if a check failed.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "third-party"))

from editor import Editor, Refused
from server import Server

FILES, PLACES, OTHERS = 50, 2, 30
# Lines of a file before and after a place: few, for a model that reads slowly.
BEFORE, AFTER = 12, 4
# A line of code with something to predict: a statement, and not a comment or a string.
LINE = re.compile(r"^ {4,12}(?:return |if |for |self\.|[a-z_]+ = |[a-z_.]+\().{16,60}$")
CONFIG = """\
record = true
eagerness = "high"
background_fixes = false
[providers.smol]
base_url = "{url}"
wire = "fim"
fim_dialect = "continuation"
[providers.talk]
base_url = "{url}"
wire = "chat"
[fast]
candidates = [
  {{ provider = "smol", model = "smollm2" }},
  {{ provider = "talk", model = "smollm2-chat" }},
  {{ provider = "smol", model = "smollm2-warm" }},
  {{ provider = "smol", model = "smollm2-crippled" }},
]
"""


def sources():
    """Files of the standard library, each with the numbers of some lines."""
    found = []
    for path in sorted(pathlib.Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        code = [at for at, line in enumerate(lines) if LINE.match(line) and line.isascii() and at > BEFORE and lines[at - BEFORE]]
        if len(code) >= PLACES and len(text) < 60_000:
            found.append((path.name, lines, [code[(part + 1) * len(code) // (PLACES + 1)] for part in range(PLACES)]))
    return found[:: max(1, len(found) // FILES)][:FILES]


def ghost_text(editor):
    """Requests ghost text a third into each line, and types the rest of the line. Returns how many were shown."""
    shown = 0
    for name, lines, places in sources():
        for at in places:
            line = lines[at]
            first = len(line) - len(line.lstrip())
            column = next(it.end() for it in re.finditer(r"\W+", line) if it.end() > first + (len(line) - first) // 3)
            before, after = lines[at - BEFORE : at], lines[at + 1 : at + 1 + AFTER]
            editor.open(name, "\n".join([*before, line[:column], *after]), "python")
            params = {
                "textDocument": {"uri": editor.uri},
                "position": {"line": BEFORE, "character": column},
                "context": {"triggerKind": 1},
            }
            shown += bool(editor.request("textDocument/inlineCompletion", params))
            editor.type(BEFORE, column, line[column:])
            # A file that is closed at once may be gone before its last change is recorded.
            editor.status()
            editor.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
    return shown


def whole(line):
    return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 60}}


def others(editor):
    """Requests rewrites, fixes and next edits. Returns how many of each had a result."""
    results = collections.Counter(rewrite=0, fix=0, next_edit=0)

    def command(name, argument):
        try:
            editor.request("workspace/executeCommand", {"command": name, "arguments": [argument]})
            return True
        except Refused:
            return False

    for at in range(OTHERS):
        editor.open(f"small_{at}.py", f"def add_{at}(a, b):\n    return a + b\n\nprint(ad_{at}(1, {at}))\n", "python")
        document = {"uri": editor.uri, "version": editor.version}
        rewrite = {"textDocument": document, "range": whole(1), "instruction": f"return a + b + {at}"}
        results["rewrite"] += command("tandem.rewrite", rewrite)
        diagnostic = {"range": whole(3), "severity": 1, "message": f"name 'ad_{at}' is not defined", "source": "python"}
        results["fix"] += command("tandem.fix", {"textDocument": document, "diagnostic": diagnostic})
        editor.type(0, len(f"def add_{at}(a, b"), ", c")
        params = {
            "textDocument": {"uri": editor.uri},
            "position": {"line": 0, "character": 20},
            "context": {"triggerKind": 1},
        }
        results["next_edit"] += bool(editor.request("tandem/nextEdit", params)["edits"])
        editor.notify("textDocument/didClose", {"textDocument": {"uri": editor.uri}})
    return results


class Checks:
    def __init__(self, tandem, folder, server):
        self.tandem, self.folder, self.server = tandem, folder, server
        self.passed = self.failed = 0
        self.variables = None
        self.started = time.monotonic()

    def expect(self, holds, what):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{time.monotonic() - self.started:6.0f} s  {'ok  ' if holds else 'FAIL'}  {what}", flush=True)

    def record(self):
        editor = Editor(self.tandem, self.folder, config=CONFIG.format(url=self.server.url))
        self.variables = {**editor.variables, "TANDEM_CONFIG": str(self.folder / "config.toml")}
        try:
            editor.until("the model", lambda it: it["gears"]["fast"]["state"] == "ready")
            shown = ghost_text(editor)
            self.expect(shown >= FILES * PLACES // 4, f"{shown} of {FILES * PLACES} ghost texts shown")
            results = others(editor)
            print(f"          of {OTHERS} each: {dict(results)}")
        finally:
            editor.close()

    def recorded(self):
        """The codes with which the recorded requests of each job ended, and the searches for next edits."""
        jobs, codes, searches = {}, collections.defaultdict(collections.Counter), collections.Counter()
        for path in sorted((self.folder / "state" / "recording").glob("*.jsonl")):
            for line in path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                if entry["kind"] == "requested":
                    jobs[entry["request"]] = entry["job"]
                elif entry["kind"] == "ended":
                    codes[jobs.pop(entry["request"])][entry["code"]] += 1
                elif entry["kind"] == "decided" and entry["job"] == "next edit":
                    searches[entry["code"]] += 1
        for job in jobs.values():
            codes[job]["aborted"] += 1
        return {job: dict(count) for job, count in codes.items()}, dict(searches)

    def compare(self, *arguments):
        done = subprocess.run(
            [self.tandem, "compare", *arguments, f"--recording={self.folder / 'state' / 'recording'}", "--json"],
            capture_output=True,
            env=self.variables,
            cwd=self.folder,
            timeout=900,
        )
        if not done.stdout:
            raise AssertionError(done.stderr.decode())
        return done.returncode, json.loads(done.stdout)

    def run(self):
        self.record()
        codes, searches = self.recorded()
        print(f"          recorded: {codes}; searches for next edits: {searches}")
        count = {job: sum(codes.get(job, {}).values()) for job in ("completion", "rewrite", "fix")}
        self.expect(count["completion"] >= FILES * PLACES, "every ghost text is in the recording")
        others = (count["rewrite"], count["fix"], sum(searches.values()))
        self.expect(min(others) >= OTHERS, f"so are rewrites, fixes and searches for next edits: {others}")
        asked = dict(self.server.asked)
        code, replayed = self.compare()
        replay = replayed["replay"]
        self.expect(
            (code, replay["different"]) == (0, 0) and replay["completions"] >= FILES * PLACES * 0.8,
            f"{replay['completions']} replayed, {replay['different']} of them differently; left out: {replay['leftOut']}",
        )
        for difference in replay["differences"][:3]:
            print(json.dumps(difference, indent=1))
        self.expect(self.server.asked == asked, "no model was asked for it")
        for other, wanted in (("smollm2-warm", 0), ("smollm2-crippled", 4)):
            code, found = self.compare("smollm2", other, "--yes", "--minutes", "6")
            self.expect(code == wanted, f"{other}: {found['sentence']}")
            print(f"          stopped: {found['stopped']}")
        self.expect(self.server.asked["smollm2"] == asked["smollm2"], "the recorded model was not asked again")
        print(f"{self.passed} passed, {self.failed} failed")
        return self.failed == 0


def main():
    server = Server()
    with tempfile.TemporaryDirectory() as folder:
        passed = Checks(sys.argv[1], pathlib.Path(folder), server).run()
    server.close()
    sys.exit(not passed)


if __name__ == "__main__":
    main()
