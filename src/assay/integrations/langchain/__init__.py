"""LangChain: models as judges, metrics as evaluators, chains watched while they run.

`backend` and `embeddings` need nothing but the object, which is asked by its public methods; all
else needs ``assay[langchain]``.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import InputError, Unavailable
from assay.integrations import optional_names
from assay.integrations.objects import (
    WITHHELD,
    ObjectEmbedder,
    StructuredOutput,
    blocking,
    object_name,
    text_of,
    was_cut,
)
from assay.judge import Backend, repeated
from assay.judges.llm import LLM, Completion, model_name
from assay.prompt import Template

if TYPE_CHECKING:
    from assay.integrations.langchain.runs import Collector, RunEvaluator

__all__ = [
    "ChatModel",
    "Collector",
    "Embeddings",
    "RunEvaluator",
    "backend",
    "embeddings",
]

_CHAT = "langchain_core.language_models"


class ChatModel(LLM):
    """A chat model, an LLM, or one of these with arguments bound to it (``llm.bind(...)``).

    It is asked by `invoke`, in threads of its own. JSON is asked for by `with_structured_output`
    where the model has it, else by the prompt alone. Its temperature is its own: metrics that ask
    for several draws need one above 0, or a `sampler`.

    Args:
        llm: The object.
        sampler: Who is asked for all draws but the first, ``llm.bind(temperature=0.7)`` say; the
            object itself by default.
        structured: Whether to ask by `with_structured_output`.
        prompts: Templates that replace the built-in ones, by kind of task.
    """

    drifts = True

    def __init__(
        self,
        llm: Any,
        *,
        sampler: Any = None,
        structured: bool = True,
        prompts: Mapping[str, Template] | None = None,
    ) -> None:
        super().__init__(prompts)
        self._llm, self._sampler = llm, sampler if sampler is not None else llm
        self._form = StructuredOutput(offered=structured)
        further = None if sampler is None else object_name("langchain", sampler, "")
        self._name = object_name(
            "langchain", _unbound(llm), _model(llm), [_bound_options(llm), further]
        )

    @property
    def name(self) -> str:
        """``langchain:CLASS:MODEL`` and a digest of its settings."""
        return self._name

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the model writes."""
        llm = self._sampler if repeated(draw) else self._llm
        structured = _structured(llm, schema, kind) if schema is not None else None
        ask_structured = (
            partial(self._invoke, structured, prompt) if structured is not None else None
        )
        return self._read_response(
            await self._form.ask(ask_structured, partial(self._invoke, llm, prompt)), prompt
        )

    async def _invoke(self, llm: Any, prompt: str) -> Any:
        return await blocking(self.name, partial(llm.invoke, prompt))

    def _read_response(self, response: Any, prompt: str) -> Completion:
        parsed = None
        if isinstance(response, Mapping):  # of `with_structured_output(..., include_raw=True)`
            response, parsed = response.get("raw"), response.get("parsed")
        metadata = getattr(response, "response_metadata", None) or {}
        if metadata.get("finish_reason") == "content_filter":
            raise Unavailable(f"{self.name} {WITHHELD}", permanent=True)
        text = response if isinstance(response, str) else text_of(getattr(response, "content", ""))
        if parsed is not None:
            text = msgspec.json.encode(parsed).decode()
        usage = getattr(response, "usage_metadata", None) or {}
        details = usage.get("input_token_details") or {}
        return Completion(
            text,
            usage.get("input_tokens", len(prompt) // 4),
            usage.get("output_tokens", len(text) // 4),
            cut=was_cut(metadata),
            cached=(details.get("cache_read") or 0, details.get("cache_creation") or 0),
            model=model_name(metadata.get("model_name") or metadata.get("model")),
        )


class Embeddings(ObjectEmbedder):
    """An embedding object: `embed_documents` is asked, with many texts at once.

    Args:
        obj: The object.
    """

    def __init__(self, obj: Any) -> None:
        super().__init__(object_name("langchain", obj, _model(obj)), obj.embed_documents)


def backend(obj: Any, **options: Any) -> Backend:
    """A back end that asks a chat model, or one that asks an embedding object.

    Args:
        obj: A chat model, LLM or embedding object of LangChain.
        options: Those of `ChatModel`.

    Raises:
        InputError: If it is neither.
    """
    unbound = type(_unbound(obj))
    if any(base.__module__.startswith(_CHAT) for base in unbound.__mro__):
        return ChatModel(obj, **options)
    if hasattr(obj, "embed_documents"):
        return Embeddings(obj)
    remedy = "give the model in it, or a function: lambda prompt: chain.invoke(prompt).content"
    raise InputError(f"a {type(obj).__name__} of LangChain is not a model", remedy)


embeddings = Embeddings


def _layers(llm: Any) -> list[Any]:
    """The object and what it holds as `bound`, down to the model itself.

    `llm.bind(...)`, `llm.with_config(...)` and `llm.with_retry()` hold it so.
    """
    layers = [llm]
    while (bound := getattr(layers[-1], "__dict__", {}).get("bound")) is not None:
        layers.append(bound)
    return layers


def _unbound(llm: Any) -> Any:
    return _layers(llm)[-1]


def _bound_options(llm: Any) -> list[Any]:
    """What was bound to the model, outermost first."""
    bound = [getattr(layer, "kwargs", None) or {} for layer in _layers(llm)[:-1]]
    return [
        {k: v for k, v in options.items() if isinstance(v, bool | int | float | str)}
        for options in bound
    ]


def _model(obj: Any) -> str:
    obj = _unbound(obj)
    names = [getattr(obj, name, None) for name in ("model_name", "model", "model_id", "deployment")]
    return next((name for name in names if isinstance(name, str) and name), "")


def _structured(llm: Any, schema: Mapping[str, Any], kind: str) -> Any:
    """The model made to answer in this form; None if it cannot be."""
    if _unbound(llm) is not llm or not hasattr(llm, "with_structured_output"):
        return None  # what was bound would be lost
    form = {"title": kind, "description": kind.replace("_", " "), **schema}
    try:
        return llm.with_structured_output(form, include_raw=True)
    except (NotImplementedError, TypeError, ValueError):
        return None


__getattr__ = optional_names(
    __name__,
    {
        "Collector": ("runs", "assay[langchain]"),
        "RunEvaluator": ("runs", "assay[langchain]"),
    },
)
