"""Robustness against noise and wrong contexts, and refusals of what cannot be answered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, ClassVar, Literal

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric, override
from assay.metrics.correctness import AnswerCorrectness, AnswerSimilarity, FactualCorrectness
from assay.metrics.evidence import blank
from assay.metrics.text_similarity import ExactMatch, StringPresence, TokenF1
from assay.sample import Sample, Variant
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import RateAnswer, SplitStatements, Statement, VerifyStatements

RGB = "Chen et al. 2024, RGB (arXiv 2309.01431), section 2"
# What compares an answer with the reference, whatever contexts it came from.
INNER: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        FactualCorrectness(),
        AnswerCorrectness(),
        AnswerSimilarity(),
        TokenF1(),
        StringPresence(),
        ExactMatch(),
    )
}
WRONG = Statement("s1", "The retrieved contexts contain errors or contradict what is known.")


@dataclass(frozen=True)
class _Robustness(Metric):
    """Base of the metrics that score the answers over contexts made worse."""

    metric: str = FactualCorrectness.name

    needs: ClassVar[tuple[str, ...]] = ("question", "answer", "reference", "variants")
    source = RGB
    kind: ClassVar[Literal["noise", "counterfactual"]]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.metric not in INNER:
            names = ", ".join(INNER)
            raise InputError(f"{self.name}: metric must be one of {names}, not {self.metric!r}")
        override(self, revision=INNER[self.metric].revision)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """What the chosen metric asks."""
        return INNER[self.metric].asks(can)

    def chosen(self, sample: Sample) -> list[Variant]:
        """The answers over the kind of contexts that it is about."""
        return [variant for variant in sample.variants or () if variant.kind == self.kind]

    async def scored(
        self, sample: Sample, variants: Sequence[Variant], judge: Judge
    ) -> list[Outcome]:
        """The score of each answer, one after the other: the record keeps the order of asking."""
        inner = INNER[self.metric]
        return [await inner.score(_with_answer(sample, v), judge) for v in variants]


@dataclass(frozen=True)
class NoiseRobustness(_Robustness):
    """How much worse the answer becomes when noise is mixed into its contexts: lower is better.

    score(answer) - mean score(answer over noisy contexts), by a metric that compares with the
    reference, over the variants of kind "noise"; 0 means that noise did no harm, a negative value
    that the noisy answers are better; in [-1, 1]. The details give the mean score without noise and
    for each noise ratio, as the tables of RGB do (Chen et al. 2024; RGB itself searches for the
    reference in the answer: ``metric=string_presence``). An answer that is wrong without noise
    cannot become worse: consider the score without noise too. Undefined without such variants, or
    if the metric is undefined for the usual answer or for all variants.

    Args:
        metric: The metric that compares an answer with the reference: "factual_correctness",
            "answer_correctness", "answer_similarity", "token_f1", "string_presence" or
            "exact_match".
    """

    name = "noise_robustness"
    tasks = (SplitStatements, VerifyStatements)
    range = (-1.0, 1.0)
    higher_is_better = False
    kind = "noise"

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score all answers and compare."""
        noisy = self.chosen(sample)
        if not noisy:
            return Unscored("undefined", "no answer over noisy contexts is given")
        clean, *worse = await self.scored(sample, [_original(sample), *noisy], judge)
        parts = (
            _part(_original(sample), clean, "without noise"),
            *(_part(v, outcome, _ratio(v)) for v, outcome in zip(noisy, worse, strict=True)),
        )
        values = [(v, f.value) for v, f in zip(noisy, worse, strict=True) if isinstance(f, Score)]
        if isinstance(clean, Unscored) or not values:
            return Unscored(
                "undefined", f"{self.metric} is undefined: {_first_reason([clean, *worse])}", parts
            )
        drop = clean.value - fmean(value for _, value in values)
        details = {"without noise": clean.value, **_by_ratio(values)}
        return Score(max(-1.0, min(1.0, drop)), parts, clean.method, details)


