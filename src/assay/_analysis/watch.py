"""The looks of a watch: control charts of their scores, and the drift that they prove."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import numpy as np

from assay._analysis.answering import answered_by, moved
from assay._analysis.comparability import compare_definitions, drift_between
from assay._runner.result import Result
from assay._store import Run, Store
from assay._store.scores import StoredAlert
from assay._text.language_id import identify_language
from assay.sample import Sample
from assay.stats.intervals import Floats, Interval, mean_interval
from assay.stats.sequential import ALPHA, YEAR, Change, find_change

TAG: Final = "watch"
_LANGUAGE: Final = "language"
LOOKED_BACK: Final = 30  # looks, for one of which it is clear which model judged
_LONG_AGO: Final = "1970-01-01T00:00:00+00:00"  # when a baseline was looked at


@dataclass(frozen=True, slots=True)
class Look:
    """One look of a watch: a run."""

    number: int  # from 1
    at: str  # when (ISO 8601, with zone)
    run: Run  # its run

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be scored, be it that the budget was spent."""
        return self.run.finished is not None or bool(self.run.params.get("complete"))


@dataclass(frozen=True, slots=True)
class Segment:
    """The samples with one value of a field; all samples where there is no field."""

    field: str = ""  # name of the field, "" for all samples
    value: str = ""  # its value
    place: int = 1  # in which place it came up among the values, from 1

    def holds(self, sample: Sample) -> bool:
        """Whether a sample is one of them."""
        return not self.field or segment_of(sample, self.field) == self.value


@dataclass(frozen=True, slots=True)
class Point:
    """What one look found of a stream.

    Attributes:
        look: The look; that of the baseline has the number 0.
        values: A value for each sample, or for each group of samples that are not independent.
    """

    look: Look
    values: Floats

    @property
    def mean(self) -> float | None:
        """Their mean, None without any."""
        return float(self.values.mean()) if len(self.values) else None


@dataclass(frozen=True, slots=True)
class Chart:
    """The looks of one metric, in one segment, that can be set beside each other."""

    metric: str  # label of the metric
    segment: Segment  # which samples
    # The looks since the chart began, after an alert or with another judge.
    points: tuple[Point, ...]
    earlier: tuple[Point, ...]  # those before
    # The least and the greatest value possible, None if there is no such: then the chart is not
    # tested.
    ends: tuple[float, float] | None
    higher_is_better: bool  # false for error rates

    @property
    def stream(self) -> str:
        """What it is called: ``faithfulness``, ``faithfulness, language de``."""
        segment = self.segment
        return f"{self.metric}, {segment.field} {segment.value}" if segment.field else self.metric

    def starts(self) -> list[int]:
        """The points with which a change may begin: the first of each day, with values before."""
        days = [datetime.fromisoformat(point.look.at).date() for point in self.points]
        n = np.cumsum([len(point.values) for point in self.points])
        points = range(1, len(self.points))
        return [point for point in points if days[point] != days[point - 1] and n[point - 1]]

    def change(self, alpha: float) -> Change | None:
        """The change that the chart proves, None if it proves none."""
        if self.ends is None:
            return None
        low, high = self.ends
        values = [point.values for point in self.points]
        return find_change(values, self.starts(), alpha=alpha, low=low, high=high)

    def interval(self, points: Sequence[Point]) -> Interval | None:
        """The mean's interval over some of its points, each by itself."""
        low, high = self.ends or (None, None)
        values = np.concatenate([point.values for point in points])
        return mean_interval(values, low=low, high=high) if len(values) else None


@dataclass(frozen=True, kw_only=True)
class Charting:
    """How looks are charted."""

    # Fields by whose values samples are told apart: "language", or what a row holds.
    segments: tuple[str, ...] = ()
    reference: Result | None = None  # a run that stands before the first look


def looks(store: Store, name: str) -> list[Look]:
    """The looks of a watch, the first one first."""
    runs = [run for run in store.runs() if f"{TAG}:{name}" in run.tags and "look" in run.params]
    watch_looks = [Look(int(run.params["look"]), str(run.params["at"]), run) for run in runs]
    return sorted(watch_looks, key=lambda look: look.number)


