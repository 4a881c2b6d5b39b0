"""How far does a metric agree with people, beside trivial rules and beside people themselves?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from assay.analysis.disagreement import Confusion, Disagreement, confusion, disagreements
from assay.analysis.judged import Bools, Judged, Scale, called, judged
from assay.analysis.labelled import UNDECIDED, Labelled, labelled
from assay.analysis.people import among_people, ceiling
from assay.dataset.labels import Labels
from assay.errors import InputError
from assay.run.result import Result
from assay.stats import agreement as measures
from assay.stats import raters
from assay.stats.intervals import Floats, Interval, Statistic, jackknife_interval, value_of

WORST = 5
_CHANCE, _AUROC, _BALANCED = "always the same", "AUROC", "balanced accuracy"
# Measure -> (least, greatest) value.
_SHARE, _CORRELATION = (0.0, 1.0), (-1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of agreement.

    Attributes:
        name: "AUROC", "Spearman" ...
        value: The metric with people; None where it is not defined.
        interval: Its interval; None where too little varies to tell.
        floor: What the best trivial rule reaches; None where there is none.
        floor_name: That rule.
        lead: Interval of value - floor; the metric beats the rule if it lies above 0.
        ceiling: A person with the other people, by the same measure, averaged over the people;
            None with fewer than two of them.
        ceiling_interval: Its interval.
    """

    name: str
    value: float | None
    interval: Interval | None = None
    floor: float | None = None
    floor_name: str = ""
    lead: Interval | None = None
    ceiling: float | None = None
    ceiling_interval: Interval | None = None


@dataclass(frozen=True)
class Agreement:
    """How far one metric agrees with people.

    Attributes:
        metric: Label of the metric.
        kind: What was labelled: "sample", "statement" or "pair".
        scale: What labels are: "binary", "ordinal" or "preference".
        n: Items that were compared.
        n_groups: How many of them are independent.
        base_rate: Share of items that people call good (preference: of the first answers).
        rarer: "bad" or "good": the class that F1 and average precision are about; "" unless binary.
        people: Who labelled.
        left_out: How many labelled items could not be compared, by reason.
        threshold: (least, greatest) score from which on an item was called good; None if nothing
            was called so.
        threshold_by: Where that threshold is from.
        measures: Metric with people.
        among_people: How far people agree with each other: kappa, alpha.
        confusion: Counts of what both said, where labels are binary.
        worst: The items on which both differ most, worst first.
        unweighted: Whether the labels say that some samples were likelier to be labelled than
            others, for which nothing here is weighted.
    """

    metric: str
    kind: str
    scale: Scale
    n: int
    n_groups: int
    base_rate: float
    rarer: str
    people: tuple[str, ...]
    left_out: Mapping[str, int]
    threshold: tuple[float, float] | None
    threshold_by: str
    measures: Sequence[Measure]
    among_people: Sequence[Measure]
    confusion: Confusion | None
    worst: Sequence[Disagreement] = field(default_factory=tuple)
    unweighted: bool = False


def agree(
    result: Result,
    given: Labels,
    metric: str,
    *,
    other: Result | None = None,
    threshold: float | None = None,
    most: int = WORST,
) -> Agreement:
    """How far a metric of a run agrees with people's labels.

    Labels say how good something is: high is good, also for a metric of which low is good. The
    metric is compared with the mean of the annotators, or with their majority for yes and no.

    Args:
        result: The run.
        given: The labels.
        metric: A metric of the run, by its label or its name.
        other: The run of the second answers, for preferences between two runs.
        threshold: The score from which on (down to which) an item counts as good; None: of a
            statement the judge's verdict decides, of a sample a threshold chosen on other samples.
        most: How many of the worst disagreements to give.

    Raises:
        InputError: If the run has no such metric, no label meets one of its scores, or annotators
            are undecided on all of them.
    """
    if given.kind != "pair" and other is not None:
        raise InputError("a second run is for labels of pairs (A, B, tie)", "leave it out")
    found = labelled(result, given, metric, other=other)
    data = judged(found)
    if not data.items:
        what = f"annotators are divided evenly on all {data.dropped} labelled items of {metric}"
        raise InputError(what, "ask one more annotator, so that there is a majority")
    good, used, source = _called(found, data, threshold)
    rarer = _rarer(data)
    undecided = {UNDECIDED: data.dropped} if data.dropped else {}
    return Agreement(
        metric=found.metric,
        kind=found.kind,
        scale=data.scale,
        n=len(data.items),
        n_groups=len(set(data.groups)),
        base_rate=float(data.labels.mean()),
        rarer=rarer,
        people=data.people,
        left_out={**found.left_out, **undecided},
        threshold=used,
        threshold_by=source,
        measures=_measures(data, good, rarer),
        among_people=[
            _measured(name, statistic, data.rated, _CORRELATION)
            for name, statistic in among_people(data).items()
        ],
        confusion=confusion(data.labels, good) if data.scale == "binary" else None,
        worst=disagreements(data, good, most),
        unweighted=found.unweighted,
    )


