"""Are the entities of the reference in the retrieved contexts?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
