"""Calibration of a judge by labels: the threshold of good, and how likely each score is good."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from assay._analysis.labelled import (
    UNDECIDED,
    Item,
    Labelled,
    LabelSource,
    goodness,
    labelled,
    metrics_meant,
    one_metric,
    read_for_run,
)
from assay._runner.result import Result
from assay._text.results import rounded
from assay.data.labels import Labels
from assay.errors import InputError
from assay.score import Readable, Score
from assay.stats.agreement import (
    balanced_interval,
    best_threshold,
    f1_of_table,
    verdicts_interval,
)
from assay.stats.calibration import (
    Bin,
    Curve,
    Isotonic,
    Method,
    Objective,
    Platt,
    brier,
    calibration_error,
    calibration_error_interval,
    error_by_chance,
    fit,
    out_of_fold,
    reliability,
)
from assay.stats.intervals import Floats, Interval, mean_interval, value_of

FORMAT: Final = 1
Bools: TypeAlias = npt.NDArray[np.bool_]
# A mean label from here on is that of a majority, where labels are yes or no.
MAJORITY = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """A number and how sure it is; None for what is not defined or cannot be told."""

    value: float | None
    interval: Interval | None = None


def _value_with_interval(measured: Measured) -> str:
    text = "-" if measured.value is None else rounded(measured.value)
    return f"{text} ({measured.interval.ends})" if measured.interval else text


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
class Card(Readable):
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

    def __str__(self) -> str:
        """The threshold, and what it reached beside the one in use."""
        quality, sign = self.quality, ">=" if self.higher_is_better else "<="
        text = f"{self.metric}: good where {sign} {self.threshold:.3g}; {self.objective.name} "
        text += f"{_value_with_interval(quality.reached)} on {quality.n} labels, cross-validated"
        if quality.before is None or quality.usual is None:
            return text
        return f"{text}; with {sign} {quality.usual:.3g} {_value_with_interval(quality.before)}"

    @property
    def to_probability(self) -> Curve:
        """The curve from scores to P(good)."""
        first, second = self.points
        return Platt(first[0], second[0]) if self.curve == "platt" else Isotonic(first, second)

    def good(self, scores: Floats) -> Bools:
        """Which scores the card calls good."""
        called_good: Bools = (
            scores >= self.threshold if self.higher_is_better else scores <= self.threshold
        )
        return called_good

    def json(self) -> str:
        """The card as `load` reads it."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2).decode() + "\n"

    def apply(self, result: Result) -> "list[Applied]":
        """What the card makes of every score of a run; the scores in the store stay as they are.

        Raises:
            InputError: If the run was judged otherwise than the card's.
        """
        refuse_other(self, result)
        high = result.run.config["about"][self.metric]["higher_is_better"]
        applied = []
        for sample, outcome in result.outcomes(self.metric):
            if not isinstance(outcome, Score):
                continue
            judged_parts = [part for part in outcome.parts if part.value is not None]
            judged = [goodness(part, higher_is_better=high) for part in judged_parts]
            scores = np.array([outcome.value] if self.kind == "sample" else judged)
            if len(scores):
                probability = float(self.to_probability(scores).mean())
                calibrated = float(self.good(scores).mean())
                applied.append(Applied(sample.id, outcome.value, probability, calibrated))
        return applied


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
        fault = f"'{path}' is a card of format {card.format}, not {FORMAT}"
        raise InputError(fault, "calibrate anew")
    return card


def refuse_other(card: Card, result: Result) -> None:
    """Raise InputError if the run was not judged as the card's was."""
    signature = result.run.metrics.get(card.metric)
    if signature is None:
        fault = f"the card is about {card.metric}: the run has {', '.join(result.run.metrics)}"
        raise InputError(fault, "take a card of one of these")
    if signature != card.signature:
        card_parts, own_parts = card.signature.split("|"), signature.split("|")
        differ = [
            f"{a} (card) and {b} (run)"
            for a, b in zip(card_parts, own_parts, strict=False)
            if a != b
        ]
        fault = f"the card is for another judge or version: {'; '.join(differ) or signature}"
        raise InputError(fault, "calibrate this judge: assay calibrate RUN --labels FILE")


