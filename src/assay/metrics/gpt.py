"""How did the RAGAS paper's two baselines judge: by a bare grade, and by a preference?"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.errors import InputError
from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import blank
from assay.metrics.grading import grade_parts, graded, missing, override, shown
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import GiveGrade, PreferAnswer

SOURCE = "Es et al. 2023, RAGAS (arXiv 2309.15217), section 5"
Quality: TypeAlias = Literal["faithfulness", "answer_relevance", "context_relevance"]

FAITHFUL = (
    "Faithfulness: is the answer consistent with the given context? Whatever the answer claims "
    "that cannot be deduced from the context lowers it."
)
RELEVANT = (
    "Answer relevance: does the answer address the question directly and fittingly? Redundant "
    "information and gaps lower it, whether or not the answer is right."
)
FOCUSED = (
    "Context relevance: does the context hold what is needed to answer the question and little "
    "else? Whatever does not help to answer it lowers it."
)
# What each quality means, in our words, and the texts that it is about.
QUALITIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "faithfulness": (FAITHFUL, ("contexts", "answer")),
    "answer_relevance": (RELEVANT, ("question", "answer")),
    "context_relevance": (FOCUSED, ("question", "contexts")),
}
TEN: tuple[tuple[float, str], ...] = (
    (0.0, "worst"),
    *((float(grade), "") for grade in range(1, 10)),
    (10.0, "best"),
)
WINS = {"first": 1.0, "tie": 0.5, "second": 0.0}


@dataclass(frozen=True)
class GptScore(Metric):
    """A grade from 0 to 10 for one quality, asked for directly (the baseline "GPT Score").

    The judge is told what the quality means and grades the sample in one call (Es et al. 2023,
    section 5; definitions in our words). In [0, 10]. Undefined if a required text is empty.

    Args:
        quality: "faithfulness", "answer_relevance" or "context_relevance".
    """

    quality: Quality = "faithfulness"

    name = "gpt_score"
    source = SOURCE
    needs = ("contexts", "answer")
    tasks = (GiveGrade,)
    range = (0.0, 10.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quality not in QUALITIES:
            wanted = f"one of {', '.join(QUALITIES)}"
            raise InputError(f"{self.name}: quality must be {wanted}, not {self.quality!r}")
        override(self, needs=QUALITIES[self.quality][1])

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for the grade."""
        definition, shows = QUALITIES[self.quality]
        if gap := missing(sample, shows):
            return Unscored("undefined", gap)
        grade = await judge(GiveGrade(definition, TEN, shown(sample, shows)))
        return Score(grade.value, grade_parts([grade], graded(sample, shows), 10))


@dataclass(frozen=True)
class GptRanking(Metric):
    """Whether the answer is preferred to another one in one quality (the baseline "GPT Ranking").

    1 if it is, 0 if the other answer is, 0.5 if neither; asked once, with this answer first (Es et
    al. 2023, section 5; definitions in our words). As a baseline it is not corrected for position
    bias: a judge that prefers the first answer favours this one. pairwise_preference asks in both
    orders. In {0, 0.5, 1}. Undefined if a required text is empty. Contexts cannot be ranked: a
    sample has one set.

    Args:
        quality: "faithfulness" or "answer_relevance".
    """

    quality: Literal["faithfulness", "answer_relevance"] = "faithfulness"

    name = "gpt_ranking"
    source = SOURCE
    needs = ("contexts", "answer", "other_answer")
    tasks = (PreferAnswer,)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quality not in ("faithfulness", "answer_relevance"):
            wanted = "faithfulness or answer_relevance"
            raise InputError(f"{self.name}: quality must be {wanted}, not {self.quality!r}")
        override(self, needs=(*QUALITIES[self.quality][1], "other_answer"))

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask which answer is better."""
        definition, (consulted, _) = QUALITIES[self.quality]
        answer, other = sample.answer or "", sample.other_answer or ""
        if gap := missing(sample, (consulted,)):
            return Unscored("undefined", gap)
        if blank(answer) or blank(other):
            return Unscored("undefined", "one of the two answers is empty")
        found = await judge(PreferAnswer(definition, shown(sample, (consulted,)), answer, other))
        label = {"first": "preferred", "second": "other preferred", "tie": "tie"}[found.better]
        value = WINS[found.better]
        return Score(value, (Part("answer", answer, label, value, found.reason),))


METRICS: tuple[type[Metric], ...] = (GptScore, GptRanking)
