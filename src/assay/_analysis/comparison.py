"""Comparison of runs: how much better one is, on which samples, and whether it can be chance."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from assay._analysis.comparability import (
    LeftOut,
    Matched,
    Pair,
    drift_warnings,
    judge_of,
    match,
    missing_metrics,
    pairs,
    refuse_same,
    unfinished,
    unlike_data,
    unlike_definitions,
)
from assay._analysis.leaderboard import Leaderboard, leaderboard
from assay._runner.result import Result, labels
from assay._runner.summary import Reported, noise
from assay._store import Store
from assay._text.results import between, difference
from assay.errors import InputError
from assay.score import Part, Readable
from assay.stats import comparison as stats
from assay.stats.comparison import Paired, holm
from assay.stats.intervals import LEVEL, width
from assay.stats.power import fewest_changes

MOST_PARTS = 4
_TELLING = 0.25  # of what moved the score most; what moved it less is not told
_NEUTRAL = 0.5  # of evidence with no value beside it: half way between a yes and a no
MOST_SAMPLES = 5
BETTER, WORSE, NOT_FOUND, TOO_FEW = "better", "worse", "no difference found", "too few pairs"


@dataclass(frozen=True, slots=True)
class PartChange:
    """One piece of evidence that is not what it was.

    Attributes:
        kind: What it is: "statement", "reference statement", "context" ...
        text: The statement, context ... itself.
        before: Its label in the baseline, None if it is not there.
        after: The same in the other run.
        reason: Why, in the words of the judge of the later label that is there.
        values: What it adds to the score, in the baseline and in the other run; None where it is
            not there or adds none.
    """

    kind: str
    text: str
    before: str | None
    after: str | None
    reason: str
    values: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class SampleChange:
    """One sample that two runs score differently.

    Attributes:
        sample: Its id.
        question: What was asked, None if the data has no question.
        before: Its score in the baseline.
        after: Its score in the other run.
        parts: What changed in the evidence, what explains the difference best first.
    """

    sample: str
    question: str | None
    before: float
    after: float
    parts: tuple[PartChange, ...]


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """One metric of one run against the baseline.

    Attributes:
        metric: Label of the metric.
        run: Which of the runs: its place in `Comparison.runs`, the baseline being 0.
        higher_is_better: False for error rates.
        verdict: "better" or "worse" (than the baseline, by the adjusted p-value), "no difference
            found", or "too few pairs" where there is none.
        paired: The numbers; None without any pair.
        p: The p-value, adjusted by Holm over all metrics and runs that are `tested`; 1 where no
            test is needed, None without any pair.
        detectable: The smallest true difference that so many pairs show in 80 of 100 cases, as one
            of so many tests; None where they can show none, or too few of them differ to tell.
        least: How many independent pairs have to differ, all in one direction, for any difference
            to be found, as one of so many tests; None without any pair.
        aim: The difference that `needed` is for.
        needed: How many pairs would show it in 80 of 100 cases; None where that cannot be said.
        left_out: Samples that stand in no pair.
        worst: Samples that became worse, the worst first.
        best: Samples that became better, the best first.
        noise: How large a difference the judges' noise makes by itself, from one asking of each:
            95 % of the time; None if that was never measured (`assay repeat`).
        range: Ends of the metric's range; None where it has no end.
        asked: Whether `aim` was asked for; otherwise it is the difference that was seen.
    """

    metric: str
    run: int
    higher_is_better: bool
    verdict: str
    paired: Paired | None
    p: float | None
    detectable: float | None
    least: int | None
    aim: float | None
    needed: int | None
    left_out: tuple[LeftOut, ...]
    worst: tuple[SampleChange, ...]
    best: tuple[SampleChange, ...]
    noise: float | None = None
    range: tuple[float | None, float | None] = (None, None)
    asked: bool = False

    @property
    def tested(self) -> bool:
        """Whether there is anything to test: two independent pairs, of which one differs at least.

        Where all are equal no permutation of signs gives another difference, so it is not adjusted.
        """
        return self.paired is not None and self.paired.units > 1 and self.paired.moved > 0

    @property
    def too_few_differ(self) -> bool:
        """Whether enough pairs are there to find a difference, but too few of them differ."""
        if self.paired is None or self.least is None:
            return False
        return self.paired.moved < self.least <= self.paired.units

    @property
    def wins(self) -> int:
        """Samples that became better."""
        return _wins(self)[0]

    @property
    def losses(self) -> int:
        """Samples that became worse."""
        return _wins(self)[1]


@dataclass(frozen=True, slots=True)
class Compared:
    """A run that was compared.

    Attributes:
        id: Its id.
        store: The file it stands in.
        source: Its data.
        judge: Who judged.
        n_samples: How many samples it has.
        created: When it began.
        title: What it is called: its name, or its data and when it began.
    """

    id: str
    store: str
    source: str
    judge: str
    n_samples: int
    created: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Comparison(Reported, Readable):
    """Runs compared with the first of them.

    Attributes:
        runs: The baseline, then the others.
        metrics: Every metric that both have, run by run.
        warnings: What else could make the numbers differ.
        level: Nominal coverage of the intervals.
        leaderboards: Of three runs and more, called "name (A)", who is best by each metric.
    """

    runs: tuple[Compared, ...]
    metrics: tuple[MetricComparison, ...]
    warnings: tuple[str, ...]
    level: float
    leaderboards: tuple[Leaderboard, ...] = ()

    def __str__(self) -> str:
        """A line for each metric."""
        rows = [_line(metric, self.runs) for metric in self.metrics]
        return "\n".join([*rows, *(f"! {warning}" for warning in self.warnings)])


def letter(number: int) -> str:
    """What a run is called in a comparison: A is the baseline."""
    return chr(ord("A") + number) if number < 26 else f"run {number + 1}"


def _title(run: Compared) -> str:
    return f"{run.title} ({run.id[:8]})" if run.title else run.id


def _wins(item: MetricComparison) -> tuple[int, int]:
    if item.paired is None:
        return 0, 0
    sides = item.paired.up, item.paired.down
    return sides if item.higher_is_better else (sides[1], sides[0])


def _line(item: MetricComparison, runs: Sequence[Compared]) -> str:
    head = f"{item.metric} of {_title(runs[item.run])} against {_title(runs[0])}: {item.verdict}"
    paired = item.paired
    if paired is None or item.p is None:
        return head
    ends = f" ({between(paired.interval)})" if paired.interval else ""
    size = f"{difference(paired.difference, paired.interval)}{ends}"
    left_out = f" ({n} left out)" if (n := sum(group.n for group in item.left_out)) else ""
    text = f"{head}, {size}, p = {item.p:.3g}, n = {paired.n}{left_out}"
    if item.verdict != NOT_FOUND:
        return text
    if item.too_few_differ:
        units = "groups" if paired.units < paired.n else "pairs"
        differ = f"{paired.moved} of {paired.units} {units} differ"
        text += f"; {differ}, and fewer than {item.least} show nothing"
    if item.detectable is not None:
        text += f"; a difference of {item.detectable:.2g} would have been seen in 80 of 100 cases"
    return text


@dataclass(frozen=True, slots=True)
class Terms:
    """How `compare` goes about it; `called`: what is said of a run, by its place."""

    metrics: Sequence[str] = ()
    level: float = LEVEL
    wanted: float | None = None
    most: int = MOST_SAMPLES
    force: bool = False
    called: Callable[[int], str] = letter


def compare(
    baseline: Result,
    *others: Result,
    metrics: Sequence[str] = (),
    level: float = LEVEL,
    wanted: float | None = None,
    most: int = MOST_SAMPLES,
    force: bool = False,
) -> Comparison:
    """Compare runs with a baseline, sample by sample.

    Args:
        baseline: The run that all others are compared with.
        others: One run or more, over the same samples, by the same metrics and judge.
        metrics: Only these; all that both have if empty.
        level: Nominal coverage of the intervals; 1 - level is how often, over all metrics and runs
            together, a difference may be found where there is none.
        wanted: A difference that should not be missed, in the unit of the metric: `needed` says how
            many pairs it takes. None: reckoned for the difference that was seen.
        most: Samples shown of those that lost, and of those that gained most.
        force: Whether to go on where definitions or data differ.

    Raises:
        InputError: If two runs are the same, share no metric or no sample, or if definitions of a
            metric or most of the data differ and `force` is not set.
    """
    return compare_by(Terms(metrics, level, wanted, most, force), baseline, others)


def compare_by(terms: Terms, baseline: Result, others: Sequence[Result]) -> Comparison:
    """As `compare`."""
    name_of, force = terms.called, terms.force
    refuse_same(baseline, others, name_of)
    compared_metrics: list[MetricComparison] = []
    warnings: list[str] = []
    for number, other in enumerate(others, start=1):
        names = name_of(0), name_of(number)
        shared = _shared(baseline, other, terms.metrics)
        if not terms.metrics:
            warnings += missing_metrics(baseline, other, names)
        warnings += unlike_definitions(baseline, other, shared, names, force=force)
        matched = match(baseline, other, keep_other_data=force)
        warnings += unlike_data(matched, names, force=force)
        warnings += drift_warnings(baseline, other, names)
        warnings += unfinished(baseline, names[0]) + unfinished(other, names[1])
        compared_metrics += [_test(m, number, matched, baseline, other, terms) for m in shared]
    return Comparison(
        runs=tuple(described(result) for result in (baseline, *others)),
        metrics=_adjusted(compared_metrics, terms),
        warnings=tuple(dict.fromkeys([*warnings, *_gaps(compared_metrics, name_of)])),
        level=terms.level,
        leaderboards=tuple(_leaderboards((baseline, *others), compared_metrics, terms.level)),
    )


def _leaderboards(
    results: Sequence[Result], compared: Sequence[MetricComparison], level: float
) -> Iterator[Leaderboard]:
    if len(results) < 3:
        return
    titles = [(letter(number), result.run.name) for number, result in enumerate(results)]
    names = [f"{title} ({run})" if title else run for run, title in titles]
    params = [{"run": name} for name in names]
    for metric in dict.fromkeys(item.metric for item in compared if sum(_wins(item))):
        if all(metric in result.run.metrics for result in results):
            with suppress(InputError):  # no sample has a score in each of them
                yield leaderboard(results, params, metric, names=names, level=level)


def _shared(baseline: Result, other: Result, metrics: Sequence[str]) -> list[str]:
    named_labels = [label for name in metrics for label in labels(baseline.run, name)]
    available = other.run.metrics
    for label in named_labels:
        if label not in available:  # named, so it must be there
            raise InputError(f"run {other.run.id} has no '{label}': it has {', '.join(available)}")
    shared = [label for label in named_labels or baseline.run.metrics if label in available]
    if not shared:
        fault = f"runs {baseline.run.id} and {other.run.id} have no metric in common"
        raise InputError(fault, "score both by the same metrics")
    return shared


def _test(
    metric: str, number: int, matched: Matched, baseline: Result, other: Result, terms: Terms
) -> MetricComparison:
    facts = baseline.run.config["about"][metric]
    higher = bool(facts["higher_is_better"])
    scored_pairs, left_out = pairs(matched, metric, baseline, other)
    numbers = paired(scored_pairs, facts["range"], clustered=matched.clustered, level=terms.level)
    runs, sign = (baseline, other), 1 if higher else -1
    return MetricComparison(
        metric=metric,
        run=number,
        higher_is_better=higher,
        verdict=TOO_FEW,
        paired=numbers,
        p=None,
        detectable=None,
        least=None,
        aim=None,
        needed=None,
        left_out=left_out,
        worst=largest(scored_pairs, metric, runs, sign=-sign, max_samples=terms.most),
        best=largest(scored_pairs, metric, runs, sign=sign, max_samples=terms.most),
        noise=_noise(metric, runs, len(scored_pairs)),
        range=(facts["range"][0], facts["range"][1]),
    )


def _noise(metric: str, runs: Sequence[Result], n: int) -> float | None:
    """How large a difference of two means of n samples the judges' noise makes by itself."""
    noise_by_run = []
    for result in runs:
        with Store(result.path) as store:
            measured = noise(store, result.run.metrics[metric])
        noise_by_run.append(measured.of_mean(n) if measured else None)
    before, after = noise_by_run
    if before is None or after is None:
        return None
    # Each is what two askings of its judge set apart; here there is one asking of each.
    return math.hypot(before, after) / math.sqrt(2)


