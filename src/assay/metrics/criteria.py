"""Does a sample meet criteria in the user's own words?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
