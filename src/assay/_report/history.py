"""The scores over runs, in words, on the console, in Markdown and drawn on a page."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import msgspec
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay._analysis.history import History, Point, Series
from assay._report import numbers, sanitize, tables
from assay._report.page import asset, page, path
from assay._report.sanitize import cell, code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table, table
from assay._version import __version__

Json = Mapping[str, Any]
NUMERIC: Final = ("n", "mean", "95 % interval")
# How a page sets the columns.
SORTS: Final = {**dict.fromkeys(NUMERIC, "num"), "begun (UTC)": "when", "run": "source"}


def collect(history: History) -> dict[str, Any]:
    """Everything that is shown of a history, as plain values."""
    names = list(dict.fromkeys(series.metric for series in history.series))
    metrics = [_collected(name, history.series) for name in names]
    counts = ("n_runs", "n_older", "n_derived", "n_without", "n_swept")
    return {
        "assay": __version__,
        **{name: getattr(history, name) for name in counts},
        "by": list(history.over),
        "metrics": sorted(metrics, key=lambda metric: not metric["misses"]),  # those first
    }


def _collected(name: str, series: Sequence[Series]) -> dict[str, Any]:
    own_series = [item for item in series if item.metric == name]
    facts = own_series[-1].points[-1].run.config["about"][name]
    drawn = [_series_data(item) for item in own_series]
    last = drawn[-1]["points"][-1]
    return {
        "metric": name,
        **facts,
        "axis": numbers.axis(drawn, facts["range"]),
        "misses": tables.standing({**facts, **last}) == "bad",
        "unmoved": len({point["mean"] for item in drawn for point in item["points"]}) == 1
        and sum(len(item["points"]) for item in drawn) > 1,
        "series": drawn,
    }


def _series_data(series: Series) -> dict[str, Any]:
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
    counts = ("scored", "undefined", "failed", "unanswered", "not_reached")
    names = ("mean", "interval", "bounds", *(f"n_{name}" for name in counts))
    run, noise = point.run, point.score.noise
    return {
        "run": run.id,
        **numbers.run_description(run),
        "created": run.created,
        "source": run.source,
        "values": dict(point.settings),
        "n_older": point.n_older,
        "best_of": point.best_of,
        "finished": run.finished is not None,
        **{name: fields[name] for name in names},
        "noise": noise.of_mean(point.score.n_scored) if noise else None,
    }


def title(one: Json) -> str:
    """What a series is, in a line."""
    samples = numbers.plural(one["n_samples"], "sample")
    phrases = (
        [f"judged by {', '.join(map(numbers.judge_in_words, one['judges']))}"]
        if one["judges"]
        else []
    )
    phrases.append(f"data {one['data']} ({samples})")
    phrases += [f"{key} {value}" for key, value in one["settings"].items()]
    return ", ".join(phrases)


def shown(data: Json, *, show_all: bool) -> tuple[list[Json], str]:
    """(the metrics to show, what is said of those that never moved); all where none ever did."""
    moved = [m for m in data["metrics"] if show_all or m["misses"] or not m["unmoved"]]
    left = [metric["metric"] for metric in data["metrics"] if metric not in moved]
    metrics: list[Json] = [
        {**m, "series": _newest_series(m, data)} for m in moved or data["metrics"]
    ]
    n_single = sum(len(metric["series"]) for metric in moved or data["metrics"])
    n_single -= sum(len(metric["series"]) for metric in metrics)
    if show_all or not (n_single or (left and moved)):
        return list(data["metrics"]), ""
    same = f"The same mean in every run: {numbers.plural(len(left), 'metric')} ({', '.join(left)})."
    single = f"Left out: {numbers.plural(n_single, 'mean')} beside which no other stands."
    return metrics, " ".join([same] * bool(left and moved) + [single] * bool(n_single))


def _newest_series(metric: Json, data: Json) -> list[Json]:
    """The series of a metric, without those of one run that is not the newest."""
    newest = _newest(data)["run"]
    series = [
        series
        for series in metric["series"]
        if len(series["points"]) > 1 or series["points"][-1]["run"] == newest
    ]
    return series or metric["series"][-1:]


def _newest(data: Json) -> Json:
    points = (p for metric in data["metrics"] for s in metric["series"] for p in s["points"])
    newest: Json = max(points, key=lambda point: (point["created"], point["run"]))
    return newest


def headline(data: Json) -> str:
    """How the newest run stands to the one before it; "" where runs are ordered by something."""
    if data["by"] or data["n_runs"] < 2:
        return ""
    newest = _newest(data)
    pairs = [
        (metric["metric"], *series["points"][-2:])
        for metric in data["metrics"]
        for series in metric["series"]
        if len(series["points"]) > 1 and series["points"][-1]["run"] == newest["run"]
    ]
    if not pairs:
        text = f"No run stands beside the newest one, {_run_name(newest)}"
        return f"{text}: none has the same samples, judge and definition of a metric."
    last = max((old for _, old, _ in pairs), key=lambda point: point["created"])
    moves = [
        f"{name} {numbers.score(old['mean'])} to {numbers.score(new['mean'])}"
        for name, old, new in pairs
        if old["run"] == last["run"] and old["mean"] != new["mean"]
    ]
    more = [f"{len(moves) - _NAMED_METRICS} more"] if len(moves) > _NAMED_METRICS else []
    moves_in_words = ", ".join(moves[:_NAMED_METRICS] + more) or "no mean moved"
    text = f"From {_run_name(last)} to the newest run, {_run_name(newest)}: {moves_in_words}."
    command = f"`assay compare {last['run'][:8]} {newest['run'][:8]}`"
    return f"{text} {command} says whether chance explains it." if moves else text


def _run_name(point: Json) -> str:
    return numbers.beside(point["name"] or point["source"], point["run"])


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
    phrases = [] if point["finished"] else ["not finished"]
    if point["n_older"]:
        phrases.append(f"the newest of {point['n_older'] + 1:,} such runs")
    if point["best_of"]:
        phrases.append(f"the best of {point['best_of']} configurations")
    late = point.get("n_not_reached", 0)
    counts = {"not reached": late, "failed": point["n_failed"] - late}
    counts |= {name: point[f"n_{name}"] for name in ("unanswered", "undefined")}
    phrases += [f"{n:,} {name}" for name, n in counts.items() if n]
    if point["n_failed"] + point["n_unanswered"]:
        phrases.append(f"worst case {numbers.span(point['bounds'])}")
    if point["noise"]:
        phrases.append(f"its judge moves it by \N{PLUS-MINUS SIGN}{numbers.score(point['noise'])}")
    words = {"bad": "misses the guide value", "warn": "", "good": "", "": ""}
    standing = words[tables.standing({**metric, **point})]
    return ", ".join([*phrases, *([standing] if standing else [])])


def notes(data: Json) -> list[str]:
    """How the pictures are to be read, and what they leave out."""
    lines = []
    if any(len(metric["series"]) > 1 for metric in data["metrics"]):
        lines.append(
            "Runs of one series have one judge, one definition of the metric, the same questions "
            "and references, and what its heading says was set; a difference between series may "
            "be one of these."
        )
    if any(len(series["points"]) > 1 for metric in data["metrics"] for series in metric["series"]):
        lines.append(
            "Two runs of a series may differ though their intervals overlap: the samples are the "
            "same."
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


BAR: Final = 25
NARROWEST: Final = 10
_NAMED_METRICS: Final = 4  # of a headline; the tables show all
_NAME_COLUMN: Final = 14  # characters of a run, so that the picture has room at 80 columns


def console(data: Json, *, show_all: bool = False) -> RenderableType:
    """Each metric with its series, and what must be read beside them."""
    if not data["metrics"]:
        return Text("no run yet")
    metrics, left_out = shown(data, show_all=show_all)
    columns = heads(data)
    blocks: list[RenderableType] = []
    if text := headline(data):
        blocks += [Text(sanitize.plain(text), style="bold"), Text()]
    blocks += [block for metric in metrics for block in _metric(metric, columns)]
    if left_out:
        blocks.append(Text(f"{sanitize.plain(left_out)} --all shows more."))
    return Group(*blocks, *(dim(note) for note in notes(data)))


def _metric(metric: Json, columns: Sequence[str]) -> Iterator[RenderableType]:
    head = Text(sanitize.plain(metric["metric"]), style="bold")
    if not metric["higher_is_better"]:
        head.append(" \N{DOWNWARDS ARROW} lower is better", style="dim")
    if metric["guide"] is not None:
        head.append(f"  guide {numbers.score(metric['guide'])}", style="dim")
    yield head
    for series in metric["series"]:
        yield dim(f"series {series['name']}: {title(series)}")
        if reason := not_comparable(series):
            yield Text(f"! {sanitize.plain(reason)}", style="yellow")
        yield _table(series, metric, columns)
        yield from _remarks(series, metric)
        yield Text()


def _table(series: Json, metric: Json, columns: Sequence[str]) -> Table:
    low, high = (numbers.score(end) for end in metric["axis"][:2])
    rows = table()
    for name in columns:
        right = name in NUMERIC
        folded = name == "run"
        rows.add_column(
            sanitize.plain(name),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis" if folded else "fold",
            max_width=_NAME_COLUMN if folded else None,
        )
    ends = len(low) + len(high)
    rows.add_column(_FluidLine(lambda width: low + " " * max(1, width - ends) + high))
    for point in series["points"]:
        cells = [Text(sanitize.plain(cell)) for cell in row(point)]
        rows.add_row(*cells, _FluidLine(partial(bar, point, metric["axis"]), "cyan"))
    return rows


def _remarks(series: Json, metric: Json) -> Iterator[Text]:
    """What the table has no room for: nothing is left of a line beside the pictures."""
    runs: dict[str, list[str]] = {}
    for point in series["points"]:
        runs.setdefault(remarks(point, metric), []).append(point["run"][:8])
    for remark, ids in runs.items():
        if remark:
            yield dim(f"{', '.join(ids)}: {remark}")


class _FluidLine:
    """A line that is drawn as wide as the table leaves it room."""

    def __init__(self, draw: Callable[[int], str], style: str = "") -> None:
        self._draw, self._style = draw, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._draw(min(options.max_width, BAR))
        yield Text(text, style=self._style, no_wrap=True, overflow="crop")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(NARROWEST, BAR)


def bar(point: Json, axis: Sequence[float], width: int = BAR) -> str:
    """The mean and its interval on an axis of characters: ``  |---o----|   ``."""
    reach = numbers.reach(point)
    if not reach:
        return ""
    columns = [_column(value, axis, width) for value in reach]
    characters = [" "] * width
    characters[min(columns) : max(columns) + 1] = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (
        max(columns) - min(columns) + 1
    )
    if point["interval"]:
        characters[min(columns)], characters[max(columns)] = "├", "┤"
    if point["mean"] is not None:
        characters[_column(point["mean"], axis, width)] = "●"
    return "".join(characters)


def _column(value: float, axis: Sequence[float], width: int) -> int:
    share = (value - axis[0]) / (axis[1] - axis[0])
    return min(max(round(share * (width - 1)), 0), width - 1)


def markdown(data: Json) -> str:
    """Each metric with its series, and what must be read beside them."""
    columns = heads(data)
    metrics, left_out = shown(data, show_all=False)
    blocks = [block for metric in metrics for block in _markdown_metric(metric, columns)]
    answer = f"**{inline(headline(data))}**" if headline(data) else ""
    return joined(
        ["## Scores over runs", answer, *blocks, inline(left_out), markdown_list(notes(data))]
    )


def _markdown_metric(metric: Json, columns: Sequence[str]) -> Iterator[str]:
    lower = "" if metric["higher_is_better"] else " (lower is better)"
    yield f"### {code(metric['metric'])}{lower}"
    for series in metric["series"]:
        yield inline(f"Series {series['name']}: {title(series)}.")
        if reason := not_comparable(series):
            yield f"**{inline(reason)}**"
        low, high = (numbers.score(end) for end in metric["axis"][:2])
        numeric = {"n": "---:", "mean": "---:", "95 % interval": ":---:"}
        sides = {inline(name): numeric.get(name, ":---") for name in columns}
        sides |= {f"{low} to {high}": ":---", "": ":---"}
        rows = []
        for point in series["points"]:
            named_cells = zip(columns, row(point), strict=True)
            cells = [cell(text) if name == "id" else inline(text) for name, text in named_cells]
            # Spaces at the ends of a code span are lost, and with them where the axis begins.
            picture = cell(bar(point, metric["axis"]).replace(" ", "·"))
            rows.append([*cells, picture, remarks(point, metric)])
        yield markdown_table(sides, rows)


WIDTH: Final = 860
HEIGHT: Final = 220
COLOURS: Final = 6
# Told apart without colours: drawn round (0, 0).
SHAPES: Final = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4 -4h8v8h-8Z",
    "M0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5Z",
    "M0 -5l5 9h-10Z",
    "M0 5l5 -9h-10Z",
    "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5Z",
    "M-5 -2.5h10v5h-10Z",
)
# So many runs have room for their names below the axis.
_NAMED: Final = 12
_NAME: Final = 12  # characters of such a name


@dataclass(frozen=True, slots=True)
class Mark:
    """A mean with its interval, in the drawing's units; `low` is None without an interval."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str


