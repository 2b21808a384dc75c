"""The servers: each is started on a free port, and ends with the checks."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

TIMEOUT = 120.0
KEY = "sk-proxy"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def get(url, key=KEY):
    """The body of a page, as text."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return answer.read().decode()


def wait_for(what, holds):
    give_up = time.monotonic() + TIMEOUT
    while not holds():
        assert time.monotonic() < give_up, f"{what} did not come about"
        time.sleep(0.02)


class Server:
    """A program that listens on a port."""

    def __init__(self, arguments, port, ready, log, variables=None):
        self.port = port
        self.log = open(log, "wb")
        self.process = subprocess.Popen(
            arguments, stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, **(variables or {})}
        )
        give_up = time.monotonic() + TIMEOUT
        while True:
            try:
                get(f"http://127.0.0.1:{port}{ready}")
                return
            except (urllib.error.URLError, OSError):
                pass
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop()
                raise SystemExit(f"{arguments[0]} does not serve; {log} may say why")
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def page(self, path):
        return get(f"http://127.0.0.1:{self.port}{path}")

    def stop(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Llama(Server):
    """llama.cpp's server, with a model."""

    def __init__(self, binary, model, name, folder, *options):
        port = free_port()
        arguments = [binary, "--model", str(model), "--alias", name, "--host", "127.0.0.1", "--port", str(port)]
        # One thread, so that it does not slow the tests down; with metrics to query.
        arguments += ["--threads", "1", "--parallel", "2", "--metrics", "--slots", "--seed", "7"]
        super().__init__([*arguments, *options], port, "/health", folder / f"llama-{port}.log")

    def begin(self):
        """Prepares for an answer that will be cancelled."""
        self.speaks = False
        return self.written()

    def spoke(self):
        """Bytes of that answer arrived: suspends the server, so that the answer is not complete before the cancel."""
        if not self.speaks:
            self.process.send_signal(signal.SIGSTOP)
            self.speaks = True

    def wrote(self, before):
        """Whether that answer has tokens. A suspended server cannot be queried; it streams nothing else."""
        return self.speaks

    def ended_early(self, before):
        """Waits for that answer's end; returns the number of tokens generated for it."""
        self.process.send_signal(signal.SIGCONT)
        slots = lambda: json.loads(self.page("/slots"))
        wait_for("an idle server", lambda: not any(slot["is_processing"] for slot in slots()))
        return self.written() - before

    def written(self):
        """Tokens generated since the start."""
        found = re.search(r"^llamacpp:tokens_predicted_total (\d+)", self.page("/metrics"), re.MULTILINE)
        return int(found[1])


class LiteLlm(Server):
    """LiteLLM's proxy, in front of the simulator."""

    def __init__(self, simulator, model, folder):
        self.simulator = simulator
        port = free_port()
        # LiteLLM assumes that this kind of upstream has no sockets, so that it serves sockets itself.
        upstream = {"model": f"hosted_vllm/{model}", "api_base": simulator.url, "api_key": simulator.key}
        entries = [{"model_name": model, "litellm_params": upstream}]
        config = folder / "litellm.yaml"
        # JSON is YAML, too.
        config.write_text(json.dumps({"model_list": entries, "general_settings": {"master_key": KEY}}))
        arguments = [pathlib.Path(sys.executable).with_name("litellm"), "--config", config]
        arguments += ["--host", "127.0.0.1", "--port", port, "--telemetry", "False"]
        # Otherwise the prices of models are fetched from the Internet.
        variables = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "NO_PROXY": "*"}
        log = folder / "litellm.log"
        super().__init__([str(it) for it in arguments], port, "/health/liveliness", log, variables)

    def load(self, path, question):
        """Sends one request: the first one loads a dialect's modules, which takes longer than typing waits."""
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        url = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(url, json.dumps(question).encode(), headers)
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            answer.read()

    def begin(self):
        self.speaks = False
        return self.simulator.stats()

    def spoke(self):
        self.speaks = True

    def since(self, before, name):
        return self.simulator.stats()[name] - before[name]

    def wrote(self, before):
        return self.since(before, "output_tokens_generated") > 0

    def ended_early(self, before):
        wait_for("the end of the answer", lambda: self.since(before, "responses_abandoned") == 1)
        return self.since(before, "output_tokens_generated")


class Simulator:
    """`tandem simulate`, behind another server."""

    def __init__(self, tandem, key, *options):
        arguments = [tandem, "simulate", "--api-key", key, *options]
        self.key = key
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.fullmatch(r"listening on (http://127\.0\.0\.1:\d+/v1)\n", line)
        if not found:
            self.stop()
            raise SystemExit(f"the first line of {tandem} simulate is {line!r}")
        self.url = found[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stats(self):
        return json.loads(get(f"{self.url}/simulator/stats", self.key))

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT)