def calibrate(
    result: Result,
    labels: LabelSource,
    metric: str | None = None,
    *,
    objective: Objective | None = None,
    method: Method = "platt",
    good_from: float = MAJORITY,
) -> Card:
    """Fit threshold and probabilities to people's labels, and measure them by cross-validation.

    Args:
        result: The run.
        labels: What people said of samples, or of statements: a file, rows, or what `read_labels`
            gave.
        metric: The metric; may be left out if the run has only one.
        objective: What the threshold is to reach; balanced accuracy if not told.
        method: The curve: "platt", or "isotonic" with a few hundred labels.
        good_from: A label from here on counts as good. At one half, the majority of several
            annotators counts, and what they are undecided about is left out.

    Raises:
        InputError: If labels and run do not fit, or there are too few to hold some back.
    """
    chosen_objective = objective or Objective()
    items = _labelled_items(result, labels, metric, good_from)
    rows = _Rows.of(items, good_from)
    out_of_fold_verdicts = _predict_held_out(rows, chosen_objective, method)
    if out_of_fold_verdicts is None:
        n = sum(rows.good)
        fault = (
            f"{n} good and {len(rows.good) - n} bad are too few to fit on some and test on others"
        )
        raise InputError(fault, "label more, of both kinds and from several groups")
    verdicts, probabilities = out_of_fold_verdicts
    run = result.run
    curve = fit(rows.scores, rows.good, method, rising=rows.sign > 0)
    points = (
        ((curve.slope,), (curve.intercept,)) if isinstance(curve, Platt) else (curve.x, curve.y)
    )
    return Card(
        metric=items.metric,
        signature=run.metrics[items.metric],
        judge=str(run.config["judge"]),
        kind=items.kind,
        higher_is_better=rows.sign > 0,
        labels=labels.source if isinstance(labels, Labels) else _source(labels),
        n_groups=len(set(rows.groups)),
        good_from=good_from,
        objective=chosen_objective,
        threshold=_threshold(rows.scores, rows.good, chosen_objective, rows.sign),
        curve=method,
        points=points,
        quality=_quality(
            rows, chosen_objective, verdicts, probabilities, _usual_threshold(result, items)
        ),
    )


def check(card: Card, result: Result, labels: LabelSource) -> Quality:
    """How well a card does on labels that it was not fitted on.

    Raises:
        InputError: If the run was judged otherwise than the card's, or labels and run do not fit.
    """
    refuse_other(card, result)
    items = _labelled_items(result, labels, card.metric, card.good_from)
    if items.kind != card.kind:
        fault = f"the card is about {card.kind}s, and the labels about {items.kind}s"
        raise InputError(fault, "give labels of the same kind")
    rows = _Rows.of(items, card.good_from)
    verdicts, probabilities = card.good(rows.scores), card.to_probability(rows.scores)
    return _quality(rows, card.objective, verdicts, probabilities, _usual_threshold(result, items))


@dataclass(frozen=True, slots=True)
class _Rows:
    """What is fitted on; sign -1 where low scores are good; what must be said beside."""

    scores: Floats
    good: Bools
    groups: Sequence[Hashable]
    sign: int
    undecided: int
    unweighted: bool

    @classmethod
    def of(cls, labelled_items: Labelled, good_from: float) -> "_Rows":
        items: Sequence[Item] = labelled_items.items
        good = np.array([item.label >= good_from for item in items])
        if good.all() or not good.any():
            only_kind = "good" if good.all() else "bad"
            fault = f"all {len(items)} labels are {only_kind} (good is from {good_from:g} on)"
            raise InputError(fault, "label some of the other kind, or set another --good")
        scores = np.array([item.score for item in items])
        groups = [item.group for item in items]
        undecided = labelled_items.left_out.get(UNDECIDED, 0)
        return cls(scores, good, groups, labelled_items.sign, undecided, labelled_items.unweighted)


