"""Which questions about the reference does the answer answer (CRUD-RAG)?"""

from assay.metrics.base import Metric

METRICS: tuple[type[Metric], ...] = ()
