"""From which score on is a sample good, and how likely is it, measured by people's labels?"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from assay.analysis.card import Bools, Card, Measured, Quality, refuse_other
from assay.analysis.correct import Given, metrics_meant, one_metric, read
from assay.analysis.labelled import UNDECIDED, Item, Labelled, labelled
from assay.dataset.labels import Labels
from assay.errors import InputError
from assay.run.result import Result
from assay.stats.agreement import balanced_interval, best_threshold
from assay.stats.calibration import (
    Method,
    Objective,
    Platt,
    brier,
    calibration_error,
    error_by_chance,
    fit,
    out_of_fold,
    reliability,
)
from assay.stats.intervals import Floats, Statistic, jackknife_interval, value_of

# A mean label from here on is that of a majority, where labels are yes or no.
MAJORITY = 0.5


def calibrate(
    result: Result,
    labels: Given,
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
    wanted = objective or Objective()
    found = _labelled(result, labels, metric, good_from)
    rows = _Rows.of(found, good_from)
    held = _held_out(rows, wanted, method)
    if held is None:
        n = sum(rows.good)
        what = (
            f"{n} good and {len(rows.good) - n} bad are too few to fit on some and test on others"
        )
        raise InputError(what, "label more, of both kinds and from several groups")
    said, probabilities = held
    run = result.run
    curve = fit(rows.scores, rows.good, method, rising=rows.sign > 0)
    points = (
        ((curve.slope,), (curve.intercept,)) if isinstance(curve, Platt) else (curve.x, curve.y)
    )
    return Card(
        metric=found.metric,
        signature=run.metrics[found.metric],
        judge=str(run.config["judge"]),
        kind=found.kind,
        higher_is_better=rows.sign > 0,
        labels=labels.source if isinstance(labels, Labels) else _source(labels),
        n_groups=len(set(rows.groups)),
        good_from=good_from,
        objective=wanted,
        threshold=_threshold(rows.scores, rows.good, wanted, rows.sign),
        curve=method,
        points=points,
        quality=_quality(rows, wanted, said, probabilities, _usual(result, found)),
    )


def check(card: Card, result: Result, labels: Given) -> Quality:
    """How well a card does on labels that it was not fitted on.

    Raises:
        InputError: If the run was judged otherwise than the card's, or labels and run do not fit.
    """
    refuse_other(card, result)
    found = _labelled(result, labels, card.metric, card.good_from)
    if found.kind != card.kind:
        what = f"the card is about {card.kind}s, and the labels about {found.kind}s"
        raise InputError(what, "give labels of the same kind")
    rows = _Rows.of(found, card.good_from)
    said, probabilities = card.good(rows.scores), card.to_probability(rows.scores)
    return _quality(rows, card.objective, said, probabilities, _usual(result, found))


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
    def of(cls, found: Labelled, good_from: float) -> "_Rows":
        items: Sequence[Item] = found.items
        good = np.array([item.label >= good_from for item in items])
        if good.all() or not good.any():
            which = "good" if good.all() else "bad"
            what = f"all {len(items)} labels are {which} (good is from {good_from:g} on)"
            raise InputError(what, "label some of the other kind, or set another --good")
        scores = np.array([item.score for item in items])
        groups, undecided = [item.group for item in items], found.left_out.get(UNDECIDED, 0)
        return cls(scores, good, groups, found.sign, undecided, found.unweighted)


def _labelled(result: Result, labels: Given, metric: str | None, good_from: float) -> Labelled:
    given = labels if isinstance(labels, Labels) else read(labels, result)
    if given.kind == "pair":
        remedy = "`assay agree` uses them"
        raise InputError("labels of pairs say which is better, not which is good", remedy)
    meant = metrics_meant(result, given, metric)
    name = meant[0] if len(meant) == 1 else one_metric(result, metric)
    found = labelled(result, given, name)
    return found.decided() if good_from == MAJORITY else found


def _held_out(rows: _Rows, objective: Objective, method: Method) -> tuple[Bools, Floats] | None:
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
    rows: _Rows, objective: Objective, said: Bools, chances: Floats, usual: float | None
) -> Quality:
    good = rows.good

    def measured(statistic: Statistic, ends: tuple[float, float] = (0.0, 1.0)) -> Measured:
        low, high = ends
        value = value_of(statistic, len(good))
        return Measured(value, jackknife_interval(statistic, rows.groups, low=low, high=high))

    def verdicts(called: Bools) -> Measured:
        found = measured(objective(called, good), objective.ends)
        if objective.name != "balanced":
            return found
        return replace(found, interval=balanced_interval(called, good, rows.groups))

    raw = (
        rows.scores if rows.sign > 0 and 0 <= rows.scores.min() <= rows.scores.max() <= 1 else None
    )
    before = None
    if usual is not None:
        before = verdicts(rows.sign * rows.scores >= rows.sign * usual)
    return Quality(
        n=len(good),
        n_good=int(good.sum()),
        reached=verdicts(said),
        before=before,
        usual=usual,
        brier=measured(brier(chances, good)),
        brier_before=None if raw is None else measured(brier(raw, good)),
        error=measured(calibration_error(chances, good)),
        error_before=None if raw is None else measured(calibration_error(raw, good)),
        error_by_chance=error_by_chance(chances, good, rows.groups),
        bins=tuple(reliability(chances, good, rows.groups)),
        bins_before=() if raw is None else tuple(reliability(raw, good, rows.groups)),
        undecided=rows.undecided,
        unweighted=rows.unweighted,
    )


def _usual(result: Result, found: Labelled) -> float | None:
    if found.kind == "statement":
        return 0.5
    about = result.run.config["about"][found.metric]
    low, high = about["range"]
    middle = None if low is None or high is None else (low + high) / 2
    return middle if about["guide"] is None else float(about["guide"])


def _source(labels: Any) -> str:
    return Path(labels).name if isinstance(labels, str | Path) else "labels in memory"
