"""Does the time for n samples grow as n does?

    python -m benchmarks.scaling [--most 100000]

Scores by two metrics from a scripted judge in this process, the durable store on: nothing is waited
for, so what is measured is the engine. Processor time, since other programs may run.
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import ROOT

METRICS = ("faithfulness", "context_precision")


def rows(n: int, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            row = {
                "id": f"r{i}",
                "question": f"What is item {i}?",
                "contexts": [f"Item {i} is a stone of {i} grams.", f"Bread number {i} is baked."],
                "answer": f"Item {i} is a stone of {i} grams.",
                "reference": f"Item {i} is a stone.",
            }
            file.write(json.dumps(row) + "\n")


def client(data: str, store: str) -> None:
    import assay
    from assay._runner.evaluate import aevaluate

    sys.path.insert(0, str(ROOT / "tests"))
    from support.scripts import plausible

    stalls: list[float] = []

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            stalls.append(time.perf_counter() - before - 0.01)

    async def work() -> None:
        watching = asyncio.create_task(watch())
        await aevaluate(data, METRICS, plausible(), store=store, settings=assay.Settings())
        watching.cancel()

    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    asyncio.run(work())
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    wall, peak = time.perf_counter() - start, after.ru_maxrss / 1024
    print(json.dumps({"cpu": cpu, "wall": wall, "peak": peak, "stall": max(stalls)}))


def main() -> None:
    if "--client" in sys.argv:
        client(*sys.argv[2:4])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10_000)
    most = parser.parse_args().most
    print("| samples | CPU s | CPU ms / sample | wall s | peak MB | longest stall of the loop s |")
    print("|---:|---:|---:|---:|---:|---:|")
    n = 100
    while n <= most:
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "data.jsonl"
            rows(n, data)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.scaling", "--client", str(data),
                 str(Path(folder) / "s.db")],
                stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT,
            )  # fmt: skip
        found = json.loads(done.stdout.splitlines()[-1])
        cells = [
            f"{n:,}",
            f"{found['cpu']:.1f}",
            f"{found['cpu'] / n * 1000:.2f}",
            f"{found['wall']:.1f}",
            f"{found['peak']:.0f}",
            f"{found['stall']:.2f}",
        ]
        print(f"| {' | '.join(cells)} |", flush=True)
        n *= 10


if __name__ == "__main__":
    main()
