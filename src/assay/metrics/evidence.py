"""How typed answers become the parts of a score."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from assay.judge import Judge
from assay.score import Outcome, Part, Score, Unscored
from assay.tasks import SplitStatements, Statement, Verdict, VerifyStatements
from assay.tasks.split_statements import Level
from assay.text.words import align

Statements: TypeAlias = tuple[Statement, ...]
# What a score says of itself where it is made of probabilities that the judge does not give.
UNCERTAIN: Final = "uncertain"
SUPPORT: Final = ("supported", "unsupported")
BY_VERDICTS = "verdicts of 0 or 1: the judge gives no probabilities"


def blank(*texts: str) -> bool:
    """Whether there is no word in any of the texts: nothing follows from them."""
    return not any(text.strip() for text in texts)


def one_blank(question: str, answer: str) -> Outcome:
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
    asked = [SplitStatements(question, text, *levels) for text in texts if not blank(text)]
    found = iter(await judge.each(asked))
    return [() if blank(text) else next(found) for text in texts]


def told(statements: Sequence[Statement], text: str) -> str:
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
    asked = [VerifyStatements(*group) for group in groups if group[0] and not blank(*group[1])]
    found = iter(await judge.each(asked))
    return [
        next(found) if statements and not blank(*contexts) else unsupported(statements)
        for statements, contexts in groups
    ]


def unsupported(statements: Statements) -> tuple[Verdict, ...]:
    """The verdicts where there is nothing to support a statement."""
    return tuple(Verdict(s.id, supported=False, reason="no context") for s in statements)


def verdict_parts(
    statements: Sequence[Statement],
    verdicts: Sequence[Verdict],
    text: str = "",
    *,
    kind: str = "statement",
    labels: tuple[str, str] = SUPPORT,
) -> tuple[Part, ...]:
    """One part for each statement of `text`: supported (1) or not (0), and by what.

    Under the usual labels a verdict that the judge is uncertain of says so, and adds its
    probability to the score.
    """
    return tuple(
        Part(
            kind=kind,
            text=statement.text,
            label=_label(verdict, labels),
            value=verdict.support if _open(verdict, labels) else float(verdict.supported),
            reason=verdict.reason,
            context=verdict.context,
            quote=verdict.quote,
            probability=verdict.probability,
            span=statement.span,
            marks=_marks(statement, verdict, text),
        )
        for statement, verdict in zip(statements, verdicts, strict=True)
    )


def _label(verdict: Verdict, labels: tuple[str, str]) -> str:
    if _open(verdict, labels):
        return UNCERTAIN
    return labels[0] if verdict.supported else labels[1]


def _open(verdict: Verdict, labels: tuple[str, str]) -> bool:
    return verdict.uncertain and labels == SUPPORT


def _marks(statement: Statement, verdict: Verdict, text: str) -> tuple[tuple[int, int], ...]:
    """The unsupported words of a statement as characters of the text that it was taken from."""
    return tuple(
        (start + a, start + b)
        for start, end in statement.spans
        for a, b in align(verdict.spans, statement.text, text[start:end])
    )


def share(parts: Sequence[Part], method: str = "") -> Score:
    """The mean of the parts' values, kept with them."""
    values = [part.value for part in parts if part.value is not None]
    return Score(sum(values) / len(values), tuple(parts), method)
