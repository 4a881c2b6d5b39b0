"""Samples, data sets and messages as ragas names their columns."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, overload

from assay.integrations.objects import text_of
from assay.integrations.ragas.advice import missing
from assay.integrations.ragas.dataset import write_csv
from assay.integrations.ragas.run_config import EvaluationResult

try:
    from pydantic import BaseModel, field_validator
except ImportError:
    message = "samples and messages of ragas need pydantic: pip install 'assay[ragas]'"
    raise ImportError(message) from None


class Message(BaseModel):
    """One message.

    Attributes:
        content: Its text.
        metadata: Whatever belongs to it.
    """

    content: str
    metadata: dict[str, Any] | None = None


class ToolCall(BaseModel):
    """A tool that was called, or should have been.

    Attributes:
        name: The tool's name.
        args: Its arguments by name.
    """

    name: str
    args: dict[str, Any]


class HumanMessage(Message):
    """What the user said."""

    type: Literal["human"] = "human"

    def pretty_repr(self) -> str:
        """The message as a line of a transcript."""
        return f"Human: {self.content}"


class ToolMessage(Message):
    """What a tool gave back."""

    type: Literal["tool"] = "tool"

    def pretty_repr(self) -> str:
        """The message as a line of a transcript."""
        return f"ToolOutput: {self.content}"


class AIMessage(Message):
    """What the assistant said.

    Attributes:
        tool_calls: Tools that it called.
    """

    type: Literal["ai"] = "ai"
    tool_calls: list[ToolCall] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Text, tool calls and speaker as plain values."""
        tool_calls = [call.model_dump() for call in self.tool_calls or ()]
        content = {"text": self.content, "tool_calls": tool_calls} if tool_calls else self.content
        return {"content": content, "type": self.type}

    def pretty_repr(self) -> str:
        """The message, and the tools below it, as lines of a transcript."""
        lines = [f"AI: {self.content}"] if self.content else []
        calls = [f"  {call.name}: {call.args}" for call in self.tool_calls or ()]
        return "\n".join([*lines, *(["Tools:", *calls] if self.tool_calls is not None else [])])


__all__ = [
    "AIMessage",
    "BaseSample",
    "EvaluationDataset",
    "EvaluationResult",
    "HumanMessage",
    "MultiTurnSample",
    "SingleTurnSample",
    "ToolCall",
    "ToolMessage",
]

AnyMessage: TypeAlias = HumanMessage | AIMessage | ToolMessage


class BaseSample(BaseModel):
    """What all samples can do."""

    def to_dict(self) -> dict[str, Any]:
        """Its fields without those that are None."""
        return self.model_dump(exclude_none=True)

    def get_features(self) -> list[str]:
        """The names of its fields that are not None."""
        return list(self.to_dict())

    def to_string(self) -> str:
        """Its fields, one below the other."""
        return "".join(f"\n{name}:\n\t{value}\n" for name, value in self.to_dict().items())


class SingleTurnSample(BaseSample):
    """One question with what a RAG system made of it.

    Attributes:
        user_input: The question.
        retrieved_contexts: What was retrieved, best first.
        reference_contexts: What should have been retrieved.
        retrieved_context_ids: Ids of what was retrieved.
        reference_context_ids: Ids of what should have been retrieved.
        response: The answer.
        multi_responses: Further answers.
        reference: The right answer.
        rubrics: What each grade means for this sample.
        persona_name: Who asks, in generated data.
        query_style: How it is asked, in generated data.
        query_length: How long the question is, in generated data.
    """

    user_input: str | None = None
    retrieved_contexts: list[str] | None = None
    reference_contexts: list[str] | None = None
    retrieved_context_ids: list[str | int] | None = None
    reference_context_ids: list[str | int] | None = None
    response: str | None = None
    multi_responses: list[str] | None = None
    reference: str | None = None
    rubrics: dict[str, str] | None = None
    persona_name: str | None = None
    query_style: str | None = None
    query_length: str | None = None


class MultiTurnSample(BaseSample):
    """A conversation.

    Attributes:
        user_input: Its messages, first message first.
        reference: What should have come of it.
        reference_tool_calls: Tools that should have been called.
        rubrics: What each grade means for this conversation.
        reference_topics: Topics it may be about.
    """

    user_input: list[AnyMessage]
    reference: str | None = None
    reference_tool_calls: list[ToolCall] | None = None
    rubrics: dict[str, str] | None = None
    reference_topics: list[str] | None = None

    @field_validator("user_input")
    @classmethod
    def validate_user_input(cls, messages: list[AnyMessage]) -> list[AnyMessage]:
        """See that a tool only speaks after it was called.

        Raises:
            ValueError: If it speaks before.
        """
        for before, message in zip([None, *messages], messages, strict=False):
            if not isinstance(message, ToolMessage):
                continue
            is_called = isinstance(before, AIMessage) and bool(before.tool_calls)
            if not is_called and not isinstance(before, ToolMessage):
                raise ValueError("a ToolMessage follows an AIMessage that calls tools")
        return messages

    def to_messages(self) -> list[dict[str, Any]]:
        """The messages as dicts."""
        return [message.model_dump() for message in self.user_input]

    def pretty_repr(self) -> str:
        """The conversation as a transcript."""
        return "\n".join(message.pretty_repr() for message in self.user_input)


