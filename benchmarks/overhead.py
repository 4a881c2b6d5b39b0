"""What does the engine itself cost, and how long does it hold the event loop up?

    python -m benchmarks.overhead [--samples 300] [--repeats 5] [--latency 0.02]

The samples and metrics of `benchmarks.engine`, with the durable store on. There is no HTTP: the
replies of a first run are given again after a fixed latency, so that the figures are the same from
one run to the next to a few per cent. The least of all repeats is printed: other programs only add
to it.
"""

import argparse
import asyncio
import json
import os
import selectors
import sqlite3
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assay._store.connection import Writer
from assay.judges.openai.connection import Connection
from benchmarks.data import ROOT
from benchmarks.engine import assay_client, rows

sys.path.append(str(ROOT / "tests"))

LONG_MS = 20.0


class Replay:
    """Gives what the scripted judge said before, and keeps the time that this took itself."""

    def __init__(self, latency: float) -> None:
        from support import answers

        self._answers, self._latency = answers, latency
        self._known: dict[bytes, bytes] = {}
        self._vectors: dict[str, bytes] = {}
        self.seconds = 0.0

    async def post(self, path: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        """As `Connection.post`."""
        start = time.thread_time()
        said = self._embeddings(body) if path == "embeddings" else self._chat(body)
        self.seconds += time.thread_time() - start
        await asyncio.sleep(self._latency)
        return 200, said, {}

    def _chat(self, body: bytes) -> bytes:
        if body not in self._known:
            asked = msgspec.json.decode(body)
            form = (asked.get("response_format") or {}).get("json_schema") or {}
            prompt = asked["messages"][-1]["content"]
            seed = asked.get("seed", 0)
            text = self._answers.answer(prompt, form.get("name", ""), form.get("schema"), seed)
            choice = {"finish_reason": "stop", "message": {"content": text}}
            self._known[body] = msgspec.json.encode({"choices": [choice]})
        return self._known[body]

    def _embeddings(self, body: bytes) -> bytes:
        texts = msgspec.json.decode(body)["input"]
        for text in texts:
            if text not in self._vectors:
                self._vectors[text] = msgspec.json.encode(self._answers.vector(text))
        data = [
            {"index": n, "embedding": msgspec.Raw(self._vectors[text])}
            for n, text in enumerate(texts)
        ]
        return msgspec.json.encode({"data": data})


class Watch:
    """Processor time of the writer's thread, and of the loop between one wait and the next."""

    def __init__(self) -> None:
        self.writer = 0.0
        self.rounds: list[float] = []
        self._since: float | None = None
        write, wait = Writer._run, selectors.EpollSelector.select  # noqa: SLF001

        def run(writer: Writer, connection: sqlite3.Connection) -> None:
            write(writer, connection)
            self.writer += time.thread_time()

        def select(selector: Any, timeout: float | None = None) -> Any:
            if self._since is not None:
                self.rounds.append(time.thread_time() - self._since)
            found = wait(selector, timeout)
            self._since = time.thread_time()
            return found

        Writer._run = run  # type: ignore[method-assign]  # noqa: SLF001
        selectors.EpollSelector.select = select  # type: ignore[method-assign]

    def reset(self) -> None:
        """Begin anew."""
        self.writer, self.rounds, self._since = 0.0, [], None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--latency", type=float, default=0.02)
    options = parser.parse_args()
    replay, watch, n = Replay(options.latency), Watch(), options.samples

    async def post(_: Connection, path: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]]:
        return await replay.post(path, body)

    Connection.post = post  # type: ignore[method-assign]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.jsonl"
        data.write_text("\n".join(map(json.dumps, rows(n))), encoding="utf-8")
        for _ in range(1 + options.repeats):
            watch.reset()
            replay.seconds, before, loop = 0.0, time.process_time(), time.thread_time()
            assay_client("http://127.0.0.1:9/v1", str(data), 64)()
            used = time.process_time() - before - replay.seconds
            loop = time.thread_time() - loop - replay.seconds
            found.append((used, loop, watch.writer, max(watch.rounds), watch.rounds))
    least = [min(run[k] for run in found[1:]) * 1000 for k in range(4)]
    print("| samples | CPU ms / sample | of it the loop | the store's thread | longest round ms |")
    print("|---:|---:|---:|---:|---:|")
    print(f"| {n:,} | {' | '.join(f'{ms / n:.2f}' for ms in least[:3])} | {least[3]:.0f} |")
    long = min(sum(seconds * 1000 > LONG_MS for seconds in run[4]) for run in found[1:])
    print(f"rounds of the loop above {LONG_MS:g} ms: {long}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
