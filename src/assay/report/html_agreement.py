"""How is agreement with people shown as a page of its own?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._version import __version__
from assay.report import agreement as words
from assay.report import numbers
from assay.report.html import asset, page

Json = Mapping[str, Any]
WIDTH: Final = 260
HEIGHT: Final = 120
CELL: Final = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """A share at each threshold, as it is drawn.

    Attributes:
        name: What it is the share of.
        style: Class of the drawing.
        line: Path of the shares.
        band: Path round their intervals.
        points: (x, y, what a reader is told) of each.
    """

    name: str
    style: str
    line: str
    band: str
    points: Sequence[tuple[float, float, str]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A share of the grid of two metrics, as it is drawn."""

    x: int
    y: int
    shade: int
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """One metric's curves, or the two grids of two metrics."""

    metrics: Sequence[str]
    base: float | None
    curves: Sequence[Curve] = ()
    grids: Sequence[tuple[str, Sequence[Cell]]] = ()


def render(data: Json) -> str:
    """The page: one file without any outside reference and without scripts."""
    table = data["concordance"]
    return page(
        "agreement.html",
        asset("style.css") + asset("agreement.css"),
        version=__version__,
        data=data,
        words=words,
        pictures=[_picture(row, table) for row in table["rows"]] if table else [],
        grid=table["grid"] if table else (),
        size={"w": WIDTH, "h": HEIGHT, "cell": CELL},
    )


def _picture(row: Json, table: Json) -> Picture:
    names, grid = words.names(row, table), table["grid"]
    if len(row["metrics"]) == 1:
        curves = (
            _curve("P(correct | above)", "good", row["correct_grid"][0], grid),
            _curve("P(wrong | below)", "bad", row["wrong_grid"][0], grid),
        )
        base = _y(row["base_rate"]) if row["n"] else None
        return Picture(names, base, curves)
    grids = (
        ("P(correct | both above)", _cells(row["correct_grid"], grid)),
        ("P(wrong | both below)", _cells(row["wrong_grid"], grid)),
    )
    return Picture(names, None, (), grids)


def _y(share: float) -> float:
    return round(HEIGHT * (1 - share), 1)


def _curve(name: str, style: str, shares: Sequence[Json], grid: Sequence[float]) -> Curve:
    known = [(round(WIDTH * t, 1), one, t) for t, one in zip(grid, shares, strict=True) if one["n"]]
    points = [
        (x, _y(one["value"]), f"{numbers.score(t)}: {words.share(one)}") for x, one, t in known
    ]
    upper = [f"{x} {_y(one['interval']['high'])}" for x, one, _ in known]
    lower = [f"{x} {_y(one['interval']['low'])}" for x, one, _ in reversed(known)]
    line = "M" + "L".join(f"{x} {y}" for x, y, _ in points) if points else ""
    band = "M" + "L".join([*upper, *lower]) + "Z" if points else ""
    return Curve(name, style, line, band, points)


def _cells(rows: Sequence[Sequence[Json]], grid: Sequence[float]) -> list[Cell]:
    found = []
    for i, shares in enumerate(rows):
        for j, one in enumerate(shares):
            title = f"{numbers.score(grid[i])}, {numbers.score(grid[j])}: {words.share(one)}"
            text = numbers.percent(one["value"]) if one["n"] else ""
            shade = round(10 * one["value"]) if one["n"] else 0
            # The first metric's threshold rises upwards, the second's to the right.
            found.append(Cell(j * CELL, (len(rows) - 1 - i) * CELL, shade, text, title))
    return found
