"""What is to be labelled: items, and the pool that they are drawn from."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from assay._analysis.correction import as_labels, groups, label_ends
from assay._analysis.labelled import goodness
from assay._analysis.selection import uncertainty
from assay._runner.result import Result
from assay._store.labels import Drawn, HumanLabel
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Outcome, Score
from assay.stats.batches import Batch, as_chances, draw, error_sizes, weights
from assay.stats.correction import Corrected, Design, correct_mean
from assay.stats.intervals import LEVEL, Floats, Interval, width
from assay.stats.power import labels_like_these
from assay.stats.priority_sampling import fixed_numbers, sizes

# Run, sample, and number of the statement (None: the whole answer).
Key: TypeAlias = tuple[str, str, int | None]


@dataclass(frozen=True, slots=True)
class PairSide:
    """One of two answers to be held against each other."""

    run: str  # id of the run that it is of
    answer: str  # the answer
    contexts: tuple[str, ...]  # what was retrieved for it
    value: float  # the label that says that it is the better one: 1 of the run, 0 of the other
    outcome: Outcome | None = None  # what the judge says of it; None while labelling is blind


@dataclass(frozen=True, slots=True)
class LabelItem:
    """What a person is asked to label."""

    run: str  # id of the run
    sample: str  # id of the sample
    # 0-based number among the judged parts of the score; None: the whole answer.
    statement: int | None
    text: str  # what is to be labelled: the statement, or the answer
    question: str | None  # what was asked, None if the data has no question
    answer: str  # the whole answer
    contexts: tuple[str, ...]  # what was retrieved
    reference: str | None  # the right answer, None if the data has none
    why: str  # why it is next, in words
    chance: float  # with which probability its sample was drawn into its batch
    second: bool  # whether it is a second opinion: another annotator has labelled it
    outcome: Outcome | None = None  # what the judge says; None while labelling is blind
    # Of a pair both answers, in the order in which this person sees them.
    sides: tuple[PairSide, ...] = ()

    @property
    def key(self) -> Key:
        """What it is about: run, sample, statement."""
        return self.run, self.sample, self.statement


@dataclass(frozen=True, slots=True)
class Dispute:
    """Something that annotators label differently."""

    run: str  # id of the run
    sample: str  # id of the sample
    statement: int | None  # number of the statement; None: the whole answer
    labels: tuple[HumanLabel, ...]  # the latest decision of each annotator
    settled: HumanLabel | None = None  # the decision that ended it, None while it is open


@dataclass(frozen=True, slots=True)
class Progress:
    """What the labels tell so far.

    Attributes:
        labelled: Samples (or pairs) with all labels that they need.
        total: Samples that can be labelled: those with a score (pairs: with different answers).
        decisions: Labels given, second opinions included.
        left_open: Samples that were drawn and are not labelled yet: skipped, unsure, or to come.
        judge_mean: The judge's mean; of two runs the difference of their means.
        judge_good: The share of samples that the judge calls good, to be set beside labels of yes
            or no; None where labels are others.
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
    judge_good: float | None
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
    before: dict[tuple[Key, str], HumanLabel] = field(default_factory=dict)  # what was replaced

    @classmethod
    def of(cls, labels: Iterable[HumanLabel], drawn: Sequence[Drawn] = ()) -> "State":
        """What counts of all decisions, given in the order in which they were made."""
        by_item: dict[Key, dict[str, HumanLabel]] = {}
        settled: dict[Key, HumanLabel] = {}
        before: dict[tuple[Key, str], HumanLabel] = {}
        for label in labels:
            if label.kind == "settled":
                settled[label.item] = label
                continue
            by_name = by_item.setdefault(label.item, {})
            if label.annotator in by_name:
                before[label.item, label.annotator] = by_name[label.annotator]
            by_name[label.annotator] = label
        return cls(by_item, settled, list(drawn), before)

    def value(self, key: Key) -> float | None:
        """What people say of an item: what settled it, else the mean of those who gave a label."""
        if key in self.settled:
            return self.settled[key].value
        values = [
            v for label in self.by_item.get(key, {}).values() if (v := label.value) is not None
        ]
        return sum(values) / len(values) if values else None


