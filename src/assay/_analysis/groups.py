"""The scores of a run by group of its samples, and those of several runs."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Final

from assay._analysis.comparability import match, pairs
from assay._analysis.comparison import Compared, compare, described, paired
from assay._analysis.leaderboard import configuration_names
from assay._analysis.sweeps import TAG
from assay._runner.result import Result, labels
from assay._store import Store
from assay._text.misspelt import did_you_mean
from assay.errors import InputError
from assay.metrics import METRICS
from assay.metrics.retrieval import Ranked, ranking
from assay.sample import Sample
from assay.score import Unscored
from assay.stats.comparison import Paired, Welch, describe, gap_interval, holm, welch
from assay.stats.intervals import LEVEL, Interval, mean_interval

MOST_GROUPS: Final = 20
# Fewer scores, or fewer that are all the same, do not tell how far others would lie.
LEAST, LEAST_EQUAL = 5, 30
YES, NO, REST = "yes", "no", "all others"
RETRIEVAL: Final = "retrieval"  # whether any context that is known to be right was retrieved
_THRESHOLD: Final = 0.5  # of texts that are worded alike, as in the metrics of retrieval
_FIELDS: Final = ("group", "language", "answerable")
_TRUTH: Final = {
    **dict.fromkeys(("true", "yes", "y", "1", "1.0", "correct"), YES),
    **dict.fromkeys(("false", "no", "n", "0", "0.0", "incorrect", "wrong"), NO),
}


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The scores of one group by one metric."""

    name: str  # the value of the field
    n: int  # samples with a score
    mean: float | None  # their mean, None without any
    sd: float | None  # their standard deviation (n - 1), None for fewer than two
    # Confidence interval of the mean, None for fewer than two independent samples.
    interval: Interval | None
    unscored: int  # samples of the group without a score


@dataclass(frozen=True, slots=True)
class GroupTest:
    """Welch's t-test of one group against another, its p-value by permutation."""

    first: str  # the group; of yes and no, the one expected to score higher
    second: str  # the other, or "all others"
    # The test, its interval no narrower than those of the two means make it; None where a group has
    # fewer than 5 scores, or fewer than 30 all the same.
    found: Welch | None
    # Its p-value adjusted by Holm over all tests of the table, None without a test.
    p: float | None = None


@dataclass(frozen=True, slots=True)
class MetricByGroup:
    """One metric, group by group."""

    metric: str
    higher_is_better: bool
    groups: tuple[GroupScores, ...]
    tests: tuple[GroupTest, ...]


@dataclass(frozen=True, slots=True)
class ByGroup:
    """The scores of a run, by a field of its samples."""

    run: str  # id of the run
    field: str  # the field
    without: int  # samples that have no value there; they stand in no group
    metrics: tuple[MetricByGroup, ...]  # metric by metric
    warnings: tuple[str, ...]  # what a reader must know
    level: float  # nominal coverage of the intervals
    title: str = ""  # what the run is called: its name, or its data and when it began


def by_group(
    result: Result, field: str, *, metrics: Sequence[str] = (), level: float = LEVEL
) -> ByGroup:
    """Compare the scores of a run's samples by a field.

    A field of yes and no is tested one-sided: yes is expected to score better. Two other values are
    tested against each other two-sided, more of them each against all others.

    Args:
        result: The run.
        field: A column of the data that assay has no other use for (kept in the metadata), or
            group, language, answerable, or a metric of the run whose scores are all 0 or 1; or
            "retrieval": whether any context that is known to be right was retrieved.
        metrics: Only these; all if empty, by retrieval without those that score a ranking.
        level: Nominal coverage of the intervals.

    Raises:
        InputError: If there is no such field, or it does not make 2 to 20 groups.
    """
    samples = _samples(result, field)
    values, grouping_metric = _values(result, field, samples)
    group_of_row, ordered = _names(field, values)
    order = [name for name in (YES, NO) if ordered] or sorted(set(group_of_row.values()))
    wanted_labels = [label for name in metrics for label in labels(result.run, name)]
    wanted_labels = wanted_labels or scored_by(field, result.run.metrics)
    compared_labels = [label for label in wanted_labels if label != grouping_metric]
    if not compared_labels:
        raise InputError(f"run {result.run.id} has no metric beside '{field}'")
    clusters = _clusters(samples) if field != "group" else None
    compared = [
        _metric(result, label, group_of_row, order, clusters, level) for label in compared_labels
    ]
    warned = _warned(clusters, group_of_row)
    return ByGroup(
        run=result.run.id,
        field=field,
        without=len(samples) - len(group_of_row),
        metrics=adjusted(compared),
        warnings=warned,
        level=level,
        title=result.run.title,
    )


