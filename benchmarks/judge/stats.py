"""Which number tells how well scores agree with labels, and how sure is it?

A statistic is a function of weights, one a row: 1 each for the number itself, and how often a row's
source was drawn for each draw of the bootstrap. numpy only.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], float]
Numbers: TypeAlias = Sequence[float] | npt.NDArray[Any]

DRAWS = 1000
_SEED = 0


def ones(n: int) -> Floats:
    """Every row once."""
    return np.ones(n)


def auroc(scores: Numbers, labels: Numbers) -> Statistic:
    """Chance that a positive scores above a negative; ties count half."""
    _, place = np.unique(np.asarray(scores, float), return_inverse=True)
    positive = np.asarray(labels, bool)

    def value(weights: Floats) -> float:
        good = np.bincount(place, weights * positive)
        bad = np.bincount(place, weights * ~positive)
        below = np.cumsum(bad) - bad / 2
        return _ratio(float(good @ below), float(good.sum() * bad.sum()))

    return value


def f1(said: Numbers, labels: Numbers) -> Statistic:
    """F1 of what was said to be positive."""
    positive, called = np.asarray(labels, bool), np.asarray(said, bool)
    return micro_f1(positive & called, called, positive)


def micro_f1(hits: Numbers, said: Numbers, labelled: Numbers) -> Statistic:
    """F1 over counts: each row adds its hits, what was said in it and what is labelled in it."""
    h, s, g = (np.asarray(counts, float) for counts in (hits, said, labelled))

    def value(weights: Floats) -> float:
        return _ratio(2 * float(weights @ h), float(weights @ s + weights @ g))

    return value


def balanced(said: Numbers, labels: Numbers) -> Statistic:
    """Mean of the accuracies on positives and on negatives."""
    positive, called = np.asarray(labels, bool), np.asarray(said, bool)

    def value(weights: Floats) -> float:
        good, bad = weights * positive, weights * ~positive
        caught = _ratio(float(good @ called), float(good.sum()))
        passed = _ratio(float(bad @ ~called), float(bad.sum()))
        return (caught + passed) / 2

    return value


def pearson(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation."""
    x, y = np.asarray(a, float), np.asarray(b, float)

    def value(weights: Floats) -> float:
        total = float(weights.sum())
        u, v = x - _ratio(float(weights @ x), total), y - _ratio(float(weights @ y), total)
        product, squares = float(weights @ (u * v)), float(weights @ (u * u))
        return _ratio(product, float(np.sqrt(squares * (weights @ (v * v)))))

    return value


def spearman(a: Numbers, b: Numbers) -> Statistic:
    """Linear correlation of ranks; equal values share their middle rank."""
    x, y = _ranks(a), _ranks(b)
    return lambda weights: pearson(x(weights), y(weights))(weights)


def _ranks(values: Numbers) -> Callable[[Floats], Floats]:
    _, place = np.unique(np.asarray(values, float), return_inverse=True)

    def ranked(weights: Floats) -> Floats:
        copies = np.bincount(place, weights)
        middle: Floats = (np.cumsum(copies) - copies / 2)[place]
        return middle

    return ranked


def mean(values: Numbers) -> Statistic:
    """The mean."""
    x = np.asarray(values, float)
    return lambda weights: _ratio(float(weights @ x), float(weights.sum()))


def constant(value: float) -> Statistic:
    """A number that was measured on other rows."""
    return lambda _: float(value)


def macro_f1(said: Sequence[str], labels: Sequence[str]) -> Statistic:
    """Mean of the F1 of every class that is labelled."""
    called, truth = np.asarray(said), np.asarray(labels)
    each = [f1(called == name, truth == name) for name in sorted(set(labels))]
    return lambda weights: float(np.mean([one(weights) for one in each]))


def interval(statistic: Statistic, clusters: Sequence[str]) -> tuple[float | None, float | None]:
    """95 % percentile bootstrap over sources: rows of one source are drawn together."""
    names, place = np.unique(np.asarray(clusters), return_inverse=True)
    chance = np.random.default_rng(_SEED)
    found = []
    for _ in range(DRAWS):
        drawn = chance.integers(0, len(names), len(names))
        found.append(statistic(np.bincount(drawn, minlength=len(names))[place].astype(float)))
    known = np.asarray(found)[np.isfinite(found)]
    # Half the draws with one class only: there is no interval to speak of.
    if len(known) < DRAWS / 2:
        return None, None
    low, high = np.percentile(known, [2.5, 97.5])
    return float(low), float(high)


def best_threshold(scores: Numbers, labels: Numbers, measure: Callable[..., Statistic]) -> float:
    """The threshold (positive from it on) at which the measure is highest; midway between scores.

    Of equally good ones the middle one is taken: it is the least moved by the next row.
    """
    values = np.asarray(scores, float)
    distinct = np.unique(values)
    tried = (distinct[1:] + distinct[:-1]) / 2 if len(distinct) > 1 else distinct
    reached = np.array([measure(values >= t, labels)(ones(len(values))) for t in tried])
    best = tried[reached >= np.nanmax(reached) - 1e-12]
    return float(best[len(best) // 2])


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
