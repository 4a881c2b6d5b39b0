"""What is a measured figure, and how is one made from a statistic and its floors?"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from assay.backends.embedded.card import CardFigure
from assay.bench import stats
from assay.bench.references import REFERENCES
from assay.bench.stats import Numbers, Statistic

# What to do where a figure needs a threshold that was not fitted for the judge.
UNFITTED = "`--fit` fits one on train rows"


class Figure(CardFigure, frozen=True, kw_only=True):
    """A figure of the card as it was measured, which may be undefined.

    Attributes:
        value: The number; None where it is undefined (only one class among the rows).
        source: Where the published figures stand.
        base_rate: Share of the rows that are what is looked for; None where nothing is.
    """

    value: float | None  # type: ignore[assignment]  # a card ships with what is defined only
    source: str = ""
    base_rate: float | None = None


def figure(
    name: str,
    statistic: Statistic,
    clusters: Sequence[str],
    floors: Mapping[str, Statistic] | None = None,
    *,
    note: str = "",
    lower_is_better: bool = False,
    labels: Numbers | None = None,
) -> Figure:
    """A figure with its interval beside the strongest of the floors.

    Args:
        name: What it is called, and what published figures are found by.
        statistic: From weights of the rows to the number.
        clusters: The source of each row: rows of one source are drawn together.
        floors: The same of trivial rules.
        note: What else a reader has to know.
        lower_is_better: Whether small numbers are good.
        labels: Which rows are what is looked for.
    """
    ones = stats.ones(len(clusters))
    value = _finite(statistic(ones)) if len(clusters) else None
    low, high = stats.interval(statistic, clusters) if value is not None else (None, None)
    found = {rule: _finite(floor(ones)) for rule, floor in (floors or {}).items() if len(clusters)}
    known = {rule: floor for rule, floor in found.items() if floor is not None}
    best = min if lower_is_better else max
    floor_name = best(known, key=lambda rule: known[rule]) if known else ""
    others = [f"{rule} {known[rule]:.2f}" for rule in known if rule != floor_name]
    if others:
        note = "; ".join(filter(None, [note, f"other floors: {', '.join(others)}"]))
    reference = REFERENCES.get(name)
    return Figure(
        name=name,
        value=value,
        low=low,
        high=high,
        n=len(clusters),
        floor=known.get(floor_name),
        floor_name=floor_name,
        reference=reference.peers if reference else "",
        note=note,
        lower_is_better=lower_is_better,
        source=reference.source if reference else "",
        base_rate=float(np.mean(labels)) if labels is not None and len(labels) else None,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
