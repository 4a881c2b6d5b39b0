"""A finished run over traced and untraced samples, with scores and with reasons for none."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import assay
from support.scripts import plausible, split, verify

TRACE = "a" * 32
ROWS = [
    {
        "id": "half",
        "question": "Where?",
        "answer": "Here. There.",
        "contexts": ["Here."],
        "reference": "Here.",
        "metadata": {"trace_id": TRACE, "span_id": "b" * 16},
    },
    {
        "id": "silent",
        "question": "Why?",
        "answer": "No idea.",
        "contexts": ["Here."],
        "reference": "Because.",
        "metadata": {"trace_id": "c" * 32, "span_id": "d" * 16},
    },
    {
        "id": "untraced",
        "question": "Who?",
        "answer": "Me.",
        "contexts": ["Me."],
        "reference": "Me.",
    },
]


def finished(db, rows=ROWS):
    """Faithfulness 0.5, undefined and 1; exact match 0, 0 and 1."""

    def statements(task):
        said = {"Here. There.": ("Here.", "There."), "Me.": ("Me.",)}
        return split(*said.get(task.text, ()))

    judge = plausible(split_statements=statements, verify_statements=verify(1, 0))
    return assay.evaluate(rows, ["faithfulness", "exact_match"], judge, store=db)


@contextmanager
def listening(reply):
    """A server that remembers (path, body as JSON) of every request, and always says the same."""
    heard = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.append((self.path, json.loads(body)))
            told = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
