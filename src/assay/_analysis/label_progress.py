"""What labels tell so far: the corrected mean, the judge's agreement, how many more it takes."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from assay._analysis.label_pool import LEAST, SETTLED_LEVEL, Key, Pool, Progress, State
from assay._store.labels import HumanLabel
from assay.stats.agreement import kappa_of_table, verdicts_interval
from assay.stats.correction import Corrected
from assay.stats.intervals import Interval
from assay.stats.raters import cohen_kappa

Per: TypeAlias = Literal["answer", "statement", "pair"]
_FEWEST: Final = 3  # items that kappa is reckoned of


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Labels of a pool, counted."""

    pool: Pool  # what can be labelled
    run: str  # id of the run
    against: str  # id of the run that it is compared with, "" for none
    per: Per  # what a label is about
    half_width: float  # the half-width of the interval that is wanted
    threshold: float  # the score from which on the judge calls a sample good
    # The least and the greatest grade; None: 1 or 0, or by the labels.
    scale: tuple[float, float] | None

    def items(self, sample: str) -> list[Key]:
        """All that is to be labelled of a sample."""
        if sample not in self.pool.place_of:
            return []
        if self.per == "pair":
            return [(self.run, sample, None)]
        index = self.pool.place_of[sample]
        judged = [(self.run, self.pool.first)]
        if self.pool.second is not None:
            judged.append((self.against, self.pool.second))
        if self.per == "answer":
            return [(run, sample, None) for run, _ in judged]
        return [
            (run, sample, n)
            for run, judged_run in judged
            for n in range(len(judged_run.parts[index]))
        ]

    def is_about(self, item: Key) -> bool:
        """Whether an item is of the kind that is labelled: whole answers, or statements."""
        return (item[2] is None) == (self.per != "statement")

    def progress(self, state: State, disputes: int) -> Progress:
        """What they tell so far."""
        pool = self.pool
        values, ends = self.values(state), self.ends(state)
        corrected = pool.corrected(state.drawn, values, ends)
        agreement, interval = self._kappa(state, values)
        needed, enough = self._needed(state, values, ends, corrected)
        of_all = corrected and pool.of_all(corrected)
        decided_items = [items for key, items in state.by_item.items() if self.is_about(key)]
        labels = [label for items in decided_items for label in items.values()]
        return Progress(
            labelled=len(values),
            total=len(pool.ids),
            decisions=sum(label.kind == "label" for label in labels),
            left_open=sum(draw.sample not in values for draw in state.drawn),
            judge_mean=pool.judge_mean,
            judge_good=self._judge_good(labels),
            corrected=of_all,
            kappa=agreement,
            kappa_interval=interval,
            needed=needed,
            enough=enough,
            verdict=verdict(of_all, needed, self.half_width, len(pool.ids), two=bool(self.against)),
            disputes=disputes,
        )

    def _judge_good(self, labels: Sequence[HumanLabel]) -> float | None:
        """The share of samples that the judge calls good, if people say yes or no of answers."""
        first = self.pool.first
        graded = self.scale is not None or any(v.value not in (0.0, 1.0, None) for v in labels)
        if self.against or self.per != "answer" or graded:
            return None
        calls = [first.calls_good(n, None, self.threshold) for n in range(len(first.ids))]
        return sum(calls) / len(calls)

    def values(self, state: State) -> dict[str, float]:
        """The label of each sample (of each pair the difference) that has all that it needs."""
        values: dict[str, float] = {}
        for drawn in state.drawn:
            by_run: dict[str, list[float]] = {}
            for key in self.items(drawn.sample):
                value = state.value(key)
                if value is None:
                    by_run = {}
                    break
                by_run.setdefault(key[0], []).append(value)
            means = {run: sum(run_values) / len(run_values) for run, run_values in by_run.items()}
            if means and self.per == "pair":
                values[drawn.sample] = 2 * means[self.run] - 1
            elif means and len(means) == (2 if self.against else 1):
                values[drawn.sample] = means[self.run] - means.get(self.against, 0.0)
        return values

    def ends(self, state: State) -> tuple[float, float]:
        """The least and the greatest label possible."""
        items = (key for key in state.by_item if self.is_about(key))
        values = [v for key in items if (v := state.value(key)) is not None]
        return self.pool.ends(values, self.scale)

    def _needed(
        self,
        state: State,
        values: dict[str, float],
        ends: tuple[float, float],
        corrected: Corrected | None,
    ) -> tuple[int | None, bool]:
        """(about how many more samples settle what is wanted, whether it is settled)."""
        if len(values) == len(self.pool.ids):
            return 0, True
        if corrected is None or corrected.interval is None:
            return None, False
        pool = self.pool
        numbers = [labels_to_stop(pool, self.half_width, corrected, ends)]
        if self.against:
            strict = pool.corrected(state.drawn, values, ends, SETTLED_LEVEL)
            if strict is not None and strict.interval is not None and strict.estimate:
                numbers.append(pool.labels_for(abs(strict.estimate) * pool.share, strict))
        figures = [number for number in numbers if number is not None]
        if not figures:
            return None, False
        # Within a batch nothing is called settled: each look is another chance to be misled.
        all_decided = all(
            # Somebody has labelled it, or has decided not to.
            draw.sample in values or any(map(state.by_item.get, self.items(draw.sample)))
            for draw in state.drawn
        )
        is_enough = (
            min(figures) <= len(values) and len(values) >= min(LEAST, len(pool.ids)) and all_decided
        )
        n_least = max(min(figures), min(LEAST, len(pool.ids)))
        return (0 if is_enough else max(n_least - len(values), 1)), is_enough

    def _kappa(
        self, state: State, values: Mapping[str, float]
    ) -> tuple[float | None, Interval | None]:
        """Cohen's kappa of the judge's verdicts and people's labels, in all samples."""
        verdicts: list[Verdicts] = []
        for name, weight in self.pool.weights(state.drawn, values).items():
            for run, sample, statement in self.items(name):
                people = self.is_good(state.value((run, sample, statement)))
                judge = self.called((run, sample, statement))
                if people is not None and judge is not None:
                    verdicts.append(Verdicts(judge, people, self.pool.unit(name), weight))
        return kappa(verdicts)

    def is_good(self, value: float | None) -> bool | None:
        """Whether a label calls an item good; None for neither, as a grade in the middle is."""
        if self.scale is not None and value is not None:
            middle = sum(self.scale) / 2
            return None if value == middle else value > middle
        return value == 1.0 if value in (0.0, 1.0) else None

    def called(self, key: Key) -> bool | None:
        """Whether the judge calls an item good, or this run's answer better; None for neither."""
        run, sample, statement = key
        first, second = self.pool.first, self.pool.second
        index = self.pool.place_of[sample]
        if self.per == "pair" and second is not None:
            return first.leads(second, index)
        judged = second if run == self.against and second is not None else first
        return judged.calls_good(index, statement, self.threshold)


