"""Calibration: curves from scores to probabilities, thresholds, and how far both are right."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay.stats.agreement import balanced, f1
from assay.stats.intervals import (
    Floats,
    Interval,
    Numbers,
    Statistic,
    cluster_numbers,
    ratio,
    share_interval,
    value_of,
)
from assay.stats.jackknife import jackknife_interval

Method: TypeAlias = Literal["platt", "isotonic"]
BINS: Final = 10
FOLDS: Final = 5
_SEED: Final = 0
ALPHA: Final = 0.025  # how often true probabilities show a larger error than is told
_ROUNDING: Final = 1e-9  # scores that differ by a smaller share differ by the last digit only


@dataclass(frozen=True, slots=True)
class Platt:
    """P(good) = 1 / (1 + exp(-(slope * score + intercept))) (Platt 1999).

    Attributes:
        slope: Below 0 where low scores are good.
        intercept: Log-odds at a score of 0.
    """

    slope: float
    intercept: float

    def __call__(self, scores: Numbers) -> Floats:
        """Probabilities of scores; shape (n,) both."""
        from scipy.special import expit

        probabilities: Floats = expit(self.slope * np.asarray(scores, np.float64) + self.intercept)
        return probabilities


@dataclass(frozen=True, slots=True)
class Isotonic:
    """P(good) by the best curve that never falls; straight between its points, flat beyond."""

    x: tuple[float, ...]
    y: tuple[float, ...]

    def __call__(self, scores: Numbers) -> Floats:
        """Probabilities of scores; shape (n,) both."""
        probabilities: Floats = np.interp(np.asarray(scores, np.float64), self.x, self.y)
        return probabilities


Curve: TypeAlias = Platt | Isotonic


def fit(scores: Numbers, good: Numbers, method: Method = "platt", *, rising: bool = True) -> Curve:
    """The curve from scores to probabilities.

    Args:
        scores: Shape (n,), finite.
        good: Shape (n,), true or false; both must occur.
        method: "platt" has two parameters and does with few labels; "isotonic" takes any rising
            shape and needs a few hundred.
        rising: False where low scores are good (only the isotonic curve has to be told).

    Raises:
        ValueError: If all labels are the same.
    """
    x, y = np.asarray(scores, np.float64), np.asarray(good, bool)
    if y.all() or not y.any():
        raise ValueError("labels are all the same")
    return _platt(x, y) if method == "platt" else _isotonic(x, y, rising=rising)


def _platt(x: Floats, y: npt.NDArray[np.bool_]) -> Platt:
    """Maximum likelihood with Platt's targets: an honest curve where scores part labels wholly."""
    from scipy.special import expit

    n_good, n_bad = int(y.sum()), int((~y).sum())
    target = np.where(y, (n_good + 1) / (n_good + 2), 1 / (n_bad + 2))
    middle, spread = float(x.mean()), float(x.std())
    if spread <= _ROUNDING * abs(middle):  # all the same: the curve is flat
        middle, spread = float(x[0]), 1.0
    columns = np.column_stack([(x - middle) / spread, np.ones(len(x))])
    beta = np.array([0.0, math.log((n_good + 1) / (n_bad + 1))])

    def loss(coefficients: Floats) -> float:
        line = columns @ coefficients
        return float(np.sum(np.logaddexp(0, line) - target * line))

    for _ in range(100):  # Newton, with half steps where a whole one goes too far
        p = expit(columns @ beta)
        gradient = columns.T @ (p - target)
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        size, current = 1.0, loss(beta)
        while size > 1e-6 and loss(beta - size * step) > current:
            size /= 2
        beta = beta - size * step
        if float(np.abs(size * step).max()) < 1e-9:
            break
    slope = float(beta[0]) / spread
    return Platt(slope, float(beta[1]) - slope * middle)


def _isotonic(x: Floats, y: npt.NDArray[np.bool_], *, rising: bool) -> Isotonic:
    from scipy.optimize import isotonic_regression

    values, inverse = np.unique(x, return_inverse=True)
    weights = np.bincount(inverse).astype(np.float64)
    shares = np.bincount(inverse, y) / weights
    level = isotonic_regression(shares, weights=weights, increasing=rising).x
    # Of a flat stretch only the ends are needed.
    corners = np.ones(len(level), bool)
    corners[1:-1] = (level[1:-1] != level[:-2]) | (level[1:-1] != level[2:])
    return Isotonic(tuple(map(float, values[corners])), tuple(map(float, level[corners])))


