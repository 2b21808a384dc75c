#!/usr/bin/env python3
"""Tandem behind gateways: 300 people type through Envoy while its servers fail; then LiteLLM, vLLM's router, and leases.

    check.py TANDEM LITELLM [OPTION...]

TANDEM is the binary, LITELLM the program of that name. A request is lost if it gets neither an answer nor a reason.
The last line is `N passed, N failed`; the exit status is 1 if any check failed.
"""

import argparse
import asyncio
import collections
import http.client
import pathlib
import signal
import sys
import tempfile
import time
import urllib.error

from gateway import KEY, MODEL, Envoy, Issuer, Process, Simulator, free_port, get, serves
from leases import leases
from person import Person
from small import litellm, vllm_router

HERE = pathlib.Path(__file__).parent
SAMPLES = [HERE.parents[1] / "src" / name for name in ("lsp_client.rs", "budget.rs", "background.rs")]
WIRES = ["responses-websocket", "responses-websocket", "chat", "responses-sse"]
COLUMNS = "{:<10} {:>6} {:>8} {:>7} {:>5} {:>5} {:>6} {:>6} {:>6} {:>7} {:>6} {:>7}"
# Times are in milliseconds; `sockets` are people on sockets at the end; connections and tokens are new ones.
HEAD = "phase asked answered reasons lost wrong p50 p99 most sockets conns tokens".split()

# The phases, and whether each request gets a model's answer in spite of what happens.
PHASES = {"tokens": True, "kill": True, "drain": True, "storm": False, "stop": False, "restart": False}


class Checks:
    """Counts checks, and prints one line for each."""

    def __init__(self):
        self.passed = self.failed = 0

    def that(self, name, holds, detail=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{'ok     ' if holds else 'FAILED '} {name}{f': {detail}' if detail else ''}", flush=True)


def share(sorted_values, part):
    """A percentile in milliseconds."""
    return (
        round(1000 * sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * part))]) if sorted_values else 0
    )


def behind(envoy, issuer, number, name):
    """The settings of a person behind the gateway: half of them run a command, the others exchange a token."""
    lines = ["[providers.gateway]", f'base_url = "{envoy.url}"', f'wire = "{WIRES[number % 4]}"']
    lines += ['headers = { X-Session-ID = "{session}" }']
    if number % 8 < 4:
        lines += [f'token_command = ["curl", "-sSf", "{issuer.url}?user={name}"]']
    else:
        lines += ["[providers.gateway.token_exchange]", f'url = "{issuer.url}"', 'subject_token_env = "IDENTITY"']
    return "\n".join([*lines, "[fast]", f'candidates = [{{ provider = "gateway", model = "{MODEL}" }}]\n'])


def direct(simulator, number):
    """The settings of a person who has the key and no gateway, for comparison."""
    lines = ["[providers.direct]", f'base_url = "{simulator.url}"', f'wire = "{WIRES[number % 4]}"']
    lines += ['api_key_env = "DIRECT_KEY"', "[fast]"]
    return "\n".join([*lines, f'candidates = [{{ provider = "direct", model = "{MODEL}" }}]\n'])


