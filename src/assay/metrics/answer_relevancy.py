"""Does the answer address the question?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.judge import Judge, Task
from assay.metrics.base import PAPER, Can, Metric
from assay.sample import Sample
from assay.score import Outcome, Part, Score
from assay.tasks import Embed, GenerateQuestions, PaperQuestion, RateAnswer
from assay.tasks.embed import cosine

RATED = "rated directly by the judge, which generates no questions: not the cosine definition"


@dataclass(frozen=True)
class AnswerRelevancy(Metric):
    """Mean cosine between the question and n questions generated from the answer.

    AR = mean_i cos(E(question), E(question_i)), n = 3 (Es et al. 2023, section 3), in [-1, 1].
    A noncommittal answer is reported as such beside its score (the paper has no such factor).
    A judge that cannot generate questions rates the answer directly, in [0, 1], and the score
    and its signature say so. The cosine is no absolute scale: it depends on the embedder.

    Args:
        n: How many questions are generated.
    """

    n: int = 3

    name = "answer_relevancy"
    source = PAPER
    needs = ("question", "answer")
    tasks = (GenerateQuestions, RateAnswer, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Questions and embeddings, else a rating."""
        if can(RateAnswer) and not can(GenerateQuestions):
            return (RateAnswer,)
        return (GenerateQuestions, Embed)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Generate questions and compare them with the one that was asked."""
        question, answer = sample.question or "", sample.answer or ""
        if self.asks(judge.can) == (RateAnswer,):
            return await _rated(question, answer, judge)
        generated = await judge(GenerateQuestions(answer, self.n))
        return await _compared(
            question, generated.questions, judge, noncommittal=generated.noncommittal
        )


@dataclass(frozen=True)
class PaperAnswerRelevance(Metric):
    """Answer relevance asked in the words of the RAGAS paper (needs an LLM).

    AR = 1/n sum_i sim(q, q_i) in [-1, 1] (Es et al. 2023, section 3): n draws of one prompt.

    Args:
        n: How many questions are generated.
    """

    n: int = 3

    name = "paper:answer_relevancy"
    source = PAPER
    needs = ("question", "answer")
    tasks = (PaperQuestion, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask the paper's prompt n times."""
        questions = await judge.draws(PaperQuestion(sample.answer or ""), self.n)
        return await _compared(sample.question or "", questions, judge, noncommittal=None)


async def _compared(
    question: str, generated: Sequence[str], judge: Judge, *, noncommittal: bool | None
) -> Score:
    asked, *vectors = await judge.each([Embed(question), *map(Embed, generated)])
    cosines = [cosine(asked, vector) for vector in vectors]
    parts = tuple(
        Part("question", text, "generated", value)
        for text, value in zip(generated, cosines, strict=True)
    )
    details = {} if noncommittal is None else {"noncommittal": noncommittal}
    return Score(sum(cosines) / len(cosines), parts, details=details)


async def _rated(question: str, answer: str, judge: Judge) -> Score:
    rating = await judge(RateAnswer(question, answer))
    label = "noncommittal" if rating.noncommittal else "rated"
    part = Part("answer", answer, label, rating.relevance, rating.reason)
    details = {"noncommittal": rating.noncommittal}
    return Score(rating.relevance, (part,), RATED, details)
