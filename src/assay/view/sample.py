"""A sample: its answer, contexts, scores and all evidence between them in one view."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay._report.run import sample_values
from assay._report.run.evidence import TextTable, evidence, united
from assay._report.titles import called
from assay._store import Run
from assay.view import markdown, structure
from assay.view.asked import Asked
from assay.view.site import Place, Site


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


def render(site: Site, place: Place, run: Run, row: int, asked: Asked) -> str:
    """The page.

    Raises:
        NotThere: If the run has no such row.
    """
    sample = site.sample(run, row)
    values = sample_values(site.store, run, row, sample)
    metrics = [{"label": label, **run.config["about"][label]} for label in run.metrics]
    texts = TextTable()
    shown = evidence(0, values, metrics, texts)
    return site.render(
        "sample_page.html",
        place,
        run=run,
        called=called(run),
        e=shown,
        s=values,
        row=row,
        answer=united(values["answer"], "answer", shown.sections),
        reference=united(values["reference"], "reference", shown.sections),
        rendered=markdown.rendered(values["answer"] or ""),
        grids=[structure.grid(text) for text in values["contexts"]],
        texts=texts,
        labels=site.people(run).labels.get(row, ()),
        asked=asked,
        query=asked.query(),
        near=_neighbours(site.rows(run, asked)[0], row),
    )


def _neighbours(rows: Sequence[int], row: int) -> Neighbours:
    try:
        at = rows.index(row)
    except ValueError:
        return Neighbours(None, rows[0] if rows else None, 0, len(rows))
    before = rows[at - 1] if at else None
    after = rows[at + 1] if at + 1 < len(rows) else None
    return Neighbours(before, after, at + 1, len(rows))
