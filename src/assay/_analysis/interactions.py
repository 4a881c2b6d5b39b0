"""Interactions of two parameters: where a value does more beside one value than beside another."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from assay._store.runs import Value, written
from assay.stats.intervals import LEVEL, Interval

if TYPE_CHECKING:
    from assay.stats.intervals import Floats


@dataclass(frozen=True, slots=True)
class Interaction:
    """What one parameter does beside two values of another, all further ones averaged out.

    Of the many such contrasts of two parameters it is the largest that is surely there, or the
    largest of all if none is.

    Attributes:
        parameter: The one that is changed.
        change: Its value before, and after: the change that is for the better where it does more.
        beside: The other one.
        values: Its value where the change does more for the score, and where it does less.
        effects: What the change does to the mean score beside each of them.
        difference: The first of these minus the second.
        interval: Its confidence interval, simultaneous over all contrasts of all parameters.
        found: Whether the interval leaves zero out.
    """

    parameter: str
    change: tuple[str, str]
    beside: str
    values: tuple[str, str]
    effects: tuple[float, float]
    difference: float
    interval: Interval | None
    found: bool


def parameter_values(params: Sequence[Mapping[str, Value]]) -> dict[str, list[str]]:
    """The values of each parameter, each once, in the order in which they were given."""
    values: dict[str, dict[str, None]] = {}
    for one in params:
        for name, value in one.items():
            values.setdefault(name, {})[written(value)] = None
    return {name: list(given) for name, given in values.items()}


def interactions(
    scores: "Floats",
    params: Sequence[Mapping[str, Value]],
    *,
    groups: Sequence[Hashable] | None = None,
    span: float | None = None,
    higher_is_better: bool = True,
    level: float = LEVEL,
) -> tuple[Interaction, ...]:
    """The largest interaction of every two parameters with several values.

    Args:
        scores: Shape (questions, configurations), of every combination of the values.
        params: The values of each configuration.
        groups: The cluster of each question, None if all are independent.
        span: The greatest score possible minus the least, None where there is no end.
        higher_is_better: Which scores are better.
        level: Nominal coverage of the differences of all contrasts together.
    """
    values = parameter_values(params)
    varied = [name for name in values if len(values[name]) > 1]
    # The one with fewer values is changed: its pairs of values share the error that is allowed.
    pairs = [
        tuple(sorted(two, key=lambda name: len(values[name]))) for two in combinations(varied, 2)
    ]
    several = sum(len(list(combinations(values[changed], 2))) for changed, _ in pairs)
    largest = []
    for changed, beside in pairs:
        contrasts = [
            contrast
            for two in combinations(values[changed], 2)
            for contrast in _contrasts(
                _Change(changed, two, beside, values[beside]),
                scores,
                params,
                _Test(groups, span, higher_is_better, 1 - (1 - level) / several, level),
            )
        ]
        largest.append(max(contrasts, key=lambda one: (one.found, abs(one.difference))))
    return tuple(largest)


@dataclass(frozen=True)
class _Change:
    parameter: str
    values: tuple[str, str]
    beside: str
    others: Sequence[str]


@dataclass(frozen=True)
class _Test:
    groups: Sequence[Hashable] | None
    span: float | None
    higher_is_better: bool
    each: float  # coverage of all contrasts of one change together
    level: float


def _contrasts(
    change: _Change, scores: "Floats", params: Sequence[Mapping[str, Value]], test: _Test
) -> list[Interaction]:
    """How differently a change of one parameter does beside every two values of another."""
    import numpy as np

    from assay.stats.best import simultaneous_alpha
    from assay.stats.comparison import difference_interval

    def mean(value: str, other: str) -> "Floats":
        at = [
            place
            for place, one in enumerate(params)
            if (written(one[change.parameter]), written(one[change.beside])) == (value, other)
        ]
        average: Floats = scores[:, at].mean(axis=1)
        return average

    before, after = change.values
    effects = np.stack([mean(after, one) - mean(before, one) for one in change.others], axis=1)
    alpha = simultaneous_alpha(effects, groups=test.groups, level=test.each)
    made = []
    for first, second in combinations(range(len(change.others)), 2):
        contrast = effects[:, first] - effects[:, second]
        interval = difference_interval(
            contrast,
            groups=test.groups,
            span=None if test.span is None else 2 * test.span,
            level=1 - alpha,
        )
        made.append(_interaction(change, (first, second), effects.mean(axis=0), interval, test))
    return made


def _interaction(
    change: _Change,
    places: tuple[int, int],
    effects: "Floats",
    interval: Interval | None,
    test: _Test,
) -> Interaction:
    """The contrast, turned so that the change is for the better beside the first value."""
    first, second = places
    a, b = float(effects[first]), float(effects[second])
    low, high = (interval.low, interval.high) if interval else (0.0, 0.0)
    # Told of the value beside which more happens, as a change for the better.
    if abs(b) > abs(a):
        first, second, a, b, low, high = second, first, b, a, -high, -low
    before, after = change.values
    if (a < 0) == test.higher_is_better:
        before, after, a, b, low, high = after, before, -a, -b, -high, -low
    return Interaction(
        parameter=change.parameter,
        change=(before, after),
        beside=change.beside,
        values=(change.others[first], change.others[second]),
        effects=(a, b),
        difference=a - b,
        interval=interval and Interval(low, high, test.level, f"{interval.method}, simultaneous"),
        found=interval is not None and not low <= 0 <= high,
    )
