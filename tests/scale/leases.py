"""Leases of a budget from a real PostgreSQL, which fails on purpose: the figures beside those of the simulation."""

import asyncio
import bisect
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from gateway import MODEL, Simulator, serves
from person import Person

HERE = pathlib.Path(__file__).parent
SAMPLE = HERE.parents[1] / "tests" / "sample" / "src" / "order.rs"
TEAM = "core"
# What each may spend without the database.
AWAY = 0.15
# Dollars for a token of any kind: a request costs about a tenth of a cent, and the smallest lease is half a cent.
PRICE = 6e-6
USED_UP = "is used up"
# What the local engine answers costs nothing.
LOCAL = ("local", "shown")


class Database:
    """PostgreSQL with the budget; `pg_ctl` can do everything to it."""

    def __init__(self, options):
        # Not in the folder of the checks, which other users cannot enter.
        self.tandem, self.folder = options.tandem, pathlib.Path(tempfile.mkdtemp(prefix="tandem-postgres-"))
        started = subprocess.run([HERE / "postgres.sh", self.folder], capture_output=True, text=True)
        self.missing = started.stderr if started.returncode == 77 else ""
        assert self.missing or started.returncode == 0, started.stderr
        self.server = f"127.0.0.1:{started.stdout.strip()}"
        self.url = f"postgres://admin@{self.server}/budgets"

    def control(self, *arguments):
        subprocess.run([self.folder / "control", *arguments], check=True)

    def sql(self, *statements, database="budgets"):
        """What the last statement returns, as a list of lists of words."""
        command = ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", f"postgres://admin@{self.server}/{database}"]
        arguments = [word for it in statements for word in ("-c", it)]
        out = subprocess.run([*command, *arguments], capture_output=True, text=True)
        assert out.returncode == 0, out.stderr
        return [line.split("|") for line in out.stdout.splitlines()]

    def leases(self, *arguments):
        subprocess.run([self.tandem, "leases", "--database", self.url, *arguments], check=True, capture_output=True)

    def prepare(self, dollars):
        self.sql("create database budgets", "create role client login", database="postgres")
        self.leases("migrate")
        self.leases("set", TEAM, str(dollars))
        functions = "grant execute on function tandem.lease, tandem.give_back to client"
        self.sql("grant usage on schema tandem to client", functions)

    def hold(self, seconds):
        """Keeps all transactions of the team waiting, so that there are some in the middle."""
        turn = f"begin; select from tandem.budgets for update; select pg_sleep({seconds})"
        return subprocess.Popen(
            ["psql", "-Xq", self.url, "-c", turn], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )


class Spender(Person):
    """A person whose process can be killed, and whose spending is looked at."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        # Of this process, and of earlier ones until they were killed, as far as it was seen.
        self.now, self.before = (0, 0), (0, 0)
        # The largest lease, the most that was spent beyond one, and what of that is lost with killed processes.
        self.largest = self.ahead = self.beyond = self.lost = 0

    @property
    def totals(self):
        """Requests, and dollars spent."""
        return tuple(map(sum, zip(self.before, self.now)))

    async def look(self):
        try:
            status = await self.status()
        except (ConnectionError, TimeoutError):
            return
        session, lease = status["usage"]["session"], status["lease"]
        self.now = session["requests"], session["dollars"]
        self.largest = max(self.largest, lease["dollars"])
        self.beyond = max(0, lease["spent"] - lease["dollars"])
        self.ahead = max(self.ahead, self.beyond)

    async def kill(self):
        await self.look()
        self.before, self.now = self.totals, (0, 0)
        self.lost += self.beyond
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self.reader


class Budget:
    """Everybody spends from one budget until it is used up."""

    def __init__(self, options, folder, checks, database):
        self.options, self.folder, self.checks, self.database = options, folder, checks, database
        self.long, self.brief = (20, 15) if options.short else (60, 30)
        # It lasts for some minutes. Less than ten cents each would be less than 20 times the smallest lease.
        self.dollars = (0.165 if options.short else 0.375) * options.clients
        self.over, self.label, self.times = asyncio.Event(), "", {}
        # (time, dollars) of everybody together, once a second.
        self.seen = []

    async def begin(self):
        self.names = [f"client-{number:03}" for number in range(self.options.clients)]
        self.simulator = Simulator(self.options.tandem, self.folder, 5, self.names)
        await serves(f"{self.simulator.root}/health")
        self.database.prepare(self.dollars)
        prices = "".join(f"{name} = {PRICE * 1e6}\n" for name in ("input", "cached", "cache_write", "output"))
        settings = f"""
