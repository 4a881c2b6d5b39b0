"""LlamaIndex: models as judges, metrics as evaluators, query engines watched while they run.

`backend` and `embeddings` need nothing but the object; all else needs ``assay[llama-index]``.
"""

from typing import TYPE_CHECKING

from assay.integrations.later import later
from assay.integrations.llama_index.backend import Embeddings, Model, backend, embeddings

if TYPE_CHECKING:
    from assay.integrations.llama_index.collector import Collector
    from assay.integrations.llama_index.evaluator import Evaluator

__all__ = ["Collector", "Embeddings", "Evaluator", "Model", "backend", "embeddings"]

__getattr__ = later(
    __name__,
    {
        "Collector": ("collector", "assay[llama-index]"),
        "Evaluator": ("evaluator", "assay[llama-index]"),
    },
)
