"""A relay between Tandem and a server: forwards every byte, and records the traffic."""

import http.client
import io
import json
import socket
import threading
import time
import zlib


def texts(data):
    """The text frames in a socket's bytes (RFC 6455, section 5.2), none of which is fragmented here."""
    inflate = zlib.decompressobj(-15)
    while len(data) >= 2:
        code, compressed, masked, length, start = data[0] & 15, data[0] & 64, data[1] & 128, data[1] & 127, 2
        if length > 125:
            start += 2 if length == 126 else 8
            length = int.from_bytes(data[2:start], "big")
        mask = data[start : start + 4] if masked else bytes(4)
        start += 4 if masked else 0
        payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data[start : start + length]))
        data = data[start + length :]
        if code == 1 and len(payload) == length:
            if compressed:
                payload = inflate.decompress(payload + b"\0\0\xff\xff")
            yield payload


class Exchange:
    """One request and its answer."""

    def __init__(self, head, body):
        first, *lines = head.decode("latin-1").split("\r\n")
        self.method, self.path, _ = first.split(" ")
        fields = (line.partition(":") for line in lines)
        self.headers = {name.strip().lower(): value.strip() for name, _, value in fields}
        self.raw = body
        self.answer = bytearray()
        # The bytes after the request, if it opened a socket.
        self.sent = bytearray()
        # When bytes of the answer arrived: more than one time shows that it was streamed.
        self.arrivals = []
        # Whether Tandem disconnected.
        self.hung_up = False

    @property
    def body(self):
        return json.loads(self.raw)

    def response(self):
        """The answer's status, headers and body, as far as it has arrived."""

        class Recorded:
            def makefile(self, _mode):
                return io.BytesIO(bytes(recorded))

        recorded = self.answer
        response = http.client.HTTPResponse(Recorded(), method=self.method)
        response.begin()
        try:
            body = response.read()
        except http.client.IncompleteRead as cut:
            body = cut.partial
        return response.status, response.headers, body

    @property
    def is_socket(self):
        return bytes(self.answer).startswith(b"HTTP/1.1 101")

    def frames(self):
        """Tandem's requests on a socket."""
        return [json.loads(it) for it in texts(self.sent)]

    def events(self):
        """The events of the answer, without the mark at its end."""
        if self.is_socket:
            return [json.loads(it) for it in texts(self.answer.partition(b"\r\n\r\n")[2])]
        _, _, body = self.response()
        lines = body.decode("utf-8", "replace").splitlines()
        data = [line.partition(":")[2].strip() for line in lines if line.startswith("data:")]
        return [json.loads(it) for it in data if it and it != "[DONE]"]


class Relay:
    """Listens on its own port, for one server."""

    def __init__(self, port):
        self.upstream = port
        self.exchanges = []
        # Called with each exchange when bytes of its answer arrive.
        self.on_answer = lambda exchange: None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def asked(self, path):
        """The requests whose path ends with this one."""
        return [it for it in list(self.exchanges) if it.path.endswith(path)]

    def close(self):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.upstream))
        except OSError:
            client.close()
            return
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        open_now = []
        down = threading.Thread(target=self._down, args=(server, client, open_now), daemon=True)
        down.start()
        self._up(client, server, open_now)

    def _up(self, client, server, open_now):
        """Reads requests until Tandem disconnects, and then closes the other side at once."""
        pending = b""
        try:
            while bytes_ := client.recv(1 << 16):
                pending += bytes_
                pending = self._requests(pending, open_now)
                server.sendall(bytes_)
        except OSError:
            pass
        if open_now:
            open_now[-1].hung_up = True
        for end in (server, client):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _requests(self, pending, open_now):
        """Splits complete requests off the received bytes; returns the rest."""
        if open_now and open_now[-1].is_socket:
            open_now[-1].sent += pending
            return b""
        while b"\r\n\r\n" in pending:
            head, _, rest = pending.partition(b"\r\n\r\n")
            exchange = Exchange(head, b"")
            length = int(exchange.headers.get("content-length", 0))
            if len(rest) < length:
                break
            exchange.raw, pending = rest[:length], rest[length:]
            open_now.append(exchange)
            self.exchanges.append(exchange)
        return pending

    def _down(self, server, client, open_now):
        try:
            while bytes_ := server.recv(1 << 16):
                if open_now:
                    exchange = open_now[-1]
                    exchange.answer += bytes_
                    exchange.arrivals.append(time.monotonic())
                    self.on_answer(exchange)
                client.sendall(bytes_)
        except OSError:
            pass
        for end in (client, server):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
