"""The site that a store is shown as: its pages' links, its look, and what is remembered of it."""

import hashlib
import math
import os
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader

from assay._report import numbers, page
from assay._runner.result import Result
from assay._store import Run, Store
from assay._store.browsing import Filter, Rows, matching, not_these, these
from assay._store.integrity import StoreError
from assay._store.runs import written
from assay._text.results import MINUS
from assay._text.sanitize import whole
from assay._version import __version__
from assay.errors import InputError
from assay.sample import Sample
from assay.view.lookup import Indexed, Lookup, People, label_version, people
from assay.view.selection import Selection

if TYPE_CHECKING:
    from assay.testset import Review

T = TypeVar("T")
STYLES: Final = (
    *("style.css", "diagnosis.css", "comparison.css"),
    *("agreement.css", "calibration.css", "sweep.css", "history.css"),
)
_READ_AHEAD: Final = (  # templates of the pages that are looked at most, and what these extend
    *("app.html", "parts.html", "filters.html"),
    *("runs.html", "run.html", "side.html", "sample_page.html", "evidence.html"),
)
_REMEMBERED: Final = 16  # filtered runs whose rows are remembered, and runs side by side
_LATE_S: Final = 20.0  # a run that made no score for so long is not said to be going
LARGE: Final = 5000  # what is worked out of so many samples takes seconds
_LATER_S: Final = 0.7
_ASKED: Final = "the viewer was started with --read-only"
_SMALL_S: Final = 0.4  # a page waits so long for the index of a run


class NotThere(InputError):
    """There is no such run, sample or page."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page stands: at an address of the server, or in a folder of files."""

    depth: int = 0
    static: bool = False

    def to(self, path: str = "", query: str = "") -> str:
        """The link to another page."""
        address = "/".join(quote(segment, safe=",:") for segment in path.split("/"))
        if self.static:
            folder = f"{address}/" if address else ""
            return f"{'../' * self.depth}{folder}index.html"
        return f"/{address}?{query}" if query else f"/{address}"

    def asset(self, name: str) -> str:
        """The link to the style sheet or the script."""
        if self.static:
            return f"{'../' * self.depth}static/{name}"
        return f"/static/{name}?v={_version(name)}"


class Site:
    """A store as pages.

    Args:
        path: The store.
        read_only: Whether nothing can be changed on its pages.
        questions: A file of `assay testset` to be reviewed; the store is then made if need be.

    Attributes:
        read_only: Whether nothing can be changed.
        why_read_only: Why nothing can be changed; "" where it can.
        store: The store, open for reading.
        review: The review of test questions, None where none are shown.
        lookup: The index of words, verdicts and causes.
        background: What takes long, and is worked out beside the pages.

    Raises:
        InputError: If there is no such store, or the questions cannot be read.
    """

    def __init__(
        self, path: str | Path, *, read_only: bool = False, questions: str | Path | None = None
    ) -> None:
        self.path = Path(path).absolute()
        self.review = None if questions is None else _review(questions)
        if not self.path.is_file() and self.review is None:
            raise InputError(f"there is no store '{path}'", "`assay run` makes one")
        self.why_read_only = _ASKED if read_only else ""
        # Said before somebody labels: a review is written beside its questions, not in the store.
        if not read_only and self.review is None and not os.access(self.path, os.W_OK):
            self.why_read_only = f"the store {self.path.name} cannot be written"
        self.read_only = bool(self.why_read_only)
        self.store = Store(self.path)
        self.lookup = Lookup(self.path)
        self.store.query("ATTACH DATABASE ? AS lookup", str(self.lookup.file))
        self.background = Background(5000)
        self._remembered: OrderedDict[Hashable, Any] = OrderedDict()
        self._people: dict[str, tuple[Hashable, People]] = {}
        self._seen: dict[str, tuple[int, float]] = {}
        self._listed: tuple[Hashable, list[Run]] = (None, [])

    def close(self) -> None:
        """Let go of the store."""
        self.background.close()
        self.store.close()
        self.lookup.close()

    def warm_up(self) -> None:
        """Read ahead what the first page would wait for; what is wrong with it, that page says."""
        for name in _READ_AHEAD:
            environment().get_template(name)
        with suppress(InputError, sqlite3.Error):
            self.runs()

    def version(self) -> int:
        """Changes with whatever another connection commits to the store."""
        return int(self.store.query("PRAGMA main.data_version")[0][0])

    def runs(self) -> list[Run]:
        """All runs, the newest first."""
        version = self.version()
        if self._listed[0] != version:
            self._listed = (version, self.store.runs())
        return self._listed[1]

    def run(self, name: str) -> Run:
        """The run of an id, its beginning or a name.

        Raises:
            NotThere: If there is none.
        """
        try:
            return self.store.run(name)
        except StoreError:
            raise
        except InputError as error:
            raise NotThere(*_fault_and_remedy(error)) from error

    def grows(self, run: Run, done: int) -> bool:
        """Whether a run made scores of late, as far as somebody looked."""
        before, last = self._seen.get(run.id, (done, -math.inf))
        now = time.monotonic()
        self._seen[run.id] = (done, now if done > before else last)
        return now - self._seen[run.id][1] < _LATE_S

    def result(self, run: Run) -> Result:
        """The same as a result."""
        return Result(self.path, run.id)

    def sample(self, run: Run, row: int) -> Sample:
        """The sample of a row.

        Raises:
            NotThere: If the run has no such row.
        """
        if not 0 <= row < 1 << 62:
            raise NotThere(f"run {run.id} has no sample in row {row}")
        try:
            return self.store.sample_at(run.id, row)
        except StoreError:
            raise
        except InputError as error:
            raise NotThere(*_fault_and_remedy(error)) from error

    def rows(self, run: Run, selection: Selection) -> tuple[Sequence[int], Indexed | None]:
        """The rows that fit, in order; the index where they are only some of them yet."""
        indexed = self.lookup.index(run, _SMALL_S) if selection.indexed else None
        known = indexed is None or indexed.complete
        row_filter = Filter(
            bounds=selection.bounds,
            why=selection.why,
            among=(*self._rows_among(indexed, selection), *self._labelled_rows(run, selection)),
            order=selection.order,
            descending=selection.descending,
        )
        if not known or run.finished is None:
            return matching(self.store, run, row_filter), None if known else indexed
        key = (run.id, run.finished, row_filter)
        return self.remembered(key, lambda: matching(self.store, run, row_filter)), None

    def remembered(self, key: Hashable, work: Callable[[], T]) -> T:
        """What was worked out of a finished run, for the next pages that need the same."""
        result: T = self._remembered.pop(key, None) or work()
        self._remembered[key] = result
        while len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)
        return result

    def people(self, run: Run) -> People:
        """What people said of a run, read again only if they said more."""
        key = label_version(self.store, run)
        if run.id not in self._people or self._people[run.id][0] != key:
            self._people[run.id] = (key, people(self.store, run))
        return self._people[run.id][1]

    def _labelled_rows(self, run: Run, selection: Selection) -> Iterator[Rows]:
        if not selection.by_people:
            return
        known = self.people(run)
        if selection.label == "none":
            yield not_these(run, known.by_label.get("any", ()))
        elif selection.label:
            yield these(known.by_label.get(selection.label, ()))
        if selection.tag:
            yield these(known.tags.get(selection.tag, ()))
        if selection.disagree:
            yield these(known.differing(selection.disagree))

    def _rows_among(self, indexed: Indexed | None, selection: Selection) -> Iterator[Rows]:
        if indexed is None:
            return
        words = self.lookup.words(indexed, selection.text) if selection.text else None
        if words:
            yield words
        if selection.verdict:
            yield self.lookup.verdict(indexed, selection.verdict)
        if selection.cause:
            yield self.lookup.cause(indexed, selection.cause)

    def render(self, template: str, place: Place, **context: Any) -> str:
        """A page."""
        compiled = environment().get_template(template)
        text = compiled.render(
            to=place.to,
            asset=place.asset,
            static=place.static,
            may_change=not (self.read_only or place.static),
            version=__version__,
            store_name=self.path.name,
            why_read_only=self.why_read_only,
            has_questions=self.review is not None,
            **context,
        )
        return whole(text)


