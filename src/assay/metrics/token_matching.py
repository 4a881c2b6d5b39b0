"""How much of the meaning is shared, token by token or by entailment?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
