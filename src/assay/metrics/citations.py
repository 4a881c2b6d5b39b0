"""Do the cited contexts bear out each sentence (ALCE)?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
