"""Does the answer say what the reference says, no more and no less?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import RAGAS_DOCS, Metric
from assay.metrics.evidence import BY_VERDICTS, blank, split, told, verdict_parts, verify
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import SplitStatements, Verdict, VerifyStatements
from assay.tasks.statements import Level

_MOST_BETA = 1_000_000  # recall alone, to all digits that are shown


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """Weighted harmonic mean of precision and recall, in [0, 1]; 0 if both are 0.

    F_beta = (1 + beta^2) P R / (beta^2 P + R). With P = TP/(TP+FP) and R = TP/(TP+FN) and
    beta = 1 it is TP / (TP + 0.5 (FP + FN)). beta > 1 weighs recall higher.
    """
    weighted = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / weighted if weighted else 0.0


def check_levels(name: str, atomicity: str, coverage: str) -> None:
    """Refuse levels that do not exist.

    Raises:
        InputError: If one of them is neither "low" nor "high".
    """
    for field, level in (("atomicity", atomicity), ("coverage", coverage)):
        if level not in ("low", "high"):
            raise InputError(f"{name}: {field} must be low or high, not {level!r}")


def check_beta(name: str, beta: float) -> None:
    """Refuse a weight that F-beta cannot be computed with.

    Raises:
        InputError: If it is not above 0, or so large that its square is none.
    """
    if not 0 < beta <= _MOST_BETA:
        raise InputError(
            f"{name}: beta must be a number above 0 and up to {_MOST_BETA:,}, not {beta}"
        )


@dataclass(frozen=True)
class FScore(Metric):
    """The parameters of an F-score of statements; no metric by itself."""

    mode: Literal["f1", "precision", "recall"] = "f1"
    beta: float = 1.0
    atomicity: Level = "high"
    coverage: Level = "high"

    needs: ClassVar[tuple[str, ...]] = ("question", "answer", "reference")
    tasks = (SplitStatements, VerifyStatements)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mode not in ("f1", "precision", "recall"):
            raise InputError(
                f"{self.name}: mode must be f1, precision or recall, not {self.mode!r}"
            )
        check_beta(self.name, self.beta)
        check_levels(self.name, self.atomicity, self.coverage)


@dataclass(frozen=True)
class FactualCorrectness(FScore):
    """F-score of the answer's statements against the reference's.

    Statements are true positives (in answer and reference), false positives (in the answer only) or
    false negatives (in the reference only). precision = TP / (TP + FP) over the answer's
    statements, recall = 1 - FN / (reference statements) over the reference's; f1 = their harmonic
    mean, TP / (TP + 0.5 (FP + FN)) if equally many statements match on both sides; in [0, 1] (RAGAS
    documentation). Each direction is counted over its own statements (ragas mixes them in recall,
    its issue 2693). Undefined if neither text makes a statement.

    With `soft` each statement counts with the judge's probability of its verdict instead of 0 or 1;
    TP is then the sum over the answer's statements, and FP and FN are the remainders to the numbers
    of statements. If the judge gives no probabilities, 0 and 1 are used, and the score says so.
    With the embedded judge, `soft` agrees better with human labels: see its card (RAGChecker,
    EVOUNA).

    At "low" atomicity a statement is a whole sentence; at "low" coverage it is the main content of
    a sentence (for the embedded judge, by rule, the first clause of each sentence).

    Args:
        mode: "f1", "precision" or "recall".
        beta: Weight of recall against precision in "f1".
        atomicity: "high": one claim per statement; "low": one sentence per statement.
        coverage: "high": all claims; "low": the main content of each sentence.
        soft: Whether statements count by their probabilities.
    """

    soft: bool = False

    name = "factual_correctness"
    source = RAGAS_DOCS

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split both texts and verify each against the other."""
        answer, reference = sample.answer or "", sample.reference or ""
        levels = self.atomicity, self.coverage
        mine, theirs = await split(sample.question or "", [answer, reference], judge, levels)
        against_theirs, against_mine = told(theirs, reference), told(mine, answer)
        found, covered = await verify([(mine, (against_theirs,)), (theirs, (against_mine,))], judge)
        asked = [v for v in found if not blank(reference)] + [
            v for v in covered if not blank(answer)
        ]
        certain = self.soft and None in [verdict.probability for verdict in asked]
        return self._counted(
            verdict_parts(mine, unplaced(found), answer, labels=("TP", "FP")),
            verdict_parts(
                theirs,
                unplaced(covered),
                reference,
                kind="reference statement",
                labels=("covered", "FN"),
            ),
            BY_VERDICTS if certain else "",
        )

    def _counted(self, mine: Sequence[Part], theirs: Sequence[Part], method: str) -> Outcome:
        if self.soft:
            mine, theirs = map(weighed, (mine, theirs))
        parts = (*mine, *theirs)
        wanted = {"precision": mine, "recall": theirs, "f1": parts}[self.mode]
        if not wanted:
            return Unscored("undefined", _EMPTY[self.mode], parts)
        precision, recall = mean(mine), mean(theirs)
        value = {
            "precision": precision,
            "recall": recall,
            "f1": f_beta(precision, recall, self.beta),
        }[self.mode]
        sides = {"precision": precision, "recall": recall}
        return Score(value, parts, method, details={**sides, **self._counts(mine, theirs)})

    def _counts(self, mine: Sequence[Part], theirs: Sequence[Part]) -> dict[str, float]:
        if self.soft:
            true, covered = (math.fsum(p.value or 0.0 for p in parts) for parts in (mine, theirs))
            return {"TP": true, "FP": len(mine) - true, "FN": len(theirs) - covered}
        labels = [part.label for part in (*mine, *theirs)]
        return {label: labels.count(label) for label in ("TP", "FP", "FN")}


_EMPTY = {
    "precision": "the answer makes no statement",
    "recall": "the reference makes no statement",
    "f1": "neither answer nor reference makes a statement",
}


def weighed(parts: Sequence[Part]) -> list[Part]:
    """Parts with the judge's probabilities as their values, where it gives any."""
    return [
        part if part.probability is None else replace(part, value=part.probability)
        for part in parts
    ]


def mean(parts: Sequence[Part]) -> float:
    """The mean of the parts' values; 0 without any."""
    return sum(part.value or 0.0 for part in parts) / len(parts) if parts else 0.0


def unplaced(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Verdicts by the other text, which was shown as the context but is none of the sample."""
    return [replace(verdict, context=None) for verdict in verdicts]


METRICS: tuple[type[Metric], ...] = (FactualCorrectness,)