@dataclass(frozen=True, slots=True)
class Objective:
    """What a threshold is to reach: the higher, the better (a cost counts as negative).

    Attributes:
        name: "balanced", "f1", "f1-bad" or "cost".
        accept: With "cost", what it costs to call a bad one good.
        reject: With "cost", what it costs to call a good one bad.
    """

    name: Literal["balanced", "f1", "f1-bad", "cost"] = "balanced"
    accept: float = 1.0
    reject: float = 1.0

    @property
    def words(self) -> str:
        """What is measured."""
        costs = (
            f"least cost: {self.accept:g} a bad one accepted, {self.reject:g} a good one rejected"
        )
        names = {"balanced": "balanced accuracy", "f1": "F1 of good", "f1-bad": "F1 of bad"}
        return names.get(self.name, costs)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest value possible."""
        return (-max(self.accept, self.reject), 0.0) if self.name == "cost" else (0.0, 1.0)

    def __call__(self, predictions: Numbers, good: Numbers) -> Statistic:
        """Of what was said to be good."""
        predicted, truth = np.asarray(predictions, bool), np.asarray(good, bool)
        if self.name == "balanced":
            return balanced(predicted, truth)
        if self.name == "f1":
            return f1(predicted, truth)
        if self.name == "f1-bad":
            return f1(~predicted, ~truth)
        cost = self.costs(predicted, truth)
        return lambda weights: -ratio(float(weights @ cost), float(weights.sum()))

    def costs(self, predicted: npt.NDArray[np.bool_], good: npt.NDArray[np.bool_]) -> Floats:
        """What each row costs, shape (n,), 0 or more."""
        costs: Floats = self.accept * (predicted & ~good) + self.reject * (~predicted & good)
        return costs


def folds(groups: Sequence[Hashable]) -> Iterator[npt.NDArray[np.bool_]]:
    """Which rows are kept out, fold by fold: whole groups, about as many rows each time."""
    cluster = cluster_numbers(groups)
    sizes = np.bincount(cluster)
    order = np.random.default_rng(_SEED).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled = np.zeros(min(FOLDS, len(sizes)))
    fold = np.zeros(len(sizes), dtype=np.intp)
    for group in order:
        fold[group] = int(filled.argmin())
        filled[fold[group]] += sizes[group]
    for number in range(len(filled)):
        yield fold[cluster] == number


def out_of_fold(
    scores: Numbers,
    good: Numbers,
    groups: Sequence[Hashable],
    fit: Callable[[Floats, npt.NDArray[np.bool_]], Callable[[Floats], Floats]],
) -> Floats | None:
    """What is predicted of each row by what was fitted on rows of other groups.

    Args:
        scores: Shape (n,).
        good: Shape (n,), true or false.
        groups: Shape (n,).
        fit: From scores and labels to a function of scores.

    Returns:
        Shape (n,); None if some fold leaves labels of one class only, so that nothing can be
        fitted.
    """
    x, y = np.asarray(scores, np.float64), np.asarray(good, bool)
    predicted = np.empty(len(x))
    for held_out in folds(groups):
        fitted_on = y[~held_out]
        if fitted_on.all() or not fitted_on.any():
            return None
        predicted[held_out] = fit(x[~held_out], fitted_on)(x[held_out])
    return predicted


def brier(probabilities: Numbers, good: Numbers) -> Statistic:
    """Mean squared distance of probability and truth, in [0, 1]; low is good (Brier 1950)."""
    away = np.square(np.asarray(probabilities, np.float64) - np.asarray(good, np.float64))
    return lambda weights: ratio(float(weights @ away), float(weights.sum()))


def calibration_error(probabilities: Numbers, good: Numbers) -> Statistic:
    """Expected calibration error over bins with as many rows each, in [0, 1]; low is good.

    Even true probabilities do not reach 0 on few rows: see `error_by_chance`.
    """
    p, y = np.asarray(probabilities, np.float64), np.asarray(good, np.float64)
    bin_of = _bins(p)

    def value(weights: Floats) -> float:
        off = np.abs(np.bincount(bin_of, weights * (p - y)))
        return ratio(float(off.sum()), float(weights.sum()))

    return value


def error_by_chance(
    probabilities: Numbers,
    good: Numbers | None = None,
    groups: Sequence[Hashable] | None = None,
    draws: int = 400,
) -> float:
    """The calibration error to be expected of these probabilities if they are all true.

    Args:
        probabilities: Shape (n,).
        good: Shape (n,), true or false: how alike the rows of a cluster are is seen here.
        groups: For each row the cluster that it belongs to. Alike ones err together and make the
            error larger. None (or no `good`) if all are independent.
        draws: How many are averaged.
    """
    return float(_errors_by_chance(probabilities, good, groups, draws).mean())


def calibration_error_interval(
    probabilities: Numbers, good: Numbers, groups: Sequence[Hashable]
) -> Interval | None:
    """The 95 % interval of the calibration error, from 0 where true probabilities may show as much.

    Args:
        probabilities: Shape (n,).
        good: Shape (n,), true or false.
        groups: For each row the cluster that it belongs to.

    Returns:
        The jackknife's interval, widened; None where that is.

    Source:
        Bröcker & Smith, Weather Forecast. 22 (2007) 651, for what true probabilities may show.
    """
    found = calibration_error(probabilities, good)
    interval, value = jackknife_interval(found, groups), value_of(found, len(groups))
    by_chance = float(np.quantile(_errors_by_chance(probabilities, good, groups), 1 - ALPHA))
    if interval is None or value is None or value > by_chance:
        return interval
    return replace(interval, low=0.0)


def _errors_by_chance(
    probabilities: Numbers,
    good: Numbers | None,
    groups: Sequence[Hashable] | None,
    draws: int = 400,
) -> Floats:
    """Calibration errors of so many rows whose probabilities are all true, shape (draws,)."""
    p = np.asarray(probabilities, np.float64)
    bin_of, chance = _bins(p), np.random.default_rng(_SEED)
    off = [
        float(np.abs(np.bincount(bin_of, p - (chance.random(len(p)) < p))).sum())
        for _ in range(draws)
    ]
    errors: Floats = np.array(off) / len(p)
    if good is None or groups is None:
        return errors
    return errors * math.sqrt(_design_effect(np.asarray(good, np.float64), bin_of, groups))


def _design_effect(y: Floats, bin_of: npt.NDArray[np.intp], groups: Sequence[Hashable]) -> float:
    """How much larger the variance in bins is than that of independent rows, at least 1."""
    away = y - (np.bincount(bin_of, y) / np.bincount(bin_of))[bin_of]
    cell = cluster_numbers(zip(bin_of.tolist(), groups, strict=True))
    if int(cell.max()) + 1 == len(y) or not away.any():
        return 1.0
    together = np.bincount(cell, away)
    return max(float(together @ together) / float(away @ away), 1.0)


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of about the same probability.

    Attributes:
        n: How many.
        said: Their mean probability.
        share: How many of them are good, 0..1.
        interval: Of that share.
    """

    n: int
    said: float
    share: float
    interval: Interval