def scored_by(field: str, metrics: Iterable[str]) -> list[str]:
    """The metrics whose scores are compared by a field: by retrieval none that scores just that."""
    return [label for label in metrics if field != RETRIEVAL or not is_ranked(label)]


def is_ranked(label: str) -> bool:
    """Whether a metric scores a ranking of contexts."""
    kind = METRICS.get(label.partition("(")[0])
    return kind is not None and issubclass(kind, Ranked)


def members(result: Result, field: str) -> dict[int, str]:
    """The group of each sample that has one, by its row; refused as by `by_group`."""
    return _names(field, _values(result, field, _samples(result, field))[0])[0]


def _samples(result: Result, field: str) -> dict[int, tuple[str | None, Mapping[str, Any]]]:
    """By row: its cluster, and the fields that it may be grouped by."""
    with Store(result.path) as store:
        return {
            row: (sample.group, _fields(sample, field))
            for row, sample in store.samples(result.run.id)
        }


def _fields(sample: Sample, field: str) -> dict[str, Any]:
    fields = {**{name: getattr(sample, name) for name in _FIELDS}, **sample.metadata}
    if field == RETRIEVAL not in fields:
        ranked = ranking(sample, _THRESHOLD)
        fields[RETRIEVAL] = None if isinstance(ranked, Unscored) else any(ranked.grades)
    return fields


def _clusters(
    samples: Mapping[int, tuple[str | None, Mapping[str, Any]]],
) -> Mapping[int, Hashable] | None:
    if all(group is None for group, _ in samples.values()):
        return None
    return {row: (row,) if group is None else group for row, (group, _) in samples.items()}


def _warned(
    clusters: Mapping[int, Hashable] | None, group_of_row: Mapping[int, str]
) -> tuple[str, ...]:
    """What is to be said of clusters: one with samples of one group counts as one in a test."""
    if clusters is None:
        return ()
    places = {(clusters[row], name) for row, name in group_of_row.items()}
    if len({cluster for cluster, _ in places}) == len(places):
        return ("Samples of one document or conversation count as one in the test, by their mean.",)
    text = "Samples of one document or conversation are not independent of each other, which"
    return (f"{text} the test takes them to be: its p-values may be too small.",)


def _values(
    result: Result, field: str, samples: Mapping[int, tuple[str | None, Mapping[str, Any]]]
) -> tuple[dict[int, Any], str]:
    """By row the value of the field, and the metric whose scores these are ("" if none's)."""
    values = {row: fields.get(field) for row, (_, fields) in samples.items()}
    values = {row: value for row, value in values.items() if value is not None}
    if values:
        return values, ""
    known = {name for _, fields in samples.values() for name in fields if fields[name] is not None}
    metrics = result.run.metrics
    if field not in {*metrics, *(label.partition("(")[0] for label in metrics)}:
        fault = f"the samples of run {result.run.id} have no field '{field}'"
        has = f"they have {', '.join(sorted(known))}" if known else "they have none to group by"
        hint = did_you_mean(field, [*sorted(known), *metrics])
        raise InputError(fault, f"{hint} {has}; metrics that are 0 or 1 will do, too".lstrip())
    (label, *_) = labels(result.run, field)
    with Store(result.path) as store:
        scores = store.numbers(result.run.id, label)
    if not set(scores.values()) <= {0.0, 1.0}:
        raise InputError(f"the scores of {label} are not all 0 or 1", "name a field, or a metric")
    return scores, label


