"""ragas' own names over assay: code written for ragas runs with its imports changed.

``from assay.integrations import ragas`` or ``import assay.integrations.ragas as ragas``;
``python -m assay.integrations.ragas --rewrite FILE`` changes the imports of a script or notebook.
"""

import importlib
from typing import Any

from assay._version import __version__
from assay.integrations.ragas.advice import add_modules, missing

_HOME = {
    "evaluate": "evaluation",
    "aevaluate": "evaluation",
    "RunConfig": "run_config",
    "EvaluationDataset": "dataset_schema",
    "SingleTurnSample": "dataset_schema",
    "MultiTurnSample": "dataset_schema",
    "Dataset": "dataset",
    "DataTable": "dataset",
    "Experiment": "dataset",
    "experiment": "dataset",
}
_MODULES = (
    "backends",
    "cost",
    "dataset_schema",
    "evaluation",
    "llms",
    "messages",
    "metrics",
    "testset",
)

__all__ = ["__version__", *_HOME]  # noqa: PLE0604 - all of them are texts


def __getattr__(name: str) -> Any:
    if name in _HOME:
        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        return getattr(module, name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    return missing("", name)


add_modules()
