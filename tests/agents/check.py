#!/usr/bin/env python3
"""`tandem acp` and `tandem mcp`, driven by the published SDKs of both protocols.

    check.py TANDEM [--only WORDS] [--suites FOLDER]

Both SDKs are clients that this project did not write. What Tandem sends is also put through their types, and a field that
they do not know is a failure. FOLDER is where what package.json names is installed; without it those suites are left out. The project and the models' replies are those of the Rust tests (eight_files.txt).

The last line is `N passed, N failed`; the exit status is 1 if any check failed.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

import acp
import mcp
import mcp.client.session
from suites import Suites
from acp import schema
from acp.stdio import spawn_agent_process
from mcp.client.stdio import StdioServerParameters

HERE = pathlib.Path(__file__).resolve().parent
EIGHT = HERE.parent / "it" / "plan" / "eight_files.txt"
TIMEOUT = 60.0
# Maximum size of a message in bytes: a diff of a whole file is one message.
LINE = 16 * 1024 * 1024


def expect(actual, wanted, what):
    assert actual == wanted, f"{what}: {actual!r} instead of {wanted!r}"


def sections():
    """The project's files, and the replies of both gears."""
    files, replies = {}, {"fast": [], "deep": []}
    for section in re.split(r"^(?=//[-=] )", EIGHT.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, body = section.split("\n", 1)
        if head.startswith("//- "):
            files[head.removeprefix("//- ")] = body
        else:
            gear, when = head.removeprefix("//= ").split(": ", 1)
            replies[gear].append({"when": when, "reply": body})
    return files, replies


FILES, REPLIES = sections()


def contents(root):
    return {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*")) if path.is_file()}


class Simulator:
    """A running `tandem simulate` that answers from a script."""

    def __init__(self, tandem, folder, name, entries):
        script = folder / f"{name}.jsonl"
        script.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
        self.process = subprocess.Popen(
            [tandem, "simulate", "--script", str(script)], stdout=subprocess.PIPE, text=True
        )
        self.url = self.process.stdout.readline().removeprefix("listening on ").strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()


class Scene:
    """A project in its own folder, and models that know the plan for it."""

    def __init__(self, tandem, folder, replies=REPLIES):
        self.tandem = tandem
        self.root = folder / "project"
        for path, text in FILES.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        self.simulators = {gear: Simulator(tandem, folder, gear, entries) for gear, entries in replies.items()}
        config = folder / "config.toml"
        config.write_text("".join(
            f'[providers.{gear}er]\nbase_url = "{it.url}"\n'
            f'[{gear}]\ncandidates = [{{ provider = "{gear}er", model = "{gear}-model" }}]\n'
            for gear, it in self.simulators.items()
        ))
        self.variables = {"TANDEM_CONFIG": str(config), "TANDEM_STATE": str(folder / "state")}

    def stop(self):
        for simulator in self.simulators.values():
            simulator.stop()

    def unchanged(self):
        expect(contents(self.root), FILES, "the project")


class Editor(acp.Client):
    """An editor's side of the Agent Client Protocol."""

    def __init__(self, answer=None, open_files=None):
        # The user's answer: `allow_once`, `reject_once`, or None to cancel.
        self.answer = answer
        self.open_files = open_files or {}
        self.said = ""
        self.calls = collections.OrderedDict()
        self.plan = []
        self.asked = []
        self.commands = []
        self.asked_before = []
        self.auth_methods = []
        self.on_call = lambda call: None

    def on_connect(self, conn):
        self.agent = conn

    async def request_permission(self, session_id, tool_call, options, **kwargs):
        self.asked.append(tool_call)
        if self.answer is None:
            await self.agent.cancel(session_id=session_id)
            return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))
        [option] = [option for option in options if option.kind == self.answer]
        outcome = schema.AllowedOutcome(outcome="selected", option_id=option.option_id)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id, update, **kwargs):
        match update:
            case schema.UserMessageChunk():
                self.asked_before.append(update.content.text)
            case schema.AgentMessageChunk():
                self.said += update.content.text
            case schema.AgentPlanUpdate():
                self.plan = update.entries
            case schema.ToolCallStart():
                self.calls[update.tool_call_id] = [update.kind, update.status]
                await asyncio.sleep(0)
                self.on_call(update)
            case schema.ToolCallProgress():
                if update.status:
                    self.calls[update.tool_call_id].append(update.status)
            case schema.AvailableCommandsUpdate():
                self.commands = [command.name for command in update.available_commands]

    async def read_text_file(self, path, session_id, limit=None, line=None, **kwargs):
        if path not in self.open_files:
            raise acp.RequestError.resource_not_found(path)
        return schema.ReadTextFileResponse(content=self.open_files[path])


