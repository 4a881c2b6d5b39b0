"""What does a diagnosis say of one sample?"""

from dataclasses import dataclass
from typing import Literal

State = Literal["failed", "uncertain", "fine", "open"]
# How the verdicts on the statements of an answer stand to the contexts, taken together.
Support = Literal["flagged", "uncertain", "passed"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a finding rests on.

    Attributes:
        kind: "statement", "reference statement", "context", "answer" or "data".
        text: The statement, the context ... itself.
        why: What was found of it, in words of the judge or of the diagnosis.
        quote: The words of the context that bear on it.
        rank: 1-based rank of the context meant.
        metric: Label of the metric that found it, "" if the data or the wording say so.
    """

    kind: str
    text: str
    why: str = ""
    quote: str = ""
    rank: int | None = None
    metric: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause that was found in a sample, with its evidence (never empty)."""

    cause: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """One sample.

    Attributes:
        id: Its id.
        row: Its row, from 1.
        question: What was asked.
        state: "failed", "uncertain" (no failure found, but the judge is uncertain of a verdict),
            "fine" (no failure found in what could be checked) or "open" (nothing could be checked,
            or something is wrong whose cause cannot be told).
        main: The earliest cause on the way from corpus to answer; None unless failed.
        contributing: Further ones, in the same order.
        checked: Names of the causes that could be told, found or not.
        remark: Why it is open or uncertain, or what else is to be known.
        support: Whether the judge flags a statement of the answer as unsupported, is uncertain of
            one, or passes them all; None if it was not asked, or the answer makes no statement.
        doubt: How likely it finds one unsupported, in [0, 1]; what is worst is read first.
        declines: Whether the answer declines; None if there is no answer.
        untold: Names of causes that no further fact would tell: those known deny each other, or
            there is no answer.
    """

    id: str
    row: int
    question: str
    state: State
    main: Finding | None = None
    contributing: tuple[Finding, ...] = ()
    checked: frozenset[str] = frozenset()
    remark: str = ""
    untold: frozenset[str] = frozenset()
    support: Support | None = None
    doubt: float = 0.0
    declines: bool | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, the main one first."""
        return (self.main, *self.contributing) if self.main else ()

    @property
    def causes(self) -> tuple[str, ...]:
        """Their causes."""
        return tuple(finding.cause for finding in self.findings)
