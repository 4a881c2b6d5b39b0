"""How does ragas compute it where ours differs on purpose?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
