"""Agreement of a metric with people, beside trivial baselines and people among themselves."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from assay._analysis.annotators import (
    NORMAL,
    Bools,
    LabelArrays,
    OfRatings,
    Scale,
    annotator_agreement,
    as_arrays,
    decide_out_of_fold,
    human_ceiling,
    people_interval,
)
from assay._analysis.disagreements import Confusion, Disagreement, confusion, disagreements
from assay._analysis.labelled import (
    UNDECIDED,
    Labelled,
    LabelSource,
    labelled,
    one_metric,
    read_for_run,
)
from assay._runner.result import Result
from assay._text.results import rounded
from assay.errors import InputError
from assay.score import Readable
from assay.stats import agreement as measures
from assay.stats import raters
from assay.stats.comparison import difference_interval
from assay.stats.intervals import Floats, Interval, Statistic, mean_interval, value_of
from assay.stats.jackknife import jackknife_interval

WORST = 5

_CHANCE, _AUROC, _BALANCED = "always the same", "AUROC", "balanced accuracy"
_PREFERENCES = "preference accuracy"

# Measure -> (least, greatest) value.
_SHARE, _CORRELATION = (0.0, 1.0), (-1.0, 1.0)

Scored: TypeAlias = Callable[[Floats, Floats], Statistic]
Decided: TypeAlias = Callable[[Bools, Floats], Statistic]


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

    def __str__(self) -> str:
        """``AUROC 0.73 (0.57 to 0.84), best trivial rule 0.81 (words from contexts)``."""
        text = f"{self.name} {'-' if self.value is None else rounded(self.value)}"
        text += f" ({self.interval.ends})" if self.interval else ""
        if self.floor is not None:
            text += f", best trivial rule {rounded(self.floor)} ({self.floor_name})"
        return text if self.ceiling is None else f"{text}, people {rounded(self.ceiling)}"


@dataclass(frozen=True)
class Agreement(Readable):
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
        threshold: (least, greatest) score from which on (down to which) an item was called good;
            None if nothing was called so.
        threshold_by: Where that threshold is from.
        measures: Metric with people.
        among_people: How far people agree with each other: kappa, alpha.
        confusion: Counts of what both said, where labels are binary.
        worst: The items on which both differ most, worst first.
        unweighted: Whether the labels say that some samples were likelier to be labelled than
            others, for which nothing here is weighted.
        higher_is_better: Whether a high score is a good one.
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
    higher_is_better: bool = True

    def __str__(self) -> str:
        """A line for each measure."""
        rate = f", people call {self.base_rate:.0%} good" if self.scale == "binary" else ""
        head = f"{self.metric} and people's labels: {self.n} {self.kind}s{rate}"
        return "\n".join([head, *map(str, self.measures), *map(str, self.among_people)])


def agree(
    result: Result,
    labels: LabelSource,
    metric: str | None = None,
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
        labels: What people said: a file, rows, or what `read_labels` gave.
        metric: The metric; may be left out if the run has only one.
        other: The run of the second answers, for preferences between two runs.
        threshold: The score from which on (down to which) an item counts as good; None: of a
            statement the judge's verdict decides, of a sample a threshold chosen on other samples.
        most: How many of the worst disagreements to give.

    Raises:
        InputError: If the run has no such metric, no label meets one of its scores, or annotators
            are undecided on all of them.
    """
    known = read_for_run(labels, result)
    if known.kind != "pair" and other is not None:
        raise InputError("a second run is for labels of pairs (A, B, tie)", "leave it out")
    name = one_metric(result, None) if metric is None else metric
    items = labelled(result, known, name, other=other)
    arrays = as_arrays(items)
    if not arrays.items:
        fault = f"annotators are divided evenly on all {arrays.dropped} labelled items of {name}"
        raise InputError(fault, "ask one more annotator, so that there is a majority")
    good, used, source = _called_good(items, arrays, threshold)
    rarer = _rarer(arrays)
    undecided = {UNDECIDED: arrays.dropped} if arrays.dropped else {}
    return Agreement(
        metric=items.metric,
        kind=items.kind,
        scale=arrays.scale,
        n=len(arrays.items),
        n_groups=len(set(arrays.groups)),
        base_rate=float(arrays.labels.mean()),
        rarer=rarer,
        people=arrays.annotators,
        left_out={**items.left_out, **undecided},
        threshold=used,
        threshold_by=source,
        measures=_measures(arrays, good, rarer),
        among_people=[
            _people_measure(name, arrays, measure, ratings, _CORRELATION)
            for name, (measure, ratings) in annotator_agreement(arrays).items()
        ],
        confusion=confusion(arrays.labels, good) if arrays.scale == "binary" else None,
        worst=disagreements(arrays, good, most),
        unweighted=items.unweighted,
        higher_is_better=items.sign > 0,
    )


