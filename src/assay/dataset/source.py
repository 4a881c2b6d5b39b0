"""What does every source of data look like, whatever it was read from?"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from assay.dataset.convert import Converter
from assay.dataset.record import Record, Row


@dataclass(frozen=True)
class Source:
    """A data set that gives its rows one by one, each time it is iterated.

    Attributes:
        name: What reports call it: the name of the file, or the kind of object.
        records: Opens the source and gives its records.
        mapping: Field -> column, as the user gave it.
        limit: Only the first so many records are read, None for all.
    """

    name: str
    records: Callable[[], Iterator[Record]]
    mapping: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None

    def __iter__(self) -> Iterator[Row]:
        """Rows, in the order of the source; no more than one is held."""
        understand = Converter(self.mapping).row
        for record in islice(self.records(), self.limit):
            yield understand(record)
