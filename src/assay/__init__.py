"""assay measures how good a RAG system is, and shows the evidence behind every number."""

import importlib
from typing import TYPE_CHECKING, Any

from assay._version import __version__

if TYPE_CHECKING:
    from assay._analysis.agreement import agree
    from assay._analysis.calibration import calibrate
    from assay._analysis.cascade import CascadeAudit, audit_cascade
    from assay._analysis.comparison import Comparison, compare
    from assay._analysis.correction import correct
    from assay._analysis.diagnosis import Diagnosis, diagnose
    from assay._analysis.diagnosis.counterfactual import blame_steps, counterfactual
    from assay._analysis.gate import Rules, gate
    from assay._analysis.history import history
    from assay._analysis.items import items
    from assay._analysis.repeat import arepeat, repeat
    from assay._analysis.robustness import Robustness
    from assay._middleware.budget import Budget, Price
    from assay._middleware.limiter import Limits
    from assay._middleware.wrapper import Route
    from assay._report.run.html import notebook_html, write_report
    from assay._runner.estimate import Estimate, estimate
    from assay._runner.evaluate import (
        aevaluate,
        averify,
        averify_many,
        evaluate,
        verify,
        verify_many,
    )
    from assay._runner.result import Result
    from assay._runner.settings import Settings
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
    from assay.experiments.pipeline import Pipeline
    from assay.experiments.regeneration import regenerate
    from assay.experiments.robustness import RobustnessSettings, arobustness, robustness
    from assay.experiments.sweep import SweepSettings, asweep, sweep
    from assay.experiments.swept import Sweep
    from assay.judge import Backend, Judge, Reply, Task
    from assay.judges import backend
    from assay.judges.openai.batch import OpenAIBatch
    from assay.judges.openai.embeddings import OpenAIEmbedder
    from assay.judges.openai.judge import OpenAI
    from assay.judges.prices import list_price
    from assay.judges.scripted import Scripted
    from assay.judges.specs import cascade
    from assay.metrics import METRICS, Metric, metric
    from assay.prompt import Example, Template
    from assay.sample import Sample, ToolCall, Turn, Variant
    from assay.score import Outcome, Part, Score, Unscored
    from assay.tasks import Verdict

# Where each public name lives. Imported on first use, so that `import assay` stays instant and
# pulls in no third-party module.
_HOME = {
    "agree": "assay._analysis.agreement",
    "audit_cascade": "assay._analysis.cascade",
    "calibrate": "assay._analysis.calibration",
    "CascadeAudit": "assay._analysis.cascade",
    "Comparison": "assay._analysis.comparison",
    "compare": "assay._analysis.comparison",
    "correct": "assay._analysis.correction",
    "Diagnosis": "assay._analysis.diagnosis",
    "diagnose": "assay._analysis.diagnosis",
    "counterfactual": "assay._analysis.diagnosis.counterfactual",
    "blame_steps": "assay._analysis.diagnosis.counterfactual",
    "Rules": "assay._analysis.gate",
    "gate": "assay._analysis.gate",
    "history": "assay._analysis.history",
    "items": "assay._analysis.items",
    "arepeat": "assay._analysis.repeat",
    "repeat": "assay._analysis.repeat",
    "Robustness": "assay._analysis.robustness",
    "backend": "assay.judges",
    "cascade": "assay.judges.specs",
    "Limits": "assay._middleware.limiter",
    "OpenAI": "assay.judges.openai.judge",
    "OpenAIBatch": "assay.judges.openai.batch",
    "OpenAIEmbedder": "assay.judges.openai.embeddings",
    "Route": "assay._middleware.wrapper",
    "Scripted": "assay.judges.scripted",
    "Budget": "assay._middleware.budget",
    "Price": "assay._middleware.budget",
    "list_price": "assay.judges.prices",
    "AssayError": "assay.errors",
    "Denied": "assay.errors",
    "InputError": "assay.errors",
    "JudgeError": "assay.errors",
    "OverBudget": "assay.errors",
    "Unavailable": "assay.errors",
    "Unreadable": "assay.errors",
    "Unsupported": "assay.errors",
    "Pipeline": "assay.experiments.pipeline",
    "regenerate": "assay.experiments.regeneration",
    "RobustnessSettings": "assay.experiments.robustness",
    "arobustness": "assay.experiments.robustness",
    "robustness": "assay.experiments.robustness",
    "Sweep": "assay.experiments.swept",
    "SweepSettings": "assay.experiments.sweep",
    "asweep": "assay.experiments.sweep",
    "sweep": "assay.experiments.sweep",
    "Backend": "assay.judge",
    "Judge": "assay.judge",
    "Reply": "assay.judge",
    "Task": "assay.judge",
    "METRICS": "assay.metrics",
    "Metric": "assay.metrics",
    "metric": "assay.metrics",
    "Example": "assay.prompt",
    "Template": "assay.prompt",
    "notebook_html": "assay._report.run.html",
    "write_report": "assay._report.run.html",
    "Estimate": "assay._runner.estimate",
    "estimate": "assay._runner.estimate",
    "aevaluate": "assay._runner.evaluate",
    "evaluate": "assay._runner.evaluate",
    "Result": "assay._runner.result",
    "Settings": "assay._runner.settings",
    "averify": "assay._runner.evaluate",
    "averify_many": "assay._runner.evaluate",
    "verify": "assay._runner.evaluate",
    "verify_many": "assay._runner.evaluate",
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
    "CascadeAudit",
    "Comparison",
    "Denied",
    "Diagnosis",
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
    "Pipeline",
    "Price",
    "Reply",
    "Result",
    "Robustness",
    "RobustnessSettings",
    "Route",
    "Rules",
    "Sample",
    "Score",
    "Scripted",
    "Settings",
    "Sweep",
    "SweepSettings",
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
    "agree",
    "arepeat",
    "arobustness",
    "asweep",
    "audit_cascade",
    "averify",
    "averify_many",
    "backend",
    "blame_steps",
    "calibrate",
    "cascade",
    "compare",
    "correct",
    "counterfactual",
    "diagnose",
    "estimate",
    "evaluate",
    "gate",
    "history",
    "items",
    "list_price",
    "metric",
    "notebook_html",
    "regenerate",
    "repeat",
    "robustness",
    "sweep",
    "verify",
    "verify_many",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