JUDGED = {
    "session/update": schema.SessionNotification,
    "session/request_permission": schema.RequestPermissionRequest,
    "fs/read_text_file": schema.ReadTextFileRequest,
}


class Judge:
    """Validates the agent's messages with the SDK's types: no errors, and no unknown fields."""

    def __init__(self):
        self.wrong, self.judged = [], 0

    def __call__(self, event):
        message = event.message
        if event.direction != acp.connection.StreamDirection.INCOMING or "method" not in message:
            return
        self.judged += 1
        try:
            read = JUDGED[message["method"]].model_validate(message["params"])
            known = read.model_dump(by_alias=True, exclude_unset=True, mode="json")
            assert known == message["params"], f"{message['params']} is read as {known}"
        except Exception as error:
            self.wrong.append(f"{message['method']}: {error}")


@contextlib.asynccontextmanager
async def session(scene, editor, *arguments, reads_files=False, terminal=False):
    """A session in the scene's project."""
    judge = Judge()
    agent = spawn_agent_process(
        editor, scene.tandem, "acp", *arguments, env=scene.variables, observers=[judge],
        transport_kwargs={"limit": LINE, "stderr": None},
    )
    async with agent as (connection, process):
        able = schema.ClientCapabilities(
            fs=schema.FileSystemCapabilities(read_text_file=reads_files, write_text_file=False),
            auth=schema.AuthCapabilities(terminal=terminal),
        )
        greeting = await connection.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=able)
        expect(greeting.protocol_version, 1, "version")
        expect(greeting.agent_info.name, "tandem", "name")
        editor.auth_methods = greeting.auth_methods
        opened = await connection.new_session(cwd=str(scene.root), mcp_servers=[])
        yield connection, opened.session_id
    expect(process.returncode, 0, "exit status")
    assert judge.judged and not judge.wrong, "\n".join(judge.wrong)


async def prompt(connection, id, text):
    ended = await asyncio.wait_for(connection.prompt(session_id=id, prompt=[acp.text_block(text)]), TIMEOUT)
    return ended.stop_reason


async def acp_writes_what_is_allowed(scene):
    editor = Editor("allow_once")
    async with session(scene, editor) as (connection, id):
        expect(await prompt(connection, id, "prices with tax"), "end_turn", "stop reason")
        expect(editor.commands, ["ask", "plan", "edit"], "commands")
    expect([entry.status for entry in editor.plan], ["completed"] * 8, "the plan")
    expect(len(editor.asked), 1, "questions")
    shown = {pathlib.Path(diff.path).relative_to(scene.root): diff for diff in editor.asked[0].content}
    expect(len(shown), 9, "paths in the preview")
    expect({call[-1] for call in editor.calls.values()}, {"completed"}, "calls")
    kinds = collections.Counter(call[0] for call in editor.calls.values())
    expect(dict(kinds), {"edit": 7, "move": 1, "delete": 1}, "kinds")
    now = contents(scene.root)
    expect(set(now), set(FILES) - {"shop/util.py", "shop/old_discount.py"} | {"shop/money.py", "shop/tax.py"}, "files")
    for path, diff in shown.items():
        expect(now.get(str(path), ""), diff.new_text, f"what was shown of {path}")
        expect(FILES.get(str(path)), diff.old_text, f"what {path} was")
    assert "8 files written." in editor.said, editor.said


async def acp_writes_nothing_that_is_refused(scene):
    editor = Editor("reject_once")
    async with session(scene, editor) as (connection, id):
        expect(await prompt(connection, id, "prices with tax"), "end_turn", "stop reason")
        scene.unchanged()
        expect({call[-1] for call in editor.calls.values()}, {"failed"}, "calls")
        # The session continues.
        editor.answer = "allow_once"
        expect(await prompt(connection, id, "1. delete `README.md`"), "end_turn", "stop reason")
    expect(contents(scene.root), {path: text for path, text in FILES.items() if path != "README.md"}, "the project")


