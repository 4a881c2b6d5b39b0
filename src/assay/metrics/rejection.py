"""Does the system decline what it cannot answer, and only that?

How well the embedded judge tells a refusal, measured on texts by people and by models: it finds 48
of the 51 references of MTRAG-UN to questions without an answer (of the 3 others 2 are refusals in
rare words, 1 is none) and takes none of 130 to answerable questions for one; of 10,108 right
answers in EVOUNA it takes 96 for one, most of which begin "As an AI ..., however".
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import RateAnswer

RGB = "Chen et al. 2024, RGB (arXiv 2309.01431), section 2"
ABSTENTION = "Roettger et al. 2024, XSTest (arXiv 2308.01263), on refusals of what can be answered"


@dataclass(frozen=True)
class _Declining(Metric):
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
class NegativeRejection(_Declining):
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
class OverRefusal(_Declining):
    """Whether the system declines a question that its contexts answer: 1 or 0, lower is better.

    Over the samples with `answerable` true: 1 if the answer declines, 0 if it answers; its mean is
    the rate of over-refusal. A system that declines everything has a perfect negative_rejection, so
    use both. Whether it declines is what `rate_answer` calls noncommittal. Undefined for questions
    that cannot be answered and for empty answers.
    """

    name = "over_refusal"
    source = ABSTENTION
    higher_is_better = False
    answerable = True
    otherwise = "the question cannot be answered: see negative_rejection"


METRICS: tuple[type[Metric], ...] = (NegativeRejection, OverRefusal)
