"""Does the same system say the same when asked again (SelfCheckGPT)?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
