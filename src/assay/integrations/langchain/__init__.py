"""LangChain: models as judges, metrics as evaluators, chains watched while they run.

`backend` and `embeddings` need nothing but the object; all else needs ``assay[langchain]``.
"""

from assay.integrations.langchain.backend import ChatModel, Embeddings, backend, embeddings

__all__ = ["ChatModel", "Embeddings", "backend", "embeddings"]
