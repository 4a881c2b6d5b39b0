"""Does a run of a million samples need more memory than one of a thousand?

    python -m benchmarks.memory                  1,000 and 100,000 samples
    python -m benchmarks.memory 1000000          as many as named
    python -m benchmarks.memory --judge 10000    with a scripted judge, a reply a sample

The rows are made on the way into the file and streamed out of it. Every stage is a process of its
own, so that its peak is its own: the run, then what one does with its result.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.data import ROOT

CHEAP = ["exact_match"]
JUDGED = ["token_f1", "context_relevance"]
WORDS = (
    *("river", "mountain", "bridge", "castle", "market", "harbour", "winter", "summer", "king"),
    *("painter", "engine", "garden", "letter", "village", "tower", "museum", "forest", "island"),
)


def text(number: int, words: int) -> str:
    """A text that no other number has."""
    picked = (WORDS[(number * 7 + k * k + k * number) % len(WORDS)] for k in range(words))
    return f"{' '.join(picked)} {number}."


def write(path: Path, n: int) -> None:
    """The rows: a context of 60 words, an answer and a reference of 12."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            row = {
                "id": f"s{i}",
                "question": f"What of {text(i, 6)}",
                "contexts": [text(3 * i, 60)],
                "answer": text(i, 12),
                "reference": text(i + i % 3, 12),
            }
            file.write(json.dumps(row) + "\n")


def evaluate(data: Path, store: Path, *, judged: bool) -> None:
    import assay

    sys.path.append(str(ROOT / "tests"))
    from support.scripts import plausible

    metrics = JUDGED if judged else CHEAP
    assay.evaluate(str(data), metrics, plausible(), store=store)


def summary(store: Path) -> Any:
    from assay import Result

    return Result(store).summary()


def rows(store: Path) -> int:
    from assay import Result

    return sum(1 for _ in Result(store).rows())


def jsonl(store: Path) -> None:
    from assay import Result

    Result(store).to_jsonl(os.devnull)


def report(store: Path) -> None:
    from assay import Result

    Result(store).report(store.with_suffix(".html"))


STAGES: dict[str, Callable[[Path], Any]] = {
    "summary": summary,
    "report": report,
    "rows": rows,
    "jsonl": jsonl,
}


def stage(name: str, data: Path, store: Path, *, judged: bool) -> None:
    """One stage in this process; prints its seconds and peak."""
    started = time.perf_counter()
    if name == "run":
        evaluate(data, store, judged=judged)
    else:
        STAGES[name](store)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": time.perf_counter() - started, "peak_mb": peak}))


def measure(n: int, folder: Path, *, judged: bool, stages: list[str]) -> None:
    data, store = folder / f"{n}.jsonl", folder / f"{n}.db"
    write(data, n)
    given = data.stat().st_size / 2**20
    for name in stages:
        command = [sys.executable, "-m", "benchmarks.memory", "--stage", name, str(data)]
        command += ["--judge"] if judged else []
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=ROOT, env={**os.environ}
        )
        found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{n:>9,} samples  {name:8} {found['seconds']:8.1f} s  peak {found['peak_mb']:6.0f} MB",
            flush=True,
        )
    kept = store.stat().st_size / 2**20
    print(f"{n:>9,} samples  data {given:.0f} MB, store {kept:.0f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("n", nargs="*", default=["1000", "100000"])
    parser.add_argument("--judge", action="store_true", help="a scripted judge replies, too")
    parser.add_argument("--stages", default="run,summary,report,rows,jsonl")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.stage:
        data = Path(given.n[0])
        stage(given.stage, data, data.with_suffix(".db"), judged=given.judge)
        return
    with tempfile.TemporaryDirectory() as name:
        for n in given.n:
            stages = given.stages.split(",")
            measure(int(n), Path(name), judged=given.judge, stages=stages)


if __name__ == "__main__":
    main()
