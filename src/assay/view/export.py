"""The pages as files: what the server shows, under the same addresses, to be read without it."""

import json
from collections.abc import Iterator
from pathlib import Path

from assay._store import Run
from assay._text.sanitize import plain
from assay.errors import InputError
from assay.sample import Sample
from assay.view import groups
from assay.view import questions as questions_page
from assay.view import run as run_page
from assay.view import runs as runs_page
from assay.view import side as side_page
from assay.view.selection import Selection
from assay.view.site import Place, Site, assets


def export(site: Site, folder: Path) -> int:
    """Write every page into a folder; gives their number. The site is closed.

    Raises:
        InputError: If the folder cannot be written.
    """
    n = 0
    try:
        for name, (_, text) in assets().items():
            _write(folder / "static" / name, text)
        for path, page in _pages(site):
            _write(folder / path / "index.html", page)
            n += 1
        for run in site.runs():
            _write(folder / "runs" / run.id / "search.js", _words(site, run))
    except OSError as error:
        raise InputError(f"'{folder}' cannot be written: {error.strerror or error}") from error
    finally:
        site.close()
    return n


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _words(site: Site, run: Run) -> str:
    """What the search of a run's page reads: row, id, question and all texts of each sample."""
    samples = [
        (row, plain(sample.id), plain(sample.question or ""), " ".join(_texts(sample)).lower())
        for row, sample in site.store.samples(run.id)
    ]
    return f"window.assaySamples = {json.dumps(samples)};\n"


def _texts(sample: Sample) -> Iterator[str]:
    texts = (sample.id, sample.question, sample.answer, sample.reference, *(sample.contexts or ()))
    yield from filter(None, texts)


def _pages(site: Site) -> Iterator[tuple[str, str]]:
    """(path, page) of all of them."""
    runs = site.runs()
    for path, number in _numbered_paths("", runs_page.count(site), runs_page.SIZE):
        filters = runs_page.Wanted(number=number)
        yield path, runs_page.render(site, _place_of(path), filters)
    for run in runs:
        yield from _of_run(site, run)
    for path, group in {group.path: group for group in groups.groups(site).values()}.items():
        yield path, groups.render(site, _place_of(path), group)
    if side_runs := runs_page.side_by_side(runs):
        wanted_side = side_page.Wanted(side_page.shared_metrics(side_runs)[0])
        n = side_page.count(site, side_runs, wanted_side)
        for path, number in _numbered_paths(side_page.path(side_runs), n, side_page.SIZE):
            page = side_page.Wanted(wanted_side.metric, number=number)
            yield path, side_page.render(site, _place_of(path), side_runs, page)
    if site.review is not None:
        yield from _of_questions(site, len(site.review.questions()))


def _of_run(site: Site, run: Run) -> Iterator[tuple[str, str]]:
    selection = Selection()
    rows, _ = site.rows(run, selection)
    for path, number in _numbered_paths(f"runs/{run.id}", len(rows), run_page.SIZE):
        yield path, run_page.render(site, _place_of(path), run, selection, number)
    for row in rows:
        path = f"runs/{run.id}/samples/{row}"
        yield path, run_page.render_sample(site, _place_of(path), run, row, selection)


def _of_questions(site: Site, n: int) -> Iterator[tuple[str, str]]:
    for path, number in _numbered_paths("questions", n, questions_page.SIZE):
        filters = questions_page.Wanted(number=number)
        yield path, questions_page.render(site, _place_of(path), filters)
    for place in range(1, n + 1):
        path = f"questions/{place}"
        yield path, questions_page.render_one(site, _place_of(path), place, questions_page.Wanted())


def _numbered_paths(path: str, n: int, size: int) -> Iterator[tuple[str, int]]:
    yield path, 1
    for number in range(2, -(-n // size) + 1):
        yield f"{path}/page/{number}".lstrip("/"), number


def _place_of(path: str) -> Place:
    return Place(len(path.split("/")) if path else 0, static=True)
