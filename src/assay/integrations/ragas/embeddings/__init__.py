"""Embeddings as ragas names them."""

from functools import partial

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.embeddings.base import (
    BaseRagasEmbedding,
    BaseRagasEmbeddings,
    LangchainEmbeddingsWrapper,
    LlamaIndexEmbeddingsWrapper,
    OpenAIEmbeddings,
    embedding_factory,
)

RagasBaseEmbedding = BaseRagasEmbedding

__all__ = [
    "BaseRagasEmbedding",
    "BaseRagasEmbeddings",
    "LangchainEmbeddingsWrapper",
    "LlamaIndexEmbeddingsWrapper",
    "OpenAIEmbeddings",
    "RagasBaseEmbedding",
    "embedding_factory",
]

__getattr__ = partial(missing, "embeddings")
