"""Is one run better than another, by how much, on which samples, and can it be chance?"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.analysis import comparable, drift
from assay.analysis.changes import largest
from assay.analysis.comparison import (
    BETTER,
    NOT_FOUND,
    TOO_FEW,
    WORSE,
    Compared,
    Comparison,
    MetricComparison,
    letter,
)
from assay.analysis.pairing import Matched, match, pairs
from assay.errors import InputError
from assay.run.noise import noise
from assay.run.result import Result, labels
from assay.stats import comparison as stats
from assay.stats.comparison import holm
from assay.stats.intervals import LEVEL
from assay.stats.power import fewest_changes
from assay.store import Store

MOST_SAMPLES = 5


@dataclass(frozen=True, slots=True)
class _Terms:
    level: float
    wanted: float | None
    most: int


def compare(
    baseline: Result,
    *others: Result,
    metrics: Sequence[str] = (),
    level: float = LEVEL,
    wanted: float | None = None,
    most: int = MOST_SAMPLES,
    force: bool = False,
    called: Callable[[int], str] = letter,
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
        called: What refusals and warnings call a run, by its place; the baseline's is 0.

    Raises:
        InputError: If two runs are the same, share no metric or no sample, or if definitions of a
            metric or most of the data differ and `force` is not set.
    """
    how = _Terms(level, wanted, most)
    comparable.refuse_same(baseline, others, called)
    found: list[MetricComparison] = []
    warnings: list[str] = []
    for number, other in enumerate(others, start=1):
        names = called(0), called(number)
        shared = _shared(baseline, other, metrics)
        if not metrics:
            warnings += comparable.lacking(baseline, other, names)
        warnings += comparable.unlike_definitions(baseline, other, shared, names, force=force)
        matched = match(baseline, other, keep_other_data=force)
        warnings += comparable.unlike_data(matched, names, force=force)
        warnings += drift.warnings(baseline, other)
        warnings += comparable.partial(baseline, names[0]) + comparable.partial(other, names[1])
        found += [_one(metric, number, matched, baseline, other, how) for metric in shared]
    return Comparison(
        runs=tuple(_compared(result) for result in (baseline, *others)),
        metrics=_adjusted(found, how),
        warnings=tuple(dict.fromkeys([*warnings, *comparable.gaps(found, called)])),
        level=how.level,
    )


def _shared(baseline: Result, other: Result, metrics: Sequence[str]) -> list[str]:
    wanted = [label for name in metrics for label in labels(baseline.run, name)]
    has = other.run.metrics
    for label in wanted:
        if label not in has:  # named, so it must be there
            raise InputError(f"run {other.run.id} has no '{label}': it has {', '.join(has)}")
    found = [label for label in wanted or baseline.run.metrics if label in has]
    if not found:
        what = f"runs {baseline.run.id} and {other.run.id} have no metric in common"
        raise InputError(what, "score both by the same metrics")
    return found


def _one(
    metric: str,
    number: int,
    matched: Matched,
    baseline: Result,
    other: Result,
    how: _Terms,
) -> MetricComparison:
    about = baseline.run.config["about"][metric]
    up = bool(about["higher_is_better"])
    found, left_out = pairs(matched, metric, baseline, other)
    numbers = None
    if found:
        numbers = stats.paired(
            [pair.before for pair in found],
            [pair.after for pair in found],
            groups=[pair.group for pair in found] if matched.clustered else None,
            span=_span(about["range"]),
            level=how.level,
        )
    runs, sign = (baseline, other), 1 if up else -1
    return MetricComparison(
        metric=metric,
        run=number,
        higher_is_better=up,
        verdict=TOO_FEW,
        paired=numbers,
        p=None,
        detectable=None,
        least=None,
        aim=None,
        needed=None,
        left_out=left_out,
        worst=largest(found, metric, runs, sign=-sign, most=how.most),
        best=largest(found, metric, runs, sign=sign, most=how.most),
        noise=_noise(metric, runs, len(found)),
        range=(about["range"][0], about["range"][1]),
    )


def _noise(metric: str, runs: Sequence[Result], n: int) -> float | None:
    """How large a difference of two means of n samples the judges' noise makes by itself."""
    moved = []
    for result in runs:
        with Store(result.path) as store:
            known = noise(store, result.run.metrics[metric])
        moved.append(known.of_mean(n) if known else None)
    before, after = moved
    if before is None or after is None:
        return None
    # Each is what two askings of its judge set apart; here there is one asking of each.
    return math.hypot(before, after) / math.sqrt(2)


def _span(ends: Sequence[float | None]) -> float | None:
    low, high = ends
    return None if low is None or high is None else high - low


def _adjusted(found: Sequence[MetricComparison], how: _Terms) -> tuple[MetricComparison, ...]:
    """The verdicts, which need all tests at once."""
    tested = [one for one in found if one.tested]
    adjusted = iter(holm([one.paired.p for one in tested if one.paired]))
    alpha = (1 - how.level) / max(1, len(tested))
    done = []
    for one in found:
        changes: dict[str, Any] = {}
        if one.paired:
            p = next(adjusted) if one.tested else 1.0
            aim = how.wanted or abs(one.paired.difference) or None
            changes = {
                "p": p,
                "verdict": _verdict(one, p, 1 - how.level),
                "detectable": stats.detectable(one.paired, alpha=alpha),
                "least": fewest_changes(alpha),
                "aim": aim,
                "asked": how.wanted is not None,
                "needed": stats.needed(one.paired, aim, alpha=alpha) if aim else None,
            }
        done.append(replace(one, **changes))
    return tuple(done)


def _verdict(one: MetricComparison, p: float, alpha: float) -> str:
    if one.paired is None or one.paired.units < 2:
        return TOO_FEW
    if p > alpha:
        return NOT_FOUND
    return BETTER if (one.paired.difference > 0) is one.higher_is_better else WORSE


def _compared(result: Result) -> Compared:
    run = result.run
    judge = str(run.config["judge"])
    return Compared(
        run.id, str(result.path), run.source, judge, run.n_samples, run.created, run.title
    )
