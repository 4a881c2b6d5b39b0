"""How much longer does a run take where a server fails at some of its calls?

    python -m benchmarks.faults [--samples 200] [--latency 0.1] [--only 429]

200 samples by four metrics, 64 calls in flight, asked of the scripted server in the same process,
whose replies take 100 ms. A share of the calls, drawn at random, meets a fault. Shown is the time
of the run over the mean of two runs without faults, just before and just after it: on a machine
that does other work besides, the time of a run means little by itself. *Idle* are the seconds in
which the server had nothing to do, beyond those of the runs without faults: all calls that were
left waited as they had been told to. No client can save that at the end of a run; what the ratio
without it lacks to 1 is lost elsewhere. `benchmarks.burst` has a server that refuses everybody for
a while.
"""

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.data import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import assay
from assay.judges.openai.embeddings import OpenAIEmbedder
from assay.judges.openai.judge import OpenAI
from benchmarks.engine import METRICS, rows
from support.faults import Call, Faults
from support.llm_server import LLMServer

IN_FLIGHT = 64


@dataclass(frozen=True)
class Found:
    """What a run came to.

    Attributes:
        seconds: Its time.
        idle: Seconds of it in which the server had nothing to do.
        requests: Requests that the server met.
        refused: Those that it refused (429).
        failed: Scores that failed.
    """

    seconds: float
    idle: float
    requests: int
    refused: int
    failed: int


def kinds(latency_s: float) -> Iterator[tuple[str, Faults]]:
    """Every row of the table."""
    calm = Faults(latency_s=latency_s)
    for share in (0.02, 0.05, 0.2):
        for wait in (0.1, 1.0, 2.0):
            name = f"429 at {share:.0%}, Retry-After {wait:g}"
            yield name, dataclasses.replace(calm, share_429=share, retry_after_s=wait)
    yield "429 at 5%, no Retry-After", dataclasses.replace(calm, share_429=0.05)
    yield "500 at 5%", dataclasses.replace(calm, share_500=0.05)
    yield "malformed at 5%", dataclasses.replace(calm, share_malformed=0.05)
    yield "slow (1 s) at 5%", dataclasses.replace(calm, share_slow=0.05)
    everything = dataclasses.replace(
        calm,
        share_429=0.05,
        retry_after_s=1.0,
        share_500=0.05,
        share_malformed=0.05,
        share_slow=0.05,
    )
    yield "all of these, Retry-After 1", everything


def run(data: Path, faults: Faults) -> Found:
    """One run on a store of its own."""
    settings = assay.Settings(limits=assay.Limits(concurrency=IN_FLIGHT), probe=False)
    with tempfile.TemporaryDirectory() as folder, LLMServer(faults).in_thread() as server:
        judge = OpenAI("scripted", base_url=server.url, api_key="none")
        embedder = OpenAIEmbedder("scripted", base_url=server.url, api_key="none")
        start = time.perf_counter()
        result = assay.evaluate(
            data,
            METRICS,
            judge,
            embedder=embedder,
            store=Path(folder) / "assay.db",
            settings=settings,
        )
        seconds = time.perf_counter() - start
        failed = sum(row.n_failed for row in result.summary())
        idle = _idle(server.log, faults.latency_s)
        return Found(seconds, idle, len(server.log), server.count(status=429), failed)


def _idle(log: Sequence[Call], latency_s: float) -> float:
    """Seconds between the first and the last request in which none was being served."""
    ends = sorted((call.at, call.status) for call in log)
    took = {429: 0.0}  # a refusal takes no time
    gaps = (
        end - before - took.get(status, latency_s) for (before, _), (end, status) in pairwise(ends)
    )
    return sum(gap for gap in gaps if gap > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, first = Path(folder) / "data.jsonl", Path(folder) / "first.jsonl"
        data.write_text("\n".join(map(json.dumps, rows(given.samples))), encoding="utf-8")
        first.write_text("\n".join(map(json.dumps, rows(2, seed=1))), encoding="utf-8")
        run(first, Faults())  # what is imported is imported
        print("| faults | seconds | without | ratio | idle | ratio less idle |", end="")
        print(" requests | refused | scores failed |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        before = run(data, Faults(latency_s=given.latency))
        for name, faults in kinds(given.latency):
            if given.only not in name:
                continue
            found = run(data, faults)
            after = run(data, Faults(latency_s=given.latency))
            clean = (before.seconds + after.seconds) / 2
            idle = max(0.0, found.idle - (before.idle + after.idle) / 2)
            before = after
            cells = [f"{found.seconds:.1f}", f"{clean:.1f}", f"{found.seconds / clean:.2f}"]
            cells += [f"{idle:.1f}", f"{(found.seconds - idle) / clean:.2f}"]
            cells += [f"{n:,}" for n in (found.requests, found.refused, found.failed)]
            print(f"| {' | '.join([name, *cells])} |", flush=True)


if __name__ == "__main__":
    main()
