"""A sweep as one self-contained page: the answer, intervals, effects, a heat map, fronts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay._analysis.corrected_leaderboard import CorrectedStanding
from assay._analysis.leaderboard import Leaderboard, Standing, is_full
from assay._analysis.sweeps import Front, parameter_values
from assay._report import leaderboard, numbers
from assay._report.page import asset, page
from assay._store.runs import written
from assay._version import __version__
from assay.experiments.swept import Configuration, Sweep
from assay.stats.intervals import Interval

WIDTH: Final = 220
HEIGHT: Final = 16
SIDE: Final = 300  # height of a front; it is twice as wide
SHADES: Final = 10
# A heat map whose cells differ by less than this share of the largest is one of a single shade.
_LEAST_SPREAD: Final = 0.1
# Marks of a front that lie this close have one label.
_CLOSE: Final = (22, 12)
_TONES: Final = {"best": "good", "worse": "bad", "dropped": "bad"}


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie in a drawing, and the round values that are named on it."""

    low: float
    high: float
    step: float
    length: int

    @classmethod
    def of(cls, points: Sequence[tuple[float, Interval | None]], length: int) -> "Axis":
        """The axis on which all of them have their place, with their intervals."""
        plotted = [
            {"mean": mean, "interval": ends and (ends.low, ends.high)} for mean, ends in points
        ]
        low, high, step = numbers.axis([{"points": plotted}], (None, None))
        return cls(low, high, step, length)

    def at(self, value: float) -> float:
        """Where a value lies."""
        return round((value - self.low) / (self.high - self.low) * self.length, 1)

    def ticks(self) -> list[float]:
        """The round values."""
        return numbers.ticks(self.low, self.high, self.step)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval in a row of a table; `ends` is None without one."""

    at: float
    ends: tuple[float, float] | None
    zero: float | None
    words: str


@dataclass(frozen=True, slots=True)
class Row:
    """One configuration, or one value of a parameter, in its table."""

    number: int
    standing: Standing | CorrectedStanding
    verdict: str
    tone: str
    mean: Bar | None
    difference: Bar | None


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, and the ends of the axes that they are drawn on."""

    head: str
    rows: Sequence[Row]
    mean_ends: tuple[float, float]
    difference_ends: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """One configuration in the picture of a front."""

    x: float
    y: float
    low: float
    high: float
    number: int
    dominated: bool
    label: str
    title: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Quality upwards, a resource to the right."""

    front: Front
    resource: str
    marks: Sequence[Mark]
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The mean score of each two values of two parameters, all others averaged out."""

    across: str
    down: str
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[float, int]]]]
    averaged: Sequence[str]


def render(swept: Sweep, commands: Sequence[tuple[str, str]] = ()) -> str:
    """The page: one file without any outside reference.

    Args:
        swept: The sweep.
        commands: What each command does, and the command: how to make the sweep again.
    """
    return page(
        "sweep.html",
        asset("style.css") + asset("sweep.css"),
        version=__version__,
        commands=commands,
        **shown(swept),
    )


def shown(swept: Sweep) -> dict[str, Any]:
    """What the templates show of a sweep."""
    fronts = any(board.fronts for board in swept.leaderboards)
    return {
        "swept": swept,
        "varied": varied(swept.configurations),
        "boards": [_board(board, swept) for board in swept.leaderboards],
        "retrieval": leaderboard.retrieval_table(
            swept.leaderboards,
            {configuration.name: configuration.params for configuration in swept.configurations},
            pool=bool(swept.note),
        ),
        "rankings": leaderboard,
        "remarks": leaderboard.sweep_remarks(swept),
        "taken": taken(swept.configurations),
        "legend": leaderboard.legend(swept.level, race=swept.race, fronts=fronts).plain,
        "words": leaderboard,
        "numbers": numbers,
        "width": WIDTH,
        "height": HEIGHT,
        "side": SIDE,
    }


def taken(configurations: Sequence[Configuration]) -> dict[str, list[str]]:
    """By column what each configuration took; columns in which nothing stands are left out."""
    columns = {
        "dropped after": [numbers.count(run.dropped_after) for run in configurations],
        "asked": [numbers.count(run.asked) for run in configurations],
        "reused": [numbers.count(run.reused) for run in configurations],
        "no answer": [numbers.count(run.failures or None) for run in configurations],
        "latency": [_formatted(numbers.milliseconds, run.latency_ms) for run in configurations],
        "cost": [_formatted(numbers.money, run.cost) for run in configurations],
    }
    return {head: cells for head, cells in columns.items() if set(cells) != {numbers.DASH}}


def _formatted(form: Callable[[float], str], amount: float | None) -> str:
    return numbers.DASH if amount is None else form(amount)


def varied(configurations: Sequence[Configuration]) -> dict[str, list[str]]:
    """The values of each parameter, in the order in which they were given."""
    return parameter_values([configuration.params for configuration in configurations])


def standings_of(board: Leaderboard, what: str = "configuration") -> dict[str, Any]:
    """The tables of one metric, and who won in a sentence."""
    return {
        "board": board,
        "finding": leaderboard.finding(board, what),
        "table": _table(what.capitalize(), board.standings),
        "corrected": _table("Corrected by labels", board.corrected) if board.corrected else None,
    }


