"""Embeddings as ragas names them: factories, wrappers, base classes of a user's own."""

from abc import ABC
from functools import partial
from typing import Any

from assay.errors import InputError
from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.llms.base import Wrapped


class LangchainEmbeddingsWrapper(Wrapped):
    """Embeddings of LangChain."""


class LlamaIndexEmbeddingsWrapper(Wrapped):
    """Embeddings of LlamaIndex."""


class BaseRagasEmbedding(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own embeddings: `embed_text(text)` or `aembed_text` gives a vector."""


class BaseRagasEmbeddings(ABC):  # noqa: B024 - one of two methods is enough
    """Base of a user's own embeddings: `embed_query(text)` or `aembed_query` gives a vector."""


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


def OpenAIEmbeddings(  # noqa: N802 - a class in ragas
    client: Any = None, model: str = "text-embedding-3-small", **options: Any
) -> Any:
    """An embedding model of OpenAI, asked through a client object or by assay itself."""
    options.pop("cache", None)
    if client is not None:
        from assay.integrations import openai

        return openai.embeddings(client, model, **options)
    from assay.backends.openai_embeddings import OpenAIEmbedder

    return OpenAIEmbedder(model, **options)


__getattr__ = partial(missing, "embeddings.base")
