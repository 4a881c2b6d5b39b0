"""Statements, verdicts and choices of a judge, as the parts of a score."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any, Final, TypeAlias

from assay._text.sentences import spans
from assay._text.words import align
from assay.judge import Judge, Task
from assay.metrics.base import Can
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import (
    Choice,
    ChooseLabel,
    Passage,
    Rating,
    SelectSentences,
    SplitStatements,
    Statement,
    Verdict,
    VerifyStatements,
)
from assay.tasks.statements import Level

Statements: TypeAlias = tuple[Statement, ...]
# What a score says of itself where it is made of probabilities that the judge does not give.
UNCERTAIN: Final = "uncertain"
SUPPORT: Final = ("supported", "unsupported")
BY_VERDICTS = "verdicts of 0 or 1: the judge gives no probabilities"
NO_CONTEXT: Final = "no context"
EMPTY: Final = "the text to find it in is empty"
EXPECTED = "the expected value, by the judge's probabilities"


def blank(*texts: str) -> bool:
    """Whether there is no word in any of the texts: nothing follows from them."""
    return not any(text.strip() for text in texts)


def blank_outcome(question: str, answer: str) -> Outcome:
    """What is found where one of them is blank: no number without a question, 0 for no answer."""
    if blank(question):
        return Unscored("undefined", "the question is empty")
    return share([Part("answer", answer, "empty", 0.0)])


async def split(
    question: str,
    texts: Sequence[str],
    judge: Judge,
    levels: tuple[Level, Level] = ("high", "high"),
) -> list[Statements]:
    """The statements of each text, by atomicity and coverage. A blank text makes none, unasked."""
    tasks = [SplitStatements(question, text, *levels) for text in texts if not blank(text)]
    answers = iter(await judge.each(tasks))
    return [() if blank(text) else next(answers) for text in texts]


def premise(statements: Sequence[Statement], text: str) -> str:
    """What a text says, as self-contained statements where it makes any: a premise for others.

    In the text itself "it" may be all that names the subject, and "1889" may be all of it.
    """
    return "\n".join(statement.text for statement in statements) or text


async def verify(
    groups: Sequence[tuple[Statements, tuple[str, ...]]], judge: Judge
) -> list[tuple[Verdict, ...]]:
    """Verdicts on each group of statements against its contexts, all asked at once.

    Blank contexts, or none, support nothing: no call is made.
    """
    tasks = [VerifyStatements(*group) for group in groups if group[0] and not blank(*group[1])]
    answers = iter(await judge.each(tasks))
    return [
        next(answers)
        if statements and not blank(*contexts)
        else unsupported(statements, EMPTY if contexts else NO_CONTEXT)
        for statements, contexts in groups
    ]


def unsupported(statements: Statements, reason: str = NO_CONTEXT) -> tuple[Verdict, ...]:
    """The verdicts where there is nothing to support a statement."""
    return tuple(Verdict(s.id, supported=False, reason=reason) for s in statements)


def verdict_parts(
    statements: Sequence[Statement],
    verdicts: Sequence[Verdict],
    text: str = "",
    *,
    kind: str = "statement",
    labels: tuple[str, str] = SUPPORT,
    in_contexts: bool = True,
    soft: bool = True,
) -> tuple[Part, ...]:
    """One part for each statement of `text`: how far it is supported, and by what.

    Its value is the judge's probability, or 1 or 0 where the judge gives none, so that the mean is
    the expected share of supported statements. Under the default labels a verdict that the judge is
    uncertain of says so.

    Args:
        statements: The statements.
        verdicts: The verdict on each.
        text: What they were taken from.
        kind: What a part is called.
        labels: What is said of a statement that is supported, and of one that is not.
        in_contexts: Whether the sample's contexts were consulted, and not another of its texts.
        soft: Whether the values are probabilities; else 1 or 0 by the verdict.
    """
    return tuple(
        Part(
            kind=kind,
            text=statement.text,
            label=_label(verdict, labels),
            value=verdict.support if soft else float(verdict.supported),
            reason=verdict.reason,
            context=verdict.context if in_contexts else None,
            quote=verdict.quote,
            probability=verdict.probability,
            span=statement.span,
            marks=_marks(statement, verdict, text),
        )
        for statement, verdict in zip(statements, verdicts, strict=True)
    )


def parts_beside(
    statements: Sequence[Statement],
    verdicts: Sequence[Verdict],
    text: str,
    kind: str,
    labels: tuple[str, str],
    *,
    soft: bool = True,
) -> tuple[Part, ...]:
    """As `verdict_parts`, of statements that were checked against another text of the sample."""
    return verdict_parts(
        statements, verdicts, text, kind=kind, labels=labels, in_contexts=False, soft=soft
    )


def _label(verdict: Verdict, labels: tuple[str, str]) -> str:
    if verdict.uncertain and labels == SUPPORT:
        return UNCERTAIN
    return labels[0] if verdict.supported else labels[1]


def by_probability(parts: Sequence[Part]) -> str:
    """How a score of `verdict_parts` was computed, where that is by the judge's probabilities."""
    return EXPECTED if any(part.probability is not None for part in parts) else ""


