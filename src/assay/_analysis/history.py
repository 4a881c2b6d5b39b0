"""The scores over the runs of a store, in comparable series, and where they shift."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
import numpy as np

from assay._analysis.comparability import GOLD_RANGES, compare_definitions, given_fields, judges
from assay._analysis.sweeps import Params, best_runs, stored_sweeps
from assay._runner.result import known_labels
from assay._runner.summary import MetricSummary, flat, frame, summarise
from assay._store import Run, Store
from assay._store.runs import written
from assay._text.language_id import identify_language, language_name
from assay._text.refusals import refusal
from assay._text.results import extent, rounded
from assay._text.words import content_words, words
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Readable
from assay.stats.comparison import holm

LEVEL: Final = 0.05  # at which differences are told, all of them together
_MOST_WORDS, _MOST_DOCUMENTS = 200, 50  # that are tested, the most frequent ones
_SHOWN = 5  # of a kind
_FEWEST = 5  # samples with a value on each side, for a number to be compared


@dataclass(frozen=True, slots=True)
class Shift:
    """One thing that differs, by a test."""

    about: str  # "questions", "retrieval" or "answers"
    what: str  # what it is: "language German", "words, mean"
    before: float  # its share or its mean before
    after: float  # the same after
    share: bool  # whether these are shares
    p: float  # the p-value, adjusted for all that was tested

    def __str__(self) -> str:
        """``questions: language German 2 % -> 31 %``."""
        form = "{:.0%}" if self.share else "{:.4g}"
        ends = (form.format(value).replace("%", " %") for value in (self.before, self.after))
        return f"{self.about}: {self.what} {' -> '.join(ends)}"


def shifts(before: Sequence[Sample], after: Sequence[Sample]) -> list[Shift]:
    """What clearly differs, the clearest first of each kind.

    Shares are compared by Fisher's exact test, numbers by that of Mann and Whitney, all adjusted
    together (Holm), at the level of `LEVEL`. Of samples that share a group, such as the turns of a
    conversation, only the first one is tested: they are not independent.
    """
    if not before or not after:
        return []
    tested = [*_numbers(before, after), *_shares(before, after)]
    adjusted = holm([shift.p for shift in tested])
    clear = [replace(shift, p=p) for shift, p in zip(tested, adjusted, strict=True) if p < LEVEL]
    kinds: Counter[tuple[str, str]] = Counter()
    result = []
    for shift in sorted(clear, key=lambda shift: (shift.p, shift.what)):
        kind = (shift.about, shift.what.partition(" ")[0])
        kinds[kind] += 1
        if kinds[kind] <= _SHOWN:
            result.append(shift)
    order = ["questions", "retrieval", "answers"]
    return sorted(result, key=lambda shift: order.index(shift.about))


def _first_of_groups(samples: Sequence[Sample]) -> list[Sample]:
    """Independent samples: of each group the first, and all that name none."""
    first: dict[tuple[str, str], Sample] = {}
    for sample in samples:
        unit = ("group", sample.group) if sample.group else ("sample", sample.id)
        first.setdefault(unit, sample)
    return list(first.values())


def _length(text: str | None) -> float | None:
    return None if not text else len(words(text))


def _best_score(sample: Sample) -> float | None:
    noted = sample.metadata.get("contexts")
    scores = (
        [context.get("score") for context in noted if isinstance(context, dict)]
        if isinstance(noted, list | tuple)
        else []
    )
    values = [float(score) for score in scores if isinstance(score, int | float)]
    return max(values, default=None)


_NUMBERS: Final[tuple[tuple[str, str, Callable[[Sample], float | None]], ...]] = (
    ("questions", "words, mean", lambda s: _length(s.question)),
    ("retrieval", "contexts, mean", lambda s: None if s.contexts is None else len(s.contexts)),
    ("retrieval", "best score, mean", _best_score),
    ("retrieval", "words of contexts, mean", lambda s: _length(" ".join(s.contexts or ()))),
    ("answers", "words, mean", lambda s: _length(s.answer)),
    ("answers", "latency in ms, mean", lambda s: s.latency_ms),
)


def _numbers(before: Sequence[Sample], after: Sequence[Sample]) -> Iterator[Shift]:
    from scipy.stats import mannwhitneyu

    independent = _first_of_groups(before), _first_of_groups(after)
    for subject, description, number in _NUMBERS:
        sides, tested = (
            [[v for s in side if (v := number(s)) is not None] for side in both]
            for both in ((before, after), independent)
        )
        if min(map(len, tested)) < _FEWEST or len({*tested[0], *tested[1]}) == 1:
            continue
        p = float(mannwhitneyu(np.array(tested[0]), np.array(tested[1])).pvalue)
        yield Shift(subject, description, fmean(sides[0]), fmean(sides[1]), share=False, p=p)


def _languages(sample: Sample) -> Iterable[str]:
    code = sample.language or identify_language(sample.question or "")
    return ("English" if code == "en" else language_name(code),) if code else ()


def _endings(sample: Sample) -> Iterable[str]:
    if sample.failure:
        return ("failed",)
    return ("refused",) if sample.answer and refusal(sample.answer) else ()


_SHARES: Final[tuple[tuple[str, str, Callable[[Sample], Iterable[str]], int], ...]] = (
    ("questions", "language {}", _languages, _MOST_WORDS),
    ("questions", "word '{}'", lambda s: content_words(s.question or ""), _MOST_WORDS),
    ("retrieval", "document {}", lambda s: s.context_ids or (), _MOST_DOCUMENTS),
    ("answers", "{}", _endings, _MOST_WORDS),
)


def _shares(before: Sequence[Sample], after: Sequence[Sample]) -> Iterator[Shift]:
    """The shares of samples that have a feature, of the features that are the most frequent."""
    from scipy.stats import fisher_exact

    sides = before, after, _first_of_groups(before), _first_of_groups(after)
    n, m, n_tested, m_tested = map(len, sides)
    for subject, description, features, limit in _SHARES:
        first, second, *tested = (
            Counter(f for s in side for f in set(features(s))) for side in sides
        )
        for name, _ in (first + second).most_common(limit):
            a, b = (counts[name] for counts in tested)
            p = float(fisher_exact(np.array([[a, n_tested - a], [b, m_tested - b]])).pvalue)
            shares = first[name] / n, second[name] / m
            yield Shift(subject, description.format(name), *shares, share=True, p=p)


if TYPE_CHECKING:
    import pandas as pd


LIMIT = 30
SEVERAL = "several"
MANY = 2  # values of a column that are told apart: one is all, or there are several
# What a run is told apart by on request, beside the columns of its data.
_OF_RUNS = ("source", "judge", "embedder", "name")


@dataclass(frozen=True, slots=True)
class Point:
    """What one run found of a metric.

    Attributes:
        run: The run.
        score: Its mean with interval, bounds and counts.
        settings: (key, value) of what the runs of the series are ordered by.
        n_older: Older runs of the series with the same values, in whose place this one stands.
        best_of: Of how many configurations of a sweep it is the best; 0 if it is of none.
    """

    run: Run
    score: MetricSummary
    settings: tuple[tuple[str, str], ...] = ()
    n_older: int = 0
    best_of: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """The runs whose means of a metric can be set beside each other.

    They have one definition of the metric, one judge, one set of questions and references; what
    differs is what the systems made of these.

    Attributes:
        metric: Label of the metric.
        name: "1", "2" ... in the order in which the series of the metric begin.
        judges: Who answered what the metric asks; () for one that asks nobody.
        data: Which set of questions and references: 1, 2 ... over all metrics.
        settings: (key, value) of what was asked to be told apart beside that.
        differs: Why its means cannot be set beside those of series 1, in words; () if they can.
        points: The runs, the oldest first, or the smallest value of what they are ordered by.
    """

    metric: str
    name: str
    judges: tuple[str, ...]
    data: int
    settings: tuple[tuple[str, str], ...]
    differs: tuple[str, ...]
    points: tuple[Point, ...]


def _mean(score: MetricSummary) -> str:
    if score.mean is None:
        return "-"
    return f"{rounded(score.mean)} ({extent(*score.interval) if score.interval else 'no interval'})"


@dataclass(frozen=True, slots=True)
class History(Readable):
    """The scores over the runs of a store.

    Attributes:
        series: By metric, then in the order in which they begin.
        n_runs: Runs that it is about.
        n_older: Older runs that were left out.
        n_derived: Runs left out that ask again about another run: repetitions, counterfactuals.
        over: What the runs of a series are ordered by, beside time; () if by time alone.
        n_without: Runs left out because they do not have what the others are ordered by.
        n_swept: Runs of sweeps left out: the best configuration by the first metric stands alone.
    """

    series: tuple[Series, ...]
    n_runs: int
    n_older: int
    n_derived: int
    over: tuple[str, ...] = ()
    n_without: int = 0
    n_swept: int = 0

    def __str__(self) -> str:
        """A line for each metric and run; only those of one series compare."""
        lines = [
            f"{series.metric} {series.name} {point.run.created[:16]} "
            f"{point.run.name or point.run.short}: {_mean(point.score)}"
            for series in self.series
            for point in series.points
        ]
        return "\n".join(lines)

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame, one row a metric and run; only rows of one metric and series compare.

        Raises:
            InputError: If pandas is not installed.
        """
        return frame(
            {
                "metric": series.metric,
                "series": series.name,
                "run": point.run.id,
                "name": point.run.name,
                "created": point.run.created,
                "source": point.run.source,
                "data": series.data,
                "judge": ", ".join(series.judges),
                **dict(series.settings),
                **dict(point.settings),
                **{name: value for name, value in flat(point.score).items() if name != "metric"},
                "finished": point.run.finished is not None,
            }
            for series in self.series
            for point in series.points
        )