class Town:
    """Everybody behind Envoy, and the phases."""

    def __init__(self, options, folder, checks):
        self.options, self.folder, self.checks = options, folder, checks
        self.seconds = 18 if options.short else 30
        self.issuer = Issuer()
        self.envoy = Envoy(folder, self.issuer)
        self.over, self.asks = asyncio.Event(), {}

    async def admits_by_token_only(self):
        """What a server behind the gateway sees of a request, and who gets there."""
        heads = []

        async def serve(reader, writer):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            heads.extend([head] if "/v1/models" in head or "/v1/responses" in head else [])
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
            await writer.drain()
            writer.close()

        port = free_port()
        server = await asyncio.start_server(serve, "127.0.0.1", port)
        self.envoy.route([port])
        await self.envoy.start()
        token, url = self.issuer.token("client-000"), f"{self.envoy.url}/models"
        shows = {"Authorization": f"Bearer {token}", "X-User": "somebody-else"}
        await serves(url, shows)

        def upgrade():
            upgrades = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
            connection = http.client.HTTPConnection("127.0.0.1", self.envoy.port, timeout=5)
            connection.request(
                "GET", "/v1/responses", headers={**shows, **upgrades, "Sec-WebSocket-Key": "x" * 22 + "=="}
            )
            connection.getresponse().read()

        await asyncio.to_thread(upgrade)
        good = [f"authorization: Bearer {KEY}" in head and "x-user: client-000" in head for head in heads]
        bad = [token in head or "somebody-else" in head for head in heads]
        self.checks.that(
            "servers get the provider's key and the user's name, never the token", all(good) and not any(bad)
        )
        self.checks.that(
            "the same for sockets", any("/v1/responses" in head for head in heads), f"{len(heads)} requests"
        )
        heads.clear()
        wrong = {
            "no token": None,
            "an old one": self.issuer.token("x", exp=int(time.time()) - 30),
            "of another issuer": self.issuer.token("x", key=1),
            "for another audience": self.issuer.token("x", aud="mail"),
        }
        refused = []
        for name, token in wrong.items():
            try:
                await asyncio.to_thread(get, url, {"Authorization": f"Bearer {token}"} if token else {})
            except urllib.error.HTTPError as error:
                refused += (
                    [name] if error.code in (401, 403) and KEY not in str(error.headers) + error.read().decode() else []
                )
        self.checks.that("refused with 401 or 403", refused == list(wrong) and not heads, ", ".join(refused))
        return server

    async def begin(self):
        clients, samples = self.options.clients, len(SAMPLES)
        names = [f"client-{number:03}" for number in range(clients + clients // 5)]
        key = ["--api-key", KEY]
        self.simulators = [Simulator(self.options.tandem, self.folder, it, names, key) for it in (1, 2, 3)]
        await asyncio.gather(*(serves(f"{it.root}/health") for it in self.simulators))
        await self.issuer.start()
        before = await self.admits_by_token_only()
        self.route()
        models = ""
        while MODEL not in models:
            models = await serves(f"{self.envoy.url}/models", {"Authorization": f"Bearer {self.issuer.token('x')}"})
        before.close()
        # Everybody's token ends in this second. Commands print it until it has ended, as programs with a cache do.
        self.issuer.ends = time.time() + 15 + clients / 10 + 2 * self.seconds
        people = []
        for number, name in enumerate(names):
            settings = behind(self.envoy, self.issuer, number, name)
            if number >= clients:
                settings = direct(self.simulators[number % 3], number)
            people.append(Person(self.options.tandem, self.folder, number, settings, SAMPLES[number % samples]))
            await people[-1].start(DIRECT_KEY=KEY if number >= clients else "")
            people[-1].secret = KEY.encode()
        self.people, self.direct = people[:clients], people[clients:]
        self.label = "warm-up"
        self.lives = [asyncio.create_task(person.live(self)) for person in people]
        await asyncio.sleep(8)

    def route(self, draining=()):
        self.envoy.route([it.port for it in self.simulators], draining)

    async def phase(self, name, event, *, whole):
        """One phase; `whole` if every request gets a model's answer in spite of the event."""
        self.label, began = name, time.monotonic()
        connections, issued = await self.counted("listener.*downstream_cx_total"), self.issuer.issued.total()
        await event()
        await asyncio.sleep(max(0, began + self.seconds - time.monotonic()))
        # The next phase begins when all that was asked in this one has ended.
        self.label = "between"
        while any(person.now_asks == name for person in self.people + self.direct):
            await asyncio.sleep(0.05)
        asked = [it for person in self.people for it in person.asked if it.phase == name]
        self.asks[name] = asked
        took = sorted(it.took for it in asked if it.by)
        reasons = collections.Counter(it.code for it in asked if it.code)
        lost = [it for it in asked if not it.by and not it.code]
        wrong = sum(len(person.wrong) for person in self.people)
        gears = [status["gears"]["fast"] for status in await asyncio.gather(*(it.status() for it in self.people))]
        on_sockets = sum(it["wire"] == WIRES[0] and not it["pinned"] for it in gears)
        connections = await self.counted("listener.*downstream_cx_total") - (0 if name == "restart" else connections)
        row = [name, len(asked), len(took), reasons.total(), len(lost), wrong, share(took, 0.5), share(took, 0.99)]
        row += [share(took, 1), on_sockets, connections, self.issuer.issued.total() - issued]
        last = {it.client: it for it in asked}
        silent = [it for it in last.values() if not it.by]
        holds = (
            not lost
            and not wrong
            and not silent
            and len(last) == len(self.people)
            and (len(took) == len(asked) or not whole)
        )
        print(COLUMNS.format(*row), flush=True)
        for code, count in reasons.items():
            why = next(it.why for it in asked if it.code == code)
            print(f"           {count} without an answer: {code} ({why})")
        for it in lost[:3]:
            print(f"           lost: {it}")
        promise = "every request is answered" if whole else "no request is lost"
        self.checks.that(f"{name}: {promise}, nobody gets another's, and all have answers at its end", holds)
        return took

    async def counted(self, name):
        return await asyncio.to_thread(self.envoy.stats, name)

    async def quiet(self):
        await asyncio.sleep(max(0, self.issuer.ends - self.seconds - time.time()))

    async def kill(self):
        self.simulators[0].process.stop(signal.SIGKILL)
        await asyncio.sleep(self.seconds / 2)
        self.simulators[0].start()

    async def drain(self):
        drained = self.simulators[1]
        self.route([drained.port])
        await asyncio.sleep(self.seconds / 3)
        drained.process.stop(signal.SIGTERM)
        drained.start()
        await serves(f"{drained.root}/health")
        self.route()

    async def storm(self):
        self.simulators[2].restart("refuse-429")
        await asyncio.sleep(self.seconds / 2)
        self.simulators[2].restart()

    async def stop(self):
        self.simulators[0].process.send(signal.SIGSTOP)
        await asyncio.sleep(5)
        self.simulators[0].process.send(signal.SIGCONT)

    async def tokens(self):
        await asyncio.sleep(max(0, self.issuer.ends + self.seconds / 2 - time.time()))

    async def restart(self):
        await asyncio.to_thread(self.envoy.process.stop)
        await self.envoy.start()

    async def run(self):
        await self.begin()
        print(COLUMNS.format(*HEAD))
        quiet = await self.phase("quiet", self.quiet, whole=True)
        plain = sorted(it.took for person in self.direct for it in person.asked if it.phase == "quiet" and it.by)
        added = [share(quiet, part) - share(plain, part) for part in (0.5, 0.99)]
        detail = f"{added[0]} ms at p50, {added[1]} ms at p99 ({len(plain)} requests without it)"
        self.checks.that("what Envoy adds is measured", plain and quiet, detail)
        by = collections.defaultdict(collections.Counter)
        for it in self.asks["quiet"]:
            by[it.client][it.by] += 1
        # A server that is briefly busy fails a health check.
        at_home = sum(max(it.values()) for it in by.values()) / len(quiet)
        servers = dict(collections.Counter(it.by for it in self.asks["quiet"]))
        holds = at_home > 0.95 and len(servers) == 3
        self.checks.that("each editor stays at one server", holds, f"{at_home:.1%} of requests; {servers}")
        for life in self.lives[len(self.people) :]:
            life.cancel()
        await asyncio.gather(*(person.stop() for person in self.direct))
        for name, whole in PHASES.items():
            if name in (self.options.phases or PHASES):
                await self.phase(name, getattr(self, name), whole=whole)
        self.over.set()
        await asyncio.gather(*self.lives[: len(self.people)])
        await asyncio.gather(*(person.stop() for person in self.people))
        automatic = sum((person.automatic for person in self.people), collections.Counter())
        self.checks.that("no automatic request is lost", not automatic["lost"], f"{dict(automatic)}")
        seen = [
            it
            for person in self.people
            for it in person.folder.rglob("*")
            if it.is_file() and KEY.encode() in it.read_bytes()
        ]
        leaks = sum(len(person.leaks) for person in self.people)
        self.checks.that("no client has seen the provider's key", not seen and not leaks)
        refused = collections.Counter(it["status"] for it in self.envoy.log() if it["details"] == "via_upstream")
        self.checks.that("servers were shown no other key", 401 not in refused, f"{dict(refused)}")


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tandem", help="the binary")
    parser.add_argument("litellm", help="LiteLLM's program")
    parser.add_argument("--short", action="store_true", help="60 people and short phases")
    parser.add_argument("--clients", type=int)
    parser.add_argument("--phases", nargs="+", choices=PHASES)
    parser.add_argument("--keep", type=pathlib.Path, help="an empty folder for the logs")
    parser.add_argument("--only", choices=["envoy", "litellm", "vllm-router", "leases"])
    options = parser.parse_args()
    options.clients = options.clients or (60 if options.short else 300)
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="tandem-scale-") as folder:
        folder = options.keep or pathlib.Path(folder)
        try:
            if options.only in (None, "envoy"):
                await Town(options, folder, checks).run()
            if options.only in (None, "litellm"):
                await litellm(options, folder, checks)
            if options.only in (None, "vllm-router"):
                await vllm_router(options, folder, checks)
            if options.only in (None, "leases"):
                await leases(options, folder, checks)
        finally:
            for process in Process.started:
                process.stop(signal.SIGKILL)
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
