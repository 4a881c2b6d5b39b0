"""Two to five runs side by side, question by question, with what differs in their answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from multidict import MultiMapping

from assay._analysis.comparison import compare
from assay._analysis.leaderboard import Leaderboard
from assay._report import comparison as report
from assay._report import leaderboard as board_words
from assay._report import numbers
from assay._report import sweep as sweep_report
from assay._report.comparison import views
from assay._report.run.evidence import Cell
from assay._store import Run
from assay._store.browsing import all_rows, ids_and_rows, same_samples, values_by_row
from assay.errors import InputError
from assay.stats.intervals import LEVEL, Floats
from assay.view import commands
from assay.view.run import score_cell, scores_at
from assay.view.runs import MOST_SIDE
from assay.view.site import LARGE, NotThere, Place, Site
from assay.view.texts import Piece, differences

LETTERS: Final = "ABCDE"
SIZE: Final = 20  # questions on a page
SORTS: Final = {
    "worse": "became worse first",
    "better": "became better first",
    "change": "largest change first",
    "data": "order of the data",
}
SHOW: Final = {
    "": "all",
    "changed": "changed",
    "worse": "worse",
    "better": "better",
    "tied": "nobody is best",
}
_WAIT_S: Final = 0.1
_SHOWN: Final = 4  # metrics beside each answer
_ALIKE: Final = 0.5  # of the words of the shorter answer: with fewer in common, none are marked
_SAME: Final = 1e-9
_LAST: Final = np.iinfo(np.int64).max

Booleans: TypeAlias = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lines:
    """All questions of some runs: those of the first in its order, then what only others have.

    Attributes:
        rows: Shape (runs, questions): the row in each run; -1 where it lacks the question.
        changes: Shape (questions,): the largest change for the better or worse; NaN without one.
        best: Shape (runs, questions): whether no other run beats it and it beats some.
    """

    rows: Integers
    changes: Floats
    best: Booleans

    def __len__(self) -> int:
        return len(self.changes)

    @property
    def alone(self) -> Booleans:
        """Shape (runs, questions): whether it alone is best."""
        only_best: Booleans = self.best & (self.best.sum(axis=0) == 1)
        return only_best

    def fitting(self, wanted: "Wanted") -> Integers:
        """The numbers of the questions that are shown, in order."""
        tests: dict[str, Callable[[], Booleans]] = {
            "changed": lambda: np.abs(self.changes) > _SAME,
            "worse": lambda: self.changes < -_SAME,
            "better": lambda: self.changes > _SAME,
            "tied": lambda: ~self.best.any(axis=0) & ~np.isnan(self.changes),
        }
        keys: dict[str, Callable[[Floats], Floats]] = {
            "worse": lambda changes: changes,
            "better": lambda changes: -changes,
            "change": lambda changes: -np.abs(changes),
        }
        numbers = np.arange(len(self))
        if wanted.show in tests:
            numbers = numbers[tests[wanted.show]()]
        elif wanted.show:
            numbers = numbers[self.alone[LETTERS.index(wanted.show[-1])]]
        if wanted.sort == "data":
            return numbers
        # What has no change comes last: NaN is the greatest.
        return numbers[np.argsort(keys[wanted.sort](self.changes[numbers]), kind="stable")]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which questions are shown, by which metric, in which order."""

    metric: str
    sort: str = "worse"
    show: str = ""
    number: int = 1

    @classmethod
    def read(cls, query: MultiMapping[str], runs: Sequence[Run], number: int) -> "Wanted":
        """What an address asks for.

        Raises:
            InputError: If the runs are not two to five different ones with a metric in common.
        """
        shared = shared_metrics(runs)
        if not 2 <= len({run.id for run in runs}) == len(runs) <= MOST_SIDE:
            raise InputError("two to five different runs stand side by side")
        if not shared:
            raise InputError("these runs have no metric in common", "score them by the same")
        metric, sort, show = (query.get(name, "") for name in ("metric", "sort", "show"))
        return cls(
            metric if metric in shared else shared[0],
            sort if sort in SORTS else "worse",
            show if show in shows(runs) else "",
            number,
        )

    def query(self, **changes: Any) -> str:
        """Its part of an address, with these otherwise."""
        changed = replace(self, **changes)
        pairs = {"metric": changed.metric, "sort": changed.sort, "show": changed.show}
        return urlencode({name: value for name, value in pairs.items() if value})


@dataclass(frozen=True, slots=True)
class Column:
    """What one run made of a question.

    Attributes:
        run: The run.
        row: Its row there; None where the run lacks the question.
        pieces: Its answer, with what the baseline does not have marked.
        cells: Its scores.
        value: The first of them; None without one.
        best: Whether no other has a better one, and some have a worse one.
    """

    run: Run
    row: int | None
    pieces: Sequence[Piece]
    cells: Sequence[Cell]
    value: float | None
    best: bool = False


