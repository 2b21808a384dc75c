"""The gateway and what is around it: Envoy, three simulators, and the company's issuer of tokens."""

import asyncio
import collections
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

KEY = "sk-provider-0f4c1c2b7a"
MODEL = "tandem-simulator"
HERE = pathlib.Path(__file__).parent
TIMEOUT = 60.0


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def get(url, headers=None, timeout=5.0):
    request = urllib.request.Request(url, headers=headers or {})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.read().decode()


async def serves(url, headers=None):
    """Waits until a server answers."""
    give_up = time.monotonic() + TIMEOUT
    while True:
        try:
            return await asyncio.to_thread(get, url, headers)
        except OSError:
            assert time.monotonic() < give_up, f"{url} does not answer"
            await asyncio.sleep(0.1)


def replace(path, text):
    """Replaces a file at once: Envoy notices that a file is moved into its place."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, encoding="utf-8")
    os.replace(new, path)


class Process:
    """A server with a log; everything that was started ends with the checks."""

    started = []

    def __init__(self, arguments, log, **variables):
        self.log = open(log, "ab")
        environment = {**os.environ, "NO_PROXY": "*", **variables}
        arguments = [str(it) for it in arguments]
        self.process = subprocess.Popen(arguments, stdout=self.log, stderr=subprocess.STDOUT, env=environment)
        Process.started.append(self)

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()


class Simulator:
    """A simulated model server, which says in each answer whom it is for and who gave it."""

    def __init__(self, tandem, folder, number, clients, options=()):
        self.tandem, self.folder, self.number, self.port = tandem, folder, number, free_port()
        self.options = ["--ttft-ms", "150", "--tokens-per-second", "100", *options]
        self.script = folder / f"script-{number}.jsonl"
        lines = [{"when": client, "reply": f'"{client} by s{number}";'} for client in clients]
        self.script.write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.root = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.root}/v1"
        self.start()

    def start(self, *faults):
        arguments = [self.tandem, "simulate", "--listen", f"127.0.0.1:{self.port}", "--script", self.script]
        arguments += [*self.options, *(word for fault in faults for word in ("--fault", fault))]
        self.process = Process(arguments, self.folder / f"simulator-{self.number}.log")

    def restart(self, *faults):
        self.process.stop(signal.SIGKILL)
        self.start(*faults)


class Issuer:
    """Issues a company's tokens: to a command with GET, and in exchange for another token with POST (RFC 8693)."""

    def __init__(self):
        self.keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/token"
        # When tokens end: all of them in the same second.
        self.ends = time.time() + 3600
        self.issued = collections.Counter()

    def jwks(self):
        key = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.keys[0].public_key()))
        return json.dumps({"keys": [{**key, "kid": "1", "alg": "ES256", "use": "sig"}]})

    def token(self, user, key=0, **changes):
        claims = {"iss": "https://login.example.com", "aud": "models", "sub": user, "exp": int(self.ends)}
        return jwt.encode({**claims, **changes}, self.keys[key], "ES256", {"kid": "1"})

    async def start(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024)

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next((line[15:] for line in head.lower().split("\r\n") if line.startswith("content-length:")), 0)
        body = (await reader.readexactly(int(length))).decode()
        fields = urllib.parse.parse_qs(body or urllib.parse.urlsplit(head.split(" ")[1]).query)
        user = fields.get("subject_token", fields.get("user"))[0]
        self.issued[user] += 1
        # A command prints the token that it has; an exchange gives one that lasts, unless much is left of this one.
        left = int(self.ends - time.time())
        if left <= (20 if fields.get("subject_token") else 0):
            left = 3600
        body = json.dumps(
            {"access_token": self.token(user, exp=int(time.time()) + left), "token_type": "Bearer", "expires_in": left}
        )
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{head}connection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()


class Envoy:
    """Envoy with envoy.yaml.in, in front of servers whose state is a file."""

    def __init__(self, folder, issuer):
        self.folder, self.port, self.admin = folder, free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.port}/v1"
        text = (HERE / "envoy.yaml.in").read_text(encoding="utf-8")
        values = {"ADMIN": self.admin, "PORT": self.port, "FOLDER": folder, "JWKS": issuer.jwks()}
        for name, value in values.items():
            text = text.replace(f"@{name}@", str(value))
        (folder / "envoy.yaml").write_text(text, encoding="utf-8")
        secret = {"name": "key", "generic_secret": {"secret": {"inline_string": f"Bearer {KEY}"}}}
        kind = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret"
        # JSON is YAML, too.
        replace(folder / "key.yaml", json.dumps({"resources": [{"@type": kind, **secret}]}))

    def route(self, ports, draining=()):
        """Sets the servers, and which of them get no new requests."""
        ends = [
            {
                "endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": port}}},
                "health_status": "DRAINING" if port in draining else "HEALTHY",
            }
            for port in ports
        ]
        kind = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
        one = {"@type": kind, "cluster_name": "models", "endpoints": [{"lb_endpoints": ends}]}
        replace(self.folder / "servers.yaml", json.dumps({"version_info": str(time.time()), "resources": [one]}))

    async def start(self):
        binary = pathlib.Path(sys.executable).with_name("envoy")
        options = ["--disable-hot-restart", "--concurrency", "2", "--log-level", "warning"]
        self.process = Process([binary, "-c", self.folder / "envoy.yaml", *options], self.folder / "envoy.log")
        await serves(f"http://127.0.0.1:{self.admin}/ready")

    def stats(self, name):
        """A counter or gauge."""
        lines = get(f"http://127.0.0.1:{self.admin}/stats?filter={urllib.parse.quote(name)}$").splitlines()
        return sum(int(line.rpartition(" ")[2]) for line in lines)

    def log(self):
        """The access log, without its last line if that is still written."""
        lines = (self.folder / "access.log").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines if line.endswith("}")]
