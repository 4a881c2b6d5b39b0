"""Correction of a mean by labels of some of the samples (prediction-powered inference)."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from assay._analysis.labelled import Item, Labelled, LabelSource, labelled, one_metric, read_for_run
from assay._runner.result import Result
from assay._text.results import rounded
from assay.data.labels import Labels
from assay.errors import InputError
from assay.sample import Sample
from assay.score import Readable, Score
from assay.stats.correction import Corrected, Design, correct_mean, labels_alone
from assay.stats.intervals import LEVEL, Interval
from assay.stats.misclassification import (
    Checked,
    Clustered,
    Floats,
    TrueShare,
    clustered,
    true_share,
)
from assay.stats.power import labels_like_these
from assay.stats.priority_sampling import cut_short

PARTLY = "only some of the sample's statements are labelled"
NO_SHARE = "the score is no share of its statements"
# Labels that span a smaller part of the metric's range are of another scale: 1 to 5, not 0 to 100.
OWN_SCALE = 0.1


@dataclass(frozen=True, slots=True)
class Correction(Readable):
    """The mean of one metric as people would have judged it.

    Attributes:
        metric: Label of the metric.
        corrected: The estimate with its interval, and what it rests on.
        alone: The mean that the labels give without the judge.
        alone_interval: Its interval, None if they give none.
        unaided: What the method of `corrected` gives if the judge counts nothing: how much the
            judge helps is measured against it.
        by_probability: Whether the labels said with which probability each sample was chosen; if
            not, they are taken for a simple random choice.
        n_unscored: Samples without a score: they are no part of the mean.
        n_open: Judgements that were left open.
        left_out: How many labelled things could not be used, by reason.
        cut_short: Whether the probabilities are those of more samples than are labelled: estimate
            and intervals are then off (`assay label -n 0` writes the right ones).
        judge_good: Beside labels of yes or no: the share of samples that the judge calls good, and
            the guide value that it goes by; None beside others, or where it has none.
    """

    metric: str
    corrected: Corrected
    alone: float
    alone_interval: Interval | None
    unaided: Corrected
    by_probability: bool
    n_unscored: int
    n_open: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    cut_short: bool = False
    judge_good: tuple[float, float] | None = None

    def __str__(self) -> str:
        """The corrected mean beside the judge's and that of the labels alone."""
        mean = self.corrected
        return (
            f"{self.metric} as people would call it: {_value_text(mean.estimate, mean.interval)}\n"
            f"the {mean.n_labelled} labels alone: {_value_text(self.alone, self.alone_interval)}\n"
            f"the judge alone: {rounded(mean.judge_mean)} of {mean.n_judged} samples"
        )

    @property
    def worth(self) -> float | None:
        """How many labels without a judge have as small an error; None if that is open."""
        if self.corrected.interval is None:
            return None
        ratio = self.unaided.error / self.corrected.error
        return self.corrected.n_labelled * ratio * ratio

    def labels_for(self, width: float, *, judged: bool = True) -> int | None:
        """How many labels in all make an interval of this width, if the next are like these.

        Args:
            width: From end to end, above 0.
            judged: Whether the judge helps; False tells the number without it.

        Returns:
            The number; None if even labels for all samples would not do, or if these give no
            interval yet.
        """
        return labels_like_these(width, self.corrected if judged else self.unaided)


def _value_text(value: float, interval: Interval | None) -> str:
    return f"{rounded(value)} ({interval.ends if interval else 'no interval'})"


