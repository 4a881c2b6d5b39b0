"""What may be demanded of the score of one sample, and when does a score meet it?"""

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

from assay.errors import InputError
from assay.metrics import Metric, resolve
from assay.metrics.registry import check_threshold


def _same(value: float, limit: float) -> bool:
    """Whether they differ by rounding only."""
    return math.isclose(value, limit, rel_tol=1e-9, abs_tol=1e-12)


_SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": lambda value, limit: value >= limit or _same(value, limit),
    ">": lambda value, limit: value > limit and not _same(value, limit),
    "<=": lambda value, limit: value <= limit or _same(value, limit),
    "<": lambda value, limit: value < limit and not _same(value, limit),
}


def check(metric: str | Metric, sign: str, limit: Any) -> None:
    """See that scores of a metric can be compared with a number.

    Raises:
        InputError: If it is none, or lies where no score can: all would meet it, or none; or if the
            metric's name does not say which way it counts.
    """
    check_threshold(metric)
    (found,) = resolve(metric)
    low, high = found.range
    is_number = isinstance(limit, Real | Decimal) and not isinstance(limit, bool)
    if not is_number:
        raise InputError(f"{found.label} {sign} {limit!r}", "compare it with a number")
    beyond = not low <= limit <= high
    if beyond or (sign == ">" and limit == high) or (sign == "<" and limit == low):
        what = f"{found.label} {sign} {limit}: its values are {low:g} to {high:g}"
        raise InputError(what)


def holds(value: float, sign: str, limit: float) -> bool:
    """Whether a score meets a demand; what differs by rounding only is the same."""
    return _SIGNS[sign](value, limit)
