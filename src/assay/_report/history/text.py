"""The scores over runs on the console and in Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from assay._report import history, numbers, sanitize
from assay._report.sanitize import cell, code, inline
from assay._report.tables import dim, joined, markdown_list, markdown_table, table

Json = Mapping[str, Any]
WIDTH: Final = 25
NARROWEST: Final = 10
_NAME: Final = 14  # characters of a run, so that the picture has room at 80 columns


def console(data: Json, *, show_all: bool = False) -> RenderableType:
    """Each metric with its series, and what must be read beside them.

    Args:
        data: The history in words.
        show_all: Whether metrics that never moved are more than counted.
    """
    if not data["metrics"]:
        return Text("no run yet")
    metrics, left_out = history.shown(data, show_all=show_all)
    heads = history.heads(data)
    blocks = [block for metric in metrics for block in _metric(metric, heads)]
    if left_out:
        blocks.append(Text(f"{sanitize.plain(left_out)} --all shows more."))
    return Group(*blocks, *(dim(note) for note in history.notes(data)))


def _metric(metric: Json, heads: Sequence[str]) -> Iterator[RenderableType]:
    head = Text(sanitize.plain(metric["metric"]), style="bold")
    if not metric["higher_is_better"]:
        head.append(" \N{DOWNWARDS ARROW} lower is better", style="dim")
    if metric["guide"] is not None:
        head.append(f"  guide {numbers.score(metric['guide'])}", style="dim")
    yield head
    for one in metric["series"]:
        yield dim(f"series {one['name']}: {history.title(one)}")
        if why := history.not_comparable(one):
            yield Text(f"! {sanitize.plain(why)}", style="yellow")
        yield _table(one, metric, heads)
        yield from _remarks(one, metric)
        yield Text()


def _table(one: Json, metric: Json, heads: Sequence[str]) -> Table:
    low, high = (numbers.score(end) for end in metric["axis"][:2])
    made = table()
    for name in heads:
        right = name in history.NUMERIC
        folded = name == "run"
        made.add_column(
            sanitize.plain(name),
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis" if folded else "fold",
            max_width=_NAME if folded else None,
        )
    made.add_column(_Fitting(lambda width: _scale(low, high, width)))
    for point in one["points"]:
        cells = [Text(sanitize.plain(cell)) for cell in history.row(point)]
        made.add_row(*cells, _Fitting(partial(bar, point, metric["axis"]), "cyan"))
    return made


def _remarks(one: Json, metric: Json) -> Iterator[Text]:
    """What the table has no room for: nothing is left of a line beside the pictures."""
    for point in one["points"]:
        if remark := history.remarks(point, metric):
            yield dim(f"{point['run'][:8]}: {remark}")


class _Fitting:
    """A line that is drawn as wide as the table leaves it room."""

    def __init__(self, draw: Callable[[int], str], style: str = "") -> None:
        self._draw, self._style = draw, style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = self._draw(min(options.max_width, WIDTH))
        yield Text(text, style=self._style, no_wrap=True, overflow="crop")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(NARROWEST, WIDTH)


def _scale(low: str, high: str, width: int) -> str:
    return low + " " * max(1, width - len(low) - len(high)) + high


def bar(point: Json, axis: Sequence[float], width: int = WIDTH) -> str:
    """The mean and its interval on an axis of characters: ``  |---o----|   ``."""
    known = history.reach(point)
    if not known:
        return ""
    places = [_place(value, axis, width) for value in known]
    drawn = [" "] * width
    drawn[min(places) : max(places) + 1] = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (
        max(places) - min(places) + 1
    )
    if point["interval"]:
        drawn[min(places)], drawn[max(places)] = "├", "┤"
    if point["mean"] is not None:
        drawn[_place(point["mean"], axis, width)] = "●"
    return "".join(drawn)


def _place(value: float, axis: Sequence[float], width: int) -> int:
    share = (value - axis[0]) / (axis[1] - axis[0])
    return min(max(round(share * (width - 1)), 0), width - 1)


def markdown(data: Json) -> str:
    """Each metric with its series, and what must be read beside them."""
    heads = history.heads(data)
    blocks = [block for metric in data["metrics"] for block in _markdown_metric(metric, heads)]
    return joined(["## Scores over runs", *blocks, markdown_list(history.notes(data))])


def _markdown_metric(metric: Json, heads: Sequence[str]) -> Iterator[str]:
    lower = "" if metric["higher_is_better"] else " (lower is better)"
    yield f"### {code(metric['metric'])}{lower}"
    for one in metric["series"]:
        yield inline(f"Series {one['name']}: {history.title(one)}.")
        if why := history.not_comparable(one):
            yield f"**{inline(why)}**"
        low, high = (numbers.score(end) for end in metric["axis"][:2])
        sides = {inline(name): _side(name) for name in heads}
        sides |= {f"{low} to {high}": ":---", "": ":---"}
        rows = []
        for point in one["points"]:
            cells = [_cell(*pair) for pair in zip(heads, history.row(point), strict=True)]
            # Spaces at the ends of a code span are lost, and with them where the axis begins.
            picture = cell(bar(point, metric["axis"]).replace(" ", "·"))
            rows.append([*cells, picture, history.remarks(point, metric)])
        yield markdown_table(sides, rows)


def _side(head: str) -> str:
    return {"n": "---:", "mean": "---:", "95 % interval": ":---:"}.get(head, ":---")


def _cell(head: str, text: str) -> str:
    return cell(text) if head == "id" else inline(text)
