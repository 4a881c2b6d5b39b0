"""Configurations as a heat map: the mean of a metric by one or two parameters of the runs."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from multidict import MultiMapping

from assay._analysis.history import Point, Series, by_size, history
from assay._report.distribution import goodness
from assay._store import Run
from assay.errors import InputError
from assay.view.site import Place, Site

LIMIT: Final = 500  # runs that are read, the newest
_WAIT_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which metric, by which parameters."""

    metric: str
    down: str
    across: str = ""

    @classmethod
    def read(cls, query: MultiMapping[str], runs: Sequence[Run]) -> "Wanted":
        """What an address asks for.

        Raises:
            InputError: If no run has a parameter.
        """
        keys = parameters(runs)
        if not keys:
            remedy = "`assay run --param k=5` or `assay describe RUN --param k=5` sets one"
            raise InputError("no run has a parameter to be told apart by", remedy)
        metrics = list(dict.fromkeys(m for run in runs if run.params for m in run.metrics))
        metric, down = query.get("metric", ""), query.get("down", "")
        down = down if down in keys else keys[0]
        others = [key for key in keys if key != down]
        across = query.get("across", others[0] if others and "down" not in query else "")
        return cls(
            metric if metric in metrics else metrics[0], down, across if across in others else ""
        )

    def query(self) -> str:
        """Its part of an address."""
        return urlencode({"metric": self.metric, "down": self.down, "across": self.across})


@dataclass(frozen=True, slots=True)
class Heat:
    """One table: runs whose means can be set beside each other.

    Attributes:
        series: The runs.
        columns: Values of the parameter that goes across; ("",) without one.
        rows: (value of the parameter that goes down, the newest run of each column or None).
        styles: How good each run's mean is, by the run's id.
    """

    series: Series
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Point | None]]]
    styles: dict[str, str]


def parameters(runs: Sequence[Run]) -> list[str]:
    """The parameters that some run has."""
    return sorted({key for run in runs if not run.derived for key in run.params})


def render(site: Site, place: Place, query: MultiMapping[str]) -> str:
    """The page."""
    runs = site.runs()
    wanted = Wanted.read(query, runs)
    key: Hashable = ("matrix", wanted, site.version())
    heats = site.background.get(key, partial(_heats, site, wanted), _WAIT_S)
    metrics = dict.fromkeys(m for run in runs if run.params for m in run.metrics)
    return site.render(
        "matrix.html",
        place,
        wanted=wanted,
        keys=parameters(runs),
        metrics=list(metrics),
        heats=heats,
    )


def _heats(site: Site, wanted: Wanted) -> list[Heat]:
    over = list(filter(None, (wanted.down, wanted.across)))
    found = history(site.path, [wanted.metric], over=over, limit=LIMIT)
    return [_heat(series, wanted) for series in found.series if series.metric == wanted.metric]


def _heat(series: Series, wanted: Wanted) -> Heat:
    at = {(down, across): point for point in series.points for down, across in [_values(point)]}
    downs, acrosses = (sorted({key[n] for key in at}, key=by_size) for n in (0, 1))
    rows = [(down, [at.get((down, across)) for across in acrosses]) for down in downs]
    about = series.points[0].run.config["about"][wanted.metric]
    styles = {point.run.id: _style(point, about) for point in series.points}
    return Heat(series, acrosses, rows, styles)


def _values(point: Point) -> tuple[str, str]:
    down, *across = (value for _, value in point.settings)
    return down, across[0] if across else ""


def _style(point: Point, about: dict[str, Any]) -> str:
    if point.score.mean is None:
        return "none"
    return f"h{round(goodness(point.score.mean, about) * 10)}"
