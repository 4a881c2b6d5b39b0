"""Embeddings by ragas' names: factories, wrappers, base classes of a user's own."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.integrations.ragas.advice import completed, missing
from assay.integrations.ragas.base_models import BaseRagasEmbedding, BaseRagasEmbeddings, Wrapped
from assay.integrations.ragas.judges import ClientVectors, OpenAIVectors, vectors
from assay.integrations.ragas.llms import check_client
from assay.judges.llm import settled

__all__ = [
    "BaseRagasEmbedding",
    "BaseRagasEmbeddings",
    "LangchainEmbeddingsWrapper",
    "LlamaIndexEmbeddingsWrapper",
    "OpenAIEmbeddings",
    "RagasBaseEmbedding",
    "embedding_factory",
    "modern_embedding_factory",
]


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


__getattr__ = partial(missing, "embeddings")
