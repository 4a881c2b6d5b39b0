"""TruLens' RAG triad: groundedness, answer relevance, context relevance."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay._text.refusals import is_plain_refusal
from assay.judge import Judge, Task
from assay.metrics.base import Can, Metric
from assay.metrics.evidence import (
    Statements,
    blank,
    blank_outcome,
    passages,
    rating_part,
    sentences,
    share,
    split,
    verify,
)
from assay.sample import Sample
from assay.score import Outcome, Part, Unscored
from assay.tasks import (
    Choice,
    GiveGrade,
    Grade,
    RateAnswer,
    SelectSentences,
    SplitStatements,
    Statement,
    VerifyStatements,
)

TRULENS = "TruLens (truera/trulens), RAG triad"
FOLLOWS = "TruLens 2.16.0"
BEST = 3.0
UNGRADED = "the judge gives no grades: {} takes the place of grade / 3"

_GROUNDED = (
    "How far do the contexts support the statement? Judge what they say, not what is known "
    "otherwise; indirect evidence counts less than direct. A statement that only admits not to "
    "know or not to be sure claims nothing and gets the highest grade."
)
_ANSWERS = (
    "How relevant is the answer to the question? A long answer deserves no less than a short one. "
    "An answer that refuses or says that it does not know, one that is confidently false, and one "
    "that only seems relevant get the lowest grade."
)
_HELPS = (
    "How relevant is the context to the question: how far does it help to answer it? A long "
    "context deserves no less than a short one."
)


def _grades(*meanings: str) -> tuple[tuple[float, str], ...]:
    return tuple((float(grade), meaning) for grade, meaning in enumerate(meanings))


GROUNDED = _grades(
    "nothing of it is supported", "little of it is", "most of it is", "all of it is, directly"
)
ANSWERS = _grades(
    "relevant to nothing that is asked", "to little of it", "to most of it", "answers all of it"
)
HELPS = _grades(
    "no use for the question",
    "names what is asked about, no more",
    "holds a part of what is needed",
    "holds all that is needed",
)


@dataclass(frozen=True)
class TruLensGroundedness(Metric):
    """Mean grade of how far the contexts support each sentence of the answer.

    G = mean over sentences of grade / 3, grades 0 to 3, in [0, 1] (TruLens'
    groundedness_measure_with_cot_reasons). Sentences that claim nothing (greetings, offers,
    questions) are left out: here those without a statement, while TruLens asks a model to remove
    trivial ones. An abstention ("I do not know") is grounded: 1, by definition. Undefined if no
    sentence is left (0 in TruLens). With no context retrieved, only abstentions are grounded. If
    the judge gives no grades, the probability that the contexts support the sentence replaces grade
    / 3, and the score says so.
    """

    name = "trulens:groundedness"
    source = TRULENS
    follows = FOLLOWS
    needs = ("question", "contexts", "answer")
    tasks = (SplitStatements, GiveGrade, VerifyStatements)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Statements and grades, else verdicts."""
        verdicts = can(VerifyStatements) and not can(GiveGrade)
        return (SplitStatements, VerifyStatements if verdicts else GiveGrade)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Leave trivial sentences out, grade the others one by one."""
        answer, contexts = sample.answer or "", sample.contexts or ()
        (statements,) = await split(sample.question or "", [answer], judge)
        every_sentence = sentences(answer)
        claims = tuple(s for s in every_sentence if _claims(s, statements) and not _abstains(s))
        graded, method = await self._graded(claims, contexts, judge)
        by_id = {s.id: part for s, part in zip(claims, graded, strict=True)}
        parts = [by_id.get(s.id) or _ungraded(s) for s in every_sentence]
        if all(part.value is None for part in parts):
            return Unscored("undefined", "no sentence of the answer claims anything", tuple(parts))
        return share(parts, method)

    async def _graded(
        self, claims: Statements, contexts: tuple[str, ...], judge: Judge
    ) -> tuple[list[Part], str]:
        if not claims or blank(*contexts):
            return [_sentence(s, "no context", 0.0, "nothing was retrieved") for s in claims], ""
        if VerifyStatements in self.asks(judge.can):
            (verdicts,) = await verify([(claims, contexts)], judge)
            parts = [
                _sentence(s, "rated", v.support) for s, v in zip(claims, verdicts, strict=True)
            ]
            return parts, UNGRADED.format("the probability of support")
        context_texts = tuple((f"context {n}", c) for n, c in enumerate(contexts, start=1))
        grades = await judge.each(
            [
                GiveGrade(_GROUNDED, GROUNDED, (*context_texts, ("statement", s.text)))
                for s in claims
            ]
        )
        return [
            _sentence(s, _label(g), g.value / BEST, g.reason)
            for s, g in zip(claims, grades, strict=True)
        ], ""


@dataclass(frozen=True)
class TruLensAnswerRelevance(Metric):
    """Grade of how relevant the answer is to the question.

    AR = grade / 3, grades 0 to 3, in [0, 1] (TruLens' relevance_with_cot_reasons). A refusal is
    graded 0, as in TruLens; so is an empty answer. Undefined if the question is empty. A judge
    that gives no grades rates the answer from 0 to 1 (0 if it evades), and the score says so.
    """

    name = "trulens:answer_relevance"
    source = TRULENS
    follows = FOLLOWS
    needs = ("question", "answer")
    tasks = (GiveGrade, RateAnswer)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """A grade, else a rating."""
        return (RateAnswer,) if can(RateAnswer) and not can(GiveGrade) else (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Grade the answer as a whole."""
        question, answer = sample.question or "", sample.answer or ""
        if blank(question) or blank(answer):
            return blank_outcome(question, answer)
        if self.asks(judge.can) == (RateAnswer,):
            rating = await judge(RateAnswer(question, answer))
            part = rating_part(rating, answer)
            part = replace(part, value=0.0) if rating.noncommittal else part
            return share([part], UNGRADED.format("a rating from 0 to 1"))
        texts = (("question", question), ("answer", answer))
        grade = await judge(GiveGrade(_ANSWERS, ANSWERS, texts))
        return share([Part("answer", answer, _label(grade), grade.value / BEST, grade.reason)])


@dataclass(frozen=True)
class TruLensContextRelevance(Metric):
    """Mean grade of how relevant each context is to the question.

    CR = mean over contexts of grade / 3, grades 0 to 3, in [0, 1] (TruLens'
    context_relevance_with_cot_reasons, averaged over the contexts). An empty context is graded 0.
    Undefined if nothing was retrieved or the question is empty. If the judge gives no grades, the
    highest probability that a sentence of the context helps to answer the question replaces grade /
    3 (0 if none helps), and the score says so.
    """

    name = "trulens:context_relevance"
    source = TRULENS
    follows = FOLLOWS
    needs = ("question", "contexts")
    tasks = (GiveGrade, SelectSentences)

    def asks(self, can: Can) -> tuple[type[Task[Any]], ...]:
        """Grades, else sentences that help."""
        return (SelectSentences,) if can(SelectSentences) and not can(GiveGrade) else (GiveGrade,)

    async def score(self, sample: Sample, judge: Judge) -> Outcome:
        """Grade the contexts one by one."""
        question, contexts = sample.question or "", sample.contexts or ()
        if blank(question):
            return Unscored("undefined", "the question is empty")
        if blank(*contexts):
            return Unscored("undefined", "nothing was retrieved")
        if self.asks(judge.can) == (SelectSentences,):
            parts = await _helpful(question, contexts, judge)
            return share(parts, UNGRADED.format("the highest probability that a sentence helps"))
        tasks = [
            GiveGrade(_HELPS, HELPS, (("question", question), ("context", context)))
            for context in contexts
            if not blank(context)
        ]
        grades = iter(await judge.each(tasks))
        return share(
            [
                _context(n, c, Grade(0.0, "empty") if blank(c) else next(grades))
                for n, c in enumerate(contexts)
            ]
        )


def _claims(sentence: Statement, statements: Statements) -> bool:
    # A statement whose place is not known may have been taken from any sentence.
    return any(
        not s.spans or any(_overlap(sentence.span, span) for span in s.spans) for s in statements
    )


def _overlap(span: tuple[int, int] | None, other_span: tuple[int, int]) -> bool:
    return bool(span and span[0] < other_span[1] and other_span[0] < span[1])


def _abstains(sentence: Statement) -> bool:
    return is_plain_refusal(sentence.text)


def _ungraded(sentence: Statement) -> Part:
    if _abstains(sentence):
        return _sentence(sentence, "abstention", 1.0, "an abstention is grounded by definition")
    return _sentence(sentence, "trivial", None, "no statement was taken from it")


def _sentence(sentence: Statement, label: str, value: float | None, reason: str = "") -> Part:
    return Part("answer sentence", sentence.text, label, value, reason, span=sentence.span)


def _label(grade: Grade) -> str:
    return f"{grade.value:g} of {BEST:g}"


def _context(rank: int, context: str, grade: Grade) -> Part:
    value = grade.value / BEST
    return Part("context", context, _label(grade), value, grade.reason, context=rank)


async def _helpful(question: str, contexts: Sequence[str], judge: Judge) -> list[Part]:
    groups = [sentences(context) for context in contexts]
    tasks = [SelectSentences(question, passages(group)) for group in groups if group]
    choices = iter(await judge.each(tasks))
    return [
        _rated(rank, context, next(choices) if group else ())
        for rank, (context, group) in enumerate(zip(contexts, groups, strict=True))
    ]


def _rated(rank: int, context: str, choices: Sequence[Choice]) -> Part:
    helpful = [
        (1.0 if c.probability is None else c.probability, c.reason) for c in choices if c.chosen
    ]
    value, reason = max(helpful, key=lambda pair: pair[0], default=(0.0, "no sentence helps"))
    return Part("context", context, "rated", value, reason, context=rank)
