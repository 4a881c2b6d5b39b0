"""A row to score, a reply of a judge, and a server that always says the same."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROWS = [
    {
        "id": "tower",
        "question": "When was the tower built?",
        "contexts": ["The tower was built in 1889."],
        "answer": "It was built in 1889. It is red.",
        "reference": "It was built in 1889.",
        "metadata": {"trace_id": "a" * 32, "span_id": "b" * 16},
    }
]
REPLY = '{"reason": "It answers.", "noncommittal": false, "relevance": 1.0}'
COMPLETION = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [
        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": REPLY}}
    ],
}


@contextmanager
def answering(reply: object) -> Iterator[str]:
    """The address of a server at which every request is answered so."""
    told = json.dumps(reply).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
