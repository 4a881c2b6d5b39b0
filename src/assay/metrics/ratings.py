"""How do two rated prompts grade it?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