def _review(questions: str | Path) -> "Review":
    from assay.testset import Review

    return Review(questions)


def _fault_and_remedy(error: InputError) -> tuple[str, str]:
    problem = error.problems[0]
    return problem.what, problem.remedy


@cache
def environment() -> Environment:
    """The templates of the report and those of the viewer, which go before them."""
    loader = ChoiceLoader(
        [PackageLoader("assay.view", "templates"), PackageLoader("assay._report", "templates")]
    )
    templates = page.environment().overlay(loader=loader)
    templates.filters.update(
        written=written, moment=numbers.moment, capitalize_first=_capitalized, minus=_minus
    )
    return templates


def _minus(number: str) -> str:
    """A number with a sign that is no hyphen: "0.40 -0.24" would read as a sum."""
    return number.replace("-", MINUS)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def assets() -> dict[str, tuple[str, str]]:
    """(media type, text) of the files that every page loads, by name."""
    folder = files("assay.view").joinpath("static")
    style = "".join(page.asset(name) for name in STYLES)
    style += "".join(folder.joinpath(name).read_text("utf-8") for name in ("view.css", "label.css"))
    script = "".join(folder.joinpath(name).read_text("utf-8") for name in ("view.js", "label.js"))
    return {"assay.css": ("text/css", style), "assay.js": ("text/javascript", script)}


@cache
def _version(name: str) -> str:
    return hashlib.sha256(assets()[name][1].encode()).hexdigest()[:12]


class Background:
    """Results by key; the one asked for longest ago is forgotten.

    Args:
        size: Results that are kept.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="assay-view")
        self._results: OrderedDict[Hashable, Future[Any]] = OrderedDict()
        self._lock = Lock()
        self._closed = Event()

    def get(
        self, key: Hashable, work: Callable[[], T], wait: float = 0.0, *, large: bool = False
    ) -> T | None:
        """The result, None if it is not there within so many seconds; whatever the work raises.

        Args:
            key: What names the result.
            work: Makes it.
            wait: How long to wait for it.
            large: Whether it takes seconds: then the page that asks is made first.
        """
        with self._lock:
            task = partial(self._after_change, work) if large else work
            future = self._results.pop(key, None) or self._pool.submit(task)
            self._results[key] = future
            if len(self._results) > self._size:
                self._results.popitem(last=False)[1].cancel()
        try:
            result: T = future.result(timeout=wait)
        except TimeoutError:
            return None
        except BaseException:
            with self._lock, suppress(KeyError):
                del self._results[key]  # the next who asks tries again
            raise
        return result

    def _after_change(self, work: Callable[[], T]) -> T:
        self._closed.wait(_LATER_S)
        return work()

    def close(self) -> None:
        """Begin nothing any more, and wait for what is under way."""
        self._closed.set()
        self._pool.shutdown(cancel_futures=True)
