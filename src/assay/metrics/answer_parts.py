"""Is the answer complete, concise and to the point, statement by statement?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
