"""Does a summary answer what its source can answer, in few words?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
