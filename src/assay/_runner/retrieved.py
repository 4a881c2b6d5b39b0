"""What looks wrong in the retrieved contexts of a data set as a whole."""

from collections.abc import Collection, Iterator

from assay.metrics import Metric
from assay.sample import Sample

_LEAST = 2  # rows; that one question's document was not retrieved is a result


class RetrievedCount:
    """Counts rows without a context, and right documents that share no id with retrieved ones.

    Args:
        metrics: What is computed; empty where that is not known yet.
    """

    def __init__(self, metrics: Collection[Metric]) -> None:
        read = any("contexts" in metric.needs for metric in metrics)
        self._reads_contexts = read or not metrics
        self._rows = self._empty = self._compared = self._first = 0
        self._shared = False
        self._ids = ("", "")

    def add(self, sample: Sample) -> None:
        """Look at one row."""
        self._rows += 1
        if sample.failure is None and sample.contexts is not None and not sample.contexts:
            self._empty += 1
            self._first = self._first or self._rows
        right = sample.reference_context_ids or tuple(sample.relevance_grades or ())
        if sample.context_ids and right:
            self._compared += 1
            self._shared = self._shared or not {*sample.context_ids}.isdisjoint(right)
            self._ids = self._ids if self._ids[0] else (right[0], sample.context_ids[0])

    def notes(self) -> Iterator[str]:
        """What is to be known of them, a sentence each without its full stop."""
        if self._empty and self._reads_contexts:
            have = "has" if self._empty == 1 else "have"
            yield (
                f"{self._empty:,} of {self._rows:,} rows {have} an empty list of contexts (the "
                f"first is row {self._first}): it is scored as a retrieval that found nothing; if "
                "the contexts were lost on the way, or the system failed, the scores are wrong"
            )
        if self._compared >= _LEAST and not self._shared:
            right, retrieved = self._ids
            yield (
                f"in none of {self._compared:,} rows is a right document among the retrieved ones "
                f"by its id (such as '{right}' and '{retrieved}'): see whether both are ids of one "
                "kind before you believe the scores"
            )
