"""Which sentences of an answer are beside the point, and which are wrong?

Fine-Grained RLHF's questions: people marked the characters that are irrelevant, and those that the
passages do not bear out. A sentence counts as marked if at least half of it is. Development data.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from assay.bench import relevance, stats
from assay.bench.answers import marked
from assay.bench.benchmark import Benchmark
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.floors import UNSUPPORTED, Rule, shared_words
from assay.bench.stats import Statistic
from assay.bench.subject import Subject, Text, answered
from assay.tasks import RateAnswer, SelectSentences, VerifyStatements
from assay.text.sentences import spans

FILE = "triad/finegrained_rlhf_qa_feedback.jsonl.gz"
KINDS: Mapping[str, int | None] = {"": 200}
BESIDE = ("Irrelevant", "Redundant")
UNFAITHFUL = ("Wrong-Grounding", "Unverifiable")


def rows(data: Data) -> list[Record]:
    """All answers with at least one sentence."""
    return [record for record in data.rows(FILE) if record["answer"].strip()]


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """AUROC of irrelevant and of unfaithful sentences, and of answers with something beside."""
    found = [_irrelevant(judge, _parts(records)), _unfaithful(judge, records)]
    if judge.can(RateAnswer):
        found += _rated(judge, records)
    return found


def _irrelevant(judge: Subject, parts: Sequence[tuple[Record, int, int]]) -> Figure:
    asked = [(record["question"], record["answer"][start:end]) for record, start, end in parts]
    scores = relevance.ranked(judge, asked)
    floors: Mapping[str, Callable[[Record, str], float]] = {
        "share of the question's words": lambda r, text: -shared_words(r["question"], text),
        "later sentence": lambda r, text: float(r["answer"].find(text)),
    }
    return _figure("irrelevant sentences", BESIDE, parts, scores, floors)


def _parts(records: Sequence[Record]) -> list[tuple[Record, int, int]]:
    return [(r, start, end) for r in records for start, end in spans(r["answer"])]


def _unfaithful(judge: Subject, records: Sequence[Record]) -> Figure:
    texts = [
        Text(r["question"], r["answer"], tuple(r["contexts"]), tuple(spans(r["answer"])))
        for r in records
    ]
    checked = list(zip(records, judge.check(texts), strict=True))
    parts = _parts([record for record, found in checked if found is not None])
    scores = [chance for _, found in checked if found is not None for chance in found.probabilities]
    floors = {name: partial(_by, rule) for name, rule in UNSUPPORTED.items()}
    return _figure("unfaithful sentences", UNFAITHFUL, parts, scores, floors)


def _by(rule: Rule, record: Record, text: str) -> float:
    return rule(text, record["contexts"])


def _figure(
    name: str,
    types: Sequence[str],
    parts: Sequence[tuple[Record, int, int]],
    scores: Sequence[float | None],
    floors: Mapping[str, Callable[[Record, str], float]],
) -> Figure:
    done = answered(parts, scores)
    labels = np.array([is_marked(part, types) for part, _ in done], bool)
    trivial: dict[str, Statistic] = {
        rule: stats.auroc([floor(r, r["answer"][a:b]) for (r, a, b), _ in done], labels)
        for rule, floor in floors.items()
    }
    return figure(
        f"Fine-Grained RLHF {name}, AUROC",
        stats.auroc([-score for _, score in done], labels),
        [part[0]["id"] for part, _ in done],
        trivial,
        labels=labels,
    )


def is_marked(part: tuple[Record, int, int], types: Sequence[str]) -> bool:
    """Whether at least half of these characters bear errors of these types."""
    record, start, end = part
    errors = [(e["start"], e["end"]) for e in record["labels"]["errors"] if e["type"] in types]
    return bool(marked(len(record["answer"]), errors)[start:end].mean() >= 0.5)


def _rated(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    ratings = judge.answers([RateAnswer(r["question"], r["answer"]) for r in records])
    done = [(r, rating.relevance) for r, rating in answered(records, ratings)]
    beside = np.array([r["labels"]["irrelevant_fraction"] for r, _ in done], float)
    scores = np.array([score for _, score in done])
    shorter = [float(len(record["answer"])) for record, _ in done]
    clusters = [record["id"] for record, _ in done]
    return [
        figure(
            "Fine-Grained RLHF answers with something irrelevant, AUROC",
            stats.auroc(-scores, beside > 0),
            clusters,
            {"longer answer": stats.auroc(shorter, beside > 0)},
            labels=beside > 0,
        ),
        figure(
            "Fine-Grained RLHF irrelevant share, Pearson of 1 - relevance",
            stats.pearson(-scores, beside),
            clusters,
            {"longer answer": stats.pearson(shorter, beside)},
        ),
    ]


BENCHMARKS = (
    Benchmark(
        name="finegrained",
        family="finegrained",
        about="sentences that are beside the point or wrong (Fine-Grained RLHF)",
        files=(FILE,),
        licence="Apache-2.0",
        rows=rows,
        measure=measure,
        tasks=(SelectSentences, VerifyStatements),
        kinds=KINDS,
    ),
)
