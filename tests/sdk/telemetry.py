"""The reports of requests, read with the official types of OpenTelemetry's protocol, and by a collector."""

import contextlib
import gzip
import http.server
import importlib.util
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TYPES = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
# A collector, whose wheel contains a program for Linux and macOS.
ROTEL = "rotel==0.0.1a15"
TIMEOUT = 30.0
CODE = "fn area(width: u32) -> u32 {\n    width * width // canary\n}\n"
METRICS = {
    "gen_ai.client.operation.duration": "s",
    "gen_ai.client.operation.time_to_first_chunk": "s",
    "gen_ai.client.token.usage": "{token}",
}


class Skipped(Exception):
    """A check that cannot run here, and why."""


@contextlib.contextmanager
def collector():
    """A collector: its URL, and the paths, headers and bodies that it was sent."""
    sent = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers["content-encoding"] == "gzip":
                body = gzip.decompress(body)
            sent.append((self.path, self.headers, body))
            # An empty message, in the format of the request.
            answer = b"{}" if self.headers["content-type"] == "application/json" else b""
            self.send_response(200)
            self.send_header("content-type", self.headers["content-type"])
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", sent
    finally:
        server.shutdown()


def attributes(holder):
    return {it.key: getattr(it.value, it.value.WhichOneof("value")) for it in holder.attributes}


def report(server, tandem, key, url):
    """Makes one request, which is reported to a collector. Returns what was said."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "a.rs").write_text(CODE, encoding="utf-8")
        config = folder / "config.toml"
        config.write_text(
            f'[telemetry]\nendpoint = "{url}"\nheaders = {{ x-team = "a" }}\n'
            f'[providers.test]\nbase_url = "{server.url}"\nheaders = {{ Authorization = "Bearer {key}" }}\n'
            '[fast]\ncandidates = [{ provider = "test", model = "any-model" }]\n',
            encoding="utf-8",
        )
        environment = {"TANDEM_CONFIG": str(config), "TANDEM_STATE": str(folder), "PATH": "/usr/bin:/bin"}
        edit = [str(pathlib.Path(tandem).resolve()), "edit", "a.rs:1-3", "return twice as much"]
        done = subprocess.run(edit, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return done.stderr


def reports_requests_to_a_collector(server, tandem, key):
    with collector() as (url, sent):
        said = report(server, tandem, key, url)
        assert [path for path, *_ in sent] == ["/v1/traces", "/v1/metrics"], (sent, said)
    bodies = {}
    for path, headers, body in sent:
        assert headers["content-type"] == "application/json" and headers["x-team"] == "a", dict(headers)
        assert not any(word in body for word in (b"canary", b"width", b"twice", key.encode())), body
        bodies[path] = json_format.Parse(body, TYPES[path]())
    # In OTLP's JSON, unlike in that of other messages, ids are hexadecimal.
    span = json.loads(sent[0][2])["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert len(bytes.fromhex(span["traceId"])) == 16 and len(bytes.fromhex(span["spanId"])) == 8, span
    resource = bodies["/v1/traces"].resource_spans[0]
    assert attributes(resource.resource)["service.name"] == "tandem"
    (span,) = resource.scope_spans[0].spans
    assert span.name == "chat any-model" and span.kind == span.SPAN_KIND_CLIENT, span
    assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 60e9, span
    found = attributes(span)
    for name, value in {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "test",
        "gen_ai.request.model": "any-model",
        "server.address": "127.0.0.1",
        "tandem.gear": "fast",
    }.items():
        assert found[name] == value, found
    assert found["gen_ai.usage.input_tokens"] > 0 and found["gen_ai.usage.output_tokens"] > 0, found
    metrics = bodies["/v1/metrics"].resource_metrics[0].scope_metrics[0].metrics
    assert {it.name: it.unit for it in metrics if it.name in METRICS} == METRICS, metrics
    for metric in metrics:
        for point in metric.histogram.data_points:
            assert sum(point.bucket_counts) == point.count, point
            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1, point
            assert point.start_time_unix_nano < point.time_unix_nano, point


def rotel():
    """The program of the collector, which is installed if it is not there."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", ROTEL]
    if not importlib.util.find_spec("rotel"):
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode:
            raise Skipped(f"{ROTEL} cannot be installed: {done.stderr.strip().splitlines()[-1]}")
        importlib.invalidate_caches()
    [folder] = importlib.util.find_spec("rotel").submodule_search_locations
    return pathlib.Path(folder) / "rotel-agent"


@contextlib.contextmanager
def relay(url, folder):
    """A collector that passes on what it takes as Protobuf, at the latest at its end; its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "otlp-http-endpoint": f"127.0.0.1:{port}",
        "otlp-grpc-endpoint": "127.0.0.1:0",
        "exporter": "otlp",
        "otlp-exporter-endpoint": url,
        "otlp-exporter-protocol": "http",
        "pid-file": f"{folder}/pid",
        "log-file": f"{folder}/log",
    }
    command = [rotel(), "start", *(word for name, value in options.items() for word in (f"--{name}", value))]
    with open(f"{folder}/out", "wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        until = time.monotonic() + TIMEOUT
        while socket.socket().connect_ex(("127.0.0.1", port)):
            said = pathlib.Path(folder, "out").read_text(encoding="utf-8")
            assert process.poll() is None and time.monotonic() < until, f"the collector does not listen: {said}"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def reports_pass_through_a_collector(server, tandem, key):
    with collector() as (url, sent), tempfile.TemporaryDirectory() as folder:
        with relay(url, folder) as through:
            said = report(server, tandem, key, through)
        said += pathlib.Path(folder, "out").read_text(encoding="utf-8")
    assert sorted(path for path, *_ in sent) == sorted(TYPES), (sent, said)
    bodies = {path: TYPES[path].FromString(body) for path, _, body in sent}
    resource = bodies["/v1/traces"].resource_spans[0]
    assert attributes(resource.resource)["service.name"] == "tandem"
    (span,) = resource.scope_spans[0].spans
    assert span.name == "chat any-model" and span.kind == span.SPAN_KIND_CLIENT, span
    assert (len(span.trace_id), len(span.span_id)) == (16, 8), span
    assert 0 < span.end_time_unix_nano - span.start_time_unix_nano < 60e9, span
    found = attributes(span)
    assert found["gen_ai.request.model"] == "any-model" and found["gen_ai.usage.input_tokens"] > 0, found
    # The library with which this collector reads JSON loses the points of metrics.
    metrics = bodies["/v1/metrics"].resource_metrics[0].scope_metrics[0].metrics
    assert {it.name: it.unit for it in metrics if it.name in METRICS} == METRICS, metrics
