"""Does one rule hold for one metric: on which side of its limit does the interval lie?"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.text.numbers import decimals

Verdict: TypeAlias = Literal["pass", "fail", "undecided"]
Ends: TypeAlias = tuple[float, float] | None
# More samples than these are no advice.
MOST_ADVISED = 100_000


@dataclass(frozen=True, slots=True)
class Check:
    """One rule, held against one metric.

    Attributes:
        metric: Label of the metric.
        rule: The rule in words.
        verdict: "pass", "fail", or "undecided" where the interval lies on both sides.
        why: What was found, in a sentence.
        value: The mean, the difference or the share that was found; None if there is none.
        interval: Its 95 % interval, where it was decided on one.
        n: Samples it rests on.
    """

    metric: str
    rule: str
    verdict: Verdict
    why: str
    value: float | None = None
    interval: Ends = None
    n: int = 0


def at_least(value: float, limit: float) -> bool:
    """Whether a number reaches a limit; what differs by rounding only is the same."""
    return value >= limit or math.isclose(value, limit, rel_tol=1e-9, abs_tol=1e-12)


def side(ends: Ends, holds: Callable[[float], bool]) -> Verdict:
    """On which side of a limit an interval lies: all of it, none of it, or both sides."""
    if ends is None:
        return "undecided"
    right = {holds(end) for end in ends}
    return "undecided" if len(right) > 1 else "pass" if right.pop() else "fail"


def shown(value: float, ends: Ends) -> str:
    """A number with its interval, in words."""
    text = decimals(value, 3)
    return text if ends is None else f"{text} ({decimals(ends[0], 3)} to {decimals(ends[1], 3)})"


def moved(noise: float | None, what: str = "asked again, its judge moves it by") -> str:
    """How far the judge alone moves a number, or what else it does; "" if that is not known."""
    return f"; {what} up to \N{PLUS-MINUS SIGN}{decimals(noise, 3)}" if noise else ""


def more(ends: Ends, value: float, limit: float, n: int) -> str:
    """How many samples would decide, if the mean stays where it is."""
    gap = abs(value - limit)
    if ends is None and n == 1:
        return "one independent sample has no interval: score at least two"
    if ends is None:  # one document, or a range without end whose scores are all the same
        return "there is no interval: it takes two or more independent samples that differ"
    if not gap:
        return "no number of samples is sure to decide it"
    below, above = value - ends[0], ends[1] - value
    near, far = (below, above) if limit < value else (above, below)
    # The arm near the limit decides. Near an end of the range the arms differ: their product and
    # their difference both shrink as 1/n, and so many samples make that arm as short as the gap.
    wanted = round(n * (near * far + gap * (near - far)) / gap**2)
    if wanted > MOST_ADVISED:
        return "it lies too near to be decided by more samples"
    return f"about {max(wanted, n + 1):,} samples like these would decide it"
