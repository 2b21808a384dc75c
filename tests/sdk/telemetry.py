"""The reports of requests, read with the official types of OpenTelemetry's protocol."""

import contextlib
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TYPES = {"/v1/traces": ExportTraceServiceRequest, "/v1/metrics": ExportMetricsServiceRequest}
CODE = "fn area(width: u32) -> u32 {\n    width * width // canary\n}\n"
METRICS = {
    "gen_ai.client.operation.duration": "s",
    "gen_ai.client.operation.time_to_first_chunk": "s",
    "gen_ai.client.token.usage": "{token}",
}


@contextlib.contextmanager
def collector():
    """A collector: its URL, and the paths, headers and bodies that it was sent."""
    sent = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            sent.append((self.path, self.headers, body))
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

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


def reports_requests_to_a_collector(server, tandem, key):
    with collector() as (url, sent), tempfile.TemporaryDirectory() as folder:
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
        assert [path for path, *_ in sent] == ["/v1/traces", "/v1/metrics"], (sent, done.stderr)
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
