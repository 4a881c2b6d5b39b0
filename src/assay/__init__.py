"""assay measures how good a RAG system is, and shows the evidence behind every number."""

from typing import TYPE_CHECKING

from assay._lazy import lazy_names
from assay._version import __version__

if TYPE_CHECKING:
    from assay._analysis.agreement import agree
    from assay._analysis.calibration import calibrate
    from assay._analysis.cascade import CascadeAudit, audit_cascade
    from assay._analysis.comparison import Comparison, compare
    from assay._analysis.correction import correct
    from assay._analysis.diagnosis import Diagnosis, diagnose
    from assay._analysis.diagnosis.counterfactual import counterfactual
    from assay._analysis.diagnosis.steps import blame_steps
    from assay._analysis.gate import Rules, gate
    from assay._analysis.history import history
    from assay._analysis.items import items
    from assay._analysis.repeat import arepeat, repeat
    from assay._analysis.robustness import Robustness
    from assay._middleware.budget import Budget, Price
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
    from assay.judge import Backend, Judge, Limits, Reply, Task
    from assay.judges import backend
    from assay.judges.openai.batch import OpenAIBatch
    from assay.judges.openai.judge import OpenAI, OpenAIEmbedder
    from assay.judges.prices import list_price
    from assay.judges.scripted import Scripted
    from assay.judges.specs import cascade
    from assay.metrics import METRICS, Metric, metric
    from assay.prompt import Example, Template
    from assay.sample import Sample, ToolCall, Turn, Variant
    from assay.score import Outcome, Part, Score, Unscored
    from assay.tasks import Verdict

# The public names of each module. Imported on first use, so that `import assay` stays instant and
# pulls in no third-party module.
_NAMES = {
    "assay._analysis.agreement": "agree",
    "assay._analysis.calibration": "calibrate",
    "assay._analysis.cascade": "audit_cascade CascadeAudit",
    "assay._analysis.comparison": "Comparison compare",
    "assay._analysis.correction": "correct",
    "assay._analysis.diagnosis": "Diagnosis diagnose",
    "assay._analysis.diagnosis.counterfactual": "counterfactual",
    "assay._analysis.diagnosis.steps": "blame_steps",
    "assay._analysis.gate": "Rules gate",
    "assay._analysis.history": "history",
    "assay._analysis.items": "items",
    "assay._analysis.repeat": "arepeat repeat",
    "assay._analysis.robustness": "Robustness",
    "assay._middleware.budget": "Budget Price",
    "assay._middleware.wrapper": "Route",
    "assay._report.run.html": "notebook_html write_report",
    "assay._runner.estimate": "Estimate estimate",
    "assay._runner.evaluate": "aevaluate evaluate averify averify_many verify verify_many",
    "assay._runner.result": "Result",
    "assay._runner.settings": "Settings",
    "assay.errors": "AssayError Denied InputError JudgeError OverBudget Unavailable Unreadable "
    "Unsupported",
    "assay.experiments.pipeline": "Pipeline",
    "assay.experiments.regeneration": "regenerate",
    "assay.experiments.robustness": "RobustnessSettings arobustness robustness",
    "assay.experiments.sweep": "SweepSettings asweep sweep",
    "assay.experiments.swept": "Sweep",
    "assay.judge": "Backend Judge Limits Reply Task",
    "assay.judges": "backend",
    "assay.judges.openai.batch": "OpenAIBatch",
    "assay.judges.openai.judge": "OpenAI OpenAIEmbedder",
    "assay.judges.prices": "list_price",
    "assay.judges.scripted": "Scripted",
    "assay.judges.specs": "cascade",
    "assay.metrics": "METRICS Metric metric",
    "assay.prompt": "Example Template",
    "assay.sample": "Sample ToolCall Turn Variant",
    "assay.score": "Outcome Part Score Unscored",
    "assay.tasks": "Verdict",
}
__getattr__ = lazy_names(__name__, _NAMES)

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


def __dir__() -> list[str]:
    return sorted(__all__)
