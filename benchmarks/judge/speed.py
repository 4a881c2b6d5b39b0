"""How fast is the judge, as a share of its own bare model; how long does it load, what memory?

A pair is one statement and one context that together have so many tokens, verified through the
judge with two threads, against the bare model's runs on so many tokens with two threads.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from assay.bench import groundedness
from assay.bench.benchmark import Benchmark, Figure
from assay.bench.data import Record
from assay.bench.judge import JudgeUnderTest, Text
from assay.judges.embedded import Embedded
from assay.tasks import Statement, VerifyStatements
from benchmarks.judge.hooks import Run, model_of, model_sizes

THREADS = 2
LENGTHS = (128, 256)
_PAIRS = 60
_ROUNDS = 5
_TURNS = 3
_WORDS_PER_TOKEN = 0.75
_FRESH = """
import asyncio, resource, sys, time
start = time.perf_counter()
import assay
from assay.tasks import Statement, VerifyStatements
judge = assay.Judge(assay.backend("embedded"))
task = VerifyStatements((Statement("s1", "It opened in 1932."),), ("It opened in May 1932.",))
asyncio.run(judge(task))
loaded = time.perf_counter() - start
long = VerifyStatements(task.statements, (" ".join(["The bridge has eight lanes."] * 2000),))
asyncio.run(judge(long))
if sys.platform == "linux":  # ru_maxrss there is at least the parent's own peak
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024)
print(loaded, peak)
"""


def measure(asked: JudgeUnderTest, records: Sequence[Record]) -> list[Figure]:
    """Rates, shares of the bare model's, load time and memory."""
    judge = JudgeUnderTest(asked.backend)  # as it is: a store would be timed as well
    found = [_answers(judge, records)]
    if isinstance(judge.backend, Embedded):
        found += [one for length in LENGTHS for one in _shares(length)]
        found += _fresh()
        sizes = model_sizes(judge.backend)
        megabytes = sum(sizes.values()) / 1e6
        found.append(_one("model files, MB", [megabytes], note=", ".join(sizes)))
    return found


def _answers(judge: JudgeUnderTest, records: Sequence[Record]) -> Figure:
    texts = [groundedness.ragtruth_text(record) for record in records]
    judge.check([Text.claim("It opened.", ("It opened in 1932.",))])  # loads the models
    rates = []
    for turn in range(_TURNS):  # other answers each time: passes through the models are remembered
        some = texts[turn::_TURNS]
        start = time.perf_counter()
        judge.check(some)
        rates.append(len(some) / (time.perf_counter() - start))
    return _one("speed, RAGTruth QA answers split and verified a second", rates)


def _shares(length: int) -> list[Figure]:
    judge = JudgeUnderTest(Embedded(THREADS))
    bare = model_of(judge.backend)
    assert bare is not None
    run = bare(length)
    # In turns, so that other load on the machine falls on both alike.
    mine, its = [], []
    for i in range(_ROUNDS + 1):
        judged, ran = _rate(lambda i=i: _verify(judge, length, i)), _rate(lambda: _bare(run))
        if i:  # the first round warms up
            mine.append(judged)
            its.append(ran)
    shares = [m / b for m, b in zip(mine, its, strict=True)]
    return [
        _one(f"speed, pairs a second at {length} tokens", mine),
        _one(f"speed, share of the bare model at {length} tokens", shares),
    ]


def _rate(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return _PAIRS / (time.perf_counter() - start)


def _bare(run: Run) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: run(), range(_PAIRS)))


def _verify(judge: JudgeUnderTest, length: int, turn: int) -> None:
    # Words of their own in every pair and round: nothing can be known from the last one.
    words = int(length * _WORDS_PER_TOKEN)
    tasks = []
    for i in range(_PAIRS):
        seed = np.random.default_rng(turn * _PAIRS + i)
        text = [_SOME[k] for k in seed.integers(0, len(_SOME), words)]
        sentences = [" ".join(text[k : k + 15]).capitalize() + "." for k in range(0, words, 15)]
        statement = Statement("s1", sentences[0])
        tasks.append(VerifyStatements((statement,), (" ".join(sentences[1:]),)))
    judge.answers(tasks)


_SOME = (
    *("the", "a", "of", "in", "and", "river", "city", "council", "opened", "carries", "lanes"),
    *("water", "trains", "people", "number", "year", "first", "second", "measured", "wide", "long"),
    *("north", "engineer", "steel", "public", "large", "small", "until", "report", "market"),
)


def _fresh() -> list[Figure]:
    found = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", _FRESH], capture_output=True, check=True)
        found.append([float(number) for number in done.stdout.split()])
    loads, peaks = zip(*found, strict=True)
    note = "a new process: import, load, first verdict"
    return [
        _one("load time, seconds", loads, note=note, lower_is_better=True),
        _one("peak memory, MB", peaks, note="10,000 words of context", lower_is_better=True),
    ]


def _one(
    name: str, values: Sequence[float], *, note: str = "", lower_is_better: bool = False
) -> Figure:
    """The median of a few rounds, with the range of all of them."""
    return Figure(
        name=name,
        value=float(np.median(values)),
        low=min(values),
        high=max(values),
        n=len(values),
        note=note,
        lower_is_better=lower_is_better,
    )


SPEED = Benchmark(
    name="speed",
    family="speed",
    about="answers and pairs a second, load time, memory",
    files=(groundedness.RAGTRUTH,),  # questions with contexts and answers, for the rate of real use
    licence="",
    measure=measure,
    kinds={"QA": 180},
    kind=groundedness.ragtruth_task,
)