def known_samples(store: Store, looks: Sequence[Look]) -> set[str]:
    """The ids of all samples of the looks."""
    sql = "SELECT samples.id FROM samples JOIN names ON names.id = run WHERE name = ?"
    return {id_ for look in looks for (id_,) in store.query(sql, look.run.id)}


def charts(store: Store, looks: Sequence[Look], charting: Charting) -> list[Chart]:
    """The control charts after the last of some looks: of each metric, and of its segments."""
    if not looks:
        return []
    alerts = store.alerts.of(_name(looks[-1]))
    reading = _Reading(store, charting.segments)
    recent_looks = list(looks)
    if charting.reference is not None:
        run = charting.reference.run
        with Store(charting.reference.path) as reference:
            recent_looks.insert(0, Look(0, _LONG_AGO, run))
            reading.add(reference, recent_looks[0])
    for look in looks:
        reading.add(store, look)
    last = looks[-1].run
    return [
        _chart(reading, recent_looks, last, metric, segment, alerts)
        for metric in last.metrics
        for segment in (Segment(), *reading.segments.values())
    ]


def _name(look: Look) -> str:
    return next(tag for tag in look.run.tags if tag.startswith(f"{TAG}:")).partition(":")[2]


class _Reading:
    """The values of all looks, by metric and segment.

    Attributes:
        segments: By (field, value), in the order in which they came up.
        values: By (metric, segment, number of the look).
    """

    def __init__(self, store: Store, fields: Sequence[str]) -> None:
        self._store, self._fields = store, fields
        self.segments: dict[tuple[str, str], Segment] = {}
        self.values: dict[tuple[str, Segment, int], Floats] = {}

    def add(self, store: Store, look: Look) -> None:
        run = look.run
        groups = store.groups(run.id)
        of_rows: dict[Segment, set[int]] = {}
        for row, sample in store.samples(run.id) if self._fields else ():
            for name in self._fields:
                if value := segment_of(sample, name):
                    number = 1 + sum(key[0] == name for key in self.segments)
                    new_segment = Segment(name, value, number)
                    segment = self.segments.setdefault((name, value), new_segment)
                    of_rows.setdefault(segment, set()).add(row)
        for metric in run.metrics:
            scored = list(store.numbers(run.id, metric).items())
            self.values[metric, Segment(), look.number] = _units(scored, groups)
            for segment, rows in of_rows.items():
                segment_scores = [(row, value) for row, value in scored if row in rows]
                self.values[metric, segment, look.number] = _units(segment_scores, groups)


def _units(scored: Sequence[tuple[int, float]], groups: Mapping[int, str]) -> Floats:
    """A value for each sample of its own, and one for each group."""
    by_unit: dict[int | str, list[float]] = {}
    for row, value in scored:
        by_unit.setdefault(groups.get(row, row), []).append(value)
    return np.array([float(np.mean(values)) for values in by_unit.values()])


def segment_of(sample: Sample, name: str) -> str:
    """The value of a field by which samples are told apart, "" without one."""
    if name == _LANGUAGE:
        return sample.language or identify_language(sample.question or "")
    value = sample.metadata.get(name)
    return "" if value is None else str(value)[:60]


def _chart(
    reading: _Reading,
    looks: Sequence[Look],
    last: Run,
    metric: str,
    segment: Segment,
    alerts: Sequence[StoredAlert],
) -> Chart:
    facts = last.config["about"][metric]
    low, high = facts["range"]
    ends = None if low is None or high is None else (float(low), float(high))
    chart = Chart(metric, segment, (), (), ends, bool(facts["higher_is_better"]))
    resets = [alert.look for alert in alerts if alert.stream == chart.stream]
    resets += [alert.look - 1 for alert in alerts if metric in alert.body.get("anew", ())]
    begun = max(resets, default=-1)
    points: list[Point] = []
    earlier: list[Point] = []
    for look in looks:
        if metric not in look.run.metrics:
            continue
        values = reading.values.get((metric, segment, look.number), np.array([]))
        same = look.run.metrics[metric] == last.metrics[metric]
        (points if look.number > begun and same else earlier).append(Point(look, values))
    return replace(chart, points=tuple(points), earlier=tuple(earlier))