def history(
    store: str | Path,
    metrics: Sequence[str] = (),
    *,
    by: Sequence[str] = (),
    over: Sequence[str] = (),
    limit: int | None = LIMIT,
) -> History:
    """The scores over the runs of a store, told apart where they cannot be compared.

    Of a sweep only the best configuration stands there, unless runs are told apart or ordered: then
    configurations that differ in another parameter are not in one series.

    Args:
        store: The SQLite file.
        metrics: Labels, or names without parameters; all where none is given.
        by: What to tell apart beside judge, definition and data: a parameter of the runs, "source",
            "judge", "embedder", "name", or a further column of the data that is the same in all
            samples of a run.
        over: What to order the runs of a series by, one of the same: of the runs with the same
            values the newest counts, and runs without such a parameter are left out.
        limit: The newest so many runs; None for all.

    Raises:
        InputError: If there is no such store, or no run in it has such a metric, parameter or
            column.
    """
    if not Path(store).is_file():
        raise InputError(f"there is no store '{store}'", "`assay run` makes one")
    with Store(store) as opened:
        runs = opened.runs()
        original = [run for run in runs if not run.derived]
        sweeps = stored_sweeps(original)
        varied = {
            run.id: p for sweep in sweeps for run, p in zip(sweep.runs, sweep.params, strict=True)
        }
        best = best_runs(opened, sweeps) if not (by or over) else {}
        swept = {run.id for sweep in best.values() for run in sweep.runs} - best.keys()
        unswept = [run for run in original if run.id not in swept]
        runs_and_labels = _runs_with_metrics(unswept, metrics)
        params = {key for run in original for key in run.params}
        needed = params.intersection(over)
        fitting = [
            (run, run_labels) for run, run_labels in runs_and_labels if needed <= run.params.keys()
        ]
        newest = fitting[:limit]
        reading = _Reading(opened, tuple(by), tuple(over))
        for run, run_labels in reversed(newest):
            best_of = len(best[run.id].runs) if run.id in best else 0
            reading.add(run, run_labels, best_of, varied.get(run.id, {}) if by or over else {})
    if newest:
        _check_known([*by, *over], [*_OF_RUNS, *sorted(params | reading.columns)])
    return History(
        tuple(_series(reading)),
        n_runs=len(newest),
        n_older=len(fitting) - len(newest),
        n_derived=len(runs) - len(original),
        over=tuple(over),
        n_without=len(runs_and_labels) - len(fitting),
        n_swept=len(swept),
    )


