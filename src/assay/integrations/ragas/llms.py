"""Language models and embeddings by ragas' names, as a script itself makes and asks them."""

import asyncio
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import msgspec

from assay._middleware.concurrency import settled
from assay.errors import InputError, Unreadable
from assay.integrations.openai import Client, ClientEmbedder, check_client
from assay.integrations.ragas.advice import completed, missing, reworded
from assay.integrations.ragas.judges import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    Wrapped,
)
from assay.judge import Backend
from assay.judges.embedder import Embedder
from assay.judges.llm import LLM
from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
from assay.judges.specs import backend
from assay.tasks import Embed
from assay.tasks.base import decode

__all__ = [
    "BaseRagasEmbedding",
    "BaseRagasEmbeddings",
    "BaseRagasLLM",
    "InstructorBaseRagasLLM",
    "LangchainEmbeddingsWrapper",
    "LangchainLLMWrapper",
    "LlamaIndexEmbeddingsWrapper",
    "LlamaIndexLLMWrapper",
    "OpenAIEmbeddings",
    "RagasBaseEmbedding",
    "embedding_factory",
    "instructor_llm_factory",
    "llm_factory",
    "modern_embedding_factory",
]

# What a judge of assay takes; all else goes into the body of its requests.
_KNOWN = ("base_url", "api_key", "temperature", "max_tokens", "timeout", "headers", "extra_body")
_SERVED = ("openai", "azure", "ollama", "groq", "together", "deepseek", "mistral", "vllm")


T = TypeVar("T")

_DRAWS = 3  # replies that are asked for until one fits the form
_AS_JSON = "Answer with one JSON object, of this schema:"


@dataclass
class Generation:
    """One text that a model wrote, as LangChain gives it."""

    text: str
    generation_info: dict[str, Any] | None = None


@dataclass
class Generations:
    """The texts that a model wrote, as LangChain's `LLMResult` gives them."""

    generations: list[list[Generation]]
    llm_output: dict[str, Any] | None = field(default=None)


async def written(model: Any, prompt: Any, n: int = 1) -> Generations:
    """Texts that a model writes after a prompt.

    Args:
        model: What assay takes as a judge.
        prompt: A text, or a prompt of LangChain.
        n: How many texts.

    Raises:
        InputError: If the model writes no text.
        JudgeError: If nothing came.
    """
    llm = backend(model)
    if not isinstance(llm, LLM):
        raise InputError(f"{llm.name} writes no text", "wrap a language model")
    text = prompt if isinstance(prompt, str) else str(prompt.to_string())
    calls = (llm.complete(text, None, "text", draw) for draw in range(n))
    completions = await asyncio.gather(*calls)
    usage = {
        "prompt_tokens": sum(completion.tokens_in for completion in completions),
        "completion_tokens": sum(completion.tokens_out for completion in completions),
    }
    texts = [
        Generation(c.text, {"finish_reason": "length" if c.cut else "stop"}) for c in completions
    ]
    return Generations([texts], {"token_usage": usage})


async def vectors(model: Any, texts: Sequence[str]) -> list[list[float]]:
    """The vectors of texts.

    Args:
        model: What assay takes as an embedder.
        texts: The texts.

    Raises:
        InputError: If the model makes no embeddings.
        JudgeError: If nothing came.
    """
    embedder = backend(model, embedder=True)
    if embedder.identity(Embed) is None:
        raise InputError(f"{embedder.name} makes no embeddings", "wrap an embedding model")
    if isinstance(embedder, Embedder):
        embedded, _ = await embedder.vectors(list(texts)) if texts else ([], 0)
        return [list(vector) for vector in embedded]
    return list(await asyncio.gather(*(_vector(embedder, text) for text in texts)))


async def _vector(embedder: Backend, text: str) -> list[float]:
    task = Embed(text)
    return list(task.read((await embedder.reply(task)).raw))


