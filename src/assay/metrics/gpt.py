"""What do the two baselines of the RAGAS paper say: a grade, or a choice of two?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
