"""Which grade of a rubric does an answer reach?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
