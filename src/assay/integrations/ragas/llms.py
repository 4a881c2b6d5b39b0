"""Language models and embeddings by ragas' names: factories, wrappers, bases of a user's own."""

from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

from assay._middleware.concurrency import settled
from assay.errors import InputError
from assay.integrations.openai import check_client
from assay.integrations.ragas.advice import completed, missing
from assay.integrations.ragas.base_models import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    Wrapped,
)
from assay.integrations.ragas.judges import (
    ClientModel,
    ClientVectors,
    OpenAIModel,
    OpenAIVectors,
    vectors,
    written,
)

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
        what = f"llm_factory(provider={provider!r}) has no OpenAI-compatible interface"
        raise InputError(what, f"give its chat model as a LangChain object, or {_SERVED}")
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
        what = f"embedding_factory({provider!r}) has no OpenAI-compatible interface"
        raise InputError(what, "give its embeddings as a LangChain object, or 'embedded'")
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