async def acp_writes_nothing_if_the_question_is_cancelled(scene):
    editor = Editor()
    async with session(scene, editor) as (connection, id):
        expect(await prompt(connection, id, "prices with tax"), "cancelled", "stop reason")
    expect(len(editor.asked), 1, "questions")
    scene.unchanged()


async def acp_is_cancelled_while_a_step_is_made(scene):
    editor = Editor("allow_once")
    async with session(scene, editor) as (connection, id):
        cancels = []
        editor.on_call = lambda call: cancels.append(asyncio.ensure_future(connection.cancel(session_id=id)))
        expect(await prompt(connection, id, "prices with tax"), "cancelled", "stop reason")
        assert cancels, "no step was begun"
        await asyncio.gather(*cancels)
    expect(editor.asked, [], "questions")
    expect({call[-1] for call in editor.calls.values()}, {"failed"}, "calls")
    scene.unchanged()


async def acp_keeps_what_is_not_saved(scene):
    editor = Editor("allow_once", {str(scene.root / "shop/cart.py"): FILES["shop/cart.py"] + "# mine\n"})
    async with session(scene, editor, reads_files=True) as (connection, id):
        # A turn that fails ends with an error, which the editor shows.
        try:
            ended = await prompt(connection, id, "prices with tax")
        except acp.RequestError as error:
            expect(str(error), "Unsaved changes in shop/cart.py; save them first.", "error")
        else:
            raise AssertionError(f"it ended with {ended}")
    scene.unchanged()


async def acp_answers_questions_and_faults(scene):
    editor = Editor("allow_once")
    async with session(scene, editor) as (connection, id):
        expect(await prompt(connection, id, "where is price_of?"), "end_turn", "stop reason")
        assert "By fast-model" in editor.said, editor.said
        expect(editor.asked, [], "questions")
        for fault, call in [
            ("absolute path", connection.new_session(cwd="here", mcp_servers=[])),
            ("there is no session", connection.prompt(session_id="none", prompt=[acp.text_block("x")])),
            ("there is no such session", connection.load_session(cwd=str(scene.root), session_id="none", mcp_servers=[])),
            ("there is no method `none` to authenticate", connection.authenticate(method_id="none")),
        ]:
            try:
                await asyncio.wait_for(call, TIMEOUT)
                raise AssertionError(f"{fault} was not said")
            except acp.RequestError as error:
                assert fault in str(error), error
        await connection.close_session(session_id=id)
    scene.unchanged()


async def acp_keeps_sessions(scene):
    for visit in range(2):
        editor = Editor("allow_once")
        async with session(scene, editor) as (connection, id):
            listed = (await connection.list_sessions(cwd=str(scene.root))).sessions
            expect([it.title for it in listed], ["where is price_of?"][:visit], "titles")
            if not listed:
                expect(await prompt(connection, id, "where is price_of?"), "end_turn", "stop reason")
                [kept] = (await connection.list_sessions()).sessions
                expect(kept.session_id, id, "the session")
                continue
            [kept] = listed
            await connection.load_session(cwd=kept.cwd, session_id=kept.session_id, mcp_servers=[])
            expect(editor.asked_before, ["where is price_of?"], "prompts")
            assert "By fast-model" in editor.said, editor.said
            expect(await prompt(connection, kept.session_id, "1. delete `README.md`"), "end_turn", "stop reason")


async def acp_offers_the_way_to_a_model(scene):
    pathlib.Path(scene.variables["TANDEM_CONFIG"]).write_text("")
    for terminal, kind in ((True, "terminal"), (False, None)):
        editor = Editor("allow_once")
        async with session(scene, editor, terminal=terminal) as (connection, id):
            [method] = editor.auth_methods
            expect(getattr(method, "type", None), kind, "the way")
            for call in (connection.authenticate(method_id=method.id), prompt(connection, id, "prices with tax")):
                try:
                    await asyncio.wait_for(call, TIMEOUT)
                    raise AssertionError("no model is there")
                except acp.RequestError as error:
                    expect(error.code, -32000, "code")
    scene.unchanged()


