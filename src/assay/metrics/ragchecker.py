"""How does RAGChecker compute its eleven numbers from four entailment matrices?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