@dataclass
class EvaluationDataset:
    """Samples of one kind.

    Attributes:
        samples: The samples.
        backend: Kept for ragas' sake; it has no effect.
        name: What the data are called.

    Raises:
        ValueError: If single and multi-turn samples are mixed.
    """

    samples: list[Any] = field(default_factory=list)
    backend: str | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        first = type(self.samples[0]) if self.samples else BaseSample
        for index, sample in enumerate(self.samples):
            if not isinstance(sample, first):
                fault = f"Sample at index {index} is of type {type(sample)}, expected {first}"
                raise ValueError(fault)  # noqa: TRY004 - as ragas does

    @classmethod
    def from_list(
        cls, data: Sequence[Mapping[str, Any]], backend: str | None = None, name: str | None = None
    ) -> Self:
        """A data set of dicts by column; a list as `user_input` makes them conversations."""
        spoken = bool(data) and all(isinstance(row.get("user_input"), list) for row in data)
        kind = MultiTurnSample if spoken else SingleTurnSample
        return cls([kind(**row) for row in data], backend, name)

    from_dict = from_list

    @classmethod
    def from_hf_dataset(cls, dataset: Any) -> Self:
        """A data set of a Hugging Face `Dataset`."""
        return cls.from_list(dataset.to_list())

    @classmethod
    def from_pandas(cls, dataframe: Any) -> Self:
        """A data set of a data frame."""
        return cls.from_list(dataframe.to_dict(orient="records"))

    @classmethod
    def from_jsonl(cls, path: str | Path) -> Self:
        """A data set of a file with a JSON object in every line."""
        lines = Path(path).read_text("utf-8").split("\n")
        return cls.from_list([json.loads(line) for line in lines if line.strip()])

    def to_list(self) -> list[dict[str, Any]]:
        """Every sample as a dict."""
        return [sample.to_dict() for sample in self.samples]

    def to_hf_dataset(self) -> Any:
        """The samples as a Hugging Face `Dataset` (package `datasets`)."""
        from datasets import Dataset

        return Dataset.from_list(self.to_list())

    def to_pandas(self) -> Any:
        """The samples as a data frame (package `pandas`)."""
        import pandas as pd

        return pd.DataFrame(self.to_list())

    def to_jsonl(self, path: str | Path) -> None:
        """Write one JSON object a sample."""
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in self.to_list()]
        Path(path).write_text("".join(lines), "utf-8")

    def to_csv(self, path: str | Path) -> None:
        """Write one row a sample."""
        write_csv(Path(path), self.to_list())

    def features(self) -> list[str]:
        """The names of the columns that the first sample fills."""
        return self.samples[0].get_features() if self.samples else []

    def get_sample_type(self) -> type[Any]:
        """`SingleTurnSample` or `MultiTurnSample`."""
        return type(self.samples[0])

    def is_multi_turn(self) -> bool:
        """Whether the samples are conversations."""
        return bool(self.samples) and isinstance(self.samples[0], MultiTurnSample)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> "EvaluationDataset": ...
    def __getitem__(self, at: int | slice) -> Any:
        return type(self)(self.samples[at]) if isinstance(at, slice) else self.samples[at]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.samples)

    def __len__(self) -> int:
        return len(self.samples)

    def __repr__(self) -> str:
        return f"EvaluationDataset(features={self.features()}, len={len(self)})"


RagasDataset = EvaluationDataset
SingleTurnSampleOrMultiTurnSample: TypeAlias = SingleTurnSample | MultiTurnSample
Sample: TypeAlias = SingleTurnSample | MultiTurnSample


_KINDS: dict[str, type[Message]] = {"human": HumanMessage, "ai": AIMessage, "tool": ToolMessage}


def convert_to_ragas_messages(
    messages: Iterable[Any],
    metadata: bool = False,  # noqa: FBT001, FBT002 - as ragas has it
) -> list[Message]:
    """Messages of LangChain as ragas writes them; those of the system are left out.

    Args:
        messages: The messages, ``result["messages"]`` of a graph.
        metadata: Whether to keep all that belongs to a message.

    Raises:
        ValueError: If a message is of no known kind.
    """
    return [_message(message, metadata) for message in messages if message.type != "system"]


def _message(message: Any, metadata: bool) -> Message:  # noqa: FBT001
    if message.type not in _KINDS:
        raise ValueError(f"Unsupported message type: {type(message).__name__}")
    fields: dict[str, Any] = {"content": text_of(message.content)}
    if metadata:
        fields["metadata"] = {k: v for k, v in vars(message).items() if k != "content"}
    if tool_calls := getattr(message, "tool_calls", None):
        fields["tool_calls"] = [ToolCall(name=c["name"], args=c["args"]) for c in tool_calls]
    return _KINDS[message.type](**fields)


__getattr__ = partial(missing, "dataset_schema")
