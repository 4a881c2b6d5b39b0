"""What one question, with all that a RAG system made of it, looks like."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One row of a RAG data set. Absent fields are None; an empty list says "nothing was found".

    Attributes:
        id: Unique within its data set.
        question: What the user asked.
        contexts: Retrieved contexts, best first. None: not recorded. (): nothing was retrieved.
        answer: What the RAG system answered.
        reference: The right answer (ground truth).
        accepted: Further right answers, where several are accepted.
        reference_contexts: Contexts that should have been retrieved.
        context_ids: Ids of the retrieved contexts, best first.
        reference_context_ids: Ids of the contexts that should have been retrieved.
        latency_ms: Time that the RAG system took to answer, in milliseconds.
        cost: Money that the answer cost.
        tokens: Tokens that the answer cost.
        group: Document or conversation it belongs to; samples of one group are not independent.
        language: BCP 47 tag of the sample's language.
        metadata: Whatever else the row held.
    """

    id: str
    question: str | None = None
    contexts: tuple[str, ...] | None = None
    answer: str | None = None
    reference: str | None = None
    accepted: tuple[str, ...] = ()
    reference_contexts: tuple[str, ...] | None = None
    context_ids: tuple[str, ...] | None = None
    reference_context_ids: tuple[str, ...] | None = None
    latency_ms: float | None = None
    cost: float | None = None
    tokens: int | None = None
    group: str | None = None
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