def paired(
    pairs: Sequence[Pair], ends: Sequence[float | None], *, clustered: bool, level: float
) -> Paired | None:
    """Two scores of each sample, compared; None without any pair."""
    if not pairs:
        return None
    return stats.paired(
        [pair.before for pair in pairs],
        [pair.after for pair in pairs],
        groups=[pair.group for pair in pairs] if clustered else None,
        span=width(ends),
        level=level,
    )


def _adjusted(compared: Sequence[MetricComparison], terms: Terms) -> tuple[MetricComparison, ...]:
    """The verdicts, which need all tests at once."""
    tested = [item for item in compared if item.tested]
    adjusted = iter(holm([item.paired.p for item in tested if item.paired]))
    alpha = (1 - terms.level) / max(1, len(tested))
    with_verdicts = []
    for item in compared:
        changes: dict[str, Any] = {}
        if item.paired:
            p = next(adjusted) if item.tested else 1.0
            aim = terms.wanted or abs(item.paired.difference) or None
            changes = {
                "p": p,
                "verdict": _verdict(item, p, 1 - terms.level),
                "detectable": stats.detectable(item.paired, alpha=alpha),
                "least": fewest_changes(alpha),
                "aim": aim,
                "asked": terms.wanted is not None,
                "needed": stats.needed(item.paired, aim, alpha=alpha) if aim else None,
            }
        with_verdicts.append(replace(item, **changes))
    return tuple(with_verdicts)


