"""The picture of what cascades save and risk, as SVG."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from benchmarks.cascade import Outcome, Shift

WIDTH, HEIGHT, GAP = 270, 220, 75
COLOURS: Final = {
    "RAGTruth": "#0072b2",
    "RAGTruth QA": "#56b4e9",
    "RAGTruth Summary": "#009e73",
    "LLM 2 before LLM 1": "#d55e00",
    "ragtruth Data2txt": "#0072b2",
    "llm_spans": "#d55e00",
    "quintd1": "#cc79a7",
}
Place = Callable[[float], float]
Points = Sequence[tuple[float, float]]


class Panel:
    """One diagram, its axes from the least to the greatest value."""

    def __init__(
        self, number: int, title: str, x: tuple[str, float, float], y: tuple[str, float, float]
    ) -> None:
        self.left, self.top = GAP + number * (WIDTH + GAP), 40
        self._x, self._y = x, y
        self.parts = [*self._axes(title)]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Where a point stands."""
        (_, x0, x1), (_, y0, y1) = self._x, self._y
        right = self.left + WIDTH * (x - x0) / (x1 - x0)
        return round(right, 1), round(self.top + HEIGHT * (1 - (y - y0) / (y1 - y0)), 1)

    def line(self, points: Points, colour: str, dash: str = "") -> None:
        """A line through points, a dot at each if it is not dashed."""
        places = [self.at(x, y) for x, y in points]
        path = " ".join(f"{x},{y}" for x, y in places)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"'
            f' stroke-dasharray="{dash}"/>'
        )
        if not dash:
            self.parts += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]

    def key(self, rows: Sequence[tuple[str, str]], x: float, y: float) -> None:
        """Names in their colours, from a place on down."""
        left, top = self.at(x, y)
        for n, (name, colour) in enumerate(rows):
            self.parts.append(_text(left, top + 15 * n, name, colour))

    def _axes(self, title: str) -> Iterator[str]:
        yield _text(self.left, 20, title, "#222", "bold")
        yield (
            f'<rect x="{self.left}" y="{self.top}" width="{WIDTH}" height="{HEIGHT}" fill="none"'
            ' stroke="#999"/>'
        )
        for n in range(5):
            (_, x0, x1), (_, y0, y1) = self._x, self._y
            x, y = x0 + (x1 - x0) * n / 4, y0 + (y1 - y0) * n / 4
            right, up = self.at(x, y)
            yield _text(
                right,
                self.top + HEIGHT + 16,
                f"{x:,.0f}" if x1 > 1 else f"{x:.3g}",
                "#555",
                anchor="middle",
            )
            yield _text(self.left - 6, up + 4, f"{y:.3g}", "#555", anchor="end")
        yield _text(
            self.left + WIDTH / 2, self.top + HEIGHT + 36, self._x[0], "#222", anchor="middle"
        )
        yield _text(self.left, self.top - 6, self._y[0], "#222")


def _text(
    x: float, y: float, text: str, colour: str, weight: str = "normal", anchor: str = "start"
) -> str:
    return (
        f'<text x="{x}" y="{y}" fill="{colour}" font-weight="{weight}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )


def drawn(outcomes: Mapping[str, Sequence["Outcome"]], shifts: Mapping[str, "Shift"]) -> str:
    """Agreement against what is saved, risk against its bound, and how soon a shift is noticed."""
    known = [(name, COLOURS[name]) for name in outcomes if name in COLOURS and name not in shifts]
    saved = Panel(0, "Saved calls", ("share of calls to the top judge saved", 0, 0.6),
                  ("agreement with the top judge", 0.88, 1))  # fmt: skip
    risk = Panel(1, "Risk on the other half, 500 splits", ("bound", 0, 0.32),
                 ("risk: mean, and dashed what 95 % do not exceed", 0, 0.32))  # fmt: skip
    for name, colour in known:
        found = outcomes[name]
        saved.line([(0, 1), *((one.calls, one.agreement) for one in found)], colour)
        last = max(found, key=lambda one: one.calls)
        saved.line([(0, 1), (last.calls, 1 - last.calls * last.alone)], colour, "3 4")
        risk.line([(one.bound, one.risk) for one in found], colour)
        risk.line([(one.bound, one.highest) for one in found], colour, "3 4")
    risk.line([(0, 0), (0.32, 0.32)], "#999", "8 4")
    risk.key([("the bound", "#777")], 0.2, 0.29)
    saved.key([*known, ("dotted: as many, at random", "#555")], 0.02, 0.92)
    shift = Panel(2, "After a shift from RAGTruth QA", ("answers since the shift", 0, 3000),
                  ("share of runs in which the band has closed", 0, 1))  # fmt: skip
    for name, one in shifts.items():
        colour = COLOURS.get(name, "#009e73")
        steps = [(0.0, 0.0)]
        for n, wait in enumerate(sorted(one.closed), start=1):
            steps += [(wait, steps[-1][1]), (wait, n / one.opened)]
        shift.line([*steps, (3000.0, steps[-1][1])], colour, "1 0")
        shifted = name.removeprefix("ragtruth ")
        place = 0.93 - 0.07 * list(shifts).index(name)
        shift.key([(f"{shifted}, risk {one.unwatched:.2f}", colour)], 1500, place)
    width, height = 3 * (WIDTH + GAP) + GAP, HEIGHT + 90
    parts = "\n".join([*saved.parts, *risk.parts, *shift.parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        ' font-family="system-ui, sans-serif" font-size="12">\n'
        f'<rect width="100%" height="100%" fill="#fff"/>\n{parts}\n</svg>\n'
    )
