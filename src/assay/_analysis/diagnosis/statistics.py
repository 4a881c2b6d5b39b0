"""Statistics of a diagnosis: how often each cause was found, patterns of means, missed failures."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from assay._analysis.diagnosis.facts import SUPPORT
from assay._analysis.diagnosis.findings import CAUSES, REMEDIES, Diagnosed
from assay._runner.plan import quality_of
from assay._store import Run, Store
from assay.judges.embedded.card import Quality, Rate
from assay.stats.intervals import Interval, mean_interval, share_interval
from assay.stats.misclassification import Estimate, bad_among, effective

Groups = Mapping[int, Hashable]
# Whoever can tell the first need not be able to tell the second.
_SUBSTITUTES: Mapping[str, str] = {
    "not_in_contexts": "not_retrieved",
    "unsupported": "over_claimed",
}
State = Literal["claimed", "not so", "undecided", "cannot tell"]
# The usual guide values, and the 0.7 above which the telecom paper (its table 4) calls an answer
# correct.
GUIDES: Mapping[str, float] = {
    "faithfulness": 0.8,
    "answer_relevancy": 0.75,
    "context_precision": 0.7,
    "context_recall": 0.8,
    "factual_correctness": 0.7,
}
_CLASSES: Final = ("flagged", "uncertain", "passed")


@dataclass(frozen=True, slots=True)
class CauseCount:
    """How often a cause was found.

    Attributes:
        cause: Its name.
        n: Samples of which it is the main cause.
        contributing: Samples to which it contributes beside another main cause.
        checked: Samples that are not open and on which it could be told.
        interval: interval of n / checked, by Wilson.
        samples: Ids of those of which it is the main cause, then of the others.
    """

    cause: str
    n: int
    contributing: int
    checked: int
    interval: Interval
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to try.

    Attributes:
        remedy: Its name.
        n: Samples whose main cause it touches: no more can be gained by it alone.
        contributing: Further samples in which it touches a contributing cause.
        interval: interval of n / all samples that are not open, by Wilson.
    """

    remedy: str
    n: int
    contributing: int
    interval: Interval


@dataclass(frozen=True, slots=True)
class Gap:
    """A cause that could not be told on some samples."""

    cause: str
    n: int
    needs: str


def count_causes(samples: Sequence[Diagnosed], groups: Groups) -> tuple[CauseCount, ...]:
    """Every cause that was found, the most frequent main cause first."""
    counts = [_count(name, samples, groups) for name in CAUSES]
    found_causes = [count for count in counts if count.n or count.contributing]
    return tuple(sorted(found_causes, key=lambda count: (-count.n, -count.contributing)))


def _count(cause: str, samples: Sequence[Diagnosed], groups: Groups) -> CauseCount:
    checked = [sample for sample in samples if sample.state != "open" and cause in sample.checked]
    main = [sample for sample in checked if _has_main(sample, (cause,))]
    further = [sample for sample in checked if cause in sample.causes[1:]]
    is_main = [_has_main(sample, (cause,)) for sample in checked]
    interval = share_interval(is_main, [groups[sample.row] for sample in checked])
    ids = tuple(sample.id for sample in (*main, *further))
    return CauseCount(cause, len(main), len(further), len(checked), interval, ids)


def _has_main(sample: Diagnosed, causes: Sequence[str]) -> bool:
    return sample.main is not None and sample.main.cause in causes


def rank_advice(samples: Sequence[Diagnosed], groups: Groups) -> tuple[Advice, ...]:
    """What to try, in the order of the samples that it touches."""
    advice = []
    diagnosed = [sample for sample in samples if sample.state != "open"]
    clusters = [groups[sample.row] for sample in diagnosed]
    for remedy in REMEDIES:
        main = [_has_main(sample, remedy.causes) for sample in diagnosed]
        touched = sum(any(cause in remedy.causes for cause in sample.causes) for sample in samples)
        if touched:
            n = sum(main)
            advice.append(Advice(remedy.name, n, touched - n, share_interval(main, clusters)))
    return tuple(sorted(advice, key=lambda item: (-item.n, -item.contributing)))


_BY_QUOTES: Final = "cut_apart"  # told by what only test sets of assay have: not asked for


