"""Which characters of the answer are unsupported?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