def reliability(
    probabilities: Numbers, good: Numbers, groups: Sequence[Hashable] | None = None
) -> list[Bin]:
    """The reliability diagram: in each bin what was said and what was so.

    Bins hold about as many rows each; there are fewer where probabilities are the same.

    Args:
        probabilities: Shape (n,).
        good: Shape (n,), true or false.
        groups: For each row the cluster that it belongs to; None if all are independent.
    """
    p, y = np.asarray(probabilities, np.float64), np.asarray(good, bool)
    bin_of = _bins(p)
    diagram = []
    for number in range(int(bin_of.max()) + 1):
        in_bin = bin_of == number
        members = (
            None if groups is None else [groups[row] for row in np.flatnonzero(in_bin).tolist()]
        )
        interval = share_interval(y[in_bin], members)
        diagram.append(
            Bin(int(in_bin.sum()), float(p[in_bin].mean()), float(y[in_bin].mean()), interval)
        )
    return diagram


def _bins(p: Floats) -> npt.NDArray[np.intp]:
    """Bins of about as many rows each; equal probabilities share one."""
    edges = np.unique(np.quantile(p, np.linspace(0, 1, BINS + 1)[1:-1], method="higher"))
    _, bin_numbers = np.unique(np.searchsorted(edges, p, side="right"), return_inverse=True)
    numbers: npt.NDArray[np.intp] = bin_numbers.astype(np.intp)
    return numbers
