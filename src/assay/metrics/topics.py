"""Does a conversation stay with its topics?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
