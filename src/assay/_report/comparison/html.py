"""A comparison of runs as one self-contained page without scripts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._report import comparison, numbers
from assay._report.page import asset, page

Json = Mapping[str, Any]
WIDTH: Final = 240
HEIGHT: Final = 26
# No axis shows less than this share of a range: what is smaller is hardly a difference.
_LEAST: Final = 0.05


@dataclass(frozen=True, slots=True)
class Drawn:
    """One difference with its interval, in the drawing's units.

    Attributes:
        low: Left end of the interval.
        high: Right end of the interval.
        at: The difference.
        blind: Left and right end of what so many samples cannot show, None if that is not known.
        limit: The value at the right end of the axis; the left end is its negative.
        words: The same for those who cannot see it.
    """

    low: float
    high: float
    at: float
    blind: tuple[float, float] | None
    limit: float
    words: str


def render(data: Json) -> str:
    """The page: a pure function of the comparison, one file without any outside reference."""
    style = asset("style.css") + asset("comparison.css")
    context = {**overview(data), "moment": numbers.moment}
    return page("comparison.html", style, version=data["assay"], **context)


def overview(data: Json) -> dict[str, Any]:
    """What the tables of the differences show, for their template."""
    tables = []
    for run, shown, left_out in comparison.shown(data, show_all=False):
        every = next(metrics for other, metrics in comparison.others(data) if other is run)
        rows = [(one, _drawn(one, _limit(one, every))) for one in every]
        kept = [row for row in rows if row[0] in shown]
        tables.append((run, kept, " ".join(left_out), [row for row in rows if row not in kept]))
    return {
        "data": data,
        "tables": tables,
        "legend": comparison.legend(data),
        "signed": comparison.signed,
        "between": comparison.between,
        "p_value": comparison.p_value,
        "width": WIDTH,
        "height": HEIGHT,
    }


def _limit(one: Json, metrics: Sequence[Json]) -> float:
    """The end of a metric's axis: metrics of one range share it, without a range it is its own."""
    width = _width(one)
    alike = [one] if width is None else [other for other in metrics if _width(other) == width]
    reach = max(map(_reach, alike))
    if width is None:
        return _round_up(reach) if reach else 1.0
    return min(_round_up(max(reach, _LEAST * width)), width)


def _width(one: Json) -> float | None:
    low, high = one["range"]
    return None if low is None or high is None else float(high - low)


def _round_up(value: float) -> float:
    """The next number that is short to write: 0.00015, 0.2, 80."""
    size = 10.0 ** math.floor(math.log10(value))
    steps = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    short = next((step for step in steps if value <= step * size * (1 + 1e-9)), 10.0)
    return float(f"{short * size:.2g}")


def _reach(one: Json) -> float:
    paired: Json | None = one["paired"]
    if paired is None:
        return 0.0
    ends = paired["interval"] or {"low": paired["difference"], "high": paired["difference"]}
    return max(abs(float(ends["low"])), abs(float(ends["high"])), abs(float(paired["difference"])))


def _drawn(one: Json, limit: float) -> Drawn | None:
    paired = one["paired"]
    if paired is None or paired["interval"] is None:
        return None

    def x(value: float) -> float:
        return round((min(max(value / limit, -1.0), 1.0) + 1) / 2 * WIDTH, 1)

    ends, least = paired["interval"], one["detectable"]
    blind = None if least is None else (x(-least), x(least))
    words = f"difference {comparison.signed(paired['difference'])}, interval "
    words += comparison.between(ends)
    return Drawn(x(ends["low"]), x(ends["high"]), x(paired["difference"]), blind, limit, words)