def _labelled_items(
    result: Result, labels: LabelSource, metric: str | None, good_from: float
) -> Labelled:
    read = read_for_run(labels, result)
    if read.kind == "pair":
        remedy = "`assay agree` uses them"
        raise InputError("labels of pairs say which is better, not which is good", remedy)
    names = metrics_meant(result, read, metric)
    name = names[0] if len(names) == 1 else one_metric(result, metric)
    items = labelled(result, read, name)
    return items.decided() if good_from == MAJORITY else items


def _predict_held_out(
    rows: _Rows, objective: Objective, method: Method
) -> tuple[Bools, Floats] | None:
    """(whether called good, P(good)) of each row by what was fitted without its group."""
    verdicts = out_of_fold(
        rows.scores, rows.good, rows.groups, lambda x, y: _verdicts(x, y, objective, rows.sign)
    )
    chances = out_of_fold(
        rows.scores, rows.good, rows.groups, lambda x, y: fit(x, y, method, rising=rows.sign > 0)
    )
    return None if verdicts is None or chances is None else (verdicts > 0, chances)


def _verdicts(x: Floats, y: Bools, objective: Objective, sign: int) -> Any:
    limit = sign * _threshold(x, y, objective, sign)
    return lambda scores: (sign * scores >= limit).astype(np.float64)


def _threshold(x: Floats, y: Bools, objective: Objective, sign: int) -> float:
    return sign * best_threshold(sign * x, y, objective)


def _quality(
    rows: _Rows,
    objective: Objective,
    called_good: Bools,
    chances: Floats,
    usual_threshold: float | None,
) -> Quality:
    good = rows.good

    def verdicts(called_good: Bools) -> Measured:
        value = value_of(objective(called_good, good), len(good))
        return Measured(value, _objective_interval(objective, called_good, good, rows.groups))

    def squares(probabilities: Floats) -> Measured:
        away = np.square(probabilities - good)
        interval = mean_interval(away, groups=rows.groups, low=0.0, high=1.0)
        return Measured(value_of(brier(probabilities, good), len(good)), interval)

    def error(probabilities: Floats) -> Measured:
        value = value_of(calibration_error(probabilities, good), len(good))
        return Measured(value, calibration_error_interval(probabilities, good, rows.groups))

    raw = (
        rows.scores if rows.sign > 0 and 0 <= rows.scores.min() <= rows.scores.max() <= 1 else None
    )
    before = None
    if usual_threshold is not None:
        before = verdicts(rows.sign * rows.scores >= rows.sign * usual_threshold)
    return Quality(
        n=len(good),
        n_good=int(good.sum()),
        reached=verdicts(called_good),
        before=before,
        usual=usual_threshold,
        brier=squares(chances),
        brier_before=None if raw is None else squares(raw),
        error=error(chances),
        error_before=None if raw is None else error(raw),
        error_by_chance=error_by_chance(chances, good, rows.groups),
        bins=tuple(reliability(chances, good, rows.groups)),
        bins_before=() if raw is None else tuple(reliability(raw, good, rows.groups)),
        undecided=rows.undecided,
        unweighted=rows.unweighted,
    )


def _objective_interval(
    objective: Objective, called_good: Bools, good: Bools, groups: Sequence[Hashable]
) -> Interval | None:
    """The 95 % interval of what a threshold reaches; of few bad ones a jackknife is too narrow."""
    if objective.name == "balanced":
        return balanced_interval(called_good, good, groups)
    if objective.name == "cost":
        low, high = objective.ends
        costs = objective.costs(called_good, good)
        return mean_interval(-costs, groups=groups, low=low, high=high)
    turned = objective.name == "f1-bad"
    return verdicts_interval(f1_of_table, called_good != turned, good != turned, groups)


def _usual_threshold(result: Result, items: Labelled) -> float | None:
    if items.kind == "statement":
        return 0.5
    facts = result.run.config["about"][items.metric]
    low, high = facts["range"]
    middle = None if low is None or high is None else (low + high) / 2
    return middle if facts["guide"] is None else float(facts["guide"])


def _source(labels: Any) -> str:
    return Path(labels).name if isinstance(labels, str | Path) else "labels in memory"
