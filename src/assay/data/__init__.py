"""Data sets: `read` gives rows, `samples` the valid ones, `read_labels` what people said."""

from assay.data.columns import ALIASES, FIELDS
from assay.data.files import Source, read
from assay.data.labels import Label, Labels, read_labels
from assay.data.rows import Record, Row, values_of
from assay.data.validation import Samples, samples

__all__ = [
    "ALIASES",
    "FIELDS",
    "Label",
    "Labels",
    "Record",
    "Row",
    "Samples",
    "Source",
    "read",
    "read_labels",
    "samples",
    "values_of",
]
