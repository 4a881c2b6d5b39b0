"""What labelling shows: items, disagreements, progress, and the labels at one moment."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assay._store.labels import Drawn, HumanLabel
from assay.score import Outcome
from assay.stats.correction import Corrected
from assay.stats.intervals import Interval

# Run, sample, and number of the statement (None: the whole answer).
Key: TypeAlias = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True)
class PairSide:
    """One of two answers to be held against each other.

    Attributes:
        run: Id of the run that it is of.
        answer: The answer.
        contexts: What was retrieved for it.
        value: The label that says that it is the better one: 1 of the run, 0 of the other.
        outcome: What the judge says of it; None while labelling is blind.
    """

    run: str
    answer: str
    contexts: tuple[str, ...]
    value: float
    outcome: Outcome | None = None


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
        sides: Of a pair both answers, in the order in which this person sees them.
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
    sides: tuple[PairSide, ...] = ()

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
