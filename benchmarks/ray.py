"""What does a Ray cluster bring, and how many scores a second can the driver take in?

    python -m benchmarks.ray [--samples 400] [--workers 1 2]

Four questions, each run a fresh process on a cluster of this machine:

driver     The judge answers at once, so that the driver is all there is to wait for: samples and
           replies a second, and the processor time of its process, by engine.
embedded   The judge that ships, by engine and number of workers.
llm        A scripted LLM server with 300 ms a reply, 64 calls in flight.
killed     A worker is killed in mid-run: seconds and calls more than undisturbed.

The local engine stands beside, in the same run: ratios count, not seconds.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.data import ROOT
from benchmarks.engine import rows, server

METRICS = ("faithfulness", "answer_relevancy", "context_precision", "context_recall")
FIVE = (*METRICS, "context_relevance")
MEMORY = 100 << 20


def at_once() -> Any:
    """A judge that answers every task at once, with the same words."""
    sys.path.append(str(ROOT / "tests"))
    from support.scripts import plausible

    class AtOnce:
        name = "at-once"
        local = True

        def identity(self, kind: Any) -> str | None:  # noqa: ARG002
            return self.name

        async def reply(self, task: Any, draw: int = 0) -> Any:
            return await plausible(self.name).reply(task, draw)

    return AtOnce()


def begin(workers: int) -> None:
    import ray

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=max(workers, 2),
        object_store_memory=MEMORY,
        include_dashboard=False,
        logging_level="error",
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
        runtime_env={"env_vars": {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT / 'tests'}"}},
    )


def once(
    judge: Any,
    metrics: tuple[str, ...],
    data: str,
    workers: int,
    warmed: Callable[[], None] = lambda: None,
    embedder: Any = None,
    **how: Any,
) -> None:
    """One run; prints what it took. No worker: the local engine."""
    import assay
    from assay._store import Store

    if workers:
        begin(workers)
        # Processes and models are there before the clock runs.
        warm = assay.Settings(engine="ray", workers=workers, limit=2, probe=False)
        first = f"{data}.warm.db"
        assay.evaluate(data, metrics, judge, embedder=embedder, store=first, settings=warm)
        warmed()
    engine = "ray" if workers else "local"
    settings = assay.Settings(engine=engine, workers=workers or None, probe=False, **how)
    store = f"{data}.{engine}{workers}.db"
    cpu, start = time.process_time(), time.monotonic()
    result = assay.evaluate(data, metrics, judge, embedder=embedder, store=store, settings=settings)
    wall = time.monotonic() - start
    with Store(store) as opened:
        replies = opened.spent(result.run.id).calls
    told = {
        "wall": wall,
        "cpu": time.process_time() - cpu,
        "replies": replies,
        "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "failed": sum(row.n_failed for row in result.summary()),
        "means": [row.mean for row in result.summary()],
    }
    print(json.dumps(told), flush=True)


def killed(data: str, workers: int) -> None:
    """A run of two workers, in which one is killed after a tenth of it if `KILLING` says so."""
    sys.path.append(str(ROOT / "tests"))
    from support.elsewhere import Timed

    noted = Path(f"{data}.calls")
    dead: list[int] = []

    def kill(progress: Any) -> None:
        if not dead and progress.new > progress.total / 10 and workers == KILLING:
            dead.append(int(noted.read_text().split()[0]))
            os.kill(dead[0], signal.SIGKILL)

    once(Timed(noted, local=True), METRICS, data, 2, noted.unlink, on_progress=kill)
    print(json.dumps({"made": len(noted.read_text().splitlines()), "dead": dead}), flush=True)


def llm(data: str, workers: int) -> None:
    from assay.judges.openai.judge import OpenAI, OpenAIEmbedder

    with server("--latency_s", "0.3") as url:
        judge = OpenAI("scripted", base_url=url, api_key="none")
        embedder = OpenAIEmbedder("scripted", base_url=url, api_key="none")
        once(judge, METRICS, data, workers, embedder=embedder)


KILLING = -1
KINDS: dict[str, Callable[[str, int], None]] = {
    "driver": lambda data, workers: once(at_once(), METRICS, data, workers),
    "embedded": lambda data, workers: once("embedded", FIVE, data, workers),
    "llm": llm,
    "killed": killed,
}


def child(kind: str, n: int, workers: int) -> list[dict[str, Any]]:
    """What a fresh process found."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.jsonl"
        data.write_text("".join(f"{json.dumps(row)}\n" for row in rows(n)), "utf-8")
        command = [sys.executable, "-W", "ignore", "-m", "benchmarks.ray", "--child", kind]
        done = subprocess.run(
            [*command, str(data), str(workers)], cwd=ROOT, stdout=subprocess.PIPE, check=True
        )
    return [json.loads(line) for line in done.stdout.decode().splitlines() if line[:1] == "{"]


def line(name: str, n: int, found: dict[str, Any]) -> str:
    wall, cpu, replies = found["wall"], found["cpu"], found["replies"]
    return (
        f"| {name} | {n / wall:.1f} | {replies / wall:.0f} | {1000 * cpu / n:.2f} "
        f"| {1000 * cpu / replies:.2f} | {found['mb']:.0f} |"
    )


HEAD = (
    "| | samples/s | replies/s | driver's CPU ms / sample | ms / reply | driver's peak MB |\n"
    "|---|---:|---:|---:|---:|---:|"
)


def measure(kind: str, n: int, counts: list[int]) -> None:
    print(f"\n{kind}, {n} samples\n\n{HEAD}", flush=True)
    means = None
    for workers in (0, *counts):
        (found,) = child(kind, n, workers)
        means = means or found["means"]
        assert found["means"] == means, "the engines differ"
        assert not found["failed"]
        print(line(f"ray, {workers} workers" if workers else "local", n, found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--child", nargs=3, metavar=("KIND", "DATA", "WORKERS"))
    options = parser.parse_args()
    if find_spec("ray") is None:
        print("skipped: it needs Ray, pip install 'assay[ray]'")
        return
    if options.child:
        kind, data, workers = options.child
        KINDS[kind](data, int(workers))
        return
    wanted = [options.only] if options.only else list(KINDS)
    if "driver" in wanted:
        measure("driver", options.samples, options.workers)
    if "embedded" in wanted:
        measure("embedded", max(20, options.samples // 10), options.workers)
    if "llm" in wanted:
        measure("llm", options.samples // 2, options.workers)
    if "killed" in wanted:
        for workers in (2, KILLING):
            run, calls = child("killed", 200, workers)
            more = calls["made"] - run["replies"]
            print(
                f"{'a worker killed' if calls['dead'] else 'undisturbed'}: {run['wall']:.1f} s,"
                f" {run['replies']} replies kept, {more} made twice, {run['failed']} failed"
            )


if __name__ == "__main__":
    main()