def agree_all(
    result: Result,
    labels: LabelSource,
    *,
    other: Result | None = None,
    threshold: float | None = None,
    most: int = WORST,
) -> tuple[list[Agreement], dict[str, str]]:
    """Every metric of a run that labels can be compared with, and why others cannot.

    Raises:
        InputError: If there is none.
    """
    known = read_for_run(labels, result)
    agreements: list[Agreement] = []
    refused: dict[str, InputError] = {}
    for metric in result.run.metrics:
        try:
            agreements.append(
                agree(result, known, metric, other=other, threshold=threshold, most=most)
            )
        except InputError as error:
            refused[metric] = error
    if not agreements:
        raise next(iter(refused.values()))
    return agreements, {metric: error.problems[0].what for metric, error in refused.items()}


def _called_good(
    items: Labelled, arrays: LabelArrays, threshold: float | None
) -> tuple[Bools | None, tuple[float, float] | None, str]:
    """(called good, (least, greatest) threshold, where it is from)."""
    if arrays.scale != "binary":
        return None, None, ""
    sign = items.sign
    if threshold is not None:
        return arrays.goodness >= sign * threshold, (threshold, threshold), "given"
    if items.kind == "statement":
        good = np.array([item.verdict >= 0.5 for item in arrays.items], dtype=bool)
        return good, None, "the judge's verdict"
    by_others = decide_out_of_fold(arrays.goodness, arrays.labels, arrays.groups)
    if by_others is None:
        return None, None, "not chosen: too few labels of one kind"
    good, used = by_others
    ends = sorted((sign * float(used.min()), sign * float(used.max())))
    return good, (ends[0], ends[1]), "chosen on other samples (5 folds)"


def _rarer(arrays: LabelArrays) -> str:
    if arrays.scale != "binary":
        return ""
    return "bad" if arrays.labels.mean() >= 0.5 else "good"


def _measures(arrays: LabelArrays, good: Bools | None, rarer: str) -> list[Measure]:
    measured = []
    for name, (ends, statistic) in _by_score(arrays, rarer).items():
        rules = {
            rule: statistic(scores, arrays.labels) for rule, scores in arrays.baselines.items()
        }
        rules[_CHANCE] = statistic(np.zeros(len(arrays.labels)), arrays.labels)
        people = human_ceiling(arrays, statistic)
        statistic_of_metric = statistic(arrays.goodness, arrays.labels)
        measure = _with_baselines(arrays, name, statistic_of_metric, ends, rules, people)
        remake = {_AUROC: _ranked_measure, _PREFERENCES: _met_measure}.get(name)
        measured.append(remake(measure, arrays) if remake else measure)
    if good is None:
        return measured
    decisions = _said_by_rules(arrays, rarer)
    for name, (ends, decide) in _by_decision(rarer).items():
        rules = {rule: decide(scores, arrays.labels) for rule, scores in decisions.items()}
        people = human_ceiling(arrays, _of_decisions(decide))
        measure = _with_baselines(arrays, name, decide(good, arrays.labels), ends, rules, people)
        measured.append(
            _recovered(measure, arrays, good, decisions)
            if name == _BALANCED
            else _of_table(measure, arrays, good, decisions, turned=rarer == "bad")
        )
    return measured


def _ranked_measure(measure: Measure, arrays: LabelArrays) -> Measure:
    """The AUROC with intervals that the jackknife would make too narrow."""
    interval = measures.auroc_interval(arrays.goodness, arrays.labels, arrays.groups)
    rule = arrays.baselines.get(measure.floor_name, np.zeros(len(arrays.labels)))
    lead = measures.auroc_lead(arrays.goodness, rule, arrays.labels, arrays.groups)
    return replace(measure, interval=interval, lead=lead)


def _met_measure(measure: Measure, arrays: LabelArrays) -> Measure:
    """The share of preferences met with intervals of means: of shares near 1 there is no other."""
    met = measures.preferences_met(arrays.goodness, arrays.labels)
    rule = arrays.baselines.get(measure.floor_name, np.zeros(len(met)))
    leads = met - measures.preferences_met(rule, arrays.labels)
    groups = [group for group, untied in zip(arrays.groups, ~np.isnan(met), strict=True) if untied]
    met, leads = met[~np.isnan(met)], leads[~np.isnan(leads)]
    interval = mean_interval(met, groups=groups, low=0.0, high=1.0)
    return replace(
        measure, interval=interval, lead=difference_interval(leads, groups=groups, span=1.0)
    )