def agree_all(
    result: Result,
    given: Labels,
    *,
    other: Result | None = None,
    threshold: float | None = None,
    most: int = WORST,
) -> tuple[list[Agreement], dict[str, str]]:
    """Every metric of a run that labels can be compared with, and why others cannot.

    Raises:
        InputError: If there is none.
    """
    found: list[Agreement] = []
    refused: dict[str, InputError] = {}
    for metric in result.run.metrics:
        try:
            found.append(agree(result, given, metric, other=other, threshold=threshold, most=most))
        except InputError as error:
            refused[metric] = error
    if not found:
        raise next(iter(refused.values()))
    return found, {metric: error.problems[0].what for metric, error in refused.items()}


def _called(
    found: Labelled, data: Judged, threshold: float | None
) -> tuple[Bools | None, tuple[float, float] | None, str]:
    """(called good, (least, greatest) threshold, where it is from)."""
    if data.scale != "binary":
        return None, None, ""
    sign = found.sign
    if threshold is not None:
        return data.goodness >= sign * threshold, (threshold, threshold), "given"
    if found.kind == "statement":
        good = np.array([item.verdict >= 0.5 for item in data.items], dtype=bool)
        return good, None, "the judge's verdict"
    by_others = called(data.goodness, data.labels, data.groups)
    if by_others is None:
        return None, None, "not chosen: too few labels of one kind"
    good, used = by_others
    ends = sorted((sign * float(used.min()), sign * float(used.max())))
    return good, (ends[0], ends[1]), "chosen on other samples (5 folds)"


def _rarer(data: Judged) -> str:
    if data.scale != "binary":
        return ""
    return "bad" if data.labels.mean() >= 0.5 else "good"


Scored: TypeAlias = Callable[[Floats, Floats], Statistic]
Decided: TypeAlias = Callable[[Bools, Floats], Statistic]


def _measures(data: Judged, good: Bools | None, rarer: str) -> list[Measure]:
    found = []
    for name, (ends, statistic) in _by_score(data, rarer).items():
        rules = {rule: statistic(said, data.labels) for rule, said in data.rules.items()}
        rules[_CHANCE] = statistic(np.zeros(len(data.labels)), data.labels)
        people = ceiling(data, statistic)
        ours = statistic(data.goodness, data.labels)
        one = _beside(data, name, ours, ends, rules, people)
        found.append(_placed(one, data) if name == _AUROC else one)
    if good is None:
        return found
    said_by_rules = _said_by_rules(data, rarer)
    for name, (ends, decide) in _by_decision(rarer).items():
        rules = {rule: decide(said, data.labels) for rule, said in said_by_rules.items()}
        people = ceiling(data, _of_decisions(decide))
        one = _beside(data, name, decide(good, data.labels), ends, rules, people)
        found.append(_recovered(one, data, good, said_by_rules) if name == _BALANCED else one)
    return found


def _placed(one: Measure, data: Judged) -> Measure:
    """The AUROC with intervals that the jackknife would make too narrow."""
    interval = measures.auroc_interval(data.goodness, data.labels, data.groups)
    rule = data.rules.get(one.floor_name, np.zeros(len(data.labels)))
    lead = measures.auroc_lead(data.goodness, rule, data.labels, data.groups)
    return replace(one, interval=interval, lead=lead)