def _check_known(keys: Sequence[str], known: Sequence[str]) -> None:
    for key in keys:
        if key not in known:
            remedy = f"there are {', '.join(known)}; `assay run --param {key}=VALUE` makes one"
            raise InputError(f"no run can be told apart by '{key}'", remedy)


def _runs_with_metrics(runs: Sequence[Run], metrics: Sequence[str]) -> list[tuple[Run, list[str]]]:
    """The runs that have one of the metrics, each with those that are meant."""
    runs_and_labels = []
    for run in runs:
        run_labels = [label for name in metrics for label in known_labels(run, name)]
        if run_labels or not metrics:
            runs_and_labels.append((run, run_labels or list(run.metrics)))
    if runs and not runs_and_labels:
        labels = ", ".join(sorted({label for run in runs for label in run.metrics}))
        raise InputError(f"no run has {' or '.join(metrics)}", f"the runs have {labels}")
    return runs_and_labels


_Key: TypeAlias = tuple[str, str, int, tuple[tuple[str, str], ...]]


class _Reading:
    """What is known of the runs read so far.

    Attributes:
        points: By (metric, signature, data, settings): the runs that can be set beside each other.
        data: The sets of questions and references that were seen, each as digests of its samples.
        columns: Further columns of the data that were seen.
    """

    def __init__(self, store: Store, by: tuple[str, ...], over: tuple[str, ...]) -> None:
        self._store, self._by, self._over = store, by, over
        self.points: dict[_Key, list[Point]] = {}
        self.data: dict[frozenset[int], int] = {}
        self.columns: set[str] = set()

    def add(self, run: Run, wanted: Collection[str], best_of: int, varied: Params) -> None:
        """Read a run: what it was given, and its scores."""
        digests: set[int] = set()
        values_of: dict[str, set[str]] = {key: set() for key in (*self._by, *self._over)}
        for fields in self._store.fields(run.id):
            # Good for this process only, and small: runs over a million samples must fit.
            raw = bytes(fields.get("metadata") or b"{}")
            read = bool(values_of) or GOLD_RANGES.encode() in raw  # hardly any run has ranges
            metadata = msgspec.json.decode(raw) if read else {}
            names, ranges = given_fields(metadata)
            texts = tuple(bytes(fields.get(name, b"")) for name in ("id", *names))
            digests.add(hash((texts, msgspec.json.encode(ranges))))
            if values_of:
                self._note_values(values_of, metadata)
        data = self.data.setdefault(frozenset(digests), len(self.data) + 1)
        settings = tuple((key, _setting(run, key, values_of[key])) for key in self._by)
        settings += tuple(
            (k, written(v)) for k, v in varied.items() if k not in (*self._by, *self._over)
        )
        values = tuple((key, _setting(run, key, values_of[key])) for key in self._over)
        for score in summarise(self._store, run, wanted):
            key = (score.metric, score.signature, data, settings)
            self.points.setdefault(key, []).append(Point(run, score, values, best_of=best_of))

    def _note_values(self, values_by_key: dict[str, set[str]], metadata: dict[str, Any]) -> None:
        self.columns.update(metadata)
        for key, values in values_by_key.items():
            if key in metadata and len(values) < MANY:
                values.add(str(metadata[key]))


