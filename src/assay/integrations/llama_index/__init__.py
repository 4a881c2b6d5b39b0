"""LlamaIndex: models as judges, metrics as evaluators, query engines watched while they run.

`backend` and `embeddings` need nothing but the object; all else needs ``assay[llama-index]``.
"""

from assay.integrations.llama_index.backend import Embeddings, Model, backend, embeddings

__all__ = ["Embeddings", "Model", "backend", "embeddings"]
