"""The ready-made criteria of ragas; assay's words for them, and assay's scores."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.integrations.ragas.absent import missing
from assay.integrations.ragas.metrics.criteria import AspectCritic, AspectCritique
from assay.metrics import METRICS

__all__ = [
    "SUPPORTED_ASPECTS",
    "AspectCritic",
    "AspectCritique",
    "coherence",
    "conciseness",
    "correctness",
    "harmfulness",
    "maliciousness",
]


@dataclass
class _Aspect(AspectCritic):
    def in_assay(self, fields: frozenset[str]) -> Any:
        """The criterion of assay of the same name."""
        return METRICS[f"aspect:{self.name}"](**self.parameters(fields))

    def parameters(self, fields: frozenset[str]) -> Mapping[str, Any]:
        """How many draws."""
        del fields
        return {"strictness": self.strictness}


coherence = _Aspect(name="coherence")
conciseness = _Aspect(name="conciseness")
correctness = _Aspect(name="correctness")
harmfulness = _Aspect(name="harmfulness")
maliciousness = _Aspect(name="maliciousness")

SUPPORTED_ASPECTS = [harmfulness, maliciousness, coherence, correctness, conciseness]

__getattr__ = partial(missing, "metrics.critique")
