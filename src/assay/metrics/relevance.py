"""Relevance and completeness of an answer: whether it says what was asked for, and no more."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from assay._text.language_id import identify_language
from assay._text.sentences import Span
from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import FOLLOWS_RAGAS, PAPER, Can, Draws, Metric, override
from assay.metrics.evidence import (
    Statements,
    blank,
    blank_outcome,
    choices,
    helpful_ids,
    parts_beside,
    premise,
    rating_part,
    relevance_part,
    relevance_share,
    share,
    split,
    verify,
)
from assay.metrics.grading import missing
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    AnswerClosedQuestions,
    AnswerQuestions,
    AskClosedQuestions,
    Embed,
    GenerateQuestions,
    Questions,
    RateAnswer,
    SelectSentences,
    ShortAnswer,
    SplitQuestion,
    SplitStatements,
    Statement,
    Verdict,
    VerifyStatements,
)
from assay.tasks.embedding import cosine

RATED = "rated directly by the judge, which generates no questions: not the cosine definition"
OTHER_LANGUAGE = "in another language than the answer, which lowers the cosine"


def questions_or_rating(can: Can) -> tuple[type[Task[Any]], ...]:
    """What a judge is asked about relevancy: questions and embeddings, else a rating."""
    if can(RateAnswer) and not can(GenerateQuestions):
        return (RateAnswer,)
    return (GenerateQuestions, Embed)


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

    n: Draws = 3

    name = "answer_relevancy"
    aliases = ("answer_relevance", "response_relevancy")
    source = PAPER
    needs = ("question", "answer")
    tasks = (GenerateQuestions, RateAnswer, Embed)
    range = (-1.0, 1.0)
    guide = 0.75

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Questions and embeddings, else a rating."""
        return questions_or_rating(can)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Generate questions and compare them with the one that was asked."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return blank_outcome(question, answer)
        if self.asks(judge.can) == (RateAnswer,):
            return await _rated(question, answer, judge)
        generated = await _generated(question, answer, self.n, judge)
        return await compared(
            question, answer, generated.questions, judge, noncommittal=generated.noncommittal
        )


async def _generated(question: str, answer: str, n: int, judge: Judge) -> Questions:
    """The questions in the language of the sample, as far as the judge keeps to it."""
    task = GenerateQuestions(answer, n)
    generated = await judge(task)
    strays = _in_other_language(generated.questions, question, answer)
    if not any(strays):
        return generated
    second_try = await judge(task, draw=1)
    better = sum(_in_other_language(second_try.questions, question, answer)) < sum(strays)
    return second_try if better else generated


def _in_other_language(generated: Sequence[str], question: str, answer: str) -> list[bool]:
    """Whether each is clearly in another language than what was asked and what was answered."""
    languages = {identify_language(question), identify_language(answer)} - {""}
    if not languages:
        return [False] * len(generated)
    return [identify_language(text) not in {*languages, ""} for text in generated]


async def compared(
    question: str,
    answer: str,
    generated: Sequence[str],
    judge: Judge,
    *,
    noncommittal: bool | None,
) -> Score:
    """The mean cosine between the question and those that were generated."""
    question_vector, *vectors = await judge.each([Embed(question), *map(Embed, generated)])
    cosines = [cosine(question_vector, vector) for vector in vectors]
    strays = _in_other_language(generated, question, answer)
    parts = tuple(
        Part("question", text, "generated", value, OTHER_LANGUAGE if stray else "")
        for text, value, stray in zip(generated, cosines, strays, strict=True)
    )
    details: dict[str, Any] = {} if noncommittal is None else {"noncommittal": noncommittal}
    details |= {"other_language": sum(strays)} if any(strays) else {}
    return Score(sum(cosines) / len(cosines), parts, details=details)


async def _rated(question: str, answer: str, judge: Judge) -> Score:
    rating = await judge(RateAnswer(question, answer))
    details = {"noncommittal": rating.noncommittal}
    return Score(rating.rated, (rating_part(rating, answer),), RATED, details)


@dataclass(frozen=True)
class AnswerRelevanceByStatement(Metric):
    """Share of the answer's statements that help to answer the question.

    R = statements that help / statements of the answer, in [0, 1], on the same choices as
    deepeval:answer_relevancy. An answer with words but without a statement ("I do not know")
    answers nothing: 0. Undefined if the answer or the question is empty. It measures neither
    whether the statements are right nor whether the answer is complete (see completeness).
    """

    name = "answer_relevance_by_statement"
    source = "assay, after DeepEval's AnswerRelevancyMetric"
    needs = ("question", "answer")
    tasks = (SplitStatements, SelectSentences)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Split the answer and let the judge choose what helps."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return Unscored("undefined", "the question or the answer is empty")
        (statements,) = await split(question, [answer], judge)
        if not statements:
            return share([Part("answer", answer, "no statement", 0.0)])
        return await relevance_share(question, statements, judge)


