"""Does the answer address the question?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import InputError
from assay.judge import RETRY_STRIDE, Judge, Task
from assay.metrics.base import PAPER, Can, Metric
from assay.metrics.evidence import blank, one_blank
from assay.sample import Sample
from assay.score import Outcome, Part, Score
from assay.tasks import Embed, GenerateQuestions, PaperQuestion, Questions, RateAnswer
from assay.tasks.embed import cosine
from assay.text.language_id import identify_language

RATED = "rated directly by the judge, which generates no questions: not the cosine definition"
OTHER_LANGUAGE = "in another language than the answer, which lowers the cosine"


@dataclass(frozen=True)
class AnswerRelevancy(Metric):
    """Mean cosine between the question and n questions generated from the answer.

    AR = mean_i cos(E(question), E(question_i)), n = 3 (Es et al. 2023, section 3), in [-1, 1]. A
    noncommittal answer is reported beside its score (the paper has no such factor). An empty answer
    scores 0; undefined if the question is empty. A judge that cannot generate questions rates the
    answer directly, in [0, 1], and the score and its signature say so. The cosine is not an
    absolute scale: it depends on the embedder. Questions generated in a language other than the
    answer's and the question's would lower it: they are asked for once more, and marked if that
    does not help.

    Args:
        n: How many questions are generated.
    """

    n: int = 3

    name = "answer_relevancy"
    aliases = ("answer_relevance", "response_relevancy")
    source = PAPER
    needs = ("question", "answer")
    tasks = (GenerateQuestions, RateAnswer, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        check_n(self.name, self.n)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Questions and embeddings, else a rating."""
        if can(RateAnswer) and not can(GenerateQuestions):
            return (RateAnswer,)
        return (GenerateQuestions, Embed)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Generate questions and compare them with the one that was asked."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return one_blank(question, answer)
        if self.asks(judge.can) == (RateAnswer,):
            return await _rated(question, answer, judge)
        generated = await _generated(question, answer, self.n, judge)
        return await _compared(
            question, answer, generated.questions, judge, noncommittal=generated.noncommittal
        )


@dataclass(frozen=True)
class PaperAnswerRelevance(Metric):
    """Answer relevance with the prompts of the RAGAS paper (needs an LLM).

    AR = 1/n sum_i sim(q, q_i) in [-1, 1] (Es et al. 2023, section 3): n draws of one prompt.
    An empty answer scores 0; undefined if the question is empty.

    Args:
        n: How many questions are generated.
    """

    n: int = 3

    name = "paper:answer_relevancy"
    aliases = ("paper:answer_relevance",)
    source = PAPER
    needs = ("question", "answer")
    tasks = (PaperQuestion, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    def __post_init__(self) -> None:
        super().__post_init__()
        check_n(self.name, self.n)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask the paper's prompt n times."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return one_blank(question, answer)
        questions = await judge.draws(PaperQuestion(answer), self.n)
        return await _compared(question, answer, questions, judge, noncommittal=None)


def check_n(name: str, n: object, parameter: str = "n") -> None:
    """Refuse a number of questions that cannot be.

    Raises:
        InputError: If it is no whole number, or leaves no room for draws after a bad reply.
    """
    if type(n) is not int or not 1 <= n < RETRY_STRIDE:
        wanted = f"a whole number from 1 to {RETRY_STRIDE - 1}"
        raise InputError(f"{name}: {parameter} must be {wanted}, not {n!r}")


async def _generated(question: str, answer: str, n: int, judge: Judge) -> Questions:
    """The questions in the language of the sample, as far as the judge keeps to it."""
    task = GenerateQuestions(answer, n)
    generated = await judge(task)
    strays = _strays(generated.questions, question, answer)
    if not any(strays):
        return generated
    again = await judge(task, draw=1)
    better = sum(_strays(again.questions, question, answer)) < sum(strays)
    return again if better else generated


def _strays(generated: Sequence[str], question: str, answer: str) -> list[bool]:
    """Whether each is clearly in another language than what was asked and what was answered."""
    known = {identify_language(question), identify_language(answer)} - {""}
    if not known:
        return [False] * len(generated)
    return [identify_language(text) not in {*known, ""} for text in generated]


async def _compared(
    question: str,
    answer: str,
    generated: Sequence[str],
    judge: Judge,
    *,
    noncommittal: bool | None,
) -> Score:
    asked, *vectors = await judge.each([Embed(question), *map(Embed, generated)])
    cosines = [cosine(asked, vector) for vector in vectors]
    strays = _strays(generated, question, answer)
    parts = tuple(
        Part("question", text, "generated", value, OTHER_LANGUAGE if stray else "")
        for text, value, stray in zip(generated, cosines, strays, strict=True)
    )
    details: dict[str, Any] = {} if noncommittal is None else {"noncommittal": noncommittal}
    details |= {"other_language": sum(strays)} if any(strays) else {}
    return Score(sum(cosines) / len(cosines), parts, details=details)


async def _rated(question: str, answer: str, judge: Judge) -> Score:
    rating = await judge(RateAnswer(question, answer))
    label = "noncommittal" if rating.noncommittal else "rated"
    part = Part("answer", answer, label, rating.relevance, rating.reason)
    details = {"noncommittal": rating.noncommittal}
    return Score(rating.relevance, (part,), RATED, details)


METRICS: tuple[type[Metric], ...] = (AnswerRelevancy, PaperAnswerRelevance)
