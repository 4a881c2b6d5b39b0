"""The card of a judge: what was measured, and how well each metric tells bad from good by it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay._middleware.wrapper import Route
from assay._runner.plan import asked
from assay._text.text_kinds import PASSAGES, RECORDS, SUMMARIES, on_texts
from assay._version import __version__
from assay.bench.benchmark import BAD_FLAGGED, BAD_UNCERTAIN, GOOD_FLAGGED, GOOD_UNCERTAIN, Figure
from assay.errors import InputError
from assay.judge import Backend, Task
from assay.judges.embedded.card import CardFigure, Quality, Rate
from assay.metrics import METRICS
from assay.metrics.base import Metric
from assay.tasks import (
    Embed,
    EmbedTokens,
    JudgeContexts,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    VerifyStatements,
)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What was found on one set, or why nothing was."""

    name: str  # the set
    about: str  # what was measured
    skipped: str = ""  # why it was not measured; "" if it was
    figures: tuple[Figure, ...] = ()  # the numbers
    calls: int = 0  # different replies that they rest on, known ones included
    unanswered: int = 0  # questions without a readable reply, or without a score
    tokens_in: int = 0  # prompt tokens of the replies
    tokens_out: int = 0  # reply tokens
    seconds: float = 0.0  # seconds that the replies took, added up
    money: float | None = None  # what the tokens cost; None without a price


@dataclass(frozen=True, kw_only=True)
class JudgeCard:
    """How far a judge agrees with people."""

    judge: str  # who was measured, version included
    limit: int | None = None  # rows of each kind at most; None if that was not bounded
    full: bool = False  # whether all rows were taken
    # What a million prompt and reply tokens cost, None if nobody said.
    price: tuple[float, float] | None = None
    # Fitted on training rows, by who needs them, then by who decides.
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    sets: tuple[Measured, ...] = ()  # what was found on each set
    # How well the scores of each metric by it tell bad from good, by the metric and whom it asks.
    quality: Mapping[str, Quality] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what else has to be known of it
    stopped: str = ""  # why it ended early, "" if it did not
    assay: str = __version__  # the version that measured


def read(path: str | Path) -> JudgeCard:
    """A card that `assay bench --out` wrote as JSON.

    Raises:
        InputError: If it is not there, or is no such card.
    """
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=JudgeCard)
    except OSError as error:
        fault = f"the card '{path}' cannot be read: {error.strerror or error}"
        raise InputError(fault, "`assay bench --out card.json` writes one") from error
    except msgspec.MsgspecError as error:
        fault = f"'{path}' is not a judge card: {error}"
        hint = "`assay bench --out card.json` writes one"
        with suppress(msgspec.MsgspecError):
            if "threshold" in msgspec.json.decode(Path(path).read_bytes(), type=dict[str, Any]):
                fault = f"'{path}' is the card of a calibration, not of a judge"
                hint = "`assay calibrate RUN --card FILE` applies it; " + hint
        raise InputError(fault, hint) from error


class Labelled(NamedTuple):
    """A labelled set, and the metrics whose flags it measures."""

    figures: str  # how the names of its figures begin
    metrics: tuple[str, ...]  # the metrics
    # What the judge is asked there; of a metric that asks for more nothing is known.
    tasks: tuple[type[Task[Any]], ...]
    bad: str  # what is to be flagged, in words
    good: str  # what is not
    texts: str = PASSAGES  # what kind of texts it is of


# Of several sets for a metric and a kind of texts the first that was measured counts.
SETS: Sequence[Labelled] = (
    Labelled(
        "RAGTruth QA answers",
        ("faithfulness", "hallucination_spans", "hallucination_probability"),
        (SplitStatements, VerifyStatements),
        "answers with a claim that no context supports",
        "answers without one",
    ),
    *(
        Labelled(
            figures,
            ("faithfulness", "hallucination_spans", "hallucination_probability"),
            (SplitStatements, VerifyStatements),
            "answers with a claim that no context supports",
            "answers without one",
            texts,
        )
        for figures, texts in (
            ("RAGTruth Data2txt answers", RECORDS),
            ("RAGTruth Summary answers", SUMMARIES),
        )
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
    by_metric: dict[str, Quality] = {}
    for labelled in SETS:
        kind = labelled.tasks[-1].kind
        server = Route.of(judge).to(kind)
        if (quality_found := quality(server.name, labelled, by_name, rows)) is None:
            continue
        for metric in (METRICS[name]() for name in labelled.metrics):
            if covers(labelled, metric, lambda k: judge.identity(k) is not None):
                by_metric.setdefault(on_texts(asked(metric, judge), labelled.texts), quality_found)
    return by_metric


def quality(
    judge: str, labelled: Labelled, by_name: Mapping[str, CardFigure], rows: str = ""
) -> Quality | None:
    """What the figures say of one set; None where they are missing."""

    def rate(end: str) -> Rate | None:
        figure = by_name.get(labelled.figures + end)
        return Rate(figure.value, figure.low, figure.high) if figure else None

    hits, wrong = rate(BAD_FLAGGED), rate(GOOD_FLAGGED)
    if hits is None or wrong is None:
        return None
    first, second = (
        by_name[labelled.figures + BAD_FLAGGED],
        by_name[labelled.figures + GOOD_FLAGGED],
    )
    return Quality(
        judge=judge,
        data=labelled.figures,
        bad=labelled.bad,
        good=labelled.good,
        n_bad=first.n,
        n_good=second.n,
        found=hits,
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
