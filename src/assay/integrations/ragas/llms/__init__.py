"""Language models as ragas names them."""

from typing import Any

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.llms.base import (
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    InstructorLLM,
    LangchainLLMWrapper,
    LlamaIndexLLMWrapper,
    llm_factory,
)

__all__ = [
    "BaseRagasLLM",
    "InstructorBaseRagasLLM",
    "InstructorLLM",
    "LangchainLLMWrapper",
    "LlamaIndexLLMWrapper",
    "llm_factory",
]


def __getattr__(name: str) -> Any:
    return missing("llms", name)