@contextlib.asynccontextmanager
async def tools(scene, *arguments, mode="auto"):
    """The tools of `tandem mcp` in the scene's project."""
    server = StdioServerParameters(
        command=scene.tandem, args=["mcp", "--root", str(scene.root), *arguments], env=scene.variables
    )
    async with mcp.Client(server, read_timeout_seconds=TIMEOUT, mode=mode) as client:
        yield client


async def call(client, tool, **arguments):
    """Whether a tool failed, and its text."""
    result = await client.call_tool(tool, arguments)
    return result.is_error, result.content[0].text


PRICE = FILES["shop/price.py"]
NEW = PRICE.replace("return PRICES[item]", "return PRICES[item] + 1")
PATCH = (
    "*** Begin Patch\n*** Update File: shop/price.py\n@@\n-    return PRICES[item]\n+    return PRICES[item] + 1\n"
    "*** End Patch\n"
)
FORMATS = {
    "apply_patch": PATCH,
    "unified diff": "--- a/shop/price.py\n+++ b/shop/price.py\n@@ -4,2 +4,2 @@\n def price_of(item):\n"
    "-    return PRICES[item]\n+    return PRICES[item] + 1\n",
    "search/replace": "shop/price.py\n<<<<<<< SEARCH\n    return PRICES[item]\n=======\n    return PRICES[item] + 1\n"
    ">>>>>>> REPLACE\n",
    "whole file": f"shop/price.py\n```python\n{NEW}```\n",
    "JSON": json.dumps({"edits": [{
        "path": "shop/price.py", "old_text": "    return PRICES[item]\n", "new_text": "    return PRICES[item] + 1\n",
    }]}),
}


HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


async def mcp_speaks_every_revision(scene):
    newest = mcp.client.session.LATEST_HANDSHAKE_VERSION
    expect(newest, HANDSHAKES[-1], "the newest revision with a handshake")
    for revision, mode in [*((it, "legacy") for it in HANDSHAKES), ("2026-07-28", "2026-07-28"), ("2026-07-28", "auto")]:
        # The revision that the SDK requests in its handshake.
        mcp.client.session.LATEST_HANDSHAKE_VERSION = revision if mode == "legacy" else newest
        try:
            async with tools(scene, mode=mode) as client:
                expect(client.session.protocol_version, revision, f"revision in mode {mode}")
                listed = {tool.name: tool for tool in (await client.list_tools()).tools}
                expect(set(listed), {"apply_edit", "check", "context"}, "tools")
                assert all(tool.title for tool in listed.values()), listed
                assert listed["apply_edit"].annotations.read_only_hint
                failed, said = await call(client, "apply_edit", edit=PATCH)
                assert not failed and "+    return PRICES[item] + 1\n" in said, said
                failed, said = await call(client, "apply_edit", edit=PATCH, write=True)
                expect((failed, said), (True, "nothing is written: the server was started without --write"), "an edit")
        finally:
            mcp.client.session.LATEST_HANDSHAKE_VERSION = newest
        scene.unchanged()


async def mcp_says_wrong_arguments_by_name(scene):
    async with tools(scene) as client:
        for arguments, wrong in [
            ({}, "`edit` is missing"),
            ({"edit": PATCH, "write": "yes"}, "`write` is of type boolean, not string"),
            ({"edit": PATCH, "wirte": True}, "there is no argument `wirte`; there are: `edit`, `write`"),
        ]:
            expect(await call(client, "apply_edit", **arguments), (True, wrong), "a call")


async def mcp_passes_the_conformance_suite(scene):
    passed = scene.suites.conformance([scene.tandem, "mcp", "--root", str(scene.root)])
    print("        " + ", ".join(f"{count} checks of {revision}" for revision, count in passed.items()))
    scene.unchanged()


async def mcp_is_understood_by_the_inspector(scene):
    command = [scene.tandem, "mcp", "--root", str(scene.root)]
    for era in ("legacy", "auto", "modern"):
        listed = scene.suites.inspect(command, era, "--method", "tools/list", "--strict")
        expect([tool["name"] for tool in listed["tools"]], ["apply_edit", "check", "context"], f"tools, {era}")
        called = ["--method", "tools/call", "--tool-name", "context", "--tool-arg", "words=price"]
        said = scene.suites.inspect(command, era, *called)
        assert "    def price_of(item):\n" in said["content"][0]["text"], said