def _verdict(item: MetricComparison, p: float, alpha: float) -> str:
    if item.paired is None or item.paired.units < 2:
        return TOO_FEW
    if p > alpha:
        return NOT_FOUND
    return BETTER if (item.paired.difference > 0) is item.higher_is_better else WORSE


def described(result: Result) -> Compared:
    """What is told of a run that is compared."""
    run, judge = result.run, judge_of(result.run)
    return Compared(
        run.id, str(result.path), run.source, judge, run.n_samples, run.created, run.title
    )


def _gaps(compared: Sequence[MetricComparison], name_of: Callable[[int], str]) -> list[str]:
    """Where so many samples are missing that the pairs may not speak for all."""
    metrics: dict[tuple[int, int, int], list[str]] = {}
    for item in compared:
        n = item.paired.n if item.paired else 0
        missing = sum(left.n for left in item.left_out)
        if missing > (n + missing) / 5:
            metrics.setdefault((item.run, missing, n + missing), []).append(item.metric)
    return [
        f"{', '.join(names)}: {missing} of {n} samples cannot be compared between "
        f"{name_of(0)} and {name_of(run)}: the difference covers the rest."
        for (run, missing, n), names in metrics.items()
    ]


def largest(
    pairs: Iterable[Pair], metric: str, runs: tuple[Result, Result], *, sign: int, max_samples: int
) -> tuple[SampleChange, ...]:
    """The samples whose score rose (`sign` 1) or fell (-1) most, at most so many."""
    changed_pairs = [pair for pair in pairs if sign * (pair.after - pair.before) > 0]
    changed_pairs.sort(key=lambda pair: sign * (pair.before - pair.after))
    baseline, other = runs
    if not changed_pairs or not max_samples:
        return ()
    before, after = baseline.run.id, other.run.id
    with Store(baseline.path) as first, Store(other.path) as second:
        return tuple(
            SampleChange(
                pair.sample,
                first.sample(before, pair.sample)[1].question,
                pair.before,
                pair.after,
                changed(
                    _parts_of(first, before, pair.rows[0], metric),
                    _parts_of(second, after, pair.rows[1], metric),
                    sign=sign,
                ),
            )
            for pair in changed_pairs[:max_samples]
        )