[providers.direct]
base_url = "{self.simulator.url}"
api_key_env = "DIRECT_KEY"
[fast]
candidates = [{{ provider = "direct", model = "{MODEL}" }}]
[prices.{MODEL}]
{prices}
[budget.lease]
database = "postgres://client@{self.database.server}/budgets"
team = "{TEAM}"
away_dollars = {AWAY}
"""
        folder = self.folder / "leases"
        folder.mkdir()
        self.people = [
            Spender(self.options.tandem, folder, number, settings, SAMPLE) for number in range(self.options.clients)
        ]
        self.began = time.monotonic()
        self.lives = []
        for person in self.people:
            await person.start(DIRECT_KEY="x")
            self.lives.append(asyncio.create_task(person.live(self)))
        self.begun = time.monotonic()
        self.watch = asyncio.create_task(self.looks())

    async def looks(self):
        while True:
            await asyncio.gather(*(person.look() for person in self.people))
            self.seen.append((time.monotonic(), self.spent()))
            await asyncio.sleep(1)

    def spent(self):
        return sum(person.totals[1] for person in self.people)

    def spent_at(self, moment):
        """What everybody had spent, between the looks before and after this moment."""
        after = min(bisect.bisect(self.seen, (moment, 0)), len(self.seen) - 1)
        (began, less), (ended, more) = self.seen[max(0, after - 1)], self.seen[after]
        part = (moment - began) / (ended - began) if ended > began else 1
        return less + (more - less) * min(1, part)

    async def phase(self, name, seconds, event=None, patient=0.02):
        """A phase in which requests have to be answered by the model, but for a share."""
        self.label = name
        began = time.monotonic()
        if event:
            await event(seconds)
        await asyncio.sleep(max(0, began + seconds - time.monotonic()))
        self.times[name] = (int(began - self.began), int(time.monotonic() - self.began))
        asked = [it for person in self.people for it in person.asked if it.phase == name]
        without = collections.Counter(f"{it.code}: {it.why}" for it in asked if not it.by and it.code not in LOCAL)
        people = {it.client for it in asked if it.by}
        detail = f"{len(asked)} asked, {len(people)} people, ${self.spent():.2f} spent"
        for why, count in without.items():
            detail += f"\n        {count} without a model: {why}"
        holds = people == set(self.names) and without.total() < patient * len(asked)
        promise = f"everybody is answered, and less than {patient:.0%} has to wait for a lease"
        self.checks.that(f"leases, {name}: {promise}", holds, detail)

    async def away(self, seconds):
        await asyncio.to_thread(self.database.control, "stop", "-m", "fast")
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.database.control, "start")

    async def restart(self, _):
        turn = await asyncio.to_thread(self.database.hold, 60)
        await asyncio.sleep(2.5)
        waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
        self.in_the_middle = int((await asyncio.to_thread(self.database.sql, waiting))[0][0])
        await asyncio.to_thread(self.database.control, "restart", "-m", "immediate")
        await asyncio.to_thread(turn.wait)

    async def read_only(self, seconds):
        alter = "alter role client {} default_transaction_read_only"
        await asyncio.to_thread(self.database.sql, alter.format("set") + " = on")
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self.database.sql, alter.format("reset"))

    async def kill(self, _):
        began = time.monotonic()
        for number in range(0, len(self.people), 6):
            self.lives[number].cancel()
            await self.people[number].kill()
            await self.people[number].start(DIRECT_KEY="x")
            self.lives[number] = asyncio.create_task(self.people[number].live(self))
        self.kills = int(began - self.began), int(time.monotonic() - self.began) + 1

    async def use_up(self):
        """Until hardly anybody gets an answer of the model."""
        self.label = "end"
        give_up = time.monotonic() + 20 * self.long
        while time.monotonic() < give_up:
            await asyncio.sleep(1)
            # A few have a large lease left, which they then give back. The local engine may answer everybody.
            served = [any(it.by for it in person.asked[-2:]) for person in self.people]
            if sum(served) * 20 <= len(served):
                break
        self.over.set()
        await asyncio.gather(*self.lives)
        self.watch.cancel()
        await asyncio.gather(*(person.look() for person in self.people))

    async def run(self):
        await self.begin()
        # A budget for minutes has leases of half a cent: at first, 300 people want more of them than PostgreSQL gives.
        await self.phase("quiet", self.brief, patient=0.3)
        await self.phase("away", self.long, self.away)
        await self.phase("restart", self.brief, self.restart)
        self.checks.that(
            "leases: it was restarted in the middle of transactions", self.in_the_middle, self.in_the_middle
        )
        await self.phase("read-only", self.brief, self.read_only)
        await self.phase("kill", self.brief, self.kill, patient=0.1)
        await self.use_up()
        await asyncio.gather(*(person.stop() for person in self.people))
        await self.judge()

    async def judge(self):
        """Compares what was spent with the ledger, the provider's count, and the simulation."""
        asked = [it for person in self.people for it in person.asked]
        refused = [it for it in asked if USED_UP in it.why]
        spent, requests = self.spent(), sum(person.totals[0] for person in self.people)
        first = self.spent_at(min(it.at for it in refused)) if refused else None
        early = sum(self.spent_at(it.at) < 0.95 * self.dollars for it in refused)
        self.checks.that(
            "leases: the budget is used up, and no client is refused before 95 %",
            refused and not early,
            f"{early} of {len(refused)}",
        )
        overrun = max(0, spent - self.dollars)
        ahead = max(person.ahead for person in self.people)
        largest = max(person.largest for person in self.people)
        detail = (
            f"${overrun:.4f} of ${self.dollars:.2f}; ${ahead:.4f} a client ahead at most, leases up to ${largest:.4f}"
        )
        self.checks.that(
            "leases: overrun of at most a lease each",
            overrun <= sum(person.largest for person in self.people) and ahead <= largest + AWAY,
            detail,
        )
        [[ledger, out, count]] = self.database.sql(
            "select sum(case state when 'settled' then spent else 0 end), "
            "coalesce(sum(amount) filter (where state <> 'settled'), 0), count(*) filter (where amount > 0) "
            "from tandem.leases"
        )
        ledger, out = int(ledger) / 1e6, int(out) / 1e6
        stats = json.loads(await serves(f"{self.simulator.url}/simulator/stats"))
        provider = (stats["input_tokens"] + stats["output_tokens_generated"]) * PRICE
        # What killed processes had spent beyond their leases is nowhere written down. Each answer is rounded up, and a
        # process may spend for a moment after it was last seen.
        lost, near = sum(person.lost for person in self.people), 0.005 * self.dollars
        detail = (
            f"ledger ${ledger:.2f}, leases of killed clients ${out:.2f} and ${lost:.2f} beyond them; "
            f"clients ${spent:.2f}, provider ${provider:.2f}"
        )
        self.checks.that(
            "leases: the ledger has what was spent", ledger - near <= spent <= ledger + out + lost + near, detail
        )
        self.compare(spent, first, early, requests, int(count), asked)

    def compare(self, spent, first, early, requests, leases, asked):
        seconds = [it.at - self.began for it in asked if it.by]
        # They begin one after another.
        begun = self.begun - self.began
        pause = len(self.people) * (max(seconds) - begun / 2) / requests
        cost = spent / requests * 1e6
        # While more leases are asked for than PostgreSQL gives, clients spend ahead.
        [[capacity]] = self.database.sql(
            "select max(count) from (select count(*) from tandem.leases group by date_trunc('second', began)) as it"
        )
        plan = {
            "clients": len(self.people),
            "seconds": int(3 * max(seconds)),
            "dollars": self.dollars,
            "away_dollars": AWAY,
            "pause": pause,
            "begun": int(begun) + 5,
            "active": 1e9,
            "idle": 1,
            "cost": {"start": int(cost / 2), "end": int(cost * 1.5)},
            "dear": 1,
            "disturbed": 0,
            "kills": [{"start": self.kills[0], "end": self.kills[1]}, (len(self.people) + 5) // 6],
            "capacity": int(capacity),
            "period": 1 << 30,
            "seed": 7,
        }
        for name in ("away", "read-only", "restart"):
            begin, end = self.times[name]
            end = begin + 5 if name == "restart" else end
            key = {"read-only": "read_only", "restart": "restarting"}.get(name, name)
            plan[key] = {"start": begin, "end": end}
        command = ["cargo", "test", "--quiet", "--locked", "--test", "it", "leases::simulation::size_of_the_recipe"]
        out = subprocess.run(
            [*command, "--", "--ignored", "--nocapture"],
            cwd=HERE.parents[1],
            env={**os.environ, "TANDEM_TEST_RECIPE": json.dumps(plan)},
            capture_output=True,
            text=True,
        )
        found = next((line for line in out.stdout.splitlines() if line.startswith("figures ")), None)
        self.checks.that(
            "leases: the simulation of this size holds", found and out.returncode == 0, found or out.stdout[-2000:]
        )
        if not found:
            return
        simulated = json.loads(found.removeprefix("figures "))
        print(f"        {'':<34} {'measured':>10} {'simulated':>10}")
        rows = {
            "requests": (requests, simulated["requests"]),
            "leases": (leases, simulated["leases"]),
            "requests for each lease": (requests / leases, simulated["requests"] / simulated["leases"]),
            "budget spent": (f"{spent / self.dollars:.1%}", f"{simulated['spent']:.1%}"),
            "spent at the first refusal": (f"{first / self.dollars:.1%}", f"{simulated['first_refusal']:.1%}"),
            "refused before 95 %": (early, simulated["falsely_refused"]),
        }
        for name, figures in rows.items():
            measured, expected = (f"{it:.2f}" if isinstance(it, float) else it for it in figures)
            print(f"        {name:<34} {measured:>10} {expected:>10}", flush=True)
        apart = abs(spent / self.dollars - simulated["spent"]), abs(first / self.dollars - simulated["first_refusal"])
        self.checks.that("leases: both spend the same part of the budget, within 3 %", max(apart) < 0.03)


async def leases(options, folder, checks):
    database = Database(options)
    if database.missing:
        print(f"skipped: leases: {database.missing.strip()}")
        checks.failed += os.environ.get("CI") == "true"
        return
    try:
        await Budget(options, folder, checks, database).run()
    finally:
        subprocess.run([database.folder / "control", "stop", "-m", "immediate"])
        shutil.rmtree(database.folder)
