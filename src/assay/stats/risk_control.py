"""Which verdicts of a cheap judge may stand: a band of sureness whose risk is bounded.

The risk of a band is the share of an answer's verdicts in it that the label contradicts, as the
mean over answers, for either kind of verdict by itself: of both together it is at most twice as
large, where one kind is wrong in just the answers that it fills. Learn then test (Angelopoulos,
Bates, Candès, Jordan and Lei 2021, arXiv 2110.01052): thresholds of sureness are fixed beforehand
and tested from strict to loose, each by the exact binomial tail of its errors, until one fails; of
several such sequences each has its part of the error probability, so that all thresholds that pass
keep the bound together at the stated confidence. One verdict an answer is counted, drawn at random
among those of the band: answers are independent, statements of one answer are not.

In production a share of what stands is checked. A process that bets on errors (Waudby-Smith and
Ramdas, J. R. Stat. Soc. B 86 (2024) 1) and never falls below 1 (Shin, Ramdas and Rinaldo, N. Engl.
J. Stat. Data Sci. 2 (2023) 229) tells when the risk is no longer within the bound: as long as it
is, the alarm comes once in `AUDITS` checked answers or less often, whatever their distribution.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

# Sureness from which on a verdict may stand: from strict to loose, and where sequences begin.
THRESHOLDS = (0.92, 0.9, 0.87, 0.84, 0.8, 0.75, 0.7, 0.6, 0.5)
STARTS = (0.92, 0.8)
SIDES = (True, False)
_FROM_STRICT = [-threshold for threshold in THRESHOLDS]
# The first fit is made with so many times the answers that it takes to pass without any error,
# and each further one with twice as many.
SPARE = 2
# How many checked answers pass, on average, until a risk just at the bound is called broken.
AUDITS = 100
# The risk, in multiples of the bound, that the alarm is tuned to.
BROKEN = 3.0


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict of the cheap judge, and whether the label contradicts it."""

    supported: bool  # the verdict
    sureness: float  # its probability, in [0, 1]; 1 of a judge that gives none
    wrong: bool  # whether the label is the other one
    stands: bool = False  # whether the verdict was within the band when it was checked


@dataclass(frozen=True, slots=True)
class Band:
    """From which sureness on a verdict stands; None where none of that kind does."""

    supported: float | None = None  # for verdicts that a statement is supported
    unsupported: float | None = None  # for verdicts that it is not

    def __bool__(self) -> bool:
        return self != Band()

    def holds(self, *, supported: bool, sureness: float) -> bool:
        """Whether such a verdict stands."""
        threshold = self.supported if supported else self.unsupported
        return threshold is not None and sureness >= threshold

    def joined(self, other: "Band") -> "Band":
        """What stands by either."""
        return Band(
            _looser(self.supported, other.supported), _looser(self.unsupported, other.unsupported)
        )


def _looser(*thresholds: float | None) -> float | None:
    return min((threshold for threshold in thresholds if threshold is not None), default=None)


def fit_band(answers: Sequence[Sequence[Checked]], risk: float, alpha: float) -> Band:
    """The loosest band in which the risk of each kind is at most `risk`, but for `alpha`.

    Args:
        answers: The checked verdicts of each answer, in random order; answers are drawn like those
            to come.
        risk: The bound, in (0, 1).
        alpha: How likely the risk of one of the kinds may be above it, in (0, 1).
    """
    supported, unsupported = (
        _loosest(
            [
                [verdict for verdict in verdicts if verdict.supported is side]
                for verdicts in answers
            ],
            risk,
            alpha / len(SIDES),
        )
        for side in SIDES
    )
    return Band(supported, unsupported)


