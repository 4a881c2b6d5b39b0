"""A run: the first page of its report, its samples as a table, and each with all its evidence."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Final, TypeAlias

from markupsafe import Markup

from assay._report.numbers import called, run_description
from assay._report.run import html, sample_values, summed_up
from assay._report.run.evidence import Cell, TextTable, cell, evidence, united
from assay._runner.result import NOT_DONE
from assay._store import Run
from assay._store.browsing import Bounds, rows_of
from assay._text.sanitize import plain
from assay.sample import Sample
from assay.score import Unscored
from assay.view import commands
from assay.view.groups import groups
from assay.view.lookup import ANY, Indexed, in_words
from assay.view.runs import facts, state
from assay.view.selection import TEXTS, WHY, Selection, columns_of
from assay.view.site import LARGE, NotThere, Place, Site
from assay.view.texts import grid, rendered

SIZE: Final = 50  # samples on a page
_WAIT_S: Final = 0.12  # a page waits so long for the first page of the report
_EXCERPT: Final = 240
_LOOKED_AT: Final = 20  # runs in which a question is looked for, and of those how many are shown
_ELSEWHERE: Final = 4

# (value, why there is none) by row.
Scores: TypeAlias = Mapping[int, tuple[float | None, str]]


@dataclass(frozen=True, slots=True)
class Line:
    """One sample in the table.

    Attributes:
        row: Its row.
        sample: The sample.
        texts: What the text columns hold, shortened.
        cells: Its scores in the order of the metrics shown.
    """

    row: int
    sample: Sample
    texts: Sequence[tuple[str, str]]
    cells: Sequence[Cell]


def render(site: Site, place: Place, run: Run, selection: Selection, number: int = 1) -> str:
    """The page."""
    rows, indexing = site.rows(run, selection)
    pages = max(1, -(-len(rows) // SIZE))
    if number > pages and number != 1:
        raise NotThere(f"there is no page {number}", f"the last one is page {pages}")
    texts, metrics = columns_of(selection, run)
    start = (number - 1) * SIZE
    page = rows[start : start + SIZE]
    scores = scores_at(site, run, page, metrics)
    indexed = site.lookup.index(run, _WAIT_S)
    return site.render(
        "run.html",
        place,
        run=run,
        called=called(run),
        said=run_description(run),
        state=state(site, run),
        group=groups(site).get(run.id),
        first=first(site, place, run, 600.0 if place.static else _WAIT_S) if number == 1 else "",
        selection=selection,
        query=selection.query(),
        lines=[_line(site, run, row, texts, scores) for row in page],
        texts=texts,
        metrics=metrics,
        about=run.config["about"],
        n=len(rows),
        number=number,
        pages=pages,
        start=start + 1,
        indexing=indexing,
        indexed=indexed,
        verdicts=site.lookup.verdicts(site.store, indexed),
        causes=site.lookup.causes(site.store, indexed),
        people=site.people(run),
        why=WHY,
        all_texts=TEXTS,
        steps=[] if place.static else _steps(site, run, page),
    )


def _steps(site: Site, run: Run, page: Sequence[int]) -> list[commands.Step]:
    """What to do next with a run of which these rows are shown."""
    elsewheres = _asked_elsewhere(site, run, site.sample(run, page[0])) if page else ()
    other_run = next(
        (elsewhere.run for elsewhere in elsewheres if elsewhere.run.finished and elsewhere.cell),
        None,
    )
    return commands.of_run(site, run, other_run, alone=run.id not in groups(site))


def first(site: Site, place: Place, run: Run, wait: float) -> Markup | None:
    """The sections above the samples; None where they take longer to work out."""
    key: tuple[object, ...] = ("first", run.id, run.finished, run.stopped, place)
    if run.finished is None:  # its scores change: what is said of them goes with the facts
        entries = facts(site, run, wait) or ()
        key = (*key, *(entry.score.n_scored for entry in entries))
    # Whoever waits for it, has made the page.
    large = run.n_samples > LARGE and wait <= _WAIT_S
    work = partial(_first, site, place, run)
    text = site.background.get(key, work, 0.0 if large else wait, large=large)
    return None if text is None else Markup(text)  # noqa: S704 - text of our templates


def _first(site: Site, place: Place, run: Run) -> str:
    data = summed_up(site.result(run))
    diagnosis = data["diagnosis"]
    # Whoever goes on from a flagged sample comes to the next flagged one.
    flagged = Selection(cause=ANY).query()
    links = {
        str(sample["id"]): place.to(
            f"runs/{run.id}/samples/{sample['row']}", flagged if sample["main"] else ""
        )
        for sample in (diagnosis["samples"] if diagnosis else ())
    }
    context = html.overview(data, links, everywhere=True)
    if not place.static:
        context["missed_at"] = partial(_samples_beyond_guide, place, run)
        context["cause_at"] = partial(_samples_with_cause, place, run)
    return site.render("first.html", place, **context)


def _samples_beyond_guide(place: Place, run: Run, metric: Mapping[str, Any]) -> str:
    """The samples beyond the guide value of a metric."""
    label, guide = metric["label"], metric["guide"]
    # Of six digits, as scores are held against it.
    if metric["higher_is_better"]:
        bounds = Bounds(label, None, round(guide - 1e-6, 6))
        selection = Selection(bounds=(bounds,), order=label)
    else:
        bounds = Bounds(label, round(guide + 1e-6, 6), None)
        selection = Selection(bounds=(bounds,), order=label, descending=True)
    return place.to(f"runs/{run.id}", selection.query()) + "#samples"


def _samples_with_cause(place: Place, run: Run, cause: str) -> str:
    """The samples with a cause."""
    return place.to(f"runs/{run.id}", Selection(cause=cause).query()) + "#samples"


def _line(
    site: Site, run: Run, row: int, texts: Sequence[str], scores: Mapping[str, Scores]
) -> Line:
    sample = site.store.sample_at(run.id, row)
    return Line(
        row,
        sample,
        [(name, _short(_text(site, run, row, sample, name))) for name in texts],
        [score_cell(site, run, row, metric, values) for metric, values in scores.items()],
    )


def scores_at(
    site: Site, run: Run, places: Sequence[int], metrics: Sequence[str]
) -> dict[str, Scores]:
    """The scores of some samples, by metric and row."""
    return {metric: site.store.values_at(run.id, metric, places) for metric in metrics}


def score_cell(site: Site, run: Run, row: int, metric: str, values: Scores) -> Cell:
    """One score in short."""
    value, reason = values.get(row, (None, ""))
    if not reason and value is None and run.finished is None and not run.stopped:
        return Cell(metric, "·", "none", f"{metric} not scored yet")
    detail = ""
    if value is None:
        outcome = site.store.outcome(run.id, row, metric) or NOT_DONE
        if isinstance(outcome, Unscored):
            reason, detail = outcome.why, outcome.detail
    facts = {"label": metric, **run.config["about"][metric]}
    return cell(facts, {"value": value, "why": reason or NOT_DONE.why, "detail": detail})


def _text(site: Site, run: Run, row: int, sample: Sample, name: str) -> str:
    if name == "labels":
        return "; ".join(map(in_words, site.people(run).labels.get(row, ())))
    if name == "context":
        return (sample.contexts or ("",))[0]
    if name == "answer" and sample.answer is None:
        return "(no answer)"
    return str(getattr(sample, name) or "")


def _short(text: str) -> str:
    line = " ".join(plain(text[: 2 * _EXCERPT]).split())
    return line if len(line) <= _EXCERPT else line[:_EXCERPT].rsplit(" ", 1)[0] + " …"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The same question in another run: the run, its row there, and a score of both runs."""

    run: Run
    row: int
    cell: Cell | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a sample stands among those that the reader goes through.

    Attributes:
        before: Row of the one before; None for the first.
        after: Row of the one after; None for the last.
        place: Its place, from 1; 0 where it is none of them.
        n: How many they are.
    """

    before: int | None
    after: int | None
    place: int
    n: int

    @property
    def page(self) -> str:
        """Which page of the list has it, as its path ends; "" for the first."""
        number = -(-self.place // SIZE)
        return f"/page/{number}" if number > 1 else ""


def render_sample(site: Site, place: Place, run: Run, row: int, selection: Selection) -> str:
    """The page of a sample.

    Raises:
        NotThere: If the run has no such row.
    """
    sample = site.sample(run, row)
    values = sample_values(site.store, run, row, sample)
    metrics = [{"label": label, **run.config["about"][label]} for label in run.metrics]
    texts = TextTable()
    judged = evidence(0, values, metrics, texts)
    rows, _ = site.rows(run, selection)
    # Of a large run all samples are not read for one, nor is the page loaded again and again.
    small = run.n_samples <= LARGE and not place.static
    indexed = site.lookup.index(run, _WAIT_S) if small else None
    return site.render(
        "sample_page.html",
        place,
        run=run,
        called=called(run),
        e=judged,
        s=values,
        row=row,
        answer=united(values["answer"], "answer", judged.sections),
        reference=united(values["reference"], "reference", judged.sections),
        rendered=rendered(values["answer"] or ""),
        grids=[grid(text) for text in values["contexts"]],
        texts=texts,
        labels=site.people(run).labels.get(row, ()),
        causes=_causes_of(site, place, run, row, indexed) if indexed else [],
        indexing=indexed is not None and not indexed.complete and not indexed.failed,
        selection=selection,
        query=selection.query(),
        near=_neighbours(rows, row),
        elsewhere=list(islice(_asked_elsewhere(site, run, sample), _ELSEWHERE)),
    )


def _causes_of(
    site: Site, place: Place, run: Run, row: int, indexed: Indexed
) -> list[tuple[str, str]]:
    """What a sample is flagged for, with the address of all with this cause."""
    causes = site.lookup.causes_of(site.store, indexed, row)
    return [(title, _samples_with_cause(place, run, name)) for name, title in causes]


def _asked_elsewhere(site: Site, run: Run, sample: Sample) -> Iterator[Elsewhere]:
    """Where else the question was asked: the runs over as many samples first, then the newest."""
    other_runs = [
        run_there for run_there in site.runs() if run_there.id != run.id and not run_there.derived
    ]
    other_runs.sort(key=lambda other: other.n_samples != run.n_samples)
    for other in other_runs[:_LOOKED_AT]:
        row = rows_of(site.store, other, [sample.id]).get(sample.id)
        if row is None or site.sample(other, row).question != sample.question:
            continue  # an id may name another question elsewhere
        shared = next((metric for metric in run.metrics if metric in other.metrics), None)
        score = None if shared is None else scores_at(site, other, [row], [shared])[shared]
        cell = None if score is None else score_cell(site, other, row, str(shared), score)
        yield Elsewhere(other, row, cell)


def _neighbours(rows: Sequence[int], row: int) -> Neighbours:
    try:
        index = rows.index(row)
    except ValueError:
        return Neighbours(None, rows[0] if rows else None, 0, len(rows))
    previous = rows[index - 1] if index else None
    after = rows[index + 1] if index + 1 < len(rows) else None
    return Neighbours(previous, after, index + 1, len(rows))
