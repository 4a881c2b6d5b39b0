"""Which of a run's scores did people label, and which number stands for each?"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.dataset.labels import Label, Labels
from assay.errors import InputError
from assay.run.result import NOT_DONE, Result, labels
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.store import Store
from assay.text.token_f1 import overlap, tokens

# Words that a statement and a labelled one have to share (F1), where none has the same text.
ALIKE = 0.8


@dataclass(frozen=True, slots=True)
class Item:
    """A sample, a statement or a pair of answers that the metric scored and people labelled.

    Attributes:
        sample: The sample (of the first run, for a pair).
        score: What the metric says: its value; of a statement the judge's probability, or else 1
            or 0; of a pair the first answer's value less the second's, or the one value where the
            metric itself compares two answers.
        verdict: What the judge decided of a statement, 1 or 0; otherwise the score.
        labels: Value by annotator.
        outcome: The score with its evidence.
        part: The part that is meant, for a statement.
        other: The second outcome of a pair from two runs.
    """

    sample: Sample
    score: float
    verdict: float
    labels: Mapping[str, float]
    outcome: Score
    part: Part | None = None
    other: Score | None = None

    @property
    def label(self) -> float:
        """Mean over the annotators."""
        return sum(self.labels.values()) / len(self.labels)

    @property
    def group(self) -> str:
        """What it is not independent of: its document or conversation, else its sample."""
        return f"group {self.sample.group}" if self.sample.group else f"sample {self.sample.id}"


@dataclass(frozen=True)
class Labelled:
    """The labelled items of one metric, and why others are not among them.

    Attributes:
        metric: Label of the metric.
        kind: "sample", "statement" or "pair".
        higher_is_better: Whether high scores are good. High labels always are.
        items: What can be compared, in the order of the run.
        left_out: How many labelled items cannot be, by reason.
    """

    metric: str
    kind: str
    higher_is_better: bool
    items: Sequence[Item]
    left_out: Mapping[str, int] = field(default_factory=dict)


def labelled(
    result: Result, given: Labels, metric: str, *, other: Result | None = None
) -> Labelled:
    """The scores of a metric beside what people said of the same things.

    Args:
        result: The run.
        given: The labels, as `assay.dataset.labels.read_labels` gives them.
        metric: A metric of the run, by its label or its name.
        other: The run of the second answers, for labels of pairs between two runs.

    Raises:
        InputError: If the run has no such metric, or no label is about what it scored.
    """
    (label,) = _one(result, metric)
    wanted = _by_sample(given.of(label))
    left_out: Counter[str] = Counter()
    items: list[Item] = []
    for sample, outcome, second in _outcomes(result, label, other):
        about = wanted.pop(sample.id, {})
        for key, by_person in about.items():
            found = _item(
                sample, by_person, outcome, second, key if given.kind == "statement" else None
            )
            if isinstance(found, str):
                left_out[found] += 1
            else:
                items.append(found)
    if missed := sum(map(len, wanted.values())):
        left_out["sample not in the run"] = missed
    if not items:
        raise _nothing(result, given, label, left_out)
    better = bool(result.run.config["about"][label]["higher_is_better"])
    return Labelled(label, given.kind, better, items, dict(left_out))


Key = tuple[str, int | None]


def _one(result: Result, metric: str) -> list[str]:
    found = [metric] if metric in result.run.metrics else labels(result.run, metric)
    if len(found) > 1:
        what = f"run {result.run.id} has several '{metric}'"
        raise InputError(what, f"name one: {', '.join(found)}")
    return found


def _by_sample(given: Sequence[Label]) -> dict[str, dict[Key, dict[str, float]]]:
    found: dict[str, dict[Key, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for label in given:
        found[label.sample][label.statement, label.place][label.annotator] = label.value
    return found


def _outcomes(
    result: Result, metric: str, other: Result | None
) -> Iterator[tuple[Sample, Outcome, Outcome | None]]:
    if other is None:
        for sample, outcome in result.outcomes(metric):
            yield sample, outcome, None
        return
    (theirs,) = _one(other, metric)
    with Store(other.path) as store:
        rows = {sample.id: row for row, sample in store.samples(other.run.id)}
        for sample, outcome in result.outcomes(metric):
            row = rows.get(sample.id)
            found = store.outcome(other.run.id, row, theirs) if row is not None else None
            yield sample, outcome, found or NOT_DONE


def _item(
    sample: Sample,
    said: Mapping[str, float],
    outcome: Outcome,
    second: Outcome | None,
    key: Key | None,
) -> Item | str:
    """The item, or why there is none."""
    if not isinstance(outcome, Score) or isinstance(second, Unscored):
        return "not scored"
    if key is None:
        value = outcome.value - second.value if second is not None else outcome.value
        return Item(sample, value, value, said, outcome, other=second)
    part = _part(outcome.parts, *key)
    if part is None or part.value is None:
        return "statement not among the parts of the score"
    chance = part.value if part.probability is None else part.probability
    return Item(sample, chance, part.value, said, outcome, part)


def _part(parts: Sequence[Part], statement: str, place: int | None) -> Part | None:
    """The part that is meant: by its text, else by its place among those that were judged."""
    judged = [part for part in parts if part.value is not None]
    if statement:
        words = tokens(statement)
        alike = [overlap(words, tokens(part.text)).f1 for part in judged]
        # Of equal texts the one at the place that was told.
        best = max(range(len(judged)), key=lambda at: (alike[at], at + 1 == place), default=None)
        return judged[best] if best is not None and alike[best] >= ALIKE else None
    return judged[place - 1] if place is not None and place <= len(judged) else None


def _nothing(result: Result, given: Labels, metric: str, left_out: Mapping[str, int]) -> InputError:
    if not given.of(metric):
        about = sorted({label.metric for label in given.labels})
        what = f"no label in {given.source} is about {metric}: they are about {', '.join(about)}"
        return InputError(what, "name the metric with --metric, or in the column 'metric'")
    reasons = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
    what = f"no label in {given.source} meets a score of {metric} in run {result.run.id}: {reasons}"
    return InputError(what, "labels name samples by the ids that `assay show` lists")
