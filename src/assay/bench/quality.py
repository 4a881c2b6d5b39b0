"""How well each metric tells bad from good by a judge, taken from the figures of its card."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from assay.backends.embedded.card import CardFigure, Quality, Rate
from assay.bench.flags import BAD_UNCERTAIN, FOUND, GOOD_UNCERTAIN, WRONG
from assay.judge import Backend, Task
from assay.metrics import METRICS
from assay.metrics.base import Metric
from assay.middleware.wrapper import Route
from assay.run.config import asked
from assay.tasks import (
    Embed,
    EmbedTokens,
    JudgeContexts,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    VerifyStatements,
)


class Labelled(NamedTuple):
    """A labelled set, and the metrics whose flags it measures.

    Attributes:
        figures: How the names of its figures begin.
        metrics: The metrics.
        tasks: What the judge is asked there; of a metric that asks for more nothing is known.
        bad: What is to be flagged, in words.
        good: What is not.
    """

    figures: str
    metrics: tuple[str, ...]
    tasks: tuple[type[Task[Any]], ...]
    bad: str
    good: str


# Of several sets for a metric the first that was measured counts.
SETS: Sequence[Labelled] = (
    Labelled(
        "RAGTruth QA answers",
        ("faithfulness", "hallucination_spans", "hallucination_probability"),
        (SplitStatements, VerifyStatements),
        "answers with a claim that no context supports",
        "answers without one",
    ),
    Labelled(
        "AttributionBench test500",
        ("faithfulness", "hallucination_spans", "hallucination_probability"),
        (SplitStatements, VerifyStatements),
        "claims that their evidence does not support",
        "claims that it supports",
    ),
    Labelled(
        "RGB references",
        ("context_recall",),
        (SplitStatements, VerifyStatements),
        "questions whose contexts do not hold the reference",
        "whose contexts do",
    ),
    Labelled(
        "RGB passages for a known answer",
        ("context_precision",),
        (JudgeContexts,),
        "passages that do not hold the answer",
        "that do",
    ),
    Labelled(
        "MTRAG-UN contexts",
        ("context_relevance",),
        (SelectSentences,),
        "contexts found for another question",
        "found for the question",
    ),
    Labelled(
        "MTRAG-UN people's answers",
        ("answer_relevancy",),
        (RateAnswer,),
        "answers to another question",
        "answers to the question",
    ),
    Labelled(
        "EVOUNA answers",
        ("factual_correctness",),
        (SplitStatements, VerifyStatements),
        "wrong answers",
        "right answers",
    ),
)


def qualities(judge: Backend, measured: Sequence[CardFigure], rows: str = "") -> dict[str, Quality]:
    """What was found of a judge, by metric and whom it asks (`asked`).

    Args:
        judge: Who was measured.
        measured: The figures; metrics without any of theirs are left out.
        rows: How many rows were taken, in words; "" for the usual number.
    """
    by_name = {figure.name: figure for figure in measured if figure.value is not None}
    found: dict[str, Quality] = {}
    for labelled in SETS:
        kind = labelled.tasks[-1].kind
        server = Route.of(judge).to(kind)
        if (made := quality(server.name, labelled, by_name, rows)) is None:
            continue
        for metric in (METRICS[name]() for name in labelled.metrics):
            if covers(labelled, metric, lambda k: judge.identity(k) is not None):
                found.setdefault(asked(metric, judge), made)
    return found


def quality(
    judge: str, labelled: Labelled, by_name: Mapping[str, CardFigure], rows: str = ""
) -> Quality | None:
    """What the figures say of one set; None where they are missing."""

    def rate(end: str) -> Rate | None:
        figure = by_name.get(labelled.figures + end)
        return Rate(figure.value, figure.low, figure.high) if figure else None

    found, wrong = rate(FOUND), rate(WRONG)
    if found is None or wrong is None:
        return None
    first, second = by_name[labelled.figures + FOUND], by_name[labelled.figures + WRONG]
    return Quality(
        judge=judge,
        data=labelled.figures,
        bad=labelled.bad,
        good=labelled.good,
        n_bad=first.n,
        n_good=second.n,
        found=found,
        wrong=wrong,
        bad_uncertain=rate(BAD_UNCERTAIN),
        good_uncertain=rate(GOOD_UNCERTAIN),
        floor=first.floor,
        floor_name=first.floor_name,
        rows=rows,
    )


def covers(labelled: Labelled, metric: Metric, can: Callable[[type[Task[Any]]], bool]) -> bool:
    """Whether all that a metric asks of a judge is asked on the set."""
    kinds: Iterable[type[Task[Any]]] = metric.asks(can)
    return all(kind in (*labelled.tasks, Embed, EmbedTokens) for kind in kinds)