Order: TypeAlias = Literal["mean", "difference", "threshold", "random"]
ORDERS: Final = ("mean", "difference", "threshold", "random")
# The part of a choice that is the same for all: no label stands for more than 1 / 0.3 as many.
UNIFORM: Final = 0.3
FIRST, STEP = 20, 10  # samples of the first batch, and of each later one
LEAST: Final = 30  # fewer labels settle nothing, however narrow an interval they happen to make
# A difference is looked at after every batch: at this level all the looks together find one that
# is not there about as rarely as one look at the usual level.
SETTLED_LEVEL: Final = 0.99
NEAR: Final = (
    0.1  # a score this far from a threshold, as a share of its range, is one deviation off
)


@dataclass(frozen=True)
class Judged:
    """What a metric says of the samples of a run that it scored."""

    ids: tuple[str, ...]  # ids of the samples, in the order of the run
    scores: Floats  # shape (N,)
    doubt: Floats  # shape (N,): how far each may be wrong, by the judge itself
    # Shape (N,): how good the least good statement is, or the score where there is none.
    worst: Floats
    # What samples are not independent of; None if no sample names a group.
    groups: tuple[Hashable, ...] | None
    # How good each judged statement of each score is, by the judge.
    parts: tuple[tuple[float, ...], ...]
    answers: tuple[int, ...]  # a digest of each answer with its contexts
    range: tuple[float | None, float | None]  # ends of the metric's range
    falling: bool  # whether low scores are good

    @classmethod
    def of(cls, result: Result, metric: str) -> "Judged":
        """Read from the store.

        Raises:
            InputError: If no sample has a score.
        """
        facts = result.run.config["about"][metric]
        ends, high = (facts["range"][0], facts["range"][1]), bool(facts["higher_is_better"])
        samples: list[Sample] = []
        rows: list[tuple[float, float, float, tuple[float, ...], int]] = []
        for sample, outcome in result.outcomes(metric):
            if not isinstance(outcome, Score):
                continue
            parts = [part for part in outcome.parts if part.value is not None]
            good = tuple(goodness(part, higher_is_better=high) for part in parts)
            own_value = outcome.value if high else -outcome.value
            answered = hash((sample.answer, sample.contexts))
            lowest = min(good, default=own_value)
            rows.append((outcome.value, uncertainty(outcome, ends), lowest, good, answered))
            samples.append(Sample(id=sample.id, group=sample.group))
        if not rows:
            fault = f"run {result.run.id} has no score of {metric}"
            raise InputError(fault, "labels are chosen by scores: take another run or metric")
        scores, doubt, worst, parts_of, answers = zip(*rows, strict=True)
        known = groups(samples)
        return cls(
            ids=tuple(sample.id for sample in samples),
            scores=np.array(scores, np.float64),
            doubt=np.array(doubt, np.float64),
            worst=np.array(worst, np.float64),
            groups=None if known is None else tuple(known),
            parts=parts_of,
            answers=answers,
            range=ends,
            falling=not high,
        )

    def with_parts(self) -> "Judged":
        """The samples whose scores have judged statements.

        Raises:
            InputError: If there are none.
        """
        rows = [row for row, parts in enumerate(self.parts) if parts]
        if not rows:
            raise InputError("no score has statements that were judged", "label whole answers")
        return self.at(rows)

    def threshold(self, given: float | None, guide: float | None) -> float:
        """The score from which on a sample is called good (down to which, where low is good)."""
        low, high = self.range
        middle = float(np.median(self.scores)) if low is None or high is None else (low + high) / 2
        return next(value for value in (given, guide, middle) if value is not None)

    def calls_good(self, place: int, statement: int | None, threshold: float) -> bool:
        """Whether the judge calls a sample good, or one of its statements."""
        if statement is not None:
            return self.parts[place][statement] >= 0.5
        score = float(self.scores[place])
        return score <= threshold if self.falling else score >= threshold

    def leads(self, other: "Judged", place: int) -> bool | None:
        """Whether this run's score of a sample is the better of two; None if they are equal."""
        own_score, other_score = float(self.scores[place]), float(other.scores[place])
        return None if own_score == other_score else (own_score > other_score) is not self.falling

    def at(self, places: Sequence[int]) -> "Judged":
        """Some of the samples."""
        rows = np.array(places, np.intp)
        return replace(
            self,
            ids=tuple(self.ids[index] for index in places),
            scores=self.scores[rows],
            doubt=self.doubt[rows],
            worst=self.worst[rows],
            groups=self.groups and tuple(self.groups[index] for index in places),
            parts=tuple(self.parts[index] for index in places),
            answers=tuple(self.answers[index] for index in places),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRequest:
    """What the next batch is drawn by."""

    drawn: Sequence[Drawn]  # what was drawn before, in order
    values: Mapping[str, float]  # the label of each sample that has one
    ends: tuple[float, float]  # the least and the greatest label possible
    order: Order  # what the chances rise with
    threshold: float  # for the order "threshold": the score that a threshold is looked for at
    seed: str  # another seed draws others


@dataclass(frozen=True)
class Pool:
    """What labels are asked for: every scored sample of a run, or every pair of two runs.

    Attributes:
        first: The run.
        second: The run that it is compared with, the same samples in the same order; None for one
            run. Pairs of equal answers are in neither: their labels are equal.
        share: How many of all pairs differ, as a share; 1 for one run.
    """

    first: Judged
    second: Judged | None = None
    share: float = 1.0

    @classmethod
    def of_two(cls, first: Judged, second: Judged) -> "Pool":
        """The pairs of two runs.

        Raises:
            InputError: If no sample is scored in both with different answers.
        """
        index_of = {name: index for index, name in enumerate(second.ids)}
        shared = [(n, index_of[name]) for n, name in enumerate(first.ids) if name in index_of]
        differing = [(a, b) for a, b in shared if first.answers[a] != second.answers[b]]
        if not differing:
            fault = "the two runs have no sample in common whose answers differ"
            raise InputError(fault, "compare runs of the same questions")
        own_rows, other_rows = zip(*differing, strict=True)
        return cls(first.at(own_rows), second.at(other_rows), len(differing) / len(shared))

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the samples."""
        return self.first.ids

    @property
    def judge_mean(self) -> float:
        """The judge's mean; of two runs the difference of their means."""
        other_mean = 0.0 if self.second is None else float(self.second.scores.mean())
        return self.share * (float(self.first.scores.mean()) - other_mean)

    def scaled(self, ends: tuple[float, float]) -> Floats:
        """The scores on the scale of the labels."""
        first = _scaled(self.first, ends)
        return first if self.second is None else first - _scaled(self.second, ends)

    def ends(
        self, labels: Sequence[float], scale: tuple[float, float] | None = None
    ) -> tuple[float, float]:
        """The least and the greatest label possible: of the scale, or by those that were given."""
        return scale or label_ends(labels or [0.0, 1.0], None, self.first.range)

    def weights(self, drawn: Sequence[Drawn], values: Mapping[str, float]) -> dict[str, float]:
        """How many samples each labelled one stands for; empty while all were chosen on purpose.

        Args:
            drawn: What was drawn, in order.
            values: The label of each sample that has one.
        """
        by_batch: dict[int, list[Drawn]] = {}
        for entry in drawn:
            if entry.sample in self.place_of:
                by_batch.setdefault(entry.batch, []).append(entry)
        batches = [
            Batch(
                np.array([entry.chance for entry in batch]),
                np.array([entry.sample in values for entry in batch]),
            )
            for batch in by_batch.values()
        ]
        names_by_batch = [
            [entry.sample for entry in b if entry.sample in values] for b in by_batch.values()
        ]
        names_and_weights = zip(names_by_batch, weights(batches, len(self.ids)), strict=True)
        return {
            s: w
            for names, ws in names_and_weights
            for s, w in zip(names, ws.tolist(), strict=True)
            if w
        }

    def corrected(
        self,
        drawn: Sequence[Drawn],
        values: Mapping[str, float],
        ends: tuple[float, float],
        level: float = LEVEL,
    ) -> Corrected | None:
        """The mean label of all samples, or of the differences of all pairs; None without labels.

        Of pairs only those that differ count in it: see `of_all`.
        """
        weight = self.weights(drawn, values)
        if not weight:
            return None
        labelled_at = self._indices(list(weight))
        limits = ends if self.second is None else (ends[0] - ends[1], ends[1] - ends[0])
        chances = as_chances(np.array(list(weight.values())))
        design = Design(chances, None, self.first.groups)
        labels = [values[name] for name in weight]
        return correct_mean(
            self.scaled(ends), labelled_at, labels, design=design, ends=limits, level=level
        )

    def of_all(self, corrected: Corrected) -> Corrected:
        """The same of all pairs, those of equal answers included."""
        ends, share = corrected.interval, self.share
        scaled = ends and Interval(ends.low * share, ends.high * share, ends.level, ends.method)
        return replace(
            corrected,
            estimate=corrected.estimate * share,
            interval=scaled,
            judge_mean=self.judge_mean,
            error=corrected.error * share,
            floor=corrected.floor * share**2,
        )

    def labels_for(self, half_width: float, corrected: Corrected) -> int | None:
        """How many samples in all have to be labelled for an interval so narrow; None if open."""
        return labels_like_these(2 * half_width / self.share, corrected)

    def draw(self, request: "DrawRequest") -> list[Drawn]:
        """The next batch; empty once all samples are drawn."""
        drawn = request.drawn
        drawn_samples = {entry.sample for entry in drawn}
        undrawn = [index for index, name in enumerate(self.ids) if name not in drawn_samples]
        if not undrawn:
            return []
        size = sizes(self._sizes(request)[undrawn], UNIFORM)
        batch = max((entry.batch for entry in drawn), default=-1) + 1
        names = [self.ids[index] for index in undrawn]
        numbers = fixed_numbers(names, f"{request.seed}\0{batch}")
        indices, chances = draw(size, numbers, STEP if drawn else FIRST)
        pairs = zip(indices.tolist(), chances.tolist(), strict=True)
        return [Drawn(batch, names[index], chance, request.order) for index, chance in pairs]

    def _sizes(self, request: "DrawRequest") -> Floats:
        """What the chance of each sample rises with."""
        values, ends = request.values, request.ends
        if request.order == "random":
            return np.ones(len(self.ids))
        if request.order == "threshold":
            away = (self.first.scores - request.threshold) / (NEAR * _width(self.first))
            nearness: Floats = np.exp(-0.5 * away**2)
            return nearness
        corrected = self.corrected(request.drawn, values, ends)
        if corrected is None:  # nothing shows yet that the judge's doubt is to be trusted
            return np.ones(len(self.ids))
        doubt, features = self._uncertainty()
        weight = self.weights(request.drawn, values)
        labelled_at, counted = self._indices(list(weight)), np.array(list(weight.values()))
        slope = corrected.power * corrected.n_judged / max(corrected.n_judged - len(labelled_at), 1)
        errors = (
            np.array([values[name] for name in weight]) - slope * self.scaled(ends)[labelled_at]
        )
        errors = (errors - np.average(errors, weights=counted)) / ((ends[1] - ends[0]) or 1.0)
        return error_sizes(doubt, features, labelled_at, errors, counted)

    def _uncertainty(self) -> tuple[Floats, Floats]:
        """How far the judge may be wrong by itself, and by what samples are alike."""
        first, second = self.first, self.second
        if second is None:
            return first.doubt, np.column_stack([first.scores, first.worst])
        doubt: Floats = np.hypot(first.doubt, second.doubt)
        worst = np.minimum(first.worst, second.worst)
        return doubt, np.column_stack([np.abs(first.scores - second.scores), worst])

    def _indices(self, names: Sequence[str]) -> npt.NDArray[np.intp]:
        return np.array([self.place_of[name] for name in names], np.intp)

    def unit(self, sample: str) -> Hashable:
        """What a sample is not independent of: its group, or itself where no sample names one."""
        groups = self.first.groups
        return sample if groups is None else groups[self.place_of[sample]]

    @cached_property
    def place_of(self) -> dict[str, int]:
        """The place of each sample among all."""
        return {name: index for index, name in enumerate(self.ids)}


def _scaled(judged: Judged, ends: tuple[float, float]) -> Floats:
    return as_labels(judged.scores, judged.range, ends, falling=judged.falling)


def _width(judged: Judged) -> float:
    return width(judged.range) or float(np.ptp(judged.scores)) or 1.0