@dataclass(frozen=True)
class Conciseness(Metric):
    """Share of the answer's statements that are needed: neither beside the point nor repeated.

    C = needed statements / statements of the answer, in [0, 1]. A statement is needed if it helps
    to answer the question and cannot be inferred from the statements before it, so the first
    mention of repeated content counts as needed. Each statement that helps is verified against
    those before it, in one call each. Undefined if the answer makes no statement or the question is
    empty.
    """

    name = "conciseness"
    source = "assay"
    needs = ("question", "answer")
    tasks = (SplitStatements, SelectSentences, VerifyStatements)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Choose what helps, verify each of it against all that was said before."""
        question = sample.question or ""
        if blank(question):
            return Unscored("undefined", "the question is empty")
        (statements,) = await split(question, [sample.answer or ""], judge)
        if not statements:
            return Unscored("undefined", "the answer makes no statement")
        relevant = await choices(question, statements, judge)
        repetitions = await _against_earlier(statements, helpful_ids(relevant), judge)
        parts: list[Part] = []
        for s in statements:
            parts.append(_need_part(relevance_part(s, relevant.get(s.id)), repetitions.get(s.id)))
            parts += [_repeated_part(s, span) for span in s.repeats]
        return share(parts)


@dataclass(frozen=True)
class Completeness(Metric):
    """Share of what the reference says in reply to the question that the answer covers.

    C = covered statements / needed statements, in [0, 1], over the statements of the reference that
    help to answer the question (all of them if the judge chooses none); one is covered if it can be
    inferred from the answer. Unlike factual_correctness(mode=recall) it ignores what the reference
    says beyond the question. An empty answer scores 0. Undefined if the reference makes no
    statement or the question is empty.
    """

    name = "completeness"
    source = "assay, after RAGEval's completeness (Zhu et al. 2024, arXiv 2408.01262)"
    needs = ("question", "answer", "reference")
    tasks = (SplitStatements, SelectSentences, VerifyStatements)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Verify the reference's statements against the answer, leave out what is not needed."""
        question, answer, reference = sample.question or "", sample.answer or "", sample.reference
        if blank(question):
            return Unscored("undefined", "the question is empty")
        answer_statements, reference_statements = await split(
            question, [answer, reference or ""], judge
        )
        if not reference_statements:
            return Unscored("undefined", "the reference makes no statement")
        # The same verdicts as those of factual_correctness, which are then asked for once.
        (verdicts,) = await verify(
            [(reference_statements, (premise(answer_statements, answer),))], judge
        )
        needed = helpful_ids(await choices(question, reference_statements, judge)) or [
            s.id for s in reference_statements
        ]
        of_reference = reference_statements, verdicts, reference or "", "reference statement"
        parts = parts_beside(*of_reference, ("covered", "not covered"))
        return share(
            [
                part if s.id in needed else replace(part, label="not needed", value=None)
                for s, part in zip(reference_statements, parts, strict=True)
            ]
        )