def _recovered(one: Measure, data: Judged, good: Bools, by_rule: Mapping[str, Bools]) -> Measure:
    """The balanced accuracy with intervals that the jackknife would make too narrow."""
    interval = measures.balanced_interval(good, data.labels, data.groups)
    rule = by_rule.get(one.floor_name)
    lead = None if rule is None else measures.balanced_lead(good, rule, data.labels, data.groups)
    return replace(one, interval=interval, lead=lead)


def _of_decisions(decide: Decided) -> Scored:
    return lambda one, rest: decide(one >= 0.5, rest)


def _said_by_rules(data: Judged, rarer: str) -> dict[str, Bools]:
    by_rule = {rule: called(s, data.labels, data.groups) for rule, s in data.rules.items()}
    found = {rule: said[0] for rule, said in by_rule.items() if said is not None}
    return {**found, _CHANCE: np.full(len(data.labels), rarer == "good")}


def _by_score(data: Judged, rarer: str) -> dict[str, tuple[tuple[float, float], Scored]]:
    """Measures of scores as they are."""
    correlations: dict[str, tuple[tuple[float, float], Scored]] = {
        "Spearman": (_CORRELATION, measures.spearman),
        "Kendall tau-b": (_CORRELATION, measures.kendall),
        "Pearson": (_CORRELATION, measures.pearson),
    }
    if data.scale == "preference":
        first: Scored = measures.preference_accuracy
        return {"preference accuracy": (_SHARE, first), **correlations}
    if data.scale == "ordinal":
        found = {**correlations, "pairwise accuracy": (_SHARE, measures.pairwise_accuracy)}
        if set(data.goodness) <= set(data.labels):
            found["Cohen's kappa, linear"] = (_CORRELATION, _kappa("linear"))
            found["Cohen's kappa, quadratic"] = (_CORRELATION, _kappa("quadratic"))
        return found

    def precision(scores: Floats, labels: Floats) -> Statistic:
        turned = rarer == "bad"
        return measures.average_precision(-scores if turned else scores, labels != turned)

    return {_AUROC: (_SHARE, measures.auroc), "average precision": (_SHARE, precision)}


def _kappa(weighting: raters.Weighting) -> Scored:
    return lambda scores, labels: raters.cohen_kappa(scores, labels, weighting)


def _by_decision(rarer: str) -> dict[str, tuple[tuple[float, float], Decided]]:
    """Measures of what is called good and what is not."""
    turned = rarer == "bad"
    return {
        "F1": (_SHARE, lambda said, labels: measures.f1(said != turned, labels != turned)),
        _BALANCED: (_SHARE, measures.balanced),
        "Cohen's kappa": (_CORRELATION, raters.cohen_kappa),
    }


def _measured(
    name: str, statistic: Statistic, groups: Sequence[str], ends: tuple[float, float]
) -> Measure:
    value = value_of(statistic, len(groups))
    interval = jackknife_interval(statistic, groups, low=ends[0], high=ends[1])
    return Measure(name, value, interval)


def _beside(
    data: Judged,
    name: str,
    statistic: Statistic,
    ends: tuple[float, float],
    rules: Mapping[str, Statistic],
    people: Statistic | None,
) -> Measure:
    """A measure with its interval, the best trivial rule and what people reach."""
    groups = data.groups
    found = _measured(name, statistic, groups, ends)
    reached = {rule: value_of(said, len(groups)) for rule, said in rules.items()}
    known = {rule: value for rule, value in reached.items() if value is not None}
    if found.value is not None and known:
        best = max(known, key=lambda rule: known[rule])
        width = ends[1] - ends[0]
        lead = jackknife_interval(
            lambda weights: statistic(weights) - rules[best](weights),
            groups,
            low=-width,
            high=width,
        )
        found = replace(found, floor=known[best], floor_name=best, lead=lead)
    if people is None:
        return found
    between = _measured(name, people, data.rated, ends)
    return replace(found, ceiling=between.value, ceiling_interval=between.interval)
