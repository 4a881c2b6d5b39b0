"""The system under test: asked like any backend, its answers become samples.

It answers one task, the request it is sent, so the same cache keeps its answers and the same
limits hold.
"""

from assay.target.ask import Answers, Asking, aask, ask
from assay.target.configuration import Configurable
from assay.target.system import AskSystem, FunctionSystem, HttpSystem, system

__all__ = [
    "Answers",
    "AskSystem",
    "Asking",
    "Configurable",
    "FunctionSystem",
    "HttpSystem",
    "aask",
    "ask",
    "system",
]