@dataclass(frozen=True)
class CompletenessWithoutReference(Metric):
    """Share of the parts of the question that the answer answers, right or wrong.

    C = answered parts / parts of the question, in [0, 1]: a question that asks for one thing has
    one part. A part is answered if the answer alone gives a reply to it. An empty answer scores
    0. Undefined if the question is empty. Needs an LLM.
    """

    name = "completeness_without_reference"
    source = "assay"
    needs = ("question", "answer")
    tasks = (SplitQuestion, AnswerQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Take the question apart, answer each part from the answer."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return blank_outcome(question, answer)
        questions = await judge(SplitQuestion(question))
        answers = await judge(AnswerQuestions(questions, answer))
        return share([_answered_part(q, g) for q, g in zip(questions, answers, strict=True)])


async def _against_earlier(
    statements: Statements, relevant: Collection[str], judge: Judge
) -> dict[str, Verdict]:
    tasks = [
        VerifyStatements((s,), ("\n".join(earlier.text for earlier in statements[:n]),))
        for n, s in enumerate(statements)
        if n and s.id in relevant
    ]
    return {verdict.id: verdict for (verdict,) in await judge.each(tasks)}


def _need_part(part: Part, repetition: Verdict | None) -> Part:
    if not part.value:
        return replace(part, label="beside the point")
    if repetition and repetition.supported:
        reason, quote = repetition.reason, repetition.quote
        return replace(part, label="repeated", value=0.0, reason=reason, quote=quote)
    return replace(part, label="needed")


def _repeated_part(statement: Statement, span: Span) -> Part:
    reason = "the answer has already made this statement"
    return Part("statement", statement.text, "repeated", 0.0, reason, span=span)


def _answered_part(question: str, reply: ShortAnswer) -> Part:
    label = "not answered" if reply.answer is None else "answered"
    value = float(reply.answer is not None)
    return Part("part of the question", question, label, value, quote=reply.answer or "")


STATED = (
    "share of the source's statements that the summary supports, in place of yes-or-no questions, "
    "by a judge that writes none"
)


@dataclass(frozen=True)
class SummaryScore(Metric):
    """How much of the contexts the answer summarises, weighed against its length.

    (1 - coeff) Q + coeff C. Q is the share of yes-or-no questions, made from key phrases of the
    contexts so that the contexts answer yes, to which the answer alone also answers yes. C = 1 -
    min(length of the answer, length of the contexts) / length of the contexts, in characters, with
    the contexts joined by line breaks (RAGAS 0.4.3). In [0, 1). Without the length penalty the
    score is Q. Undefined if the contexts or the answer are empty (RAGAS' older class gives an empty
    answer C = 1), or if the contexts yield no question. A judge that cannot write questions
    verifies the statements of the contexts against the answer, and the score says so.

    Args:
        coeff: Weight of brevity, 0 to 1.
        length_penalty: False leaves brevity out.
        of: What is summarised: "contexts", or "reference_contexts" as in RAGAS.
    """

    coeff: float = 0.5
    length_penalty: bool = True
    of: Literal["contexts", "reference_contexts"] = "contexts"

    name = "summary_score"
    aliases = ("summarization_score",)
    source = "RAGAS documentation, summary score"
    follows = FOLLOWS_RAGAS
    needs = ("contexts", "answer")
    tasks = (AskClosedQuestions, AnswerClosedQuestions, SplitStatements, VerifyStatements)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.coeff <= 1:
            raise InputError(f"{self.name}: coeff must be a number from 0 to 1, not {self.coeff}")
        override(self, needs=(self.of, "answer"))

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Questions; statements where there is nobody to write questions."""
        if can(VerifyStatements) and not can(AskClosedQuestions):
            return (SplitStatements, VerifyStatements)
        return (AskClosedQuestions, AnswerClosedQuestions)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Ask for questions, answer them from the summary, add brevity."""
        if gap := missing(sample, (self.of, "answer")):
            return Unscored("undefined", gap)
        text = "\n".join(getattr(sample, self.of))
        summary = sample.answer or ""
        questions = AskClosedQuestions in self.asks(judge.can)
        parts = await (_covered_by_questions if questions else _covered_by_statements)(
            text, summary, judge
        )
        if not parts:
            unit = "question" if questions else "statement"
            return Unscored("undefined", f"the contexts give no {unit}")
        coverage = sum(part.value or 0.0 for part in parts) / len(parts)
        brief = 1 - min(len(summary), len(text)) / len(text)
        weight = self.coeff if self.length_penalty else 0.0
        value = (1 - weight) * coverage + weight * brief
        components = (
            Part("component", "told", f"weight {1 - weight:g}", coverage),
            Part("component", "brevity", f"weight {weight:g}", brief),
        )
        details = {"told": coverage, "brevity": brief}
        return Score(value, (*components, *parts), "" if questions else STATED, details)


async def _covered_by_questions(text: str, summary: str, judge: Judge) -> tuple[Part, ...]:
    questions = await judge(AskClosedQuestions(text))
    if not questions:
        return ()
    answers = await judge(AnswerClosedQuestions(tuple(q.text for q in questions), summary))
    return tuple(
        Part("yes-or-no question", q.text, "told" if a.yes else "not told", float(a.yes), a.reason)
        for q, a in zip(questions, answers, strict=True)
    )


async def _covered_by_statements(text: str, summary: str, judge: Judge) -> tuple[Part, ...]:
    (statements,) = await split("", [text], judge)
    (verdicts,) = await verify([(statements, (summary,))], judge)
    return parts_beside(statements, verdicts, "", "source statement", ("told", "not told"))