def correct(
    result: Result,
    labels: LabelSource,
    metric: str | None = None,
    *,
    strata: str | None = None,
    ends: tuple[float, float] | None = None,
    level: float = LEVEL,
) -> Correction:
    """The mean label of all samples that the metric scored (prediction-powered inference).

    Args:
        result: The run.
        labels: What people said of some of its samples, or of all statements of some: a file,
            rows, or what `read_labels` gave. The samples must be a random choice, or the labels
            must say with which probability each was chosen (`assay label` sees to it).
        metric: The metric; may be left out if the run has only one.
        strata: Name of the metadata column within whose values samples were chosen at random.
        ends: The least and the greatest label possible; by default 0 and 1, or those of the metric
            if the labels lie between them, or what was given.
        level: Nominal coverage of the interval, in (0, 1).

    Raises:
        InputError: If labels and run do not fit.
    """
    read, name = read_for_run(labels, result), one_metric(result, metric)
    if read.kind == "pair":
        raise InputError("labels of pairs have no mean", "`assay agree` uses them")
    items = labelled(result, read, name)
    by_sample, partly = _labelled_whole(items)
    scored, n_unscored = scored_samples(result, items.metric)
    index_of = {sample.id: index for index, (sample, _) in enumerate(scored)}
    rows, values = [index_of[sample] for sample in by_sample], list(by_sample.values())
    score_range, scores = result.run.config["about"][name]["range"], [value for _, value in scored]
    limits = label_ends(values, ends, score_range)
    chances = _inclusion_probabilities(read, name, [*by_sample])
    design = _design(scored, rows, chances, strata)
    scaled_scores = as_labels(scores, score_range, limits, falling=not items.higher_is_better)
    corrected, unaided = (
        replace(
            correct_mean(
                scaled_scores, rows, values, design=design, ends=limits, power=power, level=level
            ),
            judge_mean=sum(scores) / len(scores),
        )
        for power in (None, 0.0)
    )
    units, pi = design.groups and [design.groups[k] for k in rows], _as_probabilities(design, rows)
    mean, interval = labels_alone(values, probabilities=pi, groups=units, ends=limits, level=level)
    return Correction(
        metric=items.metric,
        corrected=corrected,
        alone=mean,
        alone_interval=interval,
        unaided=unaided,
        by_probability=chances is not None,
        n_unscored=n_unscored,
        n_open=read.empty,
        left_out={**items.left_out, **partly},
        cut_short=chances is not None and cut_short(chances, len(scored)),
        judge_good=_judge_good(result, items, scores),
    )


def _judge_good(
    result: Result, items: Labelled, scores: Sequence[float]
) -> tuple[float, float] | None:
    """The share of good samples by the guide value, where yes or no was said of whole samples."""
    guide = result.run.config["about"][items.metric]["guide"]
    said = {value for item in items.items for value in item.labels.values()}
    if guide is None or items.kind != "sample" or not said <= {0.0, 1.0}:
        return None
    if {*scores} <= {0.0, 1.0}:
        return None  # the judge said yes or no itself
    good = [score >= guide if items.higher_is_better else score <= guide for score in scores]
    return sum(good) / len(good), guide


def correct_verdicts(
    result: Result,
    labels: LabelSource,
    labelled_run: Result,
    metric: str | None = None,
    *,
    threshold: float = 0.5,
    level: float = LEVEL,
) -> TrueShare:
    """The true share of good samples of a run that nobody labelled (Rogan and Gladen).

    The judge's two error rates are measured on another run whose samples have labels; each counts
    by 1 / the probability with which it was chosen, if the labels say so. Where samples of either
    run have a `group`, groups are taken as independent, not samples.

    Args:
        result: The run, without labels.
        labels: What people said of samples of the other run: good (1) or not (0). As for
            `correct`, a random choice of them, or one with probabilities.
        labelled_run: That run. Its samples need not be as often good as those of `result`.
        metric: The metric; may be left out if the run has only one.
        threshold: The judge calls a sample good from this score on (up to it, where low is good).
        level: Nominal coverage of the interval, in (0, 1).

    Raises:
        InputError: If the two runs were not judged alike, if labels are not 0 or 1, or if the
            labels show a judge that is no better than chance.
    """
    read = read_for_run(labels, labelled_run)
    name = one_metric(result, metric)
    signature = labelled_run.run.metrics.get(name)
    if signature != result.run.metrics[name]:
        fault = (
            f"the two runs did not compute {name} alike: {result.run.metrics[name]} and {signature}"
        )
        raise InputError(fault, "judge both with the same judge, prompts and version")
    items = labelled(labelled_run, read, name)
    by_sample = _good_by_majority(items)
    sign = 1 if items.higher_is_better else -1
    item_of = {item.sample.id: item for item in items.items}
    pairs = [
        (sign * (item_of[i].outcome.value - threshold) >= 0, label == 1)
        for i, label in by_sample.items()
    ]
    chances = _inclusion_probabilities(read, name, list(by_sample))
    weights = _weights(chances)
    checked = Checked.of(pairs, weights)
    scored, _ = scored_samples(result, name)
    called_good = [sign * (value - threshold) >= 0 for _, value in scored]
    share = None
    if scored and checked.positives and checked.negatives:
        samples = [sample for sample, _ in scored], [item_of[i].sample for i in by_sample]
        clustering = _clustering(called_good, samples[0], pairs, samples[1], weights)
        share = true_share(
            sum(called_good), len(called_good), checked, groups=clustering, level=level
        )
    if share is None:
        fault = f"the labels do not show that the judge tells good from bad: {checked}"
        raise InputError(fault, "label more samples, or take another --threshold or judge")
    among = len(scored_samples(labelled_run, name)[0])
    short = chances is not None and cut_short(chances, among)
    return replace(share, by_probability=chances is not None, cut_short=short)


