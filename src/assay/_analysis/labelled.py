"""Labelled items: what people labelled of a run, beside the score that the metric gave it."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from typing import Any, TypeAlias

from assay._runner.result import NOT_DONE, Result, check_results, labels, one_label
from assay._store import Store
from assay._text.words import compare
from assay.data.labels import Label, Labels, read_labels
from assay.errors import InputError
from assay.metrics.evidence import UNCERTAIN
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored

LabelSource: TypeAlias = Labels | str | PathLike[str] | Iterable[Mapping[str, Any]]

# Words that a statement and a labelled one have to share (F1), where none has the same text.
ALIKE = 0.8
UNDECIDED = "annotators undecided"
ELSEWHERE = "not in the run"
# What neither a context nor the reference bears out: bad, whichever kind of statement is counted.
INVENTED = ("hallucination", "incorrect, in no context")
_LOOKED_AT = 200  # samples among which the column of their ids is sought
SHOWN = 3  # samples that are named of those that the run does not have


@dataclass(frozen=True, slots=True)
class Item:
    """A sample, a statement or a pair of answers that the metric scored and people labelled."""

    sample: Sample  # the sample (of the first run, for a pair)
    # What the metric says: its value; of a statement how good it is (see `goodness`), whichever way
    # the metric counts it; of a pair the first answer's value less the second's, or, where the
    # metric itself compares two answers, its value less the middle of its range.
    score: float
    # Of a statement whether the judge takes it for good, 1 or 0; otherwise the score.
    verdict: float
    labels: Mapping[str, float]  # value by annotator
    outcome: Score  # the score with its evidence
    part: Part | None = None  # the part that is meant, for a statement
    rival: Sample | None = None  # the second answer's sample, for a pair
    settled: float | None = None  # the label that settled a disagreement about it; None if none did

    @property
    def label(self) -> float:
        """What settled it, else the mean over the annotators."""
        if self.settled is not None:
            return self.settled
        return sum(self.labels.values()) / len(self.labels)

    @property
    def group(self) -> str:
        """What it is not independent of: its document or conversation, else its sample."""
        return f"group {self.sample.group}" if self.sample.group else f"sample {self.sample.id}"


@dataclass(frozen=True)
class Labelled:
    """The labelled items of one metric, and why others are not among them."""

    metric: str  # label of the metric
    kind: str  # "sample", "statement" or "pair"
    higher_is_better: bool  # whether high scores of the metric are good. High labels always are.
    items: Sequence[Item]  # what can be compared, in the order of the run
    # How many labelled items cannot be, by reason.
    left_out: Mapping[str, int] = field(default_factory=dict)
    # Whether the labels say that some samples were likelier to be labelled than others: nothing
    # here weights them for it.
    unweighted: bool = False

    @property
    def sign(self) -> int:
        """1 where high scores of the items are good, as those of statements always are, or -1."""
        return 1 if self.higher_is_better or self.kind == "statement" else -1

    @property
    def yes_or_no(self) -> bool:
        """Whether every annotator said 1 or 0 of every item."""
        return {value for item in self.items for value in item.labels.values()} <= {0.0, 1.0}

    def decided(self) -> "Labelled":
        """Without the items that as many annotators call good as bad, where they say yes or no."""
        if not self.yes_or_no:
            return self
        items = [item for item in self.items if item.label != 0.5]
        open_ones = len(self.items) - len(items)
        left_out = {**self.left_out, **({UNDECIDED: open_ones} if open_ones else {})}
        return replace(self, items=items, left_out=left_out)


def labelled(
    result: Result, labels: Labels, metric: str, *, other: Result | None = None
) -> Labelled:
    """The scores of a metric beside what people said of the same things.

    Args:
        result: The run.
        labels: The labels, as `assay.data.labels.read_labels` gives them.
        metric: A metric of the run, by its label or its name.
        other: The run of the second answers, for labels of pairs between two runs.

    Raises:
        InputError: If the run has no such metric, no label is about what it scored, or labels of
            pairs meet a metric that compares no two answers, without another run.
    """
    label = one_label(result.run, metric)
    facts = result.run.config["about"][label]
    labels_meant = labels.of(label)
    by_sample = _by_sample(labels_meant)
    settled = {
        (label.sample, label.statement, label.place): label.settled for label in labels_meant
    }
    lowest, highest = facts["range"]
    middle = 0.0 if lowest is None or highest is None else (lowest + highest) / 2
    high = bool(facts["higher_is_better"])
    if labels.kind == "pair" and other is None and not facts.get("compares", True):
        fault = f"{label} scores one answer by itself, and the labels say which of two is better"
        raise InputError(fault, "name the run of the second answers (--other RUN)")
    left_out: Counter[str] = Counter()
    items: list[Item] = []
    for sample, outcome, rival, second in _outcomes(result, label, other):
        for key, by_person in by_sample.pop(sample.id, {}).items():
            if labels.kind == "statement":
                item = _statement(sample, by_person, outcome, key, higher_is_better=high)
            elif labels.kind == "pair":
                item = _pair(sample, by_person, outcome, rival, second or middle)
            else:
                item = _sample_item(sample, by_person, outcome)
            if isinstance(item, str):
                left_out[item] += 1
            else:
                items.append(replace(item, settled=settled[sample.id, *key]))
    if missed := sum(map(len, by_sample.values())):
        left_out[f"{ELSEWHERE} ({first_ids(list(by_sample))})"] = missed
    if not items:
        raise _no_labels_error(result, labels, label, left_out)
    return Labelled(
        label,
        labels.kind,
        high,
        items,
        dict(left_out),
        unweighted=len({label.chance for label in labels_meant if label.chance is not None}) > 1,
    )


def read_for_run(source: LabelSource, result: Result) -> Labels:
    """The labels of a file or of rows, with columns named as the run's metrics understood."""
    check_results(result)
    if isinstance(source, Labels):
        return source
    return read_labels(source, metrics=list(result.run.metrics))


