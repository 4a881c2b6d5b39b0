"""How does a running RAG system get asked, and its answers become samples?

The system is a back end like any other, which answers one task: the request it is sent. So the
same ledger keeps its answers, and the same limits hold.
"""

from assay.target.ask import Answers, Asking, aask, ask
from assay.target.system import AskSystem, FunctionSystem, HttpSystem, system

__all__ = [
    "Answers",
    "AskSystem",
    "Asking",
    "FunctionSystem",
    "HttpSystem",
    "aask",
    "ask",
    "system",
]
