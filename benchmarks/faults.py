"""How much longer does a run take where a server fails at some of its calls?

    python -m benchmarks.faults [--samples 200] [--latency 0.1] [--only 429] [--floor]

200 samples by four metrics, 64 calls in flight, asked of the scripted server in the same process,
whose replies take 100 ms. A share of the calls, drawn at random, meets a fault. Shown is the time
of the run over the mean of two runs without faults, just before and just after it: on a machine
that does other work besides, the time of a run means little by itself. *Idle* are the seconds in
which the server had nothing to do, beyond those of the runs without faults: all calls that were
left waited as they had been told to. No client can save that at the end of a run; what the ratio
without it lacks to 1 is lost elsewhere. Beside the ratio of runs with refusals stands what it is on
average for a client without any processor time of its own that does the same as assay
(*simulated*), and for one that besides knew beforehand which calls will be refused (*foreseen*).
`benchmarks.burst` has a server that refuses everybody for a while.

With `--floor` nothing is run: it is simulated, with the same calls and no processor time, how much
longer a run takes on average where each call that is refused waits as long as the server asks,
where it goes instead of one that waits to be sent (once, as assay does, or twice), and where
besides it were known beforehand which calls will be refused, so that these go first.
"""

import argparse
import dataclasses
import heapq
import json
import random
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from benchmarks.data import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import assay
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from benchmarks.engine import METRICS, rows
from support.faults import Call, Faults
from support.llm_server import LLMServer

IN_FLIGHT = 64
DRAWS = 60  # simulated runs of which the mean is shown


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


Simulated = tuple[int, int]  # sample, call: of four the last is made when the first is answered


@dataclass(frozen=True)
class Refusals:
    """A server that refuses calls at random, and what a simulated client does about it.

    Attributes:
        share: Of the calls that are refused.
        wait: Seconds that the server asks for.
        swaps: How often a refused call goes instead of one that waits to be sent.
        foreseen: Whether calls that will have to wait go first.
    """

    share: float
    wait: float
    swaps: int
    foreseen: bool = False


def simulated(refusals: Refusals, samples: int, latency: float, seed: int) -> float:
    """Seconds that a run takes which needs no processor time."""
    dice = random.Random(seed)
    luck: Counter[Simulated] = Counter()
    for call in ((n, k) for n in range(samples) for k in range(4)):
        while dice.random() < refusals.share:
            luck[call] += 1

    def lasts(call: Simulated) -> tuple[int, int, int]:
        calls = [call, (call[0], 3)] if call[1] == 0 else [call]
        waits = sum(max(0, luck[each] - refusals.swaps) for each in calls)
        return waits, sum(luck[each] for each in calls), len(calls)

    first = [(n, k) for n in range(samples) for k in range(3)]
    queue = deque(sorted(first, key=lasts, reverse=True) if refusals.foreseen else first)
    again, tried, sent = deque[Simulated](), Counter[Simulated](), 0
    events: list[tuple[float, str, Simulated]] = []
    now = end = 0.0
    while queue or again or events:
        while sent < IN_FLIGHT and (again or queue):
            call, sent = (again or queue).popleft(), sent + 1
            refused = tried[call] < luck[call]
            took, outcome = (0.0, "refused") if refused else (latency, "answered")
            heapq.heappush(events, (now + took, outcome, call))
        now, event, call = heapq.heappop(events)
        sent -= event != "due"
        if event == "due":
            again.append(call)
        elif event == "refused":
            tried[call] += 1
            swaps = tried[call] <= refusals.swaps and queue
            pause = 0.0 if swaps else refusals.wait
            heapq.heappush(events, (now + pause + dice.uniform(0.0, 0.05), "due", call))
        else:
            end = now
            # Whoever knows what waits sends it first; else calls go in the order of asking.
            last = [(call[0], 3)] if call[1] == 0 else []
            (again if refusals.foreseen else queue).extend(last)
    return end


def expected(faults: Faults, clean_s: float, samples: int) -> tuple[float, float] | None:
    """The simulated ratio of assay's policy, and of one that foresees the refusals.

    None where the server says of no refusal how long to wait, or has other faults as well.

    Args:
        faults: Of the server.
        clean_s: Seconds that a run without faults takes, processor time included.
        samples: How many.
    """
    if faults.retry_after_s is None or faults.share_500:
        return None
    share, wait = faults.share_429, faults.retry_after_s
    latency = clean_s / simulated(Refusals(0.0, 0.0, 0), samples, 1.0, 0)

    def ratio(*, foreseen: bool) -> float:
        policy = Refusals(share, wait, 1, foreseen)
        return fmean(simulated(policy, samples, latency, seed) for seed in range(DRAWS)) / clean_s

    return ratio(foreseen=False), ratio(foreseen=True)


def floor(samples: int, latency: float) -> None:
    """Print the simulated times of runs whose calls are refused, over that without refusals."""
    print("| 429 | each waits | one goes instead | twice | one, foreseen | twice, foreseen |")
    print("|---|---:|---:|---:|---:|---:|")
    clean = simulated(Refusals(0.0, 0.0, 0), samples, latency, 0)
    policies = [(0, False), (1, False), (2, False), (1, True), (2, True)]
    for share in (0.02, 0.05, 0.2):
        for wait in (1.0, 2.0):
            ratios = [
                fmean(
                    simulated(Refusals(share, wait, *policy), samples, latency, seed) / clean
                    for seed in range(DRAWS)
                )
                for policy in policies
            ]
            cells = [f"{share:.0%}, Retry-After {wait:g}", *(f"{ratio:.2f}" for ratio in ratios)]
            print(f"| {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--latency", type=float, default=0.1)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--floor", action="store_true", help="simulate what no client can save")
    options = parser.parse_args()
    if options.floor:
        floor(options.samples, options.latency)
        return
    with tempfile.TemporaryDirectory() as folder:
        data, first = Path(folder) / "data.jsonl", Path(folder) / "first.jsonl"
        data.write_text("\n".join(map(json.dumps, rows(options.samples))), encoding="utf-8")
        first.write_text("\n".join(map(json.dumps, rows(2, seed=1))), encoding="utf-8")
        run(first, Faults())  # what is imported is imported
        print("| faults | seconds | without | ratio | simulated | foreseen | idle |", end="")
        print(" ratio less idle | requests | refused | scores failed |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
        before = run(data, Faults(latency_s=options.latency))
        for name, faults in kinds(options.latency):
            if options.only not in name:
                continue
            found = run(data, faults)
            after = run(data, Faults(latency_s=options.latency))
            clean = (before.seconds + after.seconds) / 2
            idle = max(0.0, found.idle - (before.idle + after.idle) / 2)
            before = after
            cells = [f"{found.seconds:.1f}", f"{clean:.1f}", f"{found.seconds / clean:.2f}"]
            simulations = expected(faults, clean, options.samples)
            cells += [f"{each:.2f}" for each in simulations] if simulations else ["", ""]
            cells += [f"{idle:.1f}", f"{(found.seconds - idle) / clean:.2f}"]
            cells += [f"{n:,}" for n in (found.requests, found.refused, found.failed)]
            print(f"| {' | '.join([name, *cells])} |", flush=True)


if __name__ == "__main__":
    main()