@dataclass(frozen=True)
class CounterfactualRobustness(_Robustness):
    """Whether the answer stays right although facts in its contexts were falsified.

    Mean score of the answers over the variants of kind "counterfactual", by a metric that compares
    with the reference; in [0, 1] for all metrics except answer_similarity, whose cosine may be
    negative and then counts as 0 (Chen et al. 2024, RGB; RGB searches for the reference in the
    answer: ``metric=string_presence``). With `detection` the judge is also asked whether each such
    answer says that the contexts are wrong; the details then give RGB's rates: detected (answers
    that say so) and corrected (mean score of those). Undefined without such variants, or if the
    metric is undefined for all of them.

    Args:
        metric: The metric that compares an answer with the reference: "factual_correctness",
            "answer_correctness", "answer_similarity", "token_f1", "string_presence" or
            "exact_match".
        detection: Whether to ask if the answers say that the contexts are wrong; this needs an LLM;
            the embedded judge was not made for it.
    """

    detection: bool = False

    name = "counterfactual_robustness"
    needs = ("question", "reference", "variants")  # the usual answer is not scored
    tasks = (SplitStatements, VerifyStatements)
    kind = "counterfactual"

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """What the chosen metric asks, and a verdict on each answer if wanted."""
        tasks = super().asks(can)
        return (
            tasks if VerifyStatements in tasks or not self.detection else (*tasks, VerifyStatements)
        )

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Score all answers."""
        misled = self.chosen(sample)
        if not misled:
            return Unscored("undefined", "no answer over counterfactual contexts is given")
        outcomes = await self.scored(sample, misled, judge)
        parts = tuple(
            _part(v, f, "over wrong contexts") for v, f in zip(misled, outcomes, strict=True)
        )
        values = [max(0.0, f.value) for f in outcomes if isinstance(f, Score)]
        if not values:
            return Unscored(
                "undefined", f"{self.metric} is undefined: {_first_reason(outcomes)}", parts
            )
        scored = Score(fmean(values), parts)
        return await self._detected(scored, misled, judge) if self.detection else scored

    async def _detected(self, scored: Score, misled: Sequence[Variant], judge: Judge) -> Score:
        """The same score, with what the judge says of each answer."""
        verdicts = await judge.each([VerifyStatements((WRONG,), (v.answer,)) for v in misled])
        says = [verdict[0].supported for verdict in verdicts]
        parts = tuple(
            replace(part, label=f"{part.label}, {'says so' if says_so else 'does not say so'}")
            for part, says_so in zip(scored.parts, says, strict=True)
        )
        right = [
            p.value
            for p, says_so in zip(parts, says, strict=True)
            if says_so and p.value is not None
        ]
        details = {"detected": fmean(says), **({"corrected": fmean(right)} if right else {})}
        return replace(scored, parts=parts, details=details)


def _original(sample: Sample) -> Variant:
    return Variant("noise", sample.answer or "", sample.contexts, 0.0)


def _with_answer(sample: Sample, variant: Variant) -> Sample:
    contexts = variant.contexts if variant.contexts is not None else sample.contexts
    return replace(sample, answer=variant.answer, contexts=contexts)


def _ratio(variant: Variant) -> str:
    return "with noise" if variant.ratio is None else f"noise ratio {variant.ratio:g}"


def _by_ratio(values: Sequence[tuple[Variant, float]]) -> dict[str, float]:
    # "with noise" for those whose ratio is not known comes last.
    ordered = sorted(values, key=lambda pair: (pair[0].ratio is None, pair[0].ratio or 0.0))
    groups: dict[str, list[float]] = {}
    for variant, value in ordered:
        groups.setdefault(_ratio(variant), []).append(value)
    return {name: fmean(group) for name, group in groups.items()}


def _part(variant: Variant, outcome: Outcome, label: str) -> Part:
    if isinstance(outcome, Score):
        return Part("scored answer", variant.answer, label, outcome.value)
    return Part("scored answer", variant.answer, label, None, outcome.detail)


def _first_reason(outcomes: Sequence[Outcome]) -> str:
    return next(outcome.detail for outcome in outcomes if isinstance(outcome, Unscored))


XSTEST = "Roettger et al. 2024, XSTest (arXiv 2308.01263), on refusals of what can be answered"


@dataclass(frozen=True)
class _Refusal(Metric):
    """Base of the metrics that ask whether an answer declines."""

    needs = ("question", "answer", "answerable")
    tasks = (RateAnswer,)
    answerable: ClassVar[bool]  # which questions it looks at
    otherwise: ClassVar[str]  # why it says nothing about the others

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask whether the answer declines, if the question is of the kind that is looked at."""
        answer = sample.answer or ""
        if sample.answerable is None:
            return Unscored("undefined", "it is not known whether the question can be answered")
        if sample.answerable is not self.answerable:
            return Unscored("undefined", self.otherwise)
        if blank(answer):
            return Unscored("undefined", "the answer is empty")
        rating = await judge(RateAnswer(sample.question or "", answer))
        value = float(rating.noncommittal)
        label = "declined" if rating.noncommittal else "answered"
        return Score(value, (Part("answer", answer, label, value, rating.reason),))


@dataclass(frozen=True)
class NegativeRejection(_Refusal):
    """Whether the system declines a question that its contexts do not answer: 1 or 0.

    Over the samples with `answerable` false: 1 if the answer declines ("I do not know"), 0 if it
    answers anyway; its mean is the rejection rate (Chen et al. 2024, RGB). Whether it declines is
    what `rate_answer` calls noncommittal. If an answer declines and then answers from elsewhere,
    the judge decides. Undefined for answerable questions and for empty answers.
    """

    name = "negative_rejection"
    aliases = ("rejection_rate",)
    source = RGB
    answerable = False
    otherwise = "the question can be answered: see over_refusal"


@dataclass(frozen=True)
class OverRefusal(_Refusal):
    """Whether the system declines a question that its contexts answer: 1 or 0, lower is better.

    Over the samples with `answerable` true: 1 if the answer declines, 0 if it answers; its mean is
    the rate of over-refusal. A system that declines everything has a perfect negative_rejection, so
    use both. Whether it declines is what `rate_answer` calls noncommittal. Undefined for questions
    that cannot be answered and for empty answers.
    """

    name = "over_refusal"
    source = XSTEST
    higher_is_better = False
    answerable = True
    otherwise = "the question cannot be answered: see negative_rejection"