def _loosest(answers: Sequence[Sequence[Checked]], risk: float, alpha: float) -> float | None:
    from scipy.special import bdtr

    n, wrong = _counts(answers)
    passes = bdtr(wrong, n, risk) <= alpha / len(STARTS)
    passed = []
    for start in STARTS:
        first = THRESHOLDS.index(start)
        failed = np.flatnonzero(~passes[first:])
        passed.append(first + int(failed[0]) if len(failed) else len(THRESHOLDS))
    ends = [end for end, start in zip(passed, STARTS, strict=True) if end > THRESHOLDS.index(start)]
    return THRESHOLDS[max(ends) - 1] if ends else None


def _counts(
    answers: Sequence[Sequence[Checked]],
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """At each threshold: answers with a verdict in the band, and those where it is wrong."""
    changes = np.zeros((2, len(THRESHOLDS) + 1), np.intp)
    for verdicts in answers:
        looser = len(THRESHOLDS)  # from here on one of this answer is counted already
        for verdict in verdicts:
            first = bisect_left(_FROM_STRICT, -verdict.sureness)
            if first < looser:
                for row in changes[: 1 + verdict.wrong]:
                    row[first] += 1
                    row[looser] -= 1
                looser = first
    n, wrong = changes.cumsum(axis=1)[:, :-1]
    return n, wrong


@dataclass
class RiskControl:
    """Lets verdicts of a cheap judge stand as long as what is checked bears out that they may.

    All verdicts are checked until a band passes, a share of answers from then on. When the risk of
    what stands breaks the bound, the band closes and everything is learnt anew.
    """

    risk: float  # the bound
    alpha: float  # how likely the risk of a band may be above it: all fits together
    share: float  # the share of answers that is checked while a band is open, in (0, 1]
    band: Band = Band()  # what stands now
    closed: int = 0  # how often a band was closed because the risk broke the bound
    _answers: list[Sequence[Checked]] = field(default_factory=list)
    _fits: int = 0
    _next: int = 0
    _evidence: float = 1.0

    def __post_init__(self) -> None:
        self._next = self.first_fit

    @property
    def first_fit(self) -> int:
        """How many answers are checked before any verdict may stand."""
        level = self.alpha / 2 / len(SIDES) / len(STARTS)
        return math.ceil(SPARE * math.log(level) / math.log1p(-self.risk))

    @property
    def chance(self) -> float:
        """With which probability an answer is to be checked."""
        return self.share if self.band else 1.0

    def learn(self, verdicts: Sequence[Checked]) -> None:
        """Take in the checked verdicts of one answer, in random order."""
        standing = [verdict.wrong for verdict in verdicts if verdict.stands]
        if self.band and standing and self._broken(sum(standing) / len(standing)):
            self._begin_anew()
            return
        self._answers.append(verdicts)
        if len(self._answers) >= self._next:
            self.fit()

    def learn_before(self, answers: Sequence[Sequence[Checked]]) -> None:
        """Take in answers with labels that are there before the first one is judged."""
        self._answers.extend(answers)
        if answers:
            self.fit()

    def begin_anew(self) -> None:
        """Forget what was checked: other verdicts are to come."""
        self._answers.clear()
        self.band, self._fits, self._next, self._evidence = Band(), 0, self.first_fit, 1.0

    def fit(self) -> None:
        """Widen the band as far as the checked verdicts allow.

        The k-th fit has alpha / 2^k, so that all of them together have no more than alpha.
        """
        self._fits += 1
        fitted = fit_band(self._answers, self.risk, self.alpha / 2**self._fits)
        if not self.band:
            self._evidence = 1.0
        self.band = self.band.joined(fitted)
        self._next = max(self.first_fit, 2 * len(self._answers))

    def _begin_anew(self) -> None:
        self.closed += 1
        self.begin_anew()

    def _broken(self, wrong: float) -> bool:
        aim = min(BROKEN * self.risk, (1 + self.risk) / 2)
        stake = (aim - self.risk) / (self.risk * (1 - self.risk))
        self._evidence = max(1.0, self._evidence) * (1 + stake * (wrong - self.risk))
        return self._evidence >= AUDITS
