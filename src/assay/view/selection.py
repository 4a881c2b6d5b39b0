"""What a page of samples is asked for: filters, order and columns, as they stand in its address."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from multidict import MultiMapping

from assay._report import numbers
from assay._store import Run
from assay._store.browsing import Bounds
from assay.errors import InputError
from assay.view.lookup import ANY, LABEL_WORDS

WHY: Final = {"failed": "judge failed", "undefined": "undefined", "unanswered": "no answer"}
TEXTS: Final = ("question", "answer", "reference", "context", "group", "labels")
MAX_TEXT: Final = 500
_SHOWN: Final = 6  # metrics that a table shows unless it is asked for others


@dataclass(frozen=True, slots=True)
class Selection:
    """Which samples, in which order, with which columns.

    Attributes:
        text: Words that stand in their texts.
        bounds: What scores must be.
        why: Why a score of theirs is missing.
        verdict: The label of a piece of their evidence.
        cause: What went wrong in them; "any": whatever it was.
        label: What people say of them.
        tag: A kind of error that people named.
        disagree: The metric whose judge says otherwise than people, or "any".
        order: The metric by which they are ordered, "" for the order of the data.
        descending: Whether the greatest comes first.
        columns: Texts and metrics shown; () for the usual ones.
    """

    text: str = ""
    bounds: tuple[Bounds, ...] = ()
    why: str = ""
    verdict: str = ""
    cause: str = ""
    label: str = ""
    tag: str = ""
    disagree: str = ""
    order: str = ""
    descending: bool = False
    columns: tuple[str, ...] = ()

    @property
    def filtered(self) -> bool:
        """Whether some samples may be left out."""
        return bool(self.bounds or self.why or self.indexed or self.by_people)

    @property
    def indexed(self) -> bool:
        """Whether it takes the index of words, verdicts and causes."""
        return bool(self.text or self.verdict or self.cause)

    @property
    def by_people(self) -> bool:
        """Whether it takes what people said."""
        return bool(self.label or self.tag or self.disagree)

    def query(self, **changes: Any) -> str:
        """Its part of an address, with these fields otherwise."""
        changed = replace(self, **changes)
        pairs = [
            ("q", changed.text),
            *(("range", _written_bounds(bounds)) for bounds in changed.bounds),
            ("why", changed.why),
            ("verdict", changed.verdict),
            ("cause", changed.cause),
            ("label", changed.label),
            ("tag", changed.tag),
            ("disagree", changed.disagree),
            ("sort", ("-" if changed.descending else "") + changed.order),
            *(("col", name) for name in changed.columns),
        ]
        return urlencode([(name, value) for name, value in pairs if value])

    def hidden_fields(self) -> list[tuple[str, str]]:
        """What a form of filters sends along unseen: the ranges that there are, and the order."""
        order = ("-" if self.descending else "") + self.order
        pairs = [("range", _written_bounds(bounds)) for bounds in self.bounds]
        return [*pairs, ("sort", order)] if order else pairs

    def chips(self) -> list[tuple[str, str]]:
        """What leaves samples out, in words, each with the address without it."""
        chips = [
            (
                _range_in_words(bounds),
                self.query(bounds=tuple(b for b in self.bounds if b is not bounds)),
            )
            for bounds in self.bounds
        ]
        if self.why:
            chips.append((WHY[self.why], self.query(why="")))
        if self.verdict:
            chips.append((f"verdict: {self.verdict}", self.query(verdict="")))
        if self.cause:
            cause = "flagged" if self.cause == ANY else f"cause: {self.cause.replace('_', ' ')}"
            chips.append((cause, self.query(cause="")))
        if self.label:
            chips.append((LABEL_WORDS[self.label], self.query(label="")))
        if self.tag:
            chips.append((f"tag: {self.tag}", self.query(tag="")))
        if self.disagree:
            subject = "" if self.disagree == ANY else f" about {self.disagree}"
            chips.append((f"judge and people disagree{subject}", self.query(disagree="")))
        if self.text:
            chips.append((f"text: {self.text}", self.query(text="")))
        return chips


def read(query: MultiMapping[str], run: Run) -> Selection:
    """What an address asks for.

    Raises:
        InputError: If the run has no such metric, or something is no number.
    """
    order = query.get("sort", "")
    descending = order.startswith("-")
    order = order.removeprefix("-")
    reason = query.get("why", "")
    label, disagree = query.get("label", ""), query.get("disagree", "")
    columns = tuple(name for name in query.getall("col", ()) if name in (*TEXTS, *run.metrics))
    return Selection(
        text=query.get("q", "").strip()[:MAX_TEXT],
        bounds=(
            *(_bounds(text, run) for text in query.getall("range", ())),
            *_added_bounds(query, run),
        ),
        why=reason if reason in WHY else "",
        verdict=query.get("verdict", ""),
        cause=query.get("cause", ""),
        label=label if label in LABEL_WORDS else "",
        tag=query.get("tag", ""),
        disagree=_metric(disagree, run) if disagree not in ("", ANY) else disagree,
        order=_metric(order, run) if order else "",
        descending=descending,
        columns=() if columns in ((), _usual_metrics(run)) else columns,
    )


def _usual_metrics(run: Run) -> tuple[str, ...]:
    return ("question", "answer", *list(run.metrics)[:_SHOWN])


def columns_of(selection: Selection, run: Run) -> tuple[Sequence[str], Sequence[str]]:
    """(texts, metrics) that the table has columns for."""
    if selection.columns:
        texts = [name for name in TEXTS if name in selection.columns]
        return texts, [name for name in run.metrics if name in selection.columns]
    return ("question", "answer"), list(run.metrics)[:_SHOWN]


def _added_bounds(query: Mapping[str, str], run: Run) -> tuple[Bounds, ...]:
    """The range that a form adds: a metric and one end at least."""
    metric, low, high = (query.get(name, "").strip() for name in ("metric", "min", "max"))
    if not metric or not (low or high):
        return ()
    return (Bounds(_metric(metric, run), _number(low), _number(high)),)


def _bounds(text: str, run: Run) -> Bounds:
    metric, _, ends = text.rpartition(":")
    low, dots, high = ends.partition("..")
    if not dots:
        raise InputError(f"the range '{text}' has no ends", "write it as metric:0..0.5")
    return Bounds(_metric(metric, run), _number(low), _number(high))


def _metric(label: str, run: Run) -> str:
    if label not in run.metrics:
        raise InputError(f"the run has no metric '{label}'", f"it has {', '.join(run.metrics)}")
    return label


def _number(text: str) -> float | None:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"'{text}' is no number", "write it as 0.5")
    return number


def _written_bounds(bounds: Bounds) -> str:
    low, high = ("" if end is None else repr(end) for end in (bounds.low, bounds.high))
    return f"{bounds.metric}:{low}..{high}"


def _range_in_words(bounds: Bounds) -> str:
    if bounds.low is None or bounds.high is None:
        sign, end = ("at most", bounds.high) if bounds.low is None else ("at least", bounds.low)
        return f"{bounds.metric} {sign} {numbers.score(end)}"
    return f"{bounds.metric} {numbers.score(bounds.low)} to {numbers.score(bounds.high)}"
