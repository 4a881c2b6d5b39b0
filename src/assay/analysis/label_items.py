"""What labelling shows and tells: items, disagreements, progress."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from assay.score import Outcome
from assay.stats.correction import Corrected
from assay.stats.intervals import Floats, Interval, jackknife_interval, value_of
from assay.stats.raters import cohen_kappa
from assay.store.labels import Drawn, HumanLabel

# Run, sample, and number of the statement (None: the whole answer).
Key: TypeAlias = tuple[str, str, int | None]
_FEWEST = 3  # items that kappa is reckoned of


@dataclass(frozen=True, slots=True)
class LabelItem:
    """What a person is asked to label.

    Attributes:
        run: Id of the run.
        sample: Id of the sample.
        statement: 0-based number among the judged parts of the score; None: the whole answer.
        text: What is to be labelled: the statement, or the answer.
        question: What was asked, None if the data has no question.
        answer: The whole answer.
        contexts: What was retrieved.
        reference: The right answer, None if the data has none.
        why: Why it is next, in words.
        chance: With which probability its sample was drawn into its batch.
        second: Whether it is a second opinion: another annotator has labelled it.
        outcome: What the judge says; None while labelling is blind.
    """

    run: str
    sample: str
    statement: int | None
    text: str
    question: str | None
    answer: str
    contexts: tuple[str, ...]
    reference: str | None
    why: str
    chance: float
    second: bool
    outcome: Outcome | None = None

    @property
    def key(self) -> Key:
        """What it is about: run, sample, statement."""
        return self.run, self.sample, self.statement


@dataclass(frozen=True, slots=True)
class Dispute:
    """Something that annotators label differently.

    Attributes:
        run: Id of the run.
        sample: Id of the sample.
        statement: Number of the statement; None: the whole answer.
        labels: The latest decision of each annotator.
        settled: The decision that ended it, None while it is open.
    """

    run: str
    sample: str
    statement: int | None
    labels: tuple[HumanLabel, ...]
    settled: HumanLabel | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """What the labels tell so far.

    Attributes:
        labelled: Samples (or pairs) with all labels that they need.
        total: Samples that can be labelled: those with a score (pairs: with different answers).
        decisions: Labels given, second opinions included.
        left_open: Samples that were drawn and are not labelled yet: skipped, unsure, or to come.
        judge_mean: The judge's mean; of two runs the difference of their means.
        corrected: Mean with its interval as people would have judged it; None without labels.
        kappa: Cohen's kappa of the judge's verdicts and the labels; None where it is not defined.
        kappa_interval: Its interval; None where too little varies.
        needed: About how many more samples settle what is wanted; 0 if it is settled, None if
            that cannot be said yet or even labels of all would not do.
        enough: Whether it is settled.
        verdict: What is known, in a sentence.
        disputes: Disagreements of annotators that are not settled.
    """

    labelled: int
    total: int
    decisions: int
    left_open: int
    judge_mean: float
    corrected: Corrected | None
    kappa: float | None
    kappa_interval: Interval | None
    needed: int | None
    enough: bool
    verdict: str
    disputes: int


@dataclass(frozen=True)
class State:
    """The labels of the store at one moment."""

    by_item: dict[Key, dict[str, HumanLabel]]
    settled: dict[Key, HumanLabel]
    drawn: list[Drawn]

    @classmethod
    def of(cls, labels: Iterable[HumanLabel], drawn: Sequence[Drawn] = ()) -> "State":
        """What counts of all decisions, given in the order in which they were made."""
        by_item: dict[Key, dict[str, HumanLabel]] = {}
        settled: dict[Key, HumanLabel] = {}
        for label in labels:
            if label.kind == "settled":
                settled[label.item] = label
            else:
                by_item.setdefault(label.item, {})[label.annotator] = label
        return cls(by_item, settled, list(drawn))

    def value(self, key: Key) -> float | None:
        """What people say of an item: what settled it, else the mean of those who gave a label."""
        if key in self.settled:
            return self.settled[key].value
        values = [v for one in self.by_item.get(key, {}).values() if (v := one.value) is not None]
        return sum(values) / len(values) if values else None


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the judge and people call one item.

    Attributes:
        judge: Whether the judge calls it good.
        people: Whether people do.
        sample: Id of its sample.
        weight: How many samples that stands for.
    """

    judge: bool
    people: bool
    sample: str
    weight: float


def kappa(verdicts: Sequence[Verdicts]) -> tuple[float | None, Interval | None]:
    """Cohen's kappa of judge and people in all samples, with its interval.

    Args:
        verdicts: Of the labelled items, each counting for the samples that it stands for.
    """
    if len(verdicts) < _FEWEST:
        return None, None
    statistic = cohen_kappa([one.judge for one in verdicts], [one.people for one in verdicts])
    counts = np.array([one.weight for one in verdicts])
    units = [one.sample for one in verdicts]

    def weighted(rows: Floats) -> float:
        return statistic(rows * counts)

    return value_of(weighted, len(units)), jackknife_interval(weighted, units, low=-1.0)


def verdict(
    corrected: Corrected | None, needed: int | None, half_width: float, *, two: bool
) -> str:
    """What is known, in a sentence.

    Args:
        corrected: Mean or difference as people would have judged it.
        needed: How many more labels settle it; 0 if it is settled.
        half_width: The half-width of the interval that is wanted.
        two: Whether two runs are compared.
    """
    if needed is None or corrected is None or corrected.interval is None:
        return "label a few more to see how many it takes"
    ends = corrected.interval
    if needed:
        what = (
            "settle which run is better"
            if two
            else f"narrow it to \N{PLUS-MINUS SIGN}{half_width:g}"
        )
        return f"about {needed:,} more {'pairs' if two else 'labels'} {what}"
    if not two and ends.high - ends.low > 2 * half_width:
        return "everything is labelled"
    if not two:
        return f"enough: the interval is within {half_width:g} of the mean"
    if ends.low > 0 or ends.high < 0:
        return f"enough: {'this run' if ends.low > 0 else 'the other run'} is better"
    return f"enough: the runs differ by no more than {max(-ends.low, ends.high):.2g}"
