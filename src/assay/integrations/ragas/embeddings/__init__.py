"""Embeddings as ragas names them."""

from typing import Any

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.embeddings.base import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    LangchainEmbeddingsWrapper,
    LlamaIndexEmbeddingsWrapper,
    OpenAIEmbeddings,
    embedding_factory,
)

__all__ = [
    "BaseRagasEmbedding",
    "BaseRagasEmbeddings",
    "LangchainEmbeddingsWrapper",
    "LlamaIndexEmbeddingsWrapper",
    "OpenAIEmbeddings",
    "embedding_factory",
]


def __getattr__(name: str) -> Any:
    return missing("embeddings", name)
