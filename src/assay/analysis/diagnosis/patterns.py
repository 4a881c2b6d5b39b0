"""Which known patterns do the means show, and which samples are behind each?

A pattern is claimed only where every interval clears its guide value.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.stats.intervals import Interval, mean_interval
from assay.store import Run, Store

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


@dataclass(frozen=True, slots=True)
class Pattern:
    """A combination of high and low means that has a known meaning.

    Attributes:
        name: As programs know it.
        title: As people read it.
        low: Metrics whose mean lies below the guide value.
        high: Metrics whose mean lies above it.
        means: What it is a sign of.
        advice: What to try.
    """

    name: str
    title: str
    low: tuple[str, ...]
    high: tuple[str, ...]
    means: str
    advice: str


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


def found(
    store: Store, run: Run, ids: Mapping[int, str], groups: Mapping[int, Hashable]
) -> tuple[PatternFound, ...]:
    """Every pattern in a run.

    Args:
        store: The store.
        run: The run.
        ids: Id of the sample in each row.
        groups: The group of the sample in each row.
    """
    values = {name: read for name in GUIDES if (read := _values(store, run, name, groups))}
    return tuple(_pattern(pattern, values, ids) for pattern in PATTERNS)


def _values(store: Store, run: Run, name: str, groups: Mapping[int, Hashable]) -> Values | None:
    label = next((m for m in run.metrics if m.partition("(")[0] == name), None)
    by_row = {r: v for r, v, _ in store.values(run.id, label) if v is not None} if label else {}
    if not label or not by_row:
        return None
    about = run.config["about"][label]
    low, high = about["range"]
    guide = GUIDES[name] if about["guide"] is None else about["guide"]
    clusters = [groups[row] for row in by_row]
    interval = mean_interval(list(by_row.values()), groups=clusters, low=low, high=high)
    return Values(label, by_row, guide, interval)


def _pattern(
    pattern: Pattern, values: Mapping[str, Values], ids: Mapping[int, str]
) -> PatternFound:
    wanted = {**dict.fromkeys(pattern.low, "low"), **dict.fromkeys(pattern.high, "high")}
    missing = tuple(name for name in wanted if name not in values)
    means = tuple(_mean(values[name], side) for name, side in wanted.items() if name in values)
    samples = () if missing else _samples(wanted, values, ids)
    return PatternFound(pattern.name, _state(means, missing), means, missing, samples)


def _mean(values: Values, side: str) -> Mean:
    numbers = list(values.by_row.values())
    mean = sum(numbers) / len(numbers)
    state: State = "undecided"
    if values.interval is not None:
        below, above = values.interval.high < values.guide, values.interval.low > values.guide
        there, other = (below, above) if side == "low" else (above, below)
        state = "claimed" if there else "not so" if other else "undecided"
    return Mean(
        values.label, mean, values.interval, values.guide, "low" if side == "low" else "high", state
    )


def _state(means: Sequence[Mean], missing: Sequence[str]) -> State:
    states = {mean.state for mean in means}
    if "not so" in states:
        return "not so"
    if missing:
        return "cannot tell"
    return "undecided" if "undecided" in states else "claimed"


def _samples(
    wanted: Mapping[str, str], values: Mapping[str, Values], ids: Mapping[int, str]
) -> tuple[str, ...]:
    def shows(row: int, name: str) -> bool:
        value = values[name].by_row.get(row)
        if value is None:
            return False
        guide = values[name].guide
        return value < guide if wanted[name] == "low" else value > guide

    return tuple(ids[row] for row in sorted(ids) if all(shows(row, name) for name in wanted))
