"""Serves `tandem mcp` over Streamable HTTP, the only transport of the conformance suite.

A handshake begins a session with its own process. Any other request without a session belongs to a stateless revision,
and gets a new process: if that answers it, no state was kept between requests.
"""

import http.server
import json
import subprocess
import threading
import uuid

VERSION = "io.modelcontextprotocol/protocolVersion"
# HTTP statuses of the protocol's errors.
STATUS = {-32601: 404, -32700: 400, -32600: 400, -32602: 400, -32022: 400}


class Process:
    def __init__(self, command):
        self.lock = threading.Lock()
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, message):
        """Returns the answer to a request; None for a notification."""
        with self.lock:
            self.child.stdin.write(json.dumps(message) + "\n")
            self.child.stdin.flush()
            return json.loads(self.child.stdout.readline()) if "id" in message else None

    def stop(self):
        self.child.stdin.close()
        self.child.wait()
        self.child.stdout.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def reply(self, status, message=None, **headers):
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, message, code, why):
        self.reply(400, {"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": code, "message": why}})

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        session = self.server.sessions.pop(self.headers.get("Mcp-Session-Id"), None)
        if session:
            session.stop()
        self.reply(200 if session else 404)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        meta = (message.get("params") or {}).get("_meta") or {}
        stated = meta.get(VERSION)
        if stated and stated != self.headers.get("MCP-Protocol-Version"):
            return self.refuse(message, -32020, "the header names another version")
        name = self.headers.get("Mcp-Session-Id")
        begins = message.get("method") == "initialize" and not stated
        process = self.server.sessions.get(name) or Process(self.server.command)
        headers = {}
        if begins:
            name = str(uuid.uuid4())
            self.server.sessions[name] = process
            headers["Mcp_Session_Id"] = name
        answer = process.ask(message)
        if name not in self.server.sessions:
            process.stop()
        if answer is None:
            return self.reply(202)
        self.reply(STATUS.get(answer.get("error", {}).get("code"), 200), answer, **headers)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that disconnects is not the server's fault; a wrong answer has already failed a check."""


class Bridge:
    """Runs until the block ends; `url` is its address."""

    def __init__(self, command):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.command, self.server.sessions = command, {}
        self.url = f"http://127.0.0.1:{self.server.server_port}/mcp"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *why):
        self.server.shutdown()
        self.server.server_close()
        for process in self.server.sessions.values():
            process.stop()
