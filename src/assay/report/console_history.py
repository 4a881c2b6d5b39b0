"""How are scores over runs shown on the console?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assay.report import history, numbers, safe
from assay.report.console_parts import dim, table

Json = Mapping[str, Any]
WIDTH: Final = 25


def overview(data: Json) -> RenderableType:
    """Each metric with its series, and what must be read beside them."""
    if not data["metrics"]:
        return Text("no run yet")
    blocks = [block for metric in data["metrics"] for block in _metric(metric)]
    return Group(*blocks, *(dim(note) for note in history.notes(data)))


def _metric(metric: Json) -> Iterator[RenderableType]:
    head = Text(safe.plain(metric["metric"]), style="bold")
    if not metric["higher_is_better"]:
        head.append(" \N{DOWNWARDS ARROW} lower is better", style="dim")
    if metric["guide"] is not None:
        head.append(f"  guide {numbers.score(metric['guide'])}", style="dim")
    yield head
    for one in metric["series"]:
        yield dim(f"series {one['name']}: {history.title(one)}")
        if apart := history.apart(one):
            yield Text(f"! {safe.plain(apart)}", style="yellow")
        yield _table(one, metric)
        yield from _remarks(one, metric)
        yield Text()


def _table(one: Json, metric: Json) -> Table:
    low, high = (numbers.score(end) for end in metric["axis"][:2])
    found = table()
    for name in history.HEADS:
        right = name in ("n", "mean", "95 % interval")
        folded = name == "source"
        found.add_column(
            name,
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis" if folded else "fold",
            max_width=18 if folded else None,
        )
    scale = low + " " * max(1, WIDTH - len(low) - len(high)) + high
    found.add_column(scale, no_wrap=True, width=WIDTH)
    for point in one["points"]:
        cells = [Text(safe.plain(cell)) for cell in history.row(point)]
        picture = Text(bar(point, metric["axis"]), style="cyan")
        found.add_row(*cells, picture)
    return found


def _remarks(one: Json, metric: Json) -> Iterator[Text]:
    """What the table has no room for: nothing is left of a line beside the pictures."""
    for point in one["points"]:
        if said := history.remarks(point, metric):
            yield dim(f"{point['run'][:8]}: {said}")


def bar(point: Json, axis: Sequence[float]) -> str:
    """The mean and its interval on an axis of characters: ``  |---o----|   ``."""
    known = history.reach(point)
    if not known:
        return ""
    places = [_place(value, axis) for value in known]
    drawn = [" "] * WIDTH
    drawn[min(places) : max(places) + 1] = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * (
        max(places) - min(places) + 1
    )
    if point["interval"]:
        drawn[min(places)], drawn[max(places)] = "├", "┤"
    if point["mean"] is not None:
        drawn[_place(point["mean"], axis)] = "●"
    return "".join(drawn)


def _place(value: float, axis: Sequence[float]) -> int:
    share = (value - axis[0]) / (axis[1] - axis[0])
    return min(max(round(share * (WIDTH - 1)), 0), WIDTH - 1)
