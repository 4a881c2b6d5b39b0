"""How many samples a second does the embedded judge do, and what share of that is arithmetic?

    python -m benchmarks.embedded [--samples 120] [--threads 2]

Each round evaluates new samples by the five metrics of RAGAS, the durable store on, and then makes
the very same passes again through the bare models: what that takes is the models' own arithmetic.
Shares are of processor time, so that other load on the machine falls on both alike. One by one
stands for plain inference: every statement beside every context alone, every sentence beside the
question alone and by itself, each once however many metrics ask, one pass after the other.

The samples are questions with three passages from RAGTruth in $ASSAY_DATA; the reference is the
answer of another model. A second process verifies one statement of 20,000 words against contexts of
5,000 sentences.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assay
from assay._text.sentences import sentences
from assay._text.statements import statements
from assay.judges.embedded import Embedded, embedding, reader
from assay.judges.embedded.evidence import prepare
from assay.judges.embedded.inference import Passes
from assay.judges.embedded.reader import Window, answering, supporting
from benchmarks.calls import RAGAS
from benchmarks.data import ROOT, Record, load

ROUND = 20  # samples
LUNCH = 10_000  # samples
_LONG = """
import random, time
from assay.judges.embedded.reader import Reader
from assay.judges.embedded.verification import support
random.seed(0)
words = ["".join(random.choices("abdegiklmnorstu", k=random.randint(2, 8))) for _ in range(3000)]
said = lambda n: " ".join(random.choices(words, k=n)).capitalize() + "."
contexts = [" ".join(said(12) for _ in range(50)) for _ in range(100)]
start, own = time.process_time(), time.thread_time()
support([said(20_000)], contexts, Reader())
print(time.process_time() - start, time.thread_time() - own)
"""


def rows(n: int) -> list[dict[str, Any]]:
    """Samples of as many questions, each with the answers of two models."""
    by_question: dict[str, list[Record]] = {}
    for part in ("train", "test"):
        for record in load(f"ragtruth/ragtruth_{part}.jsonl.gz"):
            if record["meta"]["task_type"] == "QA":
                by_question.setdefault(record["question"], []).append(record)
    return [
        {
            "question": question,
            "contexts": one["contexts"],
            "answer": one["answer"],
            "reference": other["answer"],
        }
        for question, (one, other, *_) in (f for f in by_question.items() if len(f[1]) > 1)
    ][:n]


@dataclass(frozen=True)
class Round:
    """What one round took.

    Attributes:
        samples: How many samples.
        wall: Seconds of the evaluation.
        cpu: Seconds of processor time of the evaluation.
        bare: Seconds of processor time of its passes through the bare models.
        passes: How many passes those are.
        alone: How many passes inference one by one takes.
        alone_cpu: Seconds of processor time of these.
    """

    samples: int
    wall: float
    cpu: float
    bare: float
    passes: int
    alone: int
    alone_cpu: float


Job = Callable[[], object]


@contextmanager
def noted(passes: Passes[Any, Any], jobs: list[Job]) -> Iterator[None]:
    """Every pass that is made meanwhile, as something that makes it again."""
    run = passes._run  # noqa: SLF001 - what is measured

    def noting(text: Any) -> Any:
        jobs.append(lambda: run(text))
        return run(text)

    passes._run = noting  # noqa: SLF001
    try:
        yield
    finally:
        passes._run = run  # noqa: SLF001


def measured(given: Sequence[dict[str, Any]], judge: Embedded, store: Path) -> Round:
    """Evaluate samples, then make their passes again, and those of inference one by one."""
    made: list[Job] = []
    start, before = time.perf_counter(), time.process_time()
    with noted(reader.passes, made), noted(embedding.sentences, made):
        assay.evaluate(given, RAGAS, judge, store=store)
    wall, cpu = time.perf_counter() - start, time.process_time() - before
    alone = [job for row in given for job in _alone(row)]
    return Round(len(given), wall, cpu, _cpu(made), len(made), len(alone), _cpu(alone))


def _cpu(jobs: Sequence[Job]) -> float:
    before = time.thread_time()
    for job in jobs:
        job()
    return time.thread_time() - before


def _alone(row: dict[str, Any]) -> Iterator[Job]:
    """The passes of inference one by one."""
    question, contexts = row["question"], row["contexts"]
    for text in (row["answer"], row["reference"]):
        for statement in statements(text, question):
            other = row["reference"] if text is row["answer"] else row["answer"]
            for context in (*contexts, other):
                evidence = prepare([context])
                yield from _read(supporting([statement.text], evidence, reader.tokenise))
    for text in (*contexts, row["answer"]):
        for sentence in sentences(text):
            yield from _read(answering(question, [sentence], reader.tokenise))
            ids = tuple(reader.tokenise(sentence).ids.tolist())
            yield lambda ids=ids: embedding._run(ids)  # type: ignore[misc]  # noqa: SLF001


def _read(windows: Sequence[Window]) -> Iterator[Job]:
    for window in windows:
        yield lambda w=window: reader._run((w.ids, w.types))  # type: ignore[misc]  # noqa: SLF001


def table(rounds: Sequence[Round], threads: int) -> str:
    """What all rounds say together; shares by round, so that their spread is seen."""
    n = sum(one.samples for one in rounds)
    cpu, wall = sum(one.cpu for one in rounds) / n, sum(one.wall for one in rounds) / n
    shares = [one.bare / one.cpu for one in rounds]
    ratios = [one.alone_cpu / one.bare for one in rounds]
    lines = [
        ("samples a second, as the machine was", f"{1 / wall:.2f}"),
        ("processor time a sample, ms", f"{cpu * 1000:.0f}"),
        (f"samples a second that this allows on {threads} free cores", f"{threads / cpu:.2f}"),
        (f"{LUNCH:,} samples at that rate, minutes", f"{LUNCH * cpu / threads / 60:.0f}"),
        ("share of the models' own arithmetic", _spread(shares)),
        ("passes a sample", f"{sum(one.passes for one in rounds) / n:.1f}"),
        ("passes a sample one by one", f"{sum(one.alone for one in rounds) / n:.1f}"),
        ("processor time one by one, times ours", _spread(ratios)),
        ("peak memory, MB", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}"),
    ]
    return "\n".join(["| what | |", "|---|---:|", *(f"| {a} | {b} |" for a, b in lines)])


def _spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=120)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    found = rows(given.samples + 2)
    random.Random(0).shuffle(found)
    judge = Embedded(given.threads)
    rounds = []
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "embedded.db"
        measured(found[:2], judge, store)  # loads the models
        for start in range(2, len(found), ROUND):
            one = measured(found[start : start + ROUND], judge, store)
            print(json.dumps(one.__dict__), file=sys.stderr, flush=True)
            rounds.append(one)
    print(table(rounds, given.threads))
    done = subprocess.run(
        [sys.executable, "-c", _LONG], capture_output=True, check=True, cwd=ROOT, text=True
    )
    whole, own = map(float, done.stdout.split())
    print(f"\n20,000 words beside 5,000 sentences: {whole:.0f} s of processor time, {own:.1f} s of")
    print("them outside the models")


if __name__ == "__main__":
    main()
