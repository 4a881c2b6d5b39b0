"""How often do contexts mislead the answer?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
