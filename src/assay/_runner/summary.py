"""Numbers of a run: means with intervals, judge noise, and the cosine of unrelated texts."""

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay._store import Run, Store
from assay._text.results import extent, rounded
from assay.errors import InputError
from assay.judge import Reply
from assay.stats.intervals import Interval
from assay.tasks import Embed
from assay.tasks.embedding import Vector, cosine

if TYPE_CHECKING:
    import pandas as pd


Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
PAIRS = 500
SAMPLES = 300
_TAIL = ("p50", "p95", "p99")
_OPEN = 0.025  # how often a bound may lie too low


class NotebookDisplay:
    """What a notebook shows as HTML."""

    __slots__ = ()

    def _repr_html_(self: Any) -> str:
        import assay  # what makes HTML of it stands above: it is found by name

        return assay.notebook_html(self)


class Reported:
    """What a page can be written of."""

    __slots__ = ()

    def report(self: Any, path: str | Path) -> Path:
        """Write the self-contained HTML report; returns its path."""
        import assay

        return assay.write_report(self, path)


@dataclass(frozen=True, slots=True)
class Flips:
    """How often a verdict was another one when it was asked for again.

    Attributes:
        rate: Share of pairs of askings that differ, in [0, 1].
        interval: Its 95 % interval over samples; None with fewer than two samples.
        n: Verdicts that were there more than once.
    """

    rate: float
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, slots=True)
class Noise:
    """How noisy a metric is because of its judge, as found by asking it again.

    Attributes:
        run: The run that was asked again.
        samples: Samples of it that were.
        draws: How often.
        sd: Standard deviation of a sample's score from one asking to the next, None if no sample
            was scored twice.
        means: Mean over these samples, at first and each time again.
        flips: Flips by what the verdict is on ("statement", "context" ...).
        unsettled: Samples that were scored one time and not another.
        same: Whether every reply was the same, word for word, each time.
        freedom: Degrees of freedom of `sd`; None in a store of before they were counted, and where
            there is no `sd`.
    """

    run: str
    samples: int
    draws: int
    sd: float | None
    means: tuple[float, ...] = ()
    flips: Mapping[str, Flips] = field(default_factory=dict)
    unsettled: int = 0
    same: bool = False
    freedom: float | None = None

    def __str__(self) -> str:
        """``sd 0.03 of a sample's score, 50 samples asked 3 times again; statements flip 4 %``."""
        text = f"{self.samples} samples asked {self.draws} times again"
        text = text.replace("asked 1 times", "asked once")
        if self.sd is not None:
            text = f"sd {rounded(self.sd)} of a sample's score, {text}"
        flips = [f"{kind}s flip {flip.rate:.1%}" for kind, flip in self.flips.items()]
        return "; ".join([text, *flips])

    def of_mean(self, n: int) -> float | None:
        """How far the mean of n samples moves from one asking to the next: 95 % of the time."""
        return None if self.sd is None or not n else moved(self.sd, n, self.freedom)


def moved(sd: float, n: int, freedom: float | None = None) -> float:
    """How far two askings about n samples set their mean apart: 95 % of the time.

    Args:
        sd: Standard deviation of a sample's score from one asking to the next (within subjects).
        n: Samples, 1 or more.
        freedom: Degrees of freedom of `sd`, 1 or more; None if it is known.

    Source:
        Bland and Altman's coefficient of repeatability, BMJ 312 (1996) 1654: both askings vary,
        hence the square root of 2.
    """
    from scipy.special import stdtrit

    reach = Z if freedom is None else float(stdtrit(freedom, 0.975))
    return reach * math.sqrt(2) * sd / math.sqrt(n)