class Forms(InstructorBaseRagasLLM):
    """A model that fills forms: `generate(prompt, response_model)`."""

    @abstractmethod
    async def complete(
        self, prompt: str, schema: Mapping[str, Any] | None, kind: str, draw: int
    ) -> Any:
        """What it writes after the prompt; see `LLM`."""

    async def agenerate(self, prompt: str, response_model: type[T] | None = None) -> T:
        """What it fills into a form.

        Args:
            prompt: What is asked.
            response_model: The form, a model of pydantic.

        Raises:
            InputError: If no form is given.
            JudgeError: If nothing came that fits the form.
        """
        form: Any = response_model
        if form is None:
            raise InputError("generate needs a form", "give response_model=, a pydantic model")
        schema = _closed(form.model_json_schema())
        text = f"{prompt}\n\n{_AS_JSON}\n{json.dumps(schema, ensure_ascii=False)}"
        with reworded():
            for draw in range(_DRAWS):
                reply = await self.complete(text, schema, form.__name__, draw)
                try:
                    filled: T = _filled(reply.text, form)
                except (Unreadable, ValueError) as error:
                    problem = error
                else:
                    return filled
            raise Unreadable(f"no reply fits {form.__name__}: {problem}", raw=reply.text)

    def generate(self, prompt: str, response_model: type[T] | None = None) -> T:
        """`agenerate` run to completion."""
        return completed(self.agenerate(prompt, response_model))