def alpha_of(chart: Chart, metrics: int, segments: int) -> float:
    """The false alarms in a year that a chart may have.

    All charts together may have `ALPHA`. Where there are segments, they have half of it together;
    the value of a field that came up as the k-th has 1 / (k (k + 1)) of what its field has.
    """
    share = ALPHA / metrics / (2 if segments else 1)
    k = chart.segment.place
    return share / segments / (k * (k + 1)) if chart.segment.field else share


@dataclass(frozen=True, slots=True)
class Drift:
    """A metric that has changed, with the chart that proves it."""

    chart: Chart  # the chart
    at: int  # the point with which the change most likely began
    alpha: float  # how many false alarms a year the chart may have

    @property
    def worse(self) -> bool:
        """Whether it became worse."""
        before, after = (self._mean(points) for points in self.parts)
        return (after < before) == self.chart.higher_is_better

    @property
    def parts(self) -> tuple[Sequence[Point], Sequence[Point]]:
        """The points before the change, and those from it on."""
        return self.chart.points[: self.at], self.chart.points[self.at :]

    def _mean(self, points: Sequence[Point]) -> float:
        return float(np.concatenate([point.values for point in points]).mean())

    def body(self) -> dict[str, Any]:
        """The evidence as plain values."""
        chart = self.chart
        before, after = (self._sum_points(points) for points in self.parts)
        since = chart.points[self.at].look
        direction = "fell" if after["mean"] < before["mean"] else "rose"
        return {
            "kind": "drift",
            "metric": chart.metric,
            "segment": {chart.segment.field: chart.segment.value} if chart.segment.field else {},
            "direction": direction,
            "worse": self.worse,
            "since": {"look": since.number, "at": since.at},
            "before": before,
            "after": after,
            "false_alarms": f"at most {self.alpha:.3g} a year of {YEAR} days for this chart, "
            f"{ALPHA} for all",
        }

    def _sum_points(self, points: Sequence[Point]) -> dict[str, Any]:
        interval = self.chart.interval(points)
        return {
            "mean": self._mean(points),
            "interval": [interval.low, interval.high] if interval else None,
            "n": sum(len(point.values) for point in points),
        }


def drifts(store: Store, looks: Sequence[Look], charting: Charting) -> list[Drift]:
    """The drift that is proven by the last of some complete looks."""
    current_charts = charts(store, looks, charting)
    metrics = sum(not chart.segment.field and chart.ends is not None for chart in current_charts)
    proven = []
    for chart in current_charts:
        if chart.points and chart.points[-1].look == looks[-1]:
            alpha = alpha_of(chart, max(1, metrics), len(charting.segments))
            if change := chart.change(alpha):
                proven.append(Drift(chart, change.at, alpha))
    return proven


def judge_changes(store: Store, looks: Sequence[Look]) -> Iterator[dict[str, Any]]:
    """What has changed in the judges with the last look: charts of these metrics begin anew."""
    if len(looks) < 2:
        return
    before, newest = looks[-2].run, looks[-1].run
    by_change: dict[str, list[str]] = {}
    for metric in newest.metrics:
        if metric in before.metrics and before.metrics[metric] != newest.metrics[metric]:
            changes = compare_definitions(metric, before, newest)
            words = [
                f"{new or 'nobody'} instead of {old or 'nobody'}" for _, old, new in changes.judges
            ]
            words += [f"another {text}" for text in changes.definition]
            words += [changes.coalesced_with] if changes.coalesced_with else []
            by_change.setdefault("; ".join(dict.fromkeys(words)), []).append(metric)
    for reason, metrics in by_change.items():
        yield {"kind": "judge", "why": reason, "anew": metrics}
    earlier = (answered_by(store, look.run) for look in looks[-2 : -2 - LOOKED_BACK : -1])
    changed = moved(earlier, answered_by(store, newest))
    for drift in drift_between(store, before.id, store, newest.id):
        if drift.p < ALPHA / YEAR:
            changed.setdefault(drift.judge, str(drift))
    for judge, reason in changed.items():
        metrics = [m for m, signature in newest.metrics.items() if judge in signature]
        yield {"kind": "judge", "why": reason, "anew": metrics}
