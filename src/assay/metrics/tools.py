"""Were the right tools called with the right arguments?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
