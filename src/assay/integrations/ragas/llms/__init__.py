"""Language models as ragas names them."""

from functools import partial
from typing import TypeVar

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.llms.base import (
    BaseRagasLLM,
    InstructorBaseRagasLLM,
    InstructorLLM,
    LangchainLLMWrapper,
    LlamaIndexLLMWrapper,
    instructor_llm_factory,
    llm_factory,
)

InstructorTypeVar = TypeVar("InstructorTypeVar")

__all__ = [
    "BaseRagasLLM",
    "InstructorBaseRagasLLM",
    "InstructorLLM",
    "LangchainLLMWrapper",
    "LlamaIndexLLMWrapper",
    "instructor_llm_factory",
    "llm_factory",
]

__getattr__ = partial(missing, "llms")
