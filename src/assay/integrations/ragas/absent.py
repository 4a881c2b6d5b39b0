"""What of ragas is not here, and what is used instead?"""

from collections.abc import Mapping
from typing import Any, NoReturn

from assay.errors import InputError

_PROMPTS = "the words of a judge are replaced by task: Settings(prompts=...), `assay run --prompts`"
_IMAGES = "assay judges texts: describe the images in words, or keep ragas for this metric"
_DATA = "compare tables with pandas or datacompy; any function is a metric with @assay.metric"
_TESTS = "TestsetGenerator cuts documents and draws passages by itself; see `assay testset`"

# By name of the module below `ragas`, or of what is imported from it.
WAYS: Mapping[str, str] = {
    "testset": _TESTS,
    "prompt": _PROMPTS,
    "PydanticPrompt": _PROMPTS,
    "optimizers": "`assay calibrate` fits a threshold to human labels",
    "adapt": "leave it out: statements and reasons keep the language of the text",
    "BatchEvaluator": "evaluate(..., llm='openai-batch:MODEL') uses the provider's batch API",
    "estimate_batch_cost_savings": "`assay run --dry-run --price` says what a run would cost",
    "EvaluatorChain": "assay.integrations.langchain has RunEvaluator and StringEvaluator",
    "RagasEvaluatorChain": "assay.integrations.langchain has RunEvaluator and StringEvaluator",
    "losses": "`assay agree` measures the agreement with human labels",
    "cache": "every reply is kept in the store and taken from there: no cache is needed",
    "cacher": "every reply is kept in the store and taken from there: no cache is needed",
    "CacheInterface": "every reply is kept in the store: leave cache= out",
    "DiskCacheBackend": "every reply is kept in the store: leave cache= out",
    "executor": "evaluate() limits, retries and resumes by itself: set RunConfig",
    "tokenizers": "tokens are counted by the judge's server and read from its replies",
    "version_experiment": "commit with git; a run's id follows from its content",
    "DataCompyScore": _DATA,
    "LLMSQLEquivalence": "DiscreteMetric with the question 'do both queries return the same rows?'",
    "SQLSemanticEquivalence": "DiscreteMetric with the question 'do both return the same rows?'",
    "MultiModalFaithfulness": _IMAGES,
    "MultiModalRelevance": _IMAGES,
    "multimodal_faithness": _IMAGES,
    "multimodal_relevance": _IMAGES,
    "FaithfulnesswithHHEM": "Faithfulness(llm='onnx:FOLDER+embedded') takes any NLI model",
    "GoogleEmbeddings": "give a LangChain or LlamaIndex embedding object",
    "HaystackEmbeddingsWrapper": "give a LangChain or LlamaIndex embedding object, or 'embedded'",
    "HuggingFaceEmbeddings": "give 'onnx:FOLDER', that of LangChain, or 'embedded'",
    "HuggingfaceEmbeddings": "give 'onnx:FOLDER', that of LangChain, or 'embedded'",
    "LiteLLMEmbeddings": "give the model of an OpenAI-compatible server: 'openai:MODEL'",
    "LiteLLMStructuredLLM": "give the model of an OpenAI-compatible server: 'openai:MODEL'",
    "OCIGenAIWrapper": "give a LangChain chat model, or 'openai:MODEL'",
    "oci_genai_factory": "give a LangChain chat model, or 'openai:MODEL'",
    "HaystackLLMWrapper": "give a LangChain chat model, or 'openai:MODEL'",
    "integrations": "assay.integrations has LangChain, LlamaIndex, Haystack, traces and trackers",
    "train": "`assay calibrate` fits a threshold to human labels",
    "upload": "result.assay.report('report.html') writes a page to share; nothing is uploaded",
}


def missing(module: str, name: str) -> Any:
    """What `__getattr__` of a module says of a name that ragas has and we have not.

    Raises:
        ImportError: With the assay way, if the name is known to be ragas'.
        AttributeError: For any other name.
    """
    if name in WAYS:
        raise ImportError(f"assay's ragas has no {name}: {WAYS[name]}")
    if module in WAYS and not name.startswith("_"):
        raise ImportError(f"assay's ragas has no {module}.{name}: {WAYS[module]}")
    here = ".".join(filter(None, ("assay.integrations.ragas", module)))
    raise AttributeError(f"module '{here}' has no attribute '{name}'")


def refuse(what: str, way: str = "") -> NoReturn:
    """Say that something ragas takes is not taken here.

    Raises:
        InputError: Always.
    """
    raise InputError(f"assay's ragas has no {what}", way or WAYS.get(what, ""))
