"""How does TruLens compute the RAG triad?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
