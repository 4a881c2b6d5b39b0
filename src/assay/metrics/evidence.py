"""How typed answers become the parts of a score."""

from collections.abc import Sequence

from assay.judge import Judge
from assay.score import Part, Score
from assay.tasks import Statement, Verdict, VerifyStatements


async def verify(
    statements: tuple[Statement, ...], contexts: tuple[str, ...], judge: Judge
) -> tuple[Verdict, ...]:
    """A verdict for each statement. Without a context nothing is supported: no call is made."""
    if not contexts:
        return tuple(Verdict(s.id, supported=False, reason="no context") for s in statements)
    return await judge(VerifyStatements(statements, contexts))


def verdict_parts(
    statements: Sequence[Statement], verdicts: Sequence[Verdict], kind: str = "statement"
) -> tuple[Part, ...]:
    """One part for each statement: supported (1) or unsupported (0), and by what."""
    return tuple(
        Part(
            kind=kind,
            text=statement.text,
            label="supported" if verdict.supported else "unsupported",
            value=float(verdict.supported),
            reason=verdict.reason,
            context=verdict.context,
            quote=verdict.quote,
            probability=verdict.probability,
            span=statement.span,
        )
        for statement, verdict in zip(statements, verdicts, strict=True)
    )


def share(parts: Sequence[Part], method: str = "") -> Score:
    """The mean of the parts' values, kept with them."""
    values = [part.value for part in parts if part.value is not None]
    return Score(sum(values) / len(values), tuple(parts), method)
