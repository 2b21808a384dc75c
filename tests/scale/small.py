"""Smaller recipes: LiteLLM in front of one simulator, and vLLM's router in front of three."""

import asyncio
import collections
import json
import pathlib
import signal
import sys
import types

from gateway import KEY, MODEL, Process, Simulator, free_port, serves
from person import Person

SAMPLE = pathlib.Path(__file__).parents[1] / "sample" / "src" / "order.rs"
PEOPLE = 12
TEAM = "sk-of-the-team"


def tally(got):
    return ", ".join(f"{name} {count}" for name, count in collections.Counter(sum(got, [])).items())


class Office:
    """A few people behind a gateway, with a key for the gateway."""

    def __init__(self, options, folder, name, settings, url):
        folder = folder / name
        folder.mkdir()
        lines = ["[providers.gateway]", f'base_url = "{url}"', 'api_key_env = "TEAM_KEY"', *settings, "[fast]"]
        text = "\n".join([*lines, f'candidates = [{{ provider = "gateway", model = "{MODEL}" }}]\n'])
        self.people = [Person(options.tandem, folder, number, text, SAMPLE) for number in range(PEOPLE)]

    async def __aenter__(self):
        for person in self.people:
            await person.start(TEAM_KEY=TEAM)
            person.secret = KEY.encode()
        return self

    async def __aexit__(self, *_):
        await asyncio.gather(*(person.stop() for person in self.people))

    async def ask(self, times):
        """Everybody asks a few times; returns for each person who answered, or why nobody did."""
        town = types.SimpleNamespace(label="asks")
        for _ in range(times):
            await asyncio.gather(*(person.turn(town) for person in self.people))
        return [[it.by or it.code or "lost" for it in person.asked[-times:]] for person in self.people]

    @property
    def is_clean(self):
        """Nobody got another's answer or saw the provider's key, and nothing was lost."""
        lost = [it for person in self.people for it in person.asked if not it.by and not it.code]
        return not lost and not any(person.wrong or person.leaks for person in self.people)


async def litellm(options, folder, checks):
    """LiteLLM: a key for the team, which it replaces by the provider's."""
    names = [f"client-{number:03}" for number in range(PEOPLE)]
    simulator, port = Simulator(options.tandem, folder, 4, names, ["--api-key", KEY]), free_port()
    # LiteLLM assumes that this kind of server has no sockets.
    upstream = {"model": f"hosted_vllm/{MODEL}", "api_base": simulator.url, "api_key": KEY}
    entries = [{"model_name": MODEL, "litellm_params": upstream}]
    config = folder / "litellm.yaml"
    config.write_text(json.dumps({"model_list": entries, "general_settings": {"master_key": TEAM}}))
    arguments = [options.litellm, "--config", config, "--host", "127.0.0.1", "--port", port, "--telemetry", "False"]
    Process(arguments, folder / "litellm.log", LITELLM_LOCAL_MODEL_COST_MAP="True")
    await serves(f"http://127.0.0.1:{port}/health/liveliness")
    settings = ['wire = "chat"', 'headers = { X-User-ID = "{user}" }']
    async with Office(options, folder, "litellm", settings, f"http://127.0.0.1:{port}/v1") as office:
        # The first request loads modules of LiteLLM for seconds.
        await office.ask(1)
        got = await office.ask(3)
        checks.that("litellm: everybody is answered", all(it == ["s4"] * 3 for it in got), tally(got))
        simulator.process.stop(signal.SIGKILL)
        away = await office.ask(1)
        checks.that(
            "litellm: without its server, each request gets a reason", all(it != ["s4"] for it in away), tally(away)
        )
        simulator.start()
        await serves(f"{simulator.root}/health")
        # LiteLLM leaves a server alone for five seconds after it failed.
        await asyncio.sleep(6)
        got = await office.ask(1)
        checks.that("litellm: with it, everybody is answered again", all(it == ["s4"] for it in got), tally(got))
        checks.that("litellm: nothing is lost, nobody gets another's, no key is seen", office.is_clean)


async def vllm_router(options, folder, checks):
    """vLLM's router, by the header for a session: a file stays at the server that has read it."""
    names = [f"client-{number:03}" for number in range(PEOPLE)]
    simulators, port = [Simulator(options.tandem, folder, number, names) for number in (1, 2, 3)], free_port()
    await asyncio.gather(*(serves(f"{it.root}/health") for it in simulators))
    arguments = [pathlib.Path(sys.executable).with_name("vllm-router"), "--port", port, "--policy", "consistent_hash"]
    arguments += ["--prometheus-port", free_port(), "--health-check-interval-secs", 1, "--health-failure-threshold", 2]
    Process([*arguments, "--worker-urls", *(it.root for it in simulators)], folder / "vllm-router.log")
    await serves(f"http://127.0.0.1:{port}/health")
    settings = ['wire = "chat"', 'prompt_cache_key = "{user}/{file}"']
    settings += ['headers = { X-Session-ID = "{file}", X-User-ID = "{user}" }']
    async with Office(options, folder, "vllm-router", settings, f"http://127.0.0.1:{port}/v1") as office:
        got = await office.ask(4)
        stay = all(len(set(it)) == 1 for it in got)
        used = {it for person in got for it in person}
        checks.that(
            "vllm-router: each file stays at one server, and all serve", stay and used == {"s1", "s2", "s3"}, tally(got)
        )
        simulators[0].process.stop(signal.SIGKILL)
        got = await office.ask(2)
        checks.that(
            "vllm-router: without one of three, everybody is answered",
            used > {it for person in got for it in person},
            tally(got),
        )
        checks.that("vllm-router: nothing is lost, nobody gets another's", office.is_clean)
