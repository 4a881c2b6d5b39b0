"""How often does the better of two answers or contexts score higher, on WikiEval?

The three comparisons of the RAGAS paper (Es et al. 2023, section 5): for each of 50 questions, two
answers or contexts of which one is better. Agreement is the share of pairs in which the better one
scores higher; a tie counts half, and so does a pair that could not be scored.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from assay.bench import stats
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.subject import Subject
from assay.metrics import METRICS
from assay.sample import Sample

FILE = "wikieval/wikieval_pairs.jsonl"
DIMENSIONS: Final = {
    "faithfulness": "faithfulness",
    "answer_relevance": "answer_relevancy",
    "context_relevance": "context_relevance",
}
KINDS: Mapping[str, int | None] = dict.fromkeys(DIMENSIONS)


def side(pair: Record, which: str) -> Record:
    """One side of a pair as a row of a data set."""
    answer = pair.get(f"answer_{which}") or pair.get("answer")
    contexts = pair.get(f"contexts_{which}") or pair.get("contexts")
    return {
        "id": f"{pair['id']}-{which}",
        "question": pair["question"],
        "contexts": contexts or [],
        "answer": answer or "",
    }


def words(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return re.findall(r"\w+", text.lower())


def overlap(row: Record) -> float:
    """Share of the answer's words that stand in the contexts."""
    known = set(words(" ".join(row["contexts"])))
    found = words(row["answer"])
    return sum(word in known for word in found) / max(1, len(found))


FLOORS: Final[Mapping[str, tuple[str, Callable[[Record], float]]]] = {
    "faithfulness": ("share of answer words in the context", overlap),
    "answer_relevance": ("the longer answer", lambda row: len(row["answer"])),
    "context_relevance": ("the shorter context", lambda row: -len(" ".join(row["contexts"]))),
}


def credit(pair: Record, a: float | None, b: float | None) -> float:
    """1 for agreement, 0 for disagreement, 0.5 for a tie or an unscored side."""
    if a is None or b is None or a == b:
        return 0.5
    return float((a > b) == (pair["labels"]["better"] == "a"))


def rows(data: Data) -> list[Record]:
    """All pairs."""
    return data.rows(FILE)


def kind(record: Record) -> str:
    """What people compared."""
    return str(record["labels"]["dimension"])


def title(kind: str) -> str:
    """How the names of its figures begin."""
    return f"WikiEval {kind}, "


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
    pairs_of = zip(values[::2], values[1::2], strict=True)
    tied = sum(a is None or b is None or a == b for a, b in pairs_of)
    return figure(
        f"WikiEval {name}, agreement",
        stats.mean(agreed),
        [pair["question"] for pair in pairs],
        {rule: stats.mean(trivial)},
        note=f"{tied} ties or unscored count half" if tied else "",
    )


def _sample(pair: Record, which: str) -> Sample:
    row = side(pair, which)
    return Sample(
        id=row["id"],
        question=row["question"],
        answer=row["answer"],
        contexts=tuple(row["contexts"]),
    )


BENCHMARKS = (
    Benchmark(
        name="wikieval",
        family="wikieval",
        about="the better of two answers or contexts (WikiEval)",
        files=(FILE,),
        licence="MIT copy of WikiEval (texts of Wikipedia)",
        rows=rows,
        measure=measure,
        metrics=tuple(DIMENSIONS.values()),
        kinds=KINDS,
        kind=kind,
        title=title,
    ),
)
