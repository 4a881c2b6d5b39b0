"""How often does the better of two answers or contexts score higher, on WikiEval?

The same pairs, floors and credit as `benchmarks/wikieval.py`, which reports one judge at a time.
"""

from collections.abc import Mapping, Sequence

import assay
from assay.metrics import METRICS
from benchmarks.data import Record, load
from benchmarks.judge import stats
from benchmarks.judge.figures import Figure, figure
from benchmarks.judge.subject import Subject
from benchmarks.wikieval import FLOORS, credit, side
from benchmarks.wikieval import METRICS as DIMENSIONS

NAME = "wikieval"
KINDS: Mapping[str, int | None] = dict.fromkeys(DIMENSIONS)


def rows() -> list[Record]:
    """All pairs."""
    return load("wikieval/wikieval_pairs.jsonl")


def kind(record: Record) -> str:
    """What people compared."""
    return str(record["labels"]["dimension"])


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """Share of pairs in which the judge agrees, for each of the three comparisons."""
    return [
        _figure(judge, name, [record for record in records if kind(record) == name])
        for name in DIMENSIONS
    ]


def _figure(judge: Subject, name: str, pairs: Sequence[Record]) -> Figure:
    samples = [_sample(pair, which) for pair in pairs for which in "ab"]
    found = judge.outcomes(METRICS[DIMENSIONS[name]](), samples)
    values = [None if score is None else score.value for score in found]
    agreed = [credit(p, a, b) for p, a, b in zip(pairs, values[::2], values[1::2], strict=True)]
    rule, floor = FLOORS[name]
    trivial = [credit(p, floor(side(p, "a")), floor(side(p, "b"))) for p in pairs]
    tied = sum(a == b for a, b in zip(values[::2], values[1::2], strict=True))
    return figure(
        f"WikiEval {name}, agreement",
        stats.mean(agreed),
        [pair["question"] for pair in pairs],
        {rule: stats.mean(trivial)},
        note=f"{tied} ties or unscored count half" if tied else "",
    )


def _sample(pair: Record, which: str) -> assay.Sample:
    row = side(pair, which)
    return assay.Sample(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        contexts=tuple(row["contexts"]),
    )
