"""What did people's labels teach about a judge, and what does it say of the scores of a run?"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from assay.analysis.labelled import goodness
from assay.errors import InputError
from assay.run.result import Result
from assay.score import Score
from assay.stats.calibration import Bin, Curve, Isotonic, Method, Objective, Platt
from assay.stats.intervals import Floats, Interval

FORMAT: Final = 1
Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Measured:
    """A number and how sure it is; None for what is not defined or cannot be told."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Quality:
    """How well threshold and probabilities did on rows that they were not fitted on.

    Attributes:
        n: Labelled rows.
        n_good: How many of them are good.
        reached: The objective with the threshold of the card.
        before: With the usual threshold (the metric's guide value, or the middle of its range);
            None where there is none.
        usual: That threshold.
        brier: Brier score of the probabilities.
        brier_before: Of the raw scores, if these lie between 0 and 1 and high is good.
        error: Expected calibration error of the probabilities.
        error_before: Of the raw scores.
        error_by_chance: What true probabilities would show on so few rows.
        bins: The reliability diagram of the probabilities.
        bins_before: That of the raw scores.
        undecided: Rows left out: as many annotators call them good as bad.
        unweighted: Whether the labels say that some samples were likelier to be labelled than
            others, for which nothing here is weighted.
    """

    n: int
    n_good: int
    reached: Measured
    before: Measured | None
    usual: float | None
    brier: Measured
    brier_before: Measured | None
    error: Measured
    error_before: Measured | None
    error_by_chance: float
    bins: tuple[Bin, ...]
    bins_before: tuple[Bin, ...]
    undecided: int = 0
    unweighted: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """What was learnt from people's labels about one metric by one judge.

    Attributes:
        metric: Label of the metric.
        signature: All that could change its scores; the card is for no other.
        judge: Who judged, by name.
        kind: "sample" or "statement": what is called good.
        higher_is_better: Whether good is above the threshold, as it always is of statements.
        labels: Name of the labels.
        n_groups: From how many documents or conversations (or samples without one) they are.
        good_from: A label from here on counts as good.
        objective: What the threshold was chosen for.
        threshold: In the units of the score.
        curve: "platt" or "isotonic".
        points: (slope, intercept), or the scores and then the probabilities of its points.
        quality: Cross-validated: every row was judged by what was fitted on other groups.
        format: Version of this form.
    """

    metric: str
    signature: str
    judge: str
    kind: str
    higher_is_better: bool
    labels: str
    n_groups: int
    good_from: float
    objective: Objective
    threshold: float
    curve: Method
    points: tuple[tuple[float, ...], tuple[float, ...]]
    quality: Quality
    format: int = FORMAT

    @property
    def to_probability(self) -> Curve:
        """The curve from scores to P(good)."""
        first, second = self.points
        return Platt(first[0], second[0]) if self.curve == "platt" else Isotonic(first, second)

    def good(self, scores: Floats) -> Bools:
        """Which scores the card calls good."""
        found: Bools = (
            scores >= self.threshold if self.higher_is_better else scores <= self.threshold
        )
        return found

    def json(self) -> str:
        """The card as `load` reads it."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"


@dataclass(frozen=True, slots=True)
class Applied:
    """A score beside what the card makes of it.

    Attributes:
        sample: Id of the sample.
        score: As the metric computed it.
        probability: P(good); of a sample whose statements are judged their mean.
        calibrated: 1 if the card calls it good, else 0; of a sample whose statements are judged
            the share of those that it calls good.
    """

    sample: str
    score: float
    probability: float
    calibrated: float


def apply(card: Card, result: Result) -> list[Applied]:
    """What the card makes of every score of a run; the scores in the store stay as they are.

    Raises:
        InputError: If the run was judged otherwise than the card's.
    """
    refuse_other(card, result)
    high = result.run.config["about"][card.metric]["higher_is_better"]
    found = []
    for sample, outcome in result.outcomes(card.metric):
        if not isinstance(outcome, Score):
            continue
        parts = [part for part in outcome.parts if part.value is not None]
        judged = [goodness(part, higher_is_better=high) for part in parts]
        scores = np.array([outcome.value] if card.kind == "sample" else judged)
        if len(scores):
            probability = float(card.to_probability(scores).mean())
            calibrated = float(card.good(scores).mean())
            found.append(Applied(sample.id, outcome.value, probability, calibrated))
    return found


def load(path: str | Path) -> Card:
    """The card of a file.

    Raises:
        InputError: If it is none.
    """
    try:
        card = msgspec.json.decode(Path(path).read_bytes(), type=Card)
    except (OSError, msgspec.MsgspecError) as error:
        remedy = "`assay calibrate RUN --labels FILE --out card.json` writes one"
        raise InputError(f"'{path}' is no calibration card: {error}", remedy) from error
    if card.format != FORMAT:
        what = f"'{path}' is a card of format {card.format}, not {FORMAT}"
        raise InputError(what, "calibrate anew")
    return card


def refuse_other(card: Card, result: Result) -> None:
    """Raise InputError if the run was not judged as the card's was."""
    found = result.run.metrics.get(card.metric)
    if found is None:
        what = f"the card is about {card.metric}: the run has {', '.join(result.run.metrics)}"
        raise InputError(what, "take a card of one of these")
    if found != card.signature:
        theirs, ours = card.signature.split("|"), found.split("|")
        differ = [f"{a} (card) and {b} (run)" for a, b in zip(theirs, ours, strict=False) if a != b]
        what = f"the card is for another judge or version: {'; '.join(differ) or found}"
        raise InputError(what, "calibrate this judge: assay calibrate RUN --labels FILE")