def metrics_meant(result: Result, labels: Labels, metric: str | None) -> list[str]:
    """The metric that is named; or those that the labels are about by name; or the only one.

    Raises:
        InputError: If none of these tells.
    """
    named_metrics = [
        label for label in result.run.metrics if labels.of(label) and not labels.of("")
    ]
    return named_metrics if metric is None and named_metrics else [one_metric(result, metric)]


def one_metric(result: Result, metric: str | None) -> str:
    """The label of the metric that is meant.

    Raises:
        InputError: If the run has several and none is named.
    """
    metrics = list(result.run.metrics)
    matching = metrics if metric is None else labels(result.run, metric)
    if len(matching) > 1:
        raise InputError(
            f"which metric? The run has {', '.join(matching)}", "name it with --metric"
        )
    return matching[0]


def goodness(part: Part, *, higher_is_better: bool) -> float:
    """How good a part is by the judge: its probability, or else 1 or 0; high is always good.

    Args:
        part: A part with a value.
        higher_is_better: Whether the metric counts what is good, or what is bad.
    """
    good = _goodness_of_part(part, higher_is_better=higher_is_better)
    chance = part.probability
    if chance is None:
        return good
    if part.label == UNCERTAIN:  # its value says neither; the probability is that of support
        return chance
    # It may be that of support where the metric counts what has none, that of what is bad, or that
    # of one step towards the verdict: how sure the judge is it tells, the verdict on which side.
    return chance if (chance >= 0.5) == (good >= 0.5) else 1 - chance


def _goodness_of_part(part: Part, *, higher_is_better: bool) -> float:
    if part.label in INVENTED:
        return 0.0
    value = part.value or 0.0
    if value == part.probability and part.label != UNCERTAIN:
        value = float(value >= 0.5)
    return value if higher_is_better else 1 - value


Key = tuple[str, int | None]


def first_ids(ids: Sequence[str]) -> str:
    """The first ids of many, and how many more there are."""
    first = ", ".join(map(repr, ids[:SHOWN]))  # with their quotes: a space may be all that differs
    return f"{first} and {len(ids) - SHOWN} more" if len(ids) > SHOWN else first