def _closed(schema: Any) -> Any:
    """A schema as servers take it that keep to it: every field required, no others."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(item) for name, item in schema.items() if name != "default"}
    if isinstance(properties := closed.get("properties"), dict):
        closed |= {"required": list(properties), "additionalProperties": False}
    return closed


def _filled(raw: str, form: Any) -> Any:
    """The form that a reply holds, among code fences and prose.

    Raises:
        Unreadable: If it holds none.
        ValueError: If what it holds is not as the form wants it.
    """
    names = {name: info.alias or name for name, info in form.model_fields.items()}
    fields = [
        (name, Any)
        if info.is_required()
        else (name, Any, msgspec.field(default_factory=lambda: msgspec.UNSET))
        for name, info in form.model_fields.items()
    ]
    struct = msgspec.defstruct(form.__name__, fields, kw_only=True, rename=names)
    reply = decode(raw, struct)
    values = {names[name]: getattr(reply, name) for name in names}
    return form.model_validate({k: v for k, v in values.items() if v is not msgspec.UNSET})


class Vectors(BaseRagasEmbedding):
    """A model that embeds: `embed_text(text)`, `embed_texts(texts)`, and both to be awaited."""

    async def aembed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """The vectors of several texts, asked for in one request."""
        with reworded():
            return await vectors(self, texts)

    async def aembed_text(self, text: str, **_: Any) -> list[float]:
        """The vector of a text."""
        return (await self.aembed_texts([text]))[0]

    def embed_texts(self, texts: Sequence[str], **_: Any) -> list[list[float]]:
        """`aembed_texts` run to completion."""
        return completed(self.aembed_texts(texts))

    def embed_text(self, text: str, **_: Any) -> list[float]:
        """`aembed_text` run to completion."""
        return completed(self.aembed_text(text))


class OpenAIModel(OpenAI, Forms):  # type: ignore[override]
    """`assay.OpenAI` with the methods of a model of ragas."""


class ClientModel(Client, Forms):  # type: ignore[override]
    """A model that a client object reaches, with the methods of a model of ragas."""


class OpenAIVectors(Vectors, OpenAIEmbedder):  # type: ignore[override]
    """An embedding model served the OpenAI way, with the methods of an embedder of ragas."""


class ClientVectors(Vectors, ClientEmbedder):  # type: ignore[override]
    """An embedding model that a client object reaches, with the methods of one of ragas."""


class _Writes(Wrapped, BaseRagasLLM):
    async def agenerate_text(self, prompt: Any, n: int = 1, **options: Any) -> Any:
        """The texts that the model writes after a prompt."""
        del options
        return await written(self.model, prompt, n)

    def generate_text(self, prompt: Any, n: int = 1, **options: Any) -> Any:
        """`agenerate_text` run to completion."""
        return completed(self.agenerate_text(prompt, n, **options))


class LangchainLLMWrapper(_Writes):
    """A chat model or LLM of LangChain."""

    def __init__(self, langchain_llm: Any, *args: Any, **others: Any) -> None:
        super().__init__(langchain_llm, args=args, **others)
        self.langchain_llm = langchain_llm


class LlamaIndexLLMWrapper(_Writes):
    """An LLM of LlamaIndex."""

    def __init__(self, llm: Any, *args: Any, **others: Any) -> None:
        super().__init__(llm, args=args, **others)
        self.llm = llm


InstructorLLM = InstructorBaseRagasLLM


def llm_factory(
    model: str = "gpt-4o-mini",
    provider: str = "openai",
    client: Any = None,
    **options: Any,
) -> Any:
    """The judge that ragas' factory stands for; assay's own `openai:MODEL` without a client.

    It also fills forms for a script: `generate(prompt, response_model)` and `agenerate`.

    Args:
        model: The model's name.
        provider: Whose it is; one with an OpenAI-compatible interface.
        client: An `OpenAI` or `AsyncOpenAI` object, else the environment says where and by what
            key.
        options: `base_url`, `default_headers`, `temperature`, `max_tokens`, and what is sent along
            (`top_p`).

    Raises:
        InputError: For a provider with another interface.
    """
    if provider not in _SERVED:
        fault = f"llm_factory(provider={provider!r}) has no OpenAI-compatible interface"
        raise InputError(fault, f"give its chat model as a LangChain object, or {_SERVED}")
    if headers := options.pop("default_headers", None):
        options["headers"] = headers
    for unused in ("adapter", "cache", "run_config", "mode"):
        options.pop(unused, None)
    further = {name: options.pop(name) for name in list(options) if name not in _KNOWN}
    if further:
        options["extra_body"] = {**options.get("extra_body", {}), **further}
    if client is not None:
        check_client(client)
        return ClientModel(client, model, **options)
    if provider == "ollama":
        return OpenAIModel.ollama(model, **options)
    return OpenAIModel(model, **options)


def instructor_llm_factory(
    provider: str, model: str | None = None, client: Any = None, **options: Any
) -> Any:
    """`llm_factory` as ragas 0.3 has it: the provider comes first.

    Args:
        provider: Whose the model is, "openai", or both in one, "openai/gpt-4o-mini".
        model: The model's name.
        client: See `llm_factory`.
        options: See `llm_factory`.
    """
    if model is None:
        provider, _, model = provider.partition("/")
    return llm_factory(model or "gpt-4o-mini", provider, client, **options)


InstructorTypeVar = TypeVar("InstructorTypeVar")


class _Embeds(Wrapped, BaseRagasEmbeddings):
    def __init__(self, embeddings: Any, *args: Any, **others: Any) -> None:
        super().__init__(embeddings, args=args, **others)
        self.embeddings = embeddings

    async def aembed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of several texts."""
        return await vectors(self.model, texts)

    async def aembed_query(self, text: str) -> list[float]:
        """The vector of a question, which some models embed in another way than a document."""
        for name in ("aembed_query", "embed_query", "get_query_embedding"):
            if hasattr(self.model, name):
                return list(await settled(getattr(self.model, name)(text)))
        return (await self.aembed_documents([text]))[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """`aembed_documents` run to completion."""
        return completed(self.aembed_documents(texts))

    def embed_query(self, text: str) -> list[float]:
        """`aembed_query` run to completion."""
        return completed(self.aembed_query(text))


class LangchainEmbeddingsWrapper(_Embeds):
    """Embeddings of LangChain."""


class LlamaIndexEmbeddingsWrapper(_Embeds):
    """Embeddings of LlamaIndex."""


def embedding_factory(
    provider: str = "openai", model: str | None = None, client: Any = None, **options: Any
) -> Any:
    """The embedder that ragas' factory stands for.

    Args:
        provider: "openai"; ragas 0.2 gave the model's name in this place.
        model: The model's name.
        client: An `OpenAI` or `AsyncOpenAI` object, else the environment says where and by what
            key.
        options: `base_url` and so on.

    Raises:
        InputError: For a provider with another interface.
    """
    if provider.startswith("text-embedding"):
        provider, model = "openai", provider
    if provider != "openai":
        fault = f"embedding_factory({provider!r}) has no OpenAI-compatible interface"
        raise InputError(fault, "give its embeddings as a LangChain object, or 'embedded'")
    for unused in ("interface", "cache", "run_config"):
        options.pop(unused, None)
    return OpenAIEmbeddings(client, model or "text-embedding-3-small", **options)


RagasBaseEmbedding = BaseRagasEmbedding
modern_embedding_factory = embedding_factory


def OpenAIEmbeddings(  # noqa: N802 - a class in ragas
    client: Any = None, model: str = "text-embedding-3-small", **options: Any
) -> Any:
    """An embedding model of OpenAI, asked through a client object or by assay itself.

    It also embeds for a script: `embed_text(text)`, `embed_texts(texts)`, `aembed_text` and
    `aembed_texts`.
    """
    options.pop("cache", None)
    if client is not None:
        check_client(client)
        return ClientVectors(client, model, **options)
    return OpenAIVectors(model, **options)


__getattr__ = partial(missing, "llms")
