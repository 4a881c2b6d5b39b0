"""Does the answer survive noise and wrong contexts?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