@dataclass(frozen=True, slots=True)
class Line:
    """One series as it is drawn."""

    name: str  # of the series
    colour: int  # which of the colours
    shape: str  # path of its marks
    path: str  # the line through its means
    marks: Sequence[Mark]  # its means


@dataclass(frozen=True, slots=True)
class Picture:
    """One metric as it is drawn."""

    lines: Sequence[Line]  # its series
    ticks: Sequence[tuple[float, str]]  # (y, value) of the lines of the grid
    names: Sequence[tuple[float, str, str]]  # (x, id, day) below the axis
    guide: float | None  # where the guide value lies, None if it is not in the picture


def html(data: Json) -> str:
    """The page: a pure function of the history, one file without any outside reference."""
    return page(
        "history.html",
        asset("style.css") + asset("history.css"),
        version=data["assay"],
        data=data,
        single=[
            [s["name"] for s in metric["series"] if s not in _newest_series(metric, data)]
            for metric in data["metrics"]
        ],
        pictures=[picture(metric) for metric in data["metrics"]],
        words=sys.modules[__name__],
        w=WIDTH,
        h=HEIGHT,
    )


def picture(metric: Json) -> Picture:
    """The drawing of one metric.

    Args:
        metric: Its axis, guide value, and series of points, as `history.collect` gives them.
    """
    low, high, step = metric["axis"]
    all_points = [point for series in metric["series"] for point in series["points"]]
    if not all_points[0]["values"]:  # otherwise they stand in the order of these
        all_points.sort(key=lambda point: (point["created"], point["run"]))
    points = list(dict.fromkeys((point["created"], point["run"]) for point in all_points))
    gap = WIDTH / len(points)
    xs = {run: round((n + 0.5) * gap, 1) for n, (_, run) in enumerate(points)}

    def y(value: float) -> float:
        return round(float((high - value) / (high - low)) * HEIGHT, 1)

    names = {point["run"]: point["name"] or point["run"][:8] for point in all_points}
    # Of many runs, only the first and the last have room.
    named_points = points if len(points) <= _NAMED else [points[0], points[-1]]
    guide = metric["guide"]
    return Picture(
        lines=[_line(s, number, xs, y) for number, s in enumerate(metric["series"])],
        ticks=[(y(value), numbers.score(value)) for value in numbers.ticks(low, high, step)],
        names=[(xs[run], _short(names[run]), created[:10]) for created, run in named_points],
        guide=y(guide) if guide is not None and low <= guide <= high else None,
    )


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


def _line(series: Json, number: int, xs: Mapping[str, float], y: Callable[[float], float]) -> Line:
    marks = [
        Mark(
            x=xs[point["run"]],
            y=y(point["mean"]),
            low=y(point["interval"][0]) if point["interval"] else None,
            high=y(point["interval"][1]) if point["interval"] else None,
            title=_title(series, point),
        )
        for point in series["points"]
        if point["mean"] is not None
    ]
    through = path((mark.x, mark.y) for mark in marks) if len(marks) > 1 else ""
    return Line(series["name"], number % COLOURS, SHAPES[number % len(SHAPES)], through, marks)


def _title(series: Json, point: Json) -> str:
    *cells, n, mean, interval = row(point)
    return f"series {series['name']}, {', '.join(cells)}: {mean} ({interval}), n = {n}"