def _labelled_whole(items: Labelled) -> tuple[dict[str, float], dict[str, int]]:
    """The label of each sample that is labelled whole, and why the others are left out."""
    by_sample, partly = whole_samples(items.items, items.kind)
    if not by_sample:
        raise InputError(f"no sample is labelled whole: {partly}", "label each of its statements")
    return by_sample, partly


def _good_by_majority(items: Labelled) -> dict[str, float]:
    """1 or 0 of each sample that is labelled whole; of several annotators the majority counts."""
    if items.kind == "sample" and items.yes_or_no:
        return {item.sample.id: float(item.label > 0.5) for item in items.decided().items}
    by_sample, _ = whole_samples(items.items, items.kind)
    if not set(by_sample.values()) <= {0.0, 1.0}:
        raise InputError("labels are not all 0 or 1", "`assay correct` without --checked-on")
    return by_sample


def _clustering(
    called_good: Sequence[bool],
    samples: Sequence[Sample],
    pairs: Sequence[tuple[bool, bool]],
    checked: Sequence[Sample],
    weights: Floats | None,
) -> Clustered | None:
    """How much less the samples tell than independent ones; None if no sample names a group."""
    if groups([*samples, *checked]) is None:
        return None
    return clustered(called_good, _clusters(samples), pairs, _clusters(checked), weights)


def _weights(chances: Sequence[float] | None) -> Floats | None:
    """How much each sample counts; None if all count the same, be it by equal chances."""
    if chances is None or len(set(chances)) == 1:
        return None
    return 1 / np.array(chances)


def scored_samples(result: Result, metric: str) -> tuple[list[tuple[Sample, float]], int]:
    """The samples with a score in the order of the run, and how many have none."""
    scored: list[tuple[Sample, float]] = []
    missing = 0
    for sample, outcome in result.outcomes(metric):
        if isinstance(outcome, Score):
            scored.append((sample, outcome.value))
        else:
            missing += 1
    return scored, missing


def whole_samples(items: Sequence[Item], kind: str) -> tuple[dict[str, float], dict[str, int]]:
    """The label of each sample, and how many samples have none, by reason.

    Where statements are labelled, it is the share of them that people call supported, and stands
    beside the score if that is such a share too.
    """
    if kind != "statement":
        return {item.sample.id: item.label for item in items}, {}
    by_sample: dict[str, list[Item]] = {}
    for item in items:
        by_sample.setdefault(item.sample.id, []).append(item)
    by_sample_label: dict[str, float] = {}
    left_out: dict[str, int] = {}
    for sample, sample_items in by_sample.items():
        score = sample_items[0].outcome
        judged = [part.value for part in score.parts if part.value is not None]
        if len({id(item.part) for item in sample_items}) < len(judged):
            left_out[PARTLY] = left_out.get(PARTLY, 0) + 1
        elif not is_share(score):
            left_out[NO_SHARE] = left_out.get(NO_SHARE, 0) + 1
        else:
            by_sample_label[sample] = sum(item.label for item in sample_items) / len(sample_items)
    return by_sample_label, left_out


def is_share(score: Score) -> bool:
    """Whether a score is the mean of its judged parts."""
    judged = [part.value for part in score.parts if part.value is not None]
    return bool(judged) and math.isclose(score.value, sum(judged) / len(judged), abs_tol=1e-9)


def groups(samples: Sequence[Sample]) -> list[Hashable] | None:
    """The cluster of every sample; None if no sample names one."""
    return _clusters(samples) if any(sample.group for sample in samples) else None


def _clusters(samples: Sequence[Sample]) -> list[Hashable]:
    return [("group", s.group) if s.group else ("sample", s.id) for s in samples]