def _names(field: str, values: Mapping[int, Any]) -> tuple[dict[int, str], bool]:
    """What the value of each row is called, and whether they are a yes and a no."""
    kinds = {type(value) for value in values.values()}
    if kinds & {list, dict, tuple}:
        raise InputError(f"field '{field}' holds lists or objects", "group by a plain value")
    by_row = {row: str(value).strip() for row, value in values.items()}
    texts = set(by_row.values())
    truths = {text: _TRUTH.get(text.lower(), "") for text in texts}
    # That every retrieval is right, or none, is a finding: the other group is an empty one.
    if all(truths.values()) and (len(set(truths.values())) == 2 or field == RETRIEVAL):
        return {row: truths[text] for row, text in by_row.items()}, True
    if not 2 <= len(texts) <= MOST_GROUPS:
        fault = f"field '{field}' has {len(texts)} different value{'s' * (len(texts) != 1)}"
        raise InputError(fault, f"groups take 2 to {MOST_GROUPS}")
    return by_row, False


@dataclass(frozen=True, slots=True)
class _Side:
    """Scores of one side of a test, the cluster of each (None: independent), their range."""

    scores: Sequence[float]
    clusters: Sequence[Hashable] | None
    range: tuple[float | None, float | None]
    level: float

    @property
    def means(self) -> list[float]:
        """The mean score of each cluster."""
        by_cluster: dict[Hashable, list[float]] = {}
        for cluster, score in zip(self.clusters or (), self.scores, strict=True):
            by_cluster.setdefault(cluster, []).append(score)
        return [fmean(scores) for scores in by_cluster.values()]

    @property
    def interval(self) -> Interval | None:
        low, high = self.range
        return mean_interval(
            self.scores, groups=self.clusters, low=low, high=high, level=self.level
        )


def _metric(
    result: Result,
    label: str,
    group_of_row: Mapping[int, str],
    order: Sequence[str],
    clusters: Mapping[int, Hashable] | None,
    level: float,
) -> MetricByGroup:
    facts = result.run.config["about"][label]
    with Store(result.path) as store:
        scores = store.numbers(result.run.id, label)

    def side(names: Collection[str]) -> _Side:
        rows = [row for row, its in group_of_row.items() if its in names and row in scores]
        keys = None if clusters is None else [clusters[row] for row in rows]
        return _Side([scores[row] for row in rows], keys, tuple(facts["range"]), level)

    size = Counter(group_of_row.values())
    groups = []
    for name in order:
        one_side = side([name])
        described = describe(one_side.scores)
        unscored = size[name] - described.n
        groups.append(
            GroupScores(
                name, described.n, described.mean, described.sd, one_side.interval, unscored
            )
        )
    higher = bool(facts["higher_is_better"])
    return MetricByGroup(label, higher, tuple(groups), tuple(_tests(side, order, higher=higher)))


def _tests(
    side: Callable[[Collection[str]], _Side], names: Sequence[str], *, higher: bool
) -> Iterable[GroupTest]:
    if len(names) == 2:
        first, second = names if higher or names != [YES, NO] else reversed(names)
        one_sided = names == [YES, NO]
        yield GroupTest(first, second, _welch(side([first]), side([second]), one_sided=one_sided))
        return
    for name in names:
        other_groups = side([other_name for other_name in names if other_name != name])
        yield GroupTest(name, REST, _welch(side([name]), other_groups, one_sided=False))


def _welch(first: _Side, second: _Side, *, one_sided: bool) -> Welch | None:
    # Clusters that lie in one of the sides each are what is independent.
    nested = set(first.clusters or ()).isdisjoint(second.clusters or ())
    by_cluster = first.clusters is not None and nested
    a, b = (side.means if by_cluster else side.scores for side in (first, second))
    for scores in (a, b):
        if len(scores) < (LEAST if len(set(scores)) > 1 else LEAST_EQUAL):
            return None
    tested = welch(a, b, one_sided=one_sided, level=first.level)
    ends = first.interval, second.interval
    if tested is None:
        return None
    means = fmean(first.scores), fmean(second.scores)
    tested = replace(tested, difference=means[0] - means[1])
    if ends[0] is None or ends[1] is None:
        return tested
    # A small group of perfect scores has no spread, and t is then as sure of it as of a large one.
    of_means, of_test = gap_interval(means, (ends[0], ends[1])), tested.interval
    wider = replace(
        of_test, low=min(of_test.low, of_means.low), high=max(of_test.high, of_means.high)
    )
    return replace(tested, interval=wider)


