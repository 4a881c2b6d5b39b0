"""Nuggets: the facts that an answer should hold, of which some are vital."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated, Any, Final, Literal

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric
from assay.metrics.correctness import Beta, f_beta
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.stats.intervals import wilson
from assay.tasks import ChooseLabel, Statement, VerifyStatements

VITAL: Final = "vital"
_Z: Final = 1.96  # of intervals that hold in 95 of 100 cases
_OKAY = 0.5  # what an okay nugget weighs beside a vital one (TREC 2024 RAG)
_ASSIGN = "How far does the answer hold the nugget, a fact that answers should state?"
_LABELS: Final = (
    ("not_support", "the answer does not state it, or denies it"),
    ("partial_support", "the answer states a part of it"),
    ("support", "the answer states all of it, in whatever words"),
)
_VALUES: Final = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
BY_VERDICTS: Final = "support by verdicts of a judge that knows no partial support"


async def assign(sample: Sample, judge: Judge) -> tuple[Part, ...]:
    """One part for each nugget: support, partial_support or not_support by the answer.

    Its value is 1, 0.5 or 0. A judge that chooses no labels verifies each nugget against the
    answer instead: its value is the probability of support then, where it gives one.
    """
    nuggets, answer = sample.nuggets or {}, sample.answer or ""
    if blank(answer):
        return tuple(Part("nugget", text, "not_support", 0.0, "no answer") for text in nuggets)
    if judge.can(ChooseLabel):
        texts = (("question", sample.question or ""), ("answer", answer))
        tasks = [ChooseLabel(_ASSIGN, _LABELS, (*texts, ("nugget", text))) for text in nuggets]
        return tuple(
            Part("nugget", text, label.value, _VALUES[label.value], label.reason)
            for text, label in zip(nuggets, await judge.each(tasks), strict=True)
        )
    statements = tuple(Statement(f"s{n}", text) for n, text in enumerate(nuggets, start=1))
    verdicts = await judge(VerifyStatements(statements, (answer,)))
    return tuple(
        Part(
            "nugget",
            text,
            "support" if verdict.supported else "not_support",
            verdict.support,
            verdict.reason,
            quote=verdict.quote,
            probability=verdict.probability,
        )
        for text, verdict in zip(nuggets, verdicts, strict=True)
    )


@dataclass(frozen=True)
class _OfNuggets(Metric):
    """What metrics of nuggets share; no metric by itself."""

    needs = ("question", "answer", "nuggets")
    tasks = (ChooseLabel,)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Labels of a judge that chooses them, else verdicts."""
        return (ChooseLabel,) if can(ChooseLabel) else (VerifyStatements,)


@dataclass(frozen=True)
class NuggetRecall(_OfNuggets):
    """Share of the nuggets that an answer states; without an LLM, its length tells coverage better.

    Nuggets are the facts that an answer to the question should hold.
    A nugget is vital or okay, as the data say. "vital" counts the vital ones only, "all" all of
    them alike, "weighted" all of them with okay ones as half a vital one. Strict, a nugget counts
    only if the answer states all of it; else one that it states in part counts half (by a judge
    without labels, each with its probability of support). In [0, 1]; details give all six values
    (V, A and W, each strict as well) and the value's 95 % Wilson interval, "low" and "high", as if
    the nuggets were drawn at random. Undefined without a nugget that counts. A longer answer
    holds more nuggets: read it beside `nugget_f`, which charges for length.

    By the embedded judge it finds the answer with the better coverage, by crowd votes, in .62 of
    the pairs, the longer answer is it in .73 (docs/nuggets.md).

    Args:
        over: "vital", "all" or "weighted".
        strict: Whether a nugget counts only if all of it is stated.
    """

    over: Literal["vital", "all", "weighted"] = "vital"
    strict: bool = True

    name = "nugget_recall"
    source = "Pradeep et al. 2024, AutoNuggetizer (arXiv 2411.09607); TREC 2024 RAG track"

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Assign each nugget to the answer, and count."""
        nuggets = sample.nuggets or {}
        if not nuggets or (self.over == VITAL and VITAL not in nuggets.values()):
            missing = "vital nugget" if nuggets else "nugget"
            return Unscored("undefined", f"the question has no {missing}")
        parts = await assign(sample, judge)
        method = "" if judge.can(ChooseLabel) else BY_VERDICTS
        all_six = _shares(parts, list(nuggets.values()))
        key = self.over[0].upper() + ("_strict" if self.strict else "")
        ends = _interval(all_six[key], list(nuggets.values()), self.over)
        return Score(all_six[key], parts, method, {**all_six, **ends})


def _shares(parts: Sequence[Part], importance: Sequence[str]) -> dict[str, float]:
    vital = [part for part, kind in zip(parts, importance, strict=True) if kind == VITAL]
    weights = [1.0 if kind == VITAL else _OKAY for kind in importance]
    shares = dict[str, float]()
    for suffix, strict in (("", False), ("_strict", True)):
        values = [_value(part, strict=strict) for part in parts]
        if vital:
            shares[f"V{suffix}"] = fmean(_value(part, strict=strict) for part in vital)
        shares[f"A{suffix}"] = fmean(values)
        shares[f"W{suffix}"] = fmean(values, weights)
    return shares


def _interval(share: float, importance: Sequence[str], denominator: str) -> dict[str, float]:
    """Wilson's interval of a share of nuggets, of which unequal weights leave fewer (Kish)."""
    okay = {VITAL: 0.0, "all": 1.0}.get(denominator, _OKAY)
    weights = [1.0 if kind == VITAL else okay for kind in importance]
    n = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    return dict(zip(("low", "high"), wilson(share, n, _Z), strict=True))


def _value(part: Part, *, strict: bool) -> float:
    return float(part.label == "support") if strict else part.value or 0.0


def _check_allowance(name: str, parameter: str, value: float) -> None:
    if not 0 < value <= 1_000_000:
        raise InputError(f"{name}: {parameter} must be a number above 0, not {value}")


@dataclass(frozen=True)
class NuggetF(_OfNuggets):
    """F-measure of nuggets that charges for length: an answer stuffed with text gains little.

    R = vital nuggets that the answer states over all vital ones. P = 1 - (l - a) / l for an
    answer of l characters without white space that is longer than its allowance a, 100 characters
    for each nugget stated, vital or okay; P = 1 for a shorter one. F = (1 + beta^2) P R / (beta^2
    P + R), in [0, 1]. TREC used beta = 5, later 3; by 3 stuffing an answer with passages still
    gains (docs/nuggets.md), so that 1 is the default here. Undefined without a vital nugget.

    Args:
        beta: Weight of recall against brevity.
        allowance: Characters allowed for each nugget that is stated.
    """

    beta: Beta = 1.0
    allowance: Annotated[float, _check_allowance] = 100.0

    name = "nugget_f"
    source = "Voorhees, Overview of the TREC 2003 Question Answering Track, section 4"

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Assign each nugget to the answer; weigh what is held against what is written."""
        nuggets = sample.nuggets or {}
        if VITAL not in nuggets.values():
            return Unscored("undefined", "the question has no vital nugget")
        parts = await assign(sample, judge)
        recall = _shares(parts, list(nuggets.values()))["V_strict"]
        stated = sum(part.label == "support" for part in parts)
        length = len("".join((sample.answer or "").split()))
        allowed = self.allowance * stated
        precision = min(1.0, allowed / length) if length else 0.0
        method = "" if judge.can(ChooseLabel) else BY_VERDICTS
        details = {"precision": precision, "recall": recall, "length": length, "stated": stated}
        return Score(f_beta(precision, recall, self.beta), parts, method, details)
