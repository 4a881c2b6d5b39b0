"""Is a short answer right, given the accepted ones?

EVOUNA on Natural Questions (Wang et al. 2023), questions kept out of training. An answer is
compared with each accepted one; the best counts.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from assay.bench import stats
from assay.bench.benchmark import Benchmark
from assay.bench.claims import fitted
from assay.bench.correctness import correctness
from assay.bench.data import Data, Record
from assay.bench.figures import Figure, figure
from assay.bench.flags import flags
from assay.bench.floors import token_f1
from assay.bench.groups import group_of, kept_out
from assay.bench.subject import Subject
from assay.tasks.verification import UNCERTAIN, is_uncertain
from assay.text.words import content_words

FILE = "correctness/evouna_nq.jsonl.gz"
KINDS: Mapping[str, int | None] = {"": 400}
_MOST_ACCEPTED = 5  # of all accepted answers; more are spellings of the same


def rows(data: Data) -> list[Record]:
    """Answers to questions that training does not see."""
    return [record for record in data.rows(FILE) if kept_out(record)]


def measure(judge: Subject, records: Sequence[Record]) -> list[Figure]:
    """AUROC of factual correctness, counted and by probabilities; answers it calls wrong."""
    asked = [(r["question"], r["answer"], known) for r in records for known in accepted(r)]
    scores = iter(correctness(judge, asked))
    counted, weighed, said, done = [], [], [], []
    for record in records:
        found = [score for _ in accepted(record) if (score := next(scores)) is not None]
        if found:
            done.append(record)
            counted.append(max(as_counted.overall for as_counted, _ in found))
            weighed.append(max(by_chance.overall for _, by_chance in found))
            said.append(max(by_chance.completeness for _, by_chance in found))
    labels = np.array([record["labels"]["correct"] for record in done], bool)
    clusters = [group_of(record) for record in done]
    rules = {
        name: np.array([max(rule(r["answer"], k) for k in accepted(r)) for r in done])
        for name, rule in _FLOORS.items()
    }
    floors = {name: stats.auroc(values, labels) for name, values in rules.items()}
    made = partial(figure, clusters=clusters, floors=floors, labels=labels)
    note = f"questions kept out of training{fitted(judge)}"
    return [
        made(f"EVOUNA, AUROC{how}", stats.auroc(values, labels), note=note)
        for how, values in (("", counted), (" by probabilities", weighed))
    ] + flags(
        "EVOUNA answers",
        [chance < UNCERTAIN[0] for chance in said],
        ~labels,
        clusters,
        {name: -values for name, values in rules.items()},
        uncertain=[is_uncertain(chance) for chance in said],
        note=note,
    )


def accepted(record: Record) -> list[str]:
    """The first few accepted answers."""
    return list(record["ground_truth"])[:_MOST_ACCEPTED]


_FLOORS: Mapping[str, Callable[[str, str], float]] = {
    "exact match": lambda answer, known: float(content_words(answer) == content_words(known)),
    "accepted answer stands in it": lambda answer, known: float(
        f" {' '.join(content_words(known))} " in f" {' '.join(content_words(answer))} "
    ),
    "token F1": token_f1,
}


BENCHMARKS = (
    Benchmark(
        name="evouna",
        family="evouna",
        about="right short answers, given the accepted ones (EVOUNA, Natural Questions)",
        files=(FILE,),
        licence="Apache-2.0",
        rows=rows,
        measure=measure,
        metrics=("factual_correctness",),
        kinds=KINDS,
    ),
)
