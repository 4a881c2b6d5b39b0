"""LlamaIndex: models as judges, metrics as evaluators, query engines watched while they run.

`backend` and `embeddings` need nothing but the object, which is asked by its public methods; all
else needs ``assay[llama-index]``.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.errors import InputError
from assay.integrations import optional_names
from assay.integrations.objects import ObjectEmbedder, blocking, member, object_name, was_cut
from assay.judge import Backend, repeated
from assay.judges.llm import LLM, Completion, model_name
from assay.prompt import Template

if TYPE_CHECKING:
    from assay.integrations.llama_index.evaluation import Collector, Evaluator

__all__ = ["Collector", "Embeddings", "Evaluator", "Model", "backend", "embeddings"]


class Model(LLM):
    """An LLM, asked by `complete` in threads of its own; JSON is asked for by the prompt alone.

    Its temperature is its own: metrics that ask for several draws need one above 0, or a
    `sampler`.

    Args:
        llm: The object.
        sampler: Who is asked for all draws but the first; the object itself by default.
        prompts: Templates that replace the built-in ones, by kind of task.
    """

    drifts = True

    def __init__(
        self, llm: Any, *, sampler: Any = None, prompts: Mapping[str, Template] | None = None
    ) -> None:
        super().__init__(prompts)
        self._llm, self._sampler = llm, sampler if sampler is not None else llm
        further = None if sampler is None else object_name("llama-index", sampler, "")
        model = str(getattr(llm.metadata, "model_name", "") or "")
        self._name = object_name("llama-index", llm, model, further)

    @property
    def name(self) -> str:
        """``llama-index:CLASS:MODEL`` and a digest of its settings."""
        return self._name

    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Completion:
        """What the model writes."""
        del schema, kind
        llm = self._sampler if repeated(draw) else self._llm
        response = await blocking(self.name, partial(llm.complete, prompt))
        text = str(response.text or "")
        read, tokens_out = usage(response)
        return Completion(
            text,
            len(prompt) // 4 if read is None else read,
            len(text) // 4 if tokens_out is None else tokens_out,
            cut=_was_cut(response),
            cached=_cached(_usage_fields(response)),
            model=model_name(member(member(response, "raw"), "model")),
        )


class Embeddings(ObjectEmbedder):
    """An embedding object: `get_text_embedding_batch` is asked, with many texts at once.

    Args:
        obj: The object.
    """

    def __init__(self, obj: Any) -> None:
        name = object_name("llama-index", obj, str(getattr(obj, "model_name", "")))
        super().__init__(name, obj.get_text_embedding_batch)


def backend(obj: Any, **options: Any) -> Backend:
    """A back end that asks an LLM, or one that asks an embedding object.

    Args:
        obj: An LLM or embedding object of LlamaIndex.
        options: Those of `Model`.

    Raises:
        InputError: If it is neither.
    """
    if hasattr(obj, "complete") and hasattr(obj, "metadata"):
        return Model(obj, **options)
    if hasattr(obj, "get_text_embedding_batch"):
        return Embeddings(obj)
    fault = f"a {type(obj).__name__} of LlamaIndex is not a model"
    raise InputError(fault, "give an LLM or an embedding object")


embeddings = Embeddings


def _was_cut(response: Any) -> bool:
    """Whether the bound on its length ended it: told in the raw response, or beside the text."""
    raw = member(response, "raw")
    sources = [raw, member(response, "additional_kwargs"), *(member(raw, "choices") or ())]
    return any(map(was_cut, sources))


def usage(response: Any) -> tuple[int | None, int | None]:
    """(tokens read, tokens written) that a response tells of; None for what it does not tell.

    Providers put them into the raw response, each by the names of its own API, or beside the text.
    """
    fields = _usage_fields(response)
    read = _first(fields, *_READ)
    if read is not None and member(fields, "input_tokens") is not None:
        read += sum(_cached(fields))  # Anthropic tells of the cached tokens beside the others
    return read, _first(fields, *_WRITTEN)


_READ = ("prompt_tokens", "input_tokens", "prompt_eval_count", "prompt_token_count")
_WRITTEN = ("completion_tokens", "output_tokens", "eval_count", "candidates_token_count")


def _usage_fields(response: Any) -> Any:
    """Where a response tells of its tokens."""
    raw = getattr(response, "raw", None)
    extra_fields = getattr(response, "additional_kwargs", None)
    sources = (member(raw, "usage"), member(raw, "usage_metadata"), extra_fields, raw)
    return next(
        (source for source in sources if _first(source, *_READ, *_WRITTEN) is not None), None
    )


def _cached(fields: Any) -> tuple[int, int]:
    """Prompt tokens that the provider read from its cache, and that it wrote into it."""
    details = member(fields, "prompt_tokens_details")
    read = _first(details, "cached_tokens")
    names = ("cache_read_input_tokens", "cached_content_token_count", "prompt_cache_hit_tokens")
    read = read or _first(fields, *names)
    return read or 0, _first(fields, "cache_creation_input_tokens") or 0


def _first(fields: Any, *names: str) -> int | None:
    numbers = (member(fields, name) for name in names)
    return next((n for n in numbers if isinstance(n, int)), None)


__getattr__ = optional_names(
    __name__,
    {
        "Collector": ("evaluation", "assay[llama-index]"),
        "Evaluator": ("evaluation", "assay[llama-index]"),
    },
)