def changed(before: Sequence[Part], after: Sequence[Part], *, sign: int) -> tuple[PartChange, ...]:
    """What changed between two sets of evidence, what moved the score that way first.

    What is new or gone moves the score by how far it lies from the mean that was: where all was
    supported, one more unsupported statement explains a fall, and a supported one that is gone
    does not.
    """
    values = [part.value for part in before if part.value is not None]
    neutral = sum(values) / len(values) if values else _NEUTRAL
    old = {(part.kind, part.text): part for part in before}
    new = {(part.kind, part.text): part for part in after}
    weighted: list[tuple[float, PartChange]] = []
    for key in dict.fromkeys([*new, *old]):
        old_part, new_part = old.get(key), new.get(key)
        was, now = (part.label if part else None for part in (old_part, new_part))
        both = (old_part.value if old_part else None, new_part.value if new_part else None)
        present = new_part or old_part
        if present is None or (was, both[0]) == (now, both[1]):
            continue
        change = PartChange(*key, was, now, present.reason, both)
        old_value, new_value = (neutral if value is None else value for value in both)
        weighted.append((sign * (new_value - old_value), change))
    weighted.sort(key=lambda item: -item[0])
    # What moved the other way, or hardly at all, explains nothing, unless there is nothing else.
    minimum = max(weighted[0][0] * _TELLING, 0.0) if weighted else 0.0
    weighted = [item for item in weighted if item[0] > minimum] or weighted
    return tuple(change for _, change in weighted[:MOST_PARTS])


def _parts_of(store: Store, run: str, row: int, metric: str) -> Sequence[Part]:
    outcome = store.outcome(run, row, metric)
    return outcome.parts if outcome else ()
