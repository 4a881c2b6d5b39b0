"""What people said of a run's samples: their labels and tags, and where the judge differs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from assay._analysis.correction import label_ends
from assay._analysis.label_pool import Key, State
from assay._analysis.labelled import goodness
from assay._store import Run, Store
from assay._store.browsing import rows_of
from assay._store.labels import HumanLabel
from assay.score import Score

Said: TypeAlias = Literal["any", "good", "bad", "unsure", "disputed", "none"]
SAID: Final[Mapping[str, str]] = {
    "any": "labelled",
    "good": "labelled good",
    "bad": "labelled bad",
    "unsure": "somebody is unsure",
    "disputed": "annotators disagree",
    "none": "not labelled",
}
ANY: Final = "any"
_ONCE: Final = 10_000


@dataclass(frozen=True)
class People:
    """The labels of a run that count, by the rows of its samples.

    Attributes:
        labels: What was said of a row, in the order of the metrics and statements.
        said: The rows of which people say this; "none" is whatever is in no other.
        tags: The rows that were given a tag.
        disagree: The rows of which the judge says otherwise than people, by metric.
    """

    labels: Mapping[int, Sequence[HumanLabel]] = field(default_factory=dict)
    said: Mapping[str, set[int]] = field(default_factory=dict)
    tags: Mapping[str, set[int]] = field(default_factory=dict)
    disagree: Mapping[str, set[int]] = field(default_factory=dict)

    def counts(self) -> list[tuple[str, str, int]]:
        """(name, words, samples) of what people say, as far as they say it."""
        return [(name, SAID[name], len(rows)) for name, rows in self.said.items() if rows]

    def differing(self, metric: str) -> set[int]:
        """The rows of which judge and people differ by a metric, or by "any"."""
        if metric == ANY:
            return set().union(*self.disagree.values())
        return self.disagree.get(metric, set())


def in_words(label: HumanLabel) -> str:
    """One label in short: who said what."""
    if label.kind == "unsure":
        said = "unsure"
    elif label.value is None:
        said = label.kind
    else:
        said = {0.0: "bad", 1.0: "good"}.get(label.value, f"{label.value:g}")
    of = "" if label.statement is None else f" of statement {label.statement + 1}"
    ended = ", settled" if label.kind == "settled" else ""
    tags = f" ({', '.join(label.tags)})" if label.tags else ""
    return f"{label.annotator}: {said}{of}{ended}{tags}"


def label_version(store: Store, run: Run) -> tuple[tuple[int, int], ...]:
    """Changes with every decision about the run."""
    return tuple(store.labels.version(run.id, metric) for metric in run.metrics)


def people(store: Store, run: Run) -> People:
    """What people said of a run."""
    states = {metric: State.of(store.labels.of(run.id, metric)) for metric in run.metrics}
    samples = {key[1] for state in states.values() for key in (*state.by_item, *state.settled)}
    rows = rows_of(store, run, samples)
    labels: dict[int, list[HumanLabel]] = {}
    said: dict[str, set[int]] = {name: set() for name in SAID if name != "none"}
    tags: dict[str, set[int]] = {}
    disagree: dict[str, set[int]] = {}
    for metric, state in states.items():
        middle = _middle(run, metric, state)
        for key in sorted({*state.by_item, *state.settled}, key=_in_order):
            if (row := rows.get(key[1])) is None:
                continue
            made = _labels(state, key)
            labels.setdefault(row, []).extend(made)
            for name in _said(state, key, made, middle):
                said[name].add(row)
            for tag in {tag for label in made for tag in label.tags}:
                tags.setdefault(tag, set()).add(row)
        if wrong := _differing(store, run, metric, state, rows):
            disagree[metric] = wrong
    return People(labels, said, tags, disagree)


def _in_order(key: Key) -> tuple[str, int]:
    return key[1], -1 if key[2] is None else key[2]


def _labels(state: State, key: Key) -> list[HumanLabel]:
    settled = [state.settled[key]] if key in state.settled else []
    return [*(one for one in state.by_item.get(key, {}).values() if one.kind != "skip"), *settled]


def _middle(run: Run, metric: str, state: State) -> float:
    """Between good and bad, on the scale of the labels."""
    values = [v for key in state.by_item if (v := state.value(key)) is not None]
    low, high = run.config["about"][metric]["range"]
    return sum(label_ends(values or [0.0, 1.0], None, (low, high))) / 2


def _said(state: State, key: Key, made: Sequence[HumanLabel], middle: float) -> Iterator[Said]:
    if made:
        yield "any"
    value = state.value(key)
    if value is not None and value != middle:
        yield "good" if value > middle else "bad"
    if any(one.kind == "unsure" for one in made):
        yield "unsure"
    if len({one.value for one in made if one.kind == "label"}) > 1 and key not in state.settled:
        yield "disputed"


def _differing(
    store: Store, run: Run, metric: str, state: State, rows: Mapping[str, int]
) -> set[int]:
    """The rows in which the judge calls good what people call bad, or the other way round."""
    values = {key: state.value(key) for key in {*state.by_item, *state.settled} if key[1] in rows}
    decided = {key: value == 1.0 for key, value in values.items() if value in (0.0, 1.0)}
    whole = {rows[sample]: good for (_, sample, n), good in decided.items() if n is None}
    judged = _calls_good(store, run, metric, list(whole))
    differing = {row for row, good in judged.items() if good != whole[row]}
    for (_, sample, statement), good in decided.items():
        if statement is not None and rows[sample] not in differing:
            calls = _calls_statement_good(store, run, metric, rows[sample], statement)
            if calls is not None and calls != good:
                differing.add(rows[sample])
    return differing


def _calls_good(store: Store, run: Run, metric: str, places: Sequence[int]) -> dict[int, bool]:
    """Whether the judge calls an answer good, by its row, where that can be said."""
    about = run.config["about"][metric]
    low, high = about["range"]
    threshold = about["guide"]
    if threshold is None:
        if low is None or high is None:
            return {}
        threshold = (low + high) / 2
    sign = 1 if about["higher_is_better"] else -1
    return {
        row: bool(sign * value >= sign * threshold)
        for chunk in _batched(places)
        for row, (value, _) in store.values_at(run.id, metric, chunk).items()
        if value is not None
    }


def _calls_statement_good(
    store: Store, run: Run, metric: str, row: int, statement: int
) -> bool | None:
    """Whether the judge calls a statement good; None where there is none of that number."""
    outcome = store.outcome(run.id, row, metric)
    judged = outcome.parts if isinstance(outcome, Score) else ()
    parts = [part for part in judged if part.value is not None]
    if statement >= len(parts):
        return None
    high = bool(run.config["about"][metric]["higher_is_better"])
    return goodness(parts[statement], higher_is_better=high) >= 0.5


def _batched(places: Sequence[int]) -> Iterator[Sequence[int]]:
    """As many at once as one query takes."""
    for at in range(0, len(places), _ONCE):
        yield places[at : at + _ONCE]
