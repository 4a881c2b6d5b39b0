"""Which parts of an answer are needed, and is any missing?"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from assay.judge import Judge
from assay.metrics.base import Metric
from assay.metrics.evidence import (
    Statements,
    blank,
    one_blank,
    share,
    split,
    told,
    verdict_parts,
    verify,
)
from assay.metrics.statements import choices, chosen, relevance_part, relevance_share
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.tasks import (
    AnswerQuestions,
    SelectSentences,
    ShortAnswer,
    SplitQuestion,
    SplitStatements,
    Statement,
    Verdict,
    VerifyStatements,
)
from assay.text.sentences import Span


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
        again = await _against_earlier(statements, chosen(relevant), judge)
        parts: list[Part] = []
        for s in statements:
            parts.append(_needed(relevance_part(s, relevant.get(s.id)), again.get(s.id)))
            parts += [_repeated(s, span) for span in s.repeats]
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
        mine, theirs = await split(question, [answer, reference or ""], judge)
        if not theirs:
            return Unscored("undefined", "the reference makes no statement")
        # The same verdicts as those of factual_correctness, which are then asked for once.
        (verdicts,) = await verify([(theirs, (told(mine, answer),))], judge)
        needed = chosen(await choices(question, theirs, judge)) or [s.id for s in theirs]
        parts = verdict_parts(
            theirs,
            verdicts,
            reference or "",
            kind="reference statement",
            labels=("covered", "not covered"),
        )
        return share(
            [
                replace(part, context=None)
                if s.id in needed
                else replace(part, label="not needed", value=None, context=None)
                for s, part in zip(theirs, parts, strict=True)
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
            return one_blank(question, answer)
        asked = await judge(SplitQuestion(question))
        given = await judge(AnswerQuestions(asked, answer))
        return share([_answered(q, g) for q, g in zip(asked, given, strict=True)])


async def _against_earlier(
    statements: Statements, relevant: Collection[str], judge: Judge
) -> dict[str, Verdict]:
    asked = [
        VerifyStatements((s,), ("\n".join(earlier.text for earlier in statements[:n]),))
        for n, s in enumerate(statements)
        if n and s.id in relevant
    ]
    return {verdict.id: verdict for (verdict,) in await judge.each(asked)}


def _needed(part: Part, again: Verdict | None) -> Part:
    if not part.value:
        return replace(part, label="beside the point")
    if again and again.supported:
        reason, quote = again.reason, again.quote
        return replace(part, label="repeated", value=0.0, reason=reason, quote=quote)
    return replace(part, label="needed")


def _repeated(statement: Statement, span: Span) -> Part:
    reason = "the answer has already made this statement"
    return Part("statement", statement.text, "repeated", 0.0, reason, span=span)


def _answered(question: str, given: ShortAnswer) -> Part:
    label = "not answered" if given.answer is None else "answered"
    value = float(given.answer is not None)
    return Part("part of the question", question, label, value, quote=given.answer or "")


METRICS: tuple[type[Metric], ...] = (
    AnswerRelevanceByStatement,
    Conciseness,
    Completeness,
    CompletenessWithoutReference,
)
