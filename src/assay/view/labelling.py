"""The labelling desk: what is labelled, by whom and in which order, as it stands in an address."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from threading import RLock
from typing import Any, Final, Literal, TypeAlias, get_args
from urllib.parse import urlencode

from multidict import MultiMapping

from assay._analysis.label_pool import ORDERS, Key, Order
from assay._analysis.label_progress import Per
from assay._analysis.labelling import Labelling
from assay._report.numbers import plural
from assay._store import Run, Store
from assay._store.labels import LabelTally, check_annotator, pair_label
from assay.errors import InputError
from assay.view.site import Place, Site

What: TypeAlias = Literal["answer", "statement", "pair", "rubric"]
RUBRIC: Final = (1.0, 5.0)
_PER: Final[Mapping[What, Per]] = {"rubric": "answer"}
_HALF_WIDTH: Final = 0.05  # as a share of the scale
_OPEN_S: Final = 20.0  # a page waits so long for the scores of a run to be read
NOBODY: Final = "reader"  # who looks at what labels tell, and gives none
_MOST: Final = 200  # characters of what stands in an address


class NotReady(Exception):
    """The scores of a large run are still being read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What is labelled, by whom, in which order.

    Attributes:
        run: Id of the run.
        metric: Label of the metric.
        what: What a label is about, and on which scale it is.
        order: What decides which samples come first.
        against: Id of the run that it is compared with, "" for none.
        by: Who labels.
        within: The half-width of the interval that is wanted; 0 for the usual one.
        threshold: The score from which on the judge calls a sample good, "" for that of the metric.
        judge: "shown" where the judge's verdict is seen before the label.
    """

    run: str
    metric: str = ""
    what: What = "answer"
    order: Order = "random"
    against: str = ""
    by: str = ""
    within: float = 0.0
    threshold: str = ""
    judge: str = ""

    @classmethod
    def read(cls, query: MultiMapping[Any], run: Run) -> "Queue":
        """What an address asks for.

        Raises:
            InputError: If something in it is none of what can be asked for.
        """
        text = {field.name: str(query.get(field.name, ""))[:_MOST].strip() for field in fields(cls)}
        kind = _known_or_fault("what", text["what"] or "answer", get_args(What))
        order = text["order"] or "random"
        order = "difference" if kind == "pair" and order != "random" else order
        against = text["against"] if kind == "pair" or order == "difference" else ""
        metric = text["metric"] or next(iter(run.metrics))
        if metric not in run.metrics:
            remedy = f"it has {', '.join(run.metrics)}"
            raise InputError(f"the run has no metric '{metric}'", remedy)
        if text["threshold"]:
            _number("threshold", text["threshold"])
        return cls(
            run=run.id,
            metric=metric,
            what=kind,
            order=_known_or_fault("order", order, ORDERS),
            against=against,
            by=text["by"],
            within=_number("half-width", text["within"] or "0"),
            threshold=text["threshold"],
            judge="shown" if text["judge"] == "shown" else "",
        )

    @property
    def per(self) -> Per:
        """What a label is about, as `Labelling` calls it."""
        return _PER.get(self.what) or self.what  # type: ignore[return-value]

    @property
    def scale(self) -> tuple[float, float] | None:
        """The ends of the rubric."""
        return RUBRIC if self.what == "rubric" else None

    @property
    def half_width(self) -> float:
        """The half-width that is wanted."""
        low, high = self.scale or (0.0, 1.0)
        return self.within or _HALF_WIDTH * (high - low)

    @property
    def about(self) -> str:
        """What its labels are kept under."""
        return pair_label(self.metric, self.against) if self.what == "pair" else self.metric

    def pairs(self) -> list[tuple[str, str]]:
        """(name, value) of all that is not as usual, as a form or an address has it."""
        usual = Queue(run=self.run)
        texts = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name != "run" and getattr(self, field.name) != getattr(usual, field.name)
        }
        return [(name, f"{v:g}" if isinstance(v, float) else str(v)) for name, v in texts.items()]

    def query(self, **more: object) -> str:
        """Its part of an address, with more of it."""
        return urlencode([*self.pairs(), *((name, str(value)) for name, value in more.items())])


@dataclass(frozen=True, slots=True)
class Session:
    """What a labelling page is about.

    Attributes:
        site: The store's pages.
        run: The run.
        queue: What is labelled.
        labelling: The labels.
        form_token: What its forms send along.
    """

    site: Site
    run: Run
    queue: Queue
    labelling: Labelling
    form_token: str

    def item_at(self, key: Key, **more: object) -> str:
        """The link to one item."""
        query = item_query(self.site, self.queue, key, **more)
        return Place().to(f"label/{self.run.id}/item", query)

    def render(self, template: str, **context: Any) -> str:
        """A page of it."""
        return self.site.render(
            template,
            Place(),
            item_at=self.item_at,
            run=self.run,
            queue=self.queue,
            query=self.queue.query(),
            form_token=self.form_token,
            **context,
        )


class Desk:
    """Whoever labels in this viewer, each at their place.

    Args:
        site: The store's pages.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._lock = RLock()
        self._opened: Store | None = None
        self._places: dict[tuple[Queue, str | None, str, int], Labelling] = {}

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()

    @property
    def _store(self) -> Store:
        with self._lock:  # of its own: the site's has the index beside it, and is for reading
            if self._opened is None:
                self._opened = Store(self._site.path)
            return self._opened

    @contextmanager
    def at(self, queue: Queue) -> Iterator[Labelling]:
        """The labelling of a queue, for this thread alone.

        Raises:
            InputError: If there is nothing to label, or nobody to do it.
            NotReady: If the scores are still being read.
        """
        labelling = self._place_of(queue)
        with self._lock:
            yield labelling

    def tally(self, run: Run) -> list[LabelTally]:
        """Who has labelled how much of a run."""
        return self._store.labels.tally(run.id)

    def as_before(self, queue: Queue) -> Queue:
        """A queue as it was asked for last in this viewer."""
        same = queue.run, queue.about, queue.what
        for known, *_ in reversed(self._places):
            if (known.run, known.about, known.what) == same and known.by != NOBODY:
                return replace(known, by="")
        return queue

    def seconds(self, queue: Queue) -> float:
        """The percentage of a queue's samples that two people label."""
        return 100 * self._store.labels.share_of_seconds(*_named(queue))

    def begin(self, queue: Queue, seconds: str) -> None:
        """See that a queue can be labelled, with a percentage of second opinions if one is named.

        Raises:
            InputError: If there is nothing to label, or nobody to do it.
        """
        with suppress(NotReady):
            self._place_of(queue)
        if seconds:
            percent = _number("share of second opinions", seconds)
            if not 0 <= percent <= 100:
                fault = f"the share of second opinions is {percent:g}"
                raise InputError(fault, "give 0 to 100")
            share = percent / 100
            self._store.labels.ask_for_seconds(*_named(queue), share)

    def _place_of(self, queue: Queue) -> Labelling:
        run = self._site.run(queue.run)
        # The scores of a run that is going are read again once there are more of them.
        scored = 0 if run.finished else sum(self._site.store.counts(run.id)[queue.metric].values())
        key = (queue, run.finished, run.stopped, scored)
        if key not in self._places:
            self._check(queue, run)
            nobody = replace(queue, by="")
            opened = self._site.background.get(
                ("labelling", nobody, *key[1:]), lambda: self._open(queue), _OPEN_S
            )
            if opened is None:
                raise NotReady
            self._places[key] = opened.by(queue.by)
        return self._places[key]

    def _open(self, queue: Queue) -> Labelling:
        return Labelling(
            self._store,
            queue.run,
            queue.metric,
            annotator=queue.by,
            order=queue.order,
            against=queue.against or None,
            per=queue.per,
            blind=not queue.judge,
            half_width=queue.half_width,
            threshold=float(queue.threshold) if queue.threshold else None,
            scale=queue.scale,
        )

    def _check(self, queue: Queue, run: Run) -> None:
        """Refuse to mix grades with labels of 1 and 0 about the same answers."""
        if not queue.by:
            raise InputError(
                "your name is missing", "labels are kept under the name of who gave them"
            )
        check_annotator(queue.by)
        if queue.what == "pair" and not queue.against:
            raise InputError("pairs are of two runs", "choose the other run")
        if queue.per != "answer":
            return
        kind = queue.metric, False
        tallies = [tally for tally in self.tally(run) if (tally.about, tally.statements) == kind]
        n, highest = (
            sum(tally.n for tally in tallies),
            max((tally.most for tally in tallies), default=0.0),
        )
        if not tallies or (highest > 1) == (queue.what == "rubric"):
            return
        scale = "grades from 1 to 5" if highest > 1 else "1 or 0"
        of_run = f"{plural(n, 'answer')} of this run {'is' if n == 1 else 'are'}"
        fault = f"{of_run} labelled with {scale} for {queue.metric}"
        raise InputError(fault, "go on with that scale: the two cannot be counted together")


def _named(queue: Queue) -> tuple[str, str, str]:
    """What names a queue in the store."""
    return queue.run, queue.metric, queue.against


def first_at(site: Site, queue: Queue, row: int | None) -> str:
    """The link to what is labelled first: a sample that is chosen by hand, or the next."""
    if row is None:
        return Place().to(f"label/{queue.run}/next", queue.query())
    sample = site.sample(site.run(queue.run), row)
    key = queue.run, sample.id, 0 if queue.what == "statement" else None
    return Place().to(f"label/{queue.run}/item", item_query(site, queue, key))


def item_query(site: Site, queue: Queue, key: Key, **more: object) -> str:
    """The part of an address that leads to one item: ids may hold anything, so it names the row."""
    run, sample, statement = key
    row, _ = site.store.sample(run, sample)
    run_field = {} if run == queue.run else {"of": run}
    statement_field = {} if statement is None else {"statement": statement}
    return queue.query(row=row, **run_field, **statement_field, **more)


def _known_or_fault(name: str, text: str, known: tuple[Any, ...]) -> Any:
    if text not in known:
        raise InputError(f"'{text}' is no {name} of labels", f"there are {', '.join(known)}")
    return text


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"the {name} '{text}' is no number", "write it as 0.5")
    return number
