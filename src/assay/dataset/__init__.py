"""What rows does the user's data hold, and which of them can be evaluated?

`read` opens a file or an object and gives its rows one by one; `samples` checks them against what
the metrics need and gives those that are valid. `read_labels` reads what people said of them.
"""

from assay.dataset.aliases import ALIASES, FIELDS
from assay.dataset.check import Samples, samples
from assay.dataset.labels import Label, Labels, read_labels
from assay.dataset.memory import values_of
from assay.dataset.record import Record, Row
from assay.dataset.source import Source, read

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
