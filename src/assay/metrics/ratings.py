"""How do two differently worded ratings on a short scale find answer and contexts (NVIDIA)?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assay.judge import Judge
from assay.metrics.base import FOLLOWS_RAGAS, Metric
from assay.metrics.evidence import blank
from assay.metrics.grading import shown
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import GiveGrade

SOURCE = "RAGAS documentation, NVIDIA metrics"
Scale: TypeAlias = tuple[tuple[float, str], ...]

# Which of the two asks is meant, and how: criterion, grades, and the label of its part.
SAME = "Does the answer say what the reference says? The reference answers the question completely."
SAME_GRADES: Scale = (
    (0.0, "the answer is wrong, or says something else than the reference"),
    (2.0, "the answer says part of it, or almost the same"),
    (4.0, "the answer says the same in all facts, numbers, dates and units"),
)
ALIKE = (
    "Compare the answer with the reference for the question, point by point: topics, facts, "
    "numbers, dates and units. How far do the two agree?"
)
ALIKE_GRADES: Scale = (
    (0.0, "they disagree, or one of them does not answer the question"),
    (2.0, "they agree for the most part, with small differences or gaps"),
    (4.0, "they agree in everything"),
)
USEFUL = "Do the contexts hold what is needed to answer the question? Use no knowledge of your own."
USEFUL_GRADES: Scale = (
    (0.0, "nothing in them helps to answer it"),
    (1.0, "they hold a part of what is needed"),
    (2.0, "they hold all that is needed"),
)
ENOUGH = (
    "Someone has nothing but these contexts and has to answer the question. How far does that "
    "person get?"
)
ENOUGH_GRADES: Scale = (
    (0.0, "nowhere: the contexts are about something else"),
    (1.0, "half the way: something of the answer is missing"),
    (2.0, "all the way: the question can be answered in full"),
)
GROUNDED = "Do the contexts support what the answer says? Use no knowledge of your own."
GROUNDED_GRADES: Scale = (
    (0.0, "they do not support it"),
    (1.0, "they support a part of it"),
    (2.0, "they support all of it"),
)
TRACED = (
    "Trace each thing that the answer says back to the contexts. How much of the answer can be "
    "traced back?"
)
TRACED_GRADES: Scale = (
    (0.0, "nothing of importance"),
    (1.0, "some of it"),
    (2.0, "everything"),
)


@dataclass(frozen=True)
class AnswerAccuracy(Metric):
    """Agreement of the answer with the reference, rated twice with the roles of the two swapped.

    (r1 + r2) / 8 with ratings of {0, 2, 4}: the first compares the answer with the reference, the
    second, in other words, the reference with the answer. In [0, 1]. If one rating fails, RAGAS
    uses the other for both; here the score fails. Undefined if question or reference is empty; an
    empty answer scores 0. The two ratings are the parts.
    """

    name = "answer_accuracy"
    aliases = ("nv_accuracy",)
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("question", "answer", "reference")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate both ways."""
        question, reference = sample.question or "", sample.reference or ""
        answer = sample.answer or ""
        if blank(question) or blank(reference):
            return Unscored("undefined", "the question or the reference is empty")
        if blank(answer):
            return Score(0.0, (Part("answer", answer, "empty", 0.0),))
        asked = ("question", question)
        one = (asked, ("answer", answer), ("reference", reference))
        other = (asked, ("answer", reference), ("reference", answer))
        rated = [GiveGrade(SAME, SAME_GRADES, one), GiveGrade(ALIKE, ALIKE_GRADES, other)]
        ways = ("answer against reference", "reference against answer")
        return await _mean(rated, ways, answer, judge)


@dataclass(frozen=True)
class NvContextRelevance(Metric):
    """How far the contexts contain what the question needs, rated with two different prompts.

    (r1 + r2) / 4 with ratings of {0, 1, 2}, all contexts together. In [0, 1]. As in RAGAS it is 0
    if the contexts are empty or contained in the question. If one rating fails, RAGAS uses the
    other for both; here the score fails. Undefined if the question is empty.
    """

    name = "nv_context_relevance"
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("question", "contexts")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate the contexts twice."""
        question, joined = sample.question or "", "\n".join(sample.contexts or ())
        if blank(question):
            return Unscored("undefined", "the question is empty")
        if blank(joined):
            return Score(0.0, (Part("question", question, "no context", 0.0),))
        if joined.strip() in question.strip():
            return Score(0.0, (Part("question", question, "holds the contexts itself", 0.0),))
        texts = shown(sample, ("question", "contexts"))
        rated = [GiveGrade(USEFUL, USEFUL_GRADES, texts), GiveGrade(ENOUGH, ENOUGH_GRADES, texts)]
        return await _mean(rated, ("first wording", "second wording"), joined, judge)


@dataclass(frozen=True)
class ResponseGroundedness(Metric):
    """How far the contexts support the answer, rated with two different prompts.

    (r1 + r2) / 4 with ratings of {0, 1, 2}, all contexts together. In [0, 1]. As in RAGAS it is 0
    if answer or contexts are empty. If one rating fails, RAGAS uses the other for both; here the
    score fails.
    """

    name = "response_groundedness"
    aliases = ("nv_response_groundedness",)
    source = SOURCE
    follows = FOLLOWS_RAGAS
    needs = ("contexts", "answer")
    tasks = (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Rate the answer twice."""
        answer = sample.answer or ""
        if blank(answer) or blank(*(sample.contexts or ())):
            label = "empty" if blank(answer) else "no context"
            return Score(0.0, (Part("answer", answer, label, 0.0),))
        texts = shown(sample, ("contexts", "answer"))
        rated = [
            GiveGrade(GROUNDED, GROUNDED_GRADES, texts),
            GiveGrade(TRACED, TRACED_GRADES, texts),
        ]
        return await _mean(rated, ("first wording", "second wording"), answer, judge)


async def _mean(tasks: Sequence[GiveGrade], ways: Sequence[str], text: str, judge: Judge) -> Score:
    best = tasks[0].grades[-1][0]
    ratings = await judge.each(tasks)
    parts = tuple(
        Part("rating", text, f"{way}: {r.value:g} of {best:g}", r.value / best, r.reason)
        for way, r in zip(ways, ratings, strict=True)
    )
    details = {"ratings": [rating.value for rating in ratings]}
    return Score(sum(r.value for r in ratings) / (len(ratings) * best), parts, details=details)


METRICS: tuple[type[Metric], ...] = (AnswerAccuracy, NvContextRelevance, ResponseGroundedness)