def _marks(statement: Statement, verdict: Verdict, text: str) -> tuple[tuple[int, int], ...]:
    """The unsupported words of a statement as characters of the text that it was taken from."""
    return tuple(
        (start + a, start + b)
        for start, end in statement.spans
        for a, b in align(verdict.spans, statement.text, text[start:end])
    )


def exact_mean(parts: Sequence[Part]) -> float:
    """The mean of the parts' values without rounding between them; 0 without any."""
    return fmean(part.value or 0.0 for part in parts) if parts else 0.0


def share(parts: Sequence[Part], method: str = "") -> Score:
    """The mean of the parts' values, kept with them."""
    values = [part.value for part in parts if part.value is not None]
    return Score(sum(values) / len(values), tuple(parts), method)


def supported_share(parts: Sequence[Part]) -> Score:
    """The mean of the values of `verdict_parts`: the expected share of supported statements."""
    return share(parts, by_probability(parts))


CONTRADICTION_UNKNOWN = (
    "the judge does not say whether what is not supported is contradicted or only absent"
)


def sentences(text: str) -> Statements:
    """The sentences of a text, each taken as one statement, as it stands."""
    return tuple(
        Statement(f"s{n}", text[start:end], (start, end))
        for n, (start, end) in enumerate(spans(text), start=1)
    )


_CONTRADICTED = (
    "Do the contexts contradict the statement, which they do not support, or is it absent?"
)
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
    verdicts_by_group = await verify(groups, judge)
    if not judge.can(ChooseLabel):
        return verdicts_by_group
    tasks = [
        _contradiction_task(statement, contexts)
        for (statements, contexts), verdicts in zip(groups, verdicts_by_group, strict=True)
        for statement, verdict in zip(statements, verdicts, strict=True)
        if contradicted(verdict) is None
    ]
    labels = iter(await judge.each(tasks))
    return [
        tuple(
            replace(v, contradicted=next(labels).value == "contradicted")
            if contradicted(v) is None
            else v
            for v in verdicts
        )
        for verdicts in verdicts_by_group
    ]


def _contradiction_task(statement: Statement, contexts: Sequence[str]) -> ChooseLabel:
    context_texts = [(f"context {n}", context) for n, context in enumerate(contexts, start=1)]
    return ChooseLabel(_CONTRADICTED, _LABELS, (*context_texts, ("statement", statement.text)))


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
    rows = zip(verdict_parts(statements, verdicts, text), verdicts, values, strict=True)
    return tuple(replace(part, label=three_way(v), value=value) for part, v, value in rows)


def passages(statements: Sequence[Statement]) -> tuple[Passage, ...]:
    """Statements as sentences to choose from, under the same ids."""
    return tuple(Passage(statement.id, statement.text) for statement in statements)


async def choices(question: str, statements: Statements, judge: Judge) -> dict[str, Choice]:
    """What the judge tells of the statements, by id: which help to answer the question, and why."""
    answers = await judge(SelectSentences(question, passages(statements)))
    return {choice.id: choice for choice in answers}


def helpful_ids(by_id: Mapping[str, Choice]) -> list[str]:
    """The ids of the statements that help."""
    return [name for name, choice in by_id.items() if choice.chosen]


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
    by_id = await choices(question, statements, judge)
    return share([relevance_part(s, by_id.get(s.id)) for s in statements])


def by_context(groups: Sequence[Statements]) -> list[tuple[int, Statement]]:
    """The statements of each context with its index, under ids of their own: "1.1", "1.2" ..."""
    return [
        (rank, Statement(f"{rank + 1}.{n}", statement.text, statement.span))
        for rank, statements in enumerate(groups)
        for n, statement in enumerate(statements, start=1)
    ]


def context_parts(
    statements: Sequence[tuple[int, Statement]], by_id: Mapping[str, Choice], kind: str
) -> list[Part]:
    """The statements of the contexts that were chosen (1) or not (0)."""
    return [
        replace(relevance_part(statement, by_id.get(statement.id), kind), context=rank)
        for rank, statement in statements
    ]


def rating_part(rating: Rating, answer: str, kind: str = "answer") -> Part:
    """An answer with how well it addresses its question."""
    label = "noncommittal" if rating.noncommittal else "rated"
    return Part(kind, answer, label, rating.rated, rating.reason)
