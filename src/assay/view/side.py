"""Two to five runs side by side, question by question, with what differs in their answers."""

import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

from markupsafe import Markup
from multidict import MultiMapping

from assay.analysis.comparison import compare
from assay.errors import InputError
from assay.report import comparison as report
from assay.report.comparison import html
from assay.report.run.evidence import Cell
from assay.store import Run
from assay.store.browsing import values_by_id
from assay.view.run import score_cell, scores_at
from assay.view.runs import MOST_SIDE
from assay.view.site import NotThere, Place, Site
from assay.view.words import Piece, differences

SIZE: Final = 20  # questions on a page
SORTS: Final = {
    "worse": "became worse first",
    "better": "became better first",
    "change": "largest change first",
    "data": "order of the data",
}
SHOW: Final = {"": "all", "changed": "changed", "worse": "worse", "better": "better"}
_WAIT_S: Final = 0.1
_SHOWN: Final = 4  # metrics beside each answer

# (the row of each run, None where it lacks the question; the change for the better, None without)
Line = tuple[tuple[int | None, ...], float | None]


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
            show if show in SHOW else "",
            number,
        )

    def query(self) -> str:
        """Its part of an address."""
        pairs = {"metric": self.metric, "sort": self.sort, "show": self.show}
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


def shared_metrics(runs: Sequence[Run]) -> list[str]:
    """The metrics that all runs have, in the order of the first."""
    return [m for m in runs[0].metrics if all(m in run.metrics for run in runs)]


def path(runs: Sequence[Run]) -> str:
    """Where these runs stand side by side."""
    return f"side/{','.join(run.id for run in runs)}"


def count(site: Site, runs: Sequence[Run], wanted: Wanted) -> int:
    """How many questions are shown."""
    return len(_fitting(_lines(site, runs, wanted.metric), wanted))


def render(site: Site, place: Place, runs: Sequence[Run], wanted: Wanted) -> str:
    """The page."""
    lines = _fitting(_lines(site, runs, wanted.metric), wanted)
    pages = max(1, -(-len(lines) // SIZE))
    if wanted.number > pages:
        raise NotThere(f"there is no page {wanted.number}", f"the last one is page {pages}")
    at = (wanted.number - 1) * SIZE
    metrics = shared_metrics(runs)
    beside = [wanted.metric, *(m for m in metrics if m != wanted.metric)][:_SHOWN]
    return site.render(
        "side.html",
        place,
        runs=list(zip(string.ascii_uppercase, runs, strict=False)),
        path=path(runs),
        difference=_difference(site, place, runs, 600.0 if place.static else _WAIT_S)
        if wanted.number == 1
        else "",
        questions=[_question(site, runs, line, beside) for line in lines[at : at + SIZE]],
        n=len(lines),
        metrics=metrics,
        wanted=wanted,
        query=wanted.query(),
        number=wanted.number,
        pages=pages,
        start=at + 1,
        sorts=SORTS,
        show=SHOW,
    )


def difference(site: Site, place: Place, runs: Sequence[Run]) -> str:
    """How far the runs differ, and whether it can be chance."""
    return str(_difference(site, place, runs, 600.0))


def _difference(site: Site, place: Place, runs: Sequence[Run], wait: float) -> Markup | None:
    key = ("difference", *((run.id, run.finished) for run in runs), place)
    made = site.background.get(key, partial(_compared, site, place, runs), wait)
    return None if made is None else Markup(made)  # noqa: S704 - made of our templates


def _compared(site: Site, place: Place, runs: Sequence[Run]) -> str:
    try:
        compared = compare(*map(site.result, runs))
    except InputError as error:  # that they cannot be held against each other is a finding
        return site.render("difference.html", place, refused=str(error), data=None)
    return site.render(
        "difference.html", place, refused="", **html.overview(report.collect(compared))
    )


def _lines(site: Site, runs: Sequence[Run], metric: str) -> list[Line]:
    """Every question of the first run, then those that only others have."""
    known = [values_by_id(site.store, run, metric) for run in runs]
    ids = sorted(known[0], key=lambda id_: known[0][id_][0])
    ids += [
        id_ for id_ in dict.fromkeys(i for one in known[1:] for i in one) if id_ not in known[0]
    ]
    sign = 1 if runs[0].config["about"][metric]["higher_is_better"] else -1
    return [_line([one.get(id_) for one in known], sign) for id_ in ids]


def _line(found: Sequence[tuple[int, float | None] | None], sign: int) -> Line:
    rows = tuple(one[0] if one else None for one in found)
    first, *others = (one[1] if one else None for one in found)
    changes = [sign * (value - first) for value in others if None not in (value, first)]  # type: ignore[operator]
    return rows, max(changes, key=abs) if changes else None


def _fitting(lines: list[Line], wanted: Wanted) -> list[Line]:
    tests: dict[str, Callable[[float], bool]] = {
        "changed": lambda change: abs(change) > 1e-9,
        "worse": lambda change: change < -1e-9,
        "better": lambda change: change > 1e-9,
    }
    if wanted.show:
        test = tests[wanted.show]
        lines = [line for line in lines if line[1] is not None and test(line[1])]
    if wanted.sort == "data":
        return lines
    keys: dict[str, Callable[[float], float]] = {
        "worse": lambda change: change,
        "better": lambda change: -change,
        "change": lambda change: -abs(change),
    }
    key = keys[wanted.sort]
    return sorted(lines, key=lambda line: (line[1] is None, key(line[1] or 0.0)))


def _question(
    site: Site, runs: Sequence[Run], line: Line, metrics: Sequence[str]
) -> dict[str, Any]:
    samples = [
        None if row is None else site.sample(run, row)
        for run, row in zip(runs, line[0], strict=True)
    ]
    present = [sample for sample in samples if sample is not None]
    answers = ["" if sample is None else sample.answer or "" for sample in samples]
    pieces = _marked(answers)
    columns = [
        _column(site, run, row, marked, metrics)
        for run, row, marked in zip(runs, line[0], pieces, strict=True)
    ]
    return {
        "id": present[0].id,
        "question": present[0].question,
        "others": len({sample.question for sample in present}) > 1,
        "change": line[1],
        "columns": _with_best(columns, metrics[0]),
    }


def _column(
    site: Site, run: Run, row: int | None, pieces: Sequence[Piece], metrics: Sequence[str]
) -> Column:
    if row is None:
        return Column(run, None, (), (), None)
    scores = scores_at(site, run, [row], metrics)
    cells = [score_cell(site, run, row, metric, scores[metric]) for metric in metrics]
    return Column(run, row, pieces, cells, scores[metrics[0]].get(row, (None, ""))[0])


def _marked(answers: Sequence[str]) -> list[Sequence[Piece]]:
    """Each answer against the first; of two, the first against the other as well."""
    pairs = [differences(answers[0], answer) for answer in answers[1:]]
    first = pairs[0][0] if len(pairs) == 1 else [(answers[0], False)]
    return [first, *(after for _, after in pairs)]


def _with_best(columns: Sequence[Column], metric: str) -> list[Column]:
    """The columns, those marked that no other beats, where some are beaten."""
    sign = 1 if columns[0].run.config["about"][metric]["higher_is_better"] else -1
    known = [sign * one.value for one in columns if one.value is not None]
    top = max(known) if known and max(known) > min(known) else None
    return [replace(one, best=one.value is not None and sign * one.value == top) for one in columns]
