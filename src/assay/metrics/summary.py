"""Does the answer sum the contexts up, in few words?"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from assay.errors import InputError
from assay.judge import Judge, Task
from assay.metrics.base import FOLLOWS_RAGAS, Can, Metric
from assay.metrics.evidence import split, verdict_parts, verify
from assay.metrics.grading import missing, override
from assay.sample import Sample
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    AnswerClosedQuestions,
    AskClosedQuestions,
    SplitStatements,
    VerifyStatements,
)

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
        if self.of not in ("contexts", "reference_contexts"):
            what = f"{self.name}: of must be contexts or reference_contexts, not {self.of!r}"
            raise InputError(what)
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
        parts = await (_answered if questions else _covered)(text, summary, judge)
        if not parts:
            what = "question" if questions else "statement"
            return Unscored("undefined", f"the contexts give no {what}")
        told = sum(part.value or 0.0 for part in parts) / len(parts)
        brief = 1 - min(len(summary), len(text)) / len(text)
        weight = self.coeff if self.length_penalty else 0.0
        value = (1 - weight) * told + weight * brief
        components = (
            Part("component", "told", f"weight {1 - weight:g}", told),
            Part("component", "brevity", f"weight {weight:g}", brief),
        )
        details = {"told": told, "brevity": brief}
        return Score(value, (*components, *parts), "" if questions else STATED, details)


async def _answered(text: str, summary: str, judge: Judge) -> tuple[Part, ...]:
    questions = await judge(AskClosedQuestions(text))
    if not questions:
        return ()
    answers = await judge(AnswerClosedQuestions(tuple(q.text for q in questions), summary))
    return tuple(
        Part("yes-or-no question", q.text, "told" if a.yes else "not told", float(a.yes), a.reason)
        for q, a in zip(questions, answers, strict=True)
    )


async def _covered(text: str, summary: str, judge: Judge) -> tuple[Part, ...]:
    (statements,) = await split("", [text], judge)
    (verdicts,) = await verify([(statements, (summary,))], judge)
    # What was shown as the context is the summary: no context of the sample.
    verdicts = tuple(replace(verdict, context=None) for verdict in verdicts)
    labels = ("told", "not told")
    return verdict_parts(statements, verdicts, kind="source statement", labels=labels)


METRICS: tuple[type[Metric], ...] = (SummaryScore,)