async def mcp_applies_every_format(scene):
    async with tools(scene, "--write") as client:
        assert (await client.list_tools()).tools[0].annotations.destructive_hint
        for name, edit in FORMATS.items():
            (scene.root / "shop/price.py").write_text(PRICE)
            failed, said = await call(client, "apply_edit", edit=edit, write=True)
            assert not failed, f"{name}: {said}"
            expect(contents(scene.root), FILES | {"shop/price.py": NEW}, name)


async def mcp_refuses_all_of_a_bad_edit(scene):
    both = PATCH.replace("*** End Patch", "*** Update File: README.md\n@@\n-no such line\n+x\n*** End Patch")
    async with tools(scene, "--write") as client:
        for edit, code in [
            (PATCH.replace("shop/price.py", "../price.py"), "outside-root"),
            (PATCH.replace("shop/price.py", "/etc/passwd"), "outside-root"),
            (PATCH.replace("shop/price.py", ".git/config"), "protected"),
            (PATCH.replace("shop/price.py", "shop/cart.py"), "not-found"),
            (both, "not-found"),
            (PATCH.replace("+ 1\n", "+ (1\n"), "syntax"),
            ("Shall I change the prices?", "prose"),
        ]:
            failed, said = await call(client, "apply_edit", edit=edit, write=True)
            assert failed and said.startswith("refused (") and code in said.split(")")[0], f"{code}: {said}"
            scene.unchanged()
        try:
            await call(client, "remove")
            raise AssertionError("there is no tool `remove`")
        except mcp.MCPError as error:
            assert "there is no tool `remove`" in str(error), error


async def mcp_checks_edits_and_shows_the_project(scene):
    async with tools(scene) as client:
        edit = PATCH.replace("@@", "@@\n-def price_of(item):\n+def price_of(item, day):", 1)
        failed, said = await call(client, "check", edit=edit)
        assert not failed and said.startswith("shop/cart.py:6: it still uses `price_of` in the old way"), said
        failed, said = await call(client, "context", words="price")
        assert not failed and "    def price_of(item):\n" in said, said
    scene.unchanged()


SLOW = {**REPLIES, "fast": [{"when": "The file: shop/price.py", "ttft_ms": 600_000}, *REPLIES["fast"]]}
CHECKS = [
    (acp_writes_what_is_allowed, REPLIES),
    (acp_writes_nothing_that_is_refused, REPLIES),
    (acp_writes_nothing_if_the_question_is_cancelled, REPLIES),
    (acp_is_cancelled_while_a_step_is_made, SLOW),
    (acp_keeps_what_is_not_saved, REPLIES),
    (acp_answers_questions_and_faults, REPLIES),
    (acp_keeps_sessions, REPLIES),
    (acp_offers_the_way_to_a_model, {}),
    (mcp_speaks_every_revision, {}),
    (mcp_says_wrong_arguments_by_name, {}),
    (mcp_passes_the_conformance_suite, {}),
    (mcp_is_understood_by_the_inspector, {}),
    (mcp_applies_every_format, {}),
    (mcp_refuses_all_of_a_bad_edit, {}),
    (mcp_checks_edits_and_shows_the_project, {}),
]

NEED_SUITES = [mcp_passes_the_conformance_suite, mcp_is_understood_by_the_inspector]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem", help="the binary")
    parser.add_argument("--only", default="", help="checks whose names have this in them")
    parser.add_argument("--suites", help="where what package.json names is installed")
    arguments = parser.parse_args()
    suites = Suites(arguments.suites) if arguments.suites else None
    tandem = os.path.abspath(arguments.tandem)
    passed = failed = 0
    for check, replies in CHECKS:
        name = check.__name__.replace("_", " ")
        if arguments.only not in name or check in NEED_SUITES and not suites:
            continue
        with tempfile.TemporaryDirectory() as folder:
            scene = Scene(tandem, pathlib.Path(folder).resolve(), replies)
            scene.suites = suites
            try:
                asyncio.run(check(scene))
                passed += 1
                print(f"ok      {name}", flush=True)
            except Exception as error:  # Whatever went wrong, the other checks still run.
                failed += 1
                print(f"FAILED  {name}: {error or type(error).__name__}", flush=True)
                if not isinstance(error, AssertionError):
                    traceback.print_exc(file=sys.stdout)
            finally:
                scene.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
