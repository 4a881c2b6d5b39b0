"""The scores over runs as plain values and in words, which every form of them is made from."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from assay._analysis.history import History, Point, Series
from assay._report import distribution, numbers, titles
from assay._version import __version__

Json = Mapping[str, Any]
NUMERIC: Final = ("n", "mean", "95 % interval")
# How a page sets the columns.
SORTS: Final = {**dict.fromkeys(NUMERIC, "num"), "begun (UTC)": "when", "run": "source"}


def collect(history: History) -> dict[str, Any]:
    """Everything that is shown of a history, as plain values."""
    names = list(dict.fromkeys(one.metric for one in history.series))
    metrics = [_metric(name, history.series) for name in names]
    return {
        "assay": __version__,
        "n_runs": history.n_runs,
        "n_older": history.n_older,
        "n_derived": history.n_derived,
        "by": list(history.over),
        "n_without": history.n_without,
        "n_swept": history.n_swept,
        "metrics": sorted(metrics, key=lambda metric: not metric["misses"]),  # those first
    }


def _metric(name: str, series: Sequence[Series]) -> dict[str, Any]:
    mine = [one for one in series if one.metric == name]
    about = mine[-1].points[-1].run.config["about"][name]
    shown = [_one(one) for one in mine]
    last = shown[-1]["points"][-1]
    return {
        "metric": name,
        **about,
        "axis": axis(shown, about["range"]),
        "misses": distribution.standing({**about, **last}) == "bad",
        "unmoved": len({point["mean"] for one in shown for point in one["points"]}) == 1
        and sum(len(one["points"]) for one in shown) > 1,
        "series": shown,
    }


def _one(series: Series) -> dict[str, Any]:
    last = series.points[-1]
    return {
        "name": series.name,
        "judges": list(series.judges),
        "data": series.data,
        "n_samples": last.run.n_samples,
        "settings": dict(series.settings),
        "differs": list(series.differs),
        "signature": last.score.signature,
        "points": [_point(point) for point in series.points],
    }


def _point(point: Point) -> dict[str, Any]:
    fields = msgspec.to_builtins(point.score)
    kept = ("mean", "interval", "bounds", "n_scored", "n_undefined", "n_failed", "n_unanswered")
    run, noise = point.run, point.score.noise
    return {
        "run": run.id,
        **titles.said(run),
        "created": run.created,
        "source": run.source,
        "values": dict(point.settings),
        "n_older": point.n_older,
        "best_of": point.best_of,
        "finished": run.finished is not None,
        **{name: fields[name] for name in kept},
        "noise": noise.of_mean(point.score.n_scored) if noise else None,
    }


def axis(series: Sequence[Json], ends: Sequence[float | None]) -> list[float]:
    """The ends of an axis on which all means and intervals have their place, and its step."""
    values = [value for one in series for point in one["points"] for value in reach(point)]
    lowest, highest = min(values, default=0.0), max(values, default=1.0)
    bottom, top = ends
    # No axis shows less than a twentieth of the range, or where it is open half of the values.
    if bottom is None or top is None:
        fewest = max(abs(lowest), abs(highest)) / 2 or 0.05
    else:
        fewest = (top - bottom) / 20
    step = _step(max(highest - lowest, fewest))
    low, high = math.floor(lowest / step) * step, math.ceil(highest / step) * step
    low = low if bottom is None else max(low, bottom)
    high = high if top is None else min(high, top)
    if high <= low:  # all the same, with nothing known of how far off it may be
        low, high = (low - step, high) if high == top else (low, low + step)
    return [round(low, 12), round(high, 12), step]


def ticks(low: float, high: float, step: float) -> list[float]:
    """The round values on an axis."""
    first = math.ceil(round(low / step, 6))
    return [round(n * step, 12) for n in range(first, math.floor(round(high / step, 6)) + 1)]


def _step(width: float) -> float:
    """A round number of which a handful make this width."""
    size = 10.0 ** math.floor(math.log10(width))
    return next(size * part for part in (0.2, 0.5, 1.0, 2.0) if width <= 5 * size * part)


def reach(point: Json) -> list[float]:
    """The mean and the ends of its interval, as far as they are known."""
    return [value for value in (point["mean"], *(point["interval"] or ())) if value is not None]


def title(one: Json) -> str:
    """What a series is, in a line."""
    samples = numbers.plural(one["n_samples"], "sample")
    parts = (
        [f"judged by {', '.join(map(titles.judge_in_words, one['judges']))}"]
        if one["judges"]
        else []
    )
    parts.append(f"data {one['data']} ({samples})")
    parts += [f"{key} {value}" for key, value in one["settings"].items()]
    return ", ".join(parts)


def shown(data: Json, *, show_all: bool) -> tuple[list[Json], str]:
    """(the metrics to show, what is said of those that never moved); all where none ever did."""
    moved = [one for one in data["metrics"] if show_all or one["misses"] or not one["unmoved"]]
    left = [one["metric"] for one in data["metrics"] if one not in moved]
    if not left or not moved:
        return list(data["metrics"]), ""
    metrics = numbers.plural(len(left), "metric")
    return moved, f"The same mean in every run: {metrics} ({', '.join(left)})."


def not_comparable(one: Json) -> str:
    """Why the means of a series cannot be set beside those of the first; "" if they can."""
    if not one["differs"]:
        return ""
    return f"Not to be compared with series 1: {'; '.join(one['differs'])}."


def heads(data: Json) -> list[str]:
    """The heads of the table: where runs are ordered by something, that stands for their time."""
    return [*data["by"], "run", "id", *([] if data["by"] else ["begun (UTC)"]), *NUMERIC]


def row(point: Json) -> list[str]:
    """A run as a row of the table."""
    values = list(point["values"].values())
    return [
        *values,
        point["name"] or point["source"],
        point["run"][:8],
        *([] if values else [point["created"][:16].replace("T", " ")]),
        numbers.count(point["n_scored"]),
        numbers.score(point["mean"]),
        numbers.span(point["interval"]),
    ]


def remarks(point: Json, metric: Json) -> str:
    """What must be known of one run beside its mean."""
    parts = [] if point["finished"] else ["not finished"]
    if point["n_older"]:
        parts.append(f"the newest of {point['n_older'] + 1:,} such runs")
    if point["best_of"]:
        parts.append(f"the best of {point['best_of']} configurations")
    counts = [(name, point[f"n_{name}"]) for name in ("failed", "unanswered", "undefined")]
    parts += [f"{n:,} {name}" for name, n in counts if n]
    if point["n_failed"] + point["n_unanswered"]:
        parts.append(f"worst case {numbers.span(point['bounds'])}")
    if point["noise"]:
        parts.append(f"its judge moves it by \N{PLUS-MINUS SIGN}{numbers.score(point['noise'])}")
    words = {"bad": "misses the guide value", "warn": "", "good": "", "": ""}
    standing = words[distribution.standing({**metric, **point})]
    return ", ".join([*parts, *([standing] if standing else [])])


def notes(data: Json) -> list[str]:
    """How the pictures are to be read, and what they leave out."""
    lines = []
    if any(len(metric["series"]) > 1 for metric in data["metrics"]):
        lines.append(
            "Runs of one series have one judge, one definition of the metric and the same "
            "questions and references; a difference between series may be one of these."
        )
    lines.append(
        "Two runs of a series may differ though their intervals overlap: the samples are the same, "
        "and `assay compare` pairs them."
    )
    if data["n_older"]:
        lines.append(f"{numbers.plural(data['n_older'], 'older run')} left out (--limit).")
    if data["n_without"]:
        runs = numbers.plural(data["n_without"], "run")
        lines.append(f"Left out: {runs} without {', '.join(data['by'])}.")
    if data["n_swept"]:
        runs = numbers.plural(data["n_swept"], "run")
        lines.append(
            f"Left out: {runs} of sweeps, of which the best configuration stands alone, with a "
            "mean that is a little too high for that; --by PARAMETER shows all."
        )
    if data["n_derived"]:
        runs = numbers.plural(data["n_derived"], "run")
        lines.append(f"Left out: {runs} that asked again about another one.")
    return lines
