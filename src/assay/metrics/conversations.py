"""Is every turn of a conversation faithful and relevant?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
