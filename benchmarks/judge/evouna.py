"""Is a short answer right, given the accepted ones?

EVOUNA on Natural Questions (Wang et al. 2023), questions kept out of training. An answer is
compared with each accepted one; the best counts.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from training.groups import group_of, kept_out

from assay.text.words import content_words
from benchmarks.data import Record, load
from benchmarks.judge import stats
from benchmarks.judge.claims import FITTED
from benchmarks.judge.correctness import correctness
from benchmarks.judge.figures import Figure, figure
from benchmarks.judge.floors import token_f1
from benchmarks.judge.subject import Subject

NAME = "evouna"
KINDS: Mapping[str, int | None] = {"": 400}
_MOST_ACCEPTED = 5  # of all accepted answers; more are spellings of the same


def rows() -> list[Record]:
    """Answers to questions that training does not see."""
    return [record for record in load("correctness/evouna_nq.jsonl.gz") if kept_out(record)]


def kind(record: Record) -> str:  # noqa: ARG001 - all are of one kind
    """All of one kind."""
    return ""


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """AUROC of factual correctness, as the metric counts it and by probabilities."""
    asked = [(r["question"], r["answer"], known) for r in records for known in accepted(r)]
    scores = iter(correctness(judge, asked))
    counted, weighed, done = [], [], []
    for record in records:
        found = [score for _ in accepted(record) if (score := next(scores)) is not None]
        if found:
            done.append(record)
            counted.append(max(as_counted.overall for as_counted, _ in found))
            weighed.append(max(by_chance.overall for _, by_chance in found))
    labels = np.array([record["labels"]["correct"] for record in done], bool)
    clusters = [group_of(record) for record in done]
    floors = {
        name: stats.auroc([max(rule(r["answer"], k) for k in accepted(r)) for r in done], labels)
        for name, rule in _FLOORS.items()
    }
    note = f"questions kept out of training; {FITTED}"
    return [
        figure(f"EVOUNA, AUROC{how}", stats.auroc(values, labels), clusters, floors, note=note)
        for how, values in (("", counted), (" by probabilities", weighed))
    ]


def accepted(record: Record) -> list[str]:
    """The first few accepted answers."""
    return list(record["ground_truth"])[:_MOST_ACCEPTED]


_FLOORS: Mapping[str, Callable[[str, str], float]] = {
    "exact match": lambda answer, known: float(content_words(answer) == content_words(known)),
    "accepted answer stands in it": lambda answer, known: float(
        f" {' '.join(content_words(known))} " in f" {' '.join(content_words(answer))} "
    ),
    "token F1": lambda answer, known: token_f1(answer, known)[0],
}
