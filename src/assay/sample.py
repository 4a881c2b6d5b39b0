"""A sample: one question with all that a RAG system made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that was called, or should have been.

    Attributes:
        name: The tool's name.
        args: Its arguments by name, as plain values.
    """

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation.

    Attributes:
        role: Who speaks: "user", "assistant", "tool" or "system" (instructions to the assistant).
        text: What was said, or what the tool returned.
        contexts: Contexts retrieved for an assistant's turn; None if not recorded.
        tool_calls: Tools that an assistant's turn calls.
    """

    role: Literal["user", "assistant", "tool", "system"]
    text: str
    contexts: tuple[str, ...] | None = None
    tool_calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """What the same system answered to the same question over contexts made worse on purpose.

    Attributes:
        kind: "noise" (irrelevant or misleading contexts mixed in) or "counterfactual" (the
            facts in the contexts made wrong).
        answer: What the system answered then.
        contexts: The contexts that it was given then; None if not recorded.
        ratio: Share of the contexts that are noise, in [0, 1]; None if not recorded.
    """

    kind: Literal["noise", "counterfactual"]
    answer: str
    contexts: tuple[str, ...] | None = None
    ratio: float | None = None


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
        context_access: For each context the access labels of which a user must hold one to see
            it; none: everybody may see it.
        user_access: Access labels that the asking user holds.
        relevance_grades: Graded relevance of context ids, by id; what is not named is 0.
        further_answers: Other answers of the same system to the same question, drawn again.
        other_answer: Another system's answer, to be compared with this one.
        answerable: Whether the contexts (or the corpus) hold an answer; None if not known.
        rubric: What each grade means for this sample, by grade ("1" ... or "score1_description").
        nuggets: Facts that an answer should hold, each "vital" or "okay".
        turns: A whole conversation, first message first.
        reference_tool_calls: Tools that should have been called, in order.
        reference_topics: Topics that a conversation may be about.
        variants: Answers of the same system over worse contexts.
        latency_ms: Time that the RAG system took to answer, in milliseconds.
        cost: Money that the answer cost.
        tokens: Tokens that the answer cost.
        failure: Why the RAG system gave no answer when it was asked; None if it gave one.
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
    context_access: tuple[tuple[str, ...], ...] | None = None
    user_access: tuple[str, ...] | None = None
    relevance_grades: Mapping[str, float] | None = None
    further_answers: tuple[str, ...] | None = None
    other_answer: str | None = None
    answerable: bool | None = None
    rubric: Mapping[str, str] | None = None
    nuggets: Mapping[str, str] | None = None
    turns: tuple[Turn, ...] | None = None
    reference_tool_calls: tuple[ToolCall, ...] | None = None
    reference_topics: tuple[str, ...] | None = None
    variants: tuple[Variant, ...] | None = None
    latency_ms: float | None = None
    cost: float | None = None
    tokens: int | None = None
    failure: str | None = None
    group: str | None = None
    language: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        """``Sample(id='1', question='...')``: only the fields that are filled."""
        values = [(field, getattr(self, field.name)) for field in fields(self)]
        filled = [f"{field.name}={v!r}" for field, v in values if v not in (field.default, {})]
        return f"Sample({', '.join(filled)})"
