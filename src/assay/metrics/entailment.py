"""Which statements of answer and reference follow from what? The four matrices of RAGChecker."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assay.judge import Judge
from assay.metrics.evidence import Statements, split, told, verify
from assay.sample import Sample
from assay.score import Part
from assay.tasks import Statement, Verdict

# Premise, then whose statements are checked against it.
Matrix: TypeAlias = Literal[
    "reference:answer", "answer:reference", "contexts:reference", "contexts:answer"
]
Verdicts: TypeAlias = tuple[Verdict, ...]
# Per statement, the verdict by each context.
ByContext: TypeAlias = tuple[Verdicts, ...]


@dataclass(frozen=True, slots=True)
class Entailment:
    """What was found; a matrix that was not asked for is empty.

    Attributes:
        mine: Statements of the answer, where they are checked or a premise.
        theirs: Statements of the reference, likewise.
        correct: Per statement of the answer, whether the reference entails it.
        told: Per statement of the reference, whether the answer entails it.
        retrieved: Per statement of the reference, whether each context entails it.
        grounded: Per statement of the answer, whether each context entails it.
    """

    mine: Statements = ()
    theirs: Statements = ()
    correct: Verdicts = ()
    told: Verdicts = ()
    retrieved: ByContext = ()
    grounded: ByContext = ()

    @property
    def relevant(self) -> frozenset[int]:
        """Indices of the relevant contexts: those that entail a statement of the reference."""
        return frozenset(i for row in self.retrieved for i in entailing(row))


async def entailment(sample: Sample, judge: Judge, wanted: Collection[Matrix]) -> Entailment:
    """The wanted matrices of a sample, all asked at once.

    Answer and reference are premises as the statements that they make, for "1889" entails something
    only as the answer to its question; each context is a premise of its own, as it stands. What is
    blank entails nothing and is not asked about.
    """
    question, contexts = sample.question or "", sample.contexts or ()
    answer, reference = sample.answer or "", sample.reference or ""
    texts = [
        answer if any("answer" in matrix for matrix in wanted) else "",
        reference if any("reference" in matrix for matrix in wanted) else "",
    ]
    mine, theirs = await split(question, texts, judge)
    premises: dict[Matrix, tuple[Statements, tuple[str, ...]]] = {
        "reference:answer": (mine, (told(theirs, reference),)),
        "answer:reference": (theirs, (told(mine, answer),)),
        "contexts:reference": (theirs, contexts),
        "contexts:answer": (mine, contexts),
    }
    asked = {matrix: premises[matrix] for matrix in premises if matrix in wanted}
    groups = [(statements, (one,)) for statements, given in asked.values() for one in given]
    found = iter(await verify(groups, judge))
    columns = {matrix: [next(found) for _ in given] for matrix, (_, given) in asked.items()}
    return Entailment(
        mine,
        theirs,
        correct=_column(columns.get("reference:answer")),
        told=_column(columns.get("answer:reference")),
        retrieved=_rows(columns.get("contexts:reference"), theirs),
        grounded=_rows(columns.get("contexts:answer"), mine),
    )


def entailing(row: Verdicts) -> tuple[int, ...]:
    """Indices of the contexts that entail a statement."""
    return tuple(i for i, verdict in enumerate(row) if verdict.supported)


def by_contexts(
    statement: Statement,
    row: Verdicts,
    label: str,
    value: float | None,
    *,
    kind: str = "statement",
) -> Part:
    """The evidence where a statement was checked against each context: all that entail it."""
    found = entailing(row)
    first = row[found[0]] if found else None
    reason = f"entailed by {_named(found)}" if found else "no context entails it"
    if first and first.reason:
        reason = f"{reason}: {first.reason}"
    return Part(
        kind=kind,
        text=statement.text,
        label=label,
        value=value,
        reason=reason,
        context=found[0] if found else None,
        quote=first.quote if first else "",
        probability=max((v.probability for v in row if v.probability is not None), default=None),
        span=statement.span,
    )


def _named(contexts: Sequence[int]) -> str:
    return ", ".join(f"c{i + 1}" for i in contexts)


def _column(columns: list[Verdicts] | None) -> Verdicts:
    return columns[0] if columns else ()


def _rows(columns: list[Verdicts] | None, statements: Statements) -> ByContext:
    if columns is None:
        return ()
    return tuple(zip(*columns, strict=True)) if columns else tuple(() for _ in statements)