def noise(store: Store, signature: str) -> Noise | None:
    """What the store knows of a metric's noise; None if its judge was never asked again."""
    stored = store.judges.noise(signature)
    return None if stored is None else msgspec.convert(stored, Noise)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Cosine between texts of different samples of a run: what no relation at all scores.

    Attributes:
        embedder: Who made the embeddings.
        mean: Mean cosine of the random pairs.
        p95: The cosine that 95 % of the pairs do not exceed.
        pairs: How many pairs.
    """

    embedder: str
    mean: float
    p95: float
    pairs: int


def random_pair_baseline(store: Store, run: Run) -> Baseline | None:
    """The baseline of a run's cosine metrics, from embeddings it made anyway; None without any.

    Each pair takes the text that was asked about (question, answer) from one sample, and one that
    it is compared with (generated question, reference) from another.
    """
    embedded_pairs: list[tuple[Reply, Reply]] = []
    embedder = ""
    cosines = [label for label, facts in run.config["about"].items() if facts["cosine"]]
    for label in cosines:
        for row, _, reason in store.values(run.id, label)[:SAMPLES]:
            replies = () if reason else store.replies(run.id, row, label)
            embeds = [reply for reply in replies if reply.kind == Embed.kind]
            if len(embeds) > 1:
                embedder = embeds[0].backend
                embedded_pairs.append((embeds[0], embeds[1]))
    # A fixed seed: the same run prints the same baseline.
    rng = random.Random(0)  # noqa: S311 - it draws pairs, it guards nothing
    n = len(embedded_pairs)
    drawn = [(rng.randrange(n), rng.randrange(n)) for _ in range(PAIRS if n > 1 else 0)]
    pairs = [(embedded_pairs[i], embedded_pairs[j]) for i, j in drawn]
    vectors = [
        (_vector(a[0]), _vector(b[1]))
        for a, b in pairs
        # Samples often share their question or reference (several answers to one question).
        if a[0].prompt != b[0].prompt and a[1].prompt != b[1].prompt
    ]
    # An embedder whose vectors changed their length during the run has no angle between the two.
    values = sorted(cosine(a, b) for a, b in vectors if len(a) == len(b))
    if not values:
        return None
    p95 = values[int(0.95 * (len(values) - 1))]
    return Baseline(embedder, sum(values) / len(values), p95, len(values))


def _vector(reply: Reply) -> Vector:
    return Embed("").read(reply.raw)


def frame(rows: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """A data frame of rows.

    Raises:
        InputError: If pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise InputError("to_pandas needs pandas", "pip install 'assay[pandas]'") from None
    return pd.DataFrame(list(rows))


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over all samples.

    Attributes:
        metric: Label of the metric.
        mean: Mean over the scored samples, None if there is none.
        interval: The 95 % confidence interval of the mean: what other samples of the same kind
            could have given. It knows nothing of failed samples. None if fewer than two samples
            (or groups) are scored.
        bounds: Worst-case bounds: the mean if every failed or unanswered sample had the lowest
            or the highest possible value; None if nothing was scored or failed.
        n_scored: Samples with a score.
        n_undefined: Samples for which the metric is not defined.
        n_failed: Samples for which the judge failed, those not reached included.
        methods: How it was computed, where that differs from its definition.
        signature: All that could change the number.
        percentiles: (50th, 95th, 99th) of the scores, where their range has no upper end: there
            the mean says little of the worst ones.
        interval_method: How the interval was computed, "" without one.
        n_groups: How many groups (documents, conversations) the scored samples are of, one that
            names none being one of its own; None if no sample names one. The interval is theirs.
        noise: How far it moves when its judge is asked again; None if that was never measured.
        n_unanswered: Samples to whose question the RAG system gave no answer. Like failed ones
            they are within the bounds and not within the mean.
        n_not_reached: Of `n_failed`, those that the run stopped or was killed before: nobody was
            asked about them.
    """

    metric: str
    mean: float | None
    interval: tuple[float, float] | None
    bounds: tuple[float, float] | None
    n_scored: int
    n_undefined: int
    n_failed: int
    methods: tuple[str, ...]
    signature: str
    percentiles: tuple[float, float, float] | None = None
    interval_method: str = ""
    n_groups: int | None = None
    noise: Noise | None = None
    n_unanswered: int = 0
    n_not_reached: int = 0
    why_failed: str = ""


class Summary(tuple[MetricSummary, ...], NotebookDisplay):
    """A row for each metric; prints as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        head = self.head()
        table = [head, *(_cells(row)[: len(head)] for row in self)]
        widths = [max(len(line[i]) for line in table) for i in range(len(head))]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in table
        ]
        return "\n".join([*lines, *self.notes()])

    def head(self) -> tuple[str, ...]:
        """The columns of its table."""
        heads = ("metric", "mean", "95 % interval", "bounds", "scored", "undefined", "failed")
        return (*heads, *(["not reached"] if any(row.n_not_reached for row in self) else []))

    def notes(self) -> list[str]:
        """What the table has no column for: how a metric was computed, what went unanswered."""
        methods: dict[str, list[str]] = {}
        for row in self:
            for method in row.methods:
                methods.setdefault(method, []).append(row.metric)
        lines = [f"{', '.join(metrics)}: {method}" for method, metrics in methods.items()]
        silent = [row for row in self if row.n_unanswered]
        lines += [f"{row.metric}: {row.n_unanswered} unanswered" for row in silent]
        reasons = ((row, " ".join(row.why_failed.split())) for row in self if row.why_failed)
        lines += [
            f"{row.metric}: {row.n_failed} failed, most often: {reason}" for row, reason in reasons
        ]
        lines += [
            f"{row.metric}: {_quantiles(row.percentiles)}{unbounded_tail(row.n_scored)}"
            for row in self
            if row.percentiles
        ]
        return lines

    def __repr__(self) -> str:
        """The table, where an expression is evaluated in a terminal."""
        return str(self)

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame, one row a metric; `low` and `high` are the ends of the interval.

        Raises:
            InputError: If pandas is not installed.
        """
        return frame(flat(row) for row in self)


def summarise(store: Store, run: Run, metrics: Collection[str] | None = None) -> Summary:
    """Every metric of a run, or those of these labels."""
    groups = store.groups(run.id)
    return Summary(
        _summary(store, run, metric, signature, groups)
        for metric, signature in run.metrics.items()
        if metrics is None or metric in metrics
    )


def flat(row: MetricSummary) -> dict[str, object]:
    """Its numbers under names of columns; `low` and `high` are the ends of the interval."""
    fields = asdict(row)
    low, high = fields.pop("interval") or (None, None)
    worst, best = fields.pop("bounds") or (None, None)
    del fields["why_failed"]  # which is no number
    noise_sd = row.noise.sd if fields.pop("noise") and row.noise else None
    tail = zip(_TAIL, fields.pop("percentiles") or (None, None, None), strict=True)
    ends = {"low": low, "high": high, "lowest": worst, "highest": best}
    return {
        "metric": fields.pop("metric"),
        "mean": fields.pop("mean"),
        **ends,
        **fields,
        "noise_sd": noise_sd,
        **dict(tail),
    }


def _cells(row: MetricSummary) -> tuple[str, ...]:
    mean = "-" if row.mean is None else rounded(row.mean)
    failed = row.n_failed - row.n_not_reached
    counts = map(str, (row.n_scored, row.n_undefined, failed, row.n_not_reached))
    return (row.metric, mean, _interval_text(row.interval), _interval_text(row.bounds), *counts)


def _interval_text(pair: tuple[float, float] | None) -> str:
    return "-" if pair is None else extent(*pair, "\N{EN DASH}")


def _quantiles(percentiles: tuple[float, float, float]) -> str:
    named_values = zip(_TAIL, percentiles, strict=True)
    return ", ".join(f"{name} {rounded(value)}" for name, value in named_values)


def unbounded_tail(n: int) -> str:
    """What n samples leave open of the greatest values, in brackets; "" if they leave little.

    All of n samples lie below the percentile p in p^n of cases, so fewer than log(0.025) / log(p)
    have no upper bound of it that holds in 97.5 %, whatever the values.

    Source:
        David and Nagaraja, Order Statistics (2003), section 7.1.
    """
    for share, percent in ((0.95, 5), (0.99, 1)):
        if share**n > _OPEN:
            return f" (too few samples to bound the highest {percent} %)"
    return ""


def _summary(
    store: Store, run: Run, metric: str, signature: str, groups: Mapping[int, str]
) -> MetricSummary:
    values_read = store.values(run.id, metric)
    scored = [(row, value) for row, value, _ in values_read if value is not None]
    values = [value for _, value in scored]
    undefined = sum(reason == "undefined" for _, _, reason in values_read)
    unanswered = sum(reason == "unanswered" for _, _, reason in values_read)
    failed = run.n_samples - len(values) - undefined - unanswered
    ends = run.config["about"][metric]["range"]
    # A row without a group is alone; its number cannot be taken for the name of a group.
    units = [groups.get(row, row) for row, _ in scored] if groups else None
    interval = _interval(values, units, ends)
    return MetricSummary(
        metric=metric,
        mean=math.fsum(values) / len(values) if values else None,
        interval=(interval.low, interval.high) if interval else None,
        bounds=_bounds(values, failed + unanswered, ends),
        n_scored=len(values),
        n_undefined=undefined,
        n_failed=failed,
        methods=tuple(store.methods(run.id, metric)),
        signature=signature,
        percentiles=_percentiles(values) if ends[1] is None else None,
        interval_method=interval.method if interval else "",
        n_groups=len(set(units)) if units is not None else None,
        noise=noise(store, signature),
        n_unanswered=unanswered,
        n_not_reached=run.n_samples - len(values_read),
        why_failed=store.why_failed(run.id, metric) if failed else "",
    )


def _interval(
    values: list[float], units: list[str | int] | None, ends: Sequence[float | None]
) -> Interval | None:
    if len(values) < 2:  # numpy and scipy are not loaded for nothing
        return None
    from assay.stats.intervals import mean_interval

    return mean_interval(values, groups=units, low=ends[0], high=ends[1])


def _bounds(
    values: list[float], failed: int, ends: Sequence[float | None]
) -> tuple[float, float] | None:
    n, total = len(values) + failed, math.fsum(values)
    if not n:
        return None
    if not failed:
        return total / n, total / n
    low, high = ends
    if low is None or high is None:  # a failed sample could have scored anything
        return None
    return (total + failed * low) / n, (total + failed * high) / n


def _percentiles(values: list[float]) -> tuple[float, float, float] | None:
    if not values:
        return None
    ordered = sorted(values)
    return _percentile(ordered, 0.5), _percentile(ordered, 0.95), _percentile(ordered, 0.99)


def _percentile(ordered: list[float], share: float) -> float:
    """Between the two nearest values, as numpy computes it."""
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
