"""How good is the ranking against known relevant contexts?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
