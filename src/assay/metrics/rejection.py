"""Does the system decline what it cannot answer, and only that?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
