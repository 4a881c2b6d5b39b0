"""How does DeepEval compute it?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
