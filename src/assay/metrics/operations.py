"""How long did an answer take, and what did it cost?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