def adjusted(metrics: Sequence[MetricByGroup]) -> tuple[MetricByGroup, ...]:
    """The same with their p-values adjusted by Holm over all of them."""
    p_values = [test.found.p for metric in metrics for test in metric.tests if test.found]
    adjusted_p = iter(holm(p_values))
    return tuple(
        replace(
            metric,
            tests=tuple(replace(t, p=next(adjusted_p)) if t.found else t for t in metric.tests),
        )
        for metric in metrics
    )


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """One metric of one group, in a run and in the first run."""

    metric: str  # label of the metric
    group: str  # the group: the value of the field
    run: int  # place of the run; the first one's is 0
    # The numbers over samples that are of this group in both runs; None without any.
    paired: Paired | None
    # Its p-value, adjusted by Holm over all differences; 1 where no pair differs, None for fewer
    # than two independent pairs.
    p: float | None = None


@dataclass(frozen=True, slots=True)
class RunsByGroup:
    """The scores of several runs, by a field of their samples."""

    compared: tuple[Compared, ...]  # the runs, the base first
    runs: tuple[ByGroup, ...]  # the groups of each; p-values of tests are adjusted over all of them
    # Each group of each further run against the same group of the base.
    differences: tuple[GroupDifference, ...]
    warnings: tuple[str, ...]  # what else could make numbers differ
    level: float  # nominal coverage of the intervals


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
        comparison = compare(*results, metrics=metrics, level=level, most=0, force=force)
        warned += comparison.warnings
    shared = [name for name in base.run.metrics if all(name in r.run.metrics for r in others)]
    shared = scored_by(field, shared)
    runs = [by_group(r, field, metrics=metrics or shared, level=level) for r in results]
    tests = iter(adjusted([metric for run in runs for metric in run.metrics]))
    runs = [replace(run, metrics=tuple(next(tests) for _ in run.metrics)) for run in runs]
    differences = [
        difference
        for number in range(1, len(results))
        for difference in _differences(results, runs, field, number, level=level, force=force)
    ]
    warned += [text for run in runs for text in run.warnings]
    return RunsByGroup(
        described_runs(results),
        tuple(runs),
        tuple(_adjusted(differences)),
        tuple(dict.fromkeys(warned)),
        level,
    )


def described_runs(results: Sequence[Result]) -> tuple[Compared, ...]:
    """What is told of the runs; those of a sweep are called by what varies among them."""
    descriptions = tuple(map(described, results))
    runs = [result.run for result in results]
    if len(runs) < 2 or not all(TAG in run.tags and run.params for run in runs):
        return descriptions
    names = configuration_names([run.params for run in runs])
    if len(set(names)) < len(names):
        return descriptions
    return tuple(
        replace(run, title=name, source=run.source.partition("@")[0])  # all of one system
        for run, name in zip(descriptions, names, strict=True)
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
        ends = base.run.config["about"][metric.metric]["range"]
        for name in dict.fromkeys(group.name for run in runs for group in run.metrics[0].groups):
            own_pairs = [
                pair
                for pair in scored
                if groups[0].get(pair.rows[0]) == groups[1].get(pair.rows[1]) == name
            ]
            difference = paired(own_pairs, ends, clustered=matched.clustered, level=level)
            yield GroupDifference(metric.metric, name, number, difference)


def _adjusted(differences: Sequence[GroupDifference]) -> Iterator[GroupDifference]:
    p_values = [
        difference.paired.p
        for difference in differences
        if difference.paired and _is_tested(difference.paired)
    ]
    adjusted_p = iter(holm(p_values))
    for difference in differences:
        p = None
        if difference.paired and difference.paired.units > 1:
            p = next(adjusted_p) if _is_tested(difference.paired) else 1.0
        yield replace(difference, p=p)


def _is_tested(pairs: Paired) -> bool:
    return pairs.units > 1 and pairs.moved > 0