def _board(board: Leaderboard, swept: Sweep) -> dict[str, Any]:
    """What the page shows of one metric."""
    numbers_by_name = {standing.name: n for n, standing in enumerate(board.standings, start=1)}
    return {
        **standings_of(board),
        "remarks": [
            *(
                leaderboard.interaction_in_words(interaction)
                for interaction in board.interactions
                if interaction.found
            ),
            *map(leaderboard.front_in_words, board.fronts),
        ],
        "effects": [
            (_table(effect.parameter, effect.values), leaderboard.effect_in_words(effect))
            for effect in board.effects
            if len(board.effects) > 1
        ],
        "heat": _heat_map(board, swept),
        "pictures": [
            _picture(front, board, numbers_by_name)
            for front in board.fronts
            if len(front.resources) == 1
        ],
    }


def _table(head: str, standings: Sequence[Standing | CorrectedStanding]) -> Table:
    means = Axis.of([(s.mean, s.interval) for s in standings if s.mean is not None], WIDTH)
    differing = [
        (s.difference, s.difference_interval) for s in standings if s.difference is not None
    ]
    differences = Axis.of([(0.0, None), *differing], WIDTH)
    zero = differences.at(0.0)
    return Table(
        head,
        [
            Row(
                number,
                standing,
                word := leaderboard.in_a_word(standing, standings),
                _TONES.get(word, "plain"),
                None if standing.mean is None else _bar(means, standing.mean, standing.interval),
                None
                if standing.difference is None or standing.difference_interval is None
                else _bar(differences, standing.difference, standing.difference_interval, zero),
            )
            for number, standing in enumerate(standings, start=1)
        ],
        (means.low, means.high),
        (differences.low, differences.high),
    )


def _bar(axis: Axis, value: float, ends: Interval | None, zero: float | None = None) -> Bar:
    ends_drawn = None if ends is None else (axis.at(ends.low), axis.at(ends.high))
    words = f"{numbers.score(value)}, interval {numbers.interval(ends)}"
    return Bar(axis.at(value), ends_drawn, zero, words)


def _picture(front: Front, board: Leaderboard, numbered: Mapping[str, int]) -> Picture:
    standings = {standing.name: standing for standing in board.standings}
    (name,) = front.resources
    form = numbers.milliseconds if name == "latency_ms" else numbers.money
    x = Axis.of([(place.amounts[0], None) for place in front.places], 2 * SIDE)
    y = Axis.of([(p.mean, standings[p.name].interval) for p in front.places], SIDE)
    labels: dict[tuple[int, int], list[str]] = {}
    keys = [
        (round(x.at(p.amounts[0]) / _CLOSE[0]), round(y.at(p.mean) / _CLOSE[1]))
        for p in front.places
    ]
    for key, place in zip(keys, front.places, strict=True):
        labels.setdefault(key, []).append(str(numbered[place.name]))
    marks = []
    for key, place in zip(keys, front.places, strict=True):
        ends = standings[place.name].interval
        low, high = (ends.low, ends.high) if ends else (place.mean, place.mean)
        remark = f"dominated by {place.dominated_by}" if place.dominated_by else "on the front"
        marks.append(
            Mark(
                x.at(place.amounts[0]),
                SIDE - y.at(place.mean),
                SIDE - y.at(low),
                SIDE - y.at(high),
                numbered[place.name],
                bool(place.dominated_by),
                ", ".join(labels.pop(key, ())),
                f"{place.name}: {numbers.score(place.mean)}, {form(place.amounts[0])}; {remark}",
            )
        )
    return Picture(
        front,
        leaderboard.RESOURCES[name],
        marks,
        [(x.at(value), form(value)) for value in x.ticks()],
        [(SIDE - y.at(value), numbers.score(value)) for value in y.ticks()],
    )


def _heat_map(board: Leaderboard, swept: Sweep) -> HeatMap | None:
    """The two parameters that interact most, else those whose effects are largest."""
    values = varied(swept.configurations)
    if len(board.effects) < 2 or not is_full(
        [configuration.params for configuration in swept.configurations]
    ):
        return None
    vertical, across = _two_parameters(board)
    params = {
        configuration.name: {name: written(value) for name, value in configuration.params.items()}
        for configuration in swept.configurations
    }

    def mean(row: str, column: str) -> float:
        means = [
            standing.mean
            for standing in board.standings
            if standing.mean is not None
            and (params[standing.name][vertical], params[standing.name][across]) == (row, column)
        ]
        return sum(means) / len(means)

    cells = {
        (row, column): mean(row, column) for row in values[vertical] for column in values[across]
    }
    low, high = min(cells.values()), max(cells.values())
    spread = max(high - low, _LEAST_SPREAD * max(abs(low), abs(high)), 1e-12)

    def shade(value: float) -> int:
        share = (value - low) / spread
        return round(SHADES * (share if board.higher_is_better else 1 - share))

    return HeatMap(
        across,
        vertical,
        values[across],
        [
            (row, [(cells[row, column], shade(cells[row, column])) for column in values[across]])
            for row in values[vertical]
        ],
        [name for name in values if name not in (across, vertical) and len(values[name]) > 1],
    )


def _two_parameters(board: Leaderboard) -> tuple[str, str]:
    """The parameters of the heat map: the one with fewer values first, beside the other."""
    if interacting := [interaction for interaction in board.interactions if interaction.found]:
        largest = max(interacting, key=lambda interaction: abs(interaction.difference))
        return largest.parameter, largest.beside
    sizes = {
        effect.parameter: abs((effect.values[0].mean or 0.0) - (effect.values[-1].mean or 0.0))
        for effect in board.effects
    }
    first, second = sorted(sizes, key=lambda name: -sizes[name])[:2]
    counts = {effect.parameter: len(effect.values) for effect in board.effects}
    return (first, second) if counts[first] <= counts[second] else (second, first)