def label_ends(
    values: Sequence[float],
    ends: tuple[float, float] | None,
    about: tuple[float | None, float | None],
) -> tuple[float, float]:
    """The least and the greatest label possible, where they are not given.

    Raises:
        InputError: If labels lie outside what was given.
    """
    low, high = min(values), max(values)
    if ends is None:
        if low >= 0 and high <= 1:
            return 0.0, 1.0
        lowest, highest = about
        # Grades of the metric's own scale may be lower or higher than the few that were given.
        if lowest is None or highest is None or low < lowest or high > highest:
            return low, high
        return (lowest, highest) if high - low >= OWN_SCALE * (highest - lowest) else (low, high)
    if not ends[0] < ends[1] or low < ends[0] or high > ends[1]:
        raise InputError(
            f"labels lie between {low:g} and {high:g}, not in {ends[0]:g}..{ends[1]:g}"
        )
    return ends


def as_labels(
    scores: Sequence[float] | Floats,
    about: tuple[float | None, float | None],
    ends: tuple[float, float],
    *,
    falling: bool,
) -> Floats:
    """The scores on the scale of the labels: the ends of the metric at the ends of that.

    A metric without an end has the last score there is in its place. The scores of one for which
    low is good are turned round.
    """
    array = np.asarray(scores, np.float64)
    low, high = (
        end if end is not None and math.isfinite(end) else observed
        for end, observed in zip(about, (float(array.min()), float(array.max())), strict=True)
    )
    share = (array - low) / (high - low) if high > low else np.zeros(len(array))
    return ends[0] + (1 - share if falling else share) * (ends[1] - ends[0])


def _inclusion_probabilities(
    labels: Labels, metric: str, samples: Sequence[str]
) -> list[float] | None:
    # Samples are chosen for one metric: a sheet for another has other chances.
    by_sample: dict[str, float] = {}
    for label in labels.of(metric):
        if label.chance is None or by_sample.setdefault(label.sample, label.chance) == label.chance:
            continue
        both_chances = f"{by_sample[label.sample]:g} and {label.chance:g}"
        fault = f"sample '{label.sample}' has inclusion_probability {both_chances}"
        raise InputError(fault, "give every annotator's row that of the latest sheet")
    chances = [by_sample.get(sample) for sample in samples]
    chances_given = [chance for chance in chances if chance is not None]
    if chances_given and len(chances_given) < len(chances):
        missing = next(s for s, chance in zip(samples, chances, strict=True) if chance is None)
        fault = f"sample '{missing}' has no inclusion_probability, and others have"
        raise InputError(fault, "`assay label` writes them; or leave the whole column out")
    return chances_given or None


def _design(
    scored: Sequence[tuple[Sample, float]],
    labelled_at: Sequence[int],
    chances: list[float] | None,
    strata: str | None,
) -> Design:
    if chances is not None and strata is not None:
        raise InputError("the labels bring probabilities, and strata were named", "give one only")
    return Design(chances, _strata(scored, labelled_at, strata), groups([s for s, _ in scored]))


def _strata(
    scored: Sequence[tuple[Sample, float]], labelled_at: Sequence[int], name: str | None
) -> list[Hashable] | None:
    if name is None:
        return None
    if not any(name in sample.metadata for sample, _ in scored):
        raise InputError(f"no sample has a column '{name}'", "name a column of the data")
    strata: list[Hashable] = [str(sample.metadata.get(name)) for sample, _ in scored]
    k, n_by_stratum = Counter(strata[index] for index in labelled_at), Counter(strata)
    too_few = sorted(str(value) for value in n_by_stratum if k[value] < min(n_by_stratum[value], 2))
    if too_few:
        fault = f"fewer than two samples of {name} {', '.join(too_few)} are labelled"
        raise InputError(fault, "label two or more of each; one does not tell how far they differ")
    return strata


def _as_probabilities(design: Design, labelled_at: Sequence[int]) -> Sequence[float] | None:
    if design.strata is None:
        return design.probabilities if design.probabilities is None else list(design.probabilities)
    names = list(design.strata)
    labelled_names = [names[index] for index in labelled_at]
    labelled, n_by_name = Counter(labelled_names), Counter(names)
    return [labelled[name] / n_by_name[name] for name in labelled_names]
