"""What is found about statements beside support: whether they are denied, and whether they help."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.judge import Judge, Task
from assay.metrics.base import Can
from assay.metrics.evidence import UNCERTAIN, Statements, share, verdict_parts, verify
from assay.score import Part, Score
from assay.tasks import (
    Choice,
    ChooseLabel,
    Passage,
    SelectSentences,
    Statement,
    Verdict,
    VerifyStatements,
)
from assay.text.sentences import spans

UNTOLD = "the judge does not say whether what is not supported is contradicted or only absent"


def sentences(text: str) -> Statements:
    """The sentences of a text, each taken as one statement, as it stands."""
    return tuple(
        Statement(f"s{n}", text[start:end], (start, end))
        for n, (start, end) in enumerate(spans(text), start=1)
    )


_DENIED = "Do the contexts contradict the statement, which they do not support, or is it absent?"
_LABELS = (
    ("contradicted", "a context says the opposite of the statement"),
    ("absent", "no context says the opposite: they are silent about it or bear out a part of it"),
)


def three_way_tasks(can: Can) -> tuple[type[Task[Any]], ...]:
    """What `verify_three_way` may ask of a judge that can do `can`."""
    return (VerifyStatements, ChooseLabel) if can(ChooseLabel) else (VerifyStatements,)


async def verify_three_way(
    groups: Sequence[tuple[Statements, tuple[str, ...]]], judge: Judge
) -> list[tuple[Verdict, ...]]:
    """Verdicts as those of `verify`; where one leaves unsaid whether it is denied, that is asked.

    Not every judge says it: a model that is asked for one yes or no a statement does not.
    """
    found = await verify(groups, judge)
    if not judge.can(ChooseLabel):
        return found
    asked = [
        _denied(statement, contexts)
        for (statements, contexts), verdicts in zip(groups, found, strict=True)
        for statement, verdict in zip(statements, verdicts, strict=True)
        if contradicted(verdict) is None
    ]
    labels = iter(await judge.each(asked))
    return [
        tuple(
            replace(v, contradicted=next(labels).value == "contradicted")
            if contradicted(v) is None
            else v
            for v in verdicts
        )
        for verdicts in found
    ]


def _denied(statement: Statement, contexts: Sequence[str]) -> ChooseLabel:
    shown = [(f"context {n}", context) for n, context in enumerate(contexts, start=1)]
    return ChooseLabel(_DENIED, _LABELS, (*shown, ("statement", statement.text)))


def contradicted(verdict: Verdict) -> bool | None:
    """Whether the contexts deny a statement; None if the judge did not say. Support excludes it."""
    return False if verdict.supported else verdict.contradicted


def three_way(verdict: Verdict) -> str:
    """supported, uncertain, contradicted, absent; unsupported if the judge did not say which."""
    if verdict.uncertain:
        return UNCERTAIN
    if verdict.supported:
        return "supported"
    return {True: "contradicted", False: "absent", None: "unsupported"}[verdict.contradicted]


def three_way_parts(
    statements: Sequence[Statement], verdicts: Sequence[Verdict], text: str, values: Sequence[float]
) -> tuple[Part, ...]:
    """The parts of `verdict_parts` under these labels, each with what it adds to the score."""
    found = zip(verdict_parts(statements, verdicts, text), verdicts, values, strict=True)
    return tuple(replace(part, label=three_way(v), value=value) for part, v, value in found)


def passages(statements: Sequence[Statement]) -> tuple[Passage, ...]:
    """Statements as sentences to choose from, under the same ids."""
    return tuple(Passage(statement.id, statement.text) for statement in statements)


async def choices(question: str, statements: Statements, judge: Judge) -> dict[str, Choice]:
    """What the judge tells of the statements, by id: which help to answer the question, and why."""
    told = await judge(SelectSentences(question, passages(statements)))
    return {choice.id: choice for choice in told}


def chosen(told: Mapping[str, Choice]) -> list[str]:
    """The ids of the statements that help."""
    return [name for name, choice in told.items() if choice.chosen]


def relevance_part(statement: Statement, choice: Choice | None, kind: str = "statement") -> Part:
    """A statement that was chosen (1) or not (0)."""
    return Part(
        kind=kind,
        text=statement.text,
        label="relevant" if choice and choice.chosen else "not relevant",
        value=float(choice is not None and choice.chosen),
        reason=choice.reason if choice else "",
        probability=choice.probability if choice else None,
        span=statement.span,
    )


async def relevance_share(question: str, statements: Statements, judge: Judge) -> Score:
    """The share of statements that help to answer the question, each with the judge's reason."""
    told = await choices(question, statements, judge)
    return share([relevance_part(s, told.get(s.id)) for s in statements])
