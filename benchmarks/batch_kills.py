"""Is a batch lost or paid for twice when a run that waits for it is killed at random moments?

    python -m benchmarks.batch_kills              30 kills
    python -m benchmarks.batch_kills --kills 500 --seed 7

A run in batches (40 samples, three metrics, 5 % failing lines, at most 15 requests in a batch) is
killed with SIGKILL after a random time and begun again by the same call until it ends by itself;
then the next one is begun. Every request of a batch must have been answered once in all, and the
means be those of a run that nobody disturbed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.data import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import assay
from support.batch_server import Batching, BatchServer
from support.faults import Faults
from support.scripts import samples

METRICS = ["faithfulness", "context_precision", "context_recall"]
SAMPLES = 40
# When it is killed, as shares of the time that an undisturbed run takes.
SOONEST, LATEST = 0.2, 0.8


def evaluate(url: str, store: str) -> None:
    """The run: the same call every time."""
    judge = assay.OpenAIBatch("m", base_url=url, api_key="none", quiet=0.05, poll=0.1, most=15)
    assay.evaluate(samples(SAMPLES), METRICS, judge, store=store)


def killed_until_it_ends(url: str, store: Path, chance: random.Random, whole: float) -> int:
    """Kill and begin again until it ends by itself; how often it was killed.

    `whole` is the time of an undisturbed run, 0 not to disturb it.
    """
    kills = 0
    while True:
        command = [sys.executable, "-m", "benchmarks.batch_kills", "--run", url, str(store)]
        child = subprocess.Popen(command, cwd=ROOT, env=os.environ)
        try:
            code = child.wait(whole * chance.uniform(SOONEST, LATEST) if whole else None)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            kills += 1
            continue
        if code:
            sys.exit(f"BROKEN: a run ended with {code}")
        return kills


def one(folder: Path, number: int, chance: random.Random, whole: float) -> tuple[int, int, object]:
    """(kills, requests answered in batches, means) of one run from beginning to end."""
    with BatchServer(Batching(looks=3)).in_thread() as server:
        server.lines = Faults(share_500=0.05)
        store = folder / f"{number}.db"
        kills = killed_until_it_ends(server.url, store, chance, whole)
        if twice := sum(times - 1 for times in server.done.values()):
            sys.exit(f"BROKEN: {twice} requests were answered twice")
        means = {row.metric: row.mean for row in assay.Result(store).summary()}
        return kills, server.paid, means


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        evaluate(*options.run)
        return
    chance, kills, answered, runs = random.Random(options.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        started = time.monotonic()
        _, _, expected = one(Path(name), 0, chance, 0.0)
        whole = time.monotonic() - started
        print(f"undisturbed: {whole:.1f} s, {expected}", flush=True)
        while kills < options.kills:
            runs += 1
            more, paid, means = one(Path(name), runs, chance, whole)
            kills, answered = kills + more, answered + paid
            print(f"run {runs}: killed {more} times, {paid} requests in batches", flush=True)
            if means != expected:
                sys.exit(f"BROKEN: {means} instead of {expected}")
    print(
        f"{kills} kills in {runs} runs: {answered} requests in batches, each answered once; "
        "all means equal"
    )


if __name__ == "__main__":
    main()