def shows(runs: Sequence[Run]) -> dict[str, str]:
    """Which questions may be asked for, in words."""
    return SHOW | {f"best-{letter}": f"{letter} alone is best" for letter in LETTERS[: len(runs)]}


def shared_metrics(runs: Sequence[Run]) -> list[str]:
    """The metrics that all runs have, in the order of the first."""
    return [m for m in runs[0].metrics if all(m in run.metrics for run in runs)]


def path(runs: Sequence[Run]) -> str:
    """Where these runs stand side by side."""
    return f"side/{','.join(run.id for run in runs)}"


def count(site: Site, runs: Sequence[Run], wanted: Wanted) -> int:
    """How many questions are shown."""
    return len(_lines(site, runs, wanted.metric).fitting(wanted))


def render(site: Site, place: Place, runs: Sequence[Run], wanted: Wanted) -> str:
    """The page."""
    lines = _lines(site, runs, wanted.metric)
    fitting = lines.fitting(wanted)
    pages = max(1, -(-len(fitting) // SIZE))
    if wanted.number > pages:
        raise NotThere(f"there is no page {wanted.number}", f"the last one is page {pages}")
    start = (wanted.number - 1) * SIZE
    metrics = shared_metrics(runs)
    shown_metrics = [wanted.metric, *(m for m in metrics if m != wanted.metric)][:_SHOWN]
    return site.render(
        "side.html",
        place,
        runs=list(zip(LETTERS, runs, strict=False)),
        path=path(runs),
        difference=_difference(site, place, runs, 600.0 if place.static else _WAIT_S)
        if wanted.number == 1
        else "",
        questions=[
            _question(site, runs, lines, n, shown_metrics) for n in fitting[start : start + SIZE]
        ],
        n=len(fitting),
        wins=list(zip(LETTERS, map(int, lines.alone.sum(axis=1)), strict=False)),
        metrics=metrics,
        wanted=wanted,
        query=wanted.query(),
        number=wanted.number,
        pages=pages,
        start=start + 1,
        sorts=SORTS,
        show=shows(runs),
        steps=[] if place.static else commands.of_runs(site, runs),
    )


def difference(site: Site, place: Place, runs: Sequence[Run]) -> str:
    """How far the runs differ, and whether it can be chance."""
    return str(_difference(site, place, runs, 600.0))


def _difference(site: Site, place: Place, runs: Sequence[Run], wait: float) -> Markup | None:
    key = ("difference", *((run.id, run.finished) for run in runs), place)
    large = max(run.n_samples for run in runs) > LARGE and wait <= _WAIT_S
    work = partial(_compared, site, place, runs)
    text = site.background.get(key, work, 0.0 if large else wait, large=large)
    return None if text is None else Markup(text)  # noqa: S704 - text of our templates


def _compared(site: Site, place: Place, runs: Sequence[Run]) -> str:
    try:
        compared = compare(*map(site.result, runs))
    except InputError as error:  # that they cannot be held against each other is a finding
        return site.render("difference.html", place, refused=str(error), joint=None)
    return site.render(
        "difference.html",
        place,
        refused="",
        joint=_joint_summary(site, place, compared.leaderboards),
        questions_by=None if place.static else partial(_questions_by, place, runs),
        **views.overview(report.collect(compared)),
    )


def _questions_by(place: Place, runs: Sequence[Run], metric: str) -> str:
    """The questions of the runs by one metric."""
    return place.to(path(runs), Wanted(metric=metric).query()) + "#questions"


def _joint_summary(site: Site, place: Place, boards: Sequence[Leaderboard]) -> Markup | None:
    """Who won over all by each metric; None for two runs, of which the comparison says it."""
    if not boards:
        return None
    text = site.render(
        "joint.html",
        place,
        boards=[sweep_report.standings_of(board, "run") for board in boards],
        words=board_words,
        numbers=numbers,
        legend=board_words.legend(LEVEL, what="run").plain,
        width=sweep_report.WIDTH,
        height=sweep_report.HEIGHT,
    )
    return Markup(text)  # noqa: S704 - text of our templates


def _lines(site: Site, runs: Sequence[Run], metric: str) -> Lines:
    """Every question of the runs, remembered while they are finished."""
    if not all(run.finished for run in runs):
        return _read_lines(site, runs, metric)
    key = ("lines", metric, *((run.id, run.finished) for run in runs))
    return site.remembered(key, partial(_read_lines, site, runs, metric))


def _read_lines(site: Site, runs: Sequence[Run], metric: str) -> Lines:
    key = ("aligned", *((run.id, run.finished) for run in runs))
    rows = site.remembered(key, lambda: [_aligned(site, runs)])[0]
    values = np.full(rows.shape, np.nan)
    for n, run in enumerate(runs):
        scored, scores = values_by_row(site.store, run, metric)
        if scored:
            known_rows = np.array(scored, np.int64)
            order = np.argsort(known_rows)
            known_rows = known_rows[order]
            indices = np.searchsorted(known_rows, rows[n]).clip(max=len(scored) - 1)
            known = known_rows[indices] == rows[n]
            values[n, known] = np.array(scores, np.float64)[order[indices[known]]]
    sign = 1 if runs[0].config["about"][metric]["higher_is_better"] else -1
    return _compare(rows, sign * values)


def _aligned(site: Site, runs: Sequence[Run]) -> Integers:
    """The rows of each run by question: those of the first run in its order, then the others."""
    if all(same_samples(site.store, runs[0], run) for run in runs[1:]):
        return np.tile(np.array(all_rows(site.store, runs[0]), np.int64), (len(runs), 1))
    known = [ids_and_rows(site.store, run) for run in runs]
    first = known[0][0]
    other_ids = dict.fromkeys(id_ for ids, _ in known[1:] for id_ in ids)
    all_ids = [*first, *(other_ids.keys() - set(first))]
    rows_by_id = [dict(zip(ids, rows, strict=True)) for ids, rows in known]
    rows = np.array(
        [[rows_of_run.get(id_, -1) for id_ in all_ids] for rows_of_run in rows_by_id], np.int64
    )
    # What a run lacks comes after what it has, in the order of the next.
    keys = [np.where(row < 0, _LAST, row) for row in rows[::-1]]
    return rows[:, np.lexsort(keys)]


def _compare(rows: Integers, values: Floats) -> Lines:
    """What changed, and who is best, where high values are good."""
    changes = values[1:] - values[0]
    sizes = np.where(np.isnan(changes), -1.0, np.abs(changes))
    largest = sizes.argmax(axis=0)
    change = changes[largest, np.arange(values.shape[1])]
    top = np.where(np.isnan(values), -np.inf, values).max(axis=0)
    bottom = np.where(np.isnan(values), np.inf, values).min(axis=0)
    return Lines(rows, change, (values == top) & (top > bottom))


def _question(
    site: Site, runs: Sequence[Run], lines: Lines, number: int, metrics: Sequence[str]
) -> dict[str, Any]:
    rows = [None if row < 0 else int(row) for row in lines.rows[:, number]]
    samples = [
        None if row is None else site.sample(run, row) for run, row in zip(runs, rows, strict=True)
    ]
    present = [sample for sample in samples if sample is not None]
    answers = ["" if sample is None else sample.answer or "" for sample in samples]
    pieces = _mark_differences(answers)
    columns = [
        _column(site, run, row, marked, metrics)
        for run, row, marked in zip(runs, rows, pieces, strict=True)
    ]
    return {
        "id": present[0].id,
        "question": present[0].question,
        "others": len({sample.question for sample in present}) > 1,
        "change": float(lines.changes[number]),
        "in_words": _in_words(columns, float(lines.changes[number])),
        "columns": _with_best(columns, metrics[0]),
    }


def _in_words(columns: Sequence[Column], change: float) -> str:
    """The largest change and in which run it is; "" without one."""
    first = columns[0].value
    if np.isnan(change) or first is None:
        return ""
    if abs(change) <= _SAME:
        return "no change"
    changed = zip(LETTERS, columns, strict=False)
    letter = next(
        letter
        for letter, column in changed
        if column.value is not None and abs(abs(column.value - first) - abs(change)) <= _SAME
    )
    return f"{letter} is {'better' if change > 0 else 'worse'} by {numbers.score(abs(change))}"


def _column(
    site: Site, run: Run, row: int | None, pieces: Sequence[Piece], metrics: Sequence[str]
) -> Column:
    if row is None:
        return Column(run, None, (), (), None)
    scores = scores_at(site, run, [row], metrics)
    cells = [score_cell(site, run, row, metric, scores[metric]) for metric in metrics]
    return Column(run, row, pieces, cells, scores[metrics[0]].get(row, (None, ""))[0])


def _mark_differences(answers: Sequence[str]) -> list[Sequence[Piece]]:
    """Each answer against the first; of two, the first against the other as well."""
    pairs = [differences(answers[0], answer, _ALIKE) for answer in answers[1:]]
    first = pairs[0][0] if len(pairs) == 1 else [(answers[0], False)]
    return [first, *(after for _, after in pairs)]


def _with_best(columns: Sequence[Column], metric: str) -> list[Column]:
    """The columns, those marked that no other beats, where some are beaten."""
    sign = 1 if columns[0].run.config["about"][metric]["higher_is_better"] else -1
    known = [sign * column.value for column in columns if column.value is not None]
    top = max(known) if known and max(known) > min(known) else None
    return [
        replace(column, best=column.value is not None and sign * column.value == top)
        for column in columns
    ]