def _by_sample(labels: Sequence[Label]) -> dict[str, dict[Key, dict[str, float]]]:
    by_sample: dict[str, dict[Key, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for label in labels:
        by_sample[label.sample][label.statement, label.place][label.annotator] = label.value
    return by_sample


def _outcomes(
    result: Result, metric: str, other_run: Result | None
) -> Iterator[tuple[Sample, Outcome, Sample | None, Outcome | None]]:
    """(sample, outcome) of a run, each with (sample, outcome) of the other run, if there is one."""
    if other_run is None:
        for sample, outcome in result.outcomes(metric):
            rival_answer = sample.other_answer
            rival = None if rival_answer is None else replace(sample, answer=rival_answer)
            yield sample, outcome, rival, None
        return
    other_label = one_label(other_run.run, metric)
    with Store(other_run.path) as store:
        second = {sample.id: (row, sample) for row, sample in store.samples(other_run.run.id)}
        for sample, outcome in result.outcomes(metric):
            row, rival = second.get(sample.id, (0, None))
            yield (
                sample,
                outcome,
                rival,
                store.outcome(other_run.run.id, row, other_label) or NOT_DONE,
            )


def _sample_item(sample: Sample, by_annotator: Mapping[str, float], outcome: Outcome) -> Item | str:
    """The item for a whole sample, or why there is none."""
    if not isinstance(outcome, Score):
        return "not scored"
    return Item(sample, outcome.value, outcome.value, by_annotator, outcome)


def _pair(
    sample: Sample,
    by_annotator: Mapping[str, float],
    outcome: Outcome,
    rival: Sample | None,
    rival_outcome: float | Outcome,
) -> Item | str:
    """The item for a pair of answers, or why there is none.

    What stands `beside` is the second answer's outcome, or the middle of the range of a metric that
    itself compares two answers.
    """
    if rival is None:
        return "no second answer"
    if not isinstance(outcome, Score) or isinstance(rival_outcome, Unscored):
        return "not scored"
    value = outcome.value - float(rival_outcome)
    return Item(sample, value, value, by_annotator, outcome, rival=rival)


def _statement(
    sample: Sample,
    by_annotator: Mapping[str, float],
    outcome: Outcome,
    key: Key,
    *,
    higher_is_better: bool,
) -> Item | str:
    """The item for a statement, or why there is none."""
    if not isinstance(outcome, Score):
        return "not scored"
    part = matching_part(outcome.parts, *key)
    if part is None or part.value is None:
        return "statement not among the parts of the score"
    score = goodness(part, higher_is_better=higher_is_better)
    verdict = _goodness_of_part(part, higher_is_better=higher_is_better)
    return Item(sample, score, verdict, by_annotator, outcome, part)


def matching_part(parts: Sequence[Part], statement: str, place: int | None) -> Part | None:
    """The part that is meant: by its text, else by its place among those that were judged."""
    judged = [part for part in parts if part.value is not None]
    if statement:
        similarities = [compare(statement, part.text).f1 for part in judged]
        # Of equal texts the one at the place that was told.
        best = max(
            range(len(judged)),
            key=lambda index: (similarities[index], index + 1 == place),
            default=None,
        )
        return judged[best] if best is not None and similarities[best] >= ALIKE else None
    return judged[place - 1] if place is not None and place <= len(judged) else None


def _no_labels_error(
    result: Result, labels: Labels, metric: str, left_out: Mapping[str, int]
) -> InputError:
    if not labels.of(metric):
        metrics_named = sorted({label.metric for label in labels.labels})
        other_metrics = ", ".join(metrics_named)
        fault = f"no label in {labels.source} is about {metric}: they are about {other_metrics}"
        remedy = f"give labels of {metric}; if these are, remove their column 'metric'"
        metrics_scored = [label for label in metrics_named if label in result.run.metrics]
        remedy += f", or name {' or '.join(metrics_scored)} with --metric" if metrics_scored else ""
        return InputError(fault, remedy)
    reasons = ", ".join(f"{n} {reason}" for reason, n in left_out.items())
    fault = (
        f"no label in {labels.source} meets a score of {metric} in run {result.run.id}: {reasons}"
    )
    run = result.run.id[:8]
    remedy = f"label what `assay show {run} --sample ID` shows"
    if any(reason.startswith(ELSEWHERE) for reason in left_out):
        remedy = "name the run that was labelled (`assay runs` lists them), or label samples of "
        remedy += f"this one: assay label {run} --out FILE"
    if column := _column_of_ids(result, {label.sample for label in labels.labels}):
        remedy = f"they name samples by the column '{column}': run the data again with "
        remedy += f"--map 'id={column}' (stored replies are reused)"
    return InputError(fault, remedy)


def _column_of_ids(result: Result, ids: Container[str]) -> str:
    """The column of the data that holds what labels call their samples, "" if none is known to."""
    with Store(result.path) as store:
        for _, sample in islice(store.samples(result.run.id), _LOOKED_AT):
            if sample.id in ids:
                return ""
            for name, value in sample.metadata.items():
                if isinstance(value, str | int) and str(value) in ids:
                    return name
    return ""