def labels_to_stop(
    pool: Pool, half_width: float, corrected: Corrected, ends: tuple[float, float]
) -> int | None:
    """After how many labels in all one may stop because the interval is narrow; None if open.

    Who stops as soon as an interval is narrow stops where it happens to be too narrow. So it has to
    be narrow enough even if one label more were off by the whole scale.

    Args:
        pool: What can be labelled.
        half_width: That of the interval wanted.
        corrected: What the first labels gave.
        ends: The least and the greatest label possible.
    """
    scale = (ends[1] - ends[0]) * (1 if pool.second is None else 2)
    return pool.labels_for(half_width, _wider(corrected, scale / corrected.n_labelled))


def _wider(corrected: Corrected, error: float) -> Corrected:
    """With one error more, independent of the others."""
    interval, total_error = corrected.interval, math.hypot(corrected.error, error)
    if interval is None or not corrected.error:
        return corrected
    more, middle = total_error / corrected.error, corrected.estimate
    low, high = (middle + more * (end - middle) for end in (interval.low, interval.high))
    return replace(corrected, error=total_error, interval=replace(interval, low=low, high=high))


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the judge and people call one item."""

    judge: bool  # whether the judge calls it good
    people: bool  # whether people do
    unit: Hashable  # what it is not independent of: its sample, or the group of that
    weight: float  # how many samples that stands for


def kappa(verdicts: Sequence[Verdicts]) -> tuple[float | None, Interval | None]:
    """Cohen's kappa of judge and people in all samples, with its interval.

    Args:
        verdicts: Of the labelled items, each counting for the samples that it stands for.
    """
    if len(verdicts) < _FEWEST:
        return None, None
    judge, people = ([item.judge for item in verdicts], [item.people for item in verdicts])
    counts = np.array([item.weight for item in verdicts])
    value = float(cohen_kappa(judge, people)(counts))
    units = [item.unit for item in verdicts]
    interval = verdicts_interval(kappa_of_table, judge, people, units, weights=counts)
    return value if np.isfinite(value) else None, interval


def verdict(
    corrected: Corrected | None, needed: int | None, half_width: float, total: int, *, two: bool
) -> str:
    """What is known, in a sentence.

    Args:
        corrected: Mean or difference as people would have judged it.
        needed: How many more labels settle it; 0 if it is settled.
        half_width: The half-width of the interval that is wanted.
        total: How many samples (or pairs) can be labelled.
        two: Whether two runs are compared.
    """
    unit = "pairs" if two else "samples"
    if corrected is None or corrected.interval is None:
        return _too_few(corrected.n_labelled if corrected else 0, total, unit)
    ends = corrected.interval
    aim = f"narrow it to \N{PLUS-MINUS SIGN}{half_width:g}"
    aim = "settle which run is better" if two else aim
    if needed is None:
        too_few = corrected.n_labelled < _least_labels(total)
        nearly_all = f"nearly all {unit} must be labelled to {aim}"
        return _too_few(corrected.n_labelled, total, unit) if too_few else nearly_all
    if needed:
        return f"about {needed:,} more {'pairs' if two else 'labels'} {aim}"
    return _settled_verdict(ends, half_width, two=two)


def _least_labels(total: int) -> int:
    """Of fewer labels it cannot be said how many it takes."""
    return min(LEAST, math.ceil(total / 2))


def _too_few(n: int, total: int, unit: str) -> str:
    n_least = _least_labels(total)
    if n < n_least == 1:
        return "label one"
    if n < n_least:
        return (
            f"label {n_least - n} more: fewer than {n_least} {unit} do not tell how many it takes"
        )
    return "the labels do not tell yet how far the judge errs: label 10 more"


def _settled_verdict(ends: Interval, half_width: float, *, two: bool) -> str:
    """What is known once it is settled."""
    if not two and ends.high - ends.low > 2 * half_width:
        return "everything is labelled"
    if not two:
        return f"enough: the interval is within {half_width:g} of the mean"
    if ends.low > 0 or ends.high < 0:
        return f"enough: {'this run' if ends.low > 0 else 'the other run'} is better"
    return f"enough: the runs differ by no more than {max(-ends.low, ends.high):.2g}"
