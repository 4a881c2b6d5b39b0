"""Is an answer that a person gave rated above the answer to the question most like it?

People answered the questions of CLAPnq, PubMedQA (an abstract's conclusion), MTRAG-UN and FiQA in
words of their own, which often are not the question's. Each question is shown with its answer and
with that of the question most like it in words. Of CLAPnq and PubMedQA, on which the embedded
judge's combination is fitted, only the fold that is kept out of that is measured.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from assay.bench import apart, stats
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import shared_words
from assay.bench.neighbours import nearest
from assay.bench.subject import Subject, answered
from assay.tasks import RateAnswer

PASSED = 0.5


class _Set(NamedTuple):
    title: str
    file: str
    licence: str
    fitted: bool  # whether rows of other folds fit the embedded judge


SETS = {  # by the data set that rows name
    "clapnq": _Set("CLAPnq", "retrieval/clapnq.jsonl.gz", "Apache-2.0", fitted=True),
    "pubmedqa": _Set("PubMedQA", "retrieval/pubmedqa.jsonl.gz", "MIT", fitted=True),
    "mtrag_un": _Set("MTRAG-UN", "robustness/mtrag_un.jsonl.gz", "Apache-2.0", fitted=False),
    "fiqa": _Set("FiQA", "examples/fiqa30.jsonl", "Apache-2.0", fitted=False),
}


class Pair(NamedTuple):
    """A question and an answer, which is its own or another's."""

    question: str
    answer: str
    own: bool


def rows(data: Data, *, fitting: bool = False) -> list[Record]:
    """All rows that a person answered; of sets that fit the judge those that do not, or only those.

    Args:
        data: Where the files are.
        fitting: Whether the rows that the embedded judge may be fitted on are wanted instead.
    """
    files = [(one.file, one.fitted) for one in SETS.values()]
    return apart.rows(data, files, lambda record: bool(_answer(record)), fitting=fitting)


def kind(record: Record) -> str:
    """The data set."""
    return str(record["dataset"])


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"{SETS[kind].title} people's answers, "


def pairs(records: Sequence[Record]) -> Iterator[Pair]:
    """Each question with its answer, and with the answer to the question most like it."""
    likest = nearest([record["question"] for record in records])
    for record, near in zip(records, likest, strict=True):
        yield Pair(record["question"], _answer(record), own=True)
        if near is not None:
            yield Pair(record["question"], _answer(records[near]), own=False)


def _answer(record: Record) -> str:
    """What a person answered; "" where that is no answer, or one in part only."""
    labels = record.get("labels") or {}
    if labels.get("answerability", "ANSWERABLE") != "ANSWERABLE":
        return ""
    known = record.get("ground_truth") or ""
    return str(known if isinstance(known, str) else known[0]).strip()


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Of each set: AUROC of relevance, and balanced accuracy at one half."""
    found: list[Figure] = []
    for name in SETS:
        mine = [record for record in records if kind(record) == name]
        if mine:
            found += _figures(judge, title(name), list(pairs(mine)))
    return found


def _figures(judge: Subject, begins: str, asked: Sequence[Pair]) -> list[Figure]:
    rated = judge.answers([RateAnswer(pair.question, pair.answer) for pair in asked])
    done = answered(asked, rated)
    own = np.array([pair.own for pair, _ in done], bool)
    scores = np.array([rating.relevance for _, rating in done], float)
    floor = np.array([shared_words(pair.question, pair.answer) for pair, _ in done], float)
    make = partial(figure, clusters=[pair.question for pair, _ in done], labels=own)
    rule = "share of the question's words"
    return [
        make(f"{begins}AUROC", stats.auroc(scores, own), floors={rule: stats.auroc(floor, own)}),
        make(
            f"{begins}balanced accuracy at one half",
            stats.balanced(scores >= PASSED, own),
            floors={rule: stats.balanced(floor >= PASSED, own)},
        ),
        *flags(
            begins.removesuffix(", "),
            scores < PASSED,
            ~own,
            [pair.question for pair, _ in done],
            {rule: -floor},
        ),
    ]


BENCHMARKS = (
    Benchmark(
        name="addressed",
        family="addressed",
        about="answers that people gave, beside answers to like questions",
        files=tuple(one.file for one in SETS.values()),
        licence="; ".join(dict.fromkeys(one.licence for one in SETS.values())),
        rows=rows,
        measure=measure,
        tasks=(RateAnswer,),
        kinds=dict.fromkeys(SETS, 200),
        kind=kind,
        title=title,
    ),
)
