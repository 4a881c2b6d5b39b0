"""LangChain: models as judges, metrics as evaluators, chains watched while they run.

`backend` and `embeddings` need nothing but the object; all else needs ``assay[langchain]``, and
`StringEvaluator` langchain-classic besides.
"""

from typing import TYPE_CHECKING

from assay.integrations.langchain.backend import ChatModel, Embeddings, backend, embeddings
from assay.integrations.later import later

if TYPE_CHECKING:
    from assay.integrations.langchain.collector import Collector
    from assay.integrations.langchain.evaluators import RunEvaluator
    from assay.integrations.langchain.strings import StringEvaluator

__all__ = [
    "ChatModel",
    "Collector",
    "Embeddings",
    "RunEvaluator",
    "StringEvaluator",
    "backend",
    "embeddings",
]

__getattr__ = later(
    __name__,
    {
        "Collector": ("collector", "assay[langchain]"),
        "RunEvaluator": ("evaluators", "assay[langchain]"),
        "StringEvaluator": ("strings", "langchain-classic"),
    },
)
