"""A watch on the console and as plain values: control charts and alerts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.text import Text

from assay._analysis.watch import BASELINE, Chart, Point
from assay._report import history, numbers, sanitize
from assay._report.tables import dim, numeric, table
from assay._store.alerts import StoredAlert

Json = Mapping[str, Any]
_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_WIDTH: Final = 20  # looks that a picture shows, the newest ones
_LEAST_HEIGHT: Final = 0.25  # of a metric's range that a picture shows: noise is to look small
_ANEW: Final = "│"  # where a chart began anew


def collect(
    name: str, charts: Sequence[Chart], alerts: Sequence[StoredAlert], baseline: int = BASELINE
) -> dict[str, Any]:
    """A watch as plain values.

    Args:
        name: Its name.
        charts: Its charts.
        alerts: What it has told.
        baseline: Samples that a chart needs before drift can be told.
    """
    return {
        "watch": name,
        "charts": [_chart(chart, baseline) for chart in charts],
        "alerts": [{**alert.body, "pending": list(alert.pending)} for alert in alerts],
    }


def _chart(chart: Chart, baseline: int) -> dict[str, Any]:
    last = chart.points[-1:]
    whole = chart.interval(chart.points) if chart.points else None
    n = sum(len(point.values) for point in chart.points)
    return {
        "metric": chart.metric,
        "segment": f"{chart.segment.field} {chart.segment.value}".strip(),
        "range": list(chart.ends) if chart.ends else None,
        "state": _state(chart, baseline),
        "n": n,
        "mean": last[0].mean if last else None,
        "all": [whole.low, whole.high] if whole else None,
        "earlier": [_point(point) for point in chart.earlier],
        "points": [_point(point) for point in chart.points],
    }


def _state(chart: Chart, baseline: int) -> str:
    enough = bool(chart.points) and bool(chart.starts(baseline))
    return "not tested" if chart.ends is None else "no drift" if enough else "baseline"


def _point(point: Point) -> dict[str, Any]:
    return {
        "look": point.look.number,
        "at": point.look.at,
        "run": point.look.run.id,
        "mean": point.mean,
        "n": len(point.values),
    }


def drawn(chart: Chart, baseline: int = BASELINE) -> dict[str, Any]:
    """A chart as the page of a history draws it: the looks before it began anew, and since."""
    last = (*chart.earlier, *chart.points)[-1].look.run
    about = last.config["about"][chart.metric]
    parts = [("1", chart.earlier), ("2", chart.points)]
    series = [
        {"name": name, "points": [_mark(chart, point) for point in points]}
        for name, points in parts
        if points
    ]
    ends = chart.ends or (None, None)
    return {
        "metric": chart.stream,
        **about,
        "state": _state(chart, baseline),
        "axis": history.axis(series, ends),
        "series": series,
    }


def _mark(chart: Chart, point: Point) -> dict[str, Any]:
    run, interval = point.look.run, chart.interval([point])
    return {
        "run": run.id,
        "name": f"{point.look.number or 'baseline'}",
        "created": point.look.at if point.look.number else run.created,
        "values": {"look": str(point.look.number)},
        "source": run.source,
        "mean": point.mean,
        "interval": [interval.low, interval.high] if interval else None,
        "n_scored": len(point.values),
    }


def console(data: Json) -> RenderableType:
    """A control chart for each metric and segment, then the alerts."""
    if not data["charts"]:
        return Text("no look yet")
    made = table("scores", gap=1)
    made.add_column("looks, oldest first", no_wrap=True)
    numeric(made, ("last", "mean", "n"))
    made.add_column("", no_wrap=True)
    for chart in data["charts"]:
        made.add_row(
            sanitize.plain(chart["metric"] if not chart["segment"] else f"  {chart['segment']}"),
            picture(chart),
            numbers.score(chart["mean"]),
            numbers.span(chart["all"]),
            numbers.count(chart["n"]),
            chart["state"],
        )
    blocks: list[RenderableType] = [made]
    for alert in data["alerts"]:
        blocks += [Text(), *alert_lines(alert)]
    return Group(*blocks)


def picture(chart: Json, width: int = _WIDTH) -> str:
    """The means of the newest looks as blocks, from the least to the greatest of them."""
    earlier, points = chart["earlier"], chart["points"]
    drawn = [*earlier, None, *points] if earlier else list(points)
    drawn = drawn[-width:]
    means = [one["mean"] for one in drawn if one and one["mean"] is not None]
    low, high = min(means, default=0.0), max(means, default=1.0)
    if chart["range"]:
        middle, least = (low + high) / 2, _LEAST_HEIGHT * (chart["range"][1] - chart["range"][0])
        low, high = min(low, middle - least / 2), max(high, middle + least / 2)
    step = (high - low) / len(_BLOCKS) or 1.0
    return "".join(
        _ANEW
        if one is None
        else " "
        if one["mean"] is None
        else _BLOCKS[min(int((one["mean"] - low) / step), len(_BLOCKS) - 1)]
        for one in drawn
    )


def alert_lines(alert: Json) -> list[Text]:
    """An alert: what changed, with its figures, what changed with it, and what to do."""
    if alert["kind"] == "judge":
        scores = ", ".join(alert["anew"])
        head = f"look {alert['look']}: another judge of {scores}: {alert['why']}"
        note = "  scores before and after are not comparable; the chart begins anew"
        return [Text(sanitize.plain(head), "bold yellow"), dim(note)]
    before, after = alert["before"], alert["after"]
    head = (
        f"look {alert['look']}: {alert['stream']} {alert['direction']} from"
        f" {_measured(before)} to {_measured(after)}"
    )
    since = f"  since look {alert['since']['look']} ({alert['since']['at'][:10]})"
    lines = [Text(sanitize.plain(head), "bold yellow" if alert["worse"] else "bold cyan")]
    lines.append(Text(sanitize.plain(since)))
    lines += [Text(sanitize.plain(f"  {line}")) for line in alert["changed"]]
    lines.append(dim(sanitize.plain(f"  worst now: {', '.join(alert['worst_samples'])}")))
    lines.append(dim(sanitize.plain(f"  {alert['label']}")))
    return lines


def _measured(part: Json) -> str:
    return f"{numbers.score(part['mean'])} ({numbers.span(part['interval'])}, n = {part['n']:,})"
