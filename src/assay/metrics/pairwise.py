"""Which of two answers is better?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