def _recovered(
    measure: Measure, arrays: LabelArrays, good: Bools, by_rule: Mapping[str, Bools]
) -> Measure:
    """The balanced accuracy with intervals that the jackknife would make too narrow."""
    interval = measures.balanced_interval(good, arrays.labels, arrays.groups)
    rule = by_rule.get(measure.floor_name)
    lead = (
        None if rule is None else measures.balanced_lead(good, rule, arrays.labels, arrays.groups)
    )
    return replace(measure, interval=interval, lead=lead)


def _of_table(
    measure: Measure,
    arrays: LabelArrays,
    good: Bools,
    by_rule: Mapping[str, Bools],
    *,
    turned: bool,
) -> Measure:
    """F1 or kappa with intervals that the jackknife, with few of one class, would make wrong."""
    formula = measures.f1_of_table if measure.name == "F1" else measures.kappa_of_table
    interval = partial(
        measures.verdicts_interval, formula, good != turned, arrays.labels != turned, arrays.groups
    )
    rule = by_rule.get(measure.floor_name)
    lead = None if rule is None else interval(rule=rule != turned)
    return replace(measure, interval=interval(), lead=lead)


def _of_decisions(decide: Decided) -> Scored:
    return lambda scores, remaining: decide(scores >= 0.5, remaining)


def _said_by_rules(arrays: LabelArrays, rarer: str) -> dict[str, Bools]:
    by_rule = {
        rule: decide_out_of_fold(s, arrays.labels, arrays.groups)
        for rule, s in arrays.baselines.items()
    }
    decisions = {rule: decided[0] for rule, decided in by_rule.items() if decided is not None}
    return {**decisions, _CHANCE: np.full(len(arrays.labels), rarer == "good")}


def _by_score(arrays: LabelArrays, rarer: str) -> dict[str, tuple[tuple[float, float], Scored]]:
    """Measures of scores as they are."""
    correlations: dict[str, tuple[tuple[float, float], Scored]] = {
        "Spearman": (_CORRELATION, measures.spearman),
        "Kendall tau-b": (_CORRELATION, measures.kendall),
        "Pearson": (_CORRELATION, measures.pearson),
    }
    if arrays.scale == "preference":
        first: Scored = measures.preference_accuracy
        return {_PREFERENCES: (_SHARE, first), **correlations}
    if arrays.scale == "ordinal":
        measures_of_grades = {
            **correlations,
            "pairwise accuracy": (_SHARE, measures.pairwise_accuracy),
        }
        if set(arrays.goodness) <= set(arrays.labels):
            measures_of_grades["Cohen's kappa, linear"] = (_CORRELATION, _kappa("linear"))
            measures_of_grades["Cohen's kappa, quadratic"] = (_CORRELATION, _kappa("quadratic"))
        return measures_of_grades

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
        "F1": (
            _SHARE,
            lambda called_good, labels: measures.f1(called_good != turned, labels != turned),
        ),
        _BALANCED: (_SHARE, measures.balanced),
        "Cohen's kappa": (_CORRELATION, raters.cohen_kappa),
    }


def _measure_of(
    name: str, statistic: Statistic, groups: Sequence[str], ends: tuple[float, float]
) -> Measure:
    value = value_of(statistic, len(groups))
    normal, (low, high) = NORMAL.get(name), ends
    interval = jackknife_interval(statistic, groups, low=low, high=high, normal=normal)
    return Measure(name, value, interval)


def _people_measure(
    name: str, arrays: LabelArrays, measure: OfRatings, ratings: Floats, ends: tuple[float, float]
) -> Measure:
    value = value_of(measure(ratings), len(ratings))
    return Measure(name, value, people_interval(name, arrays, measure, ratings, ends))


def _with_baselines(
    arrays: LabelArrays,
    name: str,
    statistic: Statistic,
    ends: tuple[float, float],
    rules: Mapping[str, Statistic],
    people: OfRatings | None,
) -> Measure:
    """A measure with its interval, the best trivial rule and what people reach."""
    groups = arrays.groups
    measure = _measure_of(name, statistic, groups, ends)
    reached = {rule: value_of(values, len(groups)) for rule, values in rules.items()}
    reached_values = {rule: value for rule, value in reached.items() if value is not None}
    if measure.value is not None and reached_values:
        best = max(reached_values, key=lambda rule: reached_values[rule])
        width = ends[1] - ends[0]
        lead = jackknife_interval(
            lambda weights: statistic(weights) - rules[best](weights),
            groups,
            low=-width,
            high=width,
        )
        measure = replace(measure, floor=reached_values[best], floor_name=best, lead=lead)
    if people is None:
        return measure
    between = _people_measure(name, arrays, people, arrays.ratings, ends)
    return replace(measure, ceiling=between.value, ceiling_interval=between.interval)
