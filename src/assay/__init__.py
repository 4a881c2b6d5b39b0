"""assay measures how good a RAG system is, and shows the evidence behind every number."""

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay.analysis.compare import compare
    from assay.analysis.diagnosis.diagnose import diagnose
    from assay.errors import (
        AssayError,
        Denied,
        InputError,
        JudgeError,
        OverBudget,
        Unavailable,
        Unreadable,
        Unsupported,
    )
    from assay.judge import Backend, Judge, Reply, Task
    from assay.judges import backend
    from assay.judges.openai.batch import OpenAIBatch
    from assay.judges.openai.embeddings import OpenAIEmbedder
    from assay.judges.openai.judge import OpenAI
    from assay.judges.scripted import Scripted
    from assay.metrics import METRICS, Metric, metric
    from assay.middleware.budget import Budget, Price
    from assay.middleware.limiter import Limits
    from assay.middleware.wrapper import Route
    from assay.prompt import Example, Template
    from assay.run.estimate import Estimate, estimate
    from assay.run.evaluate import aevaluate, evaluate
    from assay.run.result import Result
    from assay.run.settings import Settings
    from assay.run.verify import averify, averify_many, verify, verify_many
    from assay.sample import Sample, ToolCall, Turn, Variant
    from assay.score import Outcome, Part, Score, Unscored
    from assay.tasks import Verdict

# Where each public name lives. Imported on first use, so that `import assay` stays instant and
# pulls in no third-party module.
_HOME = {
    "compare": "assay.analysis.compare",
    "diagnose": "assay.analysis.diagnosis.diagnose",
    "backend": "assay.judges",
    "Limits": "assay.middleware.limiter",
    "OpenAI": "assay.judges.openai.judge",
    "OpenAIBatch": "assay.judges.openai.batch",
    "OpenAIEmbedder": "assay.judges.openai.embeddings",
    "Route": "assay.middleware.wrapper",
    "Scripted": "assay.judges.scripted",
    "Budget": "assay.middleware.budget",
    "Price": "assay.middleware.budget",
    "AssayError": "assay.errors",
    "Denied": "assay.errors",
    "InputError": "assay.errors",
    "JudgeError": "assay.errors",
    "OverBudget": "assay.errors",
    "Unavailable": "assay.errors",
    "Unreadable": "assay.errors",
    "Unsupported": "assay.errors",
    "Backend": "assay.judge",
    "Judge": "assay.judge",
    "Reply": "assay.judge",
    "Task": "assay.judge",
    "METRICS": "assay.metrics",
    "Metric": "assay.metrics",
    "metric": "assay.metrics",
    "Example": "assay.prompt",
    "Template": "assay.prompt",
    "Estimate": "assay.run.estimate",
    "estimate": "assay.run.estimate",
    "aevaluate": "assay.run.evaluate",
    "evaluate": "assay.run.evaluate",
    "Result": "assay.run.result",
    "Settings": "assay.run.settings",
    "averify": "assay.run.verify",
    "averify_many": "assay.run.verify",
    "verify": "assay.run.verify",
    "verify_many": "assay.run.verify",
    "Sample": "assay.sample",
    "ToolCall": "assay.sample",
    "Turn": "assay.sample",
    "Variant": "assay.sample",
    "Outcome": "assay.score",
    "Part": "assay.score",
    "Score": "assay.score",
    "Unscored": "assay.score",
    "Verdict": "assay.tasks",
}

__all__ = [
    "METRICS",
    "AssayError",
    "Backend",
    "Budget",
    "Denied",
    "Estimate",
    "Example",
    "InputError",
    "Judge",
    "JudgeError",
    "Limits",
    "Metric",
    "OpenAI",
    "OpenAIBatch",
    "OpenAIEmbedder",
    "Outcome",
    "OverBudget",
    "Part",
    "Price",
    "Reply",
    "Result",
    "Route",
    "Sample",
    "Score",
    "Scripted",
    "Settings",
    "Task",
    "Template",
    "ToolCall",
    "Turn",
    "Unavailable",
    "Unreadable",
    "Unscored",
    "Unsupported",
    "Variant",
    "Verdict",
    "__version__",
    "aevaluate",
    "averify",
    "averify_many",
    "backend",
    "compare",
    "diagnose",
    "estimate",
    "evaluate",
    "metric",
    "verify",
    "verify_many",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