def _setting(run: Run, key: str, values: Collection[str]) -> str:
    if key in run.params:
        return written(run.params[key])
    if key in ("source", "name"):
        return str(getattr(run, key)) or "none"
    if key in _OF_RUNS:
        return str(run.config[key] or "none")
    return SEVERAL if len(values) > 1 else next(iter(values), "none")


def _series(reading: _Reading) -> Iterator[Series]:
    samples = {number: digest for digest, number in reading.data.items()}
    for metric in dict.fromkeys(key[0] for key in reading.points):
        own_points = [item for item in reading.points.items() if item[0][0] == metric]
        first, points = own_points[0]
        for index, (key, series_points) in enumerate(own_points):
            _, _, data, settings = key
            differs = (
                _signature_differences(metric, points[0].run, series_points[0].run) if index else []
            )
            if data != first[2]:
                differs.append(_other_data(samples[first[2]], samples[data]))
            name = str(index + 1)
            judge_names = tuple(judges(metric, key[1]))
            ordered_points = _order_points(series_points)
            yield Series(metric, name, judge_names, data, settings, tuple(differs), ordered_points)


def _order_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """The newest point of each value, the smallest value first; all, by time, without values."""
    if not points[0].settings:
        return tuple(points)
    by_value: dict[tuple[tuple[str, str], ...], list[Point]] = {}
    for point in points:
        by_value.setdefault(point.settings, []).append(point)
    newest = [
        replace(like_points[-1], n_older=len(like_points) - 1) for like_points in by_value.values()
    ]
    return tuple(sorted(newest, key=lambda point: [by_size(value) for _, value in point.settings]))


def by_size(value: str) -> tuple[bool, float, str]:
    """By which values are ordered: numbers by their size, before all others."""
    try:
        return False, float(value), ""
    except ValueError:
        return True, 0.0, value


def _signature_differences(metric: str, first: Run, other_run: Run) -> list[str]:
    """What differs in how the metric was computed, and in who judged."""
    differences = compare_definitions(metric, first, other_run)
    judges = {f"{b or 'nobody'} instead of {a or 'nobody'}": None for _, a, b in differences.judges}
    coalesced_with = [differences.coalesced_with] if differences.coalesced_with else []
    definition = [f"other {text}" for text in differences.definition]
    return [*(f"judge: {text}" for text in judges), *definition, *coalesced_with]


def _other_data(first: frozenset[int], other: frozenset[int]) -> str:
    shared = len(first & other)
    same = f"{shared:,} of them the same" if shared else "none of them the same"
    samples = f"{len(other):,} sample{'s' * (len(other) != 1)}"
    return f"data: {samples} instead of {len(first):,}, {same}"