def find_gaps(samples: Sequence[Diagnosed]) -> tuple[Gap, ...]:
    """What could not be told; of causes that exclude each other, only where neither could."""
    unchecked = {
        name: sum(
            name not in sample.checked | sample.untold
            and _SUBSTITUTES.get(name) not in sample.checked
            for sample in samples
        )
        for name in CAUSES
        if name != _BY_QUOTES
    }
    return tuple(Gap(name, n, CAUSES[name].needs) for name, n in unchecked.items() if n)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A combination of high and low means that has a known meaning."""

    name: str  # as programs know it
    title: str  # as people read it
    low: tuple[str, ...]  # metrics whose mean lies below the guide value
    high: tuple[str, ...]  # metrics whose mean lies above it
    means: str  # what it is a sign of
    advice: str  # what to try


PATTERNS: tuple[Pattern, ...] = (
    Pattern(
        "contexts_ignored",
        "low faithfulness, high context_precision",
        ("faithfulness",),
        ("context_precision",),
        "The generator ignores its contexts.",
        "A stricter grounding prompt, or a model that follows instructions better.",
    ),
    Pattern(
        "retrieval_misses",
        "high faithfulness, low context_recall",
        ("context_recall",),
        ("faithfulness",),
        "Retrieval misses what the right answer needs.",
        "Larger k, a better embedding model, larger chunks.",
    ),
    Pattern(
        "retrieval_fails",
        "low context_precision, low context_recall",
        ("context_precision", "context_recall"),
        (),
        "Retrieval fails.",
        "Another embedding model, smaller chunks, better preprocessing.",
    ),
    Pattern(
        "beside_the_question",
        "low answer_relevancy alone",
        ("answer_relevancy",),
        ("faithfulness", "context_precision", "context_recall"),
        "Answers are evasive, verbose or off-topic.",
        "The prompt, or rewriting the question.",
    ),
    Pattern(
        "from_memory",
        "low faithfulness, high factual_correctness",
        ("faithfulness",),
        ("factual_correctness",),
        "The generator answers from its own memory: the sign of a domain-adapted generator under "
        "wrong retrieval.",
        "Look at retrieval first; if its answers are to be checked, a stricter grounding prompt.",
    ),
)


@dataclass(frozen=True, slots=True)
class Mean:
    """One mean beside its guide value.

    Attributes:
        metric: Label of the metric.
        mean: The mean.
        interval: Its interval, None if there are too few samples.
        guide: The guide value.
        wanted: On which side of the guide value the pattern has it.
        state: Whether it is there: "claimed" if the interval clears the guide value.
    """

    metric: str
    mean: float
    interval: Interval | None
    guide: float
    wanted: Literal["low", "high"]
    state: State


@dataclass(frozen=True, slots=True)
class PatternFound:
    """A pattern as a run shows it.

    Attributes:
        pattern: Its name.
        state: "claimed", "not so", "undecided" (an interval spans its guide value) or
            "cannot tell" (a metric is missing).
        means: The means that it is about, as far as they were computed.
        missing: Metrics that were not.
        samples: Ids of the samples that show it by themselves, in the order of the data.
    """

    pattern: str
    state: State
    means: tuple[Mean, ...]
    missing: tuple[str, ...]
    samples: tuple[str, ...]


@dataclass(frozen=True)
class Values:
    """The scores of one metric: (row, value) of every scored sample, and the guide value."""

    label: str
    by_row: Mapping[int, float]
    guide: float
    interval: Interval | None


def find_patterns(
    store: Store, run: Run, ids: Mapping[int, str], groups: Mapping[int, Hashable]
) -> tuple[PatternFound, ...]:
    """Every pattern in a run."""
    values = {name: read for name in GUIDES if (read := _values(store, run, name, groups))}
    return tuple(_pattern(pattern, values, ids) for pattern in PATTERNS)


def _values(store: Store, run: Run, name: str, groups: Mapping[int, Hashable]) -> Values | None:
    label = next((m for m in run.metrics if m.partition("(")[0] == name), None)
    by_row = store.numbers(run.id, label) if label else {}
    if not label or not by_row:
        return None
    facts = run.config["about"][label]
    low, high = facts["range"]
    guide = GUIDES[name] if facts["guide"] is None else facts["guide"]
    clusters = [groups[row] for row in by_row]
    interval = mean_interval(list(by_row.values()), groups=clusters, low=low, high=high)
    return Values(label, by_row, guide, interval)


def _pattern(
    pattern: Pattern, values: Mapping[str, Values], ids: Mapping[int, str]
) -> PatternFound:
    sides = {**dict.fromkeys(pattern.low, "low"), **dict.fromkeys(pattern.high, "high")}
    missing = tuple(name for name in sides if name not in values)
    means = tuple(_mean(values[name], side) for name, side in sides.items() if name in values)
    samples = () if missing else _samples(sides, values, ids)
    return PatternFound(pattern.name, _pattern_state(means, missing), means, missing, samples)


def _mean(values: Values, side: str) -> Mean:
    numbers = list(values.by_row.values())
    mean = sum(numbers) / len(numbers)
    state: State = "undecided"
    if values.interval is not None:
        below, above = values.interval.high < values.guide, values.interval.low > values.guide
        is_claimed, is_opposed = (below, above) if side == "low" else (above, below)
        state = "claimed" if is_claimed else "not so" if is_opposed else "undecided"
    return Mean(
        values.label, mean, values.interval, values.guide, "low" if side == "low" else "high", state
    )


def _pattern_state(means: Sequence[Mean], missing: Sequence[str]) -> State:
    states = {mean.state for mean in means}
    if "not so" in states:
        return "not so"
    if missing:
        return "cannot tell"
    return "undecided" if "undecided" in states else "claimed"


def _samples(
    sides: Mapping[str, str], values: Mapping[str, Values], ids: Mapping[int, str]
) -> tuple[str, ...]:
    def shows(row: int, name: str) -> bool:
        value = values[name].by_row.get(row)
        if value is None:
            return False
        guide = values[name].guide
        return value < guide if sides[name] == "low" else value > guide

    return tuple(ids[row] for row in sorted(ids) if all(shows(row, name) for name in sides))


@dataclass(frozen=True, slots=True)
class Missed:
    """What the judge's errors on a labelled set let expect of a run.

    Attributes:
        quality: How the judge errs there.
        n: Answers whose statements were checked.
        n_flagged: Those with a statement that the judge is sure nothing supports.
        n_uncertain: Those without, of one of whose statements it is uncertain.
        n_passed: The others.
        passed: How many of these are expected to be bad.
        bad: How many of all are.
        flagged: How many of the flagged are.
    """

    quality: Quality
    n: int
    n_flagged: int
    n_uncertain: int
    n_passed: int
    passed: Estimate
    bad: Estimate
    flagged: Estimate


@dataclass(frozen=True, slots=True)
class Flagged:
    """Samples whose main cause is a verdict of one metric's judge.

    Attributes:
        metric: Label of the metric.
        n: How many they are.
        quality: How often its verdicts are wrong on a labelled set; None where nobody measured.
    """

    metric: str
    n: int
    quality: Quality | None


def flagged(run: Run, samples: Iterable[Diagnosed]) -> tuple[Flagged, ...]:
    """Whose verdicts the main causes of a run rest on, the most frequent first."""
    qualities = quality_of(run)
    by_metric = Counter(
        metric for sample in samples if sample.main and (metric := sample.main.flagged_by)
    )
    return tuple(
        Flagged(
            metric, n, msgspec.convert(qualities[metric], Quality) if metric in qualities else None
        )
        for metric, n in by_metric.most_common()
    )


def missed(run: Run, samples: Iterable[Diagnosed]) -> Missed | None:
    """What is to be expected of a run; None where nobody measured how its judge errs."""
    qualities = quality_of(run)
    # The first of them is whose verdicts were counted, whatever is known of the others.
    label = next((name for name in SUPPORT if name in run.metrics), None)
    counts = Counter(sample.support for sample in samples if sample.support)
    if label is None or label not in qualities or not counts:
        return None
    quality = msgspec.convert(qualities[label], Quality)
    n = tuple(counts[name] for name in _CLASSES)
    bad = _labelled_counts(quality.n_bad, quality.found, quality.bad_uncertain)
    good = _labelled_counts(quality.n_good, quality.wrong, quality.good_uncertain)
    classes, total = bad_among(n, bad, good)
    return Missed(quality, sum(n), n[0], n[1], n[2], classes[-1], total, classes[0])


def _labelled_counts(n: int, flagged: Rate, uncertain: Rate | None) -> tuple[float, float, float]:
    """Labelled cases of each class, as many as independent ones would tell as much."""
    size = effective(flagged.value, flagged.low, flagged.high, n)
    between = uncertain.value if uncertain else 0.0
    return size * flagged.value, size * between, size * max(0.0, 1 - flagged.value - between)
