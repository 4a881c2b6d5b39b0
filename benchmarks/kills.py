"""Is anything lost, spoilt or paid twice when a run is killed at random moments?

    python -m benchmarks.kills              100 kills
    python -m benchmarks.kills --kills 1000 --seed 7

A run against the scripted server (60 samples, three metrics, 2 % server errors) is killed with
SIGKILL after a random time, from before the store exists to just before the end, and begun again by
the same call until it finishes; then the next one is begun. After every kill the file must be sound
and hold all replies that it held. In the end every mean must be that of a run that nobody
disturbed, and no more replies paid for than can have been on their way, or on their way to the
disk, when it was killed.
"""

import argparse
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import ROOT

sys.path.insert(0, str(ROOT / "tests"))

import assay
from assay._runner.engine import JOBS_PER_REQUEST
from assay._store import Store
from assay._store.maintenance import verify
from assay.judges.openai.judge import OpenAI
from support.scripts import samples

METRICS = ["faithfulness", "context_precision", "context_recall"]
IN_FLIGHT = 8
SAMPLES = 60
# Replies that may not be on disk yet: one for each score that is being worked on.
ON_THE_WAY = IN_FLIGHT * JOBS_PER_REQUEST
LONGEST_S = 1.2
LIMITS = assay.Limits(concurrency=IN_FLIGHT, timeout=10.0, backoff=0.02)


@dataclass
class Found:
    """What a run came to.

    Attributes:
        means: By metric.
        paid: Replies that the server gave for it.
        kills: How often it was killed.
    """

    means: dict[str, float | None]
    paid: int
    kills: int


def evaluate(url: str, store: Path, number: int) -> None:
    """The run: the same call every time, and other questions for every number."""
    data = [
        dataclasses.replace(s, question=f"{s.question} ({number})", answer=f"{s.answer} ({number})")
        for s in samples(SAMPLES)
    ]
    judge = OpenAI("scripted", base_url=url, api_key="none")
    settings = assay.Settings(limits=LIMITS)
    assay.evaluate(data, METRICS, judge, store=store, settings=settings)


def begun(url: str, store: Path, number: int) -> int:
    """A process that runs it: forked, since importing takes longer than the run."""
    child = os.fork()
    if child == 0:
        try:
            evaluate(url, store, number)
        except BaseException as error:  # noqa: BLE001 - told to the parent by the exit code
            print(f"the run failed: {error!r}", flush=True)
            os._exit(1)
        os._exit(0)
    return child


def paid(url: str) -> int:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return int(json.load(reply)["by_status"].get("200", 0))


def kept(store: Path) -> set[str]:
    """Keys of the replies in a store that a killed process left behind; checks that it is sound."""
    if not store.is_file():
        return set()
    with Store(store) as opened:
        ((said,),) = opened.query("PRAGMA quick_check")
        if said != "ok":
            sys.exit(f"BROKEN: {said}")
        return {str(key) for (key,) in opened.query("SELECT key FROM replies")}


def killed_until_it_ends(
    url: str, store: Path, number: int, chance: random.Random, longest: float
) -> Found:
    """Kill and begin again until it ends by itself; `longest` 0 never kills."""
    before, kills, known = paid(url), 0, set[str]()
    while True:
        child = begun(url, store, number)
        deadline = time.monotonic() + chance.uniform(0, longest) if longest else float("inf")
        status = None
        while status is None and time.monotonic() < deadline:
            ended, code = os.waitpid(child, os.WNOHANG)
            status = code if ended else None
            time.sleep(0.001)
        if status is not None:
            break
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kills += 1
        now = kept(store)
        if lost := known - now:
            sys.exit(f"BROKEN: {len(lost)} replies were lost by kill {kills}")
        known = now
    if status:
        sys.exit(f"BROKEN: a run ended with {status}")
    if problems := verify(store).problems:
        sys.exit(f"BROKEN: {problems}")
    means = {row.metric: row.mean for row in assay.Result(store).summary()}
    return Found(means, paid(url) - before, kills)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    server = [sys.executable, str(ROOT / "tests" / "support" / "llm_server.py"), "--port", "0"]
    server += [
        "--latency_s",
        "0.03",
        "--jitter",
        "0.9",
        "--share_500",
        "0.02",
        "--share_cut",
        "0.02",
    ]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        measure(process.stdout.readline().strip(), options.kills, options.seed)
    finally:
        process.terminate()
        process.wait()


def measure(url: str, wanted: int, seed: int) -> None:
    chance, kills, extra, runs = random.Random(seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        started = time.monotonic()
        first = killed_until_it_ends(url, Path(name) / "whole.db", 0, chance, 0)
        seconds = time.monotonic() - started
        print(f"undisturbed: {first.paid} replies, {seconds:.1f} s, {first.means}", flush=True)
        while kills < wanted:
            runs += 1
            store = Path(name) / f"{runs}.db"
            found = killed_until_it_ends(url, store, runs, chance, LONGEST_S)
            whole = Path(name) / f"{runs}-whole.db"
            expected = killed_until_it_ends(url, whole, runs, chance, 0)
            more = found.paid - expected.paid
            kills, extra = kills + found.kills, extra + more
            fits = found.means == expected.means and more <= found.kills * ON_THE_WAY
            print(
                f"run {runs}: killed {found.kills} times, {found.paid} replies"
                f" ({more} more than undisturbed), means {'equal' if fits else 'BROKEN'}",
                flush=True,
            )
            if not fits:
                sys.exit(f"BROKEN: {found} instead of {expected}")
    print(
        f"{kills} kills in {runs} runs: no reply lost, no file spoilt, all means equal;"
        f" {extra / kills:.2f} replies paid twice a kill, {ON_THE_WAY} may be"
    )


if __name__ == "__main__":
    main()
