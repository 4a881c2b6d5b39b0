"""Scores: a finite number with its evidence, or the reason why there is none."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from assay._text.results import rounded


class Readable:
    """What IPython and Jupyter show as its `str`; its repr names every field."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        # IPython prefers the repr that a dataclass has of its own to what it inherits.
        cls._repr_pretty_ = Readable._repr_pretty_  # type: ignore[method-assign]

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: FBT001 - IPython calls it
        printer.text("..." if cycle else str(self))


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of the evidence behind a score, as people read it.

    Attributes:
        kind: What it is: "statement", "reference statement", "context", "sentence", "question" ...
        text: The statement, sentence, question ... itself.
        label: What was found: "supported", "unsupported", "useful", "TP" ...
        value: What it adds to the score (1 or 0 for a verdict, a cosine ...), None if nothing.
        reason: Why, in the judge's words.
        context: 0-based index of the context it stands in or is supported by.
        quote: The words of that context that support it.
        probability: The judge's probability that the label is positive, where it gives one.
        span: (start, end) characters of the answer (or of the context) it was taken from.
        marks: Ranges of characters, of the same text as `span`, that nothing supports, where the
            judge tells them.
    """

    kind: str
    text: str
    label: str = ""
    value: float | None = None
    reason: str = ""
    context: int | None = None
    quote: str = ""
    probability: float | None = None
    span: tuple[int, int] | None = None
    marks: tuple[tuple[int, int], ...] = ()


# Beyond this the squares of scores, and their sums, are no finite numbers any more.
LARGEST: Final = 1e100


class NoNumber(ValueError):
    """The value of a score is not a finite number, or too large to compute with."""


@dataclass(frozen=True, slots=True)
class Score(Readable):
    """A finite number and the parts it was computed from.

    Attributes:
        value: The score; always finite, and no larger than `LARGEST`.
        parts: The evidence, in reading order.
        method: How it was computed, where that differs from the metric's definition.
        details: Further numbers on the way to the score (precision, recall, ...).

    Raises:
        NoNumber: If the value is not a finite number, or too large to compute with.
    """

    value: float
    parts: tuple[Part, ...] = ()
    method: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        try:
            finite = math.isfinite(self.value)
        except (TypeError, OverflowError):  # a whole number may be too large for a float
            finite = False
        if not finite:
            msg = f"a score is a finite number, not {self.value!r}"
            raise NoNumber(msg)
        if abs(float(self.value)) > LARGEST:
            msg = f"a score lies between -{LARGEST:g} and {LARGEST:g}, unlike {self.value!r}"
            raise NoNumber(msg)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        """``0.53 (1 supported, 1 unsupported)``."""
        labels = Counter(part.label for part in self.parts if part.label)
        counts = ", ".join(f"{n} {label}" for label, n in labels.items())
        text = rounded(float(self.value))
        return f"{text} ({counts})" if counts else text


@dataclass(frozen=True, slots=True)
class Unscored(Readable):
    """There is no number, and why.

    Attributes:
        why: "undefined" is a property of the sample (an answer with no statement); "failed" one
            of the judge (no reply, or none that could be read) or of an error in a metric of the
            user's own; "unanswered" one of the RAG system
            (it was asked and gave no answer).
        detail: The reason in words.
        parts: What evidence there is all the same.
    """

    why: Literal["undefined", "failed", "unanswered"]
    detail: str
    parts: tuple[Part, ...] = ()

    @property
    def reason(self) -> str:
        """Why, with the words: "failed: no reply"."""
        return f"{self.why}: {self.detail}"

    def __str__(self) -> str:
        return self.reason


Outcome: TypeAlias = Score | Unscored
