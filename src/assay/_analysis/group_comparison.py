"""Groups of samples in several runs, each compared with the same group of the first run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay._analysis.comparability import match, pairs
from assay._analysis.comparison import Compared, compare, described
from assay._analysis.groups import ByGroup, adjusted, by_group, members
from assay._runner.result import Result
from assay.stats.comparison import Paired, holm, paired
from assay.stats.intervals import LEVEL


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """One metric of one group, in a run and in the first run.

    Attributes:
        metric: Label of the metric.
        group: The group: the value of the field.
        run: Place of the run; the first one's is 0.
        paired: The numbers over samples that are of this group in both runs; None without any.
        p: Its p-value, adjusted by Holm over all differences; 1 where no pair differs, None for
            fewer than two independent pairs.
    """

    metric: str
    group: str
    run: int
    paired: Paired | None
    p: float | None = None


@dataclass(frozen=True, slots=True)
class RunsByGroup:
    """The scores of several runs, by a field of their samples.

    Attributes:
        compared: The runs, the base first.
        runs: The groups of each; p-values of tests are adjusted over all of them.
        differences: Each group of each further run against the same group of the base.
        warnings: What else could make numbers differ.
        level: Nominal coverage of the intervals.
    """

    compared: tuple[Compared, ...]
    runs: tuple[ByGroup, ...]
    differences: tuple[GroupDifference, ...]
    warnings: tuple[str, ...]
    level: float


def compare_groups(
    base: Result,
    *others: Result,
    field: str,
    metrics: Sequence[str] = (),
    level: float = LEVEL,
    force: bool = False,
) -> RunsByGroup:
    """Compare the groups of one run or several, within each run and with the base.

    A sample may be in another group in another run, as where each retrieves by itself: it then
    stands in the groups of either run, and in no difference.

    Args:
        base: The run that the others are compared with.
        others: Further runs, over the same samples, by the same metrics and judge.
        field: As in `by_group`.
        metrics: Only these; all that every run has if empty.
        level: Nominal coverage of the intervals.
        force: Whether to go on where definitions or data differ.

    Raises:
        InputError: As `by_group` and `compare`.
    """
    results = (base, *others)
    warned: list[str] = []
    if others:
        whole = compare(*results, metrics=metrics, level=level, most=0, force=force)
        warned += whole.warnings
    shared = [name for name in base.run.metrics if all(name in r.run.metrics for r in others)]
    runs = [by_group(r, field, metrics=metrics or shared, level=level) for r in results]
    tests = iter(adjusted([metric for run in runs for metric in run.metrics]))
    runs = [replace(run, metrics=tuple(next(tests) for _ in run.metrics)) for run in runs]
    differences = [
        one
        for number in range(1, len(results))
        for one in _differences(results, runs, field, number, level=level, force=force)
    ]
    warned += [text for run in runs for text in run.warnings]
    return RunsByGroup(
        tuple(map(described, results)),
        tuple(runs),
        tuple(_adjusted(differences)),
        tuple(dict.fromkeys(warned)),
        level,
    )


def _differences(
    results: Sequence[Result],
    runs: Sequence[ByGroup],
    field: str,
    number: int,
    *,
    level: float,
    force: bool,
) -> Iterator[GroupDifference]:
    base, other = results[0], results[number]
    matched = match(base, other, keep_other_data=force)
    groups = members(base, field), members(other, field)
    for metric in runs[0].metrics:
        scored, _ = pairs(matched, metric.metric, base, other)
        low, high = base.run.config["about"][metric.metric]["range"]
        for name in dict.fromkeys(group.name for run in runs for group in run.metrics[0].groups):
            mine = [
                pair
                for pair in scored
                if groups[0].get(pair.rows[0]) == groups[1].get(pair.rows[1]) == name
            ]
            difference = None
            if mine:
                difference = paired(
                    [pair.before for pair in mine],
                    [pair.after for pair in mine],
                    groups=[pair.group for pair in mine] if matched.clustered else None,
                    span=None if low is None or high is None else high - low,
                    level=level,
                )
            yield GroupDifference(metric.metric, name, number, difference)


def _adjusted(differences: Sequence[GroupDifference]) -> Iterator[GroupDifference]:
    p_values = [one.paired.p for one in differences if one.paired and _tested(one.paired)]
    adjusted_p = iter(holm(p_values))
    for one in differences:
        p = None
        if one.paired and one.paired.units > 1:
            p = next(adjusted_p) if _tested(one.paired) else 1.0
        yield replace(one, p=p)


def _tested(pairs: Paired) -> bool:
    return pairs.units > 1 and pairs.moved > 0
